// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace redeliver {
namespace {

constexpr std::string_view base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Length of the well-formed UTF-8 sequence at the front, or 0 (Unicode 15, table 3-7).
std::size_t sequenceLength(std::string_view bytes) noexcept {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned char lead = at(0);
    if (lead < 0x80) {
        return 1;
    }
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || bytes.size() < length) {
        return 0;
    }
    const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (at(1) < low || at(1) > high) {
        return 0;
    }
    for (std::size_t i = 2; i < length; ++i) {
        if (at(i) < 0x80 || at(i) > 0xbf) {
            return 0;
        }
    }
    return length;
}

}  // namespace

bool isValidUtf8(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const std::size_t length = sequenceLength(bytes);
        if (length == 0) {
            return false;
        }
        bytes.remove_prefix(length);
    }
    return true;
}

std::string toHex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        hex += digits[static_cast<unsigned char>(byte) >> 4U];
        hex += digits[static_cast<unsigned char>(byte) & 0xfU];
    }
    return hex;
}

std::string toBase64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = (group << 8U) | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= have ? base64Digits[(group >> (18U - 6U * k)) & 0x3fU] : '=';
        }
    }
    return text;
}

std::optional<std::string> fromBase64(std::string_view text) {
    while (!text.empty() && text.back() == '=') {
        text.remove_suffix(1);
    }
    std::string bytes;
    std::uint32_t group = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const std::size_t digit = base64Digits.find(c);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        group = (group << 6U) | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes += static_cast<char>((group >> bits) & 0xffU);
        }
    }
    if (text.size() % 4 == 1) {
        return std::nullopt;
    }
    return bytes;
}

std::optional<std::int64_t> toInt64(std::string_view text) noexcept {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

std::optional<double> toDouble(std::string_view text) noexcept {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

void appendLogfmt(std::string& line, std::string_view key, std::string_view value) {
    if (!line.empty()) {
        line += ' ';
    }
    line.append(key).push_back('=');
    const auto isPlain = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte > ' ' && byte != '"' && byte != '=' && byte != '\\' && byte != 0x7f;
    };
    bool plain = !value.empty() && isValidUtf8(value);
    for (const char c : value) {
        plain = plain && isPlain(c);
    }
    if (plain) {
        line += value;
        return;
    }
    line += '"';
    while (!value.empty()) {
        const std::size_t length = sequenceLength(value);
        const char c = value.front();
        const auto byte = static_cast<unsigned char>(c);
        if (length == 0 || byte < ' ' || byte == 0x7f) {
            line.append(c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : "\\x" + toHex(value.substr(0, 1)));
        } else if (c == '"' || c == '\\') {
            line.append({'\\', c});
        } else {
            line.append(value.substr(0, length));
        }
        value.remove_prefix(std::max<std::size_t>(length, 1));
    }
    line += '"';
}

}  // namespace redeliver
