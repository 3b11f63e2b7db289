// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/dead_letter.h"

#include <algorithm>
#include <array>

namespace redeliver::consumer {
namespace {

constexpr std::size_t longestReason = 2000;  // a header may not make the record too large for its topic

bool oursAndOlder(const Header& candidate) {
    static constexpr std::array names = {
        header::source, header::sourceTimestamp,    header::only,    header::target, header::error, header::errorCode,
        header::origin, header::deadLetterConsumer, header::attempts};
    return std::find(names.begin(), names.end(), candidate.name) != names.end();
}

std::string cut(const std::string& text) {
    if (text.size() <= longestReason) {
        return text;
    }
    std::size_t end = longestReason;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
        --end;
    }
    return text.substr(0, end);
}

}  // namespace

OutgoingRecord deadLetterOf(const ConsumerInfo& consumer, const ClusterId& cluster, const Record& record,
                            const Rejection& why) {
    OutgoingRecord out;
    out.topic = consumer.deadLetter.value_or(Topic{});
    out.key = record.key;
    out.value = record.value;
    const auto origin = lastHeader(record, header::origin);
    const auto source = lastHeader(record, header::source);
    std::copy_if(record.headers.begin(), record.headers.end(), std::back_inserter(out.headers),
                 [](const Header& candidate) { return !oursAndOlder(candidate); });
    const auto add = [&](std::string_view name, std::string value) {
        out.headers.push_back({std::string(name), std::move(value)});
    };
    add(header::source, toText(Coordinates{cluster, record.tp.topic, record.tp.partition, record.offset}));
    if (origin || source) {
        add(header::origin, std::string(origin ? *origin : *source));
    }
    if (record.timestamp) {
        add(header::sourceTimestamp, toRfc3339(*record.timestamp));
    }
    add(header::deadLetterConsumer, consumer.name.value());
    add(header::errorCode, why.code);
    add(header::error, cut(why.text));
    add(header::attempts, std::to_string(why.attempts));
    return out;
}

}  // namespace redeliver::consumer
