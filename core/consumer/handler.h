// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/delivery.h"
#include "core/model/record.h"
#include "core/ports/guard_store.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace redeliver::consumer {

/// One message as a handler gets it: guarded, addressed to this consumer, not seen before. Valid during the call.
struct Message {
    const Record& record;
    const MessageId& id;
    Coordinates at;
    std::optional<ReplayId> replay;
    int attempt = 1;  ///< counts the tries of this worker since it was given the partition
};

/// What became of a message.
struct Answer {
    enum class Verdict {
        Done,         ///< its effect is in the transaction
        Stale,        ///< older than what was applied: nothing changed, and that is right (sequence guard)
        AlreadyDone,  ///< the row that is the marker holds it (Options::rowIsMarker): a duplicate
        Retry,        ///< not now; again later, then the dead-letter topic
        Reject,       ///< never; to the dead-letter topic at once
    } verdict = Verdict::Done;
    std::string code;        ///< SQLSTATE or the handler's own; shown beside the outcome
    std::string text;        ///< why, for people
    bool transient = false;  ///< Retry without using up a try: 40001, 40P01, 55P03, a server that is starting …
    std::optional<Duration> retryIn;  ///< Retry: not before; else the schedule's
};

[[nodiscard]] inline Answer done() {
    return {};
}
[[nodiscard]] inline Answer stale() {
    return {Answer::Verdict::Stale, {}, {}, false, std::nullopt};
}
[[nodiscard]] inline Answer alreadyDone() {
    return {Answer::Verdict::AlreadyDone, {}, {}, false, std::nullopt};
}
[[nodiscard]] inline Answer retryLater(std::string why, std::string code = "retry-later") {
    return {Answer::Verdict::Retry, std::move(code), std::move(why), false, std::nullopt};
}
[[nodiscard]] inline Answer reject(std::string why, std::string code = "rejected") {
    return {Answer::Verdict::Reject, std::move(code), std::move(why), false, std::nullopt};
}

/// Neither failed nor refused: the message is settled.
[[nodiscard]] inline bool settled(const Answer& answer) noexcept {
    return answer.verdict != Answer::Verdict::Retry && answer.verdict != Answer::Verdict::Reject;
}

/// The loop's view of a handler. Implementations: the binding of IdempotentConsumer, the simulator's model.
/// Faults of the handler are answers (Retry with a code); only a lost connection is thrown (Error, Connection).
class Handler {
  public:
    virtual ~Handler() = default;
    /// True: all new messages of a batch in one call, and one answer for each.
    [[nodiscard]] virtual bool takesBatches() const { return false; }
    virtual std::vector<Answer> handle(ports::Transaction& transaction, std::span<const Message> messages) = 0;
};

}  // namespace redeliver::consumer
