// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "core/query/fields.h"
#include "core/query/query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace redeliver::query {
namespace {

constexpr std::size_t mostBytes = 1U << 20U;
constexpr std::size_t mostValues = 10'000;
constexpr std::string_view quoteHint =
    R"(Put a value with the language's own characters in quotes: id:"a*b", inside them \" and \\.)";

bool isSpace(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct Value {
    Pattern pattern;
    bool quoted = false;
    std::size_t position = 0;
};

bool isUuid(std::string_view text) noexcept {
    if (text.size() != 36) {
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

class Parser {
  public:
    Parser(std::string_view text, TimePoint now) : m_text(text), m_now(now) {}

    tl::expected<Query, SyntaxError> run() {
        if (m_text.size() > mostBytes) {
            return fail(mostBytes, "the filter is longer than 1 MiB", "Search a part of the list at a time.");
        }
        if (!isValidUtf8(m_text)) {
            return fail(0, "the filter is not valid UTF-8", "Message IDs are UTF-8 text.");
        }
        if (m_text.starts_with("\xEF\xBB\xBF")) {
            m_at = 3;
        }
        for (skipSpace(); m_at < m_text.size(); skipSpace()) {
            if (!term()) {
                return tl::unexpected(*m_error);
            }
        }
        return std::move(m_query);
    }

  private:
    using Failure = tl::unexpected<SyntaxError>;

    static Failure fail(std::size_t position, std::string text, std::string_view hint) {
        return Failure(SyntaxError{position, std::move(text), std::string{hint}});
    }
    bool stop(std::size_t position, std::string text, std::string_view hint) {
        m_error = SyntaxError{position, std::move(text), std::string{hint}};
        return false;
    }
    void skipSpace() noexcept {
        while (m_at < m_text.size() && isSpace(m_text[m_at])) {
            ++m_at;
        }
    }
    [[nodiscard]] bool more() const noexcept { return m_at < m_text.size(); }
    [[nodiscard]] char here() const noexcept { return m_text[m_at]; }

    // The name in front of ':' or '~', and which of the two; a word without either is an ID.
    std::string_view fieldName() noexcept {
        std::size_t end = m_at;
        while (end < m_text.size() && ((m_text[end] >= 'a' && m_text[end] <= 'z') || m_text[end] == '_')) {
            ++end;
        }
        const bool named = end > m_at && end < m_text.size() && (m_text[end] == ':' || m_text[end] == '~');
        return named ? m_text.substr(m_at, end - m_at) : std::string_view{};
    }

    bool term() {
        Term term;
        const std::size_t start = m_at;
        if (here() == '-') {
            term.negated = true;
            if (++m_at == m_text.size() || isSpace(here())) {
                return stop(start, "\"-\" negates a term, but none follows", quoteHint);
            }
        }
        const std::size_t nameAt = m_at;
        const std::string_view name = fieldName();
        bool contains = false;
        if (!name.empty()) {
            const auto field = fieldNamed(name);
            if (!field) {
                return stop(nameAt, fmt::format("there is no field \"{}\"", name),
                            fmt::format("Fields are {}. An ID with a colon goes in quotes: {}.",
                                        fmt::join(fieldNames, ", "), quoteValue(wordAt(nameAt))));
            }
            term.field = *field;
            m_at = nameAt + name.size();
            contains = here() == '~';
            ++m_at;
        }
        if (term.field == Field::At) {
            return time(std::move(term), contains);
        }
        if (!values(term, contains)) {
            return false;
        }
        add(std::move(term));
        return true;
    }

    [[nodiscard]] std::string wordAt(std::size_t from) const {
        std::size_t end = from;
        while (end < m_text.size() && !isSpace(m_text[end])) {
            ++end;
        }
        return std::string{m_text.substr(from, end - from)};
    }

    bool values(Term& term, bool contains) {
        while (true) {
            Value value;
            if (!(more() && here() == '"' ? quotedValue(value) : bareValue(value))) {
                return false;
            }
            if (!check(term.field, contains, value)) {
                return false;
            }
            term.anyOf.push_back(std::move(value.pattern));
            if (++m_values > mostValues) {
                return stop(value.position, "more than 10,000 values", "Search a part of the list at a time.");
            }
            if (!more() || here() != ',') {
                return true;
            }
            const std::size_t comma = m_at++;
            skipSpace();
            if (!more()) {
                return stop(comma, "a value is missing behind the comma", quoteHint);
            }
        }
    }

    bool quotedValue(Value& value) {
        value.quoted = true;
        value.position = m_at++;
        std::string& text = value.pattern.text;
        while (more() && here() != '"') {
            char c = here();
            if (c == '\\') {
                if (++m_at == m_text.size()) {
                    break;
                }
                constexpr std::string_view escapes = "\"\\nrt";
                const std::size_t which = escapes.find(here());
                if (which == std::string_view::npos) {
                    return stop(m_at - 1, R"(only \" \\ \n \r and \t are known inside quotes)", quoteHint);
                }
                c = std::string_view{"\"\\\n\r\t"}[which];
            }
            text += c;
            ++m_at;
        }
        if (!more()) {
            return stop(value.position, "the quote is not closed", quoteHint);
        }
        ++m_at;
        if (more() && here() == '*') {
            value.pattern.match = Match::Prefix;
            ++m_at;
        }
        if (more() && !isSpace(here()) && here() != ',') {
            return stop(m_at, "a blank or a comma is expected behind the closing quote", quoteHint);
        }
        return true;
    }

    bool bareValue(Value& value) {
        value.position = m_at;
        std::string& text = value.pattern.text;
        while (more() && !isSpace(here()) && here() != ',') {
            if (here() == '"') {
                return stop(m_at, "a quote inside a value", quoteHint);
            }
            if (here() == '*') {
                if (m_at + 1 < m_text.size() && !isSpace(m_text[m_at + 1]) && m_text[m_at + 1] != ',') {
                    return stop(m_at, "\"*\" means \"begins with\" and stands only at the end of a value", quoteHint);
                }
                value.pattern.match = Match::Prefix;
            } else {
                text += here();
            }
            ++m_at;
        }
        if (text.empty()) {
            return stop(value.position, "a value is missing", R"(Write "" for an empty value, absent for none.)");
        }
        if (text == "absent" && value.pattern.match == Match::Exact) {
            value.pattern = {Match::Absent, {}};
        }
        return true;
    }

    bool check(Field field, bool contains, Value& value) {
        Pattern& pattern = value.pattern;
        if (contains) {
            if (pattern.match != Match::Exact || pattern.text.empty()) {
                return stop(value.position, "\"~\" takes a piece of text",
                            R"(Write id~K6M9; for the word itself id~"absent".)");
            }
            if (fieldIsWord(field) || field == Field::Replay) {
                return stop(value.position, fmt::format("{} is compared whole, not by a part", toText(field)),
                            fmt::format("Write {}:VALUE.", toText(field)));
            }
            pattern.match = Match::Contains;
            return true;
        }
        if (pattern.match == Match::Absent) {
            return true;
        }
        if (pattern.match == Match::Prefix && (fieldIsWord(field) || field == Field::Replay)) {
            return stop(value.position, fmt::format("{} is compared whole, not by its beginning", toText(field)),
                        quoteHint);
        }
        return checkWord(field, value);
    }

    bool checkWord(Field field, Value& value) {
        Pattern& pattern = value.pattern;
        const auto known = [&](const auto& words) {
            return std::find(words.begin(), words.end(), pattern.text) != words.end() ||
                   stop(value.position, fmt::format("there is no {} \"{}\"", toText(field), pattern.text),
                        fmt::format("One of {}.", fmt::join(words, ", ")));
        };
        switch (field) {
            case Field::Outcome:
                return known(outcomeWords);
            case Field::Kind:
                return known(kindWords);
            case Field::Partition: {
                const auto number = toInt64(pattern.text);
                if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) {
                    return stop(value.position, fmt::format("\"{}\" is not a partition number", pattern.text),
                                "Write partition:3.");
                }
                pattern.text = fmt::format("{}", *number);
                return true;
            }
            case Field::Replay:
                std::transform(pattern.text.begin(), pattern.text.end(), pattern.text.begin(),
                               [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
                return isUuid(pattern.text) ||
                       stop(value.position, fmt::format("\"{}\" is not a replay's ID", pattern.text),
                            "A replay's ID is a UUID, see `redeliverctl replay list`.");
            default:
                return true;
        }
    }

    bool instant(std::string_view text, std::size_t position, std::optional<TimePoint>& at) {
        if (text.empty()) {
            return true;
        }
        auto read = parseInstant(text, m_now);
        if (!read) {
            return stop(position, read.error().text(), read.error().hint());
        }
        at = *read;
        return true;
    }

    bool time(Term term, bool contains) {
        constexpr std::string_view hint =
            "Write at:2026-11-30T10:00:00Z..2026-11-30T11:00:00Z, at:-1h..now or at:-1h.. "
            "(from inclusive, to exclusive).";
        const std::size_t start = m_at;
        const std::string word = wordAt(start);
        const std::size_t dots = word.find("..");
        if (contains || dots == std::string::npos || word.size() == 2) {
            return stop(start, "at: takes a range of time", hint);
        }
        const std::string_view view{word};
        if (!instant(view.substr(0, dots), start, term.from) ||
            !instant(view.substr(dots + 2), start + dots + 2, term.to)) {
            return false;
        }
        if (term.from && term.to && *term.to <= *term.from) {
            return stop(start, "the range ends before it begins", hint);
        }
        m_at = start + word.size();
        m_query.terms.push_back(std::move(term));
        return true;
    }

    // Plain terms of one field widen each other (a pasted list); everything else narrows.
    void add(Term term) {
        const bool part = term.anyOf.front().match == Match::Contains;
        const auto same = std::find_if(m_query.terms.begin(), m_query.terms.end(), [&](const Term& other) {
            return !other.negated && !term.negated && !part && other.field == term.field && !other.anyOf.empty() &&
                   other.anyOf.front().match != Match::Contains;
        });
        const auto index = same - m_query.terms.begin();
        if (same == m_query.terms.end()) {
            m_query.terms.push_back({term.field, term.negated, {}, {}, {}});
        }
        Term& into = m_query.terms[static_cast<std::size_t>(index)];
        for (Pattern& pattern : term.anyOf) {
            if (m_seen.insert({index, static_cast<int>(pattern.match), pattern.text}).second) {
                into.anyOf.push_back(std::move(pattern));
            }
        }
    }

    std::string_view m_text;
    TimePoint m_now;
    std::size_t m_at = 0;
    std::size_t m_values = 0;
    Query m_query;
    std::optional<SyntaxError> m_error;
    std::set<std::tuple<std::ptrdiff_t, int, std::string>> m_seen;
};

}  // namespace

tl::expected<Query, SyntaxError> parse(std::string_view text, TimePoint now) {
    return Parser{text, now}.run();
}

}  // namespace redeliver::query
