// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/overview/tile_text.h"

#include "ui/common/formats.h"
#include "ui/context/zone.h"

#include <algorithm>

namespace redeliver::ui {

namespace {

bool any(const Snapshot& snapshot, ConsumerState state) {
    return std::ranges::any_of(snapshot.consumers, [state](const ConsumerRow& row) { return row.state == state; });
}

QString perSecond(double rate) {
    return Formats::rate(rate) + QStringLiteral(" /s");
}

}  // namespace

std::array<QString, 5> TileTexts::names() {
    return {tr("Deliveries"), tr("Newly processed"), tr("Duplicates absorbed"), tr("Transaction failures"),
            tr("Ack failures")};
}

std::array<TileText, 5> TileTexts::of(const Snapshot& snapshot, const Zone& zone) {
    const std::int64_t deliveries = snapshot.total.deliveries();
    double rate = 0;
    for (const ConsumerRow& row : snapshot.consumers) {
        rate += row.rate;
    }
    const std::int64_t processed = snapshot.total.of(Outcome::Processed);
    const double part = deliveries > 0 ? static_cast<double>(processed) / static_cast<double>(deliveries) : 0.0;
    if (deliveries == 0 && !snapshot.newest) {
        const TileText nothing{Formats::none(), tr("nothing was counted in this range"), Tone::Neutral};
        return {nothing, nothing, nothing, nothing, nothing};
    }
    return {TileText{perSecond(rate), tr("%1 in range").arg(Formats::compact(deliveries)), Tone::Neutral},
            TileText{perSecond(rate * part), Formats::share(processed, deliveries), Tone::Neutral},
            duplicates(snapshot), failures(snapshot), ackFailures(snapshot, zone)};
}

TileText TileTexts::duplicates(const Snapshot& snapshot) {
    const std::int64_t deliveries = snapshot.total.deliveries();
    const std::int64_t found = snapshot.total.of(Outcome::Duplicate);
    TileText text{Formats::share(found, deliveries), {}, Tone::Neutral};
    if (any(snapshot, ConsumerState::Spike)) {
        text.tone = Tone::Bad;
    } else if (any(snapshot, ConsumerState::Elevated)) {
        text.tone = Tone::Warn;
    }
    if (!snapshot.usual || deliveries == 0) {
        text.note = tr("no usual rate yet");
        text.tone = Tone::Neutral;
        return text;
    }
    const double now = static_cast<double>(found) / static_cast<double>(deliveries);
    const double usual = snapshot.usual->median;
    const QString usualText = Formats::percent(usual);
    if (usual > 0 && now / usual >= 1.5) {
        text.note = tr("%1× the usual %2").arg(QString::number(now / usual, 'f', 1), usualText);
    } else {
        text.note = tr("usual %1 ± %2").arg(usualText, QString::number(snapshot.usual->spread * 100, 'f', 1));
    }
    return text;
}

TileText TileTexts::failures(const Snapshot& snapshot) {
    const std::int64_t failed = snapshot.total.of(Outcome::TransactionFailed);
    TileText text{Formats::share(failed, snapshot.total.deliveries()), tr("none in range"), Tone::Neutral};
    if (failed > 0) {
        text.note = tr("%1 · they come again").arg(Formats::number(failed));
        text.tone = any(snapshot, ConsumerState::Failing) ? Tone::Bad : Tone::Neutral;
    }
    if (const std::int64_t rejected = snapshot.total.of(Outcome::Rejected); rejected > 0) {
        text.note = tr("%1 · %2 rejected").arg(Formats::number(failed), Formats::number(rejected));
    }
    if (snapshot.total.inDoubt > 0) {
        text.note += tr(" · %1 in doubt").arg(Formats::number(snapshot.total.inDoubt));
    }
    return text;
}

TileText TileTexts::ackFailures(const Snapshot& snapshot, const Zone& zone) {
    TileText text{Formats::number(snapshot.total.ackFailed), tr("none in range"), Tone::Neutral};
    if (snapshot.total.ackFailed > 0) {
        text.tone = Tone::Bad;
        text.note = snapshot.firstAckFailure ? tr("first at %1").arg(zone.clock(*snapshot.firstAckFailure))
                                             : tr("committed, not acked");
    }
    return text;
}

}  // namespace redeliver::ui
