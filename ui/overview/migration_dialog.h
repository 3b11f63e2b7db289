// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workspace/action_desk.h"
#include "ui/async/ticket.h"
#include "ui/common/write_dialog.h"

#include <vector>

class QLabel;
class QPlainTextEdit;

namespace redeliver::ui {

class Session;

/// Shows the SQL of the pending migrations and applies them.
class MigrationDialog : public WriteDialog {
    Q_OBJECT
  public:
    MigrationDialog(Session& session, QWidget* parent);

  private:
    void load();
    void show(const std::vector<MigrationStep>& steps);
    void apply();

    Session& m_session;
    QLabel* m_summary;
    QPlainTextEdit* m_sql;
    Ticket m_ticket;
};

}  // namespace redeliver::ui
