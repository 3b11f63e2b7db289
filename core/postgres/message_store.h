// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/consumer_info.h"
#include "core/model/search.h"
#include "core/postgres/session.h"
#include "core/query/query.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver::postgres {

struct SearchLimits {
    std::int64_t hits = 200;
    std::chrono::milliseconds time{10'000};  ///< for both tables together; what was found until then is answered
};

/// Searches markers and delivery events, reads only. Exact IDs, lists and prefixes use the primary key, one probe per
/// consumer; without an ID the newest come first; `~` and filters without an index scan until a limit. One session, one
/// thread. Throws Error: Connection, Schema, Privilege, Cancelled.
class PgMessageStore {
  public:
    explicit PgMessageStore(Session& session) : m_session(session) {}

    /// With a prefix ordered by ID, else newest first. `complete` is false when a limit ended it; `plan` says how it
    /// was answered and which limit.
    SearchResult search(const query::Query& query, const SearchLimits& limits, const std::stop_token& stop);

    /// Everything known of one ID. `overrides`: what the profile says of consumers (former names, retention for
    /// display) on top of the registry. At most 1,000 attempts, the newest.
    MessageDetail message(const MessageId& id, const std::vector<ConsumerInfo>& overrides, const std::stop_token& stop);

    /// EXPLAIN of the statements behind a search, for tests and people.
    std::string explain(const query::Query& query, const SearchLimits& limits);

  private:
    Session& m_session;
};

}  // namespace redeliver::postgres
