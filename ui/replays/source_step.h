// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/consumer_info.h"
#include "core/workspace/replay_desk.h"

#include <QWidget>

#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace redeliver::ui {

class TimeWindow;
class Zone;

/// Step 1: which consumer's markers judge, which topic is read, and which window (typed, or the window's range) or
/// offset ranges (from a message, or from a mend).
class SourceStep : public QWidget {
    Q_OBJECT
  public:
    SourceStep(TimeWindow& time, Zone& zone, QWidget* parent = nullptr);

    void setConsumers(std::vector<ConsumerInfo> consumers);
    void setTopics(const std::vector<std::string>& topics);
    /// Said beneath the lists when they couldn't be fetched; names can be typed then.
    void setListsNote(const QString& note);
    void setRequest(const PlanRequest& request);
    /// Writes consumer, topic and source of what is shown into `request`.
    void fill(PlanRequest& request) const;

  Q_SIGNALS:
    void changed();

  private:
    QWidget* makeWho();
    QWidget* makeWindow();
    void chooseConsumer();
    void takeWindow();
    void readTimes();
    void showSource();
    [[nodiscard]] std::optional<TimePoint> timeOf(const QLineEdit& edit) const;

    TimeWindow& m_time;
    Zone& m_zone;
    std::vector<ConsumerInfo> m_consumers;
    std::vector<PlanRange> m_offsets;  ///< not empty: offset ranges instead of a window
    QComboBox* m_consumer = nullptr;
    QComboBox* m_topic = nullptr;
    QLabel* m_retention = nullptr;
    QLabel* m_listsNote = nullptr;
    QWidget* m_timeForm = nullptr;
    QWidget* m_offsetForm = nullptr;
    QLabel* m_offsetText = nullptr;
    QLineEdit* m_from = nullptr;
    QLineEdit* m_to = nullptr;
    QLabel* m_echo = nullptr;
};

}  // namespace redeliver::ui
