// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/provenance.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace redeliver::replay {
namespace {

constexpr std::array<std::string_view, 6> ourHeaders{header::replay,          header::source, header::origin,
                                                     header::sourceTimestamp, header::only,   header::target};

constexpr std::array<std::string_view, 5> attemptHeaders{"retry_topic-*", "kafka_deliveryAttempt*", "*-attempts",
                                                         "x-retry-count*", "*retry-count*"};
constexpr std::array<std::string_view, 4> deadLetterHeaders{"kafka_dlt-*", "__connect.errors.*", "x-death*",
                                                            "x-exception*"};
constexpr std::array<std::string_view, 4> traceHeaders{"traceparent", "tracestate", "b3", "x-b3-*"};

// Wildcards * and ?; linear in practice, the classic two-pointer way.
bool matches(std::string_view text, std::string_view pattern) {
    std::size_t t = 0;
    std::size_t p = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

bool matchesAny(std::string_view name, std::span<const std::string_view> patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view one) { return matches(name, one); });
}

std::optional<std::int64_t> numberOf(std::optional<std::string_view> bytes) {
    if (!bytes) {
        return std::nullopt;
    }
    if (const auto text = toInt64(*bytes)) {
        return text;
    }
    if (bytes->size() != 4 && bytes->size() != 8) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    for (const char byte : *bytes) {
        value = (value << 8U) | static_cast<unsigned char>(byte);
    }
    return bytes->size() == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                              : static_cast<std::int64_t>(value);
}

std::optional<Coordinates> threeHeaders(const Record& record, std::string_view topic, std::string_view partition,
                                        std::string_view offset) {
    const auto name = lastHeader(record, topic);
    const auto number = numberOf(lastHeader(record, partition));
    const auto position = numberOf(lastHeader(record, offset));
    if (!name || name->empty() || !number || !position || *number < 0 || *position < 0 ||
        *number > std::numeric_limits<std::int32_t>::max()) {
        return std::nullopt;
    }
    return Coordinates{{}, Topic{std::string(*name)}, Partition{static_cast<std::int32_t>(*number)}, Offset{*position}};
}

bool hasHeader(const Record& record, std::string_view name) {
    return std::any_of(record.headers.begin(), record.headers.end(), [&](const Header& h) { return h.name == name; });
}

}  // namespace

std::optional<Coordinates> parseCoordinates(std::string_view text) {
    const std::size_t second = text.rfind('/');
    if (second == std::string_view::npos || second == 0) {
        return std::nullopt;
    }
    const std::size_t first = text.rfind('/', second - 1);
    if (first == std::string_view::npos || first == 0) {
        return std::nullopt;
    }
    const auto partition = toInt64(text.substr(first + 1, second - first - 1));
    const auto offset = toInt64(text.substr(second + 1));
    if (!partition || !offset || *partition < 0 || *offset < 0 ||
        *partition > std::numeric_limits<std::int32_t>::max()) {
        return std::nullopt;
    }
    return Coordinates{{},
                       Topic{std::string(text.substr(0, first))},
                       Partition{static_cast<std::int32_t>(*partition)},
                       Offset{*offset}};
}

Provenance provenanceOf(const Record& record) {
    Provenance found;
    const bool hasOrigin = hasHeader(record, header::origin);
    if (hasOrigin || hasHeader(record, header::source)) {
        found.isCopy = true;
        const auto text = lastHeader(record, hasOrigin ? header::origin : header::source);
        found.origin = text ? parseCoordinates(*text) : std::nullopt;
        const auto stamp = lastHeader(record, header::sourceTimestamp);
        if (!hasOrigin && stamp) {
            // The stamp is the direct source's; of an older ancestor no time is known.
            const auto at = parseRfc3339(*stamp);
            found.originTimestamp = at ? std::optional(*at) : std::nullopt;
        }
        return found;
    }
    constexpr std::string_view spring = "kafka_dlt-original-topic";
    constexpr std::string_view connect = "__connect.errors.topic";
    if (hasHeader(record, spring)) {
        found.isCopy = true;
        found.origin = threeHeaders(record, spring, "kafka_dlt-original-partition", "kafka_dlt-original-offset");
        if (const auto millis = numberOf(lastHeader(record, "kafka_dlt-original-timestamp")); millis && *millis >= 0) {
            found.originTimestamp = fromUnixMillis(*millis);
        }
    } else if (hasHeader(record, connect)) {
        found.isCopy = true;
        found.origin = threeHeaders(record, connect, "__connect.errors.partition", "__connect.errors.offset");
    }
    return found;
}

bool isDropped(std::string_view name, const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        return pattern == "attempts"      ? matchesAny(name, attemptHeaders)
               : pattern == "dead-letter" ? matchesAny(name, deadLetterHeaders)
               : pattern == "trace"       ? matchesAny(name, traceHeaders)
                                          : matches(name, pattern);
    });
}

Topic targetTopic(const ReplayPlan& plan) {
    if (plan.target == "same") {
        return Topic{plan.topic};
    }
    return Topic{plan.target.starts_with("topic:") ? plan.target.substr(6) : std::string()};
}

OutgoingRecord makeCopy(const Record& record, const ReplayPlan& plan) {
    OutgoingRecord copy;
    copy.topic = targetTopic(plan);
    copy.partition = record.tp.partition;
    copy.key = record.key;
    copy.value = record.value;
    if (plan.options.keepTimestamps) {
        copy.timestamp = record.timestamp;
    }
    for (const Header& one : record.headers) {
        const bool isOurs = std::find(ourHeaders.begin(), ourHeaders.end(), one.name) != ourHeaders.end();
        if (!isOurs && !isDropped(one.name, plan.options.dropHeaders)) {
            copy.headers.push_back(one);
        }
    }
    const auto add = [&](std::string_view name, std::string value) {
        copy.headers.push_back({std::string(name), std::move(value)});
    };
    const std::string source = toText(Coordinates{{}, record.tp.topic, record.tp.partition, record.offset});
    add(header::replay, plan.planId);
    add(header::source, source);
    const Provenance before = provenanceOf(record);
    if (before.origin && toText(*before.origin) != source) {
        add(header::origin, toText(*before.origin));
    }
    if (record.timestamp) {
        add(header::sourceTimestamp, toRfc3339(*record.timestamp));
    }
    if (!plan.options.onlyFor.empty()) {
        add(header::only, plan.options.onlyFor);
        add(header::target, copy.topic.value());
    }
    return copy;
}

}  // namespace redeliver::replay
