// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/detail_view.h"

#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/pill.h"
#include "ui/common/state_view.h"
#include "ui/context/zone.h"
#include "ui/messages/attempts.h"
#include "ui/messages/attempts_view.h"
#include "ui/messages/record_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>

namespace redeliver::ui {

namespace {

constexpr std::size_t fewMarkers = 6;

QLabel* label(QWidget* parent, const QString& text, const char* kind = nullptr) {
    auto* const made = new QLabel(text, parent);
    made->setTextFormat(Qt::PlainText);
    made->setWordWrap(true);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (kind != nullptr) {
        setKind(made, kind);
    }
    return made;
}

/// Under a heading that names the zone.
QString bareMinute(const Zone& zone, TimePoint at) {
    return QLocale::c().toString(zone.dateTime(at), QStringLiteral("MMM d HH:mm"));
}

QString remaining(TimePoint until) {
    const TimePoint now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    return until > now ? DetailView::tr("in %1").arg(Formats::age(until - now))
                       : DetailView::tr("%1 ago: the next sweep may take it").arg(Formats::age(now - until));
}

void appendOnce(std::vector<Coordinates>& places, const Coordinates& at) {
    const bool known =
        std::any_of(places.begin(), places.end(), [&](const Coordinates& other) { return sameRecord(other, at); });
    if (!known) {
        places.push_back(at);
    }
}

}  // namespace

DetailView::DetailView(Zone& zone, QWidget* parent) : QWidget(parent), m_zone(zone) {
    auto* const content = new QWidget(this);
    auto* const column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::gap);
    column->addWidget(makeMarkers());
    column->addWidget(makeAttempts());
    m_record = new RecordPanel(content);
    m_record->setMinimumHeight(270);
    column->addWidget(m_record, 1);
    auto* const scroll = new QScrollArea(this);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_state = new StateView(scroll, this);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_state);
    connect(m_state, &StateView::retry, this, &DetailView::retry);
    connect(&m_zone, &Zone::changed, this, [this] {
        if (m_detail) {
            fillMarkers();
            fillAttempts();
        }
    });
    showNothing();
}

QWidget* DetailView::makeMarkers() {
    auto* const panel = new Panel({}, this);
    m_title = new ElidedLabel({}, panel);
    QFont bold = fonts::mono();
    bold.setPixelSize(14);
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setElideMode(Qt::ElideMiddle);
    m_title->setTextInteractionFlags(Qt::NoTextInteraction);
    panel->body()->addWidget(m_title);
    m_markers = new QWidget(panel);
    m_markerGrid = new QGridLayout(m_markers);
    m_markerGrid->setContentsMargins(0, 0, 0, 0);
    m_markerGrid->setHorizontalSpacing(grid::gap);
    m_markerGrid->setVerticalSpacing(6);
    m_markerGrid->setColumnStretch(0, 5);
    m_markerGrid->setColumnStretch(1, 4);
    m_markerGrid->setColumnStretch(2, 4);
    panel->body()->addWidget(m_markers);
    m_more = new QToolButton(panel);
    m_more->setProperty("kind", QStringLiteral("control"));
    panel->body()->addWidget(m_more);
    connect(m_more, &QToolButton::clicked, this, [this] {
        m_allMarkers = true;
        fillMarkers();
    });
    return panel;
}

QWidget* DetailView::makeAttempts() {
    m_attemptsPanel = new Panel(tr("Attempts"), this);
    m_consumers = new QComboBox(m_attemptsPanel);
    m_consumers->setAccessibleName(tr("Consumer whose attempts are shown"));
    m_consumers->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_consumers->setMinimumContentsLength(14);
    m_attemptsPanel->addToHeading(m_consumers);
    m_attempts = new AttemptsView(m_attemptsPanel);
    m_sentence = label(m_attemptsPanel, {});
    m_described = label(m_attemptsPanel, {}, "muted");
    m_attemptsPanel->body()->addWidget(m_attempts);
    m_attemptsPanel->body()->addWidget(m_sentence);
    m_attemptsPanel->body()->addWidget(m_described);
    m_described->hide();
    connect(m_consumers, &QComboBox::activated, this, [this] {
        m_consumer = ConsumerName(toStd(m_consumers->currentText()));
        fillAttempts();
    });
    connect(m_attempts, &AttemptsView::described, this, [this](const QString& text) {
        m_described->setText(text);
        m_described->setVisible(!text.isEmpty());
    });
    return m_attemptsPanel;
}

void DetailView::showNothing() {
    m_detail.reset();
    m_state->showEmpty(tr("No message chosen"),
                       tr("Search, then choose a row: its markers, attempts and record show here."));
}

void DetailView::showLoading(const MessageId& id) {
    m_state->showLoading(tr("Reading markers and events of %1").arg(toQt(id.value()).left(60)));
}

void DetailView::showError(const Error& error) {
    m_state->showError(error);
}

std::vector<Coordinates> DetailView::placesOf(const MessageDetail& detail, const SearchHit& from) {
    std::vector<Coordinates> places;
    if (from.record) {
        places.push_back(*from.record);
    }
    for (const ConsumerMarker& entry : detail.markers) {
        if (entry.marker && entry.marker->at) {
            appendOnce(places, *entry.marker->at);
        }
    }
    for (const Coordinates& at : detail.occurrences) {
        appendOnce(places, at);
    }
    return places;
}

void DetailView::showDetail(const MessageDetail& detail, const SearchHit& from) {
    m_detail = detail;
    m_consumer = ConsumerName(from.consumer);
    m_allMarkers = false;
    m_title->setFullText(toQt(detail.id.value()));
    m_title->setToolTip(toQt(detail.id.value()));
    fillMarkers();
    fillConsumers();
    fillAttempts();
    m_state->showReady();
    m_record->setPlaces(placesOf(detail, from));
}

void DetailView::fillMarkers() {
    while (QLayoutItem* item = m_markerGrid->takeAt(0)) {
        if (QWidget* const widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
    int row = 0;
    const QStringList names{tr("Consumer"), tr("Marker (%1)").arg(m_zone.name()), tr("Kept until")};
    for (int i = 0; i < 3; ++i) {
        m_markerGrid->addWidget(label(m_markers, names[i], "muted"), row, i);
    }
    ++row;
    std::vector<const ConsumerMarker*> order;
    for (const ConsumerMarker& entry : m_detail->markers) {
        order.push_back(&entry);
    }
    std::stable_partition(order.begin(), order.end(),
                          [](const ConsumerMarker* entry) { return entry->marker.has_value(); });
    const std::size_t shown = m_allMarkers ? order.size() : std::min(order.size(), fewMarkers);
    for (std::size_t i = 0; i < shown; ++i) {
        addMarkerRow(row++, *order[i]);
    }
    if (order.empty()) {
        m_markerGrid->addWidget(label(m_markers, tr("No consumer is known to this database."), "muted"), row, 0, 1, 3);
    }
    m_more->setVisible(shown < order.size());
    m_more->setText(tr("Show %1 more consumers").arg(order.size() - shown));
}

void DetailView::addMarkerRow(int row, const ConsumerMarker& entry) {
    const QString note = toQt(entry.note);
    QLabel* const name =
        label(m_markers, toQt(entry.consumer.value()) + (note.isEmpty() ? QString() : QStringLiteral("\n") + note));
    m_markerGrid->addWidget(name, 2 * row, 0, Qt::AlignTop);
    auto* const state = new QWidget(m_markers);
    auto* const column = new QVBoxLayout(state);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(entry.marker ? new Pill(tr("committed"), Tone::Good, state)
                                   : new Pill(tr("no marker"), Tone::Neutral, state));
    QString kept = Formats::none();
    if (entry.marker) {
        QLabel* const when = label(state, bareMinute(m_zone, entry.marker->processedAt));
        when->setToolTip(m_zone.full(entry.marker->processedAt));
        column->addWidget(when);
        kept = entry.keptUntil ? bareMinute(m_zone, *entry.keptUntil) + QLatin1Char('\n') + remaining(*entry.keptUntil)
                               : tr("no retention set");
    }
    m_markerGrid->addWidget(state, 2 * row, 1, Qt::AlignTop);
    QLabel* const until = label(m_markers, kept, entry.keptUntil ? nullptr : "muted");
    if (entry.keptUntil) {
        until->setToolTip(m_zone.full(*entry.keptUntil));
    }
    m_markerGrid->addWidget(until, 2 * row, 2, Qt::AlignTop);
    auto* const rule = new QFrame(m_markers);
    setKind(rule, "rule");
    m_markerGrid->addWidget(rule, 2 * row - 1, 0, 1, 3);
}

void DetailView::fillConsumers() {
    m_consumers->clear();
    for (const ConsumerName& name : Attempts::consumers(*m_detail)) {
        m_consumers->addItem(toQt(name.value()));
    }
    const int at = m_consumers->findText(toQt(m_consumer.value()));
    m_consumers->setCurrentIndex(std::max(at, 0));
    m_consumers->setVisible(m_consumers->count() > 0);
}

void DetailView::fillAttempts() {
    AttemptLine line = Attempts::of(*m_detail, m_consumer);
    m_sentence->setText(line.sentence);
    const bool close =
        !line.attempts.empty() && line.attempts.back().at - line.attempts.front().at < std::chrono::seconds(10);
    m_attempts->setTimeText([zone = &m_zone, close](TimePoint at) -> QString {
        return close ? zone->clockMillis(at) + QLatin1Char(' ') + zone->label(at) : zone->clock(at);
    });
    m_attempts->setVisible(!line.attempts.empty());
    m_attempts->setLine(std::move(line));
}

}  // namespace redeliver::ui
