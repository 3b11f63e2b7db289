// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/attempt.h"

#include <algorithm>
#include <array>
#include <map>

namespace redeliver::consumer {
namespace {

using Kind = AttemptEnd::Kind;

AttemptEnd end(Kind kind) {
    AttemptEnd out;
    out.kind = kind;
    return out;
}

class Attempt {
  public:
    Attempt(Items& items, bool isolating, const AttemptParts& parts)
        : m_items(items), m_isolating(isolating), m_parts(parts), m_started(parts.clock.steady()) {}

    AttemptEnd run() {
        reach(point::beforeBegin);
        try {
            m_tx = m_parts.store.begin(budget());
            claim();
            reach(point::afterClaim);
            if (auto failed = handleAll()) {
                return *failed;
            }
        } catch (const Error& error) {
            return trouble(error);
        }
        try {
            m_tx->afterHandlers();
        } catch (const Error& error) {
            auto out = trouble(error);
            if (out.kind == Kind::StoreTrouble && error.kind() != ErrorKind::Connection) {
                out.kind = Kind::SomeHandler;
            }
            return out;
        }
        reach(point::afterHandler);
        try {
            return finish();
        } catch (const Error& error) {
            return trouble(error);
        }
    }

  private:
    void reach(std::string_view where) const {
        if (m_parts.options.atPoint) {
            m_parts.options.atPoint(where);
        }
    }

    std::chrono::milliseconds budget() const {
        return std::max(m_parts.options.maxPollInterval / 4, std::chrono::milliseconds(100));
    }

    static AttemptEnd trouble(const Error& error) {
        auto out = end(error.kind() != ErrorKind::Connection && isTransient(error.code()) ? Kind::Transient
                                                                                          : Kind::StoreTrouble);
        out.code = error.code();
        out.text = error.text();
        return out;
    }

    void claim();
    std::optional<AttemptEnd> handleAll();
    std::optional<AttemptEnd> handleBatch(const std::vector<std::size_t>& fresh);
    std::optional<AttemptEnd> handleOne(std::size_t index);
    std::optional<AttemptEnd> judgeInPlace(std::size_t index, const Answer& answer);
    Message messageOf(const Item& item) const { return {item.record, *item.id, item.at, item.replay, item.attempt}; }
    void deferFrom(std::size_t index);
    void withdrawWhere(const std::function<bool(const Item&)>& gone);
    bool orphaned() const;
    AttemptEnd finish();

    Items& m_items;
    bool m_isolating;
    const AttemptParts& m_parts;
    SteadyTime m_started;
    std::unique_ptr<ports::Transaction> m_tx;
};

void Attempt::claim() {
    std::vector<ports::MarkerClaim> claims;
    std::vector<std::size_t> owners;
    std::map<std::string_view, std::size_t> firstWith;
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        auto& item = m_items[i];
        item.isNew = false;
        item.twin.reset();
        item.first.reset();
        item.answer = {};
        if (item.fate != Item::Fate::Claim) {
            continue;
        }
        if (m_parts.options.rowIsMarker) {
            item.isNew = true;  // the handler's row decides
            continue;
        }
        if (const auto [it, fresh] = firstWith.try_emplace(item.id->value(), i); !fresh) {
            item.twin = it->second;
        } else {
            claims.push_back({*item.id, item.at, item.record.timestamp, item.replay, item.hash});
            owners.push_back(i);
        }
    }
    if (claims.empty()) {
        return;
    }
    const auto result = m_tx->claim(claims);
    for (std::size_t c = 0; c < owners.size(); ++c) {
        auto& item = m_items[owners[c]];
        item.isNew = result.isNew[c];
        if (const auto it = result.existing.find(item.id->value()); !item.isNew && it != result.existing.end()) {
            item.first = firstCopy(it->second);
        }
    }
    for (auto& item : m_items) {
        if (item.twin) {
            const auto& first = m_items[*item.twin];
            item.first = first.isNew ? FirstCopy{first.at, first.hash, std::nullopt, false} : first.first;
        }
    }
}

std::optional<AttemptEnd> Attempt::handleAll() {
    std::vector<std::size_t> fresh;
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        if (m_items[i].fate == Item::Fate::Claim && m_items[i].isNew) {
            fresh.push_back(i);
        }
    }
    if (m_parts.handler.takesBatches() && !m_isolating && fresh.size() > 1) {
        return handleBatch(fresh);
    }
    bool any = false;
    for (const auto index : fresh) {
        if (m_items[index].fate != Item::Fate::Claim) {
            continue;  // one before it in its partition failed
        }
        if (any && m_parts.clock.steady() - m_started > budget() / 2) {
            deferFrom(index);
            break;
        }
        any = true;
        if (auto failed = handleOne(index)) {
            return failed;
        }
    }
    return std::nullopt;
}

std::optional<AttemptEnd> Attempt::handleBatch(const std::vector<std::size_t>& fresh) {
    std::vector<Message> messages;
    messages.reserve(fresh.size());
    for (const auto index : fresh) {
        messages.push_back(messageOf(m_items[index]));
    }
    const auto answers = m_parts.handler.handle(*m_tx, messages);
    const auto state = m_tx->check();
    if (state == ports::TransactionState::Lost) {
        throw Error(ErrorKind::Connection, "the connection was lost while the handler ran");
    }
    if (state == ports::TransactionState::Ended) {
        return end(Kind::HandlerEnded);
    }
    const bool whole = state == ports::TransactionState::Open && answers.size() == fresh.size();
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        if (!whole || !settled(answers[i])) {
            return end(Kind::Again);  // one by one, each in its savepoint, tells which
        }
        m_items[fresh[i]].answer = answers[i];
    }
    return std::nullopt;
}

std::optional<AttemptEnd> Attempt::handleOne(std::size_t index) {
    auto& item = m_items[index];
    if (m_isolating) {
        m_tx->setSavepoint();
    }
    const std::array message = {messageOf(item)};
    auto answers = m_parts.handler.handle(*m_tx, message);
    Answer answer = answers.size() == 1 ? answers.front() : retryLater("the handler gave no answer", "no-answer");
    switch (m_tx->check()) {
        case ports::TransactionState::Open:
            break;
        case ports::TransactionState::Failed:
            if (settled(answer)) {
                answer = retryLater("a statement of the handler failed, and it went on", "25P02");
            }
            break;
        case ports::TransactionState::Ended: {
            auto out = end(Kind::HandlerEnded);
            out.index = index;
            out.answer = answer;
            return out;
        }
        case ports::TransactionState::Lost:
            throw Error(ErrorKind::Connection, "the connection was lost while the handler ran");
    }
    item.answer = answer;
    if (settled(answer)) {
        return std::nullopt;
    }
    return judgeInPlace(index, answer);
}

std::optional<AttemptEnd> Attempt::judgeInPlace(std::size_t index, const Answer& answer) {
    if (!m_isolating) {
        auto out = end(Kind::MessageFailed);
        out.index = index;
        out.answer = answer;
        return out;
    }
    m_tx->rollbackToSavepoint();
    m_parts.judge(index, answer);
    withdrawWhere(
        [](const Item& item) { return item.fate == Item::Fate::Excluded || item.fate == Item::Fate::Rejected; });
    return std::nullopt;
}

// A rollback to a savepoint keeps the marker, which was inserted before it: it has to be deleted (rule 13).
void Attempt::withdrawWhere(const std::function<bool(const Item&)>& gone) {
    std::vector<MessageId> ids;
    for (auto& item : m_items) {
        if (item.isNew && gone(item)) {
            item.isNew = false;
            ids.push_back(*item.id);
        }
    }
    if (!ids.empty() && !m_parts.options.rowIsMarker) {
        m_tx->withdraw(ids);
    }
}

void Attempt::deferFrom(std::size_t index) {
    for (std::size_t i = index; i < m_items.size(); ++i) {
        if (m_items[i].included()) {
            m_items[i].fate = Item::Fate::Deferred;
        }
    }
    withdrawWhere([](const Item& item) { return item.fate == Item::Fate::Deferred; });
}

// A second copy counted on a first one that is no longer part of the batch.
bool Attempt::orphaned() const {
    return std::any_of(m_items.begin(), m_items.end(), [this](const Item& item) {
        return item.included() && item.twin && m_items[*item.twin].fate != Item::Fate::Claim;
    });
}

AttemptEnd Attempt::finish() {
    if (orphaned()) {
        return end(Kind::Again);
    }
    if (const auto failed = m_parts.publishRejected()) {
        auto out = end(Kind::DeadLetter);
        out.index = failed;
        return out;
    }
    auto out = end(Kind::Committed);
    out.moves = movesOf(m_items, m_parts.table);
    out.refused = m_tx->advance(out.moves);
    if (!out.refused.empty()) {
        out.kind = Kind::NotOurs;
        return out;
    }
    std::vector<MessageId> again;
    for (const auto& item : m_items) {
        if (item.fate == Item::Fate::Claim && !item.isNew && !item.twin && item.first &&
            (!item.first->at || !sameRecord(*item.first->at, item.at))) {
            again.push_back(*item.id);
        }
    }
    if (!again.empty()) {
        m_tx->seenAgain(again);
    }
    m_tx->record(telemetryOf(m_items, m_parts.options, m_parts.clock));
    reach(point::beforeCommit);
    const auto result = m_tx->commit();
    out.code = result.code;
    out.text = result.text;
    if (result.kind == ports::CommitResult::Kind::InDoubt) {
        out.kind = Kind::InDoubt;
    } else if (result.kind == ports::CommitResult::Kind::RolledBack) {
        out.kind = isTransient(result.code) ? Kind::Transient : Kind::SomeHandler;
    }
    return out;
}

}  // namespace

AttemptEnd attempt(Items& items, bool isolating, const AttemptParts& parts) {
    return Attempt(items, isolating, parts).run();
}

bool isTransient(std::string_view sqlState) noexcept {
    static constexpr std::array states = {std::string_view("40001"), std::string_view("40P01"),
                                          std::string_view("55P03")};
    static constexpr std::array classes = {std::string_view("08"), std::string_view("53"), std::string_view("57P")};
    return std::find(states.begin(), states.end(), sqlState) != states.end() ||
           std::any_of(classes.begin(), classes.end(), [&](auto prefix) { return sqlState.starts_with(prefix); });
}

ports::TelemetryBatch telemetryOf(const Items& items, const Options& options, Clock& clock) {
    ports::TelemetryBatch batch;
    batch.at = clock.now();
    batch.worker = options.worker;
    const auto steady = clock.steady();
    for (const auto& item : items) {
        if (!item.included()) {
            continue;
        }
        const auto [outcome, duplicate] = outcomeOf(item);
        ++batch.counts.of(outcome);
        const auto latency = std::chrono::duration_cast<Duration>(steady - item.polledAt);
        if (outcome == Outcome::Processed) {
            batch.latency.add(latency);
            continue;
        }
        if (duplicate) {
            ++batch.counts.of(duplicate->kind);
        }
        auto event = eventOf(item, options, batch.at);
        event.outcome = toText(outcome);
        event.latency = latency;
        if (duplicate) {
            event.kind = duplicate->kind;
            event.identicalContent = duplicate->identical;
            if (item.first && item.first->processedAt) {
                event.sinceFirstProcessed = batch.at - *item.first->processedAt;
            }
        }
        batch.events.push_back(std::move(event));
    }
    return batch;
}

}  // namespace redeliver::consumer
