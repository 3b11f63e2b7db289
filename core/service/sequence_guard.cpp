// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/service/sequence_guard.h"

#include "core/postgres/pqxx_shim.h"
#include "core/postgres/sql.h"

#include <fmt/format.h>

namespace redeliver {
namespace {

using postgres::quoteName;

std::string nameOf(const SequencedTable& table) {
    return table.schema.empty() ? quoteName(table.table) : quoteName(table.schema) + "." + quoteName(table.table);
}

// True: the row is new or was older.
bool change(pqxx::transaction_base& transaction, const SequencedTable& table, const std::string& entity,
            std::int64_t sequence, const Changes& changes) {
    std::string columns = quoteName(table.key) + ", " + quoteName(table.sequence);
    std::string values = "$1, $2";
    std::string sets = fmt::format("{0} = excluded.{0}", quoteName(table.sequence));
    postgres::shim::ParamTexts texts = {entity, fmt::format("{}", sequence)};
    for (const auto& [column, value] : changes) {
        texts.push_back(value);
        columns += ", " + quoteName(column);
        values += fmt::format(", ${}", texts.size());
        sets += fmt::format(", {0} = excluded.{0}", quoteName(column));
    }
    const auto sql = fmt::format(
        "INSERT INTO {0} AS held ({1}) VALUES ({2}) ON CONFLICT ({3}) DO UPDATE SET {4} WHERE held.{5} IS NULL OR "
        "held.{5} < excluded.{5} RETURNING 1",
        nameOf(table), columns, values, quoteName(table.key), sets, quoteName(table.sequence));
    return !postgres::shim::run(transaction, sql, texts).empty();
}

}  // namespace

consumer::Answer applyIfNewer(pqxx::transaction_base& transaction, const SequencedTable& table,
                              const std::string& entity, std::int64_t sequence, const Changes& changes) {
    return change(transaction, table, entity, sequence, changes) ? consumer::done() : consumer::stale();
}

consumer::Answer applyOnce(pqxx::transaction_base& transaction, const SequencedTable& table, const std::string& entity,
                           std::int64_t sequence, const Changes& changes) {
    if (change(transaction, table, entity, sequence, changes)) {
        return consumer::done();
    }
    // The row is locked by our own attempt: what it holds can't change before we commit.
    const auto sql = fmt::format("SELECT {} = $2::bigint FROM {} WHERE {} = $1", quoteName(table.sequence),
                                 nameOf(table), quoteName(table.key));
    const auto row = postgres::shim::run(transaction, sql, {entity, fmt::format("{}", sequence)});
    const bool same = !row.empty() && postgres::shim::fieldText(row[0][0]) == "t";
    return same ? consumer::alreadyDone() : consumer::stale();
}

}  // namespace redeliver
