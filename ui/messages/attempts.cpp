// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/attempts.h"

#include "ui/common/convert.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace redeliver::ui {

namespace {

struct KindText {
    std::string_view outcome;
    AttemptKind kind;
    const char* name;
    const char* label;
};

constexpr std::array<KindText, 8> kindTexts{{
    {"processed", AttemptKind::Processed, QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "processed"), "✓"},
    {"duplicate", AttemptKind::Duplicate, QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "duplicate"),
     QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "dup")},
    {"transaction_failed", AttemptKind::Failed, QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "tx failed"), "✕"},
    {"ack_failed", AttemptKind::AckFailed, QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "ack failed"),
     QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "ack ✕")},
    {"in_doubt", AttemptKind::InDoubt, QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "in doubt"), "?"},
    {"rejected", AttemptKind::Rejected, QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "rejected"),
     QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "DLT")},
    {"stale", AttemptKind::Stale, QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "stale"),
     QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "stale")},
    {"not_addressed", AttemptKind::Stale, QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "not addressed"),
     QT_TRANSLATE_NOOP("redeliver::ui::Attempts", "skip")},
}};

const KindText* find(std::string_view outcome) noexcept {
    const auto* const found =
        std::find_if(kindTexts.begin(), kindTexts.end(), [&](const auto& text) { return text.outcome == outcome; });
    return found == kindTexts.end() ? nullptr : found;
}

const Marker* markerOf(const MessageDetail& detail, const ConsumerName& consumer) noexcept {
    for (const ConsumerMarker& entry : detail.markers) {
        if (entry.consumer == consumer && entry.marker) {
            return &*entry.marker;
        }
    }
    return nullptr;
}

QString placeText(const Coordinates& at) {
    return toQt(toText(at));
}

}  // namespace

AttemptKind Attempts::kindOf(std::string_view outcome) noexcept {
    const KindText* const text = find(outcome);
    return text == nullptr ? AttemptKind::Note : text->kind;
}

QString Attempts::outcomeName(std::string_view outcome) {
    const KindText* const text = find(outcome);
    QString other = toQt(outcome);
    return text == nullptr ? other.replace(QLatin1Char('_'), QLatin1Char(' ')) : tr(text->name);
}

QString Attempts::kindName(DuplicateKind kind) {
    switch (kind) {
        case DuplicateKind::Redelivered:
            return tr("redelivered");
        case DuplicateKind::PublishedAgain:
            return tr("published again");
        case DuplicateKind::Replayed:
            return tr("replayed");
        case DuplicateKind::Concurrent:
            return tr("concurrent");
        case DuplicateKind::Unknown:
            return tr("kind unknown");
    }
    return {};
}

std::vector<ConsumerName> Attempts::consumers(const MessageDetail& detail) {
    std::vector<ConsumerName> with;
    std::vector<ConsumerName> without;
    const auto known = [&](const ConsumerName& name) {
        return std::find(with.begin(), with.end(), name) != with.end();
    };
    const auto attempted = [&](const ConsumerName& name) {
        return std::any_of(detail.attempts.begin(), detail.attempts.end(),
                           [&](const DeliveryEvent& event) { return event.consumer == name; });
    };
    for (const ConsumerMarker& entry : detail.markers) {
        (entry.marker || attempted(entry.consumer) ? with : without).push_back(entry.consumer);
    }
    for (const DeliveryEvent& event : detail.attempts) {
        if (!known(event.consumer)) {
            with.push_back(event.consumer);
        }
    }
    with.insert(with.end(), without.begin(), without.end());
    return with;
}

AttemptLine Attempts::of(const MessageDetail& detail, const ConsumerName& consumer) {
    AttemptLine line;
    const Marker* const marker = markerOf(detail, consumer);
    if (marker != nullptr) {
        QString tooltip = tr("processed: marker and effect committed together");
        if (marker->at) {
            tooltip += QLatin1Char('\n') + placeText(*marker->at);
        }
        line.attempts.push_back({marker->processedAt, AttemptKind::Processed, QStringLiteral("✓"), tooltip,
                                 marker->worker ? marker->worker->value() : std::string{}});
    }
    std::int64_t duplicates = 0;
    std::int64_t failed = 0;
    std::int64_t others = 0;
    std::int64_t beside = 0;
    for (const DeliveryEvent& event : detail.attempts) {
        const AttemptKind kind = kindOf(event.outcome);
        if (event.consumer != consumer || (kind == AttemptKind::Processed && marker != nullptr)) {
            continue;
        }
        QString tooltip = outcomeName(event.outcome);
        if (event.kind) {
            tooltip += QStringLiteral(" · ") + kindName(*event.kind);
        }
        if (event.attempt > 1) {
            tooltip += QStringLiteral(" · ") + tr("attempt %1").arg(event.attempt);
        }
        if (!event.errorCode.empty() || !event.errorText.empty()) {
            tooltip += QLatin1Char('\n') +
                       QStringList{toQt(event.errorCode), toQt(event.errorText)}.join(QLatin1Char(' ')).trimmed();
        }
        if (event.identicalContent) {
            tooltip += QLatin1Char('\n') + (*event.identicalContent ? tr("same bytes as the first copy")
                                                                    : tr("OTHER bytes than the first copy"));
        }
        if (event.at_record) {
            tooltip += QLatin1Char('\n') + placeText(*event.at_record);
        }
        const KindText* const text = find(event.outcome);
        line.attempts.push_back({event.at, kind, text == nullptr ? outcomeName(event.outcome) : tr(text->label),
                                 tooltip, event.worker.value()});
        const bool delivery = parseOutcome(event.outcome).has_value();
        duplicates += kind == AttemptKind::Duplicate ? 1 : 0;
        failed += kind == AttemptKind::Failed ? 1 : 0;
        others += delivery && kind != AttemptKind::Duplicate && kind != AttemptKind::Failed ? 1 : 0;
        beside += kind == AttemptKind::AckFailed ? 1 : 0;
    }
    std::stable_sort(line.attempts.begin(), line.attempts.end(),
                     [](const Attempt& a, const Attempt& b) { return a.at < b.at; });
    if (line.attempts.empty()) {
        line.sentence = tr("No delivery to this consumer is recorded.");
        return line;
    }
    const std::int64_t deliveries = (marker != nullptr ? 1 : 0) + duplicates + failed + others;
    QStringList parts{deliveries == 1 ? tr("1 delivery") : tr("%n deliveries", nullptr, static_cast<int>(deliveries)),
                      marker != nullptr ? tr("effect committed once") : tr("no marker: no committed effect is proven")};
    const auto add = [&](std::int64_t count, const QString& sentence) {
        if (count > 0) {
            parts += sentence;
        }
    };
    add(duplicates, tr("%n absorbed", nullptr, static_cast<int>(duplicates)));
    add(failed, tr("%n failed before commit", nullptr, static_cast<int>(failed)));
    add(beside, beside == 1 ? tr("1 ack failed") : tr("%n acks failed", nullptr, static_cast<int>(beside)));
    line.sentence = parts.join(QStringLiteral(" · "));
    return line;
}

std::vector<double> Attempts::places(const std::vector<Attempt>& attempts, double width, double gap) {
    std::vector<double> x;
    if (attempts.empty()) {
        return x;
    }
    const double span = static_cast<double>((attempts.back().at - attempts.front().at).count());
    for (const Attempt& attempt : attempts) {
        const double since = static_cast<double>((attempt.at - attempts.front().at).count());
        x.push_back(span > 0 ? width * since / span : 0);
    }
    const double step = std::min(gap, attempts.size() > 1 ? width / static_cast<double>(attempts.size() - 1) : gap);
    for (std::size_t i = 1; i < x.size(); ++i) {
        x[i] = std::max(x[i], x[i - 1] + step);
    }
    double edge = std::max(width, 0.0);
    for (std::size_t i = x.size(); i-- > 0;) {
        x[i] = std::min(x[i], edge);
        edge = x[i] - step;
    }
    return x;
}

}  // namespace redeliver::ui
