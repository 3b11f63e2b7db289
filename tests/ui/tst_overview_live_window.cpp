// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// The real window on real servers: its figures against plain SQL, and its GUI thread while the servers are suspended.
#include "core/lab/private_kafka.h"
#include "core/lab/private_postgres.h"
#include "core/postgres/migrations.h"
#include "core/postgres/session.h"
#include "core/workspace/action_desk.h"
#include "core/workspace/browse_desk.h"
#include "core/workspace/replay_desk.h"
#include "core/workspace/telemetry_desk.h"
#include "core/workspace/workspace.h"
#include "tests/support/test_servers.h"
#include "ui/common/state_view.h"
#include "ui/common/tile.h"
#include "ui/context/live.h"
#include "ui/context/time_window.h"
#include "ui/frame/main_window.h"
#include "ui/frame/status_bar.h"
#include "ui/overview/consumers_model.h"
#include "ui/overview/consumers_view.h"
#include "ui/overview/overview_page.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <fmt/format.h>

using namespace redeliver;
using ui::ConsumersModel;
using ui::PageId;

namespace {

ui::Services realServices(const QTemporaryDir& folder) {
    const auto open = [](const Profile& profile) { return Workspace(profile, plainSecretReader(), "window test"); };
    ui::Services made;
    made.desks.telemetry = [open](const Profile& profile) { return open(profile).telemetry(); };
    made.desks.browse = [open](const Profile& profile) { return open(profile).browse(); };
    made.desks.actions = [open](const Profile& profile) { return open(profile).actions(); };
    made.desks.replays = [open](const Profile& profile) { return open(profile).replays(); };
    made.profileFolder = folder.filePath(QStringLiteral("profiles")).toStdString();
    made.settingsFile = folder.filePath(QStringLiteral("window.ini"));
    return made;
}

Profile profileOf(const std::string& dsn, const std::string& bootstrap) {
    Profile profile;
    profile.name = "live-test";
    profile.dsn = dsn;
    profile.kafka["bootstrap.servers"] = bootstrap;
    return profile;
}

/// The longest time the GUI thread did not come back to its event loop, less what it waited for a free processor: other
/// processes compete for this machine, and that is no blocking of ours.
class Watchdog : public QObject {
  public:
    Watchdog() {
        m_timer.setInterval(5);
        m_timer.setTimerType(Qt::PreciseTimer);
        connect(&m_timer, &QTimer::timeout, this, [this] {
            const qint64 queued = runQueueMs();
            const qint64 away = m_since.restart() - (queued - m_queued);
            if (away > 20) {
                qInfo("away for %lld ms", static_cast<long long>(away));
            }
            m_longest = std::max(m_longest, away);
            m_queued = queued;
            ++m_beats;
        });
        m_queued = runQueueMs();
        m_since.start();
        m_timer.start();
    }
    template <class Action>
    void measure(const char* what, Action action) {
        QElapsedTimer timer;
        timer.start();
        const qint64 queued = runQueueMs();
        action();
        if (const qint64 took = timer.elapsed() - (runQueueMs() - queued); took > 20) {
            qInfo("%s took %lld ms", what, static_cast<long long>(took));
        }
    }
    [[nodiscard]] qint64 longest() const noexcept { return m_longest; }
    [[nodiscard]] int beats() const noexcept { return m_beats; }

  private:
    // Second number of schedstat: nanoseconds this thread was ready to run and didn't.
    static qint64 runQueueMs() {
        QFile file(QStringLiteral("/proc/thread-self/schedstat"));
        return file.open(QIODevice::ReadOnly) ? file.readAll().split(' ').value(1).toLongLong() / 1'000'000 : 0;
    }
    QTimer m_timer;
    qint64 m_queued = 0;
    QElapsedTimer m_since;
    qint64 m_longest = 0;
    int m_beats = 0;
};

constexpr const char* fill = R"(
    INSERT INTO redeliver.consumers (consumer_name) VALUES ('alpha'), ('beta'), ('gamma');
    SELECT count(redeliver.add_counts(c, w, clock_timestamp() - make_interval(secs => i * 7),
               ARRAY[i % 13, i % 5, i % 2, i % 3, (i % 29) / 28, (i % 17) / 16, i % 5, 0, 0, 0, 0, (i % 11) / 10, 0]))
    FROM generate_series(1, 900) AS i, unnest(ARRAY['alpha', 'beta']) AS c, unnest(ARRAY['w1', 'w2']) AS w;)";

}  // namespace

class OverviewLiveTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeChoice::Light); }

    void figuresEqualPlainSqlSums() {
        const tests::TestPostgres database;
        const tests::TestKafka kafka;
        database.execute(fill);
        const QTemporaryDir folder;
        ui::MainWindow window(realServices(folder));
        window.resize(1280, 800);
        window.show();
        window.openProfile(profileOf(database.dsn(), kafka.bootstrap()));
        auto* page = static_cast<ui::OverviewPage*>(window.page(PageId::Overview));
        QTRY_VERIFY_WITH_TIMEOUT(page->snapshot() != nullptr, 15'000);
        compare(database, *page->snapshot());

        // A live refresh brings what came since, and nothing twice.
        database.execute(
            "SELECT redeliver.add_counts('gamma', 'w9', clock_timestamp(), ARRAY[1000,200,0,0,0,7,200,0,0,0,0,3,1]);"
            "SELECT redeliver.add_counts('alpha', 'w1', clock_timestamp() - interval '20 min', ARRAY[5,0,0,0,0,0])");
        const SnapshotPtr before = page->snapshot();
        QTRY_VERIFY_WITH_TIMEOUT(
            page->snapshot() != before && page->snapshot()->total.ackFailed > before->total.ackFailed, 15'000);
        compare(database, *page->snapshot());

        // An absolute range chosen in the window.
        const TimeRange whole = page->snapshot()->range;
        const TimePoint from = std::chrono::floor<std::chrono::minutes>(whole.from) + std::chrono::minutes(10);
        window.time().setRange({from, from + std::chrono::minutes(20)});
        QTRY_COMPARE_WITH_TIMEOUT(page->snapshot()->range.from, from, 15'000);
        compare(database, *page->snapshot());

        // What the table shows is what the sums say.
        const auto* table = page->findChild<ui::ConsumersView*>();
        const ConsumerRow& row = page->snapshot()->consumers[0];
        const QString failures = table->model()->index(0, ConsumersModel::Failures).data().toString();
        QCOMPARE(failures,
                 QStringLiteral("%1 / %2").arg(row.counts.of(Outcome::TransactionFailed)).arg(row.counts.ackFailed));
        QTRY_VERIFY_WITH_TIMEOUT(window.bottomBar().text().contains(QStringLiteral("PostgreSQL 1")), 15'000);
        QTRY_VERIFY_WITH_TIMEOUT(window.bottomBar().text().contains(QStringLiteral("Kafka · 1 broker")), 15'000);
    }

    void noSchemaOffersTheMigration() {
        const tests::TestPostgres database(false);
        const tests::TestKafka kafka;
        const QTemporaryDir folder;
        ui::MainWindow window(realServices(folder));
        window.show();
        window.openProfile(profileOf(database.dsn(), kafka.bootstrap()));
        auto* state = window.page(PageId::Overview)->findChild<ui::StateView*>();
        QTRY_COMPARE_WITH_TIMEOUT(state->state(), ui::StateView::State::NoSchema, 15'000);
    }

    void suspendedServersNeverBlockTheGuiThread() {
        lab::PrivatePostgres postgres;
        const lab::PrivateKafka kafka;
        postgres.createDatabase("orders");
        {
            postgres::ConnectOptions options;
            options.dsn = postgres.dsn("orders");
            postgres::Session session(options);
            (void)postgres::migrate(session);
        }
        postgres.execute("orders", fill);
        const QTemporaryDir folder;
        auto window = std::make_unique<ui::MainWindow>(realServices(folder));
        window->resize(1280, 720);
        window->show();
        window->live().setIntervalMs(500);
        window->openProfile(profileOf(postgres.dsn("orders"), kafka.bootstrap()));
        auto* page = static_cast<ui::OverviewPage*>(window->page(PageId::Overview));
        QTRY_VERIFY_WITH_TIMEOUT(page->snapshot() != nullptr, 15'000);
        QTest::qWait(1500);  // first paints and style are behind us: what is watched is the waiting

        postgres.suspend();
        kafka.suspend();
        Watchdog watchdog;
        QTRY_VERIFY_WITH_TIMEOUT(window->bottomBar().text().contains(QStringLiteral("stale")), 20'000);
        for (int i = 0; i < 20; ++i) {
            watchdog.measure("go to connections", [&] { window->go({PageId::Connections, {}, {}}); });
            QTest::qWait(40);
            watchdog.measure("go to overview", [&] { window->go({PageId::Overview, {}, {}}); });
            watchdog.measure("refresh", [&] { page->refresh(); });
            QTest::qWait(60);
        }
        QTRY_VERIFY_WITH_TIMEOUT(window->bottomBar().text().contains(QStringLiteral("no answer for")) ||
                                     window->bottomBar().text().contains(QStringLiteral("not reachable")),
                                 20'000);
        QVERIFY(watchdog.beats() > 100);
        qInfo("longest time away from the event loop: %lld ms", static_cast<long long>(watchdog.longest()));
        QVERIFY2(watchdog.longest() <= limit(), qPrintable(QString::number(watchdog.longest())));
        QVERIFY(page->findChild<ui::ConsumersView*>()->isVisible());

        postgres.resume();
        kafka.resume();
        QTRY_VERIFY_WITH_TIMEOUT(!window->bottomBar().text().contains(QStringLiteral("stale")), 30'000);

        // Closing while a server hangs doesn't wait for it.
        postgres.suspend();
        page->refresh();
        QTest::qWait(300);
        QElapsedTimer closing;
        closing.start();
        window.reset();
        QVERIFY2(closing.elapsed() < 1000, qPrintable(QString::number(closing.elapsed())));
        postgres.resume();
    }

  private:
    static qint64 limit() { return 50; }

    static void compare(const tests::TestPostgres& database, const Snapshot& snapshot) {
        const std::string where = fmt::format("bucket >= '{}' AND bucket < '{}'", toRfc3339(snapshot.grid.from, 6),
                                              toRfc3339(snapshot.grid.to(), 6));
        const auto sum = [&](const std::string& column, const std::string& more = {}) {
            return database.count("SELECT coalesce(sum(" + column + "), 0) FROM redeliver.delivery_counts WHERE " +
                                  where + more);
        };
        const std::array<std::pair<Outcome, const char*>, 6> columns{
            {{Outcome::Processed, "processed"},
             {Outcome::Duplicate, "duplicate"},
             {Outcome::Stale, "stale"},
             {Outcome::NotAddressed, "not_addressed"},
             {Outcome::Rejected, "rejected"},
             {Outcome::TransactionFailed, "transaction_failed"}}};
        Counts added;
        for (const Counts& bucket : snapshot.buckets) {
            added += bucket;
        }
        QCOMPARE(added, snapshot.total);
        for (const auto& [outcome, column] : columns) {
            QCOMPARE(snapshot.total.of(outcome), sum(column));
            for (const ConsumerRow& row : snapshot.consumers) {
                QCOMPARE(row.counts.of(outcome), sum(column, " AND consumer_name = '" + row.info.name.value() + "'"));
            }
        }
        QCOMPARE(snapshot.total.ackFailed, sum("ack_failed"));
        QCOMPARE(snapshot.total.inDoubt, sum("in_doubt"));
    }
};

QTEST_MAIN(OverviewLiveTest)
#include "tst_overview_live_window.moc"
