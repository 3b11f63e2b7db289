// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/status_bar.h"

#include "ui/common/convert.h"
#include "ui/common/error_text.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/context/live.h"
#include "ui/context/session.h"
#include "ui/context/zone.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace redeliver::ui {

/// A dot (green and filled, red and crossed, grey ring: not known) and the server's words.
class ServerLight : public QWidget {
  public:
    explicit ServerLight(QWidget* parent) : QWidget(parent), m_label(new QLabel(this)) {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(15, 0, 0, 0);
        row->addWidget(m_label);
    }
    void set(const QString& text, std::optional<bool> ok, const QString& tip) {
        m_ok = ok;
        m_label->setText(text);
        setToolTip(tip);
        setAccessibleName(text);
        update();
    }
    [[nodiscard]] QString text() const { return m_label->text(); }

  protected:
    void paintEvent(QPaintEvent* event) override {
        (void)event;
        const Palette& colors = Palette::of(*this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QPointF centre(5, height() / 2.0);
        if (!m_ok) {
            painter.setPen(QPen(colors.stale, 1.5));
            painter.drawEllipse(centre, 3.4, 3.4);
            return;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(*m_ok ? colors.good : colors.transactionFailed);
        painter.drawEllipse(centre, 4.2, 4.2);
        if (!*m_ok) {
            painter.setPen(QPen(colors.panel, 1.4));
            painter.drawLine(centre + QPointF(-1.6, -1.6), centre + QPointF(1.6, 1.6));
            painter.drawLine(centre + QPointF(-1.6, 1.6), centre + QPointF(1.6, -1.6));
        }
    }

  private:
    QLabel* m_label;
    std::optional<bool> m_ok;
};

namespace {

constexpr int askEveryMs = 5000;
constexpr qint64 patienceMs = 1500;

void showServer(ServerLight& light, const QString& name, const ServerState& state) {
    if (!state.ok) {
        const QString hint = toQt(state.hint);
        light.set(name + QStringLiteral(" · ") + QCoreApplication::translate("StatusBar", "not reachable"), false,
                  toQt(state.error) + (hint.isEmpty() ? hint : QStringLiteral("\n") + hint));
        return;
    }
    QString text = state.text.empty() ? name : toQt(state.text);
    if (state.roundTrip) {
        text += QStringLiteral(" · ") + Formats::latency(state.roundTrip);
    }
    light.set(text, true, QCoreApplication::translate("StatusBar", "Round trip of the last look"));
}

}  // namespace

StatusBar::StatusBar(const Live& live, const Zone& zone, QWidget* parent)
    : QWidget(parent),
      m_live(live),
      m_zone(zone),
      m_postgres(new ServerLight(this)),
      m_kafka(new ServerLight(this)),
      m_age(new QLabel(this)),
      m_notice(new ElidedLabel({}, this)),
      m_sizes(new QLabel(this)) {
    setObjectName(QStringLiteral("statusBar"));
    setAttribute(Qt::WA_StyledBackground);
    setFixedHeight(26);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(grid::margin, 0, grid::margin, 0);
    row->setSpacing(18);
    row->addWidget(m_postgres);
    row->addWidget(m_kafka);
    row->addWidget(m_age);
    row->addWidget(m_notice, 1);
    row->addWidget(m_sizes);
    for (QWidget* widget : {static_cast<QWidget*>(m_age), static_cast<QWidget*>(m_sizes)}) {
        widget->setFont(fonts::body());
    }
    m_askTimer.setInterval(askEveryMs);
    connect(&m_askTimer, &QTimer::timeout, this, &StatusBar::ask);
    m_ageTimer.setInterval(1000);
    connect(&m_ageTimer, &QTimer::timeout, this, &StatusBar::updateAge);
    m_ageTimer.start();
    setSession(nullptr);
}

void StatusBar::setSession(Session* session) {
    m_ticket.cancel();
    m_session = session;
    m_snapshot.reset();
    m_notice->setFullText({});
    m_sizes->clear();
    m_age->clear();
    m_postgres->setVisible(session != nullptr);
    m_kafka->setVisible(session != nullptr);
    if (session == nullptr) {
        m_askTimer.stop();
        m_age->setText(tr("no profile is open"));
        return;
    }
    m_postgres->set(tr("PostgreSQL · asking"), std::nullopt, {});
    m_kafka->set(tr("Kafka · asking"), std::nullopt, {});
    m_askTimer.start();
    ask();
}

void StatusBar::ask() {
    if (m_session == nullptr || m_ticket.pending()) {
        return;
    }
    m_askedAt.start();
    m_ticket = m_session->telemetry().run([](TelemetryDesk& desk, Job& job) { return desk.health(job.stop()); },
                                          [this](const Result<Health>& health) { show(health); });
}

void StatusBar::show(const Result<Health>& health) {
    if (!health) {
        m_postgres->set(tr("PostgreSQL · not reachable"), false, errorText(health.error()));
        m_kafka->set(tr("Kafka · not known"), std::nullopt, errorText(health.error()));
        return;
    }
    showServer(*m_postgres, QStringLiteral("PostgreSQL"), health->postgres);
    showServer(*m_kafka, QStringLiteral("Kafka"), health->kafka);
    QStringList notices;
    for (const std::string& text : {health->replicaText, health->maintenanceOverdue}) {
        if (!text.empty()) {
            notices << toQt(text);
        }
    }
    setKind(m_notice, "warn");
    m_notice->setFullText(notices.join(QStringLiteral(" · ")));
}

void StatusBar::setSnapshot(const SnapshotPtr& snapshot) {
    m_snapshot = snapshot;
    m_snapshotAge.start();
    QString sizes = tr("%n consumer(s)", nullptr, static_cast<int>(snapshot->consumers.size()));
    if (snapshot->markersEstimate) {
        sizes += QStringLiteral(" · ") + tr("≈ %1 markers").arg(Formats::compact(*snapshot->markersEstimate));
    }
    m_sizes->setText(sizes);
    m_sizes->setToolTip(tr("The number of markers is the planner's estimate"));
    updateAge();
}

void StatusBar::updateAge() {
    if (m_ticket.pending() && m_askedAt.elapsed() > patienceMs) {
        const QString waited = tr("no answer for %1").arg(Formats::age(std::chrono::milliseconds(m_askedAt.elapsed())));
        m_postgres->set(QStringLiteral("PostgreSQL · ") + waited, std::nullopt, {});
        m_kafka->set(QStringLiteral("Kafka · ") + waited, std::nullopt, {});
    }
    if (!m_snapshot) {
        return;
    }
    const bool stale = m_live.isOn() && m_snapshotAge.elapsed() > 2 * m_live.intervalMs() + 500;
    setKind(m_age, stale ? "bad" : "muted");
    QString text = tr("refreshed %1").arg(m_zone.clock(m_snapshot->takenAt));
    if (stale) {
        text += tr(" · stale, %1 old").arg(Formats::age(std::chrono::milliseconds(m_snapshotAge.elapsed())));
    }
    m_age->setText(text);
    m_age->setToolTip(m_snapshot->newest ? tr("newest count at %1").arg(m_zone.full(*m_snapshot->newest)) : QString());
}

QString StatusBar::text() const {
    return m_postgres->text() + QStringLiteral(" | ") + m_kafka->text() + QStringLiteral(" | ") + m_age->text() +
           QStringLiteral(" | ") + m_notice->fullText() + QStringLiteral(" | ") + m_sizes->text();
}

}  // namespace redeliver::ui
