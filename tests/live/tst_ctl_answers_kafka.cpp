// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"
#include "tests/live/ctl.h"

#include <QtTest>

#include <fmt/format.h>

#include <chrono>
#include <memory>

using namespace redeliver;
using namespace redeliver::tests;
using nlohmann::json;

namespace {

const json* find(const json& list, const char* key, const std::string& value) {
    for (const json& item : list) {
        if (item.at(key) == value) {
            return &item;
        }
    }
    return nullptr;
}

}  // namespace

// The answers of redeliverctl on real servers: shapes, sums, exit status.
class TstCtlAnswersKafka : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_postgres = std::make_unique<TestPostgres>();
        m_kafka = std::make_unique<TestKafka>();
        m_topic = m_kafka->createTopic("payments", 2);
        ProfileConsumer consumer;
        consumer.name = ConsumerName{"handler"};
        consumer.group = GroupName{m_kafka->unique("group")};
        consumer.topics = {Topic{m_topic}};
        consumer.markerRetention = std::chrono::seconds{7 * 86'400};
        m_folder = std::make_unique<QTemporaryDir>();
        const std::filesystem::path folder{m_folder->path().toStdString()};
        m_ctl = std::make_unique<Ctl>(writeTestProfile(folder, m_postgres->dsn(), m_kafka->bootstrap(), {consumer}));
    }
    void cleanup() {
        m_ctl.reset();
        m_kafka.reset();
        m_postgres.reset();
    }

    void consumersSayWhatCantBeKnownAsNullWithAReason() {
        const CtlAnswer answer = m_ctl->json(words("consumers"));
        QVERIFY2(answer.exit == 0, said(answer).c_str());
        const json* handler = find(answer.json.at("consumers"), "consumer", "handler");
        QVERIFY(handler != nullptr);
        for (const char* const key :
             {"duplicate_rate", "usual_rate", "p50_s", "p95_s", "p99_s", "replay_horizon_s", "lag"}) {
            QVERIFY2(handler->at(key).is_null(), key);
            QVERIFY2(handler->at(std::string{key} + "_reason").is_string(), key);
        }
        QCOMPARE(handler->at("marker_retention_s"), json(7 * 86'400));
        QCOMPARE(handler->at("state"), json("no_data"));
        QCOMPARE(handler->at("failures"), json(0));
    }

    void lagIsHonest() {
        const std::string group = m_kafka->unique("group");
        std::vector<OutgoingRecord> records;
        for (int i = 0; i < 30; ++i) {
            records.push_back(message(m_topic, "pay_" + std::to_string(i), i % 2));
        }
        m_kafka->produce(records);
        const auto lag = [&] {
            const CtlAnswer answer = m_ctl->json(words("consumers"));
            const json* handler = find(answer.json.at("consumers"), "consumer", "handler");
            return handler != nullptr ? *handler : json::object();
        };
        m_kafka->commitOffsets(group, m_topic, {{0, 5}, {1, 15}});
        QCOMPARE(lag().at("lag"), json(10));
        // Deleted before it was read: nothing waits any more, and that is said.
        m_kafka->deleteRecordsBelow(m_topic, 0, 15);
        const json deleted = lag();
        QCOMPARE(deleted.at("lag"), json(0));
        QVERIFY2(deleted.at("lag_reason").get<std::string>().find("10") != std::string::npos, deleted.dump().c_str());
        m_kafka->commitOffsets(group, m_topic, {{0, 1000}, {1, 15}});
        const json ahead = lag();
        QVERIFY2(ahead.at("lag").is_null() || ahead.at("lag") >= 0, ahead.dump().c_str());
        QVERIFY2(ahead.at("lag_reason").get<std::string>().find("985") != std::string::npos, ahead.dump().c_str());
    }

    void seriesEqualPlainSqlAndDontDependOnTheStep() {
        // Three hours of rows of two workers, some long rolled up, and one that a refresh must not count twice.
        m_postgres->execute(
            "INSERT INTO redeliver.delivery_counts (consumer_name, worker, bucket, bucket_s, processed, duplicate, "
            "redelivered, transaction_failed, ack_failed, in_doubt, stale, rejected, not_addressed) "
            "SELECT 'handler', 'w' || w, date_trunc('hour', now()) - interval '3 hours' + i * interval '10 seconds', "
            "10, "
            "i % 7, i % 3, i % 3, i % 2, 1, i % 5, 1, i % 4, 2 FROM generate_series(0, 1079) i, generate_series(1, 2) "
            "w");
        const TimePoint hour = std::chrono::floor<std::chrono::hours>(std::chrono::system_clock::now());
        const QString from = QString::fromStdString(toRfc3339(hour - std::chrono::hours{3}));
        const QString to = QString::fromStdString(toRfc3339(hour));
        for (const char* const step : {"10s", "30s", "1m", "7m", "1h", "3h"}) {
            const CtlAnswer answer =
                m_ctl->json({QStringLiteral("series"), QStringLiteral("handler"), QStringLiteral("--from"), from,
                             QStringLiteral("--to"), to, QStringLiteral("--step"), QString::fromLatin1(step)});
            QVERIFY2(answer.exit == 0, said(answer).c_str());
            std::map<std::string, std::int64_t> sums;
            for (const json& point : answer.json.at("points")) {
                for (const auto& [key, value] : point.items()) {
                    if (value.is_number()) {
                        sums[key] += value.get<std::int64_t>();
                    }
                }
                for (const auto& [key, value] : point.at("duplicates").items()) {
                    sums["duplicates"] += value.get<std::int64_t>();
                }
            }
            for (const char* const column :
                 {"processed", "transaction_failed", "ack_failed", "in_doubt", "stale", "rejected", "not_addressed"}) {
                QCOMPARE(sums.at(column),
                         m_postgres->count(fmt::format("SELECT sum({}) FROM redeliver.delivery_counts", column)));
            }
            QCOMPARE(sums.at("duplicates"), m_postgres->count("SELECT sum(duplicate) FROM redeliver.delivery_counts"));
            QCOMPARE(answer.json.at("step_s").get<std::int64_t>(), parseSpan(step)->count());
        }
    }

    void seriesSurviveARollUp() {
        m_postgres->execute(
            "INSERT INTO redeliver.delivery_counts (consumer_name, worker, bucket, bucket_s, processed) "
            "SELECT 'handler', 'w', date_trunc('hour', now()) - interval '9 hours' + i * interval '10 seconds', 10, i "
            "FROM generate_series(0, 359) i");
        const TimePoint hour = std::chrono::floor<std::chrono::hours>(std::chrono::system_clock::now());
        const QStringList arguments{
            QStringLiteral("series"), QStringLiteral("handler"),
            QStringLiteral("--from"), QString::fromStdString(toRfc3339(hour - std::chrono::hours{9})),
            QStringLiteral("--to"),   QString::fromStdString(toRfc3339(hour - std::chrono::hours{8})),
            QStringLiteral("--step"), QStringLiteral("10s")};
        const auto sum = [&](const CtlAnswer& answer) {
            std::int64_t total = 0;
            for (const json& point : answer.json.at("points")) {
                total += point.at("processed").get<std::int64_t>();
            }
            return total;
        };
        const CtlAnswer before = m_ctl->json(arguments);
        QCOMPARE(sum(before), 359 * 360 / 2);
        const CtlAnswer maintained = m_ctl->json(words("maintain --once"));
        QVERIFY2(maintained.exit == 0 && maintained.json.at("rolled_up") > 0, said(maintained).c_str());
        QCOMPARE(m_postgres->count("SELECT count(*) FROM redeliver.delivery_counts WHERE bucket_s = 60"), 60);
        const CtlAnswer after = m_ctl->json(arguments);
        QCOMPARE(sum(after), sum(before));
        // Not drawn finer than it is known.
        QCOMPARE(after.json.at("step_s"), json(60));
    }

    void anUnknownConsumerIsNotFoundAndASilentOneIsEmpty() {
        const CtlAnswer unknown = m_ctl->run(words("series nobody --from -1h"));
        QCOMPARE(unknown.exit, 5);
        QVERIFY2(unknown.err.find("handler") != std::string::npos, said(unknown).c_str());
        const CtlAnswer silent = m_ctl->json(words("series handler --from -1h --step 10m"));
        QCOMPARE(silent.exit, 0);
        QVERIFY(silent.json.at("points").size() >= 6);
    }

    void idsOfTheLanguagesOwnCharactersAreFoundExactly() {
        const QStringList ids{QStringLiteral("a*b"),     QStringLiteral("axb"),           QStringLiteral("a%b"),
                              QStringLiteral("a_b"),     QStringLiteral("id:7"),          QStringLiteral("x\"y"),
                              QStringLiteral("O'Brien"), QStringLiteral(" lead"),         QStringLiteral("trail "),
                              QStringLiteral("-neg"),    QStringLiteral("(1)"),           QStringLiteral("back\\slash"),
                              QStringLiteral("日本"),    QStringLiteral("topic:payments")};
        for (QString id : ids) {
            m_postgres->execute(fmt::format(
                "INSERT INTO redeliver.processed_messages (consumer_name, message_id) VALUES ('handler', '{}')",
                id.replace(QLatin1Char('\''), QStringLiteral("''")).toStdString()));
        }
        for (const QString& id : ids) {
            QString quoted = id;
            quoted.replace(QLatin1Char('\\'), QStringLiteral("\\\\")).replace(QLatin1Char('"'), QStringLiteral("\\\""));
            const CtlAnswer answer = m_ctl->json({QStringLiteral("search"), QStringLiteral("id:\"%1\"").arg(quoted)});
            QVERIFY2(answer.exit == 0, said(answer).c_str());
            QCOMPARE(answer.json.at("results").size(), std::size_t{1});
            QCOMPARE(answer.json.at("results")[0].at("message_id"), json(id.toStdString()));
            QCOMPARE(answer.json.at("complete"), json(true));
            // The detail takes the ID itself, no language in between; a leading dash goes behind "--".
            const CtlAnswer detail =
                m_ctl->run({QStringLiteral("--json"), QStringLiteral("message"), QStringLiteral("--"), id});
            QVERIFY2(detail.exit == 0, said(detail).c_str());
            QCOMPARE(detail.json.at("message_id"), json(id.toStdString()));
        }
        QCOMPARE(m_ctl->json({QStringLiteral("search"), QStringLiteral("id~a_b")}).json.at("results").size(),
                 std::size_t{1});
        QCOMPARE(m_ctl->json({QStringLiteral("search"), QStringLiteral("id:a*")}).json.at("results").size(),
                 std::size_t{4});
        const CtlAnswer cut = m_ctl->json(words("search id:a* --limit 2"));
        QCOMPARE(cut.exit, 0);
        QCOMPARE(cut.json.at("complete"), json(false));
        QCOMPARE(cut.json.at("results").size(), std::size_t{2});
        const CtlAnswer none = m_ctl->json(words("search nothing_here"));
        QCOMPARE(none.exit, 0);
        QCOMPARE(none.json.at("results"), json::array());
        const CtlAnswer wrong = m_ctl->run(words("search foo:bar"));
        QCOMPARE(wrong.exit, 2);
        QVERIFY2(wrong.err.find("position 1") != std::string::npos, said(wrong).c_str());
    }

    void aMessageComesWithItsRecordFromTheBroker() {
        OutgoingRecord record = message(m_topic, "pay_1", 1, {{"empty", ""}, {"null", std::nullopt}});
        record.key = std::string("\xff\x00k", 3);
        m_kafka->produce({message(m_topic, "pay_0", 1), record});
        m_postgres->execute(
            fmt::format("INSERT INTO redeliver.processed_messages (consumer_name, message_id, topic, partition, "
                        "\"offset\", worker) "
                        "VALUES ('handler', 'pay_1', '{}', 1, 1, 'w1')",
                        m_topic));
        const CtlAnswer answer = m_ctl->json(words("message pay_1"));
        QVERIFY2(answer.exit == 0, said(answer).c_str());
        const json* marker = find(answer.json.at("markers"), "consumer", "handler");
        QVERIFY(marker != nullptr);
        QCOMPARE(marker->at("marker").at("worker"), json("w1"));
        QVERIFY(marker->at("kept_until").is_string());
        const json& found = answer.json.at("record");
        QVERIFY2(found.is_object(), said(answer).c_str());
        QCOMPARE(found.at("offset"), json(1));
        QCOMPARE(found.at("key").at("base64"), json("/wBr"));
        const json* empty = find(found.at("headers"), "name", "empty");
        const json* null = find(found.at("headers"), "name", "null");
        QVERIFY(empty != nullptr && null != nullptr);
        QCOMPARE(empty->at("value"), json(""));
        QVERIFY(null->at("value").is_null());

        m_kafka->deleteRecordsBelow(m_topic, 1, 2);
        const CtlAnswer gone = m_ctl->json(words("message pay_1"));
        QCOMPARE(gone.exit, 0);
        QVERIFY(gone.json.at("record").is_null());
        QVERIFY2(gone.json.at("record_reason").get<std::string>().find("2") != std::string::npos, said(gone).c_str());
        QCOMPARE(m_ctl->run(words("message pay_2")).exit, 5);
    }

    void stoppedPartitionsAreListedAndReleased() {
        m_postgres->execute(fmt::format(
            "INSERT INTO redeliver.consumer_offsets (consumer_name, topic, partition, next_offset, state, stop_code, "
            "stop_reason, stop_suggests, stopped_at) VALUES ('handler', '{0}', 0, 7, 'stopped', 'group-ahead', "
            "'the group is at 9, we are at 7', 9, now()), ('handler', '{0}', 1, 3, 'running', '', '', NULL, NULL)",
            m_topic));
        const CtlAnswer list = m_ctl->json(words("partition list"));
        QVERIFY2(list.exit == 0, said(list).c_str());
        QCOMPARE(list.json.at("partitions").size(), std::size_t{2});
        const json& stopped = list.json.at("partitions")[0].at("state") == "stopped" ? list.json.at("partitions")[0]
                                                                                     : list.json.at("partitions")[1];
        QCOMPARE(stopped.at("stop").at("code"), json("group-ahead"));
        QCOMPARE(stopped.at("stop").at("suggested_skip"), json(9));
        QCOMPARE(m_ctl->json(words("partition list --stopped")).json.at("partitions").size(), std::size_t{1});
        const CtlAnswer people = m_ctl->run(words("partition list"));
        QVERIFY2(people.out.find("partition skip-to handler " + m_topic + " 0 9") != std::string::npos,
                 said(people).c_str());

        const QString topic = QString::fromStdString(m_topic);
        const QStringList place{QStringLiteral("handler"), topic, QStringLiteral("0")};
        const auto partition = [&](const char* verb, const QStringList& more) {
            return m_ctl->run(QStringList{QStringLiteral("partition"), QString::fromLatin1(verb)} + more);
        };
        QCOMPARE(partition("skip-to", place + words("9")).exit, 2);
        QCOMPARE(partition("skip-to", place + words("9 --reason")).exit, 2);
        QCOMPARE(partition("retry", {QStringLiteral("handler"), topic, QStringLiteral("5")}).exit, 5);
        QCOMPARE(partition("retry", {QStringLiteral("handler"), topic, QStringLiteral("1")}).exit, 4);
        const CtlAnswer skip = partition("skip-to", place + words("9 --reason poison"));
        QVERIFY2(skip.exit == 0, said(skip).c_str());
        QCOMPARE(m_postgres->execute("SELECT requested || ' ' || requested_offset || ' ' || requested_reason "
                                     "FROM redeliver.consumer_offsets WHERE partition = 0"),
                 std::string{"skip-to 9 poison"});
        QVERIFY(m_postgres->count("SELECT count(*) FROM redeliver.audit") > 0);
    }

    void consumersSetWritesTheRegistry() {
        const CtlAnswer set =
            m_ctl->run(words("consumers set other --group g --topic a --topic b --marker-retention 2d "
                             "--replay-horizon 1w --message-id header:message-id"));
        QVERIFY2(set.exit == 0, said(set).c_str());
        QCOMPARE(m_postgres->execute(
                     "SELECT extract(epoch FROM marker_retention)::bigint || ' ' || array_to_string(topics, '+') "
                     "FROM redeliver.consumers WHERE consumer_name = 'other'"),
                 std::string{"172800 a+b"});
        QVERIFY(find(m_ctl->json(words("consumers")).json.at("consumers"), "consumer", "other") != nullptr);
        QCOMPARE(m_ctl->run(words("consumers set other --marker-retention 2")).exit, 2);
        QCOMPARE(m_ctl->run(words("consumers set other --message-id nonsense")).exit, 2);
    }

    void linesAreOneObjectEach() {
        m_postgres->execute(
            "INSERT INTO redeliver.processed_messages (consumer_name, message_id) "
            "SELECT 'handler', 'm' || i FROM generate_series(1, 5) i");
        const CtlAnswer answer = m_ctl->run(words("search id:m* --jsonl"));
        QCOMPARE(answer.exit, 0);
        const QStringList lines = QString::fromStdString(answer.out).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 5);
        for (const QString& line : lines) {
            QVERIFY(json::parse(line.toStdString()).at("message_id").is_string());
        }
    }

    void theDoctorFindsEverythingWell() {
        const CtlAnswer answer = m_ctl->json(words("doctor"));
        QVERIFY2(answer.exit == 0, said(answer).c_str());
        QCOMPARE(answer.json.at("ok"), json(true));
        QVERIFY(find(answer.json.at("steps"), "server", "postgres") != nullptr);
        QVERIFY(find(answer.json.at("steps"), "server", "kafka") != nullptr);
    }

    void timesNeedAZoneAndAreEchoed() {
        const CtlAnswer answer = m_ctl->run({QStringLiteral("series"), QStringLiteral("handler"),
                                             QStringLiteral("--from"), QStringLiteral("2026-11-30T16:00:00+05:30"),
                                             QStringLiteral("--to"), QStringLiteral("2026-11-30T16:15:00+0530")});
        QVERIFY2(answer.exit == 0, said(answer).c_str());
        QVERIFY2(answer.err.find("2026-11-30T10:30:00") != std::string::npos, said(answer).c_str());
        for (const char* const bad : {"2026-11-30T16:00:00", "1796034600", "1796034600000", "yesterday"}) {
            const CtlAnswer refused = m_ctl->run({QStringLiteral("series"), QStringLiteral("handler"),
                                                  QStringLiteral("--from"), QString::fromLatin1(bad)});
            QVERIFY2(refused.exit == 2, said(refused).c_str());
        }
    }

    void recordsOfATimeWindowAreTheSameInEveryZonesSpelling() {
        const auto at = [](const char* text) { return parseRfc3339(text).value(); };
        std::vector<OutgoingRecord> records;
        for (const char* const time : {"10:00", "10:15", "10:30", "10:45", "11:00"}) {
            records.push_back(message(m_topic, time, 0));
            records.back().timestamp = at(("2026-11-30T" + std::string{time} + ":00Z").c_str());
        }
        m_kafka->produce(records);
        const QString topic = QString::fromStdString(m_topic);
        const auto browse = [&](const char* from, const char* to) {
            return m_ctl->json({QStringLiteral("records"), topic, QStringLiteral("--from"), QString::fromLatin1(from),
                                QStringLiteral("--to"), QString::fromLatin1(to)});
        };
        const std::vector<std::pair<const char*, const char*>> spellings{
            {"2026-11-30T16:00:00+05:30", "2026-11-30T16:15:00+05:30"},
            {"2026-11-30T16:00:00+0530", "2026-11-30T16:15:00+0530"},
            {"2026-11-30T16:15:00+05:45", "2026-11-30T16:30:00+05:45"},
            {"2026-11-30T07:00:00-03:30", "2026-11-30T07:15:00-03:30"},
            {"2026-11-30T21:00:00+10:30", "2026-11-30T21:15:00+10:30"},
            {"2026-11-30T10:30:00Z", "2026-11-30T10:45:00z"}};
        for (const auto& [from, to] : spellings) {
            const CtlAnswer answer = browse(from, to);
            QVERIFY2(answer.exit == 0, said(answer).c_str());
            QCOMPARE(answer.json.at("records").size(), std::size_t{1});
            QCOMPARE(answer.json.at("records")[0].at("timestamp"), json("2026-11-30T10:30:00.000Z"));
        }
        QCOMPARE(browse("2026-11-30T16:00:00", "now").exit, 2);
        QCOMPARE(browse("1796034600", "now").exit, 2);
        QCOMPARE(m_ctl->run(words("records no-such-topic")).exit, 5);
    }

    void theNewestByOffsetComeFirstAlsoWhenTimeRunsBackwards() {
        std::vector<OutgoingRecord> records;
        const TimePoint now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
        for (int i = 0; i < 60; ++i) {
            records.push_back(message(m_topic, "m" + std::to_string(i), 0));
            records.back().timestamp = i < 50 ? now : now - std::chrono::hours{24 * 5};
        }
        m_kafka->produce(records);
        const QString topic = QString::fromStdString(m_topic);
        const CtlAnswer end = m_ctl->json({QStringLiteral("records"), topic, QStringLiteral("--partition"),
                                           QStringLiteral("0"), QStringLiteral("--from"), QStringLiteral("end"),
                                           QStringLiteral("--limit"), QStringLiteral("20")});
        QVERIFY2(end.exit == 0, said(end).c_str());
        QCOMPARE(end.json.at("records").size(), std::size_t{20});
        QCOMPARE(end.json.at("records")[0].at("offset"), json(59));
        QCOMPARE(end.json.at("time_runs_backwards_at"), json::array({"0@50"}));
        const CtlAnswer hour = m_ctl->json({QStringLiteral("records"), topic, QStringLiteral("--from"),
                                            QStringLiteral("-1h"), QStringLiteral("--limit"), QStringLiteral("1000")});
        QCOMPARE(hour.json.at("records").size(), std::size_t{50});
        QCOMPARE(hour.json.at("outside_by_timestamp"), json(10));
        const CtlAnswer cut =
            m_ctl->json({QStringLiteral("records"), topic, QStringLiteral("--limit"), QStringLiteral("7")});
        QCOMPARE(cut.json.at("records").size(), std::size_t{7});
        QCOMPARE(cut.json.at("complete"), json(false));
        const CtlAnswer exact =
            m_ctl->json({QStringLiteral("records"), topic, QStringLiteral("--limit"), QStringLiteral("60")});
        QCOMPARE(exact.json.at("records").size(), std::size_t{60});
        QCOMPARE(exact.json.at("complete"), json(true));
    }

  private:
    std::unique_ptr<TestPostgres> m_postgres;
    std::unique_ptr<TestKafka> m_kafka;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Ctl> m_ctl;
    std::string m_topic;
};

QTEST_GUILESS_MAIN(TstCtlAnswersKafka)
#include "tst_ctl_answers_kafka.moc"
