// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/consumer/handler.h"

#include <string>

namespace pqxx {
class transaction_base;
}

namespace redeliver::worker {

/// What the lab's and the demo's consumers do: one row per effect into redeliver_lab.effects, which has no unique key,
/// so that a repeated effect shows. Record headers steer it: lab-fail: N (fails N times, then works; −1: always),
/// lab-reject, lab-sleep-ms: N.
class LabHandler {
  public:
    struct Options {
        std::string consumer;
        std::string worker;
        std::string schema = "redeliver";
        std::string outboxTopic;     ///< each effect also sends a message there, through the outbox; empty: none
        bool sequenceGuard = false;  ///< only newer messages of an entity are applied (redeliver_lab.entities)
    };

    explicit LabHandler(Options options) : m_options(std::move(options)) {}

    /// Makes schema redeliver_lab and its tables where they are missing. One connection of its own; throws Error.
    static void createTables(const std::string& dsn, const std::string& password);

    consumer::Answer operator()(pqxx::transaction_base& transaction, const consumer::Message& message) const;

  private:
    void writeOutbox(pqxx::transaction_base& transaction, const consumer::Message& message) const;

    Options m_options;
};

}  // namespace redeliver::worker
