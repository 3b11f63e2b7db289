// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/consumer_info.h"
#include "ui/async/ticket.h"
#include "ui/common/write_dialog.h"

class QLabel;
class QLineEdit;

namespace redeliver::ui {

class Session;

/// Asks where a stopped partition shall go on, and why; says what is skipped by that.
class SkipDialog : public WriteDialog {
    Q_OBJECT
  public:
    SkipDialog(Session& session, StoppedPartition partition, QWidget* parent);

  private:
    void check();
    void write();

    Session& m_session;
    StoppedPartition m_partition;
    QLineEdit* m_offset;
    QLineEdit* m_reason;
    QLabel* m_effect;
    Ticket m_ticket;
};

}  // namespace redeliver::ui
