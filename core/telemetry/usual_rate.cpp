// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/usual_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace redeliver::telemetry {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) {
        return *middle;
    }
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::optional<UsualRate> rateOf(std::span<const RatioBucket> buckets, TimePoint from, TimePoint to) {
    std::vector<double> ratios;
    for (const RatioBucket& bucket : buckets) {
        if (bucket.deliveries > 0 && bucket.at >= from && bucket.at < to) {
            ratios.push_back(static_cast<double>(bucket.duplicates) / static_cast<double>(bucket.deliveries));
        }
    }
    if (ratios.empty()) {
        return std::nullopt;
    }
    UsualRate rate;
    rate.median = median(ratios);
    for (double& ratio : ratios) {
        ratio = std::abs(ratio - rate.median);
    }
    rate.spread = 1.48 * median(std::move(ratios));
    return rate;
}

enum class Heat { Gap, Cool, Hot };

struct Judged {
    Heat heat = Heat::Gap;
    TimePoint at;
    std::int64_t deliveries = 0;
    std::int64_t duplicates = 0;
};

// Spans of `length` that end at the end of the newest bucket, oldest first. The newest is still growing.
std::vector<Judged> spansOf(std::span<const RatioBucket> buckets, TimePoint end, std::chrono::seconds length,
                            std::size_t count, const UsualRate& usual) {
    std::vector<Judged> spans(count);
    for (std::size_t i = 0; i < count; ++i) {
        spans[i].at = end - length * static_cast<std::int64_t>(count - i);
    }
    const TimePoint begin = spans.front().at;
    for (const RatioBucket& bucket : buckets) {
        if (bucket.at >= begin && bucket.at < end) {
            Judged& span = spans[static_cast<std::size_t>((bucket.at - begin) / length)];
            span.deliveries += bucket.deliveries;
            span.duplicates += bucket.duplicates;
        }
    }
    for (Judged& span : spans) {
        if (span.deliveries > 0) {
            span.heat = isHot(span.duplicates, span.deliveries, usual) ? Heat::Hot : Heat::Cool;
        }
    }
    return spans;
}

Spike walk(const std::vector<Judged>& spans, std::chrono::seconds length) {
    Spike spike;
    const auto hotAmong = [&](std::size_t end) {
        std::size_t hot = 0;
        for (std::size_t i = end > 3 ? end - 3 : 0; i < end; ++i) {
            hot += spans[i].heat == Heat::Hot ? 1 : 0;
        }
        return hot;
    };
    const Judged* first = nullptr;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const bool hot = spans[i].heat == Heat::Hot;
        first = hot && first == nullptr ? &spans[i] : first;
        const std::size_t recent = hotAmong(i + 1);
        spike.firing = (spike.firing && recent > 0) || recent >= 2;
        if (recent == 0) {
            first = nullptr;
        }
        if (hot) {
            spike.deliveries = spans[i].deliveries;
            spike.duplicates = spans[i].duplicates;
        }
    }
    spike.length = length;
    spike.since = first != nullptr ? first->at : TimePoint{};
    spike.elevated = !spike.firing && hotAmong(spans.size()) > 0;
    return spike;
}

}  // namespace

RatioBucket ratioOf(TimePoint at, const Counts& counts) noexcept {
    const std::int64_t replayed = counts.of(DuplicateKind::Replayed);
    return {at, counts.deliveries() - replayed, counts.of(Outcome::Duplicate) - replayed};
}

Usual usualRate(std::span<const RatioBucket> lastDay, std::span<const RatioBucket> weeksBefore, TimePoint now,
                std::optional<TimePoint> firstSeen) {
    Usual usual;
    if (!firstSeen) {
        usual.reason = "no usual rate: nothing was reported yet";
        return usual;
    }
    if (now - *firstSeen < hours{24}) {
        usual.reason = fmt::format("no usual rate yet ({} h of 24 h)",
                                   std::max<std::int64_t>(0, std::chrono::floor<hours>(now - *firstSeen).count()));
        return usual;
    }
    usual.rate = rateOf(lastDay, now - hours{24}, now - minutes{15});
    std::optional<UsualRate> before;
    {
        std::vector<RatioBucket> sameTime;
        for (int week = 1; week <= 3; ++week) {
            const TimePoint then = now - hours{24 * 7 * week};
            for (const RatioBucket& bucket : weeksBefore) {
                if (bucket.at > then - minutes{15} - ratioStep && bucket.at < then + minutes{15}) {
                    sameTime.push_back(bucket);
                }
            }
        }
        before = rateOf(sameTime, TimePoint::min(), TimePoint::max());
    }
    if (before && (!usual.rate || before->median > usual.rate->median)) {
        usual.rate = before;
        usual.from = UsualFrom::SameTimeInWeeksBefore;
    }
    if (!usual.rate) {
        usual.reason = "no usual rate: no deliveries in the last 24 h before the last 15 min";
    }
    return usual;
}

bool isHot(std::int64_t duplicates, std::int64_t deliveries, const UsualRate& usual) noexcept {
    const auto d = static_cast<double>(duplicates);
    const auto n = static_cast<double>(deliveries);
    const double expected = n * usual.median;
    const double spread = n * usual.spread;
    return duplicates >= 10 && deliveries >= 50 && d > 2 * expected &&
           (d - expected) / std::sqrt(std::max(expected, 1.0) + spread * spread / 4) > 4;
}

Spike judge(std::span<const RatioBucket> lastDay, TimePoint now, const UsualRate& usual) {
    const Duration intoBucket{now.time_since_epoch().count() % Duration{ratioStep}.count()};
    const TimePoint complete = now - intoBucket;
    constexpr std::size_t threeHours = 36;
    auto spans = spansOf(lastDay, complete + ratioStep, ratioStep, threeHours + 1, usual);
    // A bucket that isn't over yet would dilute the last three with a "cool" that it may not stay.
    if (spans.back().heat != Heat::Hot) {
        spans.pop_back();
    }
    std::vector<double> sizes;
    for (const Judged& span : spans) {
        if (span.heat != Heat::Gap) {
            sizes.push_back(static_cast<double>(span.deliveries));
        }
    }
    Spike spike = walk(spans, ratioStep);
    if (spike.firing || sizes.empty()) {
        return spike;
    }
    const bool few = median(std::move(sizes)) < 50;
    Spike hourly = walk(spansOf(lastDay, complete, hours{1}, 3, usual), hours{1});
    hourly.hourly = true;
    if (few && (hourly.firing || hourly.elevated)) {
        return hourly;
    }
    // Enough deliveries for 5 minutes: an hour far above the usual is worth a look, but it isn't a spike.
    if (!spike.elevated && spansOf(lastDay, complete, hours{1}, 1, usual).front().heat == Heat::Hot) {
        hourly.firing = false;
        hourly.elevated = true;
        return hourly;
    }
    return spike;
}

}  // namespace redeliver::telemetry
