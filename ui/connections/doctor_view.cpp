// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/connections/doctor_view.h"

#include "ui/common/convert.h"
#include "ui/common/error_text.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/pill.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace redeliver::ui {

DoctorView::DoctorView(const DeskMaker& desks, QWidget* parent)
    : Panel(tr("Test"), parent),
      m_desks(desks),
      m_scroll(new QScrollArea(this)),
      m_cancel(new QPushButton(tr("Cancel"), this)) {
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    body()->addWidget(m_scroll);
    setKind(m_cancel, "small");
    addToHeading(m_cancel);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_lane.reset();
        m_ticket.cancel();
        show(failure(Error(ErrorKind::Cancelled, toStd(tr("Cancelled")))));
    });
    m_tick.setInterval(500);
    connect(&m_tick, &QTimer::timeout, this, &DoctorView::updateWaiting);
    clear();
}

void DoctorView::startList() {
    auto* list = new QWidget;
    auto* column = new QVBoxLayout(list);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    column->addStretch(1);
    m_scroll->setWidget(list);
    m_list = list;
}

void DoctorView::clear() {
    m_ticket.cancel();
    m_lane.reset();
    m_report.reset();
    m_tick.stop();
    m_cancel->hide();
    setDetail({});
    startList();
    addLine(tr("Test goes through both connections step by step (name, TCP, TLS, login, privileges, schema) and says "
               "which step fails and what to do."),
            "muted");
}

void DoctorView::run(const Profile& profile) {
    clear();
    startList();
    m_step = tr("Connecting");
    m_since.start();
    m_tick.start();
    m_cancel->show();
    updateWaiting();
    m_lane = std::make_unique<Lane<ActionDesk>>("test", [make = m_desks.actions, profile] { return make(profile); });
    m_ticket = m_lane->run(
        [this](ActionDesk& desk, Job& job) {
            return desk.doctor(job.progress([this](const Progress& step) { m_step = toQt(step.step); }), job.stop());
        },
        [this](const Result<DoctorReport>& report) { show(report); });
}

void DoctorView::updateWaiting() {
    setDetail(m_step + QStringLiteral(" · ") + Formats::age(std::chrono::milliseconds(m_since.elapsed())));
}

void DoctorView::show(const Result<DoctorReport>& report) {
    m_tick.stop();
    m_cancel->hide();
    startList();
    if (!report) {
        setDetail(tr("not finished"));
        addLine(errorText(report.error()), "bad");
        Q_EMIT finished();
        return;
    }
    m_report = *report;
    const QString took = Formats::latency(Duration(m_since.elapsed() * 1000));
    setDetail(report->ok()        ? tr("everything is in order · %1").arg(took)
              : report->reachable ? tr("reached, but something is missing · %1").arg(took)
                                  : tr("not reachable · %1").arg(took));
    for (const DoctorStep& step : report->steps) {
        addStep(step);
    }
    Q_EMIT finished();
}

void DoctorView::addStep(const DoctorStep& step) {
    auto* line = new QWidget(m_list);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(10);
    auto* pill = new Pill(step.ok ? tr("pass") : tr("fail"), step.ok ? Tone::Good : Tone::Bad, line);
    pill->setFixedWidth(44);
    row->addWidget(pill, 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    words->setSpacing(1);
    auto* heading = new QLabel((step.server == "kafka" ? QStringLiteral("Kafka") : QStringLiteral("PostgreSQL")) +
                                   QStringLiteral(" · ") + toQt(step.step),
                               line);
    heading->setFont(fonts::strong());
    words->addWidget(heading);
    for (const auto& [text, kind] : {std::pair{toQt(step.text), "muted"}, std::pair{toQt(step.hint), "bad"}}) {
        if (!text.isEmpty()) {
            auto* label = new QLabel(text, line);
            label->setWordWrap(true);
            label->setTextInteractionFlags(Qt::TextSelectableByMouse);
            setKind(label, step.ok ? "muted" : kind);
            words->addWidget(label);
        }
    }
    row->addLayout(words, 1);
    line->setAccessibleName(pill->text() + QStringLiteral(": ") + heading->text() + QStringLiteral(", ") +
                            toQt(step.text));
    auto* column = static_cast<QVBoxLayout*>(m_list->layout());
    column->insertWidget(column->count() - 1, line);
}

void DoctorView::addLine(const QString& text, const char* kind) {
    auto* label = new QLabel(text, m_list);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setKind(label, kind);
    auto* column = static_cast<QVBoxLayout*>(m_list->layout());
    column->insertWidget(column->count() - 1, label);
}

}  // namespace redeliver::ui
