// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"
#include "core/model/record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver::outbox {

/// A row that isn't published yet. `record` has no partition and no time: the key decides, the broker stamps.
struct PendingMessage {
    std::int64_t row = 0;  ///< ascending in the order in which rows were written
    MessageId id;
    OutgoingRecord record;
    int attempts = 0;
};

struct SentMessage {
    std::int64_t row = 0;
    Partition partition;
    Offset offset;
};

struct FailedMessage {
    std::int64_t row = 0;
    std::string error;
};

struct Status {
    std::int64_t pending = 0;
    std::optional<Duration> oldestAge;  ///< of the oldest pending row, by the database's clock
    std::int64_t failing = 0;           ///< pending rows that the broker has refused at least once
    std::string lastError;              ///< of the oldest failing one
    std::optional<TimePoint> lastPublished;
};

/// The outbox table as the publisher sees it. claim, then settle or release; what a claim holds belongs to this process
/// until then, also against other publishers. One thread. Throws Error on a lost server.
/// Implementations: postgres::PgOutboxStore and the tests' model.
class Store {
  public:
    virtual ~Store() = default;
    /// The next pending rows behind `after`, in order, within the limits; nothing: another publisher is at work.
    /// May be called again before settle(), for the next page.
    virtual std::optional<std::vector<PendingMessage>> claim(std::int64_t after, std::size_t most,
                                                             const std::stop_token& stop) = 0;
    /// Marks and lets go, in one transaction.
    virtual void settle(std::span<const SentMessage> sent, std::span<const FailedMessage> failed) = 0;
    virtual void release() noexcept = 0;
};

}  // namespace redeliver::outbox
