// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/mock_kafka.h"
#include "core/lab/private_kafka.h"
#include "core/lab/private_postgres.h"
#include "core/lab/server_folder.h"
#include "core/model/profile.h"
#include "core/workspace/progress.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace redeliver::lab {

enum class StackBroker {
    Auto,   ///< Kafka where Java and the jars are there, else the mock cluster
    Kafka,  ///< Error when it can't be had
    Mock,
};

struct StackOptions {
    StackBroker broker = StackBroker::Auto;
    std::filesystem::path kafkaHome;  ///< an installation (its libs/ has the jars); empty: found by itself
    std::string profileName = "lab";
    std::vector<ProfileConsumer> consumers;
};

/// A private PostgreSQL with Redeliver's schema and a private Kafka that other programs can use, with the profile that
/// leads to them. Nothing is configured and nothing is left: servers die with this program however it ends, folders
/// are removed at the end or at the next start. Starting takes about 3 s and throws Error with the server's log's tail.
class EmbeddedStack {
  public:
    EmbeddedStack(const StackOptions& options, const ProgressSink& progress);
    ~EmbeddedStack();
    EmbeddedStack(const EmbeddedStack&) = delete;
    EmbeddedStack& operator=(const EmbeddedStack&) = delete;

    [[nodiscard]] const Profile& profile() const noexcept { return m_profile; }
    [[nodiscard]] std::string bootstrap() const;
    [[nodiscard]] bool isMock() const noexcept { return m_mock != nullptr; }
    /// What this stack can't do and why, one sentence each; empty with a real Kafka.
    [[nodiscard]] std::vector<std::string> limits() const;
    void createTopic(const std::string& topic, int partitions) const;

    [[nodiscard]] PrivatePostgres& postgres() noexcept { return *m_postgres; }
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return m_folder.path(); }

  private:
    void startBroker(const StackOptions& options);
    void writeProfile(const StackOptions& options);

    ServerFolder m_folder;
    std::unique_ptr<PrivatePostgres> m_postgres;
    std::unique_ptr<PrivateKafka> m_kafka;
    std::unique_ptr<MockKafka> m_mock;
    std::string m_whyMock;
    Profile m_profile;
};

}  // namespace redeliver::lab
