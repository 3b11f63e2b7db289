// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QSocketNotifier;

namespace redeliver::window {

/// Ctrl-C and SIGTERM close the window as its close button does; a second one ends the program at once.
class StopSignals : public QObject {
    Q_OBJECT
  public:
    explicit StopSignals(QObject* parent = nullptr);
    ~StopSignals() override;

  Q_SIGNALS:
    void stopRequested();

  private:
    QSocketNotifier* m_notifier = nullptr;
};

}  // namespace redeliver::window
