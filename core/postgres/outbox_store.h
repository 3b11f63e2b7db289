// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/outbox/store.h"
#include "core/postgres/session.h"

#include <memory>

namespace redeliver::postgres {

class PinnedTransaction;

/// The outbox table. A claim holds a transaction-scoped advisory lock (works behind a transaction pooler): one
/// publisher at a time, which is what keeps the order. A publisher that dies lets go with its connection. One session,
/// one thread.
class PgOutboxStore final : public outbox::Store {
  public:
    explicit PgOutboxStore(Session& session);
    ~PgOutboxStore() override;

    std::optional<std::vector<outbox::PendingMessage>> claim(std::int64_t after, std::size_t most,
                                                             const std::stop_token& stop) override;
    void settle(std::span<const outbox::SentMessage> sent, std::span<const outbox::FailedMessage> failed) override;
    void release() noexcept override;

    [[nodiscard]] outbox::Status status();  ///< in a transaction of its own

  private:
    Session& m_session;
    std::unique_ptr<PinnedTransaction> m_claim;
};

}  // namespace redeliver::postgres
