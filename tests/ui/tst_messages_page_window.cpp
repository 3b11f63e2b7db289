// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/page_bench.h"
#include "ui/common/state_view.h"
#include "ui/messages/detail_view.h"
#include "ui/messages/filter_line.h"
#include "ui/messages/hits_model.h"
#include "ui/messages/messages_page.h"
#include "ui/messages/record_panel.h"

#include <QAction>
#include <QClipboard>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTest>

using namespace redeliver;
using namespace redeliver::fakes;
using namespace redeliver::ui;

namespace {

[[maybe_unused]] const bool offscreen = qputenv("QT_QPA_PLATFORM", "offscreen");

TimePoint clockNow() {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

SearchHit hit(int second, const std::string& outcome, const std::string& consumer = "order-payment-handler") {
    SearchHit made;
    made.at = clockNow() - std::chrono::seconds(900 - second);
    made.consumer = consumer;
    made.outcome = outcome;
    made.messageId = "pay_01J8K6M9R2";
    made.record = Coordinates{ClusterId("k"), Topic("payments"), Partition(3), Offset(88'412'907)};
    made.worker = consumer == "ledger-projection" ? "w-9" : "w-2";
    made.latency = std::chrono::milliseconds(18);
    if (outcome == "duplicate") {
        made.kind = DuplicateKind::Redelivered;
    }
    return made;
}

SearchResult sevenHits() {
    SearchResult result;
    result.hits = {hit(898, "duplicate"),
                   hit(516, "duplicate"),
                   hit(332, "duplicate"),
                   hit(303, "ack_failed"),
                   hit(301, "processed"),
                   hit(300, "transaction_failed"),
                   hit(301, "processed", "ledger-projection")};
    result.plan = "exact by primary key";
    result.took = std::chrono::microseconds(2900);
    return result;
}

MessageDetail detailOf(const MessageId& id) {
    MessageDetail detail;
    detail.id = id;
    for (const char* name : {"fulfilment-requester", "order-payment-handler", "ledger-projection"}) {
        ConsumerMarker entry;
        entry.consumer = ConsumerName(name);
        if (std::string(name) != "fulfilment-requester") {
            Marker marker;
            marker.consumer = entry.consumer;
            marker.messageId = id;
            marker.processedAt = clockNow() - std::chrono::seconds(599);
            marker.at = hit(0, "processed").record;
            marker.worker = WorkerName("w-2");
            entry.marker = marker;
        }
        if (std::string(name) == "order-payment-handler") {
            entry.keptUntil = clockNow() + std::chrono::hours(24 * 7) - std::chrono::minutes(10);
        }
        detail.markers.push_back(entry);
    }
    for (const SearchHit& each : sevenHits().hits) {
        if (each.outcome != "processed") {
            DeliveryEvent event;
            event.at = each.at;
            event.consumer = ConsumerName(each.consumer);
            event.outcome = each.outcome;
            event.kind = each.kind;
            event.messageId = id;
            event.at_record = each.record;
            event.worker = WorkerName(each.worker);
            detail.attempts.push_back(event);
        }
    }
    return detail;
}

Record paymentRecord() {
    Record record;
    record.tp = {Topic("payments"), Partition(3)};
    record.offset = Offset(88'412'907);
    record.timestamp = clockNow();
    record.timestampType = TimestampType::CreateTime;
    record.key = "order-913";
    record.value = R"({"message_id":"pay_01J8K6M9R2","type":"PaymentCaptured","order_id":"913","amount_cents":4200})";
    record.headers = {{"message-id", "pay_01J8K6M9R2"},
                      {"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
                      {"retry-of", std::nullopt}};
    return record;
}

QPushButton* button(QWidget& page, const QString& text) {
    for (QPushButton* const each : page.findChildren<QPushButton*>()) {
        if (each->text() == text) {
            return each;
        }
    }
    return nullptr;
}

void type(MessagesPage& page, const QString& text) {
    auto* const line = page.findChild<FilterLine*>()->findChild<QLineEdit*>();
    line->clear();
    QTest::keyClicks(line, text);
}

}  // namespace

class MessagesPageTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init();
    void cleanup();
    void searchingFillsTableDetailAndRecord();
    void aMistakeIsNamedWhileTyping();
    void anOlderAnswerVanishes();
    void cancelLeavesThePageUsable();
    void noMatchSaysTheNextStep();
    void theLimitIsSaidAndCanBeRaised();
    void aLostServerIsSaidInPlace();
    void aDeletedRecordKeepsTheRestAndForbidsTheReplay();
    void replayThisMessageOpensTheReplays();
    void filteringInSearchesAgain();

  private:
    void search(const QString& text);
    std::unique_ptr<PageBench> m_bench;
    std::unique_ptr<MessagesPage> m_page;
};

void MessagesPageTest::init() {
    applyTheme(*qApp, ThemeChoice::Light);
    m_bench = std::make_unique<PageBench>();
    m_bench->browse->search = [](const std::string&, std::int64_t) { return sevenHits(); };
    m_bench->browse->message = [](const MessageId& id) { return detailOf(id); };
    m_bench->browse->record = [](const Coordinates&) { return RecordView{paymentRecord(), {}}; };
    m_page = std::make_unique<MessagesPage>(m_bench->context(), nullptr);
    m_page->resize(1112, 646);
    m_page->show();
}

void MessagesPageTest::cleanup() {
    m_bench->browse->gate.open();
    m_page.reset();
    m_bench.reset();
}

void MessagesPageTest::search(const QString& text) {
    type(*m_page, text);
    QTest::keyClick(m_page->findChild<FilterLine*>()->findChild<QLineEdit*>(), Qt::Key_Return);
}

void MessagesPageTest::searchingFillsTableDetailAndRecord() {
    shoot(*m_page, QStringLiteral("messages-start"));
    search(QStringLiteral("id:pay_01J8K6M9*"));
    auto* const table = m_page->findChild<QTableView*>();
    QTRY_COMPARE(table->model()->rowCount(), 7);
    auto* const record = m_page->findChild<RecordPanel*>();
    QTRY_VERIFY(record->shownText().contains(QStringLiteral("\"amount_cents\": 4200")));
    QVERIFY(record->shownText().contains(QStringLiteral("(null)")));
    const QString status = m_page->findChild<FilterLine*>()->status();
    QVERIFY2(status.contains(QStringLiteral("7 of 7")) && status.contains(QStringLiteral("primary key")),
             qPrintable(status));
    QVERIFY(button(*m_page, QStringLiteral("Replay this message…"))->isEnabled());
    shoot(*m_page, QStringLiteral("messages"));
    record->setView(RecordPanel::View::Hex);
    QVERIFY(record->shownText().startsWith(QStringLiteral("00000000  7b 22")));
    record->setView(RecordPanel::View::Exact);
    QVERIFY(record->shownText().contains(QStringLiteral("header 2   \"retry-of\" = null")));
    shoot(*m_page, QStringLiteral("messages-exact"));
}

void MessagesPageTest::aMistakeIsNamedWhileTyping() {
    type(*m_page, QStringLiteral("nonsense:1"));
    auto* const line = m_page->findChild<FilterLine*>();
    QTRY_VERIFY(!line->isValid());
    QVERIFY2(line->error().contains(QStringLiteral("character 1")), qPrintable(line->error()));
    QVERIFY(!button(*m_page, QStringLiteral("Search"))->isEnabled());
    QVERIFY(!button(*m_page, QStringLiteral("Search"))->toolTip().isEmpty());
    QCOMPARE(line->text(), QStringLiteral("nonsense:1"));
    QTest::keyClick(line->findChild<QLineEdit*>(), Qt::Key_Return);
    QCOMPARE(m_bench->browse->gate.arrived.load(), 0);
    shoot(*m_page, QStringLiteral("messages-mistake"));
    type(*m_page, QStringLiteral("id:1"));
    QTRY_VERIFY(line->isValid());
}

void MessagesPageTest::anOlderAnswerVanishes() {
    m_bench->browse->search = [](const std::string& query, std::int64_t) -> Result<SearchResult> {
        SearchResult result;
        result.hits = {hit(1, query == "second" ? "duplicate" : "processed")};
        return result;
    };
    m_bench->browse->gate.close();
    search(QStringLiteral("first"));
    QTRY_COMPARE(m_bench->browse->gate.arrived.load(), 1);
    search(QStringLiteral("second"));
    QTRY_COMPARE(m_bench->browse->gate.arrived.load(), 2);  // the first was told to stop
    m_bench->browse->gate.open();
    auto* const model = m_page->findChild<QTableView*>()->model();
    QTRY_COMPARE(model->rowCount(), 1);
    QCOMPARE(model->index(0, HitsModel::Outcome).data().toString(), QStringLiteral("duplicate"));
}

void MessagesPageTest::cancelLeavesThePageUsable() {
    m_bench->browse->gate.close();
    search(QStringLiteral("id:slow"));
    QTRY_VERIFY(button(*m_page, QStringLiteral("Cancel")) != nullptr);
    QTest::mouseClick(button(*m_page, QStringLiteral("Cancel")), Qt::LeftButton);
    QVERIFY(button(*m_page, QStringLiteral("Search")) != nullptr);
    m_bench->browse->gate.open();
    search(QStringLiteral("id:quick"));
    QTRY_COMPARE(m_page->findChild<QTableView*>()->model()->rowCount(), 7);
}

void MessagesPageTest::noMatchSaysTheNextStep() {
    m_bench->browse->search = [](const std::string&, std::int64_t) { return SearchResult{}; };
    search(QStringLiteral("id:nobody"));
    QTRY_VERIFY(
        m_page->findChild<StateView*>(QStringLiteral("results"))->message().contains(QStringLiteral("No match")));
    shoot(*m_page, QStringLiteral("messages-nomatch"));
    QVERIFY(!button(*m_page, QStringLiteral("Replay this message…"))->isEnabled());
}

void MessagesPageTest::theLimitIsSaidAndCanBeRaised() {
    m_bench->browse->search = [](const std::string&, std::int64_t limit) -> Result<SearchResult> {
        SearchResult result;
        result.complete = limit > MessagesPage::firstLimit;
        result.hits.assign(static_cast<std::size_t>(limit > MessagesPage::firstLimit ? 600 : limit),
                           hit(1, "duplicate"));
        return result;
    };
    search(QStringLiteral("outcome:duplicate"));
    QTRY_VERIFY(m_page->findChild<FilterLine*>()->status().contains(QStringLiteral("limit reached")));
    QVERIFY(button(*m_page, QStringLiteral("Show more"))->isVisible());
    QTest::mouseClick(button(*m_page, QStringLiteral("Show more")), Qt::LeftButton);
    QTRY_VERIFY(m_page->findChild<FilterLine*>()->status().contains(QStringLiteral("600 of 600")));
    QVERIFY(!button(*m_page, QStringLiteral("Show more"))->isVisible());
}

void MessagesPageTest::aLostServerIsSaidInPlace() {
    m_bench->browse->search = [](const std::string&, std::int64_t) -> Result<SearchResult> {
        throw Error(ErrorKind::Connection, "server closed the connection", "check that db1 is up", "08006", true);
    };
    search(QStringLiteral("id:1"));
    auto* const state = m_page->findChild<StateView*>(QStringLiteral("results"));
    QTRY_COMPARE(state->state(), StateView::State::Failed);
    QVERIFY(state->message().contains(QStringLiteral("db1")));
    QCOMPARE(m_page->findChild<FilterLine*>()->text(), QStringLiteral("id:1"));
    m_bench->browse->search = [](const std::string&, std::int64_t) { return sevenHits(); };
    m_page->refresh();
    QTRY_COMPARE(m_page->findChild<QTableView*>()->model()->rowCount(), 7);
}

void MessagesPageTest::aDeletedRecordKeepsTheRestAndForbidsTheReplay() {
    m_bench->browse->record = [](const Coordinates&) { return RecordView{std::nullopt, "deleted by retention"}; };
    search(QStringLiteral("id:pay_01J8K6M9R2"));
    auto* const replayButton = button(*m_page, QStringLiteral("Replay this message…"));
    QTRY_VERIFY(replayButton->toolTip().contains(QStringLiteral("deleted by retention")));
    QVERIFY(!replayButton->isEnabled());
    QCOMPARE(m_page->findChild<DetailView*>()->consumer(), ConsumerName("order-payment-handler"));
    shoot(*m_page, QStringLiteral("messages-deleted"));
}

void MessagesPageTest::replayThisMessageOpensTheReplays() {
    search(QStringLiteral("id:pay_01J8K6M9R2"));
    auto* const replayButton = button(*m_page, QStringLiteral("Replay this message…"));
    QTRY_VERIFY(replayButton->isEnabled());
    QTest::mouseClick(replayButton, Qt::LeftButton);
    QCOMPARE(m_bench->links.size(), std::size_t{1});
    QCOMPARE(m_bench->links.front().page, PageId::Replays);
    QCOMPARE(m_bench->links.front().argument,
             QStringLiteral("new?consumer=order-payment-handler&topic=payments&partition=3&from=88412907&to=88412908"));
}

void MessagesPageTest::filteringInSearchesAgain() {
    search(QStringLiteral("id:pay*"));
    auto* const table = m_page->findChild<QTableView*>();
    QTRY_COMPARE(table->model()->rowCount(), 7);
    std::string asked;
    m_bench->browse->search = [&asked](const std::string& query, std::int64_t) {
        asked = query;
        return sevenHits();
    };
    const auto choose = [&](int column, const QString& start) {
        const QRect cell = table->visualRect(table->model()->index(0, column));
        Q_EMIT table->customContextMenuRequested(cell.center());
        for (QAction* const action : m_page->findChildren<QMenu*>().back()->actions()) {
            if (action->text().startsWith(start)) {
                QVERIFY(action->isEnabled());
                action->trigger();
                return;
            }
        }
        QFAIL("no such entry");
    };
    choose(HitsModel::Outcome, QStringLiteral("Filter out"));
    QTRY_COMPARE(asked, std::string("id:pay* -kind:redelivered"));
    choose(HitsModel::Worker, QStringLiteral("Filter in"));
    QTRY_COMPARE(asked, std::string("id:pay* -kind:redelivered worker:w-2"));
    choose(HitsModel::Id, QStringLiteral("Copy message ID"));
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("pay_01J8K6M9R2"));
    QVERIFY(m_page->findChild<FilterLine*>()->isValid());
}

QTEST_MAIN(MessagesPageTest)
#include "tst_messages_page_window.moc"
