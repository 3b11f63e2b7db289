// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/process.h"
#include "core/replay/plan_document.h"
#include "core/replay/report_document.h"
#include "core/workspace/profile_store.h"
#include "core/workspace/replay_desk.h"
#include "core/workspace/workspace.h"
#include "tests/support/test_servers.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fmt/format.h>

#include <random>
#include <set>

using namespace redeliver;
using namespace redeliver::tests;

namespace {

TimePoint now() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

// One consumer with its own database, topic, profile and (when asked) a real worker process.
struct Stage {
    TestPostgres db;
    TestKafka kafka;
    QTemporaryDir folder;
    std::string topic;
    std::string group;
    std::filesystem::path profileFile;
    std::unique_ptr<lab::Process> worker;
    std::unique_ptr<Workspace> workspace;

    explicit Stage(int partitions, Environment environment = Environment::Development) {
        topic = kafka.createTopic("payments", partitions);
        group = kafka.unique("group");
        ProfileConsumer consumer;
        consumer.name = ConsumerName{"order-payment-handler"};
        consumer.group = GroupName{group};
        consumer.topics = {Topic{topic}};
        consumer.messageId = {"header:message-id"};
        profileFile =
            writeTestProfile(folder.path().toStdString(), db.dsn(), kafka.bootstrap(), {consumer}, environment);
        auto profile = ProfileStore(folder.path().toStdString()).load(profileFile.string());
        if (!profile) {
            throw Error(profile.error());
        }
        workspace = std::make_unique<Workspace>(*profile, plainSecretReader(), "test");
    }

    void startWorker() {
        lab::ProcessOptions options;
        options.command = {(programFolder() / "redeliver-worker").string(),
                           "--profile",
                           profileFile.string(),
                           "--consumer",
                           "order-payment-handler",
                           "--worker",
                           "w1"};
        options.log = folder.filePath(QStringLiteral("worker.log")).toStdString();
        worker = std::make_unique<lab::Process>(std::move(options));
    }

    std::string log() const { return lab::tailOf(folder.filePath(QStringLiteral("worker.log")).toStdString()); }

    std::int64_t markers() const { return db.count("SELECT count(*) FROM redeliver.processed_messages"); }

    bool waitForMarkers(std::int64_t count) const {
        return QTest::qWaitFor([&] { return markers() >= count; }, 30'000);
    }

    // One record per ID, ten per second of record time, beginning at `from`; alternating partitions.
    void produce(int count, TimePoint from, int partitions) const {
        std::vector<OutgoingRecord> records;
        for (int i = 0; i < count; ++i) {
            records.push_back(message(topic, fmt::format("pay_{}", i), i % partitions));
            records.back().timestamp = from + std::chrono::milliseconds{100 * i};
        }
        kafka.produce(records);
    }

    PlanRequest window(TimePoint from, TimePoint to) const {
        PlanRequest request;
        request.consumer = ConsumerName{"order-payment-handler"};
        request.topic = Topic{topic};
        request.source.window = TimeRange{from, to};
        request.options.rate = 5000;
        return request;
    }
};

std::int64_t countOf(const ReplayPlan& plan, MessageClass klass) {
    return plan.consumers.at(0).classes[static_cast<std::size_t>(klass)];
}

const Finding* find(const ReplayPlan& plan, const std::string& code) {
    for (const Finding& finding : plan.findings) {
        if (finding.code == code) {
            return &finding;
        }
    }
    return nullptr;
}

#define VERIFY_RESULT(result) QVERIFY2((result).has_value(), (result).has_value() ? "" : (result).error().what())

// The messages pay_0 … whose effect is there twice; anything but one or two effects is named too.
std::set<std::string> effectsSeenTwice(const Stage& stage, int messages) {
    std::set<std::string> repeated;
    for (int i = 0; i < messages; ++i) {
        const auto effects =
            stage.db.count(fmt::format("SELECT count(*) FROM redeliver_lab.effects WHERE message_id = 'pay_{}'", i));
        if (effects == 2) {
            repeated.insert(fmt::format("pay_{}", i));
        } else if (effects != 1) {
            repeated.insert(fmt::format("pay_{}: {} effects", i, effects));
        }
    }
    return repeated;
}

// Random keys, values and headers: null, empty, bytes, doubles.
std::vector<OutgoingRecord> fuzzedRecords(const std::string& topic, int count) {
    std::mt19937 random(5);
    const auto bytes = [&](std::size_t most) -> std::optional<std::string> {
        if (random() % 5 == 0) {
            return std::nullopt;
        }
        std::string text(random() % (most + 1), '\0');
        for (char& c : text) {
            c = static_cast<char>(random() % 256);
        }
        return text;
    };
    std::vector<OutgoingRecord> records;
    for (int i = 0; i < count; ++i) {
        OutgoingRecord record;
        record.topic = Topic{topic};
        record.partition = Partition{static_cast<std::int32_t>(random() % 3)};
        record.timestamp = now() - std::chrono::hours{1} + std::chrono::milliseconds{i};
        record.key = bytes(20);
        record.value = bytes(200);
        const std::size_t headers = random() % 5;
        for (std::size_t k = 0; k < headers; ++k) {
            record.headers.push_back({k % 2 == 0 ? "same" : "name-" + std::to_string(random() % 3), bytes(30)});
        }
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace

class ReplayGuardedTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void pastTheHorizonRepeatsExactlyWhatThePreviewSaid();
    void anUnmarkedRecordThatWasPassedIsAHole();
    void fuzzedRecordsArriveByteEqual();
    void threeTimesIntoTheSameTopicEnds();
    void readOnlyAndProductionAreHonoured();
    void aPlanIsRunOnce();
    void groupsNobodyNamedAreSaid();
    void withoutASchemaARunIsRefused();
    void unknownNamesAreNotFound();
};

void ReplayGuardedTest::pastTheHorizonRepeatsExactlyWhatThePreviewSaid() {
    Stage stage(2);
    stage.startWorker();
    // The ledger begins where the consumer first read: let it have its assignment before the records come.
    QVERIFY2(QTest::qWaitFor(
                 [&] { return stage.db.count("SELECT count(*) FROM redeliver.marker_horizon WHERE topic <> ''") >= 2; },
                 20'000),
             stage.log().c_str());
    const TimePoint from = now() - std::chrono::hours{2};
    stage.produce(60, from, 2);
    QVERIFY2(stage.waitForMarkers(60), stage.log().c_str());

    // What a sweep does: the ledger first, then the markers below it. pay_0, 2, … 18 lie below offset 10 of partition
    // 0.
    stage.db.execute("UPDATE redeliver.marker_horizon SET \"offset\" = 10 WHERE partition = 0");
    stage.db.execute("DELETE FROM redeliver.processed_messages WHERE partition = 0 AND \"offset\" < 10");

    const auto desk = stage.workspace->replays();
    const auto plan = desk->plan(stage.window(from, from + std::chrono::seconds{6}), {}, {});
    VERIFY_RESULT(plan);
    QCOMPARE(plan->records, 60);
    QVERIFY(plan->complete);
    QVERIFY(plan->consumers.at(0).horizon.basis == HorizonBasis::Ledger);
    QCOMPARE(countOf(*plan, MessageClass::Unprotected), 10);
    QCOMPARE(countOf(*plan, MessageClass::Protected), 50);
    const Finding* finding = find(*plan, "window-past-horizon");
    QVERIFY(finding != nullptr);
    QVERIFY(finding->severity == Severity::Refuse);
    QVERIFY2(finding->text.find("10 of 60") != std::string::npos, finding->text.c_str());
    QVERIFY(plan->phrase && plan->phrase->find("10") != std::string::npos);

    // The file says the same after a round trip.
    const auto parsed = replay::parsePlan(replay::writePlan(*plan));
    VERIFY_RESULT(parsed);

    const std::size_t before = stage.kafka.readAll(stage.topic).size();
    Confirmation confirmation;
    confirmation.reason = "test";
    const auto refused = desk->run(*parsed, confirmation, {}, {});
    QVERIFY(!refused);
    QVERIFY(refused.error().kind() == ErrorKind::Refused);
    QVERIFY2(refused.error().code() == "window-past-horizon", refused.error().what());
    confirmation.phrase = *plan->phrase + " ";
    QVERIFY(!desk->run(*parsed, confirmation, {}, {}));
    QCOMPARE(stage.kafka.readAll(stage.topic).size(), before);

    confirmation.phrase = *plan->phrase;
    const auto report = desk->run(*parsed, confirmation, {}, {});
    VERIFY_RESULT(report);
    QCOMPARE(report->line.progress.sent, 60);
    QCOMPARE(report->line.progress.left(), 0);
    const std::string json = replay::reportJson(*report);
    QCOMPARE(report->consumers.size(), std::size_t{1});
    QVERIFY2(report->consumers[0].found.applied == 10, json.c_str());
    QVERIFY2(report->consumers[0].found.suppressed == 50, json.c_str());
    QVERIFY2(report->consumers[0].differences.empty(), json.c_str());

    // Exactly the effects that the preview called unprotected, and no other.
    std::set<std::string> expected;
    for (int i = 0; i < 20; i += 2) {
        expected.insert(fmt::format("pay_{}", i));
    }
    const std::set<std::string> repeated = effectsSeenTwice(stage, 60);
    QVERIFY(repeated == expected);
    // Who, why and with which answer is kept.
    QVERIFY(stage.db.count("SELECT count(*) FROM redeliver.audit WHERE action = 'replay.run'") == 1);
    QCOMPARE(QString::fromStdString(stage.db.execute("SELECT state FROM redeliver.replays")),
             QStringLiteral("reconciled"));
}

void ReplayGuardedTest::anUnmarkedRecordThatWasPassedIsAHole() {
    Stage stage(1);
    stage.startWorker();
    QVERIFY2(QTest::qWaitFor(
                 [&] { return stage.db.count("SELECT count(*) FROM redeliver.marker_horizon WHERE topic <> ''") >= 1; },
                 20'000),
             stage.log().c_str());
    const TimePoint from = now() - std::chrono::hours{1};
    stage.produce(20, from, 1);
    QVERIFY2(stage.waitForMarkers(20), stage.log().c_str());
    stage.worker->stop(std::chrono::seconds{10});
    // Lost inside the horizon: nobody can say why.
    stage.db.execute("DELETE FROM redeliver.processed_messages WHERE \"offset\" BETWEEN 5 AND 7");
    // And five that the consumer has not passed.
    std::vector<OutgoingRecord> later;
    for (int i = 0; i < 5; ++i) {
        later.push_back(message(stage.topic, fmt::format("later_{}", i)));
        later.back().timestamp = from + std::chrono::minutes{1};
    }
    stage.kafka.produce(later);
    const auto plan = stage.workspace->replays()->plan(stage.window(from, from + std::chrono::minutes{2}), {}, {});
    VERIFY_RESULT(plan);
    QCOMPARE(plan->records, 25);
    QCOMPARE(countOf(*plan, MessageClass::Protected), 17);
    QCOMPARE(countOf(*plan, MessageClass::Unprotected), 3);
    QCOMPARE(countOf(*plan, MessageClass::NeverProcessed), 5);
    QVERIFY(find(*plan, "holes") != nullptr);
    QVERIFY(find(*plan, "window-past-horizon") == nullptr);
    QCOMPARE(plan->consumers.at(0).unprotectedReasons.at("hole"), 3);
}

void ReplayGuardedTest::fuzzedRecordsArriveByteEqual() {
    Stage stage(3);
    const std::string target = stage.kafka.createTopic("copies", 3);
    const int count = 10'000;
    stage.kafka.produce(fuzzedRecords(stage.topic, count));
    PlanRequest request = stage.window(now() - std::chrono::hours{2}, now());
    request.target = "topic:" + target;
    request.options.rate = 100'000;
    const auto desk = stage.workspace->replays();
    const auto plan = desk->plan(request, {}, {});
    VERIFY_RESULT(plan);
    QCOMPARE(plan->records, count);
    QVERIFY(plan->consumers.empty());  // nobody reads the target
    Confirmation confirmation;
    confirmation.reason = "fuzz";
    const auto report = desk->run(*plan, confirmation, {}, {});
    VERIFY_RESULT(report);
    QCOMPARE(report->line.progress.sent, count);

    const auto sources = stage.kafka.readAll(stage.topic);
    const auto copies = stage.kafka.readAll(target);
    QCOMPARE(sources.size(), std::size_t(count));
    QCOMPARE(copies.size(), std::size_t(count));
    std::map<std::pair<Partition, Offset>, const Record*> bySource;
    for (const Record& source : sources) {
        bySource[{source.tp.partition, source.offset}] = &source;
    }
    std::map<Partition, Offset> last;
    for (const Record& copy : copies) {
        const std::string place(lastHeader(copy, header::source).value_or(""));
        const std::size_t slash = place.rfind('/');
        const Offset offset{std::stoll(place.substr(slash + 1))};
        const auto source = bySource.find({copy.tp.partition, offset});
        QVERIFY2(source != bySource.end(), place.c_str());
        QVERIFY(!last.contains(copy.tp.partition) || last[copy.tp.partition] < offset);  // order kept, none twice
        last[copy.tp.partition] = offset;
        QVERIFY(copy.key == source->second->key);
        QVERIFY(copy.value == source->second->value);
        std::vector<Header> expected = source->second->headers;
        expected.push_back({std::string(header::replay), plan->planId});
        expected.push_back({std::string(header::source),
                            fmt::format("{}/{}/{}", stage.topic, copy.tp.partition.value(), offset.value())});
        expected.push_back({std::string(header::sourceTimestamp), toRfc3339(*source->second->timestamp)});
        QVERIFY(copy.headers == expected);
    }
}

void ReplayGuardedTest::threeTimesIntoTheSameTopicEnds() {
    Stage stage(1);
    const std::string target = stage.topic;
    stage.produce(100, now() - std::chrono::minutes{10}, 1);
    stage.db.execute(
        "INSERT INTO redeliver.processed_messages (consumer_name, message_id) SELECT 'order-payment-handler', 'pay_' "
        "|| i "
        "FROM generate_series(0, 99) AS i");
    const auto desk = stage.workspace->replays();
    for (int round = 1; round <= 3; ++round) {
        PlanRequest request = stage.window({}, {});
        request.source = {PlanSource::Kind::Offsets, {}, {{Partition{0}, Offset{0}, Offset{100}}}};
        const auto plan = desk->plan(request, {}, {});
        VERIFY_RESULT(plan);
        QCOMPARE(plan->records, 100);
        QVERIFY(find(*plan, "all-suppressed") != nullptr);
        QVERIFY(round == 1 || find(*plan, "replayed-before") != nullptr);
        Confirmation confirmation;
        confirmation.reason = "again";
        // Nobody consumes: what can't be seen is soon given up, since the stop token is set after the sending.
        std::stop_source enough;
        const auto report = desk->run(
            *plan, confirmation,
            [&](const ReplayProgress& progress) {
                if (progress.state == ReplayState::Finished) {
                    enough.request_stop();
                }
                return ReplayControl::Go;
            },
            enough.get_token());
        VERIFY_RESULT(report);
        QCOMPARE(report->line.progress.sent, 100);
        QCOMPARE(stage.kafka.readAll(target).size(), std::size_t(100 * (round + 1)));
    }
}

void ReplayGuardedTest::readOnlyAndProductionAreHonoured() {
    Stage stage(1, Environment::Production);
    const std::string target = stage.kafka.createTopic("copies", 1);
    stage.produce(5, now() - std::chrono::minutes{10}, 1);
    Profile locked = stage.workspace->profile();
    locked.readOnly.reset();  // production's default
    const auto desk = Workspace(locked, plainSecretReader()).replays();
    PlanRequest request = stage.window(now() - std::chrono::hours{1}, now());
    request.target = "topic:" + target;
    const auto plan = desk->plan(request, {}, {});
    VERIFY_RESULT(plan);
    QVERIFY(find(*plan, "read-only") != nullptr);
    Confirmation confirmation;
    confirmation.reason = " ";
    const auto noReason = desk->run(*plan, confirmation, {}, {});
    QVERIFY(!noReason && noReason.error().kind() == ErrorKind::BadInput);
    confirmation.reason = "test";
    const auto unconfirmed = desk->run(*plan, confirmation, {}, {});
    QVERIFY(!unconfirmed && unconfirmed.error().code() == "read-only");
    confirmation.confirmedProfile = stage.workspace->profile().name;
    const auto report = desk->run(*plan, confirmation, {}, {});
    VERIFY_RESULT(report);
    QCOMPARE(report->line.progress.sent, 5);

    Profile never = stage.workspace->profile();
    never.readOnly = true;
    const auto again = Workspace(never, plainSecretReader()).replays()->run(*plan, confirmation, {}, {});
    QVERIFY(!again && again.error().code() == "read-only");
}

void ReplayGuardedTest::aPlanIsRunOnce() {
    Stage stage(1);
    const std::string target = stage.kafka.createTopic("copies", 1);
    stage.produce(5, now() - std::chrono::minutes{10}, 1);
    const auto desk = stage.workspace->replays();
    PlanRequest request = stage.window(now() - std::chrono::hours{1}, now());
    request.target = "topic:" + target;
    const auto plan = desk->plan(request, {}, {});
    VERIFY_RESULT(plan);
    Confirmation confirmation;
    confirmation.reason = "once";
    VERIFY_RESULT(desk->run(*plan, confirmation, {}, {}));
    const auto second = desk->run(*plan, confirmation, {}, {});
    QVERIFY(!second && second.error().kind() == ErrorKind::Refused);
    QCOMPARE(stage.kafka.readAll(target).size(), std::size_t{5});

    // A changed plan is noticed, and so is a log that changed under it.
    auto edited = desk->plan(request, {}, {});
    VERIFY_RESULT(edited);
    const auto stale = *edited;
    edited->records = 4;
    const auto changed = desk->run(*edited, confirmation, {}, {});
    QVERIFY(!changed && changed.error().code() == "plan-stale");
    stage.kafka.deleteRecordsBelow(stage.topic, 0, 2);
    const auto gone = desk->run(stale, confirmation, {}, {});
    QVERIFY(!gone);
    QVERIFY2(gone.error().code() == "plan-stale", gone.error().what());
    QCOMPARE(stage.kafka.readAll(target).size(), std::size_t{5});
}

void ReplayGuardedTest::groupsNobodyNamedAreSaid() {
    Stage stage(1);
    stage.produce(20, now() - std::chrono::minutes{10}, 1);
    const std::string audit = stage.kafka.unique("audit");
    stage.kafka.commitOffsets(audit, stage.topic, {{0, 20}});
    stage.kafka.commitOffsets(stage.group, stage.topic, {{0, 20}});
    const auto desk = stage.workspace->replays();
    const PlanRequest request = stage.window(now() - std::chrono::hours{1}, now());
    const auto plan = desk->plan(request, {}, {});
    VERIFY_RESULT(plan);
    QCOMPARE(plan->consumers.size(), std::size_t{2});  // the consumer's own group is not a stranger
    QCOMPARE(QString::fromStdString(plan->consumers[1].consumer), QString::fromStdString("group:" + audit));
    QVERIFY(!plan->consumers[1].guarded);
    bool said = false;
    for (const Finding& finding : plan->findings) {
        said = said || (finding.code == "unguarded-groups" && finding.consumer == "group:" + audit &&
                        finding.text.find("will process 20 of 20") != std::string::npos);
    }
    QVERIFY(said);
    PlanRequest beside = request;
    beside.target = "topic:" + stage.kafka.createTopic("beside", 1);
    const auto quiet = desk->plan(beside, {}, {});
    VERIFY_RESULT(quiet);
    QVERIFY(quiet->consumers.empty() && !quiet->phrase);
}

void ReplayGuardedTest::withoutASchemaARunIsRefused() {
    Stage stage(1);
    stage.produce(5, now() - std::chrono::minutes{10}, 1);
    const TestPostgres bare(false);
    bare.execute(
        "CREATE SCHEMA redeliver; CREATE TABLE redeliver.processed_messages (consumer_name text NOT NULL, message_id "
        "text "
        "NOT NULL, processed_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (consumer_name, "
        "message_id)); "
        "INSERT INTO redeliver.processed_messages SELECT 'order-payment-handler', 'pay_' || i, now() - interval '2 h' "
        "FROM "
        "generate_series(0, 2) AS i");
    Profile profile = stage.workspace->profile();
    profile.dsn = bare.dsn();
    const auto desk = Workspace(profile, plainSecretReader()).replays();
    const auto plan = desk->plan(stage.window(now() - std::chrono::hours{1}, now()), {}, {});
    VERIFY_RESULT(plan);
    QCOMPARE(countOf(*plan, MessageClass::Protected), 3);
    QVERIFY(find(*plan, "privilege") != nullptr);
    Confirmation confirmation;
    confirmation.reason = "test";
    confirmation.phrase = plan->phrase.value_or("");
    const auto refused = desk->run(*plan, confirmation, {}, {});
    QVERIFY(!refused && refused.error().kind() == ErrorKind::Refused);
    QVERIFY2(refused.error().hint().find("igrate first") != std::string::npos, refused.error().hint().c_str());
    QCOMPARE(stage.kafka.readAll(stage.topic).size(), std::size_t{5});
}

void ReplayGuardedTest::unknownNamesAreNotFound() {
    Stage stage(1);
    const auto desk = stage.workspace->replays();
    PlanRequest request = stage.window(now() - std::chrono::hours{1}, now());
    request.topic = Topic{"no-such-topic"};
    const auto noTopic = desk->plan(request, {}, {});
    QVERIFY(!noTopic && noTopic.error().kind() == ErrorKind::NotFound);
    request = stage.window(now() - std::chrono::hours{1}, now());
    request.consumer = ConsumerName{"nobody"};
    const auto noConsumer = desk->plan(request, {}, {});
    QVERIFY(!noConsumer && noConsumer.error().kind() == ErrorKind::NotFound);
    request = stage.window(now() - std::chrono::hours{1}, now());
    request.target = "group";
    const auto offsets = desk->plan(request, {}, {});
    QVERIFY(!offsets && offsets.error().kind() == ErrorKind::Refused);
    QVERIFY(desk->report(ReplayId{"0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"}).error().kind() == ErrorKind::NotFound);
    const auto empty = desk->plan(stage.window(now() - std::chrono::hours{1}, now()), {}, {});
    VERIFY_RESULT(empty);
    QVERIFY(empty->records == 0 && empty->ranges.empty() && !empty->phrase);
}

QTEST_GUILESS_MAIN(ReplayGuardedTest)
#include "tst_replay_guarded_kafka.moc"
