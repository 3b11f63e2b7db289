// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/ids.h"
#include "core/model/record.h"

#include <string>
#include <variant>
#include <vector>

namespace redeliver {

/// No rule's value is there: no such header, no such member, JSON null, not JSON, null key.
struct IdAbsent {
    friend bool operator==(const IdAbsent&, const IdAbsent&) = default;
};

/// A value is there but can't be an ID. No later rule is tried: falling through would give many messages one ID.
struct IdUnusable {
    std::string reason;  ///< names the rule, e.g. "header:message-id: empty"
    friend bool operator==(const IdUnusable&, const IdUnusable&) = default;
};

/// IdAbsent and IdUnusable are both "no identity".
using IdResult = std::variant<MessageId, IdAbsent, IdUnusable>;

/// One parsed rule; a detail of MessageIdRules.
struct MessageIdRule {
    enum class From { Header, HeaderLast, Json, Key, Coordinates } from = From::Header;
    enum class Type { Text, Uuid, Int64 } type = Type::Text;
    std::string text;               ///< as written
    std::string name;               ///< header name
    std::vector<std::string> path;  ///< decoded JSON pointer
};

/// The rule list of a consumer (contract.md, `message_id`), and the one function that finds a record's message ID: for
/// consumer, plan, search and record view alike. A value; any thread. Nothing is trimmed, folded, normalised or cut.
///
///   header:NAME   the first header of that name        header-last:NAME   the last one
///   json:/POINTER RFC 6901, in the value               coordinates        topic/partition/offset (only as last rule)
///   key           only alone                           key!               as one of several: said to be unique
///   …:uuid …:int64 typed, for header, header-last, key and key!: 16 bytes or 36 characters; 8 bytes big-endian
class MessageIdRules {
  public:
    /// BadInput naming the rule. An empty list is an error: the identity is never a default.
    [[nodiscard]] static Result<MessageIdRules> parse(const std::vector<std::string>& rules);

    [[nodiscard]] IdResult extract(const Record& record) const;
    [[nodiscard]] std::vector<std::string> texts() const;

  private:
    explicit MessageIdRules(std::vector<MessageIdRule> rules) : m_rules(std::move(rules)) {}

    std::vector<MessageIdRule> m_rules;
};

/// The reason as one sentence for people, dead-letter headers and events; empty when there is an ID.
[[nodiscard]] std::string whyNoIdentity(const IdResult& result);

}  // namespace redeliver
