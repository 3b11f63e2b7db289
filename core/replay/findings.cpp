// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/findings.h"

#include "core/replay/plan_document.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::replay {
namespace {

std::int64_t countOf(const ConsumerForecast& forecast, MessageClass klass) {
    return forecast.classes[static_cast<std::size_t>(klass)];
}

std::int64_t countOf(const ConsumerForecast& forecast, std::initializer_list<UnprotectedReason> reasons) {
    std::int64_t sum = 0;
    for (const UnprotectedReason reason : reasons) {
        const auto found = forecast.unprotectedReasons.find(std::string(toText(reason)));
        sum += found == forecast.unprotectedReasons.end() ? 0 : found->second;
    }
    return sum;
}

std::string rangesText(const std::vector<UnprotectedRange>& ranges) {
    std::string text;
    for (std::size_t i = 0; i < ranges.size() && i < 10; ++i) {
        text += fmt::format("{}partition {}: {} to {} ({})", i == 0 ? "" : ", ", ranges[i].partition.value(),
                            ranges[i].from.value(), ranges[i].to.value(), ranges[i].count);
    }
    return ranges.size() > 10 ? text + fmt::format(", and {} more ranges", ranges.size() - 10) : text;
}

std::string listText(const std::vector<std::string>& lines) {
    return fmt::format("{}", fmt::join(lines, ", "));
}

std::string horizonText(const Horizon& horizon) {
    std::string text = fmt::format("horizon: {}", toText(horizon.basis));
    if (horizon.basis == HorizonBasis::Ledger) {
        for (const auto& [partition, offset] : horizon.offsets) {
            text += fmt::format(", partition {} from {}", partition.value(), offset.value());
        }
    } else if (horizon.at) {
        text += fmt::format(", {}", toRfc3339(*horizon.at));
    }
    return text + (horizon.why.empty() ? "" : " (" + horizon.why + ")");
}

// Collects findings of one plan; every text says numbers and names.
class Finder {
  public:
    Finder(Planned& planned, const PlanSetup& setup) : m_planned(planned), m_plan(planned.plan), m_setup(setup) {}

    void run() {
        for (std::size_t i = 0; i < m_plan.consumers.size(); ++i) {
            const ConsumerForecast& forecast = m_plan.consumers[i];
            m_consumer = forecast.consumer;
            if (!forecast.guarded) {
                unguarded(forecast);
                continue;
            }
            horizon(forecast);
            visibility(forecast, m_planned.classified[i]);
            classes(forecast, m_planned.classified[i]);
            if (forecast.consumer != m_plan.consumer) {
                otherConsumer(forecast);
            }
        }
        m_consumer.clear();
        log();
        runConditions();
    }

  private:
    void add(std::string code, Severity severity, Answer answer, std::string text, std::string evidence,
             std::string mend) {
        m_plan.findings.push_back(
            {std::move(code), severity, answer, m_consumer, std::move(text), std::move(evidence), std::move(mend)});
    }

    void refuseUntilPhrase(std::string code, std::string text, std::string evidence, std::string mend) {
        add(std::move(code), Severity::Refuse, Answer::Phrase, std::move(text), std::move(evidence), std::move(mend));
    }

    void horizon(const ConsumerForecast& forecast) {
        using enum UnprotectedReason;
        const std::string where = rangesText(forecast.unprotected) + "; " + horizonText(forecast.horizon);
        if (const auto count = countOf(forecast, {OlderThanHorizon, NoTimestamp}); count > 0) {
            refuseUntilPhrase(
                "window-past-horizon",
                fmt::format("{} of {} messages lie past the marker horizon of {}: nothing proves that they were never "
                            "processed, so each may be applied a second time",
                            count, m_plan.records, m_consumer),
                where, "Choose a later window, or only the messages whose markers are still there");
        }
        if (const auto count = countOf(forecast, {HorizonUnknown}); count > 0) {
            refuseUntilPhrase(
                "horizon-unknown",
                fmt::format("the marker horizon of {} isn't known: {} of {} messages without a marker may "
                            "be applied a second time",
                            m_consumer, count, m_plan.records),
                where, "Let the consumer run with its ledger, or declare marker_retention once it has markers");
        }
        if (const auto count = countOf(forecast, {Hole, RestoredOrSkipped}); count > 0) {
            refuseUntilPhrase(
                "holes",
                fmt::format("{} of {} messages were passed by {} and have no marker: their markers were lost, "
                            "or they were skipped; nobody can tell",
                            count, m_plan.records, m_consumer),
                where, "Look into what happened there (a restored backup, a renamed consumer, a sweep)");
        }
        if (const auto count = countOf(forecast, {OtherLog}); count > 0) {
            refuseUntilPhrase("other-log",
                              fmt::format("{} of {} messages come from a log that {} doesn't read: equal offsets there "
                                          "mean nothing here",
                                          count, m_plan.records, m_consumer),
                              where, "Replay from the topic where they were first");
        }
    }

    void visibility(const ConsumerForecast& forecast, const Classified& classified) {
        const ports::MarkerVisibility& seen = classified.visibility;
        const auto hidden = countOf(forecast, {UnprotectedReason::RowsHidden});
        if (!seen.complete) {
            add("rows-hidden", hidden > 0 ? Severity::Refuse : Severity::Warn,
                hidden > 0 ? Answer::Phrase : Answer::None,
                fmt::format(
                    "this role may not see every marker of {}: {} messages without a visible marker may have one",
                    m_consumer, hidden),
                listText(seen.reasons), "Use a role that sees all rows (BYPASSRLS, or the table's owner)");
        }
        if (seen.replica) {
            const std::string lag =
                seen.replicaLag
                    ? fmt::format("{:.1f} s behind", std::chrono::duration<double>(*seen.replicaLag).count())
                    : std::string("how far behind isn't known");
            add("replica-behind", Severity::Refuse, Answer::None,
                fmt::format("the database is a replica ({}): markers may be missing there, and a run needs the primary",
                            lag),
                lag, "Connect to the primary (target_session_attrs=read-write)");
        }
        if (!seen.unique) {
            refuseUntilPhrase("unique-scope",
                              fmt::format("the marker table has no unique key on consumer and message ID: "
                                          "it stops no second copy at {}",
                                          m_consumer),
                              "", "Add the primary key (consumer_name, message_id)");
        }
        const ports::ConsumerLedger& ledger = classified.ledger;
        const Duration size = std::max(ledger.recordAhead, ledger.futureBy);
        if (ledger.impossibleTimes > 0 || size > std::chrono::seconds{1}) {
            add("times-contradict", Severity::Warn, Answer::None,
                fmt::format("markers of {} have times that can't be true; the horizon is moved later by {:.3f} s",
                            m_consumer, std::chrono::duration<double>(forecast.horizon.margin).count()),
                fmt::format(
                    "{} impossible times; a record up to {:.3f} s newer than its marker; a marker up to {:.3f} s "
                    "in the future",
                    ledger.impossibleTimes, std::chrono::duration<double>(ledger.recordAhead).count(),
                    std::chrono::duration<double>(ledger.futureBy).count()),
                "Check the clocks and the column's time zone");
        }
    }

    void classes(const ConsumerForecast& forecast, const Classified& classified) {
        const std::int64_t certain = countOf(forecast, MessageClass::Protected);
        if (m_consumer == m_plan.consumer && m_plan.records > 0 && certain == m_plan.records) {
            add("all-suppressed", Severity::Warn, Answer::None,
                fmt::format("all {} messages have their markers at {}: the replay will change nothing", certain,
                            m_consumer),
                "", "If the effect must be repeated, that is another operation than a replay");
        }
        if (const auto count = countOf(forecast, MessageClass::Expiring); count > 0) {
            add("expires-during-run", Severity::Refuse, Answer::Accept,
                fmt::format(
                    "{} messages are protected now, but their markers may be gone before the replay reaches them",
                    count),
                fmt::format("rate {} per second", m_plan.options.rate),
                "Raise the retention, or replay faster or a smaller window");
        }
        if (const auto count = countOf(forecast, MessageClass::NoIdentity); count > 0) {
            const bool ours = classified.ledger.ownedByUs;
            add("no-identity", ours ? Severity::Warn : Severity::Refuse, ours ? Answer::None : Answer::Phrase,
                ours ? fmt::format("{} messages have no message ID: {} will send them to its dead letters", count,
                                   m_consumer)
                     : fmt::format("{} messages have no message ID: nothing stops {} from applying them again", count,
                                   m_consumer),
                rangesOf(forecast, MessageClass::NoIdentity), "Correct the rule message_id, or leave them out");
        }
        const bool noneMatches = certain == 0 && countOf(forecast, MessageClass::Expiring) == 0;
        const auto holes = countOf(forecast, {UnprotectedReason::Hole});
        if (noneMatches && classified.ledger.anyMarker && holes >= 10 && holes == m_plan.records) {
            add("ids-never-match", Severity::Warn, Answer::None,
                fmt::format(
                    "{} has markers, but not one message of the plan has its ID among them: the rule message_id "
                    "may be another one than the consumer's",
                    m_consumer),
                listText(sample(forecast, MessageClass::Unprotected)), "Compare these IDs with the markers");
        }
        if (!classified.standKnown && countOf(forecast, MessageClass::NeverProcessed) > 0) {
            add("holes", Severity::Warn, Answer::None,
                fmt::format("how far {} has come isn't known (no group, no offsets, no coordinates in its markers): a "
                            "message that it passed without a marker can't be told from a new one",
                            m_consumer),
                "", "Name its group in the profile, or let it write topic, partition and offset");
        }
    }

    static std::vector<std::string> sample(const ConsumerForecast& forecast, MessageClass klass) {
        const auto found = forecast.samples.find(std::string(toText(klass)));
        return found == forecast.samples.end() ? std::vector<std::string>{} : found->second;
    }

    static std::string rangesOf(const ConsumerForecast& forecast, MessageClass klass) {
        std::vector<UnprotectedRange> ranges;
        for (const ClassRun& run : forecast.runs) {
            if (run.klass == klass) {
                ranges.push_back({run.partition, run.from, run.to, run.to.value() - run.from.value()});
            }
        }
        return rangesText(ranges);
    }

    void otherConsumer(const ConsumerForecast& forecast) {
        const auto fresh = countOf(forecast, MessageClass::NeverProcessed);
        add("other-consumers", fresh > 0 ? Severity::Warn : Severity::Info, Answer::None,
            fmt::format("{} will see the records too: {} suppressed, {} applied for the first time, {} unprotected",
                        m_consumer, countOf(forecast, MessageClass::Protected), fresh,
                        countOf(forecast, MessageClass::Unprotected)),
            "", "Use --only-for, or another target topic");
    }

    void unguarded(const ConsumerForecast& forecast) {
        refuseUntilPhrase(
            "unguarded-groups",
            fmt::format("{}: no markers known; will process {} of {}", m_consumer, m_plan.records, m_plan.records),
            forecast.horizon.why, "Name it in the profile if it keeps markers, or use another target topic");
    }

    void log() {
        const ScanFacts& facts = m_planned.facts;
        if (!m_setup.groupsUnlisted.empty()) {
            add("unguarded-groups", m_setup.groupsFailed ? Severity::Warn : Severity::Info, Answer::None,
                m_setup.groupsUnlisted, "", "Ask who else reads the target topic");
        }
        if (!m_setup.notAddressed.empty()) {
            add("other-consumers", Severity::Info, Answer::None,
                "guarded consumers that will leave these records alone: " + listText(m_setup.notAddressed), "", "");
        }
        if (facts.withoutTimestamp > 0) {
            add("timestamps", Severity::Warn, Answer::None,
                fmt::format("{} records have no timestamp and are in no time window", facts.withoutTimestamp), "",
                "Choose them by offsets");
        }
        if (facts.farFuture > 0) {
            add("timestamps", Severity::Warn, Answer::None,
                fmt::format("{} records are stamped more than an hour in the future", facts.farFuture), "",
                "Check the producer's clock");
        }
        if (!facts.unsendable.empty()) {
            add("timestamps", Severity::Warn, Answer::None, "the timestamps of these records can't be kept",
                listText(facts.unsendable), "Leave out --keep-timestamps");
        }
        if (!facts.headers.empty()) {
            std::vector<std::string> lines;
            lines.reserve(facts.headers.size());
            for (const auto& [name, count] : facts.headers) {
                lines.push_back(fmt::format("{} ({})", name, count));
            }
            add("headers", Severity::Warn, Answer::None,
                "headers that change what a consumer does travel along: attempt counters, back-off and original times",
                listText(lines), "Leave them out with --drop-header attempts");
        }
        if (!facts.tooLarge.empty()) {
            add("too-large", Severity::Warn, Answer::None,
                fmt::format("{} records may be too large for the target with our headers (limit {} bytes); what the "
                            "broker refuses is set aside",
                            facts.tooLarge.size(), m_setup.mostBytes.value_or(0)),
                listText(facts.tooLarge), "Raise max.message.bytes of the target");
        }
        for (const PlanRange& gone : facts.frozen.gone) {
            add("records-gone", Severity::Warn, Answer::None,
                fmt::format("partition {}: offsets {} to {} are deleted and can't be replayed", gone.partition.value(),
                            gone.from.value(), gone.to.value()),
                "", "They are lost to the log; look for a backup");
        }
        for (const std::string& outside : facts.frozen.outside) {
            add("offset-outside-log", Severity::Warn, Answer::None, outside, "", "Correct --offsets");
        }
        if (facts.replayedBefore > 0) {
            add("replayed-before", Severity::Warn, Answer::None,
                fmt::format("{} of {} messages are copies that an earlier replay sent", facts.replayedBefore,
                            m_plan.records),
                "", "Choose the window before that replay");
        }
    }

    void runConditions() {
        otherReplays();
        if (!m_setup.blockedCode.empty()) {
            add(m_setup.blockedCode, m_setup.blockIsFinal ? Severity::Refuse : Severity::Warn, Answer::None,
                m_setup.blockedText, "",
                m_setup.blockIsFinal ? "Use another profile or role" : "Confirm with --confirm-profile NAME");
        }
        std::int32_t highest = -1;
        for (const PlanRange& range : m_plan.ranges) {
            highest = std::max(highest, range.partition.value());
        }
        if (m_setup.targetPartitions && highest >= *m_setup.targetPartitions) {
            add("fewer-partitions", Severity::Refuse, Answer::None,
                fmt::format("the target has {} partitions, the records come from partition {}",
                            *m_setup.targetPartitions, highest),
                "", "Choose a target with as many partitions");
        }
    }

    void otherReplays() {
        std::vector<std::string> earlier;
        std::vector<std::string> unfinished;
        for (const ports::StoredReplay& other : m_setup.otherReplays) {
            const ReplayProgress& progress = other.line.progress;
            const bool overlaps = std::any_of(other.cursors.begin(), other.cursors.end(), [&](const auto& cursor) {
                return std::any_of(m_plan.ranges.begin(), m_plan.ranges.end(), [&](const PlanRange& range) {
                    return range.partition == cursor.partition && range.from < cursor.to && cursor.from < range.to;
                });
            });
            if (progress.id.value() == m_plan.planId || other.line.topic != m_plan.topic || !overlaps) {
                continue;
            }
            if (progress.state == ReplayState::Running || progress.state == ReplayState::Paused) {
                unfinished.push_back(fmt::format("{} ({})", progress.id.value(), toText(progress.state)));
            } else if (progress.sent > 0) {
                earlier.push_back(
                    fmt::format("{} ({}, sent {})", progress.id.value(), toText(progress.state), progress.sent));
            }
        }
        if (!earlier.empty()) {
            add("replayed-before", Severity::Warn, Answer::None,
                fmt::format("{} earlier replays read the same ranges", earlier.size()), listText(earlier),
                "Read their reports first");
        }
        if (!unfinished.empty()) {
            add("overlap", Severity::Refuse, Answer::None, "another replay of these ranges is not finished",
                listText(unfinished), "Wait for it, or abort it");
        }
    }

    Planned& m_planned;
    ReplayPlan& m_plan;
    const PlanSetup& m_setup;
    std::string m_consumer;
};

}  // namespace

std::int64_t mayRepeat(const Planned& planned) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < planned.plan.consumers.size(); ++i) {
        const ConsumerForecast& forecast = planned.plan.consumers[i];
        sum += countOf(forecast, MessageClass::Unprotected);
        if (forecast.guarded && !planned.classified[i].ledger.ownedByUs) {
            sum += countOf(forecast, MessageClass::NoIdentity);
        }
    }
    return sum;
}

void addFindings(Planned& planned, const PlanSetup& setup) {
    planned.plan.findings.clear();
    Finder(planned, setup).run();
    planned.plan.phrase = phraseFor(mayRepeat(planned), planned.plan.topic);
}

}  // namespace redeliver::replay
