// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/process.h"
#include "tests/support/test_servers.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <random>

using namespace redeliver;
using namespace redeliver::tests;

namespace {

constexpr int records = 6000;

// A topic with records, another one for the copies, and the command line as its users call it.
struct Stage {
    TestPostgres db;
    TestKafka kafka;
    QTemporaryDir folder;
    std::string source = kafka.createTopic("payments", 3);
    std::string target = kafka.createTopic("copies", 3);
    std::string profile;
    std::string planFile = folder.filePath(QStringLiteral("plan.json")).toStdString();

    Stage() {
        ProfileConsumer consumer;
        consumer.name = ConsumerName{"order-payment-handler"};
        consumer.topics = {Topic{source}};
        consumer.messageId = {"header:message-id"};
        profile = writeTestProfile(folder.path().toStdString(), db.dsn(), kafka.bootstrap(), {consumer}).string();
        std::vector<OutgoingRecord> all;
        for (int i = 0; i < records; ++i) {
            all.push_back(message(source, fmt::format("pay_{}", i), i % 3));
        }
        kafka.produce(all);
        const auto planned =
            call({"replay", "plan", "--consumer", "order-payment-handler", "--topic", source, "--offsets",
                  "0:0-2000,1:0-2000,2:0-2000", "--target", "topic:" + target, "--rate", "2000", "--out", planFile});
        if (planned->wait(std::chrono::seconds{60}) != 0) {
            throw std::runtime_error("no plan: " + log());
        }
    }

    std::unique_ptr<lab::Process> call(std::vector<std::string> arguments) const {
        lab::ProcessOptions options;
        options.command = {(programFolder() / "redeliverctl").string(), "--profile", profile, "--json"};
        options.command.insert(options.command.end(), arguments.begin(), arguments.end());
        options.log = folder.filePath(QStringLiteral("log")).toStdString();
        return std::make_unique<lab::Process>(std::move(options));
    }

    std::string log() const { return lab::tailOf(folder.filePath(QStringLiteral("log")).toStdString()); }

    std::string replayId() const { return db.execute("SELECT replay_id FROM redeliver.replays"); }
    std::string state() const { return db.execute("SELECT state FROM redeliver.replays"); }
    std::int64_t sent() const { return db.count("SELECT coalesce(sum(sent), 0) FROM redeliver.replay_progress"); }

    std::string heartbeat() const { return db.execute("SELECT heartbeat_at FROM redeliver.replays"); }
    std::int64_t heartbeatAge() const {
        return db.count("SELECT floor(extract(epoch FROM clock_timestamp() - heartbeat_at)) FROM redeliver.replays");
    }

    // Every source record exactly once, in its partition and in its order.
    void verifyOnce() const {
        std::map<std::pair<std::int32_t, std::string>, int> seen;
        for (const Record& copy : kafka.readAll(target)) {
            ++seen[{copy.tp.partition.value(), std::string(lastHeader(copy, header::source).value_or(""))}];
        }
        QCOMPARE(seen.size(), std::size_t(records));
        for (const auto& [place, count] : seen) {
            QVERIFY2(count == 1, fmt::format("{} lies {} times in the target", place.second, count).c_str());
        }
    }
};

}  // namespace

class ReplayKilledTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void killedEnginesNeverSendTwice();
    void aSuspendedEngineIsFenced();
    void pauseResumeAndAbortFromOtherProcesses();
};

void ReplayKilledTest::killedEnginesNeverSendTwice() {
    Stage stage;
    std::mt19937 random(3);
    auto engine = stage.call({"replay", "run", stage.planFile, "--reason", "killed"});
    int kills = 0;
    std::optional<int> status;
    while (!status && kills < 12) {
        status = engine->wait(std::chrono::milliseconds{300 + static_cast<int>(random() % 900)});
        if (!status) {
            engine->signal(SIGKILL);
            QVERIFY(engine->wait(std::chrono::seconds{10}).has_value());
            ++kills;
            if (stage.replayId().empty()) {
                engine = stage.call({"replay", "run", stage.planFile, "--reason", "killed"});
            } else {
                engine = stage.call({"replay", "resume", stage.replayId()});
            }
        }
    }
    status = status ? status : engine->wait(std::chrono::seconds{60});
    QVERIFY2(status == 0, (fmt::format("status {}: ", status.value_or(-1)) + stage.log()).c_str());
    QVERIFY(kills >= 3);
    QCOMPARE(stage.sent(), records);
    stage.verifyOnce();
}

void ReplayKilledTest::aSuspendedEngineIsFenced() {
    Stage stage;
    const auto first = stage.call({"replay", "run", stage.planFile, "--reason", "suspended"});
    QVERIFY2(QTest::qWaitFor([&] { return stage.sent() > 500; }, 30'000), stage.log().c_str());
    first->signal(SIGSTOP);
    // Until its heartbeat is old nobody takes over.
    QVERIFY(QTest::qWaitFor([&] { return stage.heartbeatAge() > 5; }, 20'000));
    const auto second = stage.call({"replay", "resume", stage.replayId()});
    QVERIFY2(QTest::qWaitFor([&] { return stage.sent() > 2'000; }, 30'000), stage.log().c_str());
    first->signal(SIGCONT);
    QVERIFY2(second->wait(std::chrono::seconds{60}) == 0, stage.log().c_str());
    const auto status = first->wait(std::chrono::seconds{60});
    QVERIFY2(status == 7, fmt::format("status {}", status.value_or(-1)).c_str());
    QCOMPARE(stage.sent(), records);
    stage.verifyOnce();
}

void ReplayKilledTest::pauseResumeAndAbortFromOtherProcesses() {
    Stage stage;
    const auto engine = stage.call({"replay", "run", stage.planFile, "--reason", "paused"});
    QVERIFY2(QTest::qWaitFor([&] { return stage.sent() > 500; }, 30'000), stage.log().c_str());
    QCOMPARE(stage.call({"replay", "pause", stage.replayId()})->wait(std::chrono::seconds{20}).value_or(-1), 0);
    QVERIFY(QTest::qWaitFor([&] { return stage.state() == "paused"; }, 5'000));
    const std::int64_t atPause = stage.sent();
    // It goes on living: its heartbeat is renewed, and nothing is sent.
    const std::string beat = stage.heartbeat();
    QVERIFY(QTest::qWaitFor([&] { return stage.heartbeat() > beat; }, 5'000));
    QCOMPARE(stage.sent(), atPause);
    QVERIFY(engine->running());
    const auto resumed = stage.call({"replay", "resume", stage.replayId()});
    QVERIFY(QTest::qWaitFor([&] { return stage.sent() > atPause + 500; }, 10'000));
    QCOMPARE(stage.call({"replay", "abort", stage.replayId()})->wait(std::chrono::seconds{20}).value_or(-1), 0);
    QCOMPARE(engine->wait(std::chrono::seconds{20}).value_or(-1), 7);
    QCOMPARE(resumed->wait(std::chrono::seconds{20}).value_or(-1), 7);
    QCOMPARE(QString::fromStdString(stage.state()), QStringLiteral("aborted"));
    QVERIFY(stage.sent() < records);
    QCOMPARE(stage.call({"replay", "resume", stage.replayId()})->wait(std::chrono::seconds{20}).value_or(-1), 4);
    // sent + set aside + left = records, and what was sent is what is there.
    QCOMPARE(std::int64_t(stage.kafka.readAll(stage.target).size()), stage.sent());
    QVERIFY(stage.db.count("SELECT count(*) FROM redeliver.audit WHERE action LIKE 'replay.%'") >= 4);
}

QTEST_GUILESS_MAIN(ReplayKilledTest)
#include "tst_replay_killed_crash.moc"
