// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/frame_bench.h"
#include "ui/context/live.h"
#include "ui/context/session.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"
#include "ui/frame/rail.h"
#include "ui/frame/search_field.h"
#include "ui/frame/shortcuts.h"
#include "ui/frame/status_bar.h"
#include "ui/frame/time_control.h"
#include "ui/frame/top_bar.h"
#include "ui/overview/overview_page.h"

#include <QAbstractButton>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>

using namespace redeliver;
using namespace redeliver::fakes;
using ui::PageId;

class FrameTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeChoice::Light); }

    void railShowsOnlyPagesThatExist() {
        const FrameBench bench;
        const auto window = bench.window();
        QCOMPARE(window->pages(), std::vector<PageId>{PageId::Connections});
        window->openProfile(production());
        QVERIFY(window->pages().size() >= 2);
        QCOMPARE(window->pages().front(), PageId::Overview);
        QCOMPARE(window->pages().back(), PageId::Connections);
        for (const PageId id : window->pages()) {
            QVERIFY(window->page(id) != nullptr);
        }
    }

    void overviewFeedsBadgeStatusAndSearch() {
        const FrameBench bench;
        const auto window = bench.window();
        window->show();
        window->openProfile(production());
        QTRY_COMPARE(window->rail().badge(PageId::Overview), 2);
        QTRY_VERIFY(window->bottomBar().text().contains(QStringLiteral("PostgreSQL 15.8 · 4.0 ms")));
        QVERIFY(window->bottomBar().text().contains(QStringLiteral("6 consumers · ≈ 212 M markers")) ||
                window->bottomBar().text().contains(QStringLiteral("212")));
        shootWindow(*window, QStringLiteral("overview"));
    }

    void stoppedPartitionOnTop() {
        const FrameBench bench;
        bench.telemetry->overview = [](const OverviewRequest& request) { return mockupSnapshot(request, true); };
        const auto window = bench.window();
        window->show();
        window->openProfile(production());
        QTRY_COMPARE(window->rail().badge(PageId::Overview), 3);
        shootWindow(*window, QStringLiteral("overview-stopped"));
    }

    void everythingByKeyboard() {
        const FrameBench bench;
        const auto window = bench.window();
        window->show();
        window->openProfile(production());
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        QTRY_COMPARE(window->rail().badge(PageId::Overview), 2);
        QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier);
        QTRY_VERIFY(window->topBar().search()->hasFocus());
        QTest::keyClicks(window->topBar().search(), QStringLiteral("stock-granter"));
        QTest::keyClick(window->topBar().search(), Qt::Key_Return);
        QCOMPARE(window->currentPage(), PageId::Overview);
        const auto* table = window->page(PageId::Overview)->findChild<QTableView*>();
        QCOMPARE(table->selectionModel()->selectedRows().front().data().toString(), QStringLiteral("stock-granter"));
        const int last = static_cast<int>(window->pages().size());
        QTest::keyClick(window.get(), static_cast<Qt::Key>(Qt::Key_0 + last), Qt::ControlModifier);
        QCOMPARE(window->currentPage(), PageId::Connections);
        QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(window->currentPage(), PageId::Overview);
        window->time().setLast(std::chrono::minutes(15));
        QTest::keyClick(window.get(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(window->time().choice().last, std::optional(std::chrono::seconds(3600)));
        QTest::keyClick(window.get(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(window->currentPage(), PageId::Connections);
        QTest::keyClick(window.get(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(window->currentPage(), PageId::Overview);
        QTest::keyClick(window.get(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(window->time().choice().last, std::optional(std::chrono::seconds(900)));
        const bool live = window->live().isOn();
        QTest::keyClick(window.get(), Qt::Key_L, Qt::ControlModifier);
        QCOMPARE(window->live().isOn(), !live);
        const int before = bench.telemetry->gate.arrived;
        QTest::keyClick(window.get(), Qt::Key_F5);
        QTRY_VERIFY(bench.telemetry->gate.arrived > before);
        QTest::keyClick(window.get(), Qt::Key_F1);
        QTRY_VERIFY(window->findChild<ui::ShortcutsDialog*>() != nullptr);
    }

    void typedRangesToTheMillisecond() {
        const FrameBench bench;
        const auto window = bench.window();
        window->show();
        window->openProfile(production());
        ui::TimeControl& control = *window->topBar().time();
        control.openPopup();
        ui::TimePopup& popup = *control.popup();
        popup.from()->setText(QStringLiteral("2026-12-01 13:41:07.530"));
        popup.to()->setText(QStringLiteral("2026-12-01 13:51:07.531 UTC"));
        QVERIFY(popup.applyButton()->isEnabled());
        popup.to()->setText(QStringLiteral("2026-12-01 12:00"));
        QVERIFY(!popup.applyButton()->isEnabled());
        QVERIFY(!popup.applyButton()->toolTip().isEmpty());
        popup.to()->setText(QStringLiteral("2026-12-01 13:51:07.531 UTC"));
        QTest::keyClick(popup.to(), Qt::Key_Return);
        QCOMPARE(window->time().choice().range,
                 (TimeRange{*parseRfc3339("2026-12-01T13:41:07.530Z"), *parseRfc3339("2026-12-01T13:51:07.531Z")}));
        QVERIFY(control.text().contains(QStringLiteral("13:41:07.530 – 13:51:07.531 UTC")));
        QVERIFY(!popup.isVisible());
    }

    void nothingIsCutOffAtTheSmallestSize() {
        const FrameBench bench;
        const auto window = bench.window();
        window->show();
        window->openProfile(production());
        QTRY_COMPARE(window->rail().badge(PageId::Overview), 2);
        window->resize(1280, 720);
        QTest::qWait(100);
        for (const PageId id : window->pages()) {
            window->go({id, {}, {}});
            QTest::qWait(50);
            for (const QPushButton* button : window->findChildren<QPushButton*>()) {
                if (button->isVisible()) {
                    QVERIFY2(button->width() >= button->minimumSizeHint().width() - 2, qPrintable(button->text()));
                    const QRect inside(button->mapTo(window.get(), QPoint()), button->size());
                    QVERIFY2(window->rect().contains(inside), qPrintable(button->text()));
                }
            }
            QVERIFY(window->size() == QSize(1280, 720));
        }
    }

    void everyControlHasAnAccessibleName() {
        const FrameBench bench;
        const auto window = bench.window();
        window->show();
        window->openProfile(production());
        QTRY_COMPARE(window->rail().badge(PageId::Overview), 2);
        for (const auto* button : window->findChildren<QAbstractButton*>()) {
            if (button->isVisible()) {
                QVERIFY(!button->text().trimmed().isEmpty() || !button->accessibleName().isEmpty());
            }
        }
        for (const auto* edit : window->findChildren<QLineEdit*>()) {
            QVERIFY2(!edit->accessibleName().isEmpty() || !edit->isVisible(), qPrintable(edit->placeholderText()));
        }
    }

    void firstStart() {
        const FrameBench bench;
        const auto window = bench.window();
        window->show();
        QTest::qWait(100);
        shootWindow(*window, QStringLiteral("first-start"));
    }
};

QTEST_MAIN(FrameTest)
#include "tst_frame_window.moc"
