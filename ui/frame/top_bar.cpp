// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/top_bar.h"

#include "ui/common/convert.h"
#include "ui/common/icons.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/write_dialog.h"
#include "ui/context/live.h"
#include "ui/context/session.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"
#include "ui/frame/search_field.h"
#include "ui/frame/time_control.h"

#include <QCompleter>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

namespace redeliver::ui {

TopBar::TopBar(TimeWindow& time, Zone& zone, Live& live, QWidget* parent)
    : QWidget(parent),
      m_zone(zone),
      m_live(live),
      m_chip(new QPushButton(this)),
      m_search(new SearchField(this)),
      m_time(new TimeControl(time, zone, this)),
      m_zoneButton(new QPushButton(this)),
      m_liveButton(new QPushButton(this)) {
    setObjectName(QStringLiteral("topBar"));
    setAttribute(Qt::WA_StyledBackground);
    setFixedHeight(52);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(grid::margin, 0, grid::margin, 0);
    row->setSpacing(10);
    row->addWidget(m_chip);
    row->addWidget(m_search, 10);
    row->addStretch(1);
    row->addWidget(m_time);
    row->addWidget(m_zoneButton);
    row->addWidget(m_liveButton);
    for (QPushButton* button : {m_chip, m_zoneButton, m_liveButton}) {
        button->setFixedHeight(32);
    }
    m_liveButton->setCheckable(true);
    connect(m_chip, &QPushButton::clicked, this, &TopBar::openChipMenu);
    connect(m_zoneButton, &QPushButton::clicked, this, &TopBar::openZoneMenu);
    connect(m_liveButton, &QPushButton::clicked, &m_live, &Live::setOn);
    connect(&m_live, &Live::changed, this, &TopBar::updateLive);
    connect(&m_live, &Live::tick, m_time, &TimeControl::update);
    connect(&m_zone, &Zone::changed, this, &TopBar::updateZone);
    setSession(nullptr);
    updateZone();
    updateLive();
}

void TopBar::setSession(Session* session) {
    m_session = session;
    if (session != nullptr) {
        connect(session, &Session::readOnlyChanged, this, &TopBar::updateChip);
    }
    for (QWidget* widget : std::initializer_list<QWidget*>{m_search, m_time, m_liveButton}) {
        widget->setEnabled(session != nullptr);
    }
    m_search->setToolTip(session == nullptr ? tr("Open a profile first") : QString());
    updateChip();
}

void TopBar::updateChip() {
    if (m_session == nullptr) {
        setKind(m_chip, "chipInfo");
        m_chip->setText(tr("no profile"));
        m_chip->setToolTip(tr("Choose a connection"));
        return;
    }
    const Profile& profile = m_session->profile();
    const Tone tone = Palette::toneOf(profile.environment);
    setKind(m_chip, tone == Tone::Bad ? "chipBad" : tone == Tone::Warn ? "chipWarn" : "chipInfo");
    const QString name = toQt(profile.name);
    m_chip->setText(m_session->isReadOnly() ? tr("%1 · read-only").arg(name) : name);
    m_chip->setToolTip(environmentName(profile.environment) +
                       (m_session->isReadOnly() ? tr(", nothing is written") : tr(", may write")));
    m_chip->setAccessibleName(m_chip->text() + QStringLiteral(", ") + m_chip->toolTip());
    const Palette& colors = Palette::of(*this);
    m_chip->setIcon(
        lineIcon(m_session->isReadOnly() ? QStringLiteral("lock") : QStringLiteral("unlock"), colors.ink(tone)));
    m_chip->setIconSize({14, 14});
}

void TopBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        updateChip();
    }
}

void TopBar::updateZone() {
    m_zoneButton->setText(m_zone.name());
    m_zoneButton->setAccessibleName(tr("Time zone: %1").arg(m_zone.name()));
    m_zoneButton->setToolTip(tr("Time zone of every time in this window"));
}

void TopBar::updateLive() {
    m_liveButton->setChecked(m_live.isOn());
    const int seconds = m_live.intervalMs() / 1000;
    m_liveButton->setText(m_live.isOn() ? tr("Live · %1 s").arg(seconds) : tr("Paused"));
    m_liveButton->setAccessibleName(m_live.isOn() ? tr("Live: refreshes every %1 s").arg(seconds) : tr("Live is off"));
    m_liveButton->setToolTip(m_live.isOn() ? tr("Pause (Ctrl+L)") : tr("Refresh every %1 s (Ctrl+L)").arg(seconds));
}

void TopBar::openChipMenu() {
    if (m_session == nullptr) {
        Q_EMIT connectionsRequested();
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    if (m_session->isReadOnly()) {
        QAction* unlock = menu->addAction(tr("Unlock…"), this, &TopBar::askUnlock);
        unlock->setEnabled(m_session->canUnlock());
        unlock->setToolTip(m_session->canUnlock() ? QString()
                                                  : tr("The profile says read_only = true: edit the profile"));
    } else if (m_session->canUnlock()) {
        menu->addAction(tr("Lock again"), m_session, &Session::lock);
    }
    menu->addAction(tr("Connections…"), this, &TopBar::connectionsRequested);
    menu->popup(m_chip->mapToGlobal(QPoint(0, m_chip->height() + 4)));
}

void TopBar::askUnlock() {
    auto* dialog = new WriteDialog(m_session->profile(), tr("Unlock writing"), tr("Unlock"), window());
    auto* text = new QLabel(tr("%1 is a production profile and starts read-only. Type its name to allow releases of "
                               "partitions, migrations and replays until this window closes.")
                                .arg(toQt(m_session->profile().name)),
                            dialog);
    text->setWordWrap(true);
    auto* name = new QLineEdit(dialog);
    name->setAccessibleName(tr("Profile's name"));
    dialog->body()->addWidget(text);
    dialog->body()->addWidget(name);
    const auto check = [this, dialog, name] {
        const bool same = toStd(name->text()) == m_session->profile().name;
        dialog->setObstacle(same ? QString() : tr("Type the profile's name exactly"));
    };
    connect(name, &QLineEdit::textChanged, dialog, check);
    connect(dialog, &WriteDialog::actionRequested, this, [this, dialog, name] {
        dialog->setOutcome(m_session->unlock(name->text()) ? QString() : tr("That isn't the profile's name"));
    });
    check();
    name->setFocus();
    dialog->open();
}

void TopBar::openZoneMenu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(QStringLiteral("UTC"), &m_zone, &Zone::setUtc);
    menu->addAction(tr("Local (%1)").arg(QString::fromUtf8(QTimeZone::systemTimeZoneId())), &m_zone, &Zone::setLocal);
    menu->addAction(tr("Named…"), this, &TopBar::openNamedZone);
    menu->popup(m_zoneButton->mapToGlobal(QPoint(0, m_zoneButton->height() + 4)));
}

void TopBar::openNamedZone() {
    auto* dialog = new QDialog(window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Time zone"));
    auto* column = new QVBoxLayout(dialog);
    column->addWidget(new QLabel(tr("Name of the zone, e.g. Europe/Berlin"), dialog));
    auto* name = new QLineEdit(dialog);
    name->setMinimumWidth(300);
    name->setAccessibleName(tr("Name of the zone"));
    QStringList known;
    for (const QByteArray& id : QTimeZone::availableTimeZoneIds()) {
        known << QString::fromUtf8(id);
    }
    auto* completer = new QCompleter(known, name);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    name->setCompleter(completer);
    auto* use = new QPushButton(tr("Use"), dialog);
    setKind(use, "primary");
    use->setEnabled(false);
    column->addWidget(name);
    column->addWidget(use, 0, Qt::AlignRight);
    connect(name, &QLineEdit::textChanged, use,
            [use](const QString& text) { use->setEnabled(QTimeZone::isTimeZoneIdAvailable(text.toUtf8())); });
    connect(use, &QPushButton::clicked, dialog, [this, dialog, name] {
        if (m_zone.setNamed(name->text().toUtf8())) {
            dialog->accept();
        }
    });
    dialog->open();
}

}  // namespace redeliver::ui
