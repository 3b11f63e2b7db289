// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/time_control.h"

#include "ui/common/formats.h"
#include "ui/common/icons.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <array>

namespace redeliver::ui {

namespace {

constexpr std::array<std::chrono::seconds, 10> presets{
    std::chrono::minutes(5), std::chrono::minutes(15), std::chrono::minutes(30), std::chrono::hours(1),
    std::chrono::hours(3),   std::chrono::hours(6),    std::chrono::hours(12),   std::chrono::hours(24),
    std::chrono::hours(72),  std::chrono::hours(168)};

TimePoint nowMillis() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace

TimePopup::TimePopup(TimeWindow& time, const Zone& zone, QWidget* parent)
    : QFrame(parent, Qt::Popup), m_time(time), m_zone(zone) {
    setKind(this, "panel");
    setAccessibleName(tr("Time range"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 12, 12, 12);
    row->setSpacing(grid::margin);
    row->addWidget(makePresets());
    row->addWidget(makeFields());
}

QWidget* TimePopup::makePresets() {
    auto* holder = new QWidget(this);
    auto* cells = new QGridLayout(holder);
    cells->setContentsMargins(0, 0, 0, 0);
    cells->setSpacing(grid::half);
    auto* heading = new QLabel(tr("The last…"), holder);
    setKind(heading, "muted");
    cells->addWidget(heading, 0, 0, 1, 2);
    int at = 0;
    for (const std::chrono::seconds span : presets) {
        auto* button = new QPushButton(Formats::age(span), holder);
        button->setMinimumWidth(76);
        connect(button, &QPushButton::clicked, this, [this, span] {
            close();
            m_time.setLast(span);
        });
        cells->addWidget(button, 1 + at / 2, at % 2);
        ++at;
    }
    return holder;
}

QWidget* TimePopup::makeFields() {
    auto* holder = new QWidget(this);
    auto* column = new QVBoxLayout(holder);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::half);
    const auto field = [&](const QString& name) {
        auto* label = new QLabel(name, holder);
        setKind(label, "muted");
        auto* edit = new QLineEdit(holder);
        edit->setFont(fonts::mono());
        edit->setMinimumWidth(270);
        label->setBuddy(edit);
        edit->setAccessibleName(name);
        column->addWidget(label);
        column->addWidget(edit);
        connect(edit, &QLineEdit::textChanged, this, &TimePopup::check);
        connect(edit, &QLineEdit::returnPressed, this, &TimePopup::apply);
        return edit;
    };
    m_from = field(tr("From, inclusive"));
    m_to = field(tr("To, exclusive"));
    m_echo = new QLabel(holder);
    m_echo->setWordWrap(true);
    m_echo->setMinimumHeight(34);
    column->addWidget(m_echo);
    column->addStretch(1);
    auto* buttons = new QHBoxLayout;
    const auto shifter = [&](const QString& name, int lengths) {
        auto* button = new QPushButton(name, holder);
        button->setToolTip(tr("By the range's own length"));
        connect(button, &QPushButton::clicked, this, [this, lengths] {
            m_time.shift(lengths);
            load();
        });
        buttons->addWidget(button);
    };
    shifter(tr("Earlier"), -1);
    shifter(tr("Later"), 1);
    buttons->addStretch(1);
    m_apply = new QPushButton(tr("Apply"), holder);
    setKind(m_apply, "primary");
    connect(m_apply, &QPushButton::clicked, this, &TimePopup::apply);
    buttons->addWidget(m_apply);
    column->addLayout(buttons);
    return holder;
}

void TimePopup::load() {
    const TimeRange range = m_time.range();
    m_from->setText(m_zone.full(range.from));
    m_to->setText(m_zone.full(range.to));
    m_from->setCursorPosition(0);
    m_to->setCursorPosition(0);
    check();
}

void TimePopup::check() {
    const auto from = m_zone.parse(m_from->text(), nowMillis());
    const auto to = m_zone.parse(m_to->text(), nowMillis());
    QString problem;
    if (!from || !to) {
        problem = tr("Write 2026-12-01 13:41:07.530, 13:41, now, −3d as -3d, or RFC 3339 with a zone");
    } else if (*from >= *to) {
        problem = tr("The end must be later than the start");
    }
    setKind(m_echo, problem.isEmpty() ? "muted" : "bad");
    m_echo->setText(
        problem.isEmpty()
            ? tr("%1 · %2 UTC")
                  .arg(Formats::age(*to - *from),
                       QString::fromStdString(toRfc3339(*from)).left(23).replace(QLatin1Char('T'), QLatin1Char(' ')))
            : problem);
    m_apply->setEnabled(problem.isEmpty());
    m_apply->setToolTip(problem);
}

void TimePopup::apply() {
    const auto from = m_zone.parse(m_from->text(), nowMillis());
    const auto to = m_zone.parse(m_to->text(), nowMillis());
    if (from && to && *from < *to) {
        close();
        m_time.setRange({*from, *to});
    }
}

TimeControl::TimeControl(TimeWindow& time, const Zone& zone, QWidget* parent)
    : QWidget(parent),
      m_time(time),
      m_zone(zone),
      m_back(new QToolButton(this)),
      m_label(new QPushButton(this)),
      m_forward(new QToolButton(this)),
      m_popup(new TimePopup(time, zone, this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    for (QToolButton* button : {m_back, m_forward}) {
        setKind(button, "control");
        button->setFixedSize(26, 32);
        button->setIconSize({12, 12});
    }
    m_back->setAccessibleName(tr("Time range before this one"));
    m_back->setToolTip(tr("Back to the range before"));
    m_forward->setAccessibleName(tr("Next time range"));
    m_forward->setToolTip(tr("Forward again"));
    m_label->setToolTip(tr("Choose the time range (Ctrl+T)"));
    m_label->setFixedHeight(32);
    row->addWidget(m_back);
    row->addWidget(m_label);
    row->addWidget(m_forward);
    connect(m_back, &QToolButton::clicked, &m_time, &TimeWindow::back);
    connect(m_forward, &QToolButton::clicked, &m_time, &TimeWindow::forward);
    connect(m_label, &QPushButton::clicked, this, &TimeControl::openPopup);
    connect(&m_time, &TimeWindow::changed, this, &TimeControl::update);
    connect(&m_zone, &Zone::changed, this, &TimeControl::update);
    update();
}

QString TimeControl::describe(const TimeWindow& time, const Zone& zone) {
    const TimeRange exact = time.range();
    if (!time.isRelative()) {
        return zone.range(exact);
    }
    const TimeRange minutes{std::chrono::floor<std::chrono::minutes>(exact.from),
                            std::chrono::floor<std::chrono::minutes>(exact.to)};
    return tr("Last %1").arg(Formats::age(*time.choice().last)) + QStringLiteral(" · ") + zone.range(minutes);
}

QString TimeControl::text() const {
    return m_label->text();
}

void TimeControl::update() {
    m_label->setText(describe(m_time, m_zone));
    m_label->setAccessibleName(tr("Time range: %1").arg(m_label->text()));
    m_back->setEnabled(m_time.canGoBack());
    m_forward->setEnabled(m_time.canGoForward());
    const Palette& colors = Palette::of(*this);
    m_back->setIcon(lineIcon(QStringLiteral("back"), m_back->isEnabled() ? colors.text : colors.line));
    m_forward->setIcon(lineIcon(QStringLiteral("forward"), m_forward->isEnabled() ? colors.text : colors.line));
}

void TimeControl::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        update();
    }
}

void TimeControl::openPopup() {
    m_popup->load();
    m_popup->adjustSize();
    const QPoint corner = m_label->mapToGlobal(QPoint(m_label->width() - m_popup->width(), m_label->height() + 4));
    m_popup->move(corner);
    m_popup->show();
    m_popup->from()->setFocus();
    m_popup->from()->selectAll();
}

}  // namespace redeliver::ui
