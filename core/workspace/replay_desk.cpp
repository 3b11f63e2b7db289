// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/replay_desk.h"

#include "core/kafka/producer.h"
#include "core/kafka/topic_reader.h"
#include "core/postgres/marker_reader.h"
#include "core/postgres/migrations.h"
#include "core/postgres/partition_store.h"
#include "core/postgres/replay_store.h"
#include "core/replay/engine.h"
#include "core/replay/plan_document.h"
#include "core/replay/report_document.h"
#include "core/workspace/desks.h"
#include "core/workspace/replay_reports.h"
#include "core/workspace/replay_setup.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver {
namespace {

constexpr int replaysLookedAt = 200;

class RealReplayDesk final : public ReplayDesk {
  public:
    explicit RealReplayDesk(Connections connections)
        : m_connections(std::move(connections)), m_clock(systemClock()), m_entropy(systemEntropy()) {}

    Result<ReplayPlan> plan(const PlanRequest& request, const ProgressSink& progress,
                            const std::stop_token& stop) override;
    Result<ReplayReport> run(const ReplayPlan& plan, const Confirmation& confirmation, const ReplayWatcher& watcher,
                             const std::stop_token& stop) override;
    Result<ReplayReport> resume(const ReplayId& id, const ReplayWatcher& watcher, const std::stop_token& stop) override;
    std::vector<ReplayLine> list(int limit) override;
    Result<ReplayReport> report(const ReplayId& id) override;
    Result<void> control(const ReplayId& id, ReplayControl control) override;
    std::vector<std::string> topics() override;

  private:
    void open();
    [[nodiscard]] Result<void> hasSchema();
    [[nodiscard]] std::vector<ConsumerInfo> consumers();
    [[nodiscard]] Duration measuredSkew();
    [[nodiscard]] Result<replay::PlanSetup> setupFor(const PlanRequest& request, const std::string& planId);
    [[nodiscard]] Result<replay::Planned> again(const ReplayPlan& plan, const std::stop_token& stop);
    [[nodiscard]] replay::EngineParts parts();
    [[nodiscard]] Result<ReplayReport> ended(const ReplayPlan& plan, const Result<ReplayProgress>& progress,
                                             const ReplayWatcher& watcher, const std::stop_token& stop);
    [[nodiscard]] Result<ReplayReport> watchOther(const ReplayId& id, const ReplayWatcher& watcher,
                                                  const std::stop_token& stop);
    [[nodiscard]] ReplayReports reports() { return {*m_reader, *m_admin, *m_markers, *m_store, consumers()}; }

    Connections m_connections;
    std::unique_ptr<Clock> m_clock;
    std::unique_ptr<Entropy> m_entropy;
    std::optional<postgres::Session> m_session;
    std::optional<postgres::PgMarkerReader> m_markers;
    std::optional<postgres::PgReplayStore> m_store;
    std::optional<kafka::TopicReader> m_reader;
    std::optional<kafka::Admin> m_admin;
};

void RealReplayDesk::open() {
    if (!m_session) {
        m_session.emplace(m_connections.postgresOptions());
        m_store.emplace(*m_session);
    }
    m_session->ensureOpen();
    m_markers.emplace(*m_session);  // afresh: what a role may see can change between two plans
    if (!m_reader) {
        const kafka::Config config = m_connections.kafkaConfig();
        m_reader.emplace(config);
        m_admin.emplace(config);
    }
}

Result<void> RealReplayDesk::hasSchema() {
    try {
        postgres::checkSchema(*m_session);
        return {};
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Schema) {
            throw;
        }
        return failure({ErrorKind::Refused, "a replay needs Redeliver's tables: " + error.text(),
                        "Migrate first: redeliverctl migrate", "privilege"});
    }
}

std::vector<ConsumerInfo> RealReplayDesk::consumers() {
    std::vector<ConsumerInfo> registered;
    try {
        registered = postgres::PgPartitionStore(*m_session).consumers();
    } catch (const Error& error) {
        // A bare marker table and nothing else of ours: the profile alone knows the consumers.
        if (error.kind() != ErrorKind::Schema && error.kind() != ErrorKind::Privilege) {
            throw;
        }
    }
    return consumersForReplay(registered, m_connections.profile());
}

// How far the database's clock certainly lies from ours: what a round trip can explain is no skew.
Duration RealReplayDesk::measuredSkew() {
    const TimePoint before = m_clock->now();
    const TimePoint there = m_markers->now();
    const TimePoint after = m_clock->now();
    return there < before ? before - there : there > after ? there - after : Duration{};
}

Result<replay::PlanSetup> RealReplayDesk::setupFor(const PlanRequest& request, const std::string& planId) {
    auto setup =
        makeReplaySetup(request, planId, m_markers->now(), consumers(), m_connections.profile(), *m_admin, *m_markers);
    if (!setup) {
        return setup;
    }
    setup->skew = measuredSkew();
    try {
        setup->otherReplays = m_store->list(replaysLookedAt);
        if (setup->blockedCode.empty() && !m_store->mayRun()) {
            setup->blockedCode = "privilege";
            setup->blockedText = "this role may not write replays here (or the database is a replica)";
            setup->blockIsFinal = true;
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Schema && error.kind() != ErrorKind::Privilege) {
            throw;
        }
        setup->blockedCode = "privilege";
        setup->blockedText = "a run needs Redeliver's tables, and the right to write them: " + error.text();
        setup->blockIsFinal = true;
    }
    return setup;
}

Result<ReplayPlan> RealReplayDesk::plan(const PlanRequest& asked, const ProgressSink& progress,
                                        const std::stop_token& stop) {
    PlanRequest request = asked;
    auto source = replay::normalise(request.source);
    if (!source) {
        return failure(source.error());
    }
    request.source = *source;
    if (request.target == "group") {
        return failure({ErrorKind::Refused, "moving a group's offsets isn't offered by this version",
                        "Publish again instead: --target same or --target topic:NAME", "group-active"});
    }
    if (request.target != "same" && (!request.target.starts_with("topic:") || request.target.size() < 7)) {
        return failure({ErrorKind::BadInput, fmt::format("target \"{}\" is unknown", request.target),
                        "Write same, topic:NAME or group"});
    }
    if (request.options.rate < 1) {
        return failure({ErrorKind::BadInput, "the rate is below 1 record per second"});
    }
    open();
    auto setup = setupFor(request, randomUuid(*m_entropy));
    if (!setup) {
        return failure(setup.error());
    }
    const auto step = [&](std::string_view what, std::int64_t done, std::int64_t total) {
        if (progress) {
            progress({std::string(what), done, total});
        }
    };
    auto planned = replay::makePlan(*setup, *m_reader, *m_markers, step, stop);
    if (!planned) {
        return failure(planned.error());
    }
    return std::move(planned->plan);
}

Result<replay::Planned> RealReplayDesk::again(const ReplayPlan& plan, const std::stop_token& stop) {
    const PlanRequest request{ConsumerName{plan.consumer}, Topic{plan.topic}, plan.source, plan.target, plan.options};
    auto setup = setupFor(request, plan.planId);
    if (!setup) {
        return failure(setup.error());
    }
    return replay::planAgain(plan, *setup, *m_reader, *m_markers, {}, stop);
}

replay::EngineParts RealReplayDesk::parts() {
    const kafka::Config config = m_connections.kafkaConfig();
    return {*m_reader, *m_store,
            [config](const std::string& id) -> std::unique_ptr<ports::TransactionalSink> {
                return std::make_unique<kafka::TransactionalProducer>(config, id);
            },
            *m_clock, randomUuid(*m_entropy)};
}

Result<ReplayReport> RealReplayDesk::run(const ReplayPlan& plan, const Confirmation& confirmation,
                                         const ReplayWatcher& watcher, const std::stop_token& stop) {
    const Profile& profile = m_connections.profile();
    const replay::GuardContext context{profile.name, profile.environment == Environment::Production, profile.readOnly};
    if (auto admitted = replay::Guard::admits(plan, confirmation, context); !admitted) {
        return failure(admitted.error());
    }
    open();
    if (auto there = hasSchema(); !there) {
        return failure(there.error());
    }
    const auto fresh = again(plan, stop);
    if (!fresh) {
        return failure(fresh.error());
    }
    const auto approved = replay::Guard::approve(plan, *fresh, confirmation, context);
    if (!approved) {
        return failure(approved.error());
    }
    return ended(plan, replay::Engine(parts()).run(*approved, watcher, stop), watcher, stop);
}

Result<ReplayReport> RealReplayDesk::resume(const ReplayId& id, const ReplayWatcher& watcher,
                                            const std::stop_token& stop) {
    const Profile& profile = m_connections.profile();
    if (profile.readOnly.value_or(false)) {
        m_connections.requireWritable();
    }
    open();
    if (auto there = hasSchema(); !there) {
        return failure(there.error());
    }
    const auto stored = m_store->load(id);
    if (!stored) {
        return failure(
            {ErrorKind::NotFound, fmt::format("there is no replay {}", id.value()), "See: redeliverctl replay list"});
    }
    if (stored->ownerLives) {
        if (auto told = m_store->control(id, ReplayControl::Go); !told) {
            return failure(told.error());
        }
        return watchOther(id, watcher, stop);
    }
    if (stored->line.progress.state == ReplayState::Aborted) {
        return failure({ErrorKind::Refused, fmt::format("replay {} was aborted", id.value()), "Plan again what is left",
                        "plan-stale"});
    }
    const auto plan = replay::parsePlan(stored->plan);
    if (!plan) {
        return failure(plan.error());
    }
    const auto fresh = again(*plan, stop);
    if (!fresh) {
        return failure(fresh.error());
    }
    const auto approved = replay::Guard::approveResume(*plan, *fresh, stored->confirmation);
    if (!approved) {
        return failure(approved.error());
    }
    return ended(*plan, replay::Engine(parts()).resume(*approved, watcher, stop), watcher, stop);
}

Result<ReplayReport> RealReplayDesk::ended(const ReplayPlan& plan, const Result<ReplayProgress>& progress,
                                           const ReplayWatcher& watcher, const std::stop_token& stop) {
    if (!progress) {
        return failure(progress.error());
    }
    if (progress->state != ReplayState::Finished) {
        return reports().now(ReplayId{plan.planId});
    }
    return reports().untilSeen(ReplayId{plan.planId}, *m_clock, watcher, stop);
}

// Another process runs it: show its progress until it ends.
Result<ReplayReport> RealReplayDesk::watchOther(const ReplayId& id, const ReplayWatcher& watcher,
                                                const std::stop_token& stop) {
    for (;;) {
        const auto stored = m_store->load(id);
        if (!stored || !stored->ownerLives || stop.stop_requested()) {
            return reports().now(id);
        }
        if (watcher) {
            const ReplayControl wish = watcher(stored->line.progress);
            if (wish != ReplayControl::Go) {
                (void)m_store->control(id, wish);
                return reports().now(id);
            }
        }
        m_clock->sleep(std::chrono::milliseconds{500}, stop);
    }
}

std::vector<ReplayLine> RealReplayDesk::list(int limit) {
    open();
    std::vector<ReplayLine> lines;
    for (ports::StoredReplay& stored : m_store->list(limit)) {
        lines.push_back(std::move(stored.line));
    }
    return lines;
}

Result<ReplayReport> RealReplayDesk::report(const ReplayId& id) {
    open();
    return reports().now(id);
}

Result<void> RealReplayDesk::control(const ReplayId& id, ReplayControl wanted) {
    if (m_connections.profile().readOnly.value_or(false)) {
        m_connections.requireWritable();
    }
    open();
    return m_store->control(id, wanted);
}

std::vector<std::string> RealReplayDesk::topics() {
    open();
    auto found = m_admin->topics();
    if (!found) {
        throw Error(found.error());
    }
    std::vector<std::string> names;
    for (const Topic& topic : *found) {
        names.push_back(topic.value());
    }
    return names;
}

}  // namespace

std::unique_ptr<ReplayDesk> makeReplayDesk(Connections connections) {
    return std::make_unique<RealReplayDesk>(std::move(connections));
}

}  // namespace redeliver
