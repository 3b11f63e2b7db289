// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/maintenance.h"
#include "core/workspace/telemetry_desk.h"
#include "core/workspace/workspace.h"
#include "tests/support/test_servers.h"

#include <QElapsedTimer>
#include <QtTest>

#include <fmt/format.h>

#include <memory>
#include <thread>

using namespace redeliver;
using namespace redeliver::tests;
using std::chrono::hours;
using std::chrono::minutes;

// The desk keeps counts between refreshes: whatever changes in the database, the next overview equals plain SQL.
class TstOverviewPostgres : public QObject {
    Q_OBJECT

  private:
    std::unique_ptr<TestPostgres> m_postgres;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<TelemetryDesk> m_desk;

    // $1 minutes ago, a row of 10 s of that worker.
    void add(int minutesAgo, const char* worker, int processed, int duplicate = 0, const char* consumer = "handler") {
        m_postgres->execute(fmt::format(
            "SELECT redeliver.add_counts('{}', '{}', now() - interval '{} minutes', "
            "ARRAY[{}, {}, 0, 0, 0, 0, {}, 0, 0, 0, 0, 0, 0]::bigint[], ARRAY[100]::smallint[], ARRAY[{}]::bigint[])",
            consumer, worker, minutesAgo, processed, duplicate, duplicate, processed + duplicate));
    }
    [[nodiscard]] SnapshotPtr last(hours span) {
        OverviewRequest request;
        request.last = span;
        return m_desk->overview(request, {});
    }
    void compare(hours span) {
        const SnapshotPtr snapshot = last(span);
        const std::string since = toRfc3339(snapshot->grid.from, 6);
        QCOMPARE(snapshot->total.of(Outcome::Processed),
                 m_postgres->count(fmt::format(
                     "SELECT coalesce(sum(processed), 0) FROM redeliver.delivery_counts WHERE bucket >= '{}'", since)));
        QCOMPARE(snapshot->total.of(Outcome::Duplicate),
                 m_postgres->count(fmt::format(
                     "SELECT coalesce(sum(duplicate), 0) FROM redeliver.delivery_counts WHERE bucket >= '{}'", since)));
        Counts sum;
        for (const ConsumerRow& row : snapshot->consumers) {
            sum += row.counts;
            QCOMPARE(row.buckets.size(), snapshot->buckets.size());
        }
        QCOMPARE(sum, snapshot->total);
    }

  private Q_SLOTS:
    void init() {
        m_postgres = std::make_unique<TestPostgres>();
        Profile profile;
        profile.name = "test";
        profile.dsn = m_postgres->dsn();
        m_workspace = std::make_unique<Workspace>(profile, plainSecretReader());
        m_desk = m_workspace->telemetry();
    }
    void cleanup() {
        m_desk.reset();
        m_workspace.reset();
        m_postgres.reset();
    }

    void refreshesEqualPlainSqlWhateverChanges() {
        for (const auto span : {hours{1}, hours{24}}) {
            compare(span);
            add(5, "w1", 10);
            compare(span);
            add(5, "w1", 7, 3);
            add(5, "w2", 4);
            compare(span);
            add(50, "w1", 11, 2, "other");  // a late row, behind what was read
            compare(span);
            add(0, "w1", 1);
            compare(span);
            compare(span);
        }
    }

    void aTransactionThatWasOpenAtARefreshIsSeenByALaterOne() {
        add(5, "w1", 10);
        compare(hours{1});
        // Begun and numbered before the others, committed after them: a plain watermark would pass it by.
        std::thread slow{[this] {
            m_postgres->execute(
                "BEGIN; SELECT redeliver.add_counts('handler', 'slow', now() - interval '7 minutes', "
                "ARRAY[5,0,0,0,0,0,0,0,0,0,0,0,0]::bigint[], '{}'::smallint[], '{}'::bigint[]); "
                "SELECT pg_sleep(2); COMMIT");
        }};
        const auto asleep = [this] {
            return m_postgres->count(
                       "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' "
                       "AND datname = current_database()") == 1;
        };
        while (!asleep()) {
        }
        add(6, "w2", 4);
        const auto during = last(hours{1})->total.of(Outcome::Processed);
        const bool stillOpen = asleep();
        slow.join();
        QVERIFY(stillOpen);
        QCOMPARE(during, 14);
        compare(hours{1});
        QCOMPARE(last(hours{1})->total.of(Outcome::Processed), 19);
    }

    void rollUpsChangeNothing() {
        for (int minute = 400; minute < 900; minute += 7) {
            add(minute, "w1", minute % 13, minute % 3);
        }
        compare(hours{24});
        Maintenance maintenance{m_workspace->connections()};
        QVERIFY(maintenance.runOnce({}).rolledUp > 0);
        compare(hours{24});
        m_desk = m_workspace->telemetry();
        compare(hours{24});
    }

    void aDeadKafkaDelaysNothing() {
        Profile profile = m_workspace->profile();
        profile.kafka["bootstrap.servers"] = std::string{"127.0.0.1:1"};
        profile.consumers.push_back({});
        profile.consumers.back().name = ConsumerName{"handler"};
        profile.consumers.back().group = GroupName{"g"};
        profile.consumers.back().topics = {Topic{"t"}};
        const Workspace workspace{profile, plainSecretReader()};
        const auto desk = workspace.telemetry();
        add(1, "w1", 3);
        for (int i = 0; i < 5; ++i) {
            QElapsedTimer timer;
            timer.start();
            OverviewRequest request;
            request.last = hours{1};
            const SnapshotPtr snapshot = desk->overview(request, {});
            const Health health = desk->health({});
            QVERIFY2(timer.elapsed() < 2'000, qPrintable(QString::number(timer.elapsed())));
            QVERIFY(health.postgres.ok && health.postgres.roundTrip);
            QVERIFY(!health.kafka.ok);
            QVERIFY(!snapshot->consumers.at(0).lag.value);
            QVERIFY(!snapshot->consumers.at(0).lag.reason.empty());
        }
        QTRY_VERIFY_WITH_TIMEOUT(!desk->health({}).kafka.error.empty(), 10'000);
    }

    void withoutASchemaTheErrorSaysSo() {
        m_postgres->execute("DROP SCHEMA redeliver CASCADE");
        try {
            (void)last(hours{1});
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Schema);
            QVERIFY(QString::fromStdString(error.hint()).contains(QStringLiteral("migrate")));
        }
    }

    void aRangeThatIsOverIsTheSameEveryTime() {
        add(90, "w1", 5, 1);
        const TimePoint now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
        OverviewRequest request;
        request.range = {now - hours{2}, now - hours{1}};
        const SnapshotPtr first = m_desk->overview(request, {});
        QCOMPARE(first->total.deliveries(), 6);
        QCOMPARE(m_desk->overview(request, {})->total, first->total);
        request.range = {now - hours{1}, now};
        QCOMPARE(m_desk->overview(request, {})->total.deliveries(), 0);
        request.range = {now - hours{2}, now - hours{1}};
        QCOMPARE(m_desk->overview(request, {})->total, first->total);
    }
};

QTEST_GUILESS_MAIN(TstOverviewPostgres)
#include "tst_overview_postgres.moc"
