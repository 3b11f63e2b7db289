// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/classifier.h"
#include "tests/core/replay/consumer_model.h"

#include <QtTest>

#include <fmt/format.h>

#include <random>

using namespace redeliver;
using namespace redeliver::replay;
using redeliver::tests::ConsumerModel;

namespace {

using Class = MessageClass;
using Reason = UnprotectedReason;

constexpr std::chrono::seconds retention{100};

// Classifies everything in the model's log.
Classified classifyAll(ConsumerModel& model, std::vector<ChosenRecord>& records,
                       std::vector<std::optional<MessageId>>& ids) {
    records.clear();
    ids.clear();
    for (std::int32_t partition = 0; partition < model.partitions(); ++partition) {
        for (const auto& one : model.log(partition)) {
            records.push_back({Partition{partition}, one.offset, one.at, false, std::nullopt, std::nullopt});
            ids.emplace_back(MessageId{one.id});
        }
    }
    Seer seer;
    seer.info.name = ConsumerName{"c"};
    seer.info.markerRetention = retention;
    seer.committed = model.committed();
    return classify({ClusterId{"k"}, Topic{"t"}, records, ids, seer, model.now(), 1000, {}}, model, {});
}

Classified classifyAll(ConsumerModel& model) {
    std::vector<ChosenRecord> records;
    std::vector<std::optional<MessageId>> ids;
    return classifyAll(model, records, ids);
}

}  // namespace

class ClassifierTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void passedWithoutAMarkerIsAHole();
    void evidenceMakesAPassedRecordNew();
    void groupAheadOfUsDevaluesEvidence();
    void belowTheLedgerNothingIsProof();
    void withoutOneMarkerTheHorizonIsUnknown();
    void declaredEdgeCountsAsProven();
    void hiddenRowsProveNothing();
    void withoutAUniqueKeyAMarkerProtectsNothing();
    void pastItsRetentionAMarkerIsExpiring();
    void twiceInThePlanTheFirstIsApplied();
    void copiesAreJudgedByTheWorseOfBoth();
    void noWindowCalledSafeHoldsAProcessedMessage_data();
    void noWindowCalledSafeHoldsAProcessedMessage();
};

void ClassifierTest::passedWithoutAMarkerIsAHole() {
    ConsumerModel model(1, true);
    for (const char* id : {"a", "b", "c", "d"}) {
        model.append(0, id);
    }
    model.deliver(0);
    model.deliver(0);
    model.deliver(0);
    model.loseMarker("b");
    const Classified found = classifyAll(model);
    QVERIFY(found.classes ==
            std::vector<Class>({Class::Protected, Class::Unprotected, Class::Protected, Class::NeverProcessed}));
    QVERIFY(found.reasons[1] == Reason::Hole);
}

void ClassifierTest::evidenceMakesAPassedRecordNew() {
    ConsumerModel model(1, true);
    model.append(0, "a");
    model.append(0, "b");
    model.reject(0);
    model.deliver(0);
    QVERIFY(classifyAll(model).classes == std::vector<Class>({Class::NeverProcessed, Class::Protected}));
}

void ClassifierTest::groupAheadOfUsDevaluesEvidence() {
    ConsumerModel model(1, true);
    model.append(0, "a");
    model.append(0, "b");
    model.append(0, "c");
    model.reject(0);
    model.setGroup(0, 2);
    const Classified found = classifyAll(model);
    QVERIFY(found.classes == std::vector<Class>({Class::Unprotected, Class::Unprotected, Class::NeverProcessed}));
    QVERIFY(found.reasons[0] == Reason::Hole);
    QVERIFY(found.reasons[1] == Reason::RestoredOrSkipped);
}

void ClassifierTest::belowTheLedgerNothingIsProof() {
    ConsumerModel model(1, true);
    model.append(0, "a");
    model.append(0, "b");
    model.deliver(0);
    model.advance(std::chrono::seconds{500});
    model.append(0, "c");
    model.deliver(0);
    model.deliver(0);
    model.advance(std::chrono::seconds{50});
    model.sweep(retention);
    const Classified found = classifyAll(model);
    QVERIFY(found.classes[0] == Class::Unprotected);
    QVERIFY(found.reasons[0] == Reason::OlderThanHorizon);
    QVERIFY(found.classes[1] == Class::Protected);
    QVERIFY(found.horizon.basis == HorizonBasis::Ledger);
    QVERIFY(found.horizon.offsets.at(Partition{0}) == Offset{1});
}

void ClassifierTest::withoutOneMarkerTheHorizonIsUnknown() {
    ConsumerModel model(1, false);
    model.append(0, "a");
    const Classified found = classifyAll(model);
    QVERIFY(found.classes[0] == Class::Unprotected && found.reasons[0] == Reason::HorizonUnknown);
    QVERIFY(found.horizon.basis == HorizonBasis::Unknown && !found.horizon.at);
}

void ClassifierTest::declaredEdgeCountsAsProven() {
    ConsumerModel model(1, false);
    model.append(0, "old");
    model.advance(std::chrono::milliseconds{1});
    model.append(0, "edge");
    model.advance(std::chrono::milliseconds{1});
    model.append(0, "new");
    model.addMarker("x", model.now() - std::chrono::hours{1});
    model.advance(retention - std::chrono::milliseconds{1});
    const Classified found = classifyAll(model);
    QVERIFY(found.horizon.basis == HorizonBasis::Declared);
    QVERIFY(found.classes[0] == Class::Unprotected);
    QVERIFY(found.classes[1] == Class::NeverProcessed);
    QVERIFY(found.classes[2] == Class::NeverProcessed);
    // The oldest marker still there decides where it is younger.
    ConsumerModel young(1, false);
    young.append(0, "a");
    young.advance(std::chrono::seconds{10});
    young.addMarker("x", young.now());
    QVERIFY(classifyAll(young).horizon.basis == HorizonBasis::OldestMarker);
    QVERIFY(classifyAll(young).classes[0] == Class::Unprotected);
}

void ClassifierTest::hiddenRowsProveNothing() {
    for (const bool replica : {false, true}) {
        ConsumerModel model(1, true);
        model.append(0, "a");
        model.append(0, "b");
        model.deliver(0);
        model.seen.complete = replica;
        model.seen.replica = replica;
        const Classified found = classifyAll(model);
        QVERIFY(found.classes[0] == Class::Protected);  // the marker itself still protects its ID
        QVERIFY(found.classes[1] == Class::Unprotected && found.reasons[1] == Reason::RowsHidden);
    }
}

void ClassifierTest::withoutAUniqueKeyAMarkerProtectsNothing() {
    ConsumerModel model(1, true);
    model.append(0, "a");
    model.deliver(0);
    model.seen.unique = false;
    const Classified found = classifyAll(model);
    QVERIFY(found.classes[0] == Class::Unprotected && found.reasons[0] == Reason::NotUnique);
}

void ClassifierTest::pastItsRetentionAMarkerIsExpiring() {
    ConsumerModel model(1, true);
    model.append(0, "a");
    model.deliver(0);
    model.advance(retention - std::chrono::seconds{1});
    QVERIFY(classifyAll(model).classes[0] == Class::Protected);  // our sweep waits for the replay
    model.advance(std::chrono::seconds{1});
    QVERIFY(classifyAll(model).classes[0] == Class::Expiring);
    ConsumerModel foreign(1, false);
    foreign.append(0, "a");
    foreign.deliver(0);
    foreign.advance(retention - std::chrono::seconds{61});
    QVERIFY(classifyAll(foreign).classes[0] == Class::Protected);
    foreign.advance(std::chrono::seconds{1});
    QVERIFY(classifyAll(foreign).classes[0] == Class::Expiring);  // nobody holds that sweep: 60 s in reserve
}

void ClassifierTest::twiceInThePlanTheFirstIsApplied() {
    ConsumerModel model(1, true);
    model.append(0, "lost");
    model.append(0, "other");
    model.deliver(0);
    model.loseMarker("lost");
    model.append(0, "lost");
    model.append(0, "new");
    model.append(0, "new");
    model.deliver(0);
    const Classified found = classifyAll(model);
    QVERIFY(found.classes == std::vector<Class>({Class::Unprotected, Class::Protected, Class::Unprotected,
                                                 Class::NeverProcessed, Class::Protected}));
}

void ClassifierTest::copiesAreJudgedByTheWorseOfBoth() {
    ConsumerModel model(1, true);
    model.append(0, "a");
    model.append(0, "b");
    model.deliver(0);
    model.deliver(0);
    model.loseMarker("a");
    Seer seer;
    seer.info.name = ConsumerName{"c"};
    seer.committed = model.committed();
    const auto judge = [&](std::optional<Coordinates> origin) {
        const std::vector<ChosenRecord> records{
            {Partition{0}, Offset{2}, model.now(), true, std::move(origin), std::nullopt}};
        const std::vector<std::optional<MessageId>> ids{MessageId{"a"}};
        const Classified found =
            classify({ClusterId{"k"}, Topic{"t"}, records, ids, seer, model.now(), 1000, {}}, model, {});
        return std::pair(found.classes[0], found.reasons[0]);
    };
    const auto at = [](const char* topic, std::int64_t offset) {
        return Coordinates{{}, Topic{topic}, Partition{0}, Offset{offset}};
    };
    QVERIFY(judge(at("t", 0)) == std::pair(Class::Unprotected, std::optional(Reason::Hole)));
    QVERIFY(judge(at("t", 2)).first == Class::NeverProcessed);
    QVERIFY(judge(at("elsewhere", 2)) == std::pair(Class::Unprotected, std::optional(Reason::OtherLog)));
    QVERIFY(judge(std::nullopt) == std::pair(Class::Unprotected, std::optional(Reason::OtherLog)));
}

void ClassifierTest::noWindowCalledSafeHoldsAProcessedMessage_data() {
    QTest::addColumn<bool>("guarded");
    QTest::newRow("with ledger and events") << true;
    QTest::newRow("markers and a group only") << false;
}

// Random histories of deliveries, rejections, lags, rewinds, repeats, sweeps and (with a ledger) restores.
void ClassifierTest::noWindowCalledSafeHoldsAProcessedMessage() {
    QFETCH(bool, guarded);
    std::int64_t neverProcessed = 0;
    std::int64_t unprotected = 0;
    std::int64_t needless = 0;
    for (unsigned seed = 1; seed <= 10'000; ++seed) {
        std::mt19937 random(seed);
        ConsumerModel model(2, guarded);
        bool faulty = false;
        const int steps = 10 + static_cast<int>(random() % 60);
        for (int step = 0; step < steps; ++step) {
            faulty = model.randomStep(random, retention) || faulty;
        }
        std::vector<ChosenRecord> records;
        std::vector<std::optional<MessageId>> ids;
        const Classified found = classifyAll(model, records, ids);
        std::set<std::string> firsts;
        for (std::size_t i = 0; i < records.size(); ++i) {
            const std::string& id = ids[i]->value();
            const std::string where =
                fmt::format("seed {}: {} at {}/{} is called {}\n{}", seed, id, records[i].partition.value(),
                            records[i].offset.value(), toText(found.classes[i]), model.story());
            if (found.classes[i] == Class::NeverProcessed) {
                ++neverProcessed;
                firsts.insert(id);
                QVERIFY2(!model.wasProcessed(id) || model.excused(id), where.c_str());
            } else if (found.classes[i] == Class::Unprotected) {
                ++unprotected;
                needless += faulty || model.wasProcessed(id) ? 0 : 1;
            } else {
                QVERIFY2(model.hasMarker(id) || firsts.contains(id), where.c_str());
            }
        }
    }
    QVERIFY(neverProcessed > 1000);
    QVERIFY(unprotected > 1000);
    qInfo("never processed %lld, unprotected %lld, of these needless without a fault %lld",
          static_cast<long long>(neverProcessed), static_cast<long long>(unprotected),
          static_cast<long long>(needless));
}

QTEST_APPLESS_MAIN(ClassifierTest)
#include "tst_classifier_unit.moc"
