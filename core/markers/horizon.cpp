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

std::optional<UnprotectedReason> MarkerHorizon::outsideOfTime(std::optional<TimePoint> edge,
                                                              std::optional<TimePoint> timestamp) const {
    if (!edge) {
        return UnprotectedReason::HorizonUnknown;
    }
    if (!timestamp) {
        return UnprotectedReason::NoTimestamp;
    }
    return *timestamp - m_shown.margin >= *edge ? std::nullopt : std::optional(UnprotectedReason::OlderThanHorizon);
}

std::optional<UnprotectedReason> MarkerHorizon::outside(Partition partition, Offset offset,
                                                        std::optional<TimePoint> timestamp) const {
    const auto ledger = m_shown.offsets.find(partition);
    if (ledger != m_shown.offsets.end()) {
        if (offset < ledger->second) {
            return UnprotectedReason::OlderThanHorizon;
        }
        return m_shown.lostBefore ? outsideOfTime(m_shown.lostBefore, timestamp) : std::nullopt;
    }
    std::optional<TimePoint> edge = m_declared;
    if (edge && m_shown.lostBefore) {
        edge = std::max(*edge, *m_shown.lostBefore);
    }
    return outsideOfTime(edge, timestamp);
}

}  // namespace redeliver::markers
