// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/plan.h"
#include "core/ports/marker_reader.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace redeliver::markers {

/// What the horizon is reckoned from. `at` is the instant that "declared" refers to (the plan's creation).
struct HorizonInput {
    ports::ConsumerLedger ledger;
    Topic topic;
    std::optional<std::chrono::seconds> retention;  ///< marker retention that a sweep uses
    TimePoint at;
    Duration skew{};         ///< measured between our clock, the database and the broker, ≥ 0
    Duration leastMargin{};  ///< clock_margin of another library's table
};

/// The oldest instant or offset for which the absence of a marker still proves "never processed", of one consumer in
/// one topic (fine-print: ledger, declared, mixed; domain rules 10 and 11). A value; any thread.
class MarkerHorizon {
  public:
    explicit MarkerHorizon(const HorizonInput& input);

    /// Why a record lies outside, or nothing when absence is proof as far as the horizon goes. `timestamp` absent:
    /// outside of every horizon of time.
    [[nodiscard]] std::optional<UnprotectedReason> outside(Partition partition, Offset offset,
                                                           std::optional<TimePoint> timestamp) const;

    [[nodiscard]] const Horizon& shown() const noexcept { return m_shown; }

  private:
    [[nodiscard]] std::optional<UnprotectedReason> outsideOfDeclared(std::optional<TimePoint> timestamp) const;
    [[nodiscard]] std::optional<UnprotectedReason> outsideOfLoss(std::optional<TimePoint> timestamp) const;

    Horizon m_shown;
    std::optional<TimePoint> m_declared;  // the fall-back for partitions without a ledger row
};

}  // namespace redeliver::markers
