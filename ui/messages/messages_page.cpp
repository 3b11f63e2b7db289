// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/messages_page.h"

#include "core/query/query.h"
#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/state_view.h"
#include "ui/common/table.h"
#include "ui/context/navigator.h"
#include "ui/context/session.h"
#include "ui/context/zone.h"
#include "ui/messages/attempts.h"
#include "ui/messages/detail_view.h"
#include "ui/messages/filter_line.h"
#include "ui/messages/hits_model.h"
#include "ui/messages/record_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>
#include <QUrlQuery>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace redeliver::ui {

namespace {

Tone toneOf(const QModelIndex& index) {
    switch (Attempts::kindOf(toStd(index.data(HitsModel::OutcomeCode).toString()))) {
        case AttemptKind::Processed:
            return Tone::Good;
        case AttemptKind::Duplicate:
            return Tone::Warn;
        case AttemptKind::Failed:
        case AttemptKind::AckFailed:
        case AttemptKind::Rejected:
            return Tone::Bad;
        case AttemptKind::InDoubt:
            return Tone::Info;
        case AttemptKind::Stale:
        case AttemptKind::Note:
            break;
    }
    return Tone::Neutral;
}

}  // namespace

MessagesPage::MessagesPage(const PageContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_model(new HitsModel(this)) {
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->setHandleWidth(grid::gap);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(makeTable());
    m_detail = new DetailView(*m_context.zone, m_splitter);
    m_detail->setMinimumWidth(352);
    m_splitter->addWidget(m_detail);
    m_splitter->setSizes({726, 352});
    m_splitter->setStretchFactor(0, 5);
    m_splitter->setStretchFactor(1, 3);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(grid::margin, grid::margin, grid::margin, grid::margin);
    all->setSpacing(grid::gap);
    all->addWidget(makeFilter());
    all->addWidget(m_splitter, 1);
    m_detailSoon.setSingleShot(true);
    m_detailSoon.setInterval(80);
    connect(&m_detailSoon, &QTimer::timeout, this, &MessagesPage::fetchDetail);
    connect(m_detail, &DetailView::retry, this, &MessagesPage::fetchDetail);
    connect(m_context.zone, &Zone::changed, this, &MessagesPage::applyZone);
    connectRecord();
    setUpShortcuts();
    applyZone();
    m_state->showEmpty(
        tr("Find a message"),
        tr("Type its ID, the start of one (pay_01*), or paste a list of IDs. consumer:, outcome:, kind:, "
           "topic:, partition:, worker:, replay: and at: narrow it down."));
}

QWidget* MessagesPage::makeFilter() {
    auto* const panel = new Panel({}, this);
    m_filter = new FilterLine(panel);
    panel->body()->addWidget(m_filter);
    panel->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    connect(m_filter, &FilterLine::searched, this, [this] { search(firstLimit); });
    connect(m_filter, &FilterLine::cancelled, this, &MessagesPage::cancel);
    return panel;
}

QWidget* MessagesPage::makeTable() {
    auto* const panel = new Panel({}, this);
    panel->setFlush(true);
    m_table = new QTableView(panel);
    setUpTable(*m_table);
    m_table->setModel(m_model);
    m_table->setItemDelegateForColumn(HitsModel::Outcome, new PillDelegate(toneOf, m_table));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setAccessibleName(tr("Messages found"));
    QHeaderView* const header = m_table->horizontalHeader();
    const std::array<int, HitsModel::ColumnCount> widths{122, 138, 98, 140, 128, 64, 42};
    for (int i = 0; i < HitsModel::ColumnCount; ++i) {
        header->resizeSection(i, widths.at(static_cast<std::size_t>(i)));
    }
    header->setSectionResizeMode(HitsModel::Consumer, QHeaderView::Stretch);
    header->setSectionResizeMode(HitsModel::Id, QHeaderView::Stretch);
    m_state = new StateView(m_table, panel);
    m_state->setObjectName(QStringLiteral("results"));
    m_more = new QPushButton(tr("Show more"), panel);
    m_more->hide();
    panel->body()->addWidget(m_state, 1);
    panel->body()->addWidget(m_more, 0, Qt::AlignHCenter);
    connect(m_state, &StateView::retry, this, &MessagesPage::refresh);
    connect(m_state, &StateView::cancelled, this, &MessagesPage::cancel);
    connect(m_state, &StateView::nextStep, this, [this](StateView::State state) {
        if (state == StateView::State::NoSchema) {
            m_context.navigator->go({PageId::Connections, QStringLiteral("migrate"), std::nullopt});
        } else {
            m_filter->focusText();
        }
    });
    connect(m_more, &QPushButton::clicked, this, [this] { search(std::min(m_limit * 4, mostLimit)); });
    connect(m_table, &QTableView::customContextMenuRequested, this, &MessagesPage::showMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, &m_detailSoon,
            qOverload<>(&QTimer::start));
    return panel;
}

void MessagesPage::setUpShortcuts() {
    const auto add = [this](const QKeySequence& keys, QWidget* where, auto action) {
        auto* const shortcut = new QShortcut(keys, where);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, action);
    };
    add(QKeySequence::Find, this, [this] { m_filter->focusText(); });
    add(Qt::Key_Escape, this, [this] { cancel(); });
    add(QKeySequence::Copy, m_table, [this] { copyCell(); });
}

void MessagesPage::connectRecord() {
    RecordPanel& record = m_detail->record();
    connect(&record, &RecordPanel::wanted, this, &MessagesPage::fetchRecord);
    connect(&record, &RecordPanel::replayWanted, this, &MessagesPage::planReplay);
    updateReplay(tr("Choose a message first"));
}

void MessagesPage::applyZone() {
    const auto timeText = [zone = m_context.zone](TimePoint at) -> QString {
        const QDateTime here = zone->dateTime(at);
        const bool today = here.date() == QDateTime::currentDateTimeUtc().toTimeZone(zone->timeZone()).date();
        return today ? zone->clockMillis(at) : QLocale::c().toString(here, QStringLiteral("MM-dd HH:mm:ss"));
    };
    m_model->setTimeText(timeText, m_context.zone->name());
}

void MessagesPage::refresh() {
    if (!m_filter->text().trimmed().isEmpty()) {
        search(m_limit);
    }
}

void MessagesPage::open(const Link& link) {
    if (!link.argument.isEmpty()) {
        m_filter->setText(link.argument);
        if (m_filter->isValid()) {
            search(firstLimit);
        }
    }
    m_filter->focusText();
}

void MessagesPage::search(std::int64_t limit) {
    m_limit = limit;
    m_filter->setBusy(true);
    m_filter->setStatus({});
    m_more->hide();
    m_state->showLoading(tr("Searching markers and delivery events"));
    m_searchTicket = m_context.session->browse().run(
        [query = toStd(m_filter->text()), limit](BrowseDesk& desk, Job& job) {
            return desk.search(query, limit, job.stop());
        },
        [this](Result<SearchResult> answer) {
            m_filter->setBusy(false);
            if (answer) {
                showResult(std::make_shared<const SearchResult>(*std::move(answer)));
            } else {
                showFailure(answer.error());
            }
        });
}

void MessagesPage::showResult(const std::shared_ptr<const SearchResult>& result) {
    m_model->setResult(result);
    const auto count = static_cast<std::int64_t>(result->hits.size());
    const QString found = result->complete ? tr("%1 of %1").arg(Formats::number(count))
                                           : tr("limit reached: the first %1").arg(Formats::number(count));
    QString status = found + QStringLiteral(" · ") + Formats::latency(result->took);
    if (!result->plan.empty()) {
        status += QStringLiteral(" · ") + toQt(result->plan);
    }
    m_filter->setStatus(status);
    m_more->setVisible(!result->complete && m_limit < mostLimit);
    if (count == 0) {
        m_detail->showNothing();
        updateReplay(tr("Choose a message first"));
        m_state->showEmpty(
            tr("No match"),
            tr("No marker and no delivery event fits this filter. A prefix (pay_01*) or id~part finds more; a "
               "marker may also have been swept, and then only the record in Kafka is left."),
            tr("Change the filter"));
        return;
    }
    m_state->showReady();
    m_table->setCurrentIndex(m_model->index(0, HitsModel::Id));
}

void MessagesPage::showFailure(const Error& error) {
    m_filter->setStatus({});
    m_state->showError(error);
}

void MessagesPage::cancel() {
    if (!m_searchTicket.pending()) {
        return;
    }
    m_searchTicket.cancel();
    m_filter->setBusy(false);
    m_filter->setStatus(tr("cancelled"));
    if (m_model->total() > 0) {
        m_state->showReady();
    } else {
        m_state->showEmpty(tr("Cancelled"), tr("The search was stopped before it answered."), tr("Change the filter"));
    }
}

void MessagesPage::fetchDetail() {
    m_detailSoon.stop();
    const SearchHit* const hit = m_model->hit(m_table->currentIndex());
    m_recordTicket.cancel();
    m_detailTicket.cancel();
    updateReplay(tr("Needs the record, which isn't here yet"));
    if (hit == nullptr) {
        m_detail->showNothing();
        return;
    }
    m_hit = *hit;
    if (m_hit.messageId.empty()) {
        m_detail->showDetail({}, m_hit);
        return;
    }
    const MessageId id(m_hit.messageId);
    m_detail->showLoading(id);
    m_detailTicket =
        m_context.session->browse().run([id](BrowseDesk& desk, Job& job) { return desk.message(id, job.stop()); },
                                        [this](const Result<MessageDetail>& answer) {
                                            if (answer) {
                                                m_detail->showDetail(*answer, m_hit);
                                            } else {
                                                m_detail->showError(answer.error());
                                            }
                                        });
}

void MessagesPage::fetchRecord(const Coordinates& at) {
    m_recordAt = at;
    updateReplay(tr("Needs the record, which isn't here yet"));
    m_recordTicket = m_context.session->browse().run(
        [at](BrowseDesk& desk, Job& job) { return desk.record(at, job.stop()); },
        [this](const Result<RecordView>& answer) {
            if (answer) {
                showRecord(*answer);
            } else {
                m_detail->record().showError(answer.error());
                updateReplay(tr("The record couldn't be fetched: %1").arg(toQt(answer.error().text())));
            }
        });
}

void MessagesPage::showRecord(const RecordView& view) {
    m_detail->record().showRecord(view);
    updateReplay(view.record
                     ? QString()
                     : tr("The broker doesn't have this record, so there is nothing to send: %1").arg(toQt(view.why)));
}

void MessagesPage::updateReplay(const QString& obstacle) {
    m_detail->record().setReplay(obstacle);
}

void MessagesPage::planReplay() {
    QUrlQuery query;
    query.addQueryItem(QStringLiteral("consumer"), toQt(m_detail->consumer().value()));
    query.addQueryItem(QStringLiteral("topic"), toQt(m_recordAt.topic.value()));
    query.addQueryItem(QStringLiteral("partition"), QString::number(m_recordAt.partition.value()));
    query.addQueryItem(QStringLiteral("from"), QString::number(m_recordAt.offset.value()));
    query.addQueryItem(QStringLiteral("to"), QString::number(m_recordAt.offset.value() + 1));
    m_context.navigator->go(
        {PageId::Replays, QStringLiteral("new?") + query.toString(QUrl::FullyEncoded), std::nullopt});
}

void MessagesPage::copyCell() const {
    const QModelIndex current = m_table->currentIndex();
    if (current.isValid()) {
        QGuiApplication::clipboard()->setText(current.data(Qt::DisplayRole).toString());
    }
}

void MessagesPage::showMenu(const QPoint& position) {
    const QModelIndex index = m_table->indexAt(position);
    if (!index.isValid()) {
        return;
    }
    auto* const menu = new QMenu(m_table);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QString term = index.data(HitsModel::FilterTerm).toString();
    const QString copied = index.data(Qt::DisplayRole).toString();
    const auto add = [&](const QString& text, bool enabled, auto action) {
        QAction* const entry = menu->addAction(text);
        entry->setEnabled(enabled);
        connect(entry, &QAction::triggered, this, action);
    };
    const auto filter = [this, term](bool out) {
        m_filter->addTerm(term, out);
        search(firstLimit);
    };
    const QString shown = term.isEmpty() ? tr("(nothing to filter by here)") : term.left(60);
    add(tr("Filter in  %1").arg(shown), !term.isEmpty(), [filter] { filter(false); });
    add(tr("Filter out  -%1").arg(shown), !term.isEmpty(), [filter] { filter(true); });
    menu->addSeparator();
    add(tr("Copy"), true, [copied] { QGuiApplication::clipboard()->setText(copied); });
    add(tr("Copy as filter"), !term.isEmpty(), [term] { QGuiApplication::clipboard()->setText(term); });
    add(tr("Copy message ID"), true,
        [id = index.siblingAtColumn(HitsModel::Id).data().toString()] { QGuiApplication::clipboard()->setText(id); });
    menu->popup(m_table->viewport()->mapToGlobal(position));
}

void MessagesPage::saveState(QSettings& settings) const {
    settings.setValue(QStringLiteral("filter"), m_filter->text());
    settings.setValue(QStringLiteral("splitter"), m_splitter->saveState());
    settings.setValue(QStringLiteral("columns"), m_table->horizontalHeader()->saveState());
    settings.setValue(QStringLiteral("view"), static_cast<int>(m_detail->record().view()));
}

void MessagesPage::restoreState(QSettings& settings) {
    m_filter->setText(settings.value(QStringLiteral("filter")).toString());
    m_splitter->restoreState(settings.value(QStringLiteral("splitter")).toByteArray());
    m_table->horizontalHeader()->restoreState(settings.value(QStringLiteral("columns")).toByteArray());
    const int view = settings.value(QStringLiteral("view"), 0).toInt();
    m_detail->record().setView(static_cast<RecordPanel::View>(std::clamp(view, 0, 4)));
}

}  // namespace redeliver::ui
