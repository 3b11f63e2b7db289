// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/values.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <fmt/format.h>

#include <limits>

namespace redeliver::postgres {
namespace {

Error doesNotFit(const pqxx::field& field, std::string_view wanted) {
    const std::string_view value = field.is_null() ? "NULL" : shim::fieldText(field);
    return {ErrorKind::Internal, fmt::format("column {} is not {}: {}", field.name(), wanted, value.substr(0, 80))};
}

std::string_view required(const pqxx::field& field, std::string_view wanted) {
    if (field.is_null()) {
        throw doesNotFit(field, wanted);
    }
    return shim::fieldText(field);
}

int hexDigit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return -1;
}

// One element of an array literal; `rest` begins at it and ends behind it.
std::optional<std::string> element(std::string_view& rest) {
    std::string out;
    if (rest.front() != '"') {
        const auto end = rest.find_first_of(",}");
        out = rest.substr(0, end);
        rest.remove_prefix(end);
        return out == "NULL" ? std::nullopt : std::optional(out);
    }
    rest.remove_prefix(1);
    while (!rest.empty() && rest.front() != '"') {
        if (rest.front() == '\\' && rest.size() > 1) {
            rest.remove_prefix(1);
        }
        out += rest.front();
        rest.remove_prefix(1);
    }
    rest.remove_prefix(rest.empty() ? 0 : 1);
    return out;
}

template <class Read>
auto maybe(const pqxx::field& field, Read read) -> std::optional<decltype(read(field))> {
    return field.is_null() ? std::nullopt : std::optional(read(field));
}

}  // namespace

std::string textOf(const pqxx::field& field) {
    return std::string{required(field, "text")};
}

std::int64_t int64Of(const pqxx::field& field) {
    const auto value = toInt64(required(field, "an integer"));
    if (!value) {
        throw doesNotFit(field, "an integer");
    }
    return *value;
}

std::int32_t int32Of(const pqxx::field& field) {
    const std::int64_t value = int64Of(field);
    if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) {
        throw doesNotFit(field, "a 32-bit integer");
    }
    return static_cast<std::int32_t>(value);
}

double doubleOf(const pqxx::field& field) {
    const auto value = toDouble(required(field, "a number"));
    if (!value) {
        throw doesNotFit(field, "a number");
    }
    return *value;
}

bool boolOf(const pqxx::field& field) {
    const auto text = required(field, "a boolean");
    if (text != "t" && text != "f") {
        throw doesNotFit(field, "a boolean");
    }
    return text == "t";
}

TimePoint timeOf(const pqxx::field& field) {
    return TimePoint{Duration{int64Of(field)}};
}

Duration durationOf(const pqxx::field& field) {
    return Duration{int64Of(field)};
}

std::string bytesOf(const pqxx::field& field) {
    auto text = required(field, "bytea in hex");
    if (text.starts_with("\\x")) {
        text.remove_prefix(2);
    }
    if (text.size() % 2 != 0) {
        throw doesNotFit(field, "bytea in hex");
    }
    std::string out;
    out.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hexDigit(text[i]);
        const int low = hexDigit(text[i + 1]);
        if (high < 0 || low < 0) {
            throw doesNotFit(field, "bytea in hex");
        }
        out += static_cast<char>(high * 16 + low);
    }
    return out;
}

std::vector<std::optional<std::string>> arrayOf(const pqxx::field& field) {
    std::string_view rest = required(field, "an array");
    if (rest.size() < 2 || rest.front() != '{' || rest.back() != '}' || rest.find('{', 1) == 1) {
        throw doesNotFit(field, "an array of one dimension");
    }
    rest.remove_prefix(1);
    std::vector<std::optional<std::string>> out;
    while (rest.size() > 1) {
        out.push_back(element(rest));
        if (!rest.empty() && rest.front() == ',') {
            rest.remove_prefix(1);
        }
    }
    return out;
}

std::vector<std::string> textArrayOf(const pqxx::field& field) {
    std::vector<std::string> out;
    for (auto& value : arrayOf(field)) {
        if (value) {
            out.push_back(std::move(*value));
        }
    }
    return out;
}

std::vector<std::int64_t> int64ArrayOf(const pqxx::field& field) {
    std::vector<std::int64_t> out;
    for (const auto& value : arrayOf(field)) {
        const auto number = value ? toInt64(*value) : std::nullopt;
        if (!number) {
            throw doesNotFit(field, "an array of integers");
        }
        out.push_back(*number);
    }
    return out;
}

std::optional<std::string> maybeText(const pqxx::field& field) {
    return maybe(field, textOf);
}
std::optional<std::int64_t> maybeInt64(const pqxx::field& field) {
    return maybe(field, int64Of);
}
std::optional<std::int32_t> maybeInt32(const pqxx::field& field) {
    return maybe(field, int32Of);
}
std::optional<bool> maybeBool(const pqxx::field& field) {
    return maybe(field, boolOf);
}
std::optional<TimePoint> maybeTime(const pqxx::field& field) {
    return maybe(field, timeOf);
}
std::optional<Duration> maybeDuration(const pqxx::field& field) {
    return maybe(field, durationOf);
}
std::optional<std::string> maybeBytes(const pqxx::field& field) {
    return maybe(field, bytesOf);
}

}  // namespace redeliver::postgres
