// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/canonical_json.h"

#include "core/base/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <vector>

namespace redeliver::replay {
namespace {

using nlohmann::json;

// The order of UTF-16 code units differs from that of bytes only between U+E000..U+FFFF and what lies above.
bool lessUtf16(std::string_view a, std::string_view b) {
    const auto rank = [](char byte) {
        const auto lead = static_cast<unsigned char>(byte);
        return lead >= 0xf0 ? 0xed50 : lead >= 0xee ? 0xee00 + lead : lead * 256;
    };
    const std::size_t common = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < common; ++i) {
        if (a[i] != b[i]) {
            const int left = rank(a[i]);
            const int right = rank(b[i]);
            return left != right ? left < right : static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[i]);
        }
    }
    return a.size() < b.size();
}

void appendString(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        constexpr std::string_view special = "\b\f\n\r\t\"\\";
        constexpr std::string_view names = "bfnrt\"\\";
        const std::size_t which = special.find(c);
        if (which != std::string_view::npos) {
            out += '\\';
            out += names[which];
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    out += '"';
}

bool append(std::string& out, const json& value);

bool appendObject(std::string& out, const json& value) {
    std::vector<std::string> names;
    for (const auto& item : value.items()) {
        names.push_back(item.key());
    }
    std::sort(names.begin(), names.end(), lessUtf16);
    out += '{';
    for (const std::string& name : names) {
        out += out.back() == '{' ? "" : ",";
        appendString(out, name);
        out += ':';
        if (!append(out, value[name])) {
            return false;
        }
    }
    out += '}';
    return true;
}

bool append(std::string& out, const json& value) {
    switch (value.type()) {
        case json::value_t::object:
            return appendObject(out, value);
        case json::value_t::array: {
            out += '[';
            bool first = true;
            for (const json& one : value) {
                out += first ? "" : ",";
                first = false;
                if (!append(out, one)) {
                    return false;
                }
            }
            out += ']';
            return true;
        }
        case json::value_t::string:
            appendString(out, value.get_ref<const std::string&>());
            return true;
        case json::value_t::number_integer:
            out += fmt::format("{}", value.get<std::int64_t>());
            return true;
        case json::value_t::number_unsigned:
            out += fmt::format("{}", value.get<std::uint64_t>());
            return true;
        case json::value_t::boolean:
            out += value.get<bool>() ? "true" : "false";
            return true;
        case json::value_t::null:
            out += "null";
            return true;
        default:
            return false;
    }
}

}  // namespace

Result<std::string> canonicalJson(const json& value) {
    std::string out;
    if (!append(out, value)) {
        return failure({ErrorKind::BadInput, "the document holds a number that is not an integer"});
    }
    return out;
}

std::string sha256Hex(std::string_view bytes) {
    std::array<unsigned char, 32> digest{};
    unsigned length = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
    std::string raw;
    for (const unsigned char byte : digest) {
        raw += static_cast<char>(byte);
    }
    return toHex(raw);
}

}  // namespace redeliver::replay
