// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/delivery_log.h"

#include "core/base/text.h"

#include <fmt/format.h>

namespace redeliver::consumer {

LogLevel levelOf(const DeliveryEvent& event) noexcept {
    if (event.outcome == toText(Outcome::Rejected) || event.outcome == "stopped") {
        return LogLevel::Error;
    }
    for (const Outcome fine : {Outcome::Processed, Outcome::Duplicate, Outcome::Stale, Outcome::NotAddressed}) {
        if (event.outcome == toText(fine)) {
            return LogLevel::Info;
        }
    }
    return LogLevel::Warn;
}

std::string deliveryLine(const DeliveryEvent& event) {
    std::string line;
    appendLogfmt(line, "consumer", event.consumer.value());
    appendLogfmt(line, "message_id", event.messageId ? event.messageId->value() : std::string());
    appendLogfmt(line, "outcome", event.outcome);
    if (event.kind) {
        appendLogfmt(line, "kind", toText(*event.kind));
    }
    if (event.at_record) {
        appendLogfmt(line, "topic", event.at_record->topic.value());
        appendLogfmt(line, "partition", fmt::format("{}", event.at_record->partition.value()));
        appendLogfmt(line, "offset", fmt::format("{}", event.at_record->offset.value()));
    }
    appendLogfmt(line, "worker", event.worker.value());
    if (event.attempt != 1) {
        appendLogfmt(line, "attempt", fmt::format("{}", event.attempt));
    }
    if (event.latency) {
        appendLogfmt(line, "latency_ms", fmt::format("{:.3f}", static_cast<double>(event.latency->count()) / 1000.0));
    }
    if (event.identicalContent) {
        appendLogfmt(line, "content", *event.identicalContent ? "identical" : "different");
    }
    if (event.replay) {
        appendLogfmt(line, "replay", event.replay->value());
    }
    if (!event.errorCode.empty()) {
        appendLogfmt(line, "error_code", event.errorCode);
    }
    if (!event.errorText.empty()) {
        appendLogfmt(line, "error", event.errorText);
    }
    return line;
}

void logDelivery(const DeliveryEvent& event) {
    log(levelOf(event), deliveryLine(event));
}

}  // namespace redeliver::consumer
