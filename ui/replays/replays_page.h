// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workspace/replay_desk.h"
#include "ui/async/ticket.h"
#include "ui/context/page.h"
#include "ui/replays/step_bar.h"

#include <memory>
#include <optional>

class QPushButton;
class QStackedWidget;
class QLabel;

namespace redeliver::ui {

class ConfirmStep;
class HistoryView;
class PreviewStep;
class ReportStep;
class RunEngine;
class RunStep;
class SourceStep;
class TargetStep;

/// Replays: the history, and the six steps of a new one. Plans, lists and reports go through the session's replay lane;
/// a run has an engine of its own and goes on while other pages are shown.
class ReplaysPage : public Page {
    Q_OBJECT
  public:
    ReplaysPage(const PageContext& context, QWidget* parent);
    ~ReplaysPage() override;

    void refresh() override;
    void open(const Link& link) override;
    void setActive(bool active) override;
    void saveState(QSettings& settings) const override;
    void restoreState(QSettings& settings) override;

    [[nodiscard]] bool showsHistory() const;
    [[nodiscard]] ReplayStep step() const;

  private:
    QWidget* makeTop();
    QWidget* makeFooter();
    void connectSteps();
    void showHistory();
    void startNew(const PlanRequest& request);
    [[nodiscard]] PlanRequest requestOf(const QString& argument) const;
    void goTo(ReplayStep step);
    void next();
    void back();
    void updateFooter();
    [[nodiscard]] QString obstacleTo(ReplayStep step) const;
    void fetchLists();
    void fetchHistory();
    void fetchReport(const ReplayId& id);
    void control(const ReplayId& id, ReplayControl wanted);
    void readDraft();
    void takeLock();
    [[nodiscard]] bool planFits() const;
    void plan();
    void showPlan(const Result<ReplayPlan>& answer);
    void cancelPlan();
    void mend(const PlanRequest& request);
    void savePlan();
    void run();
    void goOn(const ReplayLine& line);
    void startEngine(std::unique_ptr<RunEngine> engine);
    void showReport(const ReplayReport& report);
    void showRunError(const Error& error);

    PageContext m_context;
    PlanRequest m_request;
    std::optional<PlanRequest> m_planned;  ///< what m_plan was made from; another request makes the plan stale
    std::optional<ReplayPlan> m_plan;
    std::unique_ptr<RunEngine> m_engine;
    std::optional<ReplayId> m_reportId;
    bool m_hasReport = false;
    bool m_listsFetched = false;
    bool m_active = false;

    QStackedWidget* m_stack = nullptr;
    StepBar* m_steps = nullptr;
    QPushButton* m_toHistory = nullptr;
    QLabel* m_note = nullptr;
    QWidget* m_footer = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_back = nullptr;
    QPushButton* m_next = nullptr;
    HistoryView* m_history = nullptr;
    SourceStep* m_source = nullptr;
    TargetStep* m_target = nullptr;
    PreviewStep* m_preview = nullptr;
    ConfirmStep* m_confirm = nullptr;
    RunStep* m_run = nullptr;
    ReportStep* m_report = nullptr;

    Ticket m_listTicket;
    Ticket m_topicTicket;
    Ticket m_consumerTicket;
    Ticket m_planTicket;
    Ticket m_reportTicket;
    Ticket m_controlTicket;
};

}  // namespace redeliver::ui
