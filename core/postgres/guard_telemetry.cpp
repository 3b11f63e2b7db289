// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "core/postgres/guard_sql.h"
#include "core/postgres/guard_transaction.h"

#include <array>

namespace redeliver::postgres {
namespace {

using Texts = std::vector<std::optional<std::string>>;

constexpr auto bucketLength = std::chrono::seconds(10);

// What a foreign error text may contain, the column may not.
std::string storable(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == '\0' ? ' ' : c;
    }
    return isValidUtf8(out) ? out : toHex(out);
}

std::optional<std::string> orNull(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(storable(text));
}

std::optional<std::string> spanText(const std::optional<Duration>& span) {
    return span ? std::optional(intervalText(*span)) : std::nullopt;
}

}  // namespace

void writeEvents(PinnedTransaction& transaction, const std::vector<DeliveryEvent>& events) {
    if (events.empty()) {
        return;
    }
    std::array<Texts, 17> columns;
    for (const auto& event : events) {
        std::size_t column = 0;
        const auto add = [&](std::optional<std::string> text) { columns[column++].push_back(std::move(text)); };
        const auto& at = event.at_record;
        add(timeText(event.at));
        add(event.consumer.value());
        add(event.outcome);
        add(event.kind ? std::optional(std::string(toText(*event.kind))) : std::nullopt);
        add(event.messageId ? std::optional(event.messageId->value()) : std::nullopt);
        add(at ? std::optional(at->cluster.value()) : std::nullopt);
        add(at ? std::optional(at->topic.value()) : std::nullopt);
        add(at ? std::optional(std::to_string(at->partition.value())) : std::nullopt);
        add(at ? std::optional(std::to_string(at->offset.value())) : std::nullopt);
        add(event.worker.value());
        add(std::to_string(event.attempt));
        add(orNull(event.errorCode));
        add(orNull(event.errorText));
        add(spanText(event.latency));
        add(spanText(event.sinceFirstProcessed));
        add(event.replay ? std::optional(event.replay->value()) : std::nullopt);
        add(event.identicalContent ? std::optional(std::string(*event.identicalContent ? "t" : "f")) : std::nullopt);
    }
    SqlParams params;
    for (const auto& column : columns) {
        params.addArray(column);
    }
    transaction.run(guard_sql::events, params);
}

void writeTelemetry(PinnedTransaction& transaction, const ConsumerName& consumer, const ports::TelemetryBatch& batch) {
    const auto& counts = batch.counts;
    if (counts != Counts{} || batch.latency.count() > 0) {
        const auto since = batch.at.time_since_epoch();
        SqlParams params;
        params.add(consumer.value()).add(batch.worker.value()).add(TimePoint(since - since % bucketLength));
        for (const auto count : counts.outcomes) {
            params.add(count);
        }
        for (const auto count : counts.duplicates) {
            params.add(count);
        }
        params.add(counts.ackFailed).add(counts.inDoubt);
        std::vector<std::int64_t> slots;
        std::vector<std::int64_t> entries;
        for (const auto& [slot, count] : batch.latency.slots()) {
            slots.push_back(slot);
            entries.push_back(count);
        }
        params.addArray(slots).addArray(entries);
        transaction.run(guard_sql::counts, params);
    }
    writeEvents(transaction, batch.events);
}

}  // namespace redeliver::postgres
