// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/consumer_info.h"
#include "ui/async/ticket.h"
#include "ui/common/panel.h"

#include <QPointer>

#include <map>
#include <string>
#include <vector>

class QScrollArea;

namespace redeliver::ui {

class Session;
class Zone;

/// Partitions that stopped until a person says how to go on (domain rule 16), each with its reason, Retry and Skip…
/// Hidden when there are none.
class StoppedPanel : public Panel {
    Q_OBJECT
  public:
    StoppedPanel(Session& session, const Zone& zone, QWidget* parent = nullptr);
    void setStopped(std::vector<StoppedPartition> stopped, TimePoint now);

  Q_SIGNALS:
    void released();  ///< a request was written; the overview should look again

  private:
    void rebuild();
    [[nodiscard]] QWidget* lineFor(const StoppedPartition& partition);
    void retry(const StoppedPartition& partition);
    void askSkip(const StoppedPartition& partition);

    Session& m_session;
    const Zone& m_zone;
    TimePoint m_now;
    std::vector<StoppedPartition> m_stopped;
    std::map<std::string, QString> m_errors;  ///< by partition key: what the last request was answered
    QScrollArea* m_scroll;
    Ticket m_ticket;
    std::string m_pending;  ///< key of the partition whose request is under way
};

}  // namespace redeliver::ui
