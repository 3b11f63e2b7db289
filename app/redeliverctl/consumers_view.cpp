// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/consumers_view.h"

#include <fmt/format.h>

namespace redeliver::ctl {
namespace {

template <class T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

// null and why, or the value and null.
void put(Json& item, const std::string& key, Json value, const std::string& reason) {
    const bool known = !value.is_null();
    item[key] = std::move(value);
    item[key + "_reason"] = known ? Json(nullptr) : Json(reason);
}

std::string spanText(const std::optional<std::chrono::seconds>& span) {
    return span ? toSpanText(*span) : std::string{"—"};
}

}  // namespace

Json jsonOf(const ConsumerRow& row) {
    const std::string nothing = "no deliveries in the range";
    Json item{{"consumer", row.info.name.value()},
              {"state", toText(row.state)},
              {"state_text", row.stateText},
              {"rate", row.rate}};
    put(item, "duplicate_rate", orNull(row.duplicateRate), nothing);
    put(item, "usual_rate", row.usual ? Json(row.usual->median) : Json(nullptr), row.usualReason);
    item["usual_spread"] = row.usual ? Json(row.usual->spread) : Json(nullptr);
    item["failures"] = row.counts.of(Outcome::TransactionFailed);
    item["deliveries"] = row.counts.deliveries();
    item["processed"] = row.counts.of(Outcome::Processed);
    item["duplicates"] = row.counts.of(Outcome::Duplicate);
    item["rejected"] = row.counts.of(Outcome::Rejected);
    item["ack_failed"] = row.counts.ackFailed;
    item["in_doubt"] = row.counts.inDoubt;
    put(item, "p50_s", secondsOf(row.p50), nothing);
    put(item, "p95_s", secondsOf(row.p95), nothing);
    put(item, "p99_s", secondsOf(row.p99), nothing);
    item["lag"] = orNull(row.lag.value);
    item["lag_reason"] = row.lag.reason.empty() ? Json(nullptr) : Json(row.lag.reason);
    put(item, "marker_retention_s", secondsOf(row.info.markerRetention), "not declared");
    put(item, "replay_horizon_s", secondsOf(row.info.replayHorizon), "not declared");
    put(item, "last_delivery", jsonOf(row.lastDelivery), "nothing was ever reported");
    item["group"] = row.info.group ? Json(row.info.group->value()) : Json(nullptr);
    Json topics = Json::array();
    for (const Topic& topic : row.info.topics) {
        topics.push_back(topic.value());
    }
    item["topics"] = std::move(topics);
    item["stopped_partitions"] = row.stopped.size();
    return item;
}

std::string tableOf(const Snapshot& snapshot) {
    using Align = Table::Align;
    Table table{{{"CONSUMER"},
                 {"STATE"},
                 {"RATE/S", Align::Right},
                 {"DUPLICATES", Align::Right},
                 {"USUAL", Align::Right},
                 {"FAILED", Align::Right},
                 {"P50", Align::Right},
                 {"P95", Align::Right},
                 {"P99", Align::Right},
                 {"LAG", Align::Right},
                 {"KEPT", Align::Right},
                 {"HORIZON", Align::Right}}};
    std::string sentences;
    for (const ConsumerRow& row : snapshot.consumers) {
        table.row({printable(row.info.name.value()), std::string{toText(row.state)}, fmt::format("{:.2f}", row.rate),
                   percentOf(row.duplicateRate), percentOf(row.usual ? std::optional(row.usual->median) : std::nullopt),
                   fmt::format("{}", row.counts.of(Outcome::TransactionFailed)), textOf(row.p50), textOf(row.p95),
                   textOf(row.p99), row.lag.value ? fmt::format("{}", *row.lag.value) : std::string{"—"},
                   spanText(row.info.markerRetention), spanText(row.info.replayHorizon)});
        if (row.state < ConsumerState::Usual) {
            sentences += fmt::format("{}: {}\n", row.info.name.value(), printable(row.stateText));
        }
        if (!row.lag.reason.empty()) {
            sentences += fmt::format("{}: lag {}\n", row.info.name.value(), printable(row.lag.reason));
        }
    }
    if (table.empty()) {
        return "No consumer is known yet: none registered, none reported, none in the profile.\n";
    }
    return table.text() + (sentences.empty() ? "" : "\n" + sentences);
}

}  // namespace redeliver::ctl
