// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/write_dialog.h"

#include "ui/common/convert.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/pill.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace redeliver::ui {

namespace {
constexpr int frame = 4;
}

QString environmentName(Environment environment) {
    switch (environment) {
        case Environment::Production:
            return QCoreApplication::translate("Environment", "production");
        case Environment::Staging:
            return QCoreApplication::translate("Environment", "staging");
        case Environment::Development:
            break;
    }
    return QCoreApplication::translate("Environment", "development");
}

WriteDialog::WriteDialog(const Profile& profile, const QString& title, const QString& action, QWidget* parent)
    : QDialog(parent),
      m_environment(profile.environment),
      m_content(new QWidget(this)),
      m_body(new QVBoxLayout(m_content)),
      m_status(new QLabel(this)),
      m_action(new QPushButton(action, this)),
      m_close(new QPushButton(tr("Cancel"), this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    setMinimumWidth(480);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(grid::margin + frame, grid::margin + frame, grid::margin + frame, grid::margin + frame);
    all->setSpacing(12);
    auto* top = new QHBoxLayout;
    auto* heading = new QLabel(title, this);
    QFont font = fonts::strong();
    font.setPixelSize(15);
    heading->setFont(font);
    top->addWidget(heading, 1);
    top->addWidget(new Pill(toQt(profile.name) + QStringLiteral(" · ") + environmentName(profile.environment),
                            Palette::toneOf(profile.environment), this));
    all->addLayout(top);
    m_body->setContentsMargins(0, 0, 0, 0);
    m_body->setSpacing(grid::unit);
    all->addWidget(m_content, 1);
    m_status->setWordWrap(true);
    m_status->hide();
    all->addWidget(m_status);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(m_close);
    buttons->addWidget(m_action);
    all->addLayout(buttons);
    setKind(m_action, profile.environment == Environment::Production ? "danger" : "primary");
    connect(m_close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_action, &QPushButton::clicked, this, &WriteDialog::actionRequested);
}

void WriteDialog::setObstacle(const QString& why) {
    m_obstacle = why;
    m_action->setEnabled(why.isEmpty());
    m_action->setToolTip(why);
}

void WriteDialog::setBusy(const QString& what) {
    m_content->setEnabled(false);
    m_action->setEnabled(false);
    setKind(m_status, "muted");
    m_status->setText(what);
    m_status->show();
}

void WriteDialog::setOutcome(const QString& error) {
    if (error.isEmpty()) {
        accept();
        return;
    }
    m_content->setEnabled(true);
    setObstacle(m_obstacle);
    setKind(m_status, "bad");
    m_status->setText(error);
    m_status->show();
}

void WriteDialog::paintEvent(QPaintEvent* event) {
    QDialog::paintEvent(event);
    const Palette& colors = Palette::of(*this);
    QPainter painter(this);
    painter.fillRect(rect(), colors.page);
    painter.setPen(QPen(colors.ink(Palette::toneOf(m_environment)), frame));
    painter.drawRect(rect().adjusted(frame / 2, frame / 2, -frame / 2, -frame / 2));
}

}  // namespace redeliver::ui
