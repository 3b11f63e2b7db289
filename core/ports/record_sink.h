// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/record.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace redeliver::ports {

/// Where a produced record came to lie.
struct Published {
    TopicPartition tp;
    Offset offset;
};

/// Producing side of Kafka: acks=all, idempotent. One thread.
/// Implementations: kafka::Producer and the simulator's log.
class RecordSink {
  public:
    virtual ~RecordSink() = default;
    /// Produces all and waits until each is acknowledged or failed; answers in the given order.
    virtual std::vector<Result<Published>> publish(std::span<const OutgoingRecord> records) = 0;
};

/// A sink with Kafka transactions (fine-print, "once"). begin, publish*, commit or abort; all throw Error when fenced
/// (code "_FENCED") or when the broker is lost.
class TransactionalSink : public RecordSink {
  public:
    virtual void initTransactions() = 0;  ///< fences whoever used the same transactional id
    virtual void begin() = 0;
    virtual void commit() = 0;
    virtual void abort() = 0;
};

}  // namespace redeliver::ports
