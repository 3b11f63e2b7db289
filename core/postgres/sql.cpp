// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/sql.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::postgres {
namespace {

std::string quoted(std::string_view text, char quote) {
    std::string out(1, quote);
    for (const char c : text) {
        if (c == quote) {
            out += quote;
        }
        out += c;
    }
    return out + quote;
}

void appendElement(std::string& out, const std::optional<std::string>& value) {
    if (out.size() > 1) {
        out += ',';
    }
    if (!value) {
        out += "NULL";
        return;
    }
    out += '"';
    for (const char c : *value) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    out += '"';
}

}  // namespace

std::string quoteName(std::string_view name) {
    return quoted(name, '"');
}

std::string quoteLiteral(std::string_view text) {
    // E'' reads backslashes the same way under every standard_conforming_strings.
    std::string escaped;
    for (const char c : text) {
        if (c == '\\') {
            escaped += '\\';
        }
        escaped += c;
    }
    return " E" + quoted(escaped, '\'');
}

std::string withSchema(std::string_view sql, std::string_view schema) {
    constexpr std::string_view placeholder = ":schema";
    const std::string name = quoteName(schema);
    std::string out;
    out.reserve(sql.size() + 64);
    for (auto at = sql.find(placeholder); at != std::string_view::npos; at = sql.find(placeholder)) {
        out.append(sql.substr(0, at)).append(name);
        sql.remove_prefix(at + placeholder.size());
    }
    return out.append(sql);
}

std::string microsOf(std::string_view expression) {
    // numeric from PostgreSQL 14 on, double before: exact to the microsecond in both for any plausible time.
    // CASE: least and greatest pass over a NULL, which must stay one.
    return fmt::format(
        "(CASE WHEN ({0}) IS NOT NULL THEN least(greatest(extract(epoch FROM {0}), -9223372036854), 9223372036854) * "
        "1000000 END)::bigint",
        expression);
}

std::string timeText(TimePoint at) {
    // The years that RFC 3339 can write; nothing of ours lies outside.
    constexpr TimePoint first = std::chrono::sys_days{std::chrono::year{1} / 1 / 1};
    constexpr TimePoint last = std::chrono::sys_days{std::chrono::year{9999} / 12 / 31};
    return toRfc3339(std::clamp(at, first, last), 6);
}

std::string intervalText(Duration span) {
    return fmt::format("{} microseconds", span.count());
}

std::optional<std::string> uuidText(std::string_view text) {
    constexpr std::string_view shape = "00000000-0000-0000-0000-000000000000";
    const auto fits = [](char c, char wanted) {
        return wanted == '-' ? c == '-' : std::string_view{"0123456789abcdefABCDEF"}.find(c) != std::string_view::npos;
    };
    return text.size() == shape.size() && std::ranges::equal(text, shape, fits) ? std::optional<std::string>{text}
                                                                                : std::nullopt;
}

std::string byteaText(std::string_view bytes) {
    return "\\x" + toHex(bytes);
}

std::string arrayText(std::span<const std::optional<std::string>> values) {
    std::string out = "{";
    for (const auto& value : values) {
        appendElement(out, value);
    }
    return out + '}';
}

SqlParams& SqlParams::add(std::string_view text) {
    m_texts.emplace_back(std::in_place, text);
    return *this;
}

SqlParams& SqlParams::add(std::int64_t number) {
    m_texts.emplace_back(fmt::format("{}", number));
    return *this;
}

SqlParams& SqlParams::add(double number) {
    m_texts.emplace_back(fmt::format("{}", number));
    return *this;
}

SqlParams& SqlParams::addNull() {
    m_texts.emplace_back(std::nullopt);
    return *this;
}

SqlParams& SqlParams::addArray(std::span<const std::string> values) {
    std::string out = "{";
    for (const auto& value : values) {
        appendElement(out, value);
    }
    return add(std::string_view{out + '}'});
}

SqlParams& SqlParams::addArray(std::span<const std::int64_t> values) {
    m_texts.emplace_back(fmt::format("{{{}}}", fmt::join(values, ",")));
    return *this;
}

}  // namespace redeliver::postgres
