// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/dead_letter.h"
#include "core/consumer/delivery_log.h"
#include "core/consumer/duplicate.h"
#include "core/consumer/recorder.h"
#include "tests/core/consumer/model_world.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace redeliver;
using namespace redeliver::consumer;
using model::Database;

namespace {

DeliveryEvent failureOf(const model::ModelClock& clock, const std::string& id) {
    DeliveryEvent event;
    event.at = clock.now();
    event.consumer = ConsumerName{"c"};
    event.messageId = MessageId{id};
    event.errorText = "bad \xff byte";
    event.at_record = Coordinates{ClusterId{"K"}, Topic{"t"}, Partition{1}, Offset{7}};
    return event;
}

}  // namespace

/// What no guarded transaction carries: brought home once, never in the consumer's way.
class RecorderTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_options = Options{};
        m_options.consumer.name = ConsumerName{"c"};
        m_options.worker = WorkerName{"w"};
        m_options.spool = m_folder->filePath(QStringLiteral("s/x.spool")).toStdString();
        m_database = Database{};
    }

    void flushesOnce() {
        Recorder recorder(m_options, m_clock);
        model::ModelStore store(m_database, "c");
        recorder.failed(failureOf(m_clock, "a"));
        recorder.side(SideEvent::AckFailed, failureOf(m_clock, "b"));
        recorder.flush(store);
        recorder.flush(store);
        QCOMPARE(m_database.counts.of(Outcome::TransactionFailed), 1);
        QCOMPARE(m_database.counts.ackFailed, 1);
        QCOMPARE(m_database.events.size(), std::size_t{2});
        QVERIFY(recorder.idle());
    }

    void anInDoubtFlushIsAskedFor_data() {
        QTest::addColumn<bool>("done");
        QTest::newRow("committed") << true;
        QTest::newRow("not committed") << false;
    }

    void anInDoubtFlushIsAskedFor() {
        QFETCH(bool, done);
        Recorder recorder(m_options, m_clock);
        model::ModelStore store(m_database, "c");
        recorder.failed(failureOf(m_clock, "a"));
        store.telemetryFault = done ? Database::CommitFault::InDoubtDone : Database::CommitFault::InDoubtNotDone;
        recorder.flush(store);
        recorder.flush(store);
        QCOMPARE(m_database.counts.of(Outcome::TransactionFailed), 1);
        QVERIFY(recorder.idle());
    }

    void theSpoolOutlivesTheProcessAndIsReplayedOnce() {
        {
            Recorder recorder(m_options, m_clock);
            for (int i = 0; i < 3; ++i) {
                recorder.failed(failureOf(m_clock, "m" + std::to_string(i)));
                recorder.spill();
            }
        }
        Recorder recorder(m_options, m_clock);
        model::ModelStore store(m_database, "c");
        store.telemetryFault = Database::CommitFault::InDoubtDone;
        recorder.flush(store);  // the first is in doubt
        recorder.flush(store);
        recorder.flush(store);
        QCOMPARE(m_database.counts.of(Outcome::TransactionFailed), 3);
        QCOMPARE(m_database.events.size(), std::size_t{3});
        QCOMPARE(m_database.events.front().at_record->offset.value(), 7);
        QCOMPARE(recorder.dropped(), 0);
    }

    void aTornTailIsCutAndTheRestIsKept() {
        {
            Spool spool(m_options.spool, 1 << 20);
            QVERIFY(spool.append("one") && spool.append("two"));
        }
        std::filesystem::resize_file(m_options.spool, std::filesystem::file_size(m_options.spool) - 1);
        Spool spool(m_options.spool, 1 << 20);
        QCOMPARE(spool.front().value_or(""), std::string("one"));
        spool.pop();
        QVERIFY(!spool.front());
        QCOMPARE(spool.damaged(), 1);
        QVERIFY(spool.append("three"));
        QCOMPARE(spool.front().value_or(""), std::string("three"));
    }

    void aDamagedPayloadIsSkippedAndCounted() {
        {
            Spool spool(m_options.spool, 1 << 20);
            QVERIFY(spool.append("one") && spool.append("two"));
        }
        {
            std::fstream file(m_options.spool, std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(8);
            file.put('X');
        }
        Spool spool(m_options.spool, 1 << 20);
        QCOMPARE(spool.front().value_or(""), std::string("two"));
        QCOMPARE(spool.damaged(), 1);
    }

    void aFullSpoolDropsAndSaysSo() {
        m_options.spoolBytes = 600;
        Recorder recorder(m_options, m_clock);
        for (int i = 0; i < 10; ++i) {
            recorder.failed(failureOf(m_clock, "m" + std::to_string(i)));
            recorder.spill();
        }
        QVERIFY(recorder.dropped() > 0);
        model::ModelStore store(m_database, "c");
        recorder.flush(store);
        QVERIFY(m_database.has("telemetry_dropped"));
        QCOMPARE(m_database.counts.of(Outcome::TransactionFailed) + recorder.dropped(), 10);
    }

    void aSecondWorkerOfThatNameUsesMemoryOnly() {
        const Spool first(m_options.spool, 1000);
        const Spool second(m_options.spool, 1000);
        QVERIFY(first.usable());
        QVERIFY(!second.usable());
    }

    void deadLettersKeepBytesOrderAndAncestor() {
        Record record;
        record.tp = {Topic{"t"}, Partition{2}};
        record.offset = Offset{9};
        record.key = std::string("k\0", 2);
        record.headers = {
            {"a", "1"}, {"redeliver-only", "x"}, {"a", std::nullopt}, {"redeliver-source", "old/0/1"}, {"z", ""}};
        ConsumerInfo info;
        info.name = ConsumerName{"c"};
        info.deadLetter = Topic{"dlt"};
        const auto letter = deadLetterOf(info, ClusterId{"K"}, record, {"code", "text", 4});
        QCOMPARE(letter.key, record.key);
        QVERIFY(!letter.value);
        QCOMPARE(letter.headers[0], (Header{"a", "1"}));
        QCOMPARE(letter.headers[1], (Header{"a", std::nullopt}));
        QCOMPARE(letter.headers[2], (Header{"z", ""}));
        QCOMPARE(letter.headers[3], (Header{"redeliver-source", "t/2/9"}));
        QCOMPARE(letter.headers[4], (Header{"redeliver-origin", "old/0/1"}));
        for (const auto& header : letter.headers) {
            QVERIFY(header.name != "redeliver-only");
        }
    }

    void theKindsHaveTheirPrecedence() {
        const Coordinates here{ClusterId{"K"}, Topic{"t"}, Partition{0}, Offset{5}};
        const Coordinates there{ClusterId{"K"}, Topic{"t"}, Partition{0}, Offset{6}};
        const Coordinates otherLog{ClusterId{"L"}, Topic{"t"}, Partition{0}, Offset{5}};
        const FirstCopy first{here, "h", std::nullopt, false};
        QCOMPARE(judgeDuplicate(first, here, "h", false).kind, DuplicateKind::Redelivered);
        QCOMPARE(judgeDuplicate(first, there, "h", false).kind, DuplicateKind::PublishedAgain);
        QCOMPARE(judgeDuplicate(first, there, "h", false).identical, std::optional(true));
        QCOMPARE(judgeDuplicate(first, there, "x", false).identical, std::optional(false));
        QCOMPARE(judgeDuplicate(first, otherLog, "h", false).kind, DuplicateKind::PublishedAgain);
        QCOMPARE(judgeDuplicate({here, "h", std::nullopt, true}, here, "h", false).kind, DuplicateKind::Concurrent);
        QCOMPARE(judgeDuplicate({here, "h", std::nullopt, true}, here, "h", true).kind, DuplicateKind::Replayed);
        QCOMPARE(judgeDuplicate({std::nullopt, "", std::nullopt, false}, here, "h", false).kind,
                 DuplicateKind::Unknown);
    }

    void aReplayIdThatIsNoUuidIsNone() {
        Record record;
        record.headers = {{"redeliver-replay", "not-a-uuid"}};
        QVERIFY(!replayOf(record));
        record.headers = {{"redeliver-replay", "0b4f2d6e-8a53-4c8e-9f2d-1f0a4f3b2c1d"}};
        QVERIFY(replayOf(record));
    }

  private:
    std::unique_ptr<QTemporaryDir> m_folder;
    Options m_options;
    model::ModelClock m_clock;
    Database m_database;
};

QTEST_APPLESS_MAIN(RecorderTest)
#include "tst_recorder_unit.moc"
