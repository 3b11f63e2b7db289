// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/log.h"
#include "core/consumer/delivery_log.h"
#include "core/consumer/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace redeliver::consumer {
namespace {

using Kind = AttemptEnd::Kind;
constexpr int mostTransient = 4;  // in a row, before the batch waits

}  // namespace

Items Loop::takeBatch() {
    const std::size_t size = std::min(m_pending.size(), m_singles > 0 ? std::size_t{1} : m_target);
    m_singles -= m_singles > 0 ? 1 : 0;
    Items items;
    items.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        auto& polled = m_pending.front();
        const auto& work = m_table.at(polled.record.tp);
        auto item = prepare(std::move(polled.record), polled.at, work.cluster, m_options, m_parts.identify);
        if (const auto tries = work.tries.find(item.record.offset); tries != work.tries.end()) {
            item.attempt = tries->second + 1;
        }
        items.push_back(std::move(item));
        m_pending.pop_front();
    }
    return items;
}

void Loop::runBatch(const std::stop_token& stop) {
    m_batchStarted = m_parts.clock.steady();
    Items items = takeBatch();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].fate == Item::Fate::Rejected) {
            rejectOrStop(items, i, items[i].why);
        }
    }
    bool isolating = false;
    int transient = 0;
    for (;;) {
        if (publishRejected(items)) {
            deadLetterFailed(items);
        }
        if (std::none_of(items.begin(), items.end(), [](const Item& item) { return item.included(); })) {
            break;
        }
        const AttemptParts parts{m_options,
                                 m_parts.store,
                                 m_parts.handler,
                                 m_parts.clock,
                                 m_table,
                                 [&](std::size_t index, const Answer& answer) { judge(items, index, answer); },
                                 [&] { return publishRejected(items); }};
        const auto end = attempt(items, isolating, parts);
        giveBack(items);
        if (end.kind == Kind::Transient && ++transient < mostTransient && !stop.stop_requested()) {
            m_parts.clock.sleep(retryDelay({0, std::chrono::milliseconds(5), std::chrono::milliseconds(50)}, transient,
                                           m_parts.entropy),
                                stop);
            continue;
        }
        isolating = isolating || end.kind == Kind::MessageFailed || end.kind == Kind::Again;
        if (settle(items, end)) {
            break;
        }
    }
    saveStops();
}

// True: the batch is over.
bool Loop::settle(Items& items, const AttemptEnd& end) {
    switch (end.kind) {
        case Kind::Committed:
            committed(items, end);
            return true;
        case Kind::InDoubt:
            inDoubt(items, end);
            return true;
        case Kind::MessageFailed:
            judge(items, *end.index, end.answer);
            return false;
        case Kind::HandlerEnded:
            handlerEnded(items, end);
            return false;
        case Kind::NotOurs:
            notOurs(items, end.refused);
            return false;
        case Kind::SomeHandler:
            return someHandler(items, end);
        case Kind::DeadLetter:
            deadLetterFailed(items);
            return false;
        case Kind::Again:
            return false;
        case Kind::Transient:
        case Kind::StoreTrouble:
            failAll(items, end.code, end.text);
            storeTrouble(end.text);
            return true;
    }
    return true;
}

// A failed message: rejected when its tries are used up, else it waits with everything behind it in its partition.
void Loop::judge(Items& items, std::size_t index, const Answer& answer) {
    auto& item = items[index];
    auto& work = m_table.at(item.record.tp);
    if (answer.verdict == Answer::Verdict::Reject) {
        rejectOrStop(items, index, {answer.code, answer.text, item.attempt});
        return;
    }
    int tries = item.attempt;
    if (!answer.transient) {
        tries = ++work.tries[item.record.offset];
        if (tries >= m_options.retry.tries) {
            rejectOrStop(items, index, {answer.code, answer.text, tries});
            return;
        }
    }
    auto event = eventOf(item, m_options, m_parts.clock.now());
    event.errorCode = answer.code;
    event.errorText = answer.text;
    event.outcome = toText(Outcome::TransactionFailed);
    logDelivery(event);
    m_recorder.failed(std::move(event));
    const auto tp = item.record.tp;
    excludeFrom(items, index);
    wait(tp, answer.retryIn.value_or(retryDelay(m_options.retry, tries, m_parts.entropy)));
}

void Loop::rejectOrStop(Items& items, std::size_t index, Rejection why) {
    auto& item = items[index];
    if (m_options.consumer.deadLetter && m_parts.deadLetters != nullptr) {
        item.why = std::move(why);
        item.fate = Item::Fate::Rejected;
        return;
    }
    auto event = eventOf(item, m_options, m_parts.clock.now());
    event.errorCode = why.code;
    event.errorText = why.text;
    event.attempt = why.attempts;
    event.outcome = toText(Outcome::TransactionFailed);
    logDelivery(event);
    m_recorder.failed(std::move(event));
    const auto tp = item.record.tp;
    const auto reason = fmt::format(
        "message {} at offset {} can't be processed ({}: {}) and there is no dead-letter topic",
        item.id ? item.id->value() : std::string("without identity"), item.record.offset.value(), why.code, why.text);
    const Offset behind{item.record.offset.value() + 1};
    excludeFrom(items, index);
    stop(tp, "no-dead-letter-topic", reason, behind, item.record.offset);
}

// Produced and acknowledged before the database commits: a crash in between doubles a dead letter, never loses one.
std::optional<std::size_t> Loop::publishRejected(Items& items) {
    std::vector<OutgoingRecord> letters;
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].fate == Item::Fate::Rejected && !items[i].published) {
            letters.push_back(deadLetterOf(m_options.consumer, items[i].at.cluster, items[i].record, items[i].why));
            owners.push_back(i);
        }
    }
    if (letters.empty()) {
        return std::nullopt;
    }
    std::optional<std::size_t> failed;
    std::vector<Result<ports::Published>> results;
    try {
        results = m_parts.deadLetters->publish(letters);
    } catch (const Error&) {
        results.clear();
    }
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (i < results.size() && results[i]) {
            items[owners[i]].published = true;
        } else if (!failed) {
            failed = owners[i];
        }
    }
    if (!failed && m_options.atPoint) {
        m_options.atPoint(point::deadLetterProduced);
    }
    return failed;
}

// The broker doesn't take it: nothing is skipped, the partition waits and tries again. Its other dead letters of this
// batch wait too.
void Loop::deadLetterFailed(Items& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        auto& item = items[i];
        if (item.fate != Item::Fate::Rejected || item.published) {
            continue;
        }
        auto event = eventOf(item, m_options, m_parts.clock.now());
        event.outcome = toText(Outcome::TransactionFailed);
        event.errorCode = "dead-letter-failed";
        event.errorText = fmt::format("the dead letter could not be produced ({}: {})", item.why.code, item.why.text);
        logDelivery(event);
        m_recorder.failed(std::move(event));
        const auto tp = item.record.tp;
        excludeFrom(items, i);
        wait(tp, retryDelay(m_options.retry, m_options.retry.tries, m_parts.entropy));
    }
}

void Loop::handlerEnded(Items& items, const AttemptEnd& end) {
    const bool sealed = end.answer.code == "RD001";
    std::set<TopicPartition> partitions;
    for (std::size_t i = 0; i < items.size(); ++i) {
        auto& item = items[i];
        const bool his = end.index ? i == *end.index : item.included() && item.isNew;
        if (!his || partitions.contains(item.record.tp)) {
            continue;
        }
        const auto tp = item.record.tp;
        partitions.insert(tp);
        auto event = eventOf(item, m_options, m_parts.clock.now());
        event.outcome = toText(Outcome::TransactionFailed);
        event.errorCode = "handler-ended-transaction";
        event.errorText = sealed ? "the handler sent COMMIT; the seal rolled everything back"
                                 : "the handler ended the transaction it was given";
        logDelivery(event);
        const auto reason = fmt::format("{}, at message {}, offset {}", event.errorText,
                                        item.id ? item.id->value() : std::string(), item.record.offset.value());
        m_recorder.failed(std::move(event));
        excludeFrom(items, i);
        stop(tp, "handler-ended-transaction", reason, Offset{item.record.offset.value() + 1}, item.record.offset);
    }
}

void Loop::notOurs(Items& items, const std::vector<ports::AdvanceRefusal>& refused) {
    for (const auto& refusal : refused) {
        auto& work = m_table.at(refusal.tp);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i].record.tp == refusal.tp) {
                excludeFrom(items, i);
                break;
            }
        }
        if (refusal.owned) {
            stop(refusal.tp, "database-moved",
                 fmt::format(
                     "the database stands at {}, this worker last committed {}: it lost commits in a failover, or "
                     "somebody changed the row",
                     refusal.stored ? std::to_string(refusal.stored->value()) : std::string("nothing"),
                     work.committed.value()),
                 std::nullopt);
            continue;
        }
        dropPending(refusal.tp);
        work.state = PartitionWork::State::NotOurs;
        auto event =
            note(refusal.tp, "owner_lost", "another worker owns this partition now: nothing more is done here");
        logDelivery(event);
        m_recorder.note(std::move(event));
    }
    steer();
}

// Work that was put off to the COMMIT (deferred constraints) failed: with one message in the batch it is that one's
// failure, with many each gets a transaction of its own.
bool Loop::someHandler(Items& items, const AttemptEnd& end) {
    std::vector<std::size_t> fresh;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].included() && items[i].isNew) {
            fresh.push_back(i);
        }
    }
    if (fresh.empty()) {
        failAll(items, end.code, end.text);
        storeTrouble(end.text);
        return true;
    }
    if (fresh.size() == 1) {
        judge(items, fresh.front(), retryLater(end.text, end.code));
        return false;
    }
    m_singles = std::max(m_singles, items.size());
    for (auto& item : items) {
        if (item.included()) {
            item.fate = Item::Fate::Deferred;
        }
    }
    giveBack(items);
    return true;
}

// Batches shrink for slow handlers, so that one stays well inside its share of max.poll.interval.ms.
void Loop::adapt(std::size_t records, std::chrono::steady_clock::duration took) {
    const auto each = took / static_cast<std::int64_t>(std::max<std::size_t>(records, 1));
    const auto fit = each.count() > 0 ? (m_options.maxPollInterval / 16) / each : std::int64_t{1'000'000};
    const auto most = static_cast<std::int64_t>(m_options.batchRecords);
    const auto wanted = static_cast<std::size_t>(std::clamp<std::int64_t>(fit, 1, most));
    m_target = wanted < m_target ? wanted : std::min(wanted, m_target * 2);
}

void Loop::committed(Items& items, const AttemptEnd& end) {
    if (m_options.atPoint) {
        m_options.atPoint(point::afterCommit);
    }
    m_storeBackoff.reset();
    const auto steady = m_parts.clock.steady();
    adapt(items.size(), steady - m_batchStarted);
    for (const auto& move : end.moves) {
        auto& work = m_table.at(move.tp);
        work.passed(move.next);
        work.ackedUnsaved.reset();
    }
    for (const auto& item : items) {
        if (!item.included()) {
            continue;
        }
        const auto [outcome, duplicate] = outcomeOf(item);
        if (outcome == Outcome::Processed &&
            (m_options.logEveryProcessed <= 0 || m_processedLines++ % m_options.logEveryProcessed != 0)) {
            continue;
        }
        auto event = eventOf(item, m_options, m_parts.clock.now());
        event.outcome = toText(outcome);
        event.latency = std::chrono::duration_cast<Duration>(steady - item.polledAt);
        if (duplicate) {
            event.kind = duplicate->kind;
            event.identicalContent = duplicate->identical;
        }
        logDelivery(event);
    }
    ack();
    if (m_options.atPoint) {
        m_options.atPoint(point::afterAck);
    }
}

// Nobody knows. No ack; everything is read again from what was surely committed, and the markers tell.
void Loop::inDoubt(Items& items, const AttemptEnd& end) {
    for (const auto& move : end.moves) {
        auto& work = m_table.at(move.tp);
        work.alsoExpected = work.alsoExpected ? std::max(*work.alsoExpected, move.next) : move.next;
        work.dirty = true;
    }
    for (const auto& item : items) {
        if (item.included()) {
            auto event = eventOf(item, m_options, m_parts.clock.now());
            event.outcome = toText(SideEvent::InDoubt);
            event.errorCode = end.code;
            event.errorText = end.text;
            logDelivery(event);
            m_recorder.side(SideEvent::InDoubt, std::move(event));
        }
    }
    storeTrouble("the connection broke during COMMIT: " + end.text);
}

void Loop::failAll(const Items& items, const std::string& code, const std::string& text) {
    for (const auto& item : items) {
        if (!item.included()) {
            continue;
        }
        auto event = eventOf(item, m_options, m_parts.clock.now());
        event.outcome = toText(Outcome::TransactionFailed);
        event.errorCode = code.empty() ? "connection" : code;
        event.errorText = text;
        logDelivery(event);
        m_recorder.failed(std::move(event));
        if (const auto work = m_table.find(item.record.tp); work != m_table.end()) {
            work->second.dirty = true;
        }
    }
}

// Deferred records are the first of the next batch, in their order.
void Loop::giveBack(Items& items) {
    for (std::size_t i = items.size(); i-- > 0;) {
        if (items[i].fate == Item::Fate::Deferred) {
            m_pending.push_front({std::move(items[i].record), items[i].polledAt});
        }
    }
    std::erase_if(items, [](const Item& item) { return item.fate == Item::Fate::Deferred; });
}

void Loop::wait(const TopicPartition& tp, Duration span) {
    auto& work = m_table.at(tp);
    work.waitUntil = m_parts.clock.steady() + span;
    work.dirty = true;
    dropPending(tp);
    steer();
}

// After COMMIT and outside of it (domain rule 3). A failed one is no failure of the messages: they come again, as
// duplicates.
void Loop::ack() {
    std::vector<Position> positions;
    for (const auto& [tp, work] : m_table) {
        if (work.unackedBelow && work.state != PartitionWork::State::NotOurs) {
            positions.push_back({tp, *work.unackedBelow});
        }
    }
    if (positions.empty()) {
        return;
    }
    const bool lost = m_parts.source.assignmentLost();
    const auto result = lost ? failure(Error(ErrorKind::Server, "the membership was lost", {}, "_ASSIGNMENT_LOST"))
                             : m_parts.source.commit(positions);
    for (const auto& position : positions) {
        auto& work = m_table.at(position.tp);
        if (result) {
            work.unackedBelow.reset();
            work.ackedUnsaved = position.next;
            continue;
        }
        auto event = note(position.tp, std::string(toText(SideEvent::AckFailed)), result.error().text());
        event.at_record->offset = Offset{std::max<std::int64_t>(position.next.value() - 1, 0)};
        event.errorCode = result.error().code();
        logDelivery(event);
        m_recorder.side(SideEvent::AckFailed, std::move(event));
    }
}

}  // namespace redeliver::consumer
