// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/overview/skip_dialog.h"

#include "core/base/text.h"
#include "ui/common/convert.h"
#include "ui/common/error_text.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/context/session.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace redeliver::ui {

SkipDialog::SkipDialog(Session& session, StoppedPartition partition, QWidget* parent)
    : WriteDialog(session.profile(), tr("Skip in a stopped partition"), tr("Skip"), parent),
      m_session(session),
      m_partition(std::move(partition)),
      m_offset(new QLineEdit(this)),
      m_reason(new QLineEdit(this)),
      m_effect(new QLabel(this)) {
    auto* what = new QLabel(tr("%1 stopped at %2/%3: %4")
                                .arg(toQt(m_partition.consumer.value()), toQt(m_partition.tp.topic.value()),
                                     QString::number(m_partition.tp.partition.value()), toQt(m_partition.reason)),
                            this);
    what->setWordWrap(true);
    body()->addWidget(what);
    auto* form = new QFormLayout;
    form->setSpacing(grid::unit);
    m_offset->setFont(fonts::mono());
    m_offset->setText(QString::number(m_partition.suggestedSkip.value_or(m_partition.next).value()));
    m_reason->setPlaceholderText(tr("kept in the audit"));
    form->addRow(tr("Go on at &offset"), m_offset);
    form->addRow(tr("&Reason"), m_reason);
    body()->addLayout(form);
    m_effect->setWordWrap(true);
    body()->addWidget(m_effect);
    connect(m_offset, &QLineEdit::textChanged, this, &SkipDialog::check);
    connect(m_reason, &QLineEdit::textChanged, this, &SkipDialog::check);
    connect(this, &WriteDialog::actionRequested, this, &SkipDialog::write);
    check();
    m_reason->setFocus();
}

void SkipDialog::check() {
    const auto to = toInt64(toStd(m_offset->text().trimmed()));
    const std::int64_t next = m_partition.next.value();
    m_offset->setProperty("invalid", !to);
    if (!to || *to < 0) {
        m_effect->setText({});
        setObstacle(tr("The offset must be a whole number"));
        return;
    }
    if (*to > next) {
        setKind(m_effect, "bad");
        m_effect->setText(tr("%n record(s) at offsets %1 to %2 are skipped: this consumer will not apply them.",
                             nullptr, static_cast<int>(std::min<std::int64_t>(*to - next, 2'000'000'000)))
                              .arg(Formats::number(next), Formats::number(*to - 1)));
    } else {
        setKind(m_effect, "muted");
        m_effect->setText(
            *to == next
                ? tr("Nothing is skipped.")
                : tr("Goes back by %1: markers decide what is applied again.").arg(Formats::number(next - *to)));
    }
    setObstacle(m_reason->text().trimmed().isEmpty() ? tr("Write the reason: it is kept in the audit") : QString());
}

void SkipDialog::write() {
    const auto to = toInt64(toStd(m_offset->text().trimmed()));
    if (!to) {
        return;
    }
    setBusy(tr("Writing the request…"));
    m_ticket = m_session.actions().run(
        [p = m_partition, offset = Offset(*to), reason = toStd(m_reason->text().trimmed())](ActionDesk& desk, Job&) {
            return desk.skipPartition(p.consumer, p.tp, offset, reason);
        },
        [this](const Result<void>& answer) { setOutcome(answer ? QString() : errorText(answer.error())); });
}

}  // namespace redeliver::ui
