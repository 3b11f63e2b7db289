// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/item.h"

#include "core/model/content_hash.h"

namespace redeliver::consumer {

Item prepare(Record record, SteadyTime polledAt, const ClusterId& cluster, const Options& options,
             const Identify& identify) {
    Item item;
    item.polledAt = polledAt;
    item.at = {cluster, record.tp.topic, record.tp.partition, record.offset};
    item.replay = replayOf(record);
    auto identity = identify(record);
    item.id = std::move(identity.id);
    if (!addressedTo(options.consumer, record)) {
        item.fate = Item::Fate::NotAddressed;
    } else if (!item.id) {
        item.fate = Item::Fate::Rejected;
        item.why = {"no-identity", std::move(identity.reason), 1};
    } else {
        item.hash = contentHash(record);
    }
    item.record = std::move(record);
    return item;
}

ItemOutcome outcomeOf(const Item& item) {
    if (item.fate == Item::Fate::NotAddressed) {
        return {Outcome::NotAddressed, std::nullopt};
    }
    if (item.fate == Item::Fate::Rejected) {
        return {Outcome::Rejected, std::nullopt};
    }
    if (item.isNew && item.answer.verdict == Answer::Verdict::AlreadyDone) {
        const auto kind = item.replay ? DuplicateKind::Replayed : DuplicateKind::Unknown;
        return {Outcome::Duplicate, DuplicateFacts{kind, std::nullopt}};
    }
    if (item.isNew) {
        const bool stale = item.answer.verdict == Answer::Verdict::Stale;
        return {stale ? Outcome::Stale : Outcome::Processed, std::nullopt};
    }
    return {Outcome::Duplicate,
            judgeDuplicate(item.first.value_or(FirstCopy{}), item.at, item.hash, item.replay.has_value())};
}

DeliveryEvent eventOf(const Item& item, const Options& options, TimePoint at) {
    DeliveryEvent event;
    event.at = at;
    event.consumer = options.consumer.name;
    event.worker = options.worker;
    event.messageId = item.id;
    event.at_record = item.at;
    event.attempt = item.attempt;
    event.replay = item.replay;
    if (item.fate == Item::Fate::Rejected) {
        event.errorCode = item.why.code;
        event.errorText = item.why.text;
        event.attempt = item.why.attempts;
    }
    return event;
}

void excludeFrom(Items& items, std::size_t index) {
    const auto& tp = items[index].record.tp;
    for (std::size_t i = index; i < items.size(); ++i) {
        if (items[i].record.tp == tp) {
            items[i].fate = Item::Fate::Excluded;
        }
    }
}

}  // namespace redeliver::consumer
