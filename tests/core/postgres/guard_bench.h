// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/guard_store.h"
#include "tests/support/test_servers.h"

#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace redeliver::tests {

using postgres::PgGuardStore;

inline const ClusterId cluster{"K"};
inline const TopicPartition p0{Topic{"t"}, Partition{0}};

inline postgres::ConnectOptions optionsOf(const std::string& dsn) {
    postgres::ConnectOptions options;
    options.dsn = dsn;
    return options;
}

/// A store of consumer "c" that owns t/0 at offset 0.
struct Owner {
    explicit Owner(const std::string& dsn, const std::string& name = "c", std::vector<ConsumerName> formerly = {})
        : store(optionsOf(dsn), ConsumerName{name}, std::move(formerly), WorkerName{"w"}) {
        const auto state = store.takeOwnership(cluster, {p0}, "token-" + name);
        found = state.partitions.front();
        store.adopt(cluster, "token-" + name, {{{p0, found.next.value_or(Offset{0})}, true, "", Offset{0}}}, {});
    }
    PgGuardStore store;
    ports::StoredPosition found;
};

inline ports::MarkerClaim claimOf(const std::string& id, std::int64_t offset = 0) {
    return {MessageId{id}, {cluster, p0.topic, p0.partition, Offset{offset}}, std::nullopt, std::nullopt, "hash"};
}

inline std::vector<ports::MarkerClaim> claimsOf(const std::vector<std::string>& ids) {
    std::vector<ports::MarkerClaim> claims;
    for (const auto& id : ids) {
        claims.push_back(claimOf(id));
    }
    return claims;
}

inline ports::Advance moveTo(std::int64_t expected, std::int64_t next) {
    ports::Advance move;
    move.tp = p0;
    move.expected = Offset{expected};
    move.next = Offset{next};
    move.lastRecordOffset = Offset{next - 1};
    move.lastRecordCrc = 4'000'000'000U;
    return move;
}

inline void handle(ports::Transaction& tx, const std::string& sql) {
    postgres::handlersTransaction(tx).exec(sql);
}

/// Runs SQL as a handler would and gives the SQLSTATE it failed with.
inline std::string handleFailing(ports::Transaction& tx, const std::string& sql) {
    try {
        handle(tx, sql);
    } catch (...) {
        return postgres::handlersError(tx).code();
    }
    return {};
}

}  // namespace redeliver::tests
