// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/marker_reader.h"
#include "core/postgres/replay_store.h"
#include "tests/support/test_servers.h"

#include <QtTest>

#include <fmt/format.h>

using namespace redeliver;
using namespace redeliver::tests;
using postgres::PgMarkerReader;
using postgres::PgReplayStore;

namespace {

const ConsumerName consumer{"c"};
const ClusterId cluster{"k1"};
const Topic topic{"t"};

postgres::ConnectOptions optionsOf(const TestPostgres& db, const std::string& extra = {}) {
    postgres::ConnectOptions options;
    options.dsn = db.dsn() + extra;
    return options;
}

ports::ConsumerLedger ledgerOf(PgMarkerReader& reader, const std::vector<ConsumerName>& formerly = {}) {
    return reader.ledger(consumer, formerly, cluster, {{topic, Partition{0}}, {topic, Partition{1}}});
}

ReplayPlan planOf(const std::string& id, std::int64_t from, std::int64_t to) {
    ReplayPlan plan;
    plan.planId = id;
    plan.createdAt = fromUnixMillis(1'796'034'600'000);
    plan.consumer = "c";
    plan.topic = "t";
    plan.ranges = {{Partition{0}, Offset{from}, Offset{to}}};
    plan.records = to - from;
    return plan;
}

std::vector<ports::ReplayCursor> cursorsOf(const ReplayPlan& plan) {
    const PlanRange& range = plan.ranges[0];
    return {{range.partition, range.from, range.to, range.from, 0, 0, Offset{100}, Offset{100}}};
}

}  // namespace

class MarkerReaderTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void aBareTableOfSomebodyElseWorks();
    void ledgerReadsEveryNameAndOnlyThisLog();
    void timesThatCantBeTrueAreLeftOut();
    void whatARoleMayNotSeeIsSaid();
    void withoutItsKeyATableIsNotUnique();
    void findAndStreamAgree();
    void evidenceIsTheLastWordAfterALoss();
    void oneOfTwoOverlappingRunsWins();
    void onlyAGoneOwnerIsTakenOver();
};

void MarkerReaderTest::aBareTableOfSomebodyElseWorks() {
    const TestPostgres db(false);
    db.execute(
        "CREATE SCHEMA redeliver; CREATE TABLE redeliver.processed_messages (consumer_name text NOT NULL, message_id "
        "text "
        "NOT NULL, processed_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (consumer_name, "
        "message_id)); "
        "INSERT INTO redeliver.processed_messages VALUES ('c', 'a', '2026-01-01 00:00:00Z'), ('c', 'b', now()), ('d', "
        "'x', "
        "now())");
    postgres::Session session(optionsOf(db));
    PgMarkerReader reader(session);
    QVERIFY(reader.visibility().complete);
    QVERIFY(reader.visibility().unique);
    const auto ledger = ledgerOf(reader);
    QVERIFY(ledger.anyMarker && !ledger.anyLedger && !ledger.ownedByUs && ledger.partitions.empty());
    QCOMPARE(QString::fromStdString(toRfc3339(*ledger.oldestMarker)), QStringLiteral("2026-01-01T00:00:00.000Z"));
    const std::vector<MessageId> ids{MessageId{"a"}, MessageId{"x"}, MessageId{"no"}};
    const auto found = reader.find(consumer, {}, ids, {});
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(!found.at("a").at && !found.at("a").lastSeenAt);
    QVERIFY(reader.evidence(consumer, {}, cluster, {topic, Partition{0}}, Offset{0}, Offset{9}).empty());
    QVERIFY(reader.replayEvents(ReplayId{"0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"}, consumer, {}).empty());
    QVERIFY(!PgReplayStore(session).mayRun());

    const TestPostgres empty(false);
    postgres::Session nothing(optionsOf(empty));
    PgMarkerReader blind(nothing);
    QVERIFY(!blind.visibility().complete);
    QVERIFY(!ledgerOf(blind).anyMarker);
}

void MarkerReaderTest::ledgerReadsEveryNameAndOnlyThisLog() {
    const TestPostgres db;
    db.execute(
        "INSERT INTO redeliver.marker_horizon (consumer_name, cluster_id, topic, partition, \"offset\") VALUES "
        "('c', 'k1', 't', 0, 5), ('old', 'k1', 't', 0, 3), ('old', 'k1', 't', 1, 2), ('c', 'k2', 't', 0, 99), "
        "('other', 'k1', 't', 0, 77);"
        "INSERT INTO redeliver.marker_horizon (consumer_name, lost_before) VALUES ('old', '2026-01-02 "
        "03:04:05.678901Z');"
        "INSERT INTO redeliver.consumer_offsets (consumer_name, cluster_id, topic, partition, next_offset, "
        "highest_offset, "
        "owner, updated_at) VALUES ('old', 'k1', 't', 0, 40, 45, 'w', now() - interval '1 h'), "
        "('c', 'k1', 't', 0, 20, 30, 'w', now());"
        "INSERT INTO redeliver.processed_messages (consumer_name, message_id, topic, partition, \"offset\", "
        "cluster_id) "
        "VALUES ('c', 'a', 't', 1, 7, 'k1'), ('c', 'b', 't', 1, 50, 'k2'), ('c', 'e', 't', 1, 9, NULL);"
        "INSERT INTO redeliver.delivery_events (consumer_name, outcome, topic, partition, \"offset\", cluster_id) "
        "VALUES "
        "('c', 'rejected', 't', 1, 11, 'k1')");
    postgres::Session session(optionsOf(db));
    PgMarkerReader reader(session);
    const auto ledger = ledgerOf(reader, {ConsumerName{"old"}});
    QVERIFY(ledger.anyLedger && ledger.ownedByUs);
    QCOMPARE(QString::fromStdString(toRfc3339(*ledger.lostBefore, 6)), QStringLiteral("2026-01-02T03:04:05.678901Z"));
    QCOMPARE(ledger.partitions.size(), std::size_t{2});
    const auto& zero = ledger.partitions[0];
    QVERIFY(zero.horizon == Offset{5} && zero.highest == Offset{45} && zero.next == Offset{20});
    const auto& one = ledger.partitions[1];
    QVERIFY(one.horizon == Offset{2} && one.highestMarker == Offset{12} && !one.next);
}

void MarkerReaderTest::timesThatCantBeTrueAreLeftOut() {
    const TestPostgres db;
    db.execute(
        "INSERT INTO redeliver.processed_messages (consumer_name, message_id, processed_at, record_timestamp) VALUES "
        "('c', 'inf', 'infinity', NULL), ('c', 'minf', '-infinity', NULL), ('c', 'bc', '0044-03-15 00:00:00Z BC', "
        "NULL), "
        "('c', 'future', now() + interval '1 h', NULL), ('c', 'true', '2026-01-01 00:00:00Z', '2026-01-01 00:05:00Z')");
    postgres::Session session(optionsOf(db));
    PgMarkerReader reader(session);
    const auto ledger = ledgerOf(reader);
    QCOMPARE(ledger.impossibleTimes, 4);
    QCOMPARE(QString::fromStdString(toRfc3339(*ledger.oldestMarker)), QStringLiteral("2026-01-01T00:00:00.000Z"));
    QVERIFY(ledger.newestMarker == ledger.oldestMarker);
    QVERIFY(ledger.recordAhead == std::chrono::minutes{5});
    QVERIFY(ledger.futureBy > std::chrono::minutes{59} && ledger.futureBy <= std::chrono::minutes{60});
    // They still protect their IDs.
    const std::vector<MessageId> ids{MessageId{"inf"}, MessageId{"bc"}};
    QCOMPARE(reader.find(consumer, {}, ids, {}).size(), std::size_t{2});
}

void MarkerReaderTest::whatARoleMayNotSeeIsSaid() {
    const TestPostgres db;
    const std::string role = "reader_" + db.name();
    db.execute(
        fmt::format("CREATE ROLE \"{0}\" LOGIN; GRANT USAGE ON SCHEMA redeliver TO \"{0}\"; "
                    "GRANT SELECT ON ALL TABLES IN SCHEMA redeliver TO \"{0}\"",
                    role));
    const auto visible = [&] {
        postgres::Session session(optionsOf(db, fmt::format(" user={}", role)));
        return PgMarkerReader(session).visibility();
    };
    QVERIFY(visible().complete);
    db.execute("ALTER TABLE redeliver.processed_messages ENABLE ROW LEVEL SECURITY");
    QVERIFY(!visible().complete);
    QVERIFY(visible().reasons.at(0).find("row-level") != std::string::npos);
    db.execute(fmt::format("ALTER ROLE \"{}\" BYPASSRLS", role));
    QVERIFY(visible().complete);
    db.execute(fmt::format("REVOKE SELECT ON redeliver.marker_horizon FROM \"{}\"", role));
    QVERIFY(!visible().complete);
    db.execute(
        fmt::format("GRANT SELECT ON redeliver.marker_horizon TO \"{0}\"; REVOKE SELECT ON "
                    "redeliver.processed_messages FROM \"{0}\"",
                    role));
    QVERIFY(!visible().complete);
    db.execute(
        "ALTER TABLE redeliver.processed_messages RENAME TO hidden; CREATE VIEW redeliver.processed_messages AS "
        "SELECT * FROM redeliver.hidden");
    postgres::Session session(optionsOf(db));
    QVERIFY(!PgMarkerReader(session).visibility().complete);
    db.execute(fmt::format("DROP OWNED BY \"{0}\"; DROP ROLE \"{0}\"", role));
}

void MarkerReaderTest::withoutItsKeyATableIsNotUnique() {
    const TestPostgres db;
    postgres::Session session(optionsOf(db));
    QVERIFY(PgMarkerReader(session).visibility().unique);
    db.execute(
        "ALTER TABLE redeliver.processed_messages DROP CONSTRAINT processed_messages_pkey; CREATE UNIQUE INDEX ON "
        "redeliver.processed_messages (consumer_name, message_id, processed_at)");
    QVERIFY(!PgMarkerReader(session).visibility().unique);
    db.execute("CREATE UNIQUE INDEX ON redeliver.processed_messages (message_id, consumer_name) WHERE topic IS NULL");
    QVERIFY(!PgMarkerReader(session).visibility().unique);
    db.execute("CREATE UNIQUE INDEX ON redeliver.processed_messages (message_id, consumer_name)");
    QVERIFY(PgMarkerReader(session).visibility().unique);
}

void MarkerReaderTest::findAndStreamAgree() {
    const TestPostgres db;
    db.execute(
        "INSERT INTO redeliver.processed_messages (consumer_name, message_id, topic, partition, \"offset\", "
        "cluster_id, "
        "last_seen_at) SELECT CASE WHEN i % 3 = 0 THEN 'old' ELSE 'c' END, 'id ' || i || ' \"{}\\,''é', 't', 0, i, "
        "'k1', "
        "'2026-01-01Z' FROM generate_series(1, 2500) AS i; "
        "INSERT INTO redeliver.processed_messages (consumer_name, message_id) VALUES ('other', 'id x')");
    postgres::Session session(optionsOf(db));
    PgMarkerReader reader(session);
    std::map<std::string, Marker> streamed;
    reader.stream(consumer, {ConsumerName{"old"}}, {},
                  [&](Marker&& marker) {
                      streamed[marker.messageId.value()] = marker;
                      return true;
                  },
                  {});
    QCOMPARE(streamed.size(), std::size_t{2500});
    std::vector<MessageId> ids;
    for (const auto& [id, marker] : streamed) {
        ids.emplace_back(id);
    }
    const auto found = reader.find(consumer, {ConsumerName{"old"}}, ids, {});
    QCOMPARE(found.size(), std::size_t{2500});
    for (const auto& [id, marker] : found) {
        QVERIFY(marker.at == streamed[id].at && marker.at && marker.lastSeenAt == streamed[id].lastSeenAt);
    }
}

void MarkerReaderTest::evidenceIsTheLastWordAfterALoss() {
    const TestPostgres db;
    db.execute(
        "INSERT INTO redeliver.delivery_events (consumer_name, outcome, topic, partition, \"offset\", cluster_id, at) "
        "VALUES "
        "('c', 'rejected', 't', 0, 1, 'k1', '2026-01-02Z'), ('c', 'rejected', 't', 0, 2, 'k2', '2026-01-02Z'), "
        "('c', 'duplicate', 't', 0, 3, 'k1', '2026-01-02Z'), ('c', 'rejected', 't', 0, 3, 'k1', '2026-01-03Z'), "
        "('c', 'transaction_failed', 't', 0, 4, 'k1', '2026-01-02Z'), ('c', 'in_doubt', 't', 0, 4, 'k1', "
        "'2026-01-03Z'), "
        "('c', 'stale', 't', 0, 5, NULL, '2026-01-02Z'), ('old', 'not_addressed', 't', 0, 6, 'k1', '2026-01-02Z'), "
        "('c', 'rejected', 't', 0, 7, 'k1', '2025-12-31Z'), ('x', 'rejected', 't', 0, 8, 'k1', '2026-01-02Z'), "
        "('c', 'ack_failed', 't', 0, 1, 'k1', '2026-01-04Z');"
        "INSERT INTO redeliver.marker_horizon (consumer_name, lost_before) VALUES ('c', '2026-01-01Z')");
    postgres::Session session(optionsOf(db));
    PgMarkerReader reader(session);
    const auto offsets =
        reader.evidence(consumer, {ConsumerName{"old"}}, cluster, {topic, Partition{0}}, Offset{0}, Offset{9});
    QVERIFY((offsets == std::vector<Offset>{Offset{1}, Offset{5}, Offset{6}}));
}

void MarkerReaderTest::oneOfTwoOverlappingRunsWins() {
    const TestPostgres db;
    postgres::Session session(optionsOf(db));
    PgReplayStore store(session);
    Confirmation confirmation;
    confirmation.reason = "why";
    confirmation.acceptedCodes = {"expires-during-run"};
    const ReplayPlan first = planOf("0f1e2d3c-4b5a-4978-8796-000000000001", 10, 20);
    const ReplayPlan second = planOf("0f1e2d3c-4b5a-4978-8796-000000000002", 19, 30);
    const ReplayPlan beside = planOf("0f1e2d3c-4b5a-4978-8796-000000000003", 20, 30);
    QVERIFY(store.begin(first, "{\"a\":1}", confirmation, cursorsOf(first), "me").has_value());
    const auto twice = store.begin(first, "{}", confirmation, cursorsOf(first), "me");
    QVERIFY(!twice && twice.error().kind() == ErrorKind::Refused && twice.error().code() == "overlap");
    QVERIFY(!store.begin(second, "{}", confirmation, cursorsOf(second), "you"));
    QVERIFY(store.begin(beside, "{}", confirmation, cursorsOf(beside), "you").has_value());
    store.end(ReplayId{first.planId}, "me", ReplayState::Finished, "");
    const ReplayPlan third = planOf("0f1e2d3c-4b5a-4978-8796-000000000004", 10, 20);
    QVERIFY(store.begin(third, "{}", confirmation, cursorsOf(third), "me").has_value());
    const auto stored = store.load(ReplayId{first.planId});
    QVERIFY(stored && stored->confirmation.acceptedCodes == confirmation.acceptedCodes);
    QVERIFY(stored->line.reason == "why" && stored->line.progress.state == ReplayState::Finished);
    QVERIFY(stored->cursors.at(0).targetFrom == Offset{100});
    QVERIFY(!store.load(ReplayId{"no uuid"}));
    QCOMPARE(store.list(10).size(), std::size_t{3});
}

void MarkerReaderTest::onlyAGoneOwnerIsTakenOver() {
    const TestPostgres db;
    postgres::Session session(optionsOf(db));
    PgReplayStore store(session);
    const ReplayPlan plan = planOf("0f1e2d3c-4b5a-4978-8796-000000000001", 10, 20);
    const ReplayId id{plan.planId};
    auto cursors = cursorsOf(plan);
    QVERIFY(store.begin(plan, "{}", {}, cursors, "first").has_value());
    cursors[0].sent = 3;
    cursors[0].acknowledged = Offset{13};
    QVERIFY(store.checkpoint(id, "first", ReplayState::Running, cursors, {"0/14: too large"}) == ReplayControl::Go);
    QVERIFY(!store.takeOver(id, "second"));  // this very process lives, its heartbeat is fresh
    db.execute("UPDATE redeliver.replays SET heartbeat_at = now() - interval '6 s'");
    const auto taken = store.takeOver(id, "second");
    QVERIFY(taken && taken->cursors.at(0).sent == 3 && taken->setAside.size() == 1);
    QVERIFY_THROWS_EXCEPTION(Error, (void)store.checkpoint(id, "first", ReplayState::Running, cursors, {}));
    store.end(id, "first", ReplayState::Finished, "");  // changes nothing any more
    QVERIFY(store.load(id)->line.progress.state == ReplayState::Running);
    QVERIFY(store.control(id, ReplayControl::Pause).has_value());
    QVERIFY(store.checkpoint(id, "second", ReplayState::Running, cursors, {}) == ReplayControl::Pause);
    // Nobody is there: the row itself is paused or aborted.
    db.execute("UPDATE redeliver.replays SET heartbeat_at = now() - interval '6 s'");
    QVERIFY(store.control(id, ReplayControl::Abort).has_value());
    QVERIFY(store.load(id)->line.progress.state == ReplayState::Aborted);
    QVERIFY(!store.takeOver(id, "third"));
    QVERIFY(!store.control(ReplayId{"0f1e2d3c-4b5a-4978-8796-00000000000f"}, ReplayControl::Abort));
}

QTEST_GUILESS_MAIN(MarkerReaderTest)
#include "tst_marker_reader_postgres.moc"
