// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/query/query.h"

#include "core/base/text.h"
#include "core/query/fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::query {
namespace {

bool needsQuotes(std::string_view value) noexcept {
    if (value.empty() || value == "absent" || value.front() == '-' || value.front() == '\xEF') {
        return true;
    }
    return std::any_of(value.begin(), value.end(), [](char c) {
        return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '"' || c == ',' || c == '*' || c == ':' ||
               c == '~';
    });
}

std::string writePattern(Field field, const Pattern& pattern) {
    if (pattern.match == Match::Absent) {
        return "absent";
    }
    std::string text = fieldIsWord(field) ? pattern.text : quoteValue(pattern.text);
    if (pattern.match == Match::Prefix) {
        text += '*';
    }
    return text;
}

std::string instant(const std::optional<TimePoint>& at) {
    return at ? toRfc3339(*at, at->time_since_epoch().count() % 1000 == 0 ? 3 : 6) : std::string{};
}

std::string writeTerm(const Term& term) {
    std::string text = term.negated ? "-" : "";
    text += toText(term.field);
    if (term.field == Field::At) {
        return text + ":" + instant(term.from) + ".." + instant(term.to);
    }
    const bool contains = !term.anyOf.empty() && term.anyOf.front().match == Match::Contains;
    text += contains ? '~' : ':';
    for (std::size_t i = 0; i < term.anyOf.size(); ++i) {
        if (i > 0) {
            text += ',';
        }
        text += writePattern(term.field, term.anyOf[i]);
    }
    return text;
}

}  // namespace

std::string_view toText(Field field) noexcept {
    return fieldNames[static_cast<std::size_t>(field)];
}

Error toError(const SyntaxError& error) {
    return {ErrorKind::BadInput, fmt::format("filter, position {}: {}", error.position + 1, error.text), error.hint,
            "filter-syntax"};
}

std::string quoteValue(std::string_view value) {
    if (!needsQuotes(value)) {
        return std::string{value};
    }
    std::string text = "\"";
    for (const char c : value) {
        switch (c) {
            case '"':
            case '\\':
                text += '\\';
                text += c;
                break;
            case '\n':
                text += "\\n";
                break;
            case '\r':
                text += "\\r";
                break;
            case '\t':
                text += "\\t";
                break;
            default:
                text += c;
        }
    }
    return text + '"';
}

std::string write(const Query& query) {
    std::string text;
    for (const Term& term : query.terms) {
        if (!text.empty()) {
            text += ' ';
        }
        text += writeTerm(term);
    }
    return text;
}

}  // namespace redeliver::query
