// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/records_json.h"

#include "core/base/text.h"

#include <fmt/format.h>

namespace redeliver::ctl {

Json jsonOf(const Record& record) {
    Json headers = Json::array();
    for (const Header& header : record.headers) {
        headers.push_back({{"name", header.name}, {"value", bytesOf(header.value)}});
    }
    return {{"partition", record.tp.partition.value()}, {"offset", record.offset.value()},
            {"timestamp", jsonOf(record.timestamp)},    {"key", bytesOf(record.key)},
            {"value", bytesOf(record.value)},           {"headers", std::move(headers)}};
}

Json jsonOf(const Coordinates& at) {
    return {{"cluster_id", at.cluster.value().empty() ? Json(nullptr) : Json(at.cluster.value())},
            {"topic", at.topic.value()},
            {"partition", at.partition.value()},
            {"offset", at.offset.value()}};
}

std::string preview(const std::optional<std::string>& bytes, std::size_t most) {
    if (!bytes) {
        return "null";
    }
    if (bytes->empty()) {
        return "\"\"";
    }
    std::size_t cut = std::min(bytes->size(), most);
    while (cut < bytes->size() && cut > 0 && (static_cast<unsigned char>((*bytes)[cut]) & 0xC0U) == 0x80U) {
        --cut;
    }
    const std::string rest = cut < bytes->size() ? fmt::format("… ({} bytes)", bytes->size()) : std::string{};
    const std::string_view part{bytes->data(), cut};
    return (isValidUtf8(part) ? printable(part) : "0x" + toHex(part.substr(0, most / 2))) + rest;
}

}  // namespace redeliver::ctl
