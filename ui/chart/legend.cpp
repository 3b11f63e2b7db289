// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chart/legend.h"

#include "ui/chart/outcome_style.h"

#include <QFontMetrics>
#include <QPainter>

#include <variant>

namespace redeliver::ui {

namespace {
constexpr int lineHeight = 18;
constexpr int swatch = 9;
constexpr int between = 18;
}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Legend"));
}

void Legend::setTotals(const Counts& totals) {
    m_totals = totals;
    updateGeometry();
    update();
}

template <class Visit>
int Legend::layOut(int width, Visit visit) const {
    const QFontMetrics metrics(font());
    QPoint at(0, 0);
    const auto place = [&](const std::variant<Outcome, SideEvent>& what, const QString& name) {
        const int wide = swatch + 6 + metrics.horizontalAdvance(name);
        if (at.x() > 0 && at.x() + wide > width) {
            at = {0, at.y() + lineHeight};
        }
        visit(at, what, name);
        at.rx() += wide + between;
    };
    for (const Outcome outcome : OutcomeStyle::stackOrder) {
        const bool usual =
            outcome == Outcome::Processed || outcome == Outcome::Duplicate || outcome == Outcome::TransactionFailed;
        if (usual || m_totals.of(outcome) > 0) {
            place(outcome, OutcomeStyle::name(outcome));
        }
    }
    place(SideEvent::AckFailed, OutcomeStyle::name(SideEvent::AckFailed));
    if (m_totals.inDoubt > 0) {
        place(SideEvent::InDoubt, OutcomeStyle::name(SideEvent::InDoubt));
    }
    return at.y() + lineHeight;
}

QSize Legend::sizeHint() const {
    return {240, heightForWidth(width())};
}

int Legend::heightForWidth(int width) const {
    return layOut(width, [](const QPoint&, const auto&, const QString&) {});
}

void Legend::paintEvent(QPaintEvent* event) {
    (void)event;
    const Palette& colors = Palette::of(*this);
    QPainter painter(this);
    painter.setPen(colors.muted);
    layOut(width(), [&](const QPoint& at, const auto& what, const QString& name) {
        const QRectF square(at.x(), at.y() + (lineHeight - swatch) / 2.0, swatch, swatch);
        std::visit([&](auto value) { OutcomeStyle::drawSwatch(painter, square, value, colors); }, what);
        const QRect text(at.x() + swatch + 6, at.y(), width(), lineHeight);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, name);
    });
}

}  // namespace redeliver::ui
