// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/target_step.h"

#include "ui/common/convert.h"
#include "ui/common/palette.h"
#include "ui/replays/labels.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QRadioButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace redeliver::ui {

TargetStep::TargetStep(QWidget* parent) : QWidget(parent) {
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(grid::gap);
    all->addWidget(makeTargets());
    all->addWidget(makeOptions());
    all->addStretch(1);
}

QWidget* TargetStep::makeTargets() {
    auto* const panel = new Panel(tr("Where the copies go"), this);
    m_same = new QRadioButton(tr("The same topic"), panel);
    m_same->setFont(fonts::strong());
    m_sameText = makeLabel(panel, {}, "muted");
    m_side = new QRadioButton(tr("A side topic"), panel);
    m_side->setFont(fonts::strong());
    m_sideText =
        makeLabel(panel,
                  tr("Only who reads that topic sees the copies, so live consumers and their lag are left alone. It "
                     "must exist; a copy goes to the partition of its source where the topic has as many."),
                  "muted");
    m_topic = new QComboBox(panel);
    m_topic->setEditable(true);
    m_topic->setInsertPolicy(QComboBox::NoInsert);
    m_topic->setMinimumWidth(320);
    m_topic->lineEdit()->setPlaceholderText(tr("the side topic's name"));
    m_topic->setAccessibleName(tr("Side topic"));
    m_same->setChecked(true);
    QVBoxLayout* const body = panel->body();
    for (QLabel* const text : {m_sameText, m_sideText}) {
        text->setIndent(24);
    }
    body->addWidget(m_same);
    body->addWidget(m_sameText);
    body->addSpacing(grid::unit);
    body->addWidget(m_side);
    body->addWidget(m_sideText);
    auto* const row = new QHBoxLayout;
    row->addSpacing(24);
    row->addWidget(m_topic);
    row->addStretch(1);
    body->addLayout(row);
    connect(m_same, &QRadioButton::toggled, this, [this] {
        explain();
        Q_EMIT changed();
    });
    connect(m_topic, &QComboBox::currentTextChanged, this, &TargetStep::changed);
    return panel;
}

QWidget* TargetStep::makeOptions() {
    auto* const panel = new Panel(tr("How"), this);
    auto* const rate = new QHBoxLayout;
    m_rate = new QSpinBox(panel);
    m_rate->setRange(1, 1'000'000);
    m_rate->setSuffix(tr(" messages/s"));
    m_rate->setMinimumWidth(180);
    m_rate->setAccessibleName(tr("Rate limit"));
    m_rate->setGroupSeparatorShown(true);
    m_rate->setLocale(QLocale::c());
    rate->addWidget(new QLabel(tr("At most"), panel));
    rate->addWidget(m_rate);
    rate->addWidget(makeLabel(panel, tr("Copies queue among live traffic: a low rate keeps the lag low."), "muted"), 1);
    m_keepTimestamps = new QCheckBox(tr("Keep the records' timestamps"), panel);
    m_keepTimestamps->setToolTip(
        tr("Otherwise the copies carry the present time. Key, value, headers and source partition "
           "are always kept, byte for byte."));
    m_onlyFor = new QCheckBox(panel);
    QVBoxLayout* const body = panel->body();
    body->addLayout(rate);
    body->addWidget(m_keepTimestamps);
    body->addWidget(m_onlyFor);
    connect(m_rate, &QSpinBox::valueChanged, this, &TargetStep::changed);
    connect(m_keepTimestamps, &QCheckBox::toggled, this, &TargetStep::changed);
    connect(m_onlyFor, &QCheckBox::toggled, this, &TargetStep::changed);
    return panel;
}

void TargetStep::setTopics(const std::vector<std::string>& topics) {
    const QString typed = m_topic->currentText();
    m_topic->clear();
    for (const std::string& topic : topics) {
        m_topic->addItem(toQt(topic));
    }
    m_topic->setCurrentText(typed);
}

void TargetStep::setRequest(const PlanRequest& request) {
    m_request = request;
    const bool side = request.target.starts_with("topic:");
    (side ? m_side : m_same)->setChecked(true);
    if (side) {
        m_topic->setCurrentText(toQt(request.target.substr(6)));
    }
    m_rate->setValue(static_cast<int>(request.options.rate));
    m_keepTimestamps->setChecked(request.options.keepTimestamps);
    m_onlyFor->setChecked(!request.options.onlyFor.empty());
    explain();
}

void TargetStep::explain() {
    const QString topic = toQt(m_request.topic.value());
    const QString consumer = toQt(m_request.consumer.value());
    m_sameText->setText(
        tr("Every group that reads %1 sees the copies: the preview shows what each of them will do.").arg(topic));
    m_topic->setEnabled(m_side->isChecked());
    m_topic->setToolTip(m_side->isChecked() ? QString() : tr("Choose “A side topic” first"));
    m_onlyFor->setText(tr("Only for %1").arg(consumer));
    m_onlyFor->setToolTip(
        tr("Adds the header redeliver-only: guarded consumers of another name acknowledge the copies without an "
           "effect. Groups without our guard don't know the header; the preview names them."));
}

void TargetStep::fill(PlanRequest& request) const {
    request.target = m_side->isChecked() ? "topic:" + toStd(m_topic->currentText().trimmed()) : std::string("same");
    request.options.rate = m_rate->value();
    request.options.keepTimestamps = m_keepTimestamps->isChecked();
    request.options.onlyFor = m_onlyFor->isChecked() ? request.consumer.value() : std::string();
}

}  // namespace redeliver::ui
