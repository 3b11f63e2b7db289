// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/confirm_step.h"

#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/pill.h"
#include "ui/replays/draft.h"
#include "ui/replays/labels.h"
#include "ui/replays/plan_text.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include <chrono>

namespace redeliver::ui {

ConfirmStep::ConfirmStep(QWidget* parent) : QFrame(parent) {
    auto* const row = new QHBoxLayout;
    row->setSpacing(grid::gap);
    row->addWidget(makeSummary(), 5);
    row->addWidget(makeAnswers(), 6);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(grid::gap, grid::gap, grid::gap, grid::gap);
    all->addLayout(row);
    all->addStretch(1);
    setFocusProxy(m_reason);
}

QWidget* ConfirmStep::makeSummary() {
    auto* const panel = new ui::Panel(tr("What will be sent"), this);
    m_facts = new FactGrid(panel);
    m_warnings = makeLabel(panel, {}, "warn");
    panel->body()->addWidget(m_facts);
    panel->body()->addSpacing(grid::unit);
    panel->body()->addWidget(m_warnings);
    panel->body()->addStretch(1);
    return panel;
}

QWidget* ConfirmStep::makeAnswers() {
    auto* const panel = new ui::Panel(tr("Your answers"), this);
    QVBoxLayout* const body = panel->body();
    body->addWidget(makeLabel(panel, tr("Reason (goes into the audit list)")));
    m_reason = new QPlainTextEdit(panel);
    m_reason->setFixedHeight(72);
    m_reason->setTabChangesFocus(true);
    m_reason->setAccessibleName(tr("Reason"));
    m_reason->setPlaceholderText(tr("Why, and who asked for it: incident, ticket, customer"));
    body->addWidget(m_reason);
    m_accepts = new QVBoxLayout;
    m_accepts->setSpacing(grid::half);
    body->addLayout(m_accepts);
    const auto addTyped = [&](QWidget*& form, QLabel*& wanted, QLineEdit*& edit, const QString& name) {
        form = new QWidget(panel);
        auto* const column = new QVBoxLayout(form);
        column->setContentsMargins(0, grid::half, 0, 0);
        column->setSpacing(grid::half);
        wanted = makeLabel(form, {});
        wanted->setTextFormat(Qt::RichText);
        wanted->setTextInteractionFlags(Qt::NoTextInteraction);
        edit = new QLineEdit(form);
        edit->setFont(fonts::mono());
        edit->setAccessibleName(name);
        column->addWidget(wanted);
        column->addWidget(edit);
        body->addWidget(form);
        connect(edit, &QLineEdit::textChanged, this, &ConfirmStep::changed);
    };
    addTyped(m_phraseForm, m_phraseWanted, m_phrase, tr("Phrase for the unprotected messages"));
    addTyped(m_nameForm, m_nameWanted, m_name, tr("Profile's name"));
    body->addStretch(1);
    connect(m_reason, &QPlainTextEdit::textChanged, this, &ConfirmStep::changed);
    return panel;
}

void ConfirmStep::setPlan(const ReplayPlan& plan, const Profile& profile) {
    m_environment = profile.environment;
    fillSummary(plan, profile);
    fillAccepts(plan);
    m_phrase->clear();
    m_name->clear();
    m_phraseForm->setVisible(plan.phrase.has_value());
    if (plan.phrase) {
        m_phraseWanted->setText(tr("Some effects may happen a second time. Type exactly: <b>%1</b>")
                                    .arg(toQt(*plan.phrase).toHtmlEscaped()));
    }
    m_nameForm->setVisible(DraftRules::needsProfileName(profile));
    m_nameWanted->setText(
        tr("This is production. Type the profile's name: <b>%1</b>").arg(toQt(profile.name).toHtmlEscaped()));
    update();
    Q_EMIT changed();
}

void ConfirmStep::fillSummary(const ReplayPlan& plan, const Profile& profile) {
    m_facts->clear();
    m_facts->add(tr("environment"),
                 new Pill(toQt(profile.name) + QStringLiteral(" · ") + toQt(toText(profile.environment)),
                          Palette::toneOf(profile.environment), m_facts));
    m_facts->add(tr("from"), toQt(plan.topic));
    m_facts->add(tr("to"), PlanText::targetName(plan.target));
    m_facts->add(tr("messages"), Formats::number(plan.records));
    m_facts->add(tr("at most"), tr("%1 /s, about %2")
                                    .arg(Formats::number(plan.options.rate),
                                         Formats::age(std::chrono::seconds(plan.expectedSeconds))));
    for (const ConsumerForecast& forecast : plan.consumers) {
        m_facts->add(PlanText::consumerName(forecast), PlanText::counts(forecast, plan.records, QStringLiteral("\n")));
    }
    QStringList warnings;
    for (const Finding& finding : plan.findings) {
        if (finding.severity == Severity::Warn) {
            warnings += toQt(finding.code) + QStringLiteral(": ") + toQt(finding.text);
        }
    }
    m_warnings->setText(warnings.join(QLatin1Char('\n')));
    m_warnings->setVisible(!warnings.isEmpty());
}

void ConfirmStep::fillAccepts(const ReplayPlan& plan) {
    for (const auto& [code, box] : m_codes) {
        box->hide();
        box->deleteLater();
    }
    m_codes.clear();
    for (const Finding& finding : DraftRules::acceptable(plan)) {
        auto* const box = new QCheckBox(tr("I accept %1").arg(toQt(finding.code)), this);
        box->setToolTip(toQt(finding.text) + QLatin1Char('\n') + toQt(finding.evidence));
        connect(box, &QCheckBox::toggled, this, &ConfirmStep::changed);
        m_accepts->addWidget(box);
        m_codes.emplace_back(finding.code, box);
    }
}

Confirmation ConfirmStep::confirmation() const {
    Confirmation answers;
    answers.reason = toStd(m_reason->toPlainText().trimmed());
    answers.phrase = toStd(m_phrase->text());
    answers.confirmedProfile = toStd(m_name->text());
    for (const auto& [code, box] : m_codes) {
        if (box->isChecked()) {
            answers.acceptedCodes.push_back(code);
        }
    }
    return answers;
}

void ConfirmStep::paintEvent(QPaintEvent* /*event*/) {
    const Palette& palette = Palette::of(*this);
    const Tone tone = Palette::toneOf(m_environment);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(tone == Tone::Bad    ? palette.transactionFailed
                        : tone == Tone::Warn ? palette.duplicate
                                             : palette.processed,
                        2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), grid::radius, grid::radius);
}

}  // namespace redeliver::ui
