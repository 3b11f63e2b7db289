// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/telemetry_sql.h"

#include "core/base/text.h"
#include "core/postgres/event_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace redeliver::postgres {
namespace {

using Texts = std::vector<std::optional<std::string>>;

// Length of a valid UTF-8 sequence at the front, 0 when there is none.
std::size_t sequenceLength(std::string_view text) {
    for (std::size_t n = 1; n <= std::min<std::size_t>(4, text.size()); ++n) {
        if (isValidUtf8(text.substr(0, n))) {
            return n;
        }
    }
    return 0;
}

std::optional<std::string> orNothing(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(cleanText(text));
}

}  // namespace

std::string cleanText(std::string_view text, std::size_t most) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = text.front() == '\0' ? 0 : sequenceLength(text);
        const std::string_view part = length == 0 ? std::string_view{"?"} : text.substr(0, length);
        if (out.size() + part.size() > most) {
            break;
        }
        out += part;
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

SqlParams addCountsParams(const ConsumerName& consumer, const WorkerName& worker, TimePoint at, const Counts& counts,
                          const Histogram& latency) {
    std::vector<std::int64_t> numbers(counts.outcomes.begin(), counts.outcomes.end());
    numbers.insert(numbers.end(), counts.duplicates.begin(), counts.duplicates.end());
    numbers.insert(numbers.end(), {counts.ackFailed, counts.inDoubt});
    std::vector<std::int64_t> slots;
    std::vector<std::int64_t> slotCounts;
    for (const auto& [slot, n] : latency.slots()) {
        slots.push_back(slot);
        slotCounts.push_back(n);
    }
    SqlParams params;
    params.add(consumer.value()).add(worker.value()).add(at);
    params.addArray(numbers).addArray(slots).addArray(slotCounts);
    return params;
}

const Sql addEvents{
    "telemetry.add_events",
    "INSERT INTO :schema.delivery_events (at, consumer_name, outcome, kind, message_id, cluster_id, topic, partition, "
    "\"offset\", worker, attempt, error_code, error_text, latency, since_first_processed, replay_id, "
    "identical_content) "
    "SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], "
    "$8::int[], $9::bigint[], $10::text[], $11::int[], $12::text[], $13::text[], $14::interval[], $15::interval[], "
    "$16::uuid[], $17::boolean[])"};

SqlParams addEventsParams(std::span<const DeliveryEvent> events) {
    SqlParams params;
    const auto column = [&](const std::function<std::optional<std::string>(const DeliveryEvent&)>& value) {
        Texts texts;
        texts.reserve(events.size());
        std::ranges::transform(events, std::back_inserter(texts), value);
        params.addArray(texts);
    };
    const auto ofRecord = [&](auto part) {
        column(
            [part](const DeliveryEvent& e) { return e.at_record ? std::optional(part(*e.at_record)) : std::nullopt; });
    };
    const auto span = [](const std::optional<Duration>& d) {
        return d ? std::optional(intervalText(*d)) : std::nullopt;
    };
    column([](const DeliveryEvent& e) { return timeText(e.at); });
    column([](const DeliveryEvent& e) { return e.consumer.value(); });
    column([](const DeliveryEvent& e) { return e.outcome; });
    column([](const DeliveryEvent& e) { return e.kind ? std::optional(std::string{toText(*e.kind)}) : std::nullopt; });
    column([](const DeliveryEvent& e) { return e.messageId ? std::optional(e.messageId->value()) : std::nullopt; });
    ofRecord([](const Coordinates& at) { return at.cluster.value(); });
    ofRecord([](const Coordinates& at) { return at.topic.value(); });
    ofRecord([](const Coordinates& at) { return fmt::format("{}", at.partition.value()); });
    ofRecord([](const Coordinates& at) { return fmt::format("{}", at.offset.value()); });
    column([](const DeliveryEvent& e) { return e.worker.value(); });
    column([](const DeliveryEvent& e) { return fmt::format("{}", e.attempt); });
    column([](const DeliveryEvent& e) { return orNothing(e.errorCode); });
    column([](const DeliveryEvent& e) { return orNothing(e.errorText); });
    column([&](const DeliveryEvent& e) { return span(e.latency); });
    column([&](const DeliveryEvent& e) { return span(e.sinceFirstProcessed); });
    column([](const DeliveryEvent& e) { return e.replay ? uuidText(e.replay->value()) : std::nullopt; });
    column([](const DeliveryEvent& e) {
        return e.identicalContent ? std::optional(std::string{*e.identicalContent ? "t" : "f"}) : std::nullopt;
    });
    return params;
}

std::string eventColumns(std::string_view alias) {
    return fmt::format(
        "{1}, {0}consumer_name, {0}outcome, {0}kind, {0}message_id, {0}cluster_id, {0}topic, {0}partition, "
        "{0}\"offset\", {0}worker, {0}attempt, {0}error_code, {0}error_text, {2}, {3}, {0}replay_id, "
        "{0}identical_content",
        alias, microsOf(fmt::format("{}at", alias)), microsOf(fmt::format("{}latency", alias)),
        microsOf(fmt::format("{}since_first_processed", alias)));
}

DeliveryEvent readEvent(const pqxx::row& row, pqxx::row::size_type first) {
    const auto at = [&](pqxx::row::size_type i) { return row[first + i]; };
    DeliveryEvent event;
    event.at = timeOf(at(0));
    event.consumer = ConsumerName{textOf(at(1))};
    event.outcome = textOf(at(2));
    event.kind = parseDuplicateKind(maybeText(at(3)).value_or(""));
    if (auto id = maybeText(at(4))) {
        event.messageId = MessageId{std::move(*id)};
    }
    event.at_record = readCoordinates(row, first + 5);
    event.worker = WorkerName{textOf(at(9))};
    event.attempt = int32Of(at(10));
    event.errorCode = maybeText(at(11)).value_or("");
    event.errorText = maybeText(at(12)).value_or("");
    event.latency = maybeDuration(at(13));
    event.sinceFirstProcessed = maybeDuration(at(14));
    if (auto replay = maybeText(at(15))) {
        event.replay = ReplayId{std::move(*replay)};
    }
    event.identicalContent = maybeBool(at(16));
    return event;
}

std::optional<Coordinates> readCoordinates(const pqxx::row& row, pqxx::row::size_type first) {
    const auto topic = maybeText(row[first + 1]);
    const auto partition = maybeInt32(row[first + 2]);
    const auto offset = maybeInt64(row[first + 3]);
    if (!topic || !partition || !offset) {
        return std::nullopt;
    }
    return Coordinates{ClusterId{maybeText(row[first]).value_or("")}, Topic{*topic}, Partition{*partition},
                       Offset{*offset}};
}

}  // namespace redeliver::postgres
