// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/overview/migration_dialog.h"

#include "ui/common/convert.h"
#include "ui/common/error_text.h"
#include "ui/common/palette.h"
#include "ui/context/session.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace redeliver::ui {

MigrationDialog::MigrationDialog(Session& session, QWidget* parent)
    : WriteDialog(session.profile(), tr("Bring the schema up"), tr("Apply"), parent),
      m_session(session),
      m_summary(new QLabel(this)),
      m_sql(new QPlainTextEdit(this)) {
    resize(760, 560);
    m_summary->setWordWrap(true);
    m_sql->setReadOnly(true);
    m_sql->setFont(fonts::mono());
    m_sql->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_sql->setAccessibleName(tr("SQL of the migration"));
    body()->addWidget(m_summary);
    body()->addWidget(m_sql, 1);
    connect(this, &WriteDialog::actionRequested, this, &MigrationDialog::apply);
    load();
}

void MigrationDialog::load() {
    m_summary->setText(tr("Looking which migrations are pending…"));
    setObstacle(tr("The SQL isn't loaded yet"));
    m_ticket = m_session.actions().run([](ActionDesk& desk, Job&) { return desk.pendingMigrations(); },
                                       [this](const Result<std::vector<MigrationStep>>& answer) {
                                           if (answer) {
                                               show(*answer);
                                           } else {
                                               m_summary->setText(errorText(answer.error()));
                                           }
                                       });
}

void MigrationDialog::show(const std::vector<MigrationStep>& steps) {
    QString sql;
    for (const MigrationStep& step : steps) {
        sql += QStringLiteral("-- ") + QString::number(step.version) + QLatin1Char(' ') + toQt(step.name) +
               QLatin1Char('\n') + toQt(step.sql) + QLatin1Char('\n');
    }
    m_sql->setPlainText(sql);
    m_summary->setText(tr("%n migration(s) will be applied to schema %1, each in a transaction of its own.", nullptr,
                          static_cast<int>(steps.size()))
                           .arg(toQt(m_session.profile().schema)));
    setObstacle(steps.empty()            ? tr("Nothing is pending")
                : m_session.isReadOnly() ? tr("The profile is read-only: unlock it first")
                                         : QString());
}

void MigrationDialog::apply() {
    setBusy(tr("Applying…"));
    m_ticket = m_session.actions().run(
        [this](ActionDesk& desk, Job& job) {
            return desk.migrate(job.progress([this](const Progress& step) { setBusy(toQt(step.step)); }));
        },
        [this](const Result<std::vector<MigrationStep>>& answer) {
            setOutcome(answer ? QString() : errorText(answer.error()));
        });
}

}  // namespace redeliver::ui
