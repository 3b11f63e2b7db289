// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/record.h"

#include <cstdint>
#include <string>

namespace pqxx {
class transaction_base;
}

namespace redeliver::postgres {

/// Writes messages into the outbox within a handler's transaction: they are published if, and only if, the effect
/// commits. Order is kept per topic and key. Errors are the server's, as with any statement of a handler.
class OutboxWriter {
  public:
    explicit OutboxWriter(std::string schema = "redeliver") : m_schema(std::move(schema)) {}

    /// `id` is the message's identity for the next consumer (header "message-id", replaced when the record has one):
    /// derive it from the message at hand, never draw it anew, or a repeated attempt gives it another one. Throws
    /// Error(BadInput) for an ID that is empty, over 1,024 bytes, not UTF-8 or holds NUL, for a topic that is empty,
    /// and for a record with a partition or a time: the key decides, the broker stamps. Answers the row's number.
    std::int64_t add(pqxx::transaction_base& transaction, const OutgoingRecord& record, const MessageId& id) const;

  private:
    std::string m_schema;
};

}  // namespace redeliver::postgres
