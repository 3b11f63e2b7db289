// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/assignment.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::consumer {
namespace {

Placement stop(std::string code, std::string reason, Offset next, std::optional<Offset> skip = std::nullopt) {
    return {Stop{std::move(code), std::move(reason), skip, next}, std::nullopt};
}

Placement start(Offset at, std::string event = {}, std::string why = {}) {
    return {Start{at, std::move(event), std::move(why), std::nullopt}, std::nullopt};
}

// Fine-print, "log". Nothing: it is the same log.
std::optional<Placement> otherLog(const PlacementFacts& facts, Offset ours) {
    const auto& stored = facts.stored;
    const auto& log = facts.log;
    if (ours > log.end) {
        return stop(
            "log-shorter",
            fmt::format("the log ends at {}, but this consumer has read up to {}: another log, or a truncated one",
                        log.end.value(), ours.value()),
            ours, log.start);
    }
    if (!stored.topicId.empty() && !log.topicId.empty()) {
        if (stored.topicId == log.topicId) {
            return std::nullopt;
        }
        return stop("other-log",
                    fmt::format("the topic was made again: its ID is {}, the offsets were read under {}", log.topicId,
                                stored.topicId),
                    ours, log.start);
    }
    switch (facts.fingerprint) {
        case Fingerprint::Match:
            return std::nullopt;
        case Fingerprint::Different:
            return stop(
                "other-log",
                fmt::format("another record lies at {} than the one read last: the topic was made again, or this "
                            "is another cluster's",
                            stored.lastRecordOffset.value_or(Offset{ours.value() - 1}).value()),
                ours, log.start);
        case Fingerprint::Gone:
            if (log.start >= ours) {
                return std::nullopt;  // deleted by retention; a range that is gone is judged by the caller
            }
            return stop(
                "log-unknown",
                fmt::format("the record read last, at {}, is gone and the log starts at {}: nothing is left to tell "
                            "that this is the log whose offset {} was stored",
                            stored.lastRecordOffset.value_or(Offset{ours.value() - 1}).value(), log.start.value(),
                            ours.value()),
                ours, ours);
        case Fingerprint::Unknown:
            break;
    }
    return std::nullopt;  // nothing was ever read here: offsets 0 to 0 say nothing about another log
}

Placement outOfRange(const PlacementFacts& facts, Offset at) {
    const std::string lost = fmt::format("records {} to {} are gone: the log starts at {}", at.value(),
                                         facts.log.start.value() - 1, facts.log.start.value());
    switch (facts.onOutOfRange) {
        case OnOutOfRange::Earliest:
            return start(facts.log.start, "offset_reset", lost);
        case OnOutOfRange::Latest:
            return start(facts.log.end, "offset_reset", lost);
        case OnOutOfRange::Stop:
            break;
    }
    return stop("offset-out-of-range", lost, at, facts.log.start);
}

// Where both know a place and the group's is above ours.
Placement groupAhead(const PlacementFacts& facts, Offset ours, Offset group) {
    const std::string both = fmt::format("the group stands at {}, the database at {}", group.value(), ours.value());
    Placement placement;
    switch (facts.onGroupAhead) {
        case OnGroupAhead::Database:
            placement = start(ours, "group_ahead", both + ": going on from the database, as configured");
            break;
        case OnGroupAhead::Group:
            placement = start(group, "group_ahead", both + ": going on from the group, as configured");
            break;
        case OnGroupAhead::Stop:
            placement = stop("group-ahead", both + ": the database lost work, or the group was moved", ours, group);
            break;
    }
    placement.loss = group;
    return placement;
}

Placement groupBehind(const PlacementFacts& facts, Offset ours, Offset group) {
    const std::string both = fmt::format("the group stands at {}, the database at {}", group.value(), ours.value());
    const bool belowLedger = facts.stored.ledger && group < *facts.stored.ledger;
    const bool belowAcked = facts.stored.ackedHighest && group < *facts.stored.ackedHighest;
    if (belowLedger && belowAcked) {
        return stop("group-below-horizon",
                    fmt::format("{}: below {} markers may be gone, reading again would repeat effects", both,
                                facts.stored.ledger->value()),
                    ours, ours);
    }
    // What lies below the log's start was passed long ago: nothing is skipped by starting there.
    return start(std::max(group, facts.log.start), "group_behind", both + ": it was rewound, or an ack was lost");
}

Placement placeKnown(const PlacementFacts& facts, Offset ours) {
    if (auto other = otherLog(facts, ours)) {
        return *other;
    }
    if (facts.group && *facts.group > ours) {
        return groupAhead(facts, ours, *facts.group);
    }
    if (facts.group && *facts.group < ours) {
        return ours < facts.log.start ? outOfRange(facts, ours) : groupBehind(facts, ours, *facts.group);
    }
    return ours < facts.log.start ? outOfRange(facts, ours) : start(ours);
}

Placement placeUnknown(const PlacementFacts& facts) {
    const bool groupMoved = facts.group && facts.group->value() > 0;
    if (facts.stored.otherCluster) {
        return stop("other-log", "this consumer's offsets belong to another cluster", facts.log.start, facts.log.start);
    }
    if (facts.anyRow && groupMoved) {
        return stop(
            "row-missing",
            fmt::format("the group stands at {}, but the database, which knows this consumer, has no row for this "
                        "partition: it may have lost work",
                        facts.group->value()),
            facts.log.start, *facts.group);
    }
    if (!groupMoved) {
        return start(facts.log.start);
    }
    const Offset group = *facts.group;
    if (group > facts.log.end) {
        return stop("log-shorter",
                    fmt::format("the log ends at {}, but the group stands at {}", facts.log.end.value(), group.value()),
                    group, facts.log.start);
    }
    auto placement = group < facts.log.start ? outOfRange(facts, group)
                                             : start(group, "adopted", fmt::format("adopted at {}", group.value()));
    if (auto* at = std::get_if<Start>(&placement.decision)) {
        at->ledger = facts.log.end;  // what lies before may have been done by whoever ran this group without markers
    }
    return placement;
}

}  // namespace

Placement place(const PlacementFacts& facts) {
    auto placement = facts.stored.next ? placeKnown(facts, *facts.stored.next) : placeUnknown(facts);
    if (auto* at = std::get_if<Start>(&placement.decision); at != nullptr && !at->ledger) {
        at->ledger = at->at;
    }
    return placement;
}

}  // namespace redeliver::consumer
