// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/process.h"
#include "tests/live/verifier.h"
#include "tests/support/test_servers.h"

#include <QTemporaryDir>
#include <QtTest>

#include <memory>
#include <string>
#include <vector>

namespace redeliver::tests {

/// A database, a topic and real redeliver-worker processes.
class WorkerStage {
  public:
    explicit WorkerStage(int partitions = 3, std::vector<std::string> consumers = {"c"}, bool deadLetters = true)
        : topic(kafka.createTopic("t", partitions)),
          deadLetter(kafka.createTopic("t.dlt")),
          m_partitions(partitions),
          m_deadLetters(deadLetters),
          m_consumers(std::move(consumers)) {
        use(db.dsn(), kafka.bootstrap());
        db.execute(
            "CREATE SCHEMA redeliver_lab; CREATE TABLE redeliver_lab.effects (consumer_name text NOT NULL, message_id "
            "text NOT NULL, worker text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());"
            "CREATE TABLE redeliver_lab.entities (entity text PRIMARY KEY, last_sequence bigint, message_id text)");
    }

    /// Workers started from now on reach the servers this way (a proxy).
    void use(const std::string& dsn, const std::string& bootstrap, Environment environment = Environment::Development) {
        std::vector<ProfileConsumer> entries;
        for (const auto& name : m_consumers) {
            ProfileConsumer entry;
            entry.name = ConsumerName{name};
            entry.group = GroupName{groupOf(name)};
            entry.topics = {Topic{topic}};
            if (m_deadLetters) {
                entry.deadLetter = Topic{deadLetter};
            }
            entry.messageId = {"header:message-id"};
            entries.push_back(entry);
        }
        profile = writeTestProfile(m_folder.path().toStdString(), dsn, bootstrap, entries, environment);
    }

    [[nodiscard]] std::string groupOf(const std::string& consumer) const { return kafka.unique(consumer); }

    lab::Process start(const std::string& worker, std::vector<std::string> more = {},
                       const std::string& consumer = "c") {
        lab::ProcessOptions options;
        options.command = {(programFolder() / "redeliver-worker").string(),
                           "--profile",
                           profile.string(),
                           "--consumer",
                           consumer,
                           "--worker",
                           worker};
        options.command.insert(options.command.end(), more.begin(), more.end());
        options.log = logOf(worker);
        options.environment["XDG_STATE_HOME"] = m_folder.path().toStdString();
        return lab::Process(std::move(options));
    }
    [[nodiscard]] std::filesystem::path logOf(const std::string& worker) const {
        return std::filesystem::path(m_folder.path().toStdString()) / (worker + ".log");
    }

    void send(int from, int to, const std::vector<Header>& more = {}) {
        std::vector<OutgoingRecord> records;
        for (int i = from; i < to; ++i) {
            records.push_back(message(topic, "m" + std::to_string(i), i % m_partitions, more));
        }
        kafka.produce(records);
    }

    /// Until the consumer's group has committed everything.
    [[nodiscard]] bool caughtUp(const std::string& consumer = "c", int seconds = 60) {
        const auto records = kafka.readAll(topic);
        std::map<int, std::int64_t> ends;
        for (const auto& record : records) {
            ends[record.tp.partition.value()] = record.offset.value() + 1;
        }
        return QTest::qWaitFor(
            [&] {
                const auto committed = kafka.committed(groupOf(consumer), topic, m_partitions);
                return std::all_of(ends.begin(), ends.end(), [&](const auto& end) {
                    const auto it = committed.find(end.first);
                    return it != committed.end() && it->second >= end.second;
                });
            },
            seconds * 1000);
    }
    [[nodiscard]] bool until(const std::string& sql, std::int64_t wanted, int seconds = 60) const {
        return QTest::qWaitFor([&] { return db.count(sql) == wanted; }, seconds * 1000);
    }
    [[nodiscard]] std::int64_t counted(const std::string& column) const {
        return db.count("SELECT coalesce(sum(" + column + "), 0) FROM redeliver.delivery_counts");
    }

    TestPostgres db;
    TestKafka kafka;
    std::string topic;
    std::string deadLetter;
    std::filesystem::path profile;

  private:
    int m_partitions;
    bool m_deadLetters;
    std::vector<std::string> m_consumers;
    QTemporaryDir m_folder;
};

}  // namespace redeliver::tests
