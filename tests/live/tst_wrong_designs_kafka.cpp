// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/live/worker_stage.h"

#include <QtTest>

#include <functional>

using namespace redeliver;
using namespace redeliver::tests;

namespace {

/// A consumer as people write it first, stepped by hand: what a step doesn't reach before the "death" never happens,
/// and the next life starts at the group's offset. Plain SQL and plain librdkafka.
class NaiveConsumer {
  public:
    explicit NaiveConsumer(WorkerStage& stage) : m_stage(stage) {}

    [[nodiscard]] std::string next() const {  ///< the message at the group's offset
        const auto records = m_stage.kafka.readAll(m_stage.topic);
        const auto at = static_cast<std::size_t>(position());
        return at < records.size() ? std::string(*lastHeader(records[at], "message-id")) : std::string();
    }
    void ack() { m_stage.kafka.commitOffsets(m_stage.groupOf("c"), m_stage.topic, {{0, position() + 1}}); }
    void apply(const std::string& id) { m_stage.db.execute(effect(id)); }
    void applyAndMark(const std::string& id) {
        m_stage.db.execute("BEGIN;" + effect(id) + ";" + marker(id) + ";COMMIT");
    }
    void mark(const std::string& id) { m_stage.db.execute(marker(id)); }
    [[nodiscard]] bool marked(const std::string& id) const {
        return m_stage.db.count("SELECT count(*) FROM redeliver.processed_messages WHERE message_id = '" + id + "'") >
               0;
    }

  private:
    [[nodiscard]] std::int64_t position() const {
        const auto committed = m_stage.kafka.committed(m_stage.groupOf("c"), m_stage.topic, 1);
        const auto it = committed.find(0);
        return it == committed.end() || it->second < 0 ? 0 : it->second;
    }
    static std::string effect(const std::string& id) {
        return "INSERT INTO redeliver_lab.effects(consumer_name, message_id, worker) VALUES ('c', '" + id +
               "', 'naive')";
    }
    static std::string marker(const std::string& id) {
        return "INSERT INTO redeliver.processed_messages(consumer_name, message_id) VALUES ('c', '" + id +
               "') ON CONFLICT DO NOTHING";
    }

    WorkerStage& m_stage;
};

}  // namespace

/// domain.md: "the wrong designs, shown failing", by the verifier that the right one passes.
class WrongDesignsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_stage = std::make_unique<WorkerStage>(1);
        m_stage->send(0, 3);
    }
    void cleanup() { m_stage.reset(); }

    void ackFirstLoses() {
        NaiveConsumer consumer(*m_stage);
        consumer.apply(consumer.next());
        consumer.ack();
        consumer.ack();  // … and dies before the effect of m1
        consumer.apply(consumer.next());
        consumer.ack();
        const auto verdict = verify(m_stage->kafka, m_stage->db, m_stage->topic, "c", {}, false);
        QCOMPARE(verdict.lost, std::vector<std::string>{"m1"});
    }

    void noMarkerRepeats() {
        NaiveConsumer consumer(*m_stage);
        consumer.apply(consumer.next());  // … and dies before the ack
        for (int i = 0; i < 3; ++i) {
            consumer.apply(consumer.next());
            consumer.ack();
        }
        const auto verdict = verify(m_stage->kafka, m_stage->db, m_stage->topic, "c", {}, false);
        QCOMPARE(verdict.repeated, std::vector<std::string>{"m0"});
    }

    void readThenInsertRaces() {
        NaiveConsumer consumer(*m_stage);
        const auto id = consumer.next();
        const bool firstSees = consumer.marked(id);
        const bool secondSees = consumer.marked(id);  // the other worker, in the same instant
        for (const bool sees : {firstSees, secondSees}) {
            if (!sees) {
                consumer.applyAndMark(id);
            }
        }
        const auto verdict = verify(m_stage->kafka, m_stage->db, m_stage->topic, "c", {"m1", "m2"});
        QCOMPARE(verdict.repeated, std::vector<std::string>{"m0"});
    }

    void aMarkerInAnotherStoreSplits() {
        NaiveConsumer consumer(*m_stage);
        consumer.mark(consumer.next());  // its own commit … and dies before the effect
        for (int i = 0; i < 3; ++i) {
            const auto id = consumer.next();
            if (!consumer.marked(id)) {
                consumer.applyAndMark(id);
            }
            consumer.ack();
        }
        const auto verdict = verify(m_stage->kafka, m_stage->db, m_stage->topic, "c");
        QCOMPARE(verdict.lost, std::vector<std::string>{"m0"});
        QCOMPARE(verdict.effectless, std::vector<std::string>{"m0"});
    }

    void ackInsideTheTransactionLoses() {
        NaiveConsumer consumer(*m_stage);
        const auto id = consumer.next();
        m_stage->db.execute(
            "BEGIN; INSERT INTO redeliver_lab.effects(consumer_name, message_id, worker) VALUES ('c', '" + id +
            "', 'naive'); ROLLBACK");  // acked in between, then the COMMIT failed
        consumer.ack();
        const auto verdict = verify(m_stage->kafka, m_stage->db, m_stage->topic, "c", {"m1", "m2"});
        QCOMPARE(verdict.lost, std::vector<std::string>{"m0"});
    }

    void theGuardedWorkerPassesTheSameVerifier() {
        const auto worker = m_stage->start("w");
        QVERIFY(m_stage->caughtUp());
        QCOMPARE(worker.stop(std::chrono::seconds(60)), 0);
        const auto verdict = verify(m_stage->kafka, m_stage->db, m_stage->topic, "c");
        QVERIFY2(verdict.good(), verdict.text().c_str());
    }

  private:
    std::unique_ptr<WorkerStage> m_stage;
};

QTEST_GUILESS_MAIN(WrongDesignsTest)
#include "tst_wrong_designs_kafka.moc"
