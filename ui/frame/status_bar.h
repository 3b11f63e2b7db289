// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/snapshot.h"
#include "core/workspace/telemetry_desk.h"
#include "ui/async/ticket.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <optional>

class QLabel;

namespace redeliver::ui {

class ElidedLabel;
class Live;
class Session;
class ServerLight;
class Zone;

/// State and round trip of both servers, age of the data, sizes. Asks on the session's telemetry lane every 5 s.
class StatusBar : public QWidget {
    Q_OBJECT
  public:
    StatusBar(const Live& live, const Zone& zone, QWidget* parent = nullptr);
    void setSession(Session* session);  ///< null: no profile is open
    void setSnapshot(const SnapshotPtr& snapshot);
    /// What is said now, for tests: "PostgreSQL 15.8 · 4 ms | Kafka … | refreshed …".
    [[nodiscard]] QString text() const;

  private:
    void ask();
    void show(const Result<Health>& health);
    void updateAge();

    const Live& m_live;
    const Zone& m_zone;
    Session* m_session = nullptr;
    SnapshotPtr m_snapshot;
    QElapsedTimer m_snapshotAge;
    QElapsedTimer m_askedAt;
    QTimer m_askTimer;
    QTimer m_ageTimer;
    Ticket m_ticket;
    ServerLight* m_postgres;
    ServerLight* m_kafka;
    QLabel* m_age;
    ElidedLabel* m_notice;
    QLabel* m_sizes;
};

}  // namespace redeliver::ui
