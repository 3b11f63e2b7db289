// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/identity/json_lookup.h"

#include "core/base/text.h"

#include <cstdint>
#include <optional>

namespace redeliver {
namespace {

constexpr std::size_t noMatch = static_cast<std::size_t>(-1);

bool isDigit(char c) noexcept {
    return c >= '0' && c <= '9';
}

void appendUtf8(std::string& out, std::uint32_t point) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xc0U | (point >> 6U));
        put(0x80U | (point & 0x3fU));
    } else if (point < 0x10000) {
        put(0xe0U | (point >> 12U));
        put(0x80U | ((point >> 6U) & 0x3fU));
        put(0x80U | (point & 0x3fU));
    } else {
        put(0xf0U | (point >> 18U));
        put(0x80U | ((point >> 12U) & 0x3fU));
        put(0x80U | ((point >> 6U) & 0x3fU));
        put(0x80U | (point & 0x3fU));
    }
}

// One pass over the text with an explicit stack, so that deep nesting can't exhaust ours.
class Lookup {
  public:
    Lookup(std::string_view json, const std::vector<std::string>& path) : m_rest(json), m_path(path) {}

    JsonFound run() {
        if (m_rest.starts_with("\xef\xbb\xbf")) {
            m_rest.remove_prefix(3);
        }
        m_found.kind = JsonFound::Kind::Missing;
        if (!document()) {
            return {};
        }
        return std::move(m_found);
    }

  private:
    struct Level {
        bool isArray = false;
        std::size_t matched = noMatch;  // how many tokens of the path lead here
        std::size_t index = 0;
    };

    void skipSpace() {
        const auto end = m_rest.find_first_not_of(" \t\r\n");
        m_rest.remove_prefix(end == std::string_view::npos ? m_rest.size() : end);
    }

    bool take(char c) {
        skipSpace();
        if (m_rest.empty() || m_rest.front() != c) {
            return false;
        }
        m_rest.remove_prefix(1);
        return true;
    }

    bool document() {
        if (!value(0)) {
            return false;
        }
        while (!m_levels.empty()) {
            if (!step()) {
                return false;
            }
        }
        skipSpace();
        return m_rest.empty();
    }

    // After a value inside a container: the next element, or its end.
    bool step() {
        Level& level = m_levels.back();
        const bool first = !m_after;
        if (take(level.isArray ? ']' : '}')) {
            m_levels.pop_back();
            m_after = true;
            return true;
        }
        if (!first && !take(',')) {
            return false;
        }
        std::size_t matched = noMatch;
        if (level.isArray) {
            if (leadsOn(level, std::to_string(level.index))) {
                matched = level.matched + 1;
            }
            ++level.index;
        } else {
            std::string name;
            bool illFormed = false;
            skipSpace();
            if (!string(&name, illFormed) || !take(':')) {
                return false;
            }
            if (!illFormed && leadsOn(level, name)) {
                matched = level.matched + 1;
                m_found = {JsonFound::Kind::Missing, {}, false};  // the last of equal members counts
            }
        }
        return value(matched);
    }

    bool leadsOn(const Level& level, std::string_view token) const {
        return level.matched != noMatch && level.matched < m_path.size() && m_path[level.matched] == token;
    }

    bool value(std::size_t matched) {
        skipSpace();
        if (m_rest.empty()) {
            return false;
        }
        const bool here = matched != noMatch && matched == m_path.size();
        m_after = true;
        const char c = m_rest.front();
        if (c == '{' || c == '[') {
            m_rest.remove_prefix(1);
            m_levels.push_back({c == '[', matched, 0});
            m_after = false;
            return note(here, JsonFound::Kind::Other, {});
        }
        if (c == '"') {
            std::string text;
            bool illFormed = false;
            if (!string(here ? &text : nullptr, illFormed)) {
                return false;
            }
            note(here, JsonFound::Kind::String, std::move(text));
            m_found.illFormed = here ? illFormed : m_found.illFormed;
            return true;
        }
        if (c == '-' || isDigit(c)) {
            return number(here);
        }
        return word("null", here, JsonFound::Kind::Null) || word("true", here, JsonFound::Kind::Other) ||
               word("false", here, JsonFound::Kind::Other);
    }

    bool note(bool here, JsonFound::Kind kind, std::string text) {
        if (here) {
            m_found = {kind, std::move(text), false};
        }
        return true;
    }

    bool word(std::string_view text, bool here, JsonFound::Kind kind) {
        if (!m_rest.starts_with(text)) {
            return false;
        }
        m_rest.remove_prefix(text.size());
        return note(here, kind, {});
    }

    std::size_t digits(std::size_t from) const {
        std::size_t end = from;
        while (end < m_rest.size() && isDigit(m_rest[end])) {
            ++end;
        }
        return end;
    }

    bool number(bool here) {
        const std::size_t first = m_rest.front() == '-' ? 1 : 0;
        std::size_t end = digits(first);
        if (end == first || (m_rest[first] == '0' && end > first + 1)) {
            return false;
        }
        auto kind = JsonFound::Kind::Integer;
        if (end < m_rest.size() && m_rest[end] == '.') {
            const std::size_t fraction = end + 1;
            end = digits(fraction);
            if (end == fraction) {
                return false;
            }
            kind = JsonFound::Kind::Other;
        }
        if (end < m_rest.size() && (m_rest[end] == 'e' || m_rest[end] == 'E')) {
            std::size_t exponent = end + 1;
            if (exponent < m_rest.size() && (m_rest[exponent] == '+' || m_rest[exponent] == '-')) {
                ++exponent;
            }
            end = digits(exponent);
            if (end == exponent) {
                return false;
            }
            kind = JsonFound::Kind::Other;
        }
        note(here, kind, std::string(m_rest.substr(0, end)));
        m_rest.remove_prefix(end);
        return true;
    }

    // The string at the front; appended to `out` where given.
    bool string(std::string* out, bool& illFormed) {
        if (m_rest.empty() || m_rest.front() != '"') {
            return false;
        }
        m_rest.remove_prefix(1);
        for (;;) {
            std::size_t end = 0;
            while (end < m_rest.size() && m_rest[end] != '"' && m_rest[end] != '\\') {
                if (static_cast<unsigned char>(m_rest[end]) < 0x20) {
                    return false;
                }
                ++end;
            }
            if (end == m_rest.size()) {
                return false;
            }
            if (out != nullptr) {
                out->append(m_rest.substr(0, end));
            }
            const bool closed = m_rest[end] == '"';
            m_rest.remove_prefix(end + 1);
            if (closed) {
                return true;
            }
            if (!escape(out, illFormed)) {
                return false;
            }
        }
    }

    std::optional<std::uint32_t> hex4() {
        if (m_rest.size() < 4) {
            return std::nullopt;
        }
        std::uint32_t unit = 0;
        for (const char c : m_rest.substr(0, 4)) {
            const std::size_t digit =
                std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? char(c + 32) : c);
            if (digit == std::string_view::npos) {
                return std::nullopt;
            }
            unit = unit * 16 + static_cast<std::uint32_t>(digit);
        }
        m_rest.remove_prefix(4);
        return unit;
    }

    bool escape(std::string* out, bool& illFormed) {
        if (m_rest.empty()) {
            return false;
        }
        const char c = m_rest.front();
        m_rest.remove_prefix(1);
        if (c == 'u') {
            return unicodeEscape(out, illFormed);
        }
        constexpr std::string_view names = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        const std::size_t which = names.find(c);
        if (which == std::string_view::npos) {
            return false;
        }
        if (out != nullptr) {
            *out += meanings[which];
        }
        return true;
    }

    bool unicodeEscape(std::string* out, bool& illFormed) {
        auto point = hex4();
        if (!point) {
            return false;
        }
        if (*point >= 0xd800 && *point < 0xdc00 && m_rest.starts_with("\\u")) {
            const std::string_view before = m_rest;
            m_rest.remove_prefix(2);
            const auto low = hex4();
            if (!low) {
                return false;
            }
            if (*low >= 0xdc00 && *low < 0xe000) {
                point = 0x10000U + ((*point - 0xd800U) << 10U) + (*low - 0xdc00U);
            } else {
                m_rest = before;
            }
        }
        if (*point >= 0xd800 && *point < 0xe000) {
            illFormed = true;
        } else if (out != nullptr) {
            appendUtf8(*out, *point);
        }
        return true;
    }

    std::string_view m_rest;
    const std::vector<std::string>& m_path;
    std::vector<Level> m_levels;
    bool m_after = false;  // a value was just finished
    JsonFound m_found;
};

}  // namespace

JsonFound findInJson(std::string_view json, const std::vector<std::string>& path) {
    JsonFound found = Lookup(json, path).run();
    if (found.kind != JsonFound::Kind::NotJson && !isValidUtf8(json)) {
        found.illFormed = true;
    }
    return found;
}

}  // namespace redeliver
