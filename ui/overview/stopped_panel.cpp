// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/overview/stopped_panel.h"

#include "ui/common/convert.h"
#include "ui/common/error_text.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/pill.h"
#include "ui/context/session.h"
#include "ui/context/zone.h"
#include "ui/overview/skip_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace redeliver::ui {

namespace {

constexpr int lineHeight = 46;
constexpr int mostLines = 3;

std::string keyOf(const StoppedPartition& p) {
    return p.consumer.value() + '\n' + p.cluster.value() + '\n' + p.tp.topic.value() + '\n' +
           std::to_string(p.tp.partition.value());
}

QString placeOf(const StoppedPartition& p) {
    return toQt(p.tp.topic.value()) + QLatin1Char('/') + QString::number(p.tp.partition.value());
}

bool same(const StoppedPartition& a, const StoppedPartition& b) {
    return keyOf(a) == keyOf(b) && a.reason == b.reason && a.requested == b.requested && a.since == b.since &&
           a.suggestedSkip == b.suggestedSkip && a.next == b.next;
}

}  // namespace

StoppedPanel::StoppedPanel(Session& session, const Zone& zone, QWidget* parent)
    : Panel(tr("Stopped partitions"), parent), m_session(session), m_zone(zone), m_scroll(new QScrollArea(this)) {
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    body()->addWidget(m_scroll);
    connect(&session, &Session::readOnlyChanged, this, &StoppedPanel::rebuild);
    hide();
}

void StoppedPanel::setStopped(std::vector<StoppedPartition> stopped, TimePoint now) {
    m_now = now;
    const bool unchanged = std::ranges::equal(stopped, m_stopped, same);
    m_stopped = std::move(stopped);
    setVisible(!m_stopped.empty());
    if (!unchanged) {
        rebuild();
    }
}

void StoppedPanel::rebuild() {
    setDetail(tr("%n partition(s) wait for a person: going on could repeat an effect or skip a message", nullptr,
                 static_cast<int>(m_stopped.size())));
    auto* lines = new QWidget;
    auto* column = new QVBoxLayout(lines);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (const StoppedPartition& partition : m_stopped) {
        column->addWidget(lineFor(partition));
    }
    column->addStretch(1);
    m_scroll->setWidget(lines);
    m_scroll->setFixedHeight(lineHeight * std::min(mostLines, static_cast<int>(m_stopped.size())));
}

QWidget* StoppedPanel::lineFor(const StoppedPartition& partition) {
    auto* line = new QWidget;
    line->setFixedHeight(lineHeight);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(12);
    row->addWidget(new Pill(tr("stopped"), Tone::Bad, line));
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    auto* who = new ElidedLabel(toQt(partition.consumer.value()) + QStringLiteral(" · ") + placeOf(partition) +
                                    tr(" at offset %1").arg(Formats::number(partition.next.value())),
                                line);
    who->setFont(fonts::strong());
    const QString since = tr("since %1 (%2)").arg(m_zone.clock(partition.since), Formats::age(m_now - partition.since));
    auto* why = new ElidedLabel(
        toQt(partition.reason) + QStringLiteral(" · ") + since + QStringLiteral(" · ") + toQt(partition.code), line);
    setKind(why, "muted");
    const std::string key = keyOf(partition);
    if (const auto error = m_errors.find(key); error != m_errors.end()) {
        why->setFullText(error->second);
        setKind(why, "bad");
    }
    words->addStretch(1);
    words->addWidget(who);
    words->addWidget(why);
    words->addStretch(1);
    row->addLayout(words, 1);
    auto* retryButton = new QPushButton(tr("Retry"), line);
    auto* skipButton = new QPushButton(tr("Skip…"), line);
    QString obstacle;
    if (m_session.isReadOnly()) {
        obstacle = m_session.canUnlock() ? tr("The profile is read-only: unlock it at its name above")
                                         : tr("The profile says read_only = true: change the profile");
    } else if (m_pending == key) {
        obstacle = tr("Being written");
    } else if (!partition.requested.empty()) {
        obstacle = tr("Asked for already: %1. The worker does it at its next look").arg(toQt(partition.requested));
        row->addWidget(new Pill(tr("asked: %1").arg(toQt(partition.requested)), Tone::Info, line));
    }
    for (QPushButton* button : {retryButton, skipButton}) {
        setKind(button, "small");
        button->setEnabled(obstacle.isEmpty());
        button->setToolTip(obstacle);
        button->setAccessibleName(button->text() + QLatin1Char(' ') + who->fullText());
        row->addWidget(button);
    }
    connect(retryButton, &QPushButton::clicked, this, [this, partition] { retry(partition); });
    connect(skipButton, &QPushButton::clicked, this, [this, partition] { askSkip(partition); });
    return line;
}

void StoppedPanel::retry(const StoppedPartition& partition) {
    m_pending = keyOf(partition);
    m_errors.erase(m_pending);
    m_ticket = m_session.actions().run([consumer = partition.consumer, tp = partition.tp](
                                           ActionDesk& desk, Job&) { return desk.retryPartition(consumer, tp); },
                                       [this](const Result<void>& answer) {
                                           if (!answer) {
                                               m_errors[m_pending] = errorText(answer.error());
                                           }
                                           m_pending.clear();
                                           rebuild();
                                           Q_EMIT released();
                                       });
    // The button that was clicked lives in the line that rebuild() replaces: not while it is on the stack.
    QMetaObject::invokeMethod(this, &StoppedPanel::rebuild, Qt::QueuedConnection);
}

void StoppedPanel::askSkip(const StoppedPartition& partition) {
    auto* dialog = new SkipDialog(m_session, partition, window());
    connect(dialog, &QDialog::accepted, this, &StoppedPanel::released);
    dialog->open();
}

}  // namespace redeliver::ui
