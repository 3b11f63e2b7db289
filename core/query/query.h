// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/time.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver::query {

enum class Field { Id, Consumer, Outcome, Kind, Topic, Partition, Worker, Replay, At };
[[nodiscard]] std::string_view toText(Field field) noexcept;  ///< id consumer outcome kind topic partition worker …

/// Exact and Prefix compare bytes (no case folding, no Unicode normalising), Contains is `~`. Absent: the row has no
/// such value (SQL NULL), which is neither the empty text nor a word. No character of `text` is special any more.
enum class Match { Exact, Prefix, Contains, Absent };

struct Pattern {
    Match match = Match::Exact;
    std::string text;  ///< Partition: canonical decimal; Outcome, Kind: one of the known words; Replay, Exact: a UUID
    friend bool operator==(const Pattern&, const Pattern&) = default;
};

/// One condition: any of the patterns (Field::At: from inclusive, to exclusive, either may be open). A negated term
/// holds exactly where the plain one doesn't, rows without the value included: in SQL `(…) IS NOT TRUE`.
struct Term {
    Field field = Field::Id;
    bool negated = false;
    std::vector<Pattern> anyOf;
    std::optional<TimePoint> from;
    std::optional<TimePoint> to;
    friend bool operator==(const Term&, const Term&) = default;
};

/// All terms must hold. No term: everything.
struct Query {
    std::vector<Term> terms;
    friend bool operator==(const Query&, const Query&) = default;
};

struct SyntaxError {
    std::size_t position = 0;  ///< byte in the text
    std::string text;
    std::string hint;
};
[[nodiscard]] Error toError(const SyntaxError& error);  ///< BadInput; the text names the position, counted from 1

/// Reads the filter line: `id:exact`, `id:prefix*`, `id:"a*b"` (nothing special inside quotes but \" \\ \n \r \t),
/// `id~part`, `consumer:a,b` (any of), `-kind:replayed`, `worker:absent`, `at:-1h..now`. A bare word is an exact ID;
/// several are any of them, and so are repeated plain terms of one field. At most 10,000 values and 1 MiB.
/// `now` is what relative instants refer to. Any thread, no I/O.
[[nodiscard]] tl::expected<Query, SyntaxError> parse(std::string_view text, TimePoint now);

/// Text that parse() reads back as the same query.
[[nodiscard]] std::string write(const Query& query);

/// One value as the language writes it, quoted where needed: for "filter in", "filter out" and links.
[[nodiscard]] std::string quoteValue(std::string_view value);

}  // namespace redeliver::query
