// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/search.h"
#include "core/workspace/progress.h"

#include <stop_token>
#include <string>

namespace redeliver {

/// Searches and shows messages. Reads only. Throws Error on a lost server; bad queries are values with their position.
class BrowseDesk {
  public:
    virtual ~BrowseDesk() = default;
    /// The query language of core/query (`id:…`, `id:pre*`, `consumer:`, `outcome:`, a bare word is an exact ID).
    virtual Result<SearchResult> search(const std::string& query, std::int64_t limit, const std::stop_token& stop) = 0;
    virtual Result<MessageDetail> message(const MessageId& id, const std::stop_token& stop) = 0;
    virtual RecordView record(const Coordinates& at, const std::stop_token& stop) = 0;
};

}  // namespace redeliver
