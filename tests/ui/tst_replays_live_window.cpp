// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/live_stage.h"
#include "ui/replays/confirm_step.h"
#include "ui/replays/guard_banner.h"
#include "ui/replays/history_view.h"
#include "ui/replays/models.h"
#include "ui/replays/preview_step.h"
#include "ui/replays/replays_page.h"
#include "ui/replays/report_step.h"
#include "ui/replays/source_step.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTest>

#include <set>

using namespace redeliver;
using namespace redeliver::tests;
using namespace redeliver::ui;

namespace {

[[maybe_unused]] const bool offscreen = qputenv("QT_QPA_PLATFORM", "offscreen");

TimePoint clockNow() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace

/// From a window of time to the report, by hand in the real window, on a real database, broker and worker.
class ReplaysLive : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init();
    void cleanup() { m_stage.reset(); }
    void pastTheHorizonToItsReport();
    void leavingOutTheUnprotectedRepeatsNothing();

  private:
    void preview();
    [[nodiscard]] std::int64_t count(MessageClass klass) const;
    void confirmAndRun(const QString& phrase);
    [[nodiscard]] bool reportSays(const QString& words) const;
    [[nodiscard]] std::int64_t effects() const {
        return m_stage->db.count("SELECT count(*) FROM redeliver_lab.effects");
    }

    std::unique_ptr<LiveStage> m_stage;
    ReplaysPage* m_page = nullptr;
};

void ReplaysLive::init() {
    m_stage = std::make_unique<LiveStage>();
    QVERIFY2(m_stage->startWorker(), m_stage->log().c_str());
    const TimePoint from = clockNow() - std::chrono::hours(2);
    QVERIFY2(m_stage->produce(60, from), m_stage->log().c_str());
    m_stage->sweep();
    m_stage->openWindow();
    m_stage->window->time().setRange({from - std::chrono::minutes(1), from + std::chrono::minutes(10)});
    m_stage->window->go({PageId::Replays, {}, std::nullopt});
    m_page = qobject_cast<ReplaysPage*>(m_stage->window->page(PageId::Replays));
    QVERIFY(m_page != nullptr);
    preview();
}

void ReplaysLive::preview() {
    press(*m_stage, PageId::Replays, QStringLiteral("Plan a replay"));
    const QList<QComboBox*> lists = m_page->findChild<SourceStep*>()->findChildren<QComboBox*>();
    QTRY_VERIFY_WITH_TIMEOUT(lists.at(0)->currentText() == QStringLiteral("order-payment-handler"), 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(lists.at(1)->findText(QString::fromStdString(m_stage->topic)) >= 0, 20'000);
    lists.at(1)->setCurrentText(QString::fromStdString(m_stage->topic));
    press(*m_stage, PageId::Replays, QStringLiteral("Continue"));
    press(*m_stage, PageId::Replays, QStringLiteral("Preview"));
    QTRY_VERIFY_WITH_TIMEOUT(!m_page->findChild<PreviewStep*>()->banner().headline().isEmpty(), 30'000);
}

std::int64_t ReplaysLive::count(MessageClass klass) const {
    const ClassModel& classes = m_page->findChild<PreviewStep*>()->classes();
    for (int row = 0; row < classes.rowCount(); ++row) {
        if (classes.classAt(row) == klass) {
            return classes.index(row, 0).data(ClassModel::Count).toLongLong();
        }
    }
    return 0;
}

void ReplaysLive::confirmAndRun(const QString& phrase) {
    press(*m_stage, PageId::Replays, QStringLiteral("Continue…"));
    auto* const confirm = m_page->findChild<ConfirmStep*>();
    QTest::keyClicks(confirm->findChild<QPlainTextEdit*>(), QStringLiteral("the window's test"));
    if (!phrase.isEmpty()) {
        QVERIFY(!m_stage->button(PageId::Replays, QStringLiteral("Start the replay"))->isEnabled());
        QTest::keyClicks(confirm->findChildren<QLineEdit*>().at(0), phrase);
    }
    press(*m_stage, PageId::Replays, QStringLiteral("Start the replay"));
    QTRY_VERIFY_WITH_TIMEOUT(m_page->step() == ReplayStep::Report, 60'000);
}

bool ReplaysLive::reportSays(const QString& words) const {
    for (const QLabel* const label : m_page->findChild<ReportStep*>()->findChildren<QLabel*>()) {
        if (label->isVisible() && label->text().contains(words)) {
            return true;
        }
    }
    return false;
}

void ReplaysLive::pastTheHorizonToItsReport() {
    QVERIFY(m_page->findChild<PreviewStep*>()->banner().headline().contains(QStringLiteral("repeat")));
    QCOMPARE(count(MessageClass::Unprotected), 10);
    QCOMPARE(count(MessageClass::Protected), 50);
    m_stage->shoot(QStringLiteral("preview"));
    QCOMPARE(effects(), 60);

    // The phrase is read off the page, as a person would.
    press(*m_stage, PageId::Replays, QStringLiteral("Continue…"));
    QString phrase;
    for (const QLabel* const label : m_page->findChild<ConfirmStep*>()->findChildren<QLabel*>()) {
        if (label->text().contains(QStringLiteral("Type exactly"))) {
            phrase = label->text().section(QStringLiteral("<b>"), 1).section(QStringLiteral("</b>"), 0, 0);
        }
    }
    QVERIFY(!phrase.isEmpty());
    m_stage->shoot(QStringLiteral("confirm"));
    press(*m_stage, PageId::Replays, QStringLiteral("Back"));
    confirmAndRun(phrase);

    m_stage->shoot(QStringLiteral("report"));
    const QString sentence = m_page->findChild<ReportStep*>()->sentence();
    QVERIFY2(sentence.contains(QStringLiteral("60 of 60")), qPrintable(sentence));
    QVERIFY2(sentence.contains(QStringLiteral("as predicted")), qPrintable(sentence));
    QVERIFY(reportSays(QStringLiteral("the window's test")));
    // Exactly the unprotected ones happened a second time, and no other.
    QCOMPARE(effects(), 70);
    QCOMPARE(
        m_stage->db.count(
            "SELECT count(*) FROM (SELECT message_id FROM redeliver_lab.effects GROUP BY 1 HAVING count(*) = 2) t"),
        10);
    QCOMPARE(m_stage->db.execute("SELECT string_agg(message_id, ' ' ORDER BY length(message_id), message_id) FROM "
                                 "(SELECT message_id FROM redeliver_lab.effects GROUP BY 1 HAVING count(*) > 1) t"),
             std::string("pay_0 pay_2 pay_4 pay_6 pay_8 pay_10 pay_12 pay_14 pay_16 pay_18"));

    press(*m_stage, PageId::Replays, QStringLiteral("To the history"));
    auto* const history = m_page->findChild<HistoryView*>();
    QTRY_COMPARE_WITH_TIMEOUT(history->model().rowCount(), 1, 20'000);
    m_stage->shoot(QStringLiteral("history"));
    QCOMPARE(history->model().index(0, HistoryModel::Why).data().toString(), QStringLiteral("the window's test"));
}

void ReplaysLive::leavingOutTheUnprotectedRepeatsNothing() {
    QCOMPARE(count(MessageClass::Unprotected), 10);
    press(*m_stage, PageId::Replays, QStringLiteral("Leave out the unprotected"));
    QTRY_COMPARE_WITH_TIMEOUT(count(MessageClass::Unprotected), 0, 30'000);
    QCOMPARE(count(MessageClass::Protected), 50);
    m_stage->shoot(QStringLiteral("left-out"));
    confirmAndRun({});
    QVERIFY(m_page->findChild<ReportStep*>()->sentence().contains(QStringLiteral("50 of 50")));
    QCOMPARE(effects(), 60);
}

QTEST_MAIN(ReplaysLive)
#include "tst_replays_live_window.moc"
