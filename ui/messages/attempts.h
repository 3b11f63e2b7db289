// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/search.h"

#include <QCoreApplication>
#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace redeliver::ui {

/// One dot of the time line.
enum class AttemptKind { Processed, Duplicate, Failed, AckFailed, InDoubt, Rejected, Stale, Note };

struct Attempt {
    TimePoint at;
    AttemptKind kind = AttemptKind::Note;
    QString label;    ///< beside the dot: "✓", "dup", "ack ✕"
    QString tooltip;  ///< without the time
    std::string worker;
};

/// What happened to one message at one consumer, by time. The marker is the processed delivery: events hold the rest.
struct AttemptLine {
    std::vector<Attempt> attempts;
    QString sentence;  ///< "6 deliveries · effect committed once · 3 absorbed"
};

/// Pure; any thread.
class Attempts {
    Q_DECLARE_TR_FUNCTIONS(redeliver::ui::Attempts)
  public:
    [[nodiscard]] static AttemptLine of(const MessageDetail& detail, const ConsumerName& consumer);
    /// The consumers that have a marker or an attempt, then the others, in the detail's order.
    [[nodiscard]] static std::vector<ConsumerName> consumers(const MessageDetail& detail);
    [[nodiscard]] static AttemptKind kindOf(std::string_view outcome) noexcept;
    /// "duplicate", "tx failed", "ack failed": as shown in pills.
    [[nodiscard]] static QString outcomeName(std::string_view outcome);
    [[nodiscard]] static QString kindName(DuplicateKind kind);

    /// Where dots go on a line of `width`: by time, at least `gap` apart where that fits. Attempts that don't fit even
    /// then share a place with their neighbour. One x per attempt, ascending.
    [[nodiscard]] static std::vector<double> places(const std::vector<Attempt>& attempts, double width, double gap);
};

}  // namespace redeliver::ui
