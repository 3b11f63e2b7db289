// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/profile.h"
#include "core/model/record.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// Real servers for tests. One private PostgreSQL and one Kafka per test run: ctest's fixture starts them and names
/// them in REDELIVER_TEST_SERVERS; a test run by hand starts its own for its lifetime. A server that can't be started
/// throws Error with its log's tail: the test fails, it is never skipped. A test that stops or kills a server makes its
/// own lab::PrivatePostgres or lab::PrivateKafka instead.
namespace redeliver::tests {

/// A fresh database, dropped at the end. `migrated`: with Redeliver's schema.
class TestPostgres {
  public:
    explicit TestPostgres(bool migrated = true);
    ~TestPostgres();
    TestPostgres(const TestPostgres&) = delete;
    TestPostgres& operator=(const TestPostgres&) = delete;

    [[nodiscard]] const std::string& dsn() const noexcept { return m_dsn; }  ///< superuser, through the socket
    [[nodiscard]] const std::string& name() const noexcept { return m_name; }
    /// Runs SQL; the last statement's first column of its first row, empty when there is none. Throws Error with the
    /// SQLSTATE.
    std::string execute(const std::string& sql) const;
    [[nodiscard]] std::int64_t count(const std::string& sql) const;  ///< execute() as a number

  private:
    std::string m_name;
    std::string m_dsn;
};

/// The run's broker with topics of one test case. Produces and reads by plain librdkafka calls that share nothing with
/// core/kafka.
class TestKafka {
  public:
    TestKafka();  ///< a unique prefix for this object's topics and groups

    [[nodiscard]] std::string bootstrap() const;
    [[nodiscard]] std::map<std::string, std::string> properties() const { return {{"bootstrap.servers", bootstrap()}}; }
    [[nodiscard]] std::string unique(const std::string& name) const { return m_prefix + name; }  ///< for groups too
    std::string createTopic(const std::string& name, int partitions = 1,
                            const std::map<std::string, std::string>& configs = {}) const;

    /// Produces in order and waits for all; partition absent: 0. Throws Error.
    void produce(const std::vector<OutgoingRecord>& records) const;
    /// Everything in the topic from its start to its present end (read_committed), per partition in order.
    [[nodiscard]] std::vector<Record> readAll(const std::string& topic) const;
    /// The group's committed offset per partition of a topic; −1: none.
    [[nodiscard]] std::map<int, std::int64_t> committed(const std::string& group, const std::string& topic,
                                                        int partitions) const;
    void commitOffsets(const std::string& group, const std::string& topic,
                       const std::map<int, std::int64_t>& offsets) const;
    void deleteRecordsBelow(const std::string& topic, int partition, std::int64_t offset) const;

  private:
    std::string m_prefix;
};

/// A record with a message-id header and a small JSON value; what most tests send.
[[nodiscard]] OutgoingRecord message(const std::string& topic, const std::string& id, int partition = 0,
                                     std::vector<Header> more = {});

/// A profile file for these servers in `folder` with one consumer entry per given one; returns its path.
std::filesystem::path writeTestProfile(const std::filesystem::path& folder, const std::string& dsn,
                                       const std::string& bootstrap, const std::vector<ProfileConsumer>& consumers,
                                       Environment environment = Environment::Development);

/// The folder with redeliverctl, redeliver-worker and redeliver of this build.
[[nodiscard]] std::filesystem::path programFolder();

}  // namespace redeliver::tests
