// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/record_panel.h"

#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/state_view.h"
#include "ui/messages/payload.h"

#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace redeliver::ui {

namespace {

QString placeText(const Coordinates& at) {
    return RecordPanel::tr("%1 · partition %2 · offset %3")
        .arg(toQt(at.topic.value()))
        .arg(at.partition.value())
        .arg(at.offset.value());
}

}  // namespace

RecordPanel::RecordPanel(QWidget* parent) : Panel(tr("Record"), parent) {
    build();
    setPlaces({});
}

void RecordPanel::build() {
    auto* const content = new QWidget(this);
    auto* const column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::half);
    column->addWidget(makeViews());
    m_note = new QLabel(content);
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setKind(m_note, "muted");
    column->addWidget(m_note);
    m_text = new QPlainTextEdit(content);
    m_text->setReadOnly(true);
    m_text->setFont(fonts::mono());
    m_text->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_text->setMinimumHeight(96);
    m_text->setAccessibleName(tr("The record's bytes"));
    column->addWidget(m_text, 1);
    m_state = new StateView(content, this);
    m_place = new QComboBox(this);
    m_place->setAccessibleName(tr("Where this message lies"));
    m_place->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_place->setMinimumContentsLength(10);
    connect(m_place, &QComboBox::activated, this, &RecordPanel::choosePlace);
    connect(m_state, &StateView::retry, this, [this] { choosePlace(m_place->currentIndex()); });
    body()->addWidget(m_place);
    body()->addWidget(m_state, 1);
    body()->addWidget(makeButtons());
}

QWidget* RecordPanel::makeViews() {
    m_views = new QTabBar(this);
    m_views->setDrawBase(false);
    m_views->setExpanding(false);
    m_views->setUsesScrollButtons(false);
    m_views->setAccessibleName(tr("How the record is shown"));
    const std::array<std::pair<QString, QString>, 5> names{
        {{tr("Decoded"), tr("JSON indented, its digits and escapes untouched; key and headers below")},
         {tr("Text"), tr("The value as UTF-8; other bytes as \\xNN")},
         {tr("Hex"), tr("Offset, bytes, printable characters of the value")},
         {tr("Headers"), tr("In their order, with repeated names, null and empty told apart")},
         {tr("Exact"), tr("Every byte of the record, escaped")}}};
    for (const auto& [name, tooltip] : names) {
        m_views->setTabToolTip(m_views->addTab(name), tooltip);
    }
    connect(m_views, &QTabBar::currentChanged, this, [this](int index) { setView(static_cast<View>(index)); });
    return m_views;
}

QWidget* RecordPanel::makeButtons() {
    auto* const row = new QWidget(this);
    auto* const layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    m_copy = new QPushButton(tr("Copy"), row);
    m_copy->setToolTip(tr("Copies what is shown"));
    m_save = new QPushButton(tr("Save…"), row);
    m_save->setToolTip(tr("Writes the value's bytes to a file, unchanged"));
    m_replay = new QPushButton(tr("Replay this message…"), row);
    setKind(m_replay, "primary");
    connect(m_copy, &QPushButton::clicked, this, &RecordPanel::copy);
    connect(m_save, &QPushButton::clicked, this, &RecordPanel::save);
    connect(m_replay, &QPushButton::clicked, this, &RecordPanel::replayWanted);
    layout->addWidget(m_copy);
    layout->addWidget(m_save);
    layout->addWidget(m_replay);
    layout->addStretch(1);
    return row;
}

void RecordPanel::setPlaces(std::vector<Coordinates> places) {
    m_places = std::move(places);
    m_place->clear();
    for (const Coordinates& at : m_places) {
        m_place->addItem(placeText(at));
    }
    m_place->setVisible(m_places.size() > 1);
    m_record.reset();
    render();
    if (m_places.empty()) {
        setDetail({});
        m_state->showEmpty(tr("Nothing to fetch"), tr("No row about this message says where its record lies in Kafka. "
                                                      "Markers written with topic, partition and offset would."));
        return;
    }
    choosePlace(0);
}

void RecordPanel::choosePlace(int index) {
    if (index >= 0 && static_cast<std::size_t>(index) < m_places.size()) {
        const Coordinates& at = m_places[static_cast<std::size_t>(index)];
        setDetail(placeText(at));
        showLoading();
        Q_EMIT wanted(at);
    }
}

void RecordPanel::showLoading() {
    m_record.reset();
    render();
    m_state->showLoading(tr("Fetching the record from the broker"));
}

void RecordPanel::showRecord(const RecordView& view) {
    if (!view.record) {
        m_record.reset();
        render();
        m_state->showEmpty(tr("The broker doesn't have this record"), toQt(view.why));
        return;
    }
    m_record = std::make_shared<const Record>(*view.record);
    m_state->showReady();
    const Record& record = *m_record;
    const auto size = static_cast<std::int64_t>(record.value ? record.value->size() : 0);
    setDetail(tr("%1 · partition %2 · offset %3 · %4")
                  .arg(toQt(record.tp.topic.value()))
                  .arg(record.tp.partition.value())
                  .arg(record.offset.value())
                  .arg(record.value ? Formats::bytes(size) : tr("null value")));
    render();
}

void RecordPanel::showError(const Error& error) {
    m_record.reset();
    render();
    m_state->showError(error);
}

void RecordPanel::setView(View view) {
    m_view = view;
    m_views->setCurrentIndex(static_cast<int>(view));
    render();
}

QString RecordPanel::headersText() const {
    if (m_record->headers.empty()) {
        return tr("no headers");
    }
    qsizetype longest = 0;
    for (const Header& header : m_record->headers) {
        longest = std::max(longest, toQt(header.name).size());
    }
    QStringList lines;
    for (const Header& header : m_record->headers) {
        const PayloadView value = Payload::decoded(header.value, 2048);
        const bool plain = value.kind == PayloadKind::Text || value.kind == PayloadKind::Json;
        const QString shown = plain ? toQt(*header.value).left(2048) : Payload::exact(header.value, 2048);
        lines += toQt(header.name).leftJustified(std::min<qsizetype>(longest, 28)) + QStringLiteral("  ") +
                 (header.value ? (header.value->empty() ? tr("(empty)") : shown) : tr("(null)"));
    }
    return lines.join(QLatin1Char('\n'));
}

QString RecordPanel::textOf(View view) const {
    const Record& record = *m_record;
    switch (view) {
        case View::Decoded: {
            const PayloadView value = Payload::decoded(record.value);
            const PayloadView key = Payload::decoded(record.key, 512);
            const QString keyText = key.kind == PayloadKind::Text ? key.text : Payload::exact(record.key, 512);
            return (value.text.isEmpty() ? QStringLiteral("(") + value.note + QLatin1Char(')') : value.text) +
                   QStringLiteral("\n\n") + tr("Key") + QLatin1Char('\n') +
                   (record.key ? (record.key->empty() ? tr("(empty)") : keyText) : tr("(null)")) +
                   QStringLiteral("\n\n") + tr("Headers") + QLatin1Char('\n') + headersText();
        }
        case View::Text:
            return Payload::asText(record.value).text;
        case View::Hex:
            return Payload::asHex(record.value).text;
        case View::Headers:
            return headersText();
        case View::Exact:
            return Payload::exactRecord(record);
    }
    return {};
}

void RecordPanel::render() {
    const bool has = m_record != nullptr;
    m_text->setPlainText(has ? textOf(m_view) : QString());
    QString note;
    if (has) {
        note = m_view == View::Text  ? Payload::asText(m_record->value).note
               : m_view == View::Hex ? Payload::asHex(m_record->value).note
                                     : Payload::decoded(m_record->value).note;
        if (m_view == View::Headers) {
            note = m_record->headers.size() == 1
                       ? tr("1 header")
                       : tr("%n headers", nullptr, static_cast<int>(m_record->headers.size()));
        }
    }
    m_note->setText(note);
    m_text->setLineWrapMode(m_view == View::Hex ? QPlainTextEdit::NoWrap : QPlainTextEdit::WidgetWidth);
    const QString fetchFirst = tr("Needs the record, which isn't here yet");
    m_copy->setEnabled(has);
    m_copy->setToolTip(has ? tr("Copies what is shown") : fetchFirst);
    const bool bytes = has && m_record->value.has_value();
    m_save->setEnabled(bytes);
    m_save->setToolTip(bytes ? tr("Writes the value's bytes to a file, unchanged")
                       : has ? tr("A null value has no bytes to write")
                             : fetchFirst);
}

QString RecordPanel::shownText() const {
    return m_text->toPlainText();
}

void RecordPanel::setReplay(const QString& obstacle) {
    m_replay->setEnabled(obstacle.isEmpty());
    m_replay->setToolTip(
        obstacle.isEmpty() ? tr("Plans a replay of this one record; nothing is sent before you confirm") : obstacle);
}

void RecordPanel::copy() const {
    QGuiApplication::clipboard()->setText(shownText());
}

void RecordPanel::save() {
    auto* const dialog = new QFileDialog(this, tr("Save the value's bytes"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(QStringLiteral("%1-%2-%3.bin")
                           .arg(toQt(m_record->tp.topic.value()))
                           .arg(m_record->tp.partition.value())
                           .arg(m_record->offset.value()));
    connect(dialog, &QFileDialog::fileSelected, this, [this, record = m_record](const QString& name) {
        QSaveFile file(name);
        const bool written =
            file.open(QIODevice::WriteOnly) && file.write(toBytes(*record->value)) >= 0 && file.commit();
        m_note->setText(written ? tr("Saved to %1").arg(name) : tr("Could not save: %1").arg(file.errorString()));
    });
    dialog->open();
}

}  // namespace redeliver::ui
