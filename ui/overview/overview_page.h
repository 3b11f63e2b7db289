// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/snapshot.h"
#include "ui/async/ticket.h"
#include "ui/context/page.h"

#include <QElapsedTimer>
#include <QTimer>

#include <array>
#include <optional>

class QPushButton;
class QVBoxLayout;

namespace redeliver::ui {

class ConsumersModel;
class ConsumersView;
class Legend;
class OutcomeChart;
class Panel;
class StateView;
class StoppedPanel;
class Tile;

/// Is anything wrong, since when, with which consumer: tiles, deliveries by outcome, consumers by need for attention.
class OverviewPage : public Page {
    Q_OBJECT
  public:
    OverviewPage(const PageContext& context, QWidget* parent);
    ~OverviewPage() override;

    void refresh() override;
    void open(const Link& link) override;  ///< the argument is a consumer to select
    void setActive(bool active) override;
    void saveState(QSettings& settings) const override;
    void restoreState(QSettings& settings) override;
    [[nodiscard]] const SnapshotPtr& snapshot() const noexcept { return m_snapshot; }

  Q_SIGNALS:
    /// For the status bar: a refresh came in.
    void refreshed(const redeliver::SnapshotPtr& snapshot);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    [[nodiscard]] QWidget* makeContent();
    [[nodiscard]] QWidget* makeTiles();
    [[nodiscard]] QWidget* makeChart();
    [[nodiscard]] QWidget* makeTable();
    void tick();
    void fitHeights();
    void show(SnapshotPtr snapshot);
    void showTiles();
    void showChart();
    void markStale();
    void selectionChanged();
    void showMenu(const QPoint& at);
    void openMessages(const ConsumerName& consumer);
    void openMigration();
    [[nodiscard]] const ConsumerRow* selected() const;

    PageContext m_context;
    SnapshotPtr m_snapshot;
    std::optional<ConsumerName> m_selected;
    Ticket m_ticket;
    QElapsedTimer m_sinceAnswer;
    QTimer m_staleTimer;
    QTimer m_resized;
    StateView* m_state = nullptr;
    std::array<Tile*, 5> m_tiles{};
    StoppedPanel* m_stopped = nullptr;
    Panel* m_chartPanel = nullptr;
    Panel* m_tablePanel = nullptr;
    QPushButton* m_showAll = nullptr;
    OutcomeChart* m_chart = nullptr;
    Legend* m_legend = nullptr;
    ConsumersModel* m_model = nullptr;
    ConsumersView* m_table = nullptr;
};

}  // namespace redeliver::ui
