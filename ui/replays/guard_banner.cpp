// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/guard_banner.h"

#include "ui/common/convert.h"
#include "ui/common/palette.h"
#include "ui/common/pill.h"
#include "ui/replays/labels.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace redeliver::ui {

namespace {

Tone toneOf(BannerTone tone) {
    return tone == BannerTone::Refuse ? Tone::Bad : tone == BannerTone::Warn ? Tone::Warn : Tone::Good;
}

void empty(QLayout& layout) {
    while (QLayoutItem* const item = layout.takeAt(0)) {
        if (QLayout* const inner = item->layout()) {
            empty(*inner);
        }
        if (QWidget* const widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
}

}  // namespace

BannerView::BannerView(QWidget* parent)
    : QFrame(parent), m_headline(makeLabel(this, {})), m_findings(new QGridLayout), m_buttons(new QWidget(this)) {
    m_buttonRow = new QHBoxLayout(m_buttons);
    m_buttonRow->setContentsMargins(0, 4, 0, 0);
    m_headline->setFont(fonts::strong());
    m_findings->setVerticalSpacing(6);
    m_findings->setHorizontalSpacing(grid::gap);
    m_findings->setColumnStretch(1, 1);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(grid::gap + 4, 12, grid::gap, 12);
    all->setSpacing(6);
    all->addWidget(m_headline);
    all->addLayout(m_findings);
    all->addWidget(m_buttons);
    setAccessibleName(tr("What the guard says"));
}

QString BannerView::headline() const {
    return m_headline->text();
}

void BannerView::clear() {
    empty(*m_findings);
    empty(*m_buttonRow);
}

void BannerView::setPlan(const ReplayPlan& plan, const std::function<QString(TimePoint)>& time) {
    clear();
    const GuardBanner banner = bannerOf(plan);
    m_tone = banner.tone;
    m_headline->setText(banner.headline);
    if (!plan.complete) {
        m_findings->addWidget(makeLabel(this, toQt(plan.incompleteWhy)), 0, 0, 1, 2);
    }
    for (const Finding& finding : banner.findings) {
        addFinding(finding);
    }
    m_mends = Mends::of(plan, time);
    addMends();
    update();
}

void BannerView::addFinding(const Finding& finding) {
    const Tone tone = finding.severity == Severity::Refuse ? Tone::Bad
                      : finding.severity == Severity::Warn ? Tone::Warn
                                                           : Tone::Info;
    const QString needs = finding.answer == Answer::Phrase   ? tr("The confirm step asks for a phrase of its own.")
                          : finding.answer == Answer::Accept ? tr("The confirm step asks you to accept it.")
                          : finding.severity == Severity::Refuse
                              ? tr("Nothing can be confirmed away here: change the plan.")
                              : QString();
    // On a ground of its own tone a badge would vanish.
    auto* const pill = new Pill(toQt(finding.code), tone == toneOf(m_tone) ? Tone::Neutral : tone, this);
    pill->setToolTip(needs);
    const int row = m_findings->rowCount();
    m_findings->addWidget(pill, row, 0, Qt::AlignTop);
    auto* const texts = new QVBoxLayout;
    texts->setSpacing(0);
    const QString who = finding.consumer.empty() || finding.text.find(finding.consumer) != std::string::npos
                            ? QString()
                            : toQt(finding.consumer) + QStringLiteral(": ");
    texts->addWidget(makeLabel(this, who + toQt(finding.text)));
    QStringList more;
    for (const QString& part : {toQt(finding.evidence), toQt(finding.mend)}) {
        if (!part.isEmpty()) {
            more += part;
        }
    }
    if (!more.isEmpty()) {
        texts->addWidget(makeLabel(this, more.join(QStringLiteral(" · ")), "muted"));
    }
    m_findings->addLayout(texts, row, 1);
}

void BannerView::addMends() {
    for (const Mend& mend : m_mends) {
        auto* const button = new QPushButton(mend.label, m_buttons);
        button->setToolTip(mend.tooltip);
        connect(button, &QPushButton::clicked, this, [this, request = mend.request] { Q_EMIT mendChosen(request); });
        m_buttonRow->addWidget(button);
    }
    m_buttonRow->addStretch(1);
    m_buttons->setVisible(!m_mends.empty());
}

void BannerView::paintEvent(QPaintEvent* /*event*/) {
    const Palette& palette = Palette::of(*this);
    const Tone tone = toneOf(m_tone);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette.ground(tone));
    painter.drawRoundedRect(rect(), grid::half, grid::half);
    painter.setClipRect(QRect(0, 0, 4, height()));
    painter.setBrush(tone == Tone::Bad    ? palette.transactionFailed
                     : tone == Tone::Warn ? palette.duplicate
                                          : palette.good);
    painter.drawRoundedRect(rect(), grid::half, grid::half);
}

}  // namespace redeliver::ui
