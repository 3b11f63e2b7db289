// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/message_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace redeliver::postgres {
namespace {

using query::Field;
using query::Match;
using query::Pattern;
using query::Query;
using query::Term;

// The expression of each field in one of the two tables, in the order of query::Field.
struct Table {
    std::array<std::string_view, 9> fields;
    std::string_view at;
};
constexpr Table markers{{"m.message_id", "m.consumer_name", "'processed'::text", "NULL::text", "m.topic",
                         "m.partition::text", "nullif(m.worker, '')", "m.replay_id", "m.processed_at"},
                        "m.processed_at"};
constexpr Table events{{"e.message_id", "e.consumer_name", "e.outcome", "e.kind", "e.topic", "e.partition::text",
                        "nullif(e.worker, '')", "e.replay_id", "e.at"},
                       "e.at"};

std::vector<std::string> textsWith(const Term& term, Match match) {
    std::vector<std::string> out;
    for (const Pattern& pattern : term.anyOf) {
        if (pattern.match == match) {
            out.push_back(pattern.text);
        }
    }
    return out;
}

bool hasMatch(const Term& term, Match match) {
    return std::ranges::any_of(term.anyOf, [&](const Pattern& pattern) { return pattern.match == match; });
}

bool isIdLookup(const Term& term) {
    return term.field == Field::Id && !term.negated && !hasMatch(term, Match::Contains) &&
           !hasMatch(term, Match::Absent);
}

// Collects parameters and hands out their places.
class Conditions {
  public:
    explicit Conditions(const Table& table) : m_table(table) {}

    std::string place(std::string_view text) {
        m_params.add(text);
        return fmt::format("${}", m_params.texts().size());
    }
    std::string place(std::int64_t number) {
        m_params.add(number);
        return fmt::format("${}", m_params.texts().size());
    }
    std::string placeArray(const std::vector<std::string>& texts) {
        m_params.addArray(texts);
        return fmt::format("${}", m_params.texts().size());
    }

    std::string of(const Term& term) {
        const std::string positive = term.field == Field::At ? ofTime(term) : ofPatterns(term);
        return term.negated ? fmt::format("({}) IS NOT TRUE", positive) : fmt::format("({})", positive);
    }

    // All terms but those that `skip` names.
    template <class Skip>
    std::string all(const Query& query, Skip skip) {
        std::string out = "true";
        for (const Term& term : query.terms) {
            if (!skip(term)) {
                out += " AND " + of(term);
            }
        }
        return out;
    }

    SqlParams take() { return std::move(m_params); }

  private:
    std::string ofTime(const Term& term) {
        std::string out = "true";
        if (term.from) {
            out += fmt::format(" AND {} >= {}::timestamptz", m_table.at, place(timeText(*term.from)));
        }
        if (term.to) {
            out += fmt::format(" AND {} < {}::timestamptz", m_table.at, place(timeText(*term.to)));
        }
        return out;
    }

    std::string ofPatterns(const Term& term) {
        const std::string_view field = m_table.fields.at(static_cast<std::size_t>(term.field));
        const bool uuid = term.field == Field::Replay;
        const std::string text = uuid ? fmt::format("{}::text", field) : std::string{field};
        std::string out;
        const auto orElse = [&](const std::string& condition) { out += (out.empty() ? "" : " OR ") + condition; };
        if (const auto exact = textsWith(term, Match::Exact); !exact.empty()) {
            orElse(fmt::format("{} = ANY({}::{}[])", field, placeArray(exact), uuid ? "uuid" : "text"));
        }
        for (const auto& prefix : textsWith(term, Match::Prefix)) {
            orElse(term.field == Field::Id ? ofIdPrefix(field, prefix)
                                           : fmt::format("starts_with({}, {})", text, place(prefix)));
        }
        for (const auto& part : textsWith(term, Match::Contains)) {
            orElse(fmt::format("strpos({}, {}) > 0", text, place(part)));
        }
        if (hasMatch(term, Match::Absent)) {
            orElse(fmt::format("{} IS NULL", field));
        }
        return out.empty() ? "false" : out;
    }

    // Bounds are bound as values: LIKE with a parameter scans the whole consumer under a generic plan.
    std::string ofIdPrefix(std::string_view field, const std::string& prefix) {
        const std::string from = fmt::format("{} >= {}::text", field, place(prefix));
        const auto end = prefixEnd(prefix);
        return end ? fmt::format("({} AND {} < {}::text)", from, field, place(*end)) : from;
    }

    const Table& m_table;
    SqlParams m_params;
};

// A plain term that lists consumers by name answers which ones to probe.
const Term* consumerList(const Query& query) {
    const auto found = std::ranges::find_if(query.terms, [](const Term& term) {
        return term.field == Field::Consumer && !term.negated &&
               std::ranges::all_of(term.anyOf, [](const Pattern& p) { return p.match == Match::Exact; });
    });
    return found == query.terms.end() ? nullptr : &*found;
}

constexpr std::string_view hopNames =
    "WITH RECURSIVE hop (n) AS ((SELECT min(consumer_name) FROM :schema.processed_messages) UNION ALL "
    "SELECT (SELECT min(p.consumer_name) FROM :schema.processed_messages p WHERE p.consumer_name > h.n) FROM hop h "
    "WHERE h.n IS NOT NULL), names (n) AS (SELECT n FROM hop WHERE n IS NOT NULL) ";

std::string_view orderOf(const SearchShape& shape, bool ofMarkers) {
    if (shape.byPrefix) {
        return ofMarkers ? "m.message_id, m.processed_at DESC" : "e.message_id, e.at DESC";
    }
    return ofMarkers ? "m.processed_at DESC" : "e.at DESC";
}

// Appends one code point.
void appendUtf8(std::string& out, std::uint32_t point) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xC0 | (point >> 6));
        put(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        put(0xE0 | (point >> 12));
        put(0x80 | ((point >> 6) & 0x3F));
        put(0x80 | (point & 0x3F));
    } else {
        put(0xF0 | (point >> 18));
        put(0x80 | ((point >> 12) & 0x3F));
        put(0x80 | ((point >> 6) & 0x3F));
        put(0x80 | (point & 0x3F));
    }
}

// Takes the last code point off valid UTF-8.
std::uint32_t takeLast(std::string& text) {
    std::uint32_t point = 0;
    unsigned shift = 0;
    while (!text.empty()) {
        const auto byte = static_cast<unsigned char>(text.back());
        text.pop_back();
        if ((byte & 0xC0U) != 0x80U) {
            const std::uint32_t mask = shift == 0 ? 0x7FU : 0x3FU >> (shift / 6);
            return point | ((byte & mask) << shift);
        }
        point |= (byte & 0x3FU) << shift;
        shift += 6;
    }
    return point;
}

}  // namespace

std::optional<std::string> prefixEnd(std::string_view prefix) {
    std::string text{prefix};
    while (!text.empty()) {
        std::uint32_t point = takeLast(text) + 1;
        if (point == 0xD800) {
            point = 0xE000;  // surrogates aren't characters
        }
        if (point <= 0x10FFFF) {
            appendUtf8(text, point);
            return text;
        }
    }
    return std::nullopt;
}

SearchShape shapeOf(const Query& query) {
    SearchShape shape;
    std::size_t ids = 0;
    for (const Term& term : query.terms) {
        if (isIdLookup(term)) {
            shape.byId = true;
            shape.byPrefix = shape.byPrefix || hasMatch(term, Match::Prefix);
            ids = std::max(ids, term.anyOf.size());
        }
    }
    shape.scan = !shape.byId && std::ranges::any_of(query.terms, [](const Term& term) {
        return term.field != Field::At && term.field != Field::Consumer;
    });
    if (shape.byPrefix) {
        shape.text = "prefix by key range";
    } else if (shape.byId) {
        shape.text = ids == 1 ? "exact by primary key" : fmt::format("{} IDs by primary key", ids);
    } else {
        shape.text = shape.scan ? "scan, newest first" : "newest first by time";
    }
    return shape;
}

SearchStatement markerSearch(const Query& query, std::int64_t limit) {
    Conditions conditions{markers};
    const Term* list = consumerList(query);
    std::string names{hopNames};
    if (list != nullptr) {
        names = fmt::format("WITH names (n) AS (SELECT DISTINCT unnest({}::text[])) ",
                            conditions.placeArray(textsWith(*list, Match::Exact)));
    }
    const std::string where = conditions.all(query, [&](const Term& term) { return &term == list; });
    const std::string most = conditions.place(limit);
    const SearchShape shape = shapeOf(query);
    const std::string_view order = orderOf(shape, true);
    // A scan answers as it finds, consumer by consumer, so that a time limit keeps what was found; sorting comes later.
    const std::string outer =
        shape.scan ? std::string{} : fmt::format(" ORDER BY {}, m.consumer_name LIMIT {}::bigint", order, most);
    std::string text = fmt::format(
        "{}SELECT m.message_id, m.consumer_name, 'processed', NULL, m.cluster_id, m.topic, m.partition, m.\"offset\", "
        "m.worker, {}, NULL FROM names CROSS JOIN LATERAL (SELECT * FROM :schema.processed_messages m "
        "WHERE m.consumer_name = names.n AND {} ORDER BY {} LIMIT {}::bigint) m{}",
        names, microsOf("m.processed_at"), where, order, most, outer);
    return {"search.markers", std::move(text), conditions.take()};
}

SearchStatement eventSearch(const Query& query, std::int64_t limit) {
    Conditions conditions{events};
    const std::string where = conditions.all(query, [](const Term&) { return false; });
    std::string text = fmt::format(
        "SELECT e.message_id, e.consumer_name, e.outcome, e.kind, e.cluster_id, e.topic, e.partition, e.\"offset\", "
        "e.worker, {}, {} FROM :schema.delivery_events e WHERE {} ORDER BY {}, e.event_id DESC LIMIT {}::bigint",
        microsOf("e.at"), microsOf("e.latency"), where, orderOf(shapeOf(query), false), conditions.place(limit));
    return {"search.events", std::move(text), conditions.take()};
}

}  // namespace redeliver::postgres
