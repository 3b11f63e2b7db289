// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/frame_bench.h"
#include "ui/context/live.h"
#include "ui/context/session.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"
#include "ui/frame/rail.h"
#include "ui/frame/search_field.h"
#include "ui/frame/status_bar.h"
#include "ui/frame/time_control.h"
#include "ui/frame/top_bar.h"
#include "ui/overview/overview_page.h"

#include <QLineEdit>
#include <QPushButton>
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
