// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redeliver {

/// What lies at a JSON pointer, without building a document and without changing a digit.
struct JsonFound {
    enum class Kind {
        NotJson,
        Missing,  ///< JSON, but nothing at the pointer
        Null,
        String,
        Integer,  ///< `text` is the literal, e.g. -0 or 40 digits
        Other,    ///< true, false, a number with fraction or exponent, an object, an array
    } kind = Kind::NotJson;
    std::string text;
    bool illFormed = false;  ///< invalid UTF-8 somewhere in the document, or a lone surrogate in this string
};

/// Follows `path` (decoded reference tokens). Of equal members the last counts, as in most parsers. Depth is limited
/// only by memory. O(size of json); a leading byte order mark is skipped.
[[nodiscard]] JsonFound findInJson(std::string_view json, const std::vector<std::string>& path);

}  // namespace redeliver
