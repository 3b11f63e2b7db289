// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/live_stage.h"
#include "ui/common/state_view.h"
#include "ui/messages/detail_view.h"
#include "ui/messages/filter_line.h"
#include "ui/messages/hits_model.h"
#include "ui/messages/record_panel.h"

#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTest>

using namespace redeliver;
using namespace redeliver::tests;
using namespace redeliver::ui;

namespace {

[[maybe_unused]] const bool offscreen = qputenv("QT_QPA_PLATFORM", "offscreen");

TimePoint clockNow() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace

/// The real window on a real database and broker: what was processed is found, with marker, attempts and record.
class MessagesLive : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_stage.reset(); }
    void prefixSearchFindsExactlyTheMarkers();
    void oneIdShowsMarkerAttemptsAndRecord();
    void filteringByOutcomeFindsTheDuplicate();
    void nothingFoundIsSaid();
    void replayThisMessageArrivesAtItsSource();

  private:
    void search(const QString& text);
    std::unique_ptr<LiveStage> m_stage;
    Page* m_page = nullptr;
    QAbstractItemModel* m_rows = nullptr;
};

void MessagesLive::initTestCase() {
    m_stage = std::make_unique<LiveStage>();
    QVERIFY2(m_stage->startWorker(), m_stage->log().c_str());
    QVERIFY2(m_stage->produce(60, clockNow() - std::chrono::hours(1)), m_stage->log().c_str());
    m_stage->kafka.produce({message(m_stage->topic, "pay_25", 1)});  // published again: absorbed
    QVERIFY(QTest::qWaitFor(
        [this] {
            return m_stage->db.count("SELECT count(*) FROM redeliver.delivery_events WHERE outcome = 'duplicate'") == 1;
        },
        20'000));
    m_stage->openWindow();
    m_stage->window->go({PageId::Messages, {}, std::nullopt});
    m_page = m_stage->window->page(PageId::Messages);
    m_rows = m_page->findChild<QTableView*>()->model();
}

void MessagesLive::search(const QString& text) {
    auto* const line = m_page->findChild<FilterLine*>()->findChild<QLineEdit*>();
    line->setText(text);
    QTest::keyClick(line, Qt::Key_Return);
}

void MessagesLive::prefixSearchFindsExactlyTheMarkers() {
    search(QStringLiteral("id:pay_5* outcome:processed"));
    QTRY_COMPARE_WITH_TIMEOUT(m_rows->rowCount(), 11, 20'000);  // pay_5, pay_50 … pay_59
    for (int row = 0; row < 11; ++row) {
        QVERIFY(m_rows->index(row, HitsModel::Id).data().toString().startsWith(QStringLiteral("pay_5")));
        QCOMPARE(m_rows->index(row, HitsModel::Consumer).data().toString(), QStringLiteral("order-payment-handler"));
    }
    QVERIFY(m_page->findChild<FilterLine*>()->status().contains(QStringLiteral("11 of 11")));
}

void MessagesLive::oneIdShowsMarkerAttemptsAndRecord() {
    search(QStringLiteral("pay_25"));
    QTRY_COMPARE_WITH_TIMEOUT(m_rows->rowCount(), 2, 20'000);
    auto* const record = m_page->findChild<RecordPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(record->shownText().contains(QStringLiteral("message-id")), 20'000);
    QVERIFY2(record->shownText().contains(QStringLiteral("pay_25")), qPrintable(record->shownText()));
    m_stage->shoot(QStringLiteral("messages"));
    const auto says = [&](const QString& words) {
        for (const QLabel* const label : m_page->findChild<DetailView*>()->findChildren<QLabel*>()) {
            if (label->text().contains(words)) {
                return true;
            }
        }
        return false;
    };
    QVERIFY(says(QStringLiteral("2 deliveries · effect committed once · 1 absorbed")));
}

void MessagesLive::filteringByOutcomeFindsTheDuplicate() {
    search(QStringLiteral("outcome:duplicate kind:published_again"));
    QTRY_COMPARE_WITH_TIMEOUT(m_rows->rowCount(), 1, 20'000);
    QCOMPARE(m_rows->index(0, HitsModel::Id).data().toString(), QStringLiteral("pay_25"));
    search(QStringLiteral("outcome:duplicate -kind:published_again"));
    QTRY_COMPARE_WITH_TIMEOUT(m_rows->rowCount(), 0, 20'000);
}

void MessagesLive::nothingFoundIsSaid() {
    search(QStringLiteral("id:never_there"));
    QTRY_VERIFY_WITH_TIMEOUT(
        m_page->findChild<StateView*>(QStringLiteral("results"))->message().contains(QStringLiteral("No match")),
        20'000);
}

void MessagesLive::replayThisMessageArrivesAtItsSource() {
    search(QStringLiteral("id:pay_7"));
    QTRY_COMPARE_WITH_TIMEOUT(m_rows->rowCount(), 1, 20'000);
    press(*m_stage, PageId::Messages, QStringLiteral("Replay this message…"));
    QCOMPARE(m_stage->window->currentPage(), PageId::Replays);
    press(*m_stage, PageId::Replays, QStringLiteral("Continue"));
    press(*m_stage, PageId::Replays, QStringLiteral("Preview"));
    press(*m_stage, PageId::Replays, QStringLiteral("Continue…"));  // enabled only when the plan of one record is there
}

QTEST_MAIN(MessagesLive)
#include "tst_messages_live_window.moc"
