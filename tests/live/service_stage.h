// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/log.h"
#include "core/service/idempotent_consumer.h"
#include "tests/live/worker_stage.h"

#include <exception>
#include <stop_token>
#include <thread>

namespace redeliver::tests {

/// An IdempotentConsumer of this process, on a thread of its own.
class Service {
  public:
    Service(IdempotentConsumerOptions options, IdempotentConsumer::One handler)
        : m_consumer(std::move(options), std::move(handler)) {
        start();
    }
    Service(IdempotentConsumerOptions options, IdempotentConsumer::Batch handler)
        : m_consumer(std::move(options), std::move(handler)) {
        start();
    }
    ~Service() { stop(); }
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    void stop() {
        if (m_thread.joinable()) {
            m_thread.request_stop();
            m_thread.join();
        }
    }

  private:
    void start() {
        m_thread = std::jthread([this](const std::stop_token& stop) {
            try {
                m_consumer.run(stop);
            } catch (const std::exception& error) {
                log(LogLevel::Error, std::string("a service of the test ended: ") + error.what());
            }
        });
    }

    IdempotentConsumer m_consumer;
    std::jthread m_thread;
};

inline IdempotentConsumerOptions serviceOptions(const WorkerStage& stage, const std::string& name = "c") {
    IdempotentConsumerOptions options;
    options.name = name;
    options.group = stage.groupOf(name);
    options.topics = {stage.topic};
    options.messageId = {"header:message-id"};
    options.deadLetter = stage.deadLetter;
    options.worker = "test";
    options.dsn = stage.db.dsn();
    options.kafka = stage.kafka.properties();
    options.kafka["session.timeout.ms"] = "6000";
    options.tuning.retry.first = std::chrono::milliseconds(20);
    options.tuning.retry.tries = 3;
    return options;
}

}  // namespace redeliver::tests
