// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/markers/horizon.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::markers {
namespace {

struct Declared {
    std::optional<TimePoint> at;
    HorizonBasis basis = HorizonBasis::Unknown;
    std::string why;
};

// Without one marker whose time can be true nothing is known, whatever retention is declared (domain rule 10).
Declared declaredHorizon(const HorizonInput& input) {
    if (!input.ledger.anyMarker) {
        return {{}, HorizonBasis::Unknown, "not one marker of this consumer was found"};
    }
    if (!input.ledger.oldestMarker) {
        return {{}, HorizonBasis::Unknown, "no marker of this consumer has a time that can be true"};
    }
    const TimePoint oldest = *input.ledger.oldestMarker;
    if (!input.retention || input.at - *input.retention <= oldest) {
        return {oldest, HorizonBasis::OldestMarker,
                fmt::format("the oldest marker still there is of {}", toRfc3339(oldest))};
    }
    return {input.at - *input.retention, HorizonBasis::Declared,
            fmt::format("markers are kept for {}", toSpanText(*input.retention))};
}

}  // namespace

MarkerHorizon::MarkerHorizon(const HorizonInput& input) {
    const Declared declared = declaredHorizon(input);
    m_declared = declared.at;
    m_shown.margin = std::max({input.ledger.recordAhead, input.ledger.futureBy, input.skew, input.leastMargin});
    m_shown.lostBefore = input.ledger.lostBefore;
    for (const ports::LedgerEntry& entry : input.ledger.partitions) {
        if (entry.horizon && entry.tp.topic == input.topic) {
            m_shown.offsets[entry.tp.partition] = *entry.horizon;
        }
    }
    if (m_shown.offsets.empty()) {
        m_shown.basis = declared.basis;
        m_shown.at = declared.at;
        m_shown.why = declared.why;
    } else {
        m_shown.basis = HorizonBasis::Ledger;
        m_shown.at = m_shown.lostBefore ? m_shown.lostBefore : declared.at;
        m_shown.why = "the ledger says since which offsets markers are kept";
    }
    if (m_shown.lostBefore) {
        m_shown.why += fmt::format("; markers from before {} may be lost", toRfc3339(*m_shown.lostBefore));
    }
    if (m_shown.margin > Duration::zero() && m_shown.basis != HorizonBasis::Unknown) {
        m_shown.why += fmt::format("; times are compared with a margin of {:.3f} s",
                                   std::chrono::duration<double>(m_shown.margin).count());
    }
}

std::optional<UnprotectedReason> MarkerHorizon::outsideOfDeclared(std::optional<TimePoint> timestamp) const {
    if (!m_declared) {
        return UnprotectedReason::HorizonUnknown;
    }
    if (!timestamp) {
        return UnprotectedReason::NoTimestamp;
    }
    // Exactly at the edge counts as proven: a sweep takes what is older.
    return *timestamp - m_shown.margin >= *m_declared ? std::nullopt
                                                      : std::optional(UnprotectedReason::OlderThanHorizon);
}

std::optional<UnprotectedReason> MarkerHorizon::outsideOfLoss(std::optional<TimePoint> timestamp) const {
    if (!m_shown.lostBefore) {
        return std::nullopt;
    }
    if (!timestamp) {
        return UnprotectedReason::NoTimestamp;
    }
    // A record of the very instant at which a loss was found may be one of the lost.
    return *timestamp - m_shown.margin > *m_shown.lostBefore ? std::nullopt
                                                             : std::optional(UnprotectedReason::OlderThanHorizon);
}

std::optional<UnprotectedReason> MarkerHorizon::outside(Partition partition, Offset offset,
                                                        std::optional<TimePoint> timestamp) const {
    const auto ledger = m_shown.offsets.find(partition);
    if (ledger == m_shown.offsets.end()) {
        const auto outside = outsideOfDeclared(timestamp);
        return outside ? outside : outsideOfLoss(timestamp);
    }
    return offset < ledger->second ? std::optional(UnprotectedReason::OlderThanHorizon) : outsideOfLoss(timestamp);
}

}  // namespace redeliver::markers
