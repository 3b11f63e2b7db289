// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QString>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace redeliver::ui {

class TimeWindow;
class Zone;

/// Presets and typed ranges; opens below the control, closes with Esc or a click elsewhere.
class TimePopup : public QFrame {
    Q_OBJECT
  public:
    TimePopup(TimeWindow& time, const Zone& zone, QWidget* parent);
    void load();  ///< writes the current range into the fields
    [[nodiscard]] QLineEdit* from() const noexcept { return m_from; }
    [[nodiscard]] QLineEdit* to() const noexcept { return m_to; }
    [[nodiscard]] QPushButton* applyButton() const noexcept { return m_apply; }

  private:
    [[nodiscard]] QWidget* makePresets();
    [[nodiscard]] QWidget* makeFields();
    void check();
    void apply();

    TimeWindow& m_time;
    const Zone& m_zone;
    QLineEdit* m_from = nullptr;
    QLineEdit* m_to = nullptr;
    QLabel* m_echo = nullptr;
    QPushButton* m_apply = nullptr;
};

/// The window's time range: back, what it is, forward.
class TimeControl : public QWidget {
    Q_OBJECT
  public:
    TimeControl(TimeWindow& time, const Zone& zone, QWidget* parent = nullptr);
    void openPopup();
    [[nodiscard]] TimePopup* popup() const noexcept { return m_popup; }
    [[nodiscard]] QString text() const;
    /// The words of a range: "Last 1 h · 13:00 – 14:00 UTC", or the absolute range.
    [[nodiscard]] static QString describe(const TimeWindow& time, const Zone& zone);

  public Q_SLOTS:
    void update();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    TimeWindow& m_time;
    const Zone& m_zone;
    QToolButton* m_back;
    QPushButton* m_label;
    QToolButton* m_forward;
    TimePopup* m_popup;
};

}  // namespace redeliver::ui
