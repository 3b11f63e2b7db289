// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a consumer in another language sees: plain SQL through psql, nothing of ours.
#include "core/lab/private_postgres.h"
#include "core/model/histogram.h"
#include "tests/core/postgres/database.h"

#include <QtCore/QProcess>
#include <QtTest/QTest>

using namespace redeliver;
using tests::Database;
using tests::Login;

namespace {

struct Answer {
    QString out;
    QString error;
};

Answer psql(const std::string& dsn, const QString& script) {
    const auto folder = lab::PrivatePostgres::findPrograms().value_or("/usr/bin");
    QString program = QString::fromStdString((folder / "psql").string());
    if (!QFile::exists(program)) {
        program = QStringLiteral("psql");
    }
    QProcess process;
    process.start(program, {QStringLiteral("-XqtA"), QStringLiteral("-v"), QStringLiteral("VERBOSITY=verbose"),
                            QString::fromStdString(dsn)});
    process.write(script.toUtf8());
    process.closeWriteChannel();
    if (!process.waitForFinished()) {
        return {{}, QStringLiteral("psql did not end")};
    }
    return {QString::fromUtf8(process.readAllStandardOutput()).trimmed(),
            QString::fromUtf8(process.readAllStandardError())};
}

}  // namespace

class ForeignConsumerTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void firstTimeTrueThenFalse();
    void rollbackForgetsMarkerAndOffset();
    void namedArgumentsInAnyOrder();
    void movesConsumerOffsetsForwardOnly();
    void twoAtOnceOneWins();
    void duplicateAtOtherCoordinatesRenewsRetention();
    void unusableIdsAreRefused();
    void recordCountsAndExplains();
    void recordFindsTheKind();
    void recordRefusesNonsense();
    void latencySlotsAreTheProgramsOwn();
    void worksInASchemaBlindRole();
};

void ForeignConsumerTest::firstTimeTrueThenFalse() {
    Database database;
    const auto answer = psql(database.options().dsn, QStringLiteral("SELECT redeliver.try_mark('c', 'm-1');"
                                                                    "SELECT redeliver.try_mark('c', 'm-1');"
                                                                    "SELECT redeliver.try_mark('other', 'm-1');"));
    QCOMPARE(answer.error, QString());
    QCOMPARE(answer.out, QStringLiteral("t\nf\nt"));
}

void ForeignConsumerTest::rollbackForgetsMarkerAndOffset() {
    Database database;
    const auto answer =
        psql(database.options().dsn, QStringLiteral("BEGIN; SELECT redeliver.try_mark('c', 'm', 't', 0, 5); ROLLBACK;"
                                                    "SELECT count(*) FROM redeliver.processed_messages;"
                                                    "SELECT count(*) FROM redeliver.consumer_offsets;"
                                                    "SELECT redeliver.try_mark('c', 'm', 't', 0, 5);"));
    QCOMPARE(answer.out, QStringLiteral("t\n0\n0\nt"));
}

void ForeignConsumerTest::namedArgumentsInAnyOrder() {
    Database database;
    const auto answer = psql(
        database.options().dsn,
        QStringLiteral("SELECT redeliver.try_mark('c', 'm', content_hash => '\\x00ff', worker => 'w1', partition => 3, "
                       "topic => 't', \"offset\" => 9, cluster_id => 'k', record_timestamp => '2026-01-02 03:04:05Z', "
                       "replay_id => '00000000-0000-4000-8000-000000000001');"
                       "SELECT topic, partition, \"offset\", cluster_id, worker, replay_id, content_hash, "
                       "extract(epoch FROM record_timestamp)::bigint FROM redeliver.processed_messages;"));
    QCOMPARE(answer.error, QString());
    QCOMPARE(answer.out, QStringLiteral("t\nt|3|9|k|w1|00000000-0000-4000-8000-000000000001|\\x00ff|1767323045"));
}

void ForeignConsumerTest::movesConsumerOffsetsForwardOnly() {
    Database database;
    const auto answer = psql(
        database.options().dsn,
        QStringLiteral("SELECT redeliver.try_mark('c', 'a', 't', 0, 5); SELECT redeliver.try_mark('c', 'b', 't', 0, 9);"
                       "SELECT redeliver.try_mark('c', 'a', 't', 0, 5); SELECT redeliver.try_mark('c', 'x');"
                       "SELECT topic, partition, next_offset, highest_offset, state FROM redeliver.consumer_offsets;"));
    QCOMPARE(answer.out, QStringLiteral("t\nt\nf\nt\nt|0|10|10|running"));
}

void ForeignConsumerTest::twoAtOnceOneWins() {
    Database database;
    const auto dsn = database.options().dsn;
    QProcess first;
    first.start(QStringLiteral("psql"), {QStringLiteral("-XqtA"), QString::fromStdString(dsn)});
    first.write("BEGIN; SELECT redeliver.try_mark('c', 'm');\n");
    QVERIFY(first.waitForReadyRead());
    QCOMPARE(first.readAllStandardOutput().trimmed(), QByteArray("t"));
    QProcess second;
    second.start(QStringLiteral("psql"), {QStringLiteral("-XqtA"), QString::fromStdString(dsn)});
    second.write("SELECT redeliver.try_mark('c', 'm');\n");
    QVERIFY(second.waitForBytesWritten());
    QTRY_COMPARE(database.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                              "AND datname = current_database()"),
                 std::string("1"));
    QCOMPARE(second.bytesAvailable(), 0);
    first.write("COMMIT;\n");
    first.closeWriteChannel();
    QVERIFY(first.waitForFinished());
    second.closeWriteChannel();
    QVERIFY(second.waitForFinished());
    QCOMPARE(second.readAllStandardOutput().trimmed(), QByteArray("f"));
}

void ForeignConsumerTest::duplicateAtOtherCoordinatesRenewsRetention() {
    Database database;
    const auto answer =
        psql(database.options().dsn, QStringLiteral("SELECT redeliver.try_mark('c', 'm', 't', 0, 5);"
                                                    "SELECT redeliver.try_mark('c', 'm', 't', 0, 5);"
                                                    "SELECT last_seen_at IS NULL FROM redeliver.processed_messages;"
                                                    "SELECT redeliver.try_mark('c', 'm', 't', 0, 8);"
                                                    "SELECT last_seen_at >= processed_at, \"offset\" FROM "
                                                    "redeliver.processed_messages;"));
    QCOMPARE(answer.out, QStringLiteral("t\nf\nt\nf\nt|5"));
}

void ForeignConsumerTest::unusableIdsAreRefused() {
    Database database;
    for (const char* call : {"'c', ''", "'', 'm'", "'c', NULL", "NULL, 'm'", "'c', repeat('x', 1025)", "'c', 'm', 't'",
                             "'c', 'm', \"offset\" => 4"}) {
        const auto answer =
            psql(database.options().dsn, QStringLiteral("SELECT redeliver.try_mark(%1);").arg(QLatin1StringView(call)));
        QVERIFY2(answer.error.contains(QLatin1StringView("22023")), qPrintable(answer.error + answer.out));
    }
    QCOMPARE(psql(database.options().dsn, QStringLiteral("SELECT redeliver.try_mark('c', repeat('é', 512));")).out,
             QStringLiteral("t"));
}

void ForeignConsumerTest::recordCountsAndExplains() {
    Database database;
    const auto answer = psql(
        database.options().dsn,
        QStringLiteral(
            "SELECT redeliver.record('c', 'm1', latency => '5 ms'); SELECT redeliver.record('c', 'm2', 'processed');"
            "SELECT redeliver.record('c', 'm3', 'transaction_failed', topic => 't', partition => 1, "
            "\"offset\" => 7, worker => 'w', attempt => 3, error_code => '40001', error_text => 'again');"
            "SELECT redeliver.record('c', 'm3', 'ack_failed'); SELECT redeliver.record('c', 'm3', 'in_doubt');"
            "SELECT sum(processed), sum(transaction_failed), sum(ack_failed), sum(in_doubt), "
            "sum((SELECT sum(n) FROM unnest(latency_counts) n)) FROM redeliver.delivery_counts;"
            "SELECT outcome, message_id, topic, \"offset\", worker, attempt, error_code, error_text "
            "FROM redeliver.delivery_events ORDER BY event_id;"));
    QCOMPARE(answer.error, QString());
    QCOMPARE(
        answer.out.simplified().remove(u' '),
        QStringLiteral("2|1|1|1|1transaction_failed|m3|t|7|w|3|40001|againack_failed|m3||||1||in_doubt|m3||||1||"));
}

void ForeignConsumerTest::recordFindsTheKind() {
    Database database;
    const auto answer =
        psql(database.options().dsn,
             QStringLiteral(
                 "SELECT redeliver.try_mark('c', 'm', 't', 0, 5); SELECT redeliver.try_mark('c', 'bare');"
                 "SELECT redeliver.record('c', 'm', 'duplicate', topic => 't', partition => 0, \"offset\" => 5);"
                 "SELECT redeliver.record('c', 'm', 'duplicate', topic => 't', partition => 0, \"offset\" => 6);"
                 "SELECT redeliver.record('c', 'm', 'duplicate');"
                 "SELECT redeliver.record('c', 'bare', 'duplicate', topic => 't', partition => 0, \"offset\" => 6);"
                 "SELECT redeliver.record('c', 'm', 'duplicate', 'replayed');"
                 "SELECT string_agg(kind, ' ' ORDER BY event_id), bool_and(since_first_processed >= '0') "
                 "FROM redeliver.delivery_events;"
                 "SELECT sum(duplicate), sum(redelivered), sum(published_again), sum(replayed), sum(concurrent), "
                 "sum(unknown_kind) FROM redeliver.delivery_counts;"));
    QCOMPARE(answer.error, QString());
    QVERIFY2(
        answer.out.endsWith(QLatin1StringView("redelivered published_again unknown unknown replayed|t\n5|1|1|1|0|2")),
        qPrintable(answer.out));
}

void ForeignConsumerTest::recordRefusesNonsense() {
    Database database;
    for (const char* call : {"'c', 'm', 'done'", "'c', 'm', 'redelivered'", "'c', 'm', 'processed', 'replayed'",
                             "'c', 'm', 'duplicate', 'again'", "'', 'm'", "'c', 'm', NULL"}) {
        const auto answer =
            psql(database.options().dsn, QStringLiteral("SELECT redeliver.record(%1);").arg(QLatin1StringView(call)));
        QVERIFY2(answer.error.contains(QLatin1StringView("22023")), call);
    }
    QCOMPARE(database.sql("SELECT count(*) FROM redeliver.delivery_counts"), std::string("0"));
}

void ForeignConsumerTest::latencySlotsAreTheProgramsOwn() {
    Database database;
    for (const std::int64_t micros :
         {-5L, 0L, 1L, 63L, 64L, 65L, 127L, 128L, 5'000L, 123'456L, 3'599'999'999L, 3'600'000'000L, 9'000'000'000L}) {
        QCOMPARE(database.sql(fmt::format("SELECT redeliver.latency_slot('{} microseconds')", micros)),
                 fmt::format("{}", Histogram::slotOf(Duration{micros})));
    }
}

void ForeignConsumerTest::worksInASchemaBlindRole() {
    Database database;
    const Login role{database, "foreign", "GRANT redeliver_consumer TO {0}; ALTER ROLE {0} SET search_path = ''"};
    const auto answer = psql(database.as(role.name()).dsn,
                             QStringLiteral("BEGIN; SELECT redeliver.try_mark('c', 'm', 't', 0, 5);"
                                            "SELECT redeliver.record('c', 'm', latency => '5 ms'); COMMIT;"
                                            "SELECT redeliver.record('c', 'm', 'duplicate');"));
    QCOMPARE(answer.error, QString());
}

QTEST_APPLESS_MAIN(ForeignConsumerTest)
#include "tst_foreign_consumer_postgres.moc"
