// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

namespace redeliver::ui {

/// The live switch: ticks every interval while on. GUI thread.
class Live : public QObject {
    Q_OBJECT
  public:
    explicit Live(QObject* parent = nullptr);

    [[nodiscard]] bool isOn() const noexcept { return m_timer.isActive(); }
    void setOn(bool on);
    [[nodiscard]] int intervalMs() const noexcept { return m_timer.interval(); }
    void setIntervalMs(int ms);

  Q_SIGNALS:
    void tick();
    void changed(bool on);

  private:
    QTimer m_timer;
};

}  // namespace redeliver::ui
