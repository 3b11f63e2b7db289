// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/duplicate.h"

#include <algorithm>

namespace redeliver::consumer {
namespace {

constexpr std::size_t uuidLength = 36;

bool isUuid(std::string_view text) noexcept {
    if (text.size() != uuidLength) {
        return false;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        const char c = text[i];
        const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (dash ? c != '-' : !hex) {
            return false;
        }
    }
    return true;
}

}  // namespace

FirstCopy firstCopy(const ports::ExistingMarker& existing) {
    return {existing.marker.at, existing.marker.contentHash.value_or(std::string()), existing.marker.processedAt,
            existing.concurrent};
}

DuplicateFacts judgeDuplicate(const FirstCopy& first, const Coordinates& at, const std::string& hash, bool replayed) {
    DuplicateFacts facts;
    if (replayed) {
        facts.kind = DuplicateKind::Replayed;
    } else if (first.concurrent) {
        facts.kind = DuplicateKind::Concurrent;
    } else if (!first.at) {
        facts.kind = DuplicateKind::Unknown;
    } else if (sameRecord(*first.at, at)) {
        facts.kind = DuplicateKind::Redelivered;
    } else {
        facts.kind = DuplicateKind::PublishedAgain;
    }
    const bool otherCopy = !first.at || !sameRecord(*first.at, at);
    if (otherCopy && !first.contentHash.empty() && !hash.empty()) {
        facts.identical = first.contentHash == hash;
    }
    return facts;
}

std::optional<ReplayId> replayOf(const Record& record) {
    const auto value = lastHeader(record, header::replay);
    if (!value || !isUuid(*value)) {
        return std::nullopt;
    }
    return ReplayId{std::string(*value)};
}

bool addressedTo(const ConsumerInfo& consumer, const Record& record) {
    const auto only = lastHeader(record, header::only);
    if (!only) {
        return true;
    }
    const auto target = lastHeader(record, header::target);
    if (!target || *target != record.tp.topic.value()) {
        return true;
    }
    const auto named = [&](const ConsumerName& name) { return name.value() == *only; };
    return named(consumer.name) || std::any_of(consumer.formerly.begin(), consumer.formerly.end(), named);
}

}  // namespace redeliver::consumer
