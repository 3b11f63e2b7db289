// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/consumer_state.h"

#include "core/telemetry/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace redeliver::telemetry {
namespace {

using std::chrono::minutes;

constexpr std::int64_t fewestFailures = 5;
constexpr double failingShare = 0.05;

std::string stoppedText(std::span<const StoppedPartition> stopped) {
    const StoppedPartition& first = stopped.front();
    const std::string place = fmt::format("{}/{} at {}: {}", first.tp.topic.value(), first.tp.partition.value(),
                                          first.next.value(), first.reason);
    return stopped.size() == 1 ? fmt::format("Partition {}", place)
                               : fmt::format("{} partitions stopped, first {}", stopped.size(), place);
}

bool isFailing(const Counts& counts) noexcept {
    const std::int64_t failed = counts.of(Outcome::TransactionFailed);
    return failed >= fewestFailures &&
           static_cast<double>(failed) >= failingShare * static_cast<double>(counts.deliveries());
}

// The most likely cause by the largest kind of duplicate, or that none stands out.
std::string causeText(const Counts& counts) {
    const std::int64_t all = counts.of(Outcome::Duplicate) - counts.of(DuplicateKind::Replayed);
    constexpr std::array kinds{DuplicateKind::Redelivered, DuplicateKind::PublishedAgain, DuplicateKind::Concurrent};
    const auto* const top = std::max_element(
        kinds.begin(), kinds.end(), [&](DuplicateKind a, DuplicateKind b) { return counts.of(a) < counts.of(b); });
    const std::int64_t most = counts.of(*top);
    if (all <= 0 || most * 2 < all) {
        return {};
    }
    const std::int64_t share = most * 100 / all;
    switch (*top) {
        case DuplicateKind::Redelivered:
            return counts.ackFailed > 0
                       ? fmt::format(" {} % the same offsets again, {} acks failed: looks like offset commits failing.",
                                     share, grouped(counts.ackFailed))
                       : fmt::format(
                             " {} % the same offsets again: a worker was lost, or a rebalance came before the ack.",
                             share);
        case DuplicateKind::PublishedAgain:
            return fmt::format(" {} % published again under the same ID: the producer repeats itself.", share);
        default:
            return fmt::format(" {} % concurrent: two workers had the same message at once.", share);
    }
}

std::string usualText(const Usual& usual) {
    return fmt::format("usual {}{}", percent(usual.rate->median),
                       usual.from == UsualFrom::SameTimeInWeeksBefore ? " (same time last 3 weeks)" : "");
}

std::string spikeText(const Spike& spike, const ConsumerFacts& facts) {
    const double ratio =
        static_cast<double>(spike.duplicates) / static_cast<double>(std::max<std::int64_t>(spike.deliveries, 1));
    return fmt::format("Duplicates: {} of {} ({}) in {}, {}, since {}.{}", grouped(spike.duplicates),
                       grouped(spike.deliveries), percent(ratio), spike.length == ratioStep ? "5 min" : "1 h",
                       usualText(facts.usual), clockTime(spike.since), causeText(facts.lastMinutes));
}

// Three times the mean distance of buckets with deliveries over the last day, at least 10 minutes.
Duration quietLimit(std::span<const RatioBucket> lastDay) {
    std::int64_t busy = 0;
    for (const RatioBucket& bucket : lastDay) {
        busy += bucket.deliveries > 0 ? 1 : 0;
    }
    const Duration mean = busy > 0 ? Duration{std::chrono::hours{24}} / busy : Duration{};
    return std::max<Duration>(minutes{10}, std::min<Duration>(mean * 3, std::chrono::hours{6}));
}

Judgement quiet(const ConsumerFacts& facts) {
    const std::string since = facts.lastDelivery
                                  ? fmt::format("Nothing reported for {}", spanWords(facts.now - *facts.lastDelivery))
                                  : std::string{"Nothing was ever reported"};
    if (facts.lag == 0) {
        return {ConsumerState::Idle, since + "; nothing waits in Kafka."};
    }
    return {ConsumerState::NoData,
            facts.lag ? fmt::format("{}; {} records wait in Kafka.", since, grouped(*facts.lag)) : since + "."};
}

Judgement rateJudgement(const ConsumerFacts& facts) {
    const std::int64_t replayed = facts.lastMinutes.of(DuplicateKind::Replayed);
    const std::int64_t deliveries = facts.lastMinutes.deliveries() - replayed;
    const std::int64_t duplicates = facts.lastMinutes.of(Outcome::Duplicate) - replayed;
    const double ratio = deliveries > 0 ? static_cast<double>(duplicates) / static_cast<double>(deliveries) : 0;
    const std::string visible = fmt::format("Duplicates: {} of {} ({}) in the last minutes", grouped(duplicates),
                                            grouped(deliveries), percent(ratio));
    const std::string replays = replayed > 0 ? fmt::format(" {} more by a replay.", grouped(replayed)) : std::string{};
    if (!facts.usual.rate) {
        return {ConsumerState::Learning, fmt::format("{}; {}.{}", visible, facts.usual.reason, replays)};
    }
    const Spike spike = judge(facts.lastDay, facts.now, *facts.usual.rate);
    if (spike.firing) {
        return {ConsumerState::Spike, spikeText(spike, facts) + replays};
    }
    if (spike.elevated) {
        return {ConsumerState::Elevated, spikeText(spike, facts) + replays};
    }
    return {ConsumerState::Usual, fmt::format("{}, {}.{}", visible, usualText(facts.usual), replays)};
}

}  // namespace

Judgement judgeConsumer(const ConsumerFacts& facts) {
    if (!facts.stopped.empty()) {
        return {ConsumerState::Stopped, stoppedText(facts.stopped)};
    }
    if (isFailing(facts.lastMinutes)) {
        const std::int64_t failed = facts.lastMinutes.of(Outcome::TransactionFailed);
        return {ConsumerState::Failing, fmt::format("{} of {} deliveries failed ({}) in the last minutes.",
                                                    grouped(failed), grouped(facts.lastMinutes.deliveries()),
                                                    percent(static_cast<double>(failed) /
                                                            static_cast<double>(facts.lastMinutes.deliveries())))};
    }
    if (!facts.lastDelivery || facts.now - *facts.lastDelivery > quietLimit(facts.lastDay)) {
        return quiet(facts);
    }
    return rateJudgement(facts);
}

bool needsMoreAttention(const ConsumerRow& a, const ConsumerRow& b) noexcept {
    if (a.state != b.state) {
        return a.state < b.state;
    }
    const auto excess = [](const ConsumerRow& row) {
        return row.duplicateRate.value_or(0) - (row.usual ? row.usual->median : 0);
    };
    if (a.state == ConsumerState::Failing &&
        a.counts.of(Outcome::TransactionFailed) != b.counts.of(Outcome::TransactionFailed)) {
        return a.counts.of(Outcome::TransactionFailed) > b.counts.of(Outcome::TransactionFailed);
    }
    if ((a.state == ConsumerState::Spike || a.state == ConsumerState::Elevated) && excess(a) != excess(b)) {
        return excess(a) > excess(b);
    }
    return a.info.name < b.info.name;
}

}  // namespace redeliver::telemetry
