// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/source_step.h"

#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"
#include "ui/replays/labels.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <utility>

namespace redeliver::ui {

namespace {

TimePoint wallClock() {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

QComboBox* makeCombo(QWidget* parent, const QString& name, const QString& placeholder) {
    auto* const combo = new QComboBox(parent);
    combo->setEditable(true);
    combo->setInsertPolicy(QComboBox::NoInsert);
    combo->setAccessibleName(name);
    combo->setMinimumWidth(320);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->lineEdit()->setPlaceholderText(placeholder);
    return combo;
}

QFormLayout* makeForm(QWidget* parent) {
    auto* const form = new QFormLayout(parent);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(grid::margin);
    form->setVerticalSpacing(grid::unit);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
    return form;
}

void setInvalid(QLineEdit& edit, bool invalid) {
    if (edit.property("invalid").toBool() != invalid) {
        edit.setProperty("invalid", invalid);
        edit.style()->unpolish(&edit);
        edit.style()->polish(&edit);
    }
}

}  // namespace

SourceStep::SourceStep(TimeWindow& time, Zone& zone, QWidget* parent) : QWidget(parent), m_time(time), m_zone(zone) {
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(grid::gap);
    all->addWidget(makeWho());
    all->addWidget(makeWindow());
    all->addStretch(1);
    connect(&m_zone, &Zone::changed, this, &SourceStep::readTimes);
    setFocusProxy(m_consumer);
    takeWindow();
}

QWidget* SourceStep::makeWho() {
    auto* const panel = new Panel(tr("Whose messages, and from where"), this);
    auto* const holder = new QWidget(panel);
    QFormLayout* const form = makeForm(holder);
    m_consumer = makeCombo(holder, tr("Consumer"), tr("a consumer's name"));
    m_topic = makeCombo(holder, tr("Topic"), tr("a topic's name"));
    m_retention = makeLabel(holder, {}, "muted");
    m_retention->setMinimumWidth(420);
    m_listsNote = makeLabel(holder, {}, "warn");
    m_listsNote->hide();
    form->addRow(tr("Consumer"), m_consumer);
    form->addRow(QString(), m_retention);
    form->addRow(tr("Topic"), m_topic);
    form->addRow(QString(), m_listsNote);
    panel->body()->addWidget(holder);
    connect(m_consumer, &QComboBox::currentTextChanged, this, &SourceStep::chooseConsumer);
    connect(m_topic, &QComboBox::currentTextChanged, this, &SourceStep::changed);
    return panel;
}

QWidget* SourceStep::makeWindow() {
    auto* const panel = new Panel(tr("Which messages"), this);
    m_timeForm = new QWidget(panel);
    QFormLayout* const form = makeForm(m_timeForm);
    m_from = new QLineEdit(m_timeForm);
    m_to = new QLineEdit(m_timeForm);
    for (QLineEdit* const edit : {m_from, m_to}) {
        edit->setFont(fonts::mono());
        edit->setMinimumWidth(320);
        edit->setToolTip(tr("2026-11-30T10:30:00Z, 2026-11-30 10:30:00.000 UTC, now, -3d, -15m"));
        connect(edit, &QLineEdit::textChanged, this, &SourceStep::readTimes);
    }
    m_from->setAccessibleName(tr("From, inclusive"));
    m_to->setAccessibleName(tr("To, exclusive"));
    m_echo = makeLabel(m_timeForm, {}, "muted");
    m_echo->setMinimumWidth(420);
    auto* const take = new QPushButton(tr("Use the window's range"), m_timeForm);
    setKind(take, "small");
    form->addRow(tr("From (inclusive)"), m_from);
    form->addRow(tr("To (exclusive)"), m_to);
    form->addRow(QString(), m_echo);
    form->addRow(QString(), take);
    m_offsetForm = new QWidget(panel);
    auto* const offsets = new QVBoxLayout(m_offsetForm);
    offsets->setContentsMargins(0, 0, 0, 0);
    m_offsetText = makeLabel(m_offsetForm, {});
    auto* const back = new QPushButton(tr("Use a time window instead"), m_offsetForm);
    setKind(back, "small");
    offsets->addWidget(m_offsetText);
    offsets->addWidget(back, 0, Qt::AlignLeft);
    panel->body()->addWidget(makeLabel(panel,
                                       tr("A message belongs to the window when from ≤ its own timestamp < to. The "
                                          "offsets are frozen when the plan is made."),
                                       "muted"));
    panel->body()->addWidget(m_timeForm);
    panel->body()->addWidget(m_offsetForm);
    connect(take, &QPushButton::clicked, this, &SourceStep::takeWindow);
    connect(back, &QPushButton::clicked, this, [this] {
        m_offsets.clear();
        showSource();
        Q_EMIT changed();
    });
    return panel;
}

void SourceStep::setConsumers(std::vector<ConsumerInfo> consumers) {
    m_consumers = std::move(consumers);
    const QString typed = m_consumer->currentText();
    const QSignalBlocker quiet(m_consumer);
    m_consumer->clear();
    for (const ConsumerInfo& info : m_consumers) {
        m_consumer->addItem(toQt(info.name.value()));
    }
    m_consumer->setCurrentText(typed.isEmpty() && !m_consumers.empty() ? toQt(m_consumers.front().name.value())
                                                                       : typed);
    chooseConsumer();
}

void SourceStep::setTopics(const std::vector<std::string>& topics) {
    const QString typed = m_topic->currentText();
    const QSignalBlocker quiet(m_topic);
    m_topic->clear();
    for (const std::string& topic : topics) {
        m_topic->addItem(toQt(topic));
    }
    m_topic->setCurrentText(typed);
    chooseConsumer();
}

void SourceStep::setListsNote(const QString& note) {
    m_listsNote->setText(note);
    m_listsNote->setVisible(!note.isEmpty());
}

void SourceStep::chooseConsumer() {
    const std::string name = toStd(m_consumer->currentText().trimmed());
    const auto info = std::find_if(m_consumers.begin(), m_consumers.end(),
                                   [&](const ConsumerInfo& each) { return each.name.value() == name; });
    if (info == m_consumers.end()) {
        m_retention->setText(name.empty() ? QString() : tr("Not a consumer that database or profile know."));
    } else {
        const QString kept = info->markerRetention ? tr("markers kept for %1").arg(Formats::span(info->markerRetention))
                                                   : tr("no marker retention is known");
        m_retention->setText(
            info->replayHorizon ? tr("%1 · replay horizon %2").arg(kept, Formats::span(info->replayHorizon)) : kept);
        if (m_topic->currentText().isEmpty() && !info->topics.empty()) {
            m_topic->setCurrentText(toQt(info->topics.front().value()));
        }
    }
    Q_EMIT changed();
}

void SourceStep::takeWindow() {
    const TimeRange range = m_time.range();
    m_from->setText(m_zone.full(range.from));
    m_to->setText(m_zone.full(range.to));
}

std::optional<TimePoint> SourceStep::timeOf(const QLineEdit& edit) const {
    return m_zone.parse(edit.text().trimmed(), wallClock());
}

void SourceStep::readTimes() {
    const auto from = timeOf(*m_from);
    const auto to = timeOf(*m_to);
    setInvalid(*m_from, !from);
    setInvalid(*m_to, !to || (from && *from >= *to));
    if (from && to) {
        m_echo->setText(tr("%1 – %2 · %3")
                            .arg(toQt(toRfc3339(*from)), toQt(toRfc3339(*to)),
                                 *from < *to ? Formats::age(*to - *from) : tr("ends before it begins")));
    } else {
        m_echo->setText(tr("Write an instant with its zone: 2026-11-30T10:30:00Z, or now, -3d, -15m"));
    }
    Q_EMIT changed();
}

void SourceStep::showSource() {
    const bool offsets = !m_offsets.empty();
    m_timeForm->setVisible(!offsets);
    m_offsetForm->setVisible(offsets);
    if (!offsets) {
        return;
    }
    QStringList lines;
    constexpr std::size_t shown = 8;
    for (std::size_t i = 0; i < std::min(m_offsets.size(), shown); ++i) {
        const PlanRange& range = m_offsets[i];
        const bool one = range.to.value() - range.from.value() == 1;
        lines += one ? tr("partition %1 · offset %2").arg(range.partition.value()).arg(range.from.value())
                     : tr("partition %1 · offsets %2 to %3 (exclusive)")
                           .arg(range.partition.value())
                           .arg(range.from.value())
                           .arg(range.to.value());
    }
    if (m_offsets.size() > shown) {
        lines += tr("and %1 more ranges").arg(m_offsets.size() - shown);
    }
    m_offsetText->setText(lines.join(QLatin1Char('\n')));
}

void SourceStep::setRequest(const PlanRequest& request) {
    m_topic->setCurrentText(toQt(request.topic.value()));
    m_consumer->setCurrentText(toQt(request.consumer.value()));
    m_offsets = request.source.kind == PlanSource::Kind::Offsets ? request.source.offsets : std::vector<PlanRange>{};
    if (request.source.window) {
        m_from->setText(m_zone.full(request.source.window->from));
        m_to->setText(m_zone.full(request.source.window->to));
    }
    showSource();
    chooseConsumer();  // also where the consumer is the one that was there: its topic fills an empty field
}

void SourceStep::fill(PlanRequest& request) const {
    request.consumer = ConsumerName(toStd(m_consumer->currentText().trimmed()));
    request.topic = Topic(toStd(m_topic->currentText().trimmed()));
    request.source = {};
    if (!m_offsets.empty()) {
        request.source.kind = PlanSource::Kind::Offsets;
        request.source.offsets = m_offsets;
        return;
    }
    const auto from = timeOf(*m_from);
    const auto to = timeOf(*m_to);
    if (from && to) {
        request.source.window = TimeRange{*from, *to};
    }
}

}  // namespace redeliver::ui
