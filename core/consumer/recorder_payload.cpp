// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/recorder.h"

#include <nlohmann/json.hpp>

namespace redeliver::consumer {
namespace {

using nlohmann::json;

std::int64_t micros(TimePoint at) {
    return at.time_since_epoch().count();
}

json toJson(const DeliveryEvent& event) {
    json out = {{"at", micros(event.at)},         {"consumer", event.consumer.value()}, {"outcome", event.outcome},
                {"worker", event.worker.value()}, {"attempt", event.attempt},           {"code", event.errorCode},
                {"text", event.errorText}};
    if (event.kind) {
        out["kind"] = std::string(toText(*event.kind));
    }
    if (event.messageId) {
        out["id"] = event.messageId->value();
    }
    if (event.at_record) {
        const auto& at = *event.at_record;
        out["record"] = {at.cluster.value(), at.topic.value(), at.partition.value(), at.offset.value()};
    }
    if (event.latency) {
        out["latency"] = event.latency->count();
    }
    if (event.replay) {
        out["replay"] = event.replay->value();
    }
    return out;
}

DeliveryEvent eventOf(const json& in) {
    DeliveryEvent event;
    event.at = TimePoint(Duration(in.at("at").get<std::int64_t>()));
    event.consumer = ConsumerName{in.at("consumer").get<std::string>()};
    event.outcome = in.at("outcome").get<std::string>();
    event.worker = WorkerName{in.at("worker").get<std::string>()};
    event.attempt = in.at("attempt").get<int>();
    event.errorCode = in.at("code").get<std::string>();
    event.errorText = in.at("text").get<std::string>();
    if (in.contains("kind")) {
        event.kind = parseDuplicateKind(in.at("kind").get<std::string>());
    }
    if (in.contains("id")) {
        event.messageId = MessageId{in.at("id").get<std::string>()};
    }
    if (in.contains("record")) {
        const auto& at = in.at("record");
        event.at_record = Coordinates{ClusterId{at.at(0).get<std::string>()}, Topic{at.at(1).get<std::string>()},
                                      Partition{at.at(2).get<std::int32_t>()}, Offset{at.at(3).get<std::int64_t>()}};
    }
    if (in.contains("latency")) {
        event.latency = Duration(in.at("latency").get<std::int64_t>());
    }
    if (in.contains("replay")) {
        event.replay = ReplayId{in.at("replay").get<std::string>()};
    }
    return event;
}

}  // namespace

std::string toPayload(const ports::TelemetryBatch& batch) {
    json out = {{"at", micros(batch.at)},
                {"worker", batch.worker.value()},
                {"outcomes", batch.counts.outcomes},
                {"duplicates", batch.counts.duplicates},
                {"ack_failed", batch.counts.ackFailed},
                {"in_doubt", batch.counts.inDoubt},
                {"events", json::array()}};
    for (const auto& event : batch.events) {
        out["events"].push_back(toJson(event));
    }
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<ports::TelemetryBatch> fromPayload(const std::string& payload) {
    try {
        const auto in = json::parse(payload);
        ports::TelemetryBatch batch;
        batch.at = TimePoint(Duration(in.at("at").get<std::int64_t>()));
        batch.worker = WorkerName{in.at("worker").get<std::string>()};
        batch.counts.outcomes = in.at("outcomes").get<decltype(batch.counts.outcomes)>();
        batch.counts.duplicates = in.at("duplicates").get<decltype(batch.counts.duplicates)>();
        batch.counts.ackFailed = in.at("ack_failed").get<std::int64_t>();
        batch.counts.inDoubt = in.at("in_doubt").get<std::int64_t>();
        for (const auto& event : in.at("events")) {
            batch.events.push_back(eventOf(event));
        }
        return batch;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

}  // namespace redeliver::consumer
