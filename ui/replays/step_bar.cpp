// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/step_bar.h"

#include "ui/common/palette.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace redeliver::ui {

StepBar::StepBar(QWidget* parent) : QWidget(parent) {
    auto* const row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(grid::unit);
    const QStringList names{tr("1 Source"),  tr("2 Target"), tr("3 Preview and guard"),
                            tr("4 Confirm"), tr("5 Run"),    tr("6 Report")};
    for (const QString& name : names) {
        auto* const button = new QPushButton(name, this);
        button->setCheckable(true);
        button->setProperty("kind", QStringLiteral("step"));
        const auto step = static_cast<ReplayStep>(m_buttons.size());
        connect(button, &QPushButton::clicked, this, [this, step] {
            setCurrent(m_current);  // a click checks the button; the page decides whether it becomes the current one
            Q_EMIT chosen(step);
        });
        row->addWidget(button);
        m_buttons.push_back(button);
    }
    setCurrent(ReplayStep::Source);
    setAccessibleName(tr("Steps of the replay"));
}

void StepBar::setCurrent(ReplayStep step) {
    m_current = step;
    for (std::size_t i = 0; i < m_buttons.size(); ++i) {
        const bool now = i == static_cast<std::size_t>(step);
        m_buttons[i]->setChecked(now);
        m_buttons[i]->setStyleSheet(now ? QStringLiteral("font-weight: 600;") : QString());
    }
}

void StepBar::setObstacle(ReplayStep step, const QString& obstacle) {
    QPushButton* const button = m_buttons[static_cast<std::size_t>(step)];
    button->setEnabled(obstacle.isEmpty());
    button->setToolTip(obstacle);
}

}  // namespace redeliver::ui
