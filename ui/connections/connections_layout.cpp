// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/connections/connections_page.h"
#include "ui/connections/doctor_view.h"
#include "ui/connections/profile_form.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace redeliver::ui {

namespace {

struct Choice {
    Panel* panel;
    QPushButton* button;
};

Choice makeChoice(const QString& title, const QString& text, const QString& action, bool primary, QWidget* parent) {
    Choice choice{new Panel(title, parent), nullptr};
    choice.panel->setFixedWidth(320);
    choice.panel->setMinimumHeight(190);
    auto* words = new QLabel(text, choice.panel);
    words->setWordWrap(true);
    setKind(words, "muted");
    choice.button = new QPushButton(action, choice.panel);
    if (primary) {
        setKind(choice.button, "primary");
    }
    choice.panel->body()->addWidget(words, 1, Qt::AlignTop);
    choice.panel->body()->addWidget(choice.button, 0, Qt::AlignLeft);
    return choice;
}

}  // namespace

QWidget* ConnectionsPage::makeWelcome() {
    auto* holder = new QWidget(this);
    auto* column = new QVBoxLayout(holder);
    column->setSpacing(grid::gap);
    auto* heading = new QLabel(tr("See duplicates absorbed, find any message, replay without fear"), holder);
    QFont font = fonts::strong();
    font.setPixelSize(20);
    heading->setFont(font);
    heading->setAlignment(Qt::AlignCenter);
    const Choice demo = makeChoice(tr("Start the demo"),
                                   tr("A private PostgreSQL and Kafka on this machine, six consumers at work, a day of "
                                      "generated history. Nothing is left behind when the window closes."),
                                   tr("Start the demo"), true, holder);
    const Choice fresh = makeChoice(tr("New connection"),
                                    tr("Your PostgreSQL with the markers and your Kafka. A production connection "
                                       "starts read-only."),
                                    tr("New connection"), false, holder);
    m_demoButton = demo.button;
    m_demoButton->setVisible(static_cast<bool>(m_services.startDemo));
    m_demoState = new QLabel(holder);
    m_demoState->setAlignment(Qt::AlignCenter);
    m_demoState->setWordWrap(true);
    setKind(m_demoState, "muted");
    connect(demo.button, &QPushButton::clicked, this, &ConnectionsPage::startDemo);
    connect(fresh.button, &QPushButton::clicked, this, &ConnectionsPage::createProfile);
    auto* row = new QHBoxLayout;
    row->setSpacing(grid::gap);
    row->addStretch(1);
    row->addWidget(demo.panel);
    row->addWidget(fresh.panel);
    row->addStretch(1);
    column->addStretch(2);
    column->addWidget(heading);
    column->addSpacing(grid::unit);
    column->addLayout(row);
    column->addWidget(m_demoState);
    column->addStretch(3);
    return holder;
}

QWidget* ConnectionsPage::makeEditor() {
    auto* holder = new QWidget(this);
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(grid::gap);
    row->addWidget(makeList());
    row->addWidget(makeDetails(), 3);
    m_doctor = new DoctorView(m_services.desks, holder);
    m_doctor->setMinimumWidth(260);
    row->addWidget(m_doctor, 2);
    return holder;
}

QWidget* ConnectionsPage::makeList() {
    auto* panel = new Panel(tr("Profiles"), this);
    panel->setFlush(true);
    panel->setFixedWidth(264);
    m_list = new QListWidget(panel);
    m_list->setAccessibleName(tr("Profiles"));
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setTextElideMode(Qt::ElideMiddle);
    panel->body()->addWidget(m_list, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(grid::unit, 0, grid::unit, grid::unit);
    buttons->setSpacing(grid::half);
    const auto add = [&](const QString& text, auto slot) {
        auto* button = new QPushButton(text, panel);
        setKind(button, "small");
        buttons->addWidget(button);
        connect(button, &QPushButton::clicked, this, slot);
        return button;
    };
    add(tr("New"), &ConnectionsPage::createProfile);
    m_duplicate = add(tr("Duplicate"), &ConnectionsPage::duplicate);
    m_delete = add(tr("Delete…"), &ConnectionsPage::askDelete);
    panel->body()->addLayout(buttons);
    m_demoSmall = new QPushButton(tr("Start the demo"), panel);
    m_demoSmall->setVisible(static_cast<bool>(m_services.startDemo));
    setKind(m_demoSmall, "link");
    connect(m_demoSmall, &QPushButton::clicked, this, &ConnectionsPage::startDemo);
    panel->body()->addWidget(m_demoSmall, 0, Qt::AlignLeft);
    return panel;
}

QWidget* ConnectionsPage::makeDetails() {
    m_panel = new Panel(tr("New connection"), this);
    auto* scroll = new QScrollArea(m_panel);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_form = new ProfileForm(scroll);
    scroll->setWidget(m_form);
    m_panel->body()->addWidget(scroll, 1);
    m_message = new ElidedLabel({}, m_panel);
    m_panel->body()->addWidget(m_message);
    auto* buttons = new QHBoxLayout;
    m_save = new QPushButton(tr("Save"), m_panel);
    m_test = new QPushButton(tr("Test"), m_panel);
    m_openButton = new QPushButton(tr("Open"), m_panel);
    setKind(m_openButton, "primary");
    buttons->addWidget(m_test);
    buttons->addStretch(1);
    buttons->addWidget(m_save);
    buttons->addWidget(m_openButton);
    m_panel->body()->addLayout(buttons);
    connect(m_save, &QPushButton::clicked, this, [this] { save(false); });
    connect(m_openButton, &QPushButton::clicked, this, [this] { save(true); });
    connect(m_test, &QPushButton::clicked, this, &ConnectionsPage::test);
    return m_panel;
}

}  // namespace redeliver::ui
