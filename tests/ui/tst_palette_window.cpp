// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "ui/chart/outcome_style.h"
#include "ui/common/figures.h"
#include "ui/common/icons.h"
#include "ui/common/palette.h"
#include "ui/frame/pages.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QTest>

#include <cmath>
#include <set>

using namespace redeliver;
using ui::Palette;

namespace {

double luminance(const QColor& color) {
    const auto channel = [](double value) {
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) + 0.0722 * channel(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace

class PaletteTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void textIsReadable() {
        for (const Palette* p : {&Palette::light(), &Palette::darkOne()}) {
            for (const QColor& ground : {p->page, p->panel, p->selection, p->hover}) {
                QVERIFY(contrast(p->text, ground) >= 7);
                QVERIFY2(contrast(p->muted, ground) >= 4.3, qPrintable(ground.name()));
            }
            for (const auto tone : {ui::Tone::Neutral, ui::Tone::Good, ui::Tone::Warn, ui::Tone::Bad, ui::Tone::Info}) {
                QVERIFY2(contrast(p->ink(tone), p->ground(tone)) >= 4.5, qPrintable(p->ink(tone).name()));
                QVERIFY2(contrast(p->ink(tone), p->panel) >= 4.5, qPrintable(p->ink(tone).name()));
            }
            QVERIFY(contrast(p->onAccent, p->accent) >= 4.5);
            QVERIFY(contrast(p->railText, p->rail) >= 7);
            QVERIFY(contrast(p->railMuted, p->rail) >= 4.5);
        }
    }

    void styleSheetNamesOnlyKnownColours() {
        for (const Palette* p : {&Palette::light(), &Palette::darkOne()}) {
            QVERIFY2(!p->styleSheet().contains(QLatin1Char('@')), qPrintable(p->styleSheet()));
            QCOMPARE(p->styleSheet().count(QLatin1Char('{')), p->styleSheet().count(QLatin1Char('}')));
        }
    }

    void outcomesDifferWithoutColour() {
        // Grey pictures of the six swatches: neighbours in a stack are told apart by brightness or hatch.
        std::vector<QImage> swatches;
        for (const Outcome outcome : ui::OutcomeStyle::stackOrder) {
            QImage image(24, 24, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            ui::OutcomeStyle::drawSwatch(painter, QRectF(0, 0, 24, 24), outcome, Palette::light());
            painter.end();
            swatches.push_back(image.convertToFormat(QImage::Format_Grayscale8));
        }
        for (std::size_t i = 0; i < swatches.size(); ++i) {
            for (std::size_t j = i + 1; j < swatches.size(); ++j) {
                int differing = 0;
                for (int y = 3; y < 21; ++y) {
                    for (int x = 3; x < 21; ++x) {
                        const int a = qGray(swatches[i].pixel(x, y));
                        const int b = qGray(swatches[j].pixel(x, y));
                        differing += std::abs(a - b) > 12 ? 1 : 0;
                    }
                }
                QVERIFY2(differing > 20, qPrintable(QStringLiteral("%1 and %2").arg(i).arg(j)));
            }
        }
    }

    void figuresLineUp() {
        const QFontMetricsF metrics(ui::fonts::figure());
        QCOMPARE(ui::figuresWidth(metrics, QStringLiteral("1,111")),
                 ui::figuresWidth(metrics, QStringLiteral("8,888")));
        QVERIFY(ui::figuresWidth(metrics, QStringLiteral("1,1111")) >
                ui::figuresWidth(metrics, QStringLiteral("8,888")));
    }

    void everyPageHasItsIcon() {
        ui::applyTheme(*qApp, ui::ThemeChoice::Dark);
        std::set<ui::PageId> ids;
        for (const ui::PageEntry& entry : ui::pageEntries()) {
            QVERIFY2(!ui::lineIcon(entry.icon, Qt::black).isNull(), qPrintable(entry.icon));
            QVERIFY(ids.insert(entry.id).second);
            QVERIFY(!entry.title.isEmpty());
        }
        QVERIFY(!ui::applicationIcon().pixmap(48).isNull());
        QVERIFY(ui::lineIcon(QStringLiteral("no such icon"), Qt::black).isNull());
        ui::applyTheme(*qApp, ui::ThemeChoice::Light);
    }
};

QTEST_MAIN(PaletteTest)
#include "tst_palette_window.moc"
