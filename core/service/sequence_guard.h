// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/consumer/handler.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pqxx {
class transaction_base;
}

namespace redeliver {

/// A table with one row per entity that remembers the last sequence number applied to it. `key` must be unique.
struct SequencedTable {
    std::string schema;  ///< empty: by search_path
    std::string table;
    std::string key;       ///< column of the entity
    std::string sequence;  ///< bigint column
};

/// Columns to set, as texts that the server casts to the columns' types.
using Changes = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// Applies the changes to the entity's row only if its stored sequence is smaller (or there is no row yet), in one
/// statement: check and change can't be torn apart. done(), or stale() when a newer one, or this very one, has been
/// applied. It answers another question than the marker ("is this newer?") and needs a producer that numbers each
/// entity's messages in order (domain rule 8). Errors are the server's, as with any statement of a handler.
[[nodiscard]] consumer::Answer applyIfNewer(pqxx::transaction_base& transaction, const SequencedTable& table,
                                            const std::string& entity, std::int64_t sequence, const Changes& changes);

/// The same where the row itself is the marker (tuning.rowIsMarker): alreadyDone() for the sequence that the row holds,
/// stale() for a smaller one.
[[nodiscard]] consumer::Answer applyOnce(pqxx::transaction_base& transaction, const SequencedTable& table,
                                         const std::string& entity, std::int64_t sequence, const Changes& changes);

}  // namespace redeliver
