// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "ui/common/palette.h"

#include <QElapsedTimer>
#include <QString>
#include <QTimer>
#include <QWidget>

#include <string>

class QLabel;
class QPushButton;
class QStackedLayout;

namespace redeliver::ui {

/// Every state a panel can be in, around its content (ui.md, Behaviour 1, 3 and 4). Content that was shown once stays
/// when a later refresh fails: the error then stands in a banner above it.
class StateView : public QWidget {
    Q_OBJECT
  public:
    enum class State { Ready, Empty, Loading, Failed, NoSchema, NoPermission };

    /// Takes `content` as its child.
    explicit StateView(QWidget* content, QWidget* parent = nullptr);

    [[nodiscard]] State state() const noexcept { return m_state; }
    void showReady();
    /// What it waits for; after a second also how long, and Cancel. Content that is there stays visible.
    void showLoading(const QString& what);
    /// Nothing to show is an answer: `next` is what to do about it, and `action` the button's text ("" = no button).
    void showEmpty(const QString& text, const QString& next, const QString& action = {});
    /// Picks no schema, no permission or failed; shows text, hint and code, with Retry (or the migration).
    void showError(const Error& error);
    /// A mark above the content, e.g. "data is 25 s old"; empty takes it away.
    void setStale(const QString& text);
    /// What the banner or the full-page message says now; for tests and screen readers.
    [[nodiscard]] QString message() const;

  Q_SIGNALS:
    void retry();
    void cancelled();
    void nextStep(redeliver::ui::StateView::State state);  ///< Empty's action, or NoSchema's "Create the tables…"

  private:
    void setUpMessage();
    void setUpBanner();
    void showMessage(const QString& heading, const QString& text, const QString& action, bool busy);
    void showBanner(const QString& text, Tone tone, const QString& action);
    void updateWaiting();
    void act();

    State m_state = State::Ready;
    bool m_hasContent = false;
    QWidget* m_content;
    QStackedLayout* m_stack;
    QLabel* m_heading = nullptr;
    QLabel* m_text = nullptr;
    QPushButton* m_action = nullptr;
    QPushButton* m_retry = nullptr;
    QWidget* m_bar = nullptr;
    QWidget* m_banner = nullptr;
    QLabel* m_bannerText = nullptr;
    QPushButton* m_bannerAction = nullptr;
    QString m_waitingFor;
    QString m_stale;
    QElapsedTimer m_since;
    QTimer m_tick;
};

}  // namespace redeliver::ui
