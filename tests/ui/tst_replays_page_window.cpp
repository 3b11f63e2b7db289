// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/page_bench.h"
#include "tests/ui/replay_samples.h"
#include "ui/common/state_view.h"
#include "ui/replays/confirm_step.h"
#include "ui/replays/guard_banner.h"
#include "ui/replays/history_view.h"
#include "ui/replays/preview_step.h"
#include "ui/replays/replays_page.h"
#include "ui/replays/report_step.h"
#include "ui/replays/run_engine.h"
#include "ui/replays/run_step.h"
#include "ui/replays/source_step.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>

using namespace redeliver;
using namespace redeliver::fakes;
using namespace redeliver::ui;

namespace {

[[maybe_unused]] const bool offscreen = qputenv("QT_QPA_PLATFORM", "offscreen");

QPushButton* button(QWidget& page, const QString& text) {
    for (QPushButton* const each : page.findChildren<QPushButton*>()) {
        if (each->text() == text && each->isVisibleTo(&page)) {
            return each;
        }
    }
    return nullptr;
}

void click(QWidget& page, const QString& text) {
    QTRY_VERIFY2(button(page, text) != nullptr, qPrintable(text));
    QPushButton* const found = button(page, text);
    QVERIFY2(found->isEnabled(), qPrintable(found->toolTip()));
    QTest::mouseClick(found, Qt::LeftButton);
}

}  // namespace

class ReplaysPageTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init();
    void cleanup();
    void theHistorySaysWhoWhyWhenWhat();
    void aStoppedReplayGoesOn();
    void anEmptyHistoryOffersAReplay();
    void fromSourceToReport();
    void aMendPlansAgainWithTheShorterWindow();
    void changingTheRequestMakesThePlanStale();
    void planningCanBeCancelled();
    void aReadOnlyProfileStopsAfterThePreview();
    void productionAsksForTheName();
    void theRunPausesAndAborts();
    void closingThePageStopsTheRun();
    void aRefusalAtTheStartIsShownAndSendsNothing();
    void updatesComeAtMostTenTimesASecond();
    void aLinkWithoutATopicTakesTheConsumers();
    void aLinkFromAMessagePlansItsRecord();

  private:
    void make(Profile profile);
    void toPreview();
    void toConfirm();
    void answer(const QString& profileName);
    std::unique_ptr<PageBench> m_bench;
    std::unique_ptr<ReplaysPage> m_page;
};

void ReplaysPageTest::make(Profile profile) {
    m_page.reset();
    applyTheme(*qApp, ThemeChoice::Light);
    m_bench = std::make_unique<PageBench>(std::move(profile));
    m_bench->zone.setUtc();
    m_bench->time.setLast(std::chrono::hours(24 * 14));
    ConsumerInfo info;
    info.name = ConsumerName("order-payment-handler");
    info.topics = {Topic("payments")};
    info.markerRetention = std::chrono::hours(24 * 7);
    info.replayHorizon = std::chrono::hours(24 * 30);
    *m_bench->consumers = {info};
    m_bench->replays->topics = {"payments", "payments.side", "orders"};
    m_bench->replays->plan = [](const PlanRequest& request) { return bigPlan(request); };
    m_bench->replays->run = [](const ReplayPlan& plan, const Confirmation&, const ReplayWatcher&,
                               const std::stop_token&) { return reportOf(plan, ReplayState::Reconciled); };
    PlanRequest request;
    request.consumer = ConsumerName("order-payment-handler");
    request.topic = Topic("payments");
    const ReplayPlan known = bigPlan(request);
    m_bench->replays->report = [known](const ReplayId&) { return reportOf(known, ReplayState::Reconciled); };
    m_page = std::make_unique<ReplaysPage>(m_bench->context(), nullptr);
    m_page->resize(1112, 646);
    m_page->show();
}

void ReplaysPageTest::init() {
    make({});
}

void ReplaysPageTest::cleanup() {
    m_bench->replays->gate.open();
    m_page.reset();
    m_bench.reset();
}

void ReplaysPageTest::theHistorySaysWhoWhyWhenWhat() {
    PlanRequest request;
    request.consumer = ConsumerName("order-payment-handler");
    request.topic = Topic("payments");
    std::vector<ReplayLine> lines;
    for (const ReplayState state :
         {ReplayState::Running, ReplayState::Paused, ReplayState::Reconciled, ReplayState::Aborted}) {
        lines.push_back(reportOf(bigPlan(request), state).line);
    }
    m_bench->replays->lines = lines;
    m_page->refresh();
    auto* const history = m_page->findChild<HistoryView*>();
    QTRY_COMPARE(history->model().rowCount(), 4);
    const auto cell = [&](int column) { return history->model().index(0, column).data().toString(); };
    QCOMPARE(cell(HistoryModel::Who), QStringLiteral("oncall"));
    QVERIFY(cell(HistoryModel::Why).contains(QStringLiteral("INC-4711")));
    QVERIFY(cell(HistoryModel::Result).contains(QStringLiteral("3 set aside")));
    QVERIFY(button(*m_page, QStringLiteral("Pause"))->isEnabled());
    QVERIFY(button(*m_page, QStringLiteral("Go on"))->isEnabled());
    history->table().setCurrentIndex(history->model().index(2, 0));
    QVERIFY(!button(*m_page, QStringLiteral("Go on"))->isEnabled());
    QVERIFY(!button(*m_page, QStringLiteral("Go on"))->toolTip().isEmpty());
    QVERIFY(!button(*m_page, QStringLiteral("Pause"))->isEnabled());
    shoot(*m_page, QStringLiteral("replays-history"));
    click(*m_page, QStringLiteral("Open report"));
    QTRY_COMPARE(m_page->step(), ReplayStep::Report);
    QTRY_VERIFY(m_page->findChild<ReportStep*>()->sentence().contains(QStringLiteral("2 messages went otherwise")));
    shoot(*m_page, QStringLiteral("replays-report"));
    click(*m_page, QStringLiteral("Copy as JSON"));
    const QJsonDocument json = QJsonDocument::fromJson(QGuiApplication::clipboard()->text().toUtf8());
    QVERIFY(json.isObject() && json.object().contains(QStringLiteral("consumers")));
    click(*m_page, QStringLiteral("Copy as Markdown"));
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("pay_01J8K6MB71")));
}

void ReplaysPageTest::aStoppedReplayGoesOn() {
    PlanRequest request;
    request.topic = Topic("payments");
    m_bench->replays->lines = {reportOf(bigPlan(request), ReplayState::Stopped).line};
    m_page->refresh();
    QTRY_VERIFY(button(*m_page, QStringLiteral("Go on")) && button(*m_page, QStringLiteral("Go on"))->isEnabled());
    click(*m_page, QStringLiteral("Go on"));
    QTRY_COMPARE(m_page->step(), ReplayStep::Report);
    QVERIFY(m_page->findChild<ReportStep*>()->sentence().contains(QStringLiteral("sent")));
}

void ReplaysPageTest::anEmptyHistoryOffersAReplay() {
    m_page->refresh();
    QTRY_VERIFY(button(*m_page, QStringLiteral("Plan a replay")) != nullptr);
    shoot(*m_page, QStringLiteral("replays-empty"));
    click(*m_page, QStringLiteral("Plan a replay"));
    QCOMPARE(m_page->step(), ReplayStep::Source);
    QVERIFY(!m_page->showsHistory());
}

void ReplaysPageTest::toPreview() {
    m_page->open({PageId::Replays, QStringLiteral("new?consumer=order-payment-handler&topic=payments"), std::nullopt});
    QCOMPARE(m_page->step(), ReplayStep::Source);
    QTRY_VERIFY(m_page->findChild<SourceStep*>()->findChild<QComboBox*>()->count() == 1);
    shoot(*m_page, QStringLiteral("replays-1-source"));
    click(*m_page, QStringLiteral("Continue"));
    QCOMPARE(m_page->step(), ReplayStep::Target);
    shoot(*m_page, QStringLiteral("replays-2-target"));
    click(*m_page, QStringLiteral("Preview"));
    QCOMPARE(m_page->step(), ReplayStep::Preview);
}

void ReplaysPageTest::toConfirm() {
    toPreview();
    QTRY_VERIFY(button(*m_page, QStringLiteral("Continue…"))->isEnabled());
    click(*m_page, QStringLiteral("Continue…"));
    QCOMPARE(m_page->step(), ReplayStep::Confirm);
}

void ReplaysPageTest::answer(const QString& profileName) {
    auto* const confirm = m_page->findChild<ConfirmStep*>();
    QTest::keyClicks(confirm->findChild<QPlainTextEdit*>(), QStringLiteral("INC-4711"));
    for (QCheckBox* const box : confirm->findChildren<QCheckBox*>()) {
        box->setChecked(true);
    }
    const QList<QLineEdit*> edits = confirm->findChildren<QLineEdit*>();
    QCOMPARE(edits.size(), 2);
    QTest::keyClicks(edits.at(0), QStringLiteral("REPEAT 1,204,113 OF payments"));
    if (!profileName.isEmpty()) {
        QTest::keyClicks(edits.at(1), profileName);
    }
}

void ReplaysPageTest::fromSourceToReport() {
    toPreview();
    auto* const preview = m_page->findChild<PreviewStep*>();
    QTRY_VERIFY(preview->banner().headline().contains(QStringLiteral("repeat")));
    QCOMPARE(preview->classes().index(2, ClassModel::Name).data().toString(), QStringLiteral("Unprotected"));
    shoot(*m_page, QStringLiteral("replays-3-preview"));
    click(*m_page, QStringLiteral("Continue…"));
    QPushButton* const start = button(*m_page, QStringLiteral("Start the replay"));
    QVERIFY(!start->isEnabled());
    QVERIFY(start->toolTip().contains(QStringLiteral("audit")));
    answer({});
    QVERIFY2(start->isEnabled(), qPrintable(start->toolTip()));
    shoot(*m_page, QStringLiteral("replays-4-confirm"));
    Confirmation seen;
    m_bench->replays->run = [&seen](const ReplayPlan& plan, const Confirmation& given, const ReplayWatcher&,
                                    const std::stop_token&) {
        seen = given;
        return reportOf(plan, ReplayState::Reconciled);
    };
    QTest::mouseClick(start, Qt::LeftButton);
    QTRY_COMPARE(m_page->step(), ReplayStep::Report);
    QCOMPARE(seen.reason, std::string("INC-4711"));
    QCOMPARE(seen.phrase, std::string("REPEAT 1,204,113 OF payments"));
    QCOMPARE(seen.acceptedCodes, std::vector<std::string>{"overlap"});
    QVERIFY(m_page->findChild<ReportStep*>()->sentence().contains(QStringLiteral("otherwise")));
}

void ReplaysPageTest::aMendPlansAgainWithTheShorterWindow() {
    toPreview();
    auto* const preview = m_page->findChild<PreviewStep*>();
    QTRY_VERIFY(!preview->banner().mends().empty());
    const Mend mend = preview->banner().mends().front();
    QVERIFY2(mend.label.startsWith(QStringLiteral("Shorten to")), qPrintable(mend.label));
    std::vector<PlanRequest> asked;
    m_bench->replays->plan = [&asked](const PlanRequest& request) {
        asked.push_back(request);
        return bigPlan(request);
    };
    click(*m_page, mend.label);
    QTRY_VERIFY(!preview->banner().headline().contains(QStringLiteral("repeat")));
    QCOMPARE(asked.size(), std::size_t{1});
    QCOMPARE(asked.front().source.window->from, mend.request.source.window->from);
    QCOMPARE(preview->classes().index(2, ClassModel::Messages).data().toString(), QStringLiteral("0"));
    shoot(*m_page, QStringLiteral("replays-3-mended"));
}

void ReplaysPageTest::changingTheRequestMakesThePlanStale() {
    toPreview();
    QTRY_VERIFY(button(*m_page, QStringLiteral("Continue…"))->isEnabled());
    click(*m_page, QStringLiteral("Back"));
    click(*m_page, QStringLiteral("Back"));
    m_page->findChild<SourceStep*>()->findChildren<QComboBox*>().at(1)->setCurrentText(QStringLiteral("orders"));
    QPushButton* const confirm = button(*m_page, QStringLiteral("4 Confirm"));
    QVERIFY(!confirm->isEnabled());
    QVERIFY(confirm->toolTip().contains(QStringLiteral("preview")));
}

void ReplaysPageTest::planningCanBeCancelled() {
    m_bench->replays->gate.close();
    toPreview();
    QTRY_COMPARE(m_bench->replays->gate.arrived.load(), 1);
    auto* const preview = m_page->findChild<PreviewStep*>();
    QTRY_VERIFY(button(*preview, QStringLiteral("Cancel")) != nullptr);
    QVERIFY2(preview->findChild<StateView*>()->message().contains(QStringLiteral("1,204,113 of 2,611,940")),
             qPrintable(preview->findChild<StateView*>()->message()));
    shoot(*m_page, QStringLiteral("replays-3-planning"));
    click(*preview, QStringLiteral("Cancel"));
    QVERIFY(!button(*m_page, QStringLiteral("Continue…"))->isEnabled());
    m_bench->replays->gate.open();
    click(*preview, QStringLiteral("Plan again"));
    QTRY_VERIFY(button(*m_page, QStringLiteral("Continue…"))->isEnabled());
}

void ReplaysPageTest::aReadOnlyProfileStopsAfterThePreview() {
    Profile profile;
    profile.name = "payments-ro";
    profile.readOnly = true;
    make(profile);
    toPreview();
    auto* const preview = m_page->findChild<PreviewStep*>();
    QTRY_VERIFY(preview->banner().headline().contains(QStringLiteral("repeat")));
    QPushButton* const next = button(*m_page, QStringLiteral("Continue…"));
    QVERIFY(!next->isEnabled());
    QVERIFY2(next->toolTip().contains(QStringLiteral("read_only = true")), qPrintable(next->toolTip()));
}

void ReplaysPageTest::productionAsksForTheName() {
    Profile profile;
    profile.name = "payments-prod";
    profile.environment = Environment::Production;
    make(profile);
    toConfirm();
    answer({});
    QPushButton* const start = button(*m_page, QStringLiteral("Start the replay"));
    QVERIFY(!start->isEnabled());
    QVERIFY(start->toolTip().contains(QStringLiteral("payments-prod")));
    QTest::keyClicks(m_page->findChild<ConfirmStep*>()->findChildren<QLineEdit*>().at(1),
                     QStringLiteral("payments-prod"));
    QVERIFY2(start->isEnabled(), qPrintable(start->toolTip()));
    shoot(*m_page, QStringLiteral("replays-4-production"));
}

void ReplaysPageTest::theRunPausesAndAborts() {
    toConfirm();
    answer({});
    std::atomic<ReplayControl> last{ReplayControl::Go};
    m_bench->replays->run = [&last](const ReplayPlan& plan, const Confirmation&, const ReplayWatcher& watcher,
                                    const std::stop_token& stop) -> Result<ReplayReport> {
        ReplayProgress progress{ReplayId(plan.planId), ReplayState::Running, plan.records, 0, 3, 498.0, "partition 0"};
        std::mutex mutex;
        std::condition_variable_any tick;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            progress.sent = std::min<std::int64_t>(progress.sent + 61'000, plan.records / 2);
            last = watcher(progress);
            progress.state = last == ReplayControl::Pause ? ReplayState::Paused : ReplayState::Running;
            if (last == ReplayControl::Abort) {
                return reportOf(plan, ReplayState::Aborted);
            }
            tick.wait_for(lock, stop, std::chrono::milliseconds(5), [] { return false; });
        }
        return failure(Error(ErrorKind::Cancelled, "stopped"));
    };
    click(*m_page, QStringLiteral("Start the replay"));
    QCOMPARE(m_page->step(), ReplayStep::Run);
    QVERIFY(!button(*m_page, QStringLiteral("1 Source"))->isEnabled());
    auto* const run = m_page->findChild<RunStep*>();
    QTRY_VERIFY(run->findChildren<QLabel*>().size() > 0 && last == ReplayControl::Go);
    shoot(*m_page, QStringLiteral("replays-5-run"));
    click(*run, QStringLiteral("Pause"));
    QTRY_COMPARE(last.load(), ReplayControl::Pause);
    click(*run, QStringLiteral("Go on"));
    QTRY_COMPARE(last.load(), ReplayControl::Go);
    click(*run, QStringLiteral("Abort…"));
    QCOMPARE(last.load(), ReplayControl::Go);  // asked once more first
    click(*run, QStringLiteral("Abort for good: what is sent stays sent"));
    QTRY_COMPARE(m_page->step(), ReplayStep::Report);
}

void ReplaysPageTest::closingThePageStopsTheRun() {
    toConfirm();
    answer({});
    const auto stopped = std::make_shared<std::atomic<bool>>(false);
    const auto gate = std::make_shared<Gate>();
    gate->close();
    m_bench->replays->run = [stopped, gate](const ReplayPlan& plan, const Confirmation&, const ReplayWatcher&,
                                            const std::stop_token& stop) -> Result<ReplayReport> {
        *stopped = !gate->pass(stop);
        return reportOf(plan, ReplayState::Stopped);
    };
    click(*m_page, QStringLiteral("Start the replay"));
    QTRY_COMPARE(gate->arrived.load(), 1);
    m_page.reset();
    QTRY_VERIFY(stopped->load());
}

void ReplaysPageTest::aRefusalAtTheStartIsShownAndSendsNothing() {
    toConfirm();
    answer({});
    m_bench->replays->run = [](const ReplayPlan&, const Confirmation&, const ReplayWatcher&,
                               const std::stop_token&) -> Result<ReplayReport> {
        return failure(Error(ErrorKind::Refused, "12 messages became unprotected since the plan", "make the plan again",
                             "plan-stale"));
    };
    click(*m_page, QStringLiteral("Start the replay"));
    auto* const run = m_page->findChild<RunStep*>();
    const auto says = [&](const QString& word) {
        for (const QLabel* const label : run->findChildren<QLabel*>()) {
            if (label->text().contains(word)) {
                return true;
            }
        }
        return false;
    };
    QTRY_VERIFY(says(QStringLiteral("became unprotected")));
    QVERIFY(says(QStringLiteral("nothing was sent")));
    QVERIFY(!button(*m_page, QStringLiteral("4 Confirm"))->isEnabled());
    shoot(*m_page, QStringLiteral("replays-5-refused"));
}

void ReplaysPageTest::updatesComeAtMostTenTimesASecond() {
    std::atomic<int> calls{0};
    m_bench->replays->run = [&calls](const ReplayPlan& plan, const Confirmation&, const ReplayWatcher& watcher,
                                     const std::stop_token& stop) -> Result<ReplayReport> {
        while (!stop.stop_requested()) {
            ++calls;
            if (watcher({ReplayId(plan.planId), ReplayState::Running, plan.records, 1, 0, 1.0, ""}) ==
                ReplayControl::Abort) {
                break;
            }
        }
        return reportOf(plan, ReplayState::Aborted);
    };
    PlanRequest request;
    request.topic = Topic("payments");
    RunEngine engine(*m_bench->session, bigPlan(request), {});
    QElapsedTimer since;
    since.start();
    int updates = 0;
    bool ended = false;
    connect(&engine, &RunEngine::progressed, this, [&] { ++updates; });
    connect(&engine, &RunEngine::reported, this, [&] { ended = true; });
    engine.start();
    QTRY_VERIFY(updates >= 5);
    QVERIFY2(since.elapsed() >= updates * 95,
             qPrintable(QStringLiteral("%1 in %2 ms").arg(updates).arg(since.elapsed())));
    QVERIFY(calls > 1000);  // the engine called far more often
    engine.setControl(ReplayControl::Abort);
    QTRY_VERIFY(ended);
    QVERIFY(!engine.isRunning());
}

void ReplaysPageTest::aLinkWithoutATopicTakesTheConsumers() {
    const auto topic = [this] {
        return m_page->findChild<SourceStep*>()->findChildren<QComboBox*>().at(1)->currentText();
    };
    const Link link{PageId::Replays, QStringLiteral("new?consumer=order-payment-handler"), std::nullopt};
    m_page->open(link);
    QTRY_COMPARE(topic(), QStringLiteral("payments"));
    m_page->open(link);  // the lists are known by now
    QCOMPARE(topic(), QStringLiteral("payments"));
    QVERIFY(button(*m_page, QStringLiteral("Continue"))->isEnabled());
}

void ReplaysPageTest::aLinkFromAMessagePlansItsRecord() {
    PlanRequest asked;
    m_bench->replays->plan = [&asked](const PlanRequest& request) {
        asked = request;
        return bigPlan(request);
    };
    m_page->open(
        {PageId::Replays,
         QStringLiteral("new?consumer=order-payment-handler&topic=payments&partition=3&from=88412907&to=88412908"),
         std::nullopt});
    shoot(*m_page, QStringLiteral("replays-1-message"));
    click(*m_page, QStringLiteral("Continue"));
    click(*m_page, QStringLiteral("Preview"));
    QTRY_VERIFY(button(*m_page, QStringLiteral("Continue…"))->isEnabled());
    QCOMPARE(asked.source.kind, PlanSource::Kind::Offsets);
    QVERIFY(asked.source.offsets == (std::vector<PlanRange>{{Partition(3), Offset(88'412'907), Offset(88'412'908)}}));
    QCOMPARE(asked.target, std::string("same"));
}

QTEST_MAIN(ReplaysPageTest)
#include "tst_replays_page_window.moc"
