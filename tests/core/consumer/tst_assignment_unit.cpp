// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/assignment.h"

#include <QtTest>

using namespace redeliver;
using namespace redeliver::consumer;

namespace {

constexpr std::int64_t none = -1;

std::optional<Offset> at(std::int64_t offset) {
    return offset == none ? std::nullopt : std::optional(Offset{offset});
}

}  // namespace

/// fine-print.md, "group against database", "log", "ledger": one row each.
class AssignmentTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void decides_data() {
        QTest::addColumn<qint64>("ours");
        QTest::addColumn<qint64>("group");
        QTest::addColumn<qint64>("logStart");
        QTest::addColumn<qint64>("logEnd");
        QTest::addColumn<bool>("anyRow");
        QTest::addColumn<qint64>("ledger");
        QTest::addColumn<qint64>("acked");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char* name, qint64 ours, qint64 group, qint64 start, qint64 end, bool any,
                            qint64 ledger, qint64 acked, const char* wanted) {
            QTest::newRow(name) << ours << group << start << end << any << ledger << acked
                                << QString::fromLatin1(wanted);
        };
        row("equal", 50, 50, 0, 100, true, 0, 50, "50");
        row("group gone: ours", 50, none, 0, 100, true, 0, 50, "50");
        row("group below ours: follow", 50, 40, 0, 100, true, 0, 50, "40 group_behind");
        row("below the ledger only: follow", 50, 40, 0, 100, true, 45, 30, "40 group_behind");
        row("below acked only: follow", 50, 40, 0, 100, true, 10, 50, "40 group_behind");
        row("below both: stop", 50, 40, 0, 100, true, 45, 50, "stop group-below-horizon");
        row("rewound below the log's start: from there", 50, 5, 20, 100, true, 0, 3, "20 group_behind");
        row("group above ours: stop", 50, 60, 0, 100, true, 0, 50, "stop group-ahead loss 60");
        row("ours absent, known, group moved: stop", none, 60, 0, 100, true, none, none, "stop row-missing");
        row("ours absent, known, group at 0", none, 0, 0, 100, true, none, none, "0");
        row("ours absent, known, group absent: start", none, none, 7, 100, true, none, none, "7");
        row("nothing of ours: adopted", none, 60, 0, 100, false, none, none, "60 adopted");
        row("nothing of ours, group below the log: stop", none, 5, 20, 100, false, none, none,
            "stop offset-out-of-range");
        row("nothing of ours, group beyond the end: stop", none, 500, 0, 100, false, none, none, "stop log-shorter");
        row("both absent: log's start", none, none, 7, 100, false, none, none, "7");
        row("range gone", 5, 5, 20, 100, true, 0, 5, "stop offset-out-of-range");
        row("log ends below us", 50, 50, 0, 30, true, 0, 50, "stop log-shorter");
        row("at the very end", 100, 100, 0, 100, true, 0, 100, "100");
    }

    void decides() {
        QFETCH(qint64, ours);
        QFETCH(qint64, group);
        QFETCH(qint64, logStart);
        QFETCH(qint64, logEnd);
        QFETCH(bool, anyRow);
        QFETCH(qint64, ledger);
        QFETCH(qint64, acked);
        QFETCH(QString, wanted);
        PlacementFacts facts;
        facts.stored.next = at(ours);
        facts.stored.ledger = at(ledger);
        facts.stored.ackedHighest = at(acked);
        facts.anyRow = anyRow;
        facts.group = at(group);
        facts.log.start = Offset{logStart};
        facts.log.end = Offset{logEnd};
        facts.fingerprint = Fingerprint::Match;
        QCOMPARE(shown(place(facts)), wanted);
    }

    void policiesAreAPersonsDecision() {
        PlacementFacts facts;
        facts.stored.next = Offset{50};
        facts.group = Offset{60};
        facts.log.end = Offset{100};
        facts.onGroupAhead = OnGroupAhead::Database;
        QCOMPARE(shown(place(facts)), QStringLiteral("50 group_ahead loss 60"));
        facts.onGroupAhead = OnGroupAhead::Group;
        QCOMPARE(shown(place(facts)), QStringLiteral("60 group_ahead loss 60"));
        facts.group = Offset{50};
        facts.log.start = Offset{70};
        facts.onOutOfRange = OnOutOfRange::Earliest;
        QCOMPARE(shown(place(facts)), QStringLiteral("70 offset_reset"));
        facts.onOutOfRange = OnOutOfRange::Latest;
        QCOMPARE(shown(place(facts)), QStringLiteral("100 offset_reset"));
    }

    void theLogIsCompared() {
        PlacementFacts facts;
        facts.stored.next = facts.group = Offset{50};
        facts.stored.lastRecordOffset = Offset{49};
        facts.log.end = Offset{100};
        facts.fingerprint = Fingerprint::Different;
        QCOMPARE(shown(place(facts)), QStringLiteral("stop other-log"));
        facts.fingerprint = Fingerprint::Gone;
        QCOMPARE(shown(place(facts)), QStringLiteral("stop log-unknown"));
        facts.log.start = Offset{50};  // exactly ours: deleted by retention
        QCOMPARE(shown(place(facts)), QStringLiteral("50"));
        facts.log.start = Offset{60};
        QCOMPARE(shown(place(facts)), QStringLiteral("stop offset-out-of-range"));
        facts.log.start = Offset{10};
        facts.stored.topicId = facts.log.topicId = "A";  // the same topic ID is enough
        QCOMPARE(shown(place(facts)), QStringLiteral("50"));
        facts.log.topicId = "B";
        QCOMPARE(shown(place(facts)), QStringLiteral("stop other-log"));
        facts = {};
        facts.stored.otherCluster = true;
        facts.anyRow = true;
        facts.log.end = Offset{100};
        QCOMPARE(shown(place(facts)), QStringLiteral("stop other-log"));
    }

    void anAdoptedGroupsLedgerStartsAtTheEnd() {
        PlacementFacts facts;
        facts.group = Offset{60};
        facts.log.end = Offset{100};
        const auto adopted = place(facts);
        QCOMPARE(std::get<Start>(adopted.decision).ledger->value(), 100);
        facts.group.reset();
        const auto fresh = place(facts);
        QCOMPARE(std::get<Start>(fresh.decision).ledger->value(), 0);
    }

    void aStopNamesBothNumbers() {
        PlacementFacts facts;
        facts.stored.next = Offset{50};
        facts.group = Offset{60};
        facts.log.end = Offset{100};
        const auto stop = std::get<Stop>(place(facts).decision);
        QVERIFY(stop.reason.find("60") != std::string::npos && stop.reason.find("50") != std::string::npos);
        QCOMPARE(stop.suggestedSkip->value(), 60);
        QCOMPARE(stop.next.value(), 50);
    }

  private:
    static QString shown(const Placement& placement) {
        QString text;
        if (const auto* start = std::get_if<Start>(&placement.decision)) {
            text = QString::number(start->at.value());
            if (!start->event.empty()) {
                text += QLatin1Char(' ') % QString::fromStdString(start->event);
            }
        } else {
            text = QStringLiteral("stop ") % QString::fromStdString(std::get<Stop>(placement.decision).code);
        }
        if (placement.loss) {
            text += QStringLiteral(" loss ") % QString::number(placement.loss->value());
        }
        return text;
    }
};

QTEST_APPLESS_MAIN(AssignmentTest)
#include "tst_assignment_unit.moc"
