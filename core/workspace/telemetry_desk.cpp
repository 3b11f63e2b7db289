// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/migrations.h"
#include "core/postgres/telemetry_store.h"
#include "core/telemetry/texts.h"
#include "core/workspace/desks.h"
#include "core/workspace/kafka_asker.h"
#include "core/workspace/overview_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver {
namespace {

constexpr std::chrono::hours maintenanceDue{1};

class PgTelemetryDesk final : public TelemetryDesk {
  public:
    PgTelemetryDesk(Connections connections, std::chrono::milliseconds waitForLag)
        : m_connections(std::move(connections)),
          m_waitForLag(waitForLag),
          m_asker(m_connections),
          m_watch([this](const auto& consumers, const auto& stop) { return m_asker.ask(consumers, stop); }) {}

    SnapshotPtr overview(const OverviewRequest& request, const std::stop_token& stop) override;
    Series series(const ConsumerName& consumer, TimeRange range, std::chrono::seconds step,
                  const std::stop_token& stop) override;
    Health health(const std::stop_token& stop) override;

  private:
    // Makes session and store at first use, and says plainly when the schema isn't there or too old.
    postgres::PgTelemetryStore& store();

    Connections m_connections;
    std::chrono::milliseconds m_waitForLag;
    std::optional<postgres::Session> m_session;
    std::optional<postgres::PgTelemetryStore> m_store;
    std::optional<OverviewReader> m_reader;
    bool m_checked = false;
    std::vector<ConsumerInfo> m_known;
    KafkaAsker m_asker;
    KafkaWatch m_watch;  // last: its thread uses m_asker
};

postgres::PgTelemetryStore& PgTelemetryDesk::store() {
    if (!m_session) {
        m_session.emplace(m_connections.postgresOptions());
        m_store.emplace(*m_session);
        m_reader.emplace(*m_store);
    }
    if (!m_checked) {
        postgres::checkSchema(*m_session);
        m_checked = true;
    }
    return *m_store;
}

SnapshotPtr PgTelemetryDesk::overview(const OverviewRequest& request, const std::stop_token& stop) {
    store();
    telemetry::SnapshotFacts facts = m_reader->read(request, stop);
    facts.consumers = withProfile(std::move(facts.consumers), m_connections.profile());
    m_known = facts.consumers;
    m_watch.want(facts.consumers);
    if (m_waitForLag.count() > 0) {
        m_watch.waitForAnswer(m_waitForLag, stop);
    }
    facts.lag = m_watch.latest().lag;
    return std::make_shared<const Snapshot>(m_reader->build(facts));
}

Series PgTelemetryDesk::series(const ConsumerName& consumer, TimeRange range, std::chrono::seconds step,
                               const std::stop_token& stop) {
    Series out;
    out.consumer = consumer;
    const TimeGrid asked = gridOf(range, step);
    // Finer than what is stored would only look finer; and a row that covers more than a bucket would seem a peak.
    out.grid = gridOf(range, std::max(step, store().resolution({asked.from, asked.to()})));
    constexpr std::int64_t mostPoints = 100'000;
    if (out.grid.count > mostPoints) {
        throw Error{ErrorKind::BadInput, fmt::format("{} points are more than {}", out.grid.count, mostPoints),
                    "Take a longer step or a shorter range."};
    }
    out.points.resize(static_cast<std::size_t>(std::max<std::int64_t>(out.grid.count, 0)));
    for (const postgres::SeriesRow& row : store().series(out.grid, consumer, false, stop).rows) {
        const std::int64_t bucket = out.grid.bucketOf(row.at);
        if (bucket >= 0) {
            out.points[static_cast<std::size_t>(bucket)] += row.counts;
        }
    }
    return out;
}

Health PgTelemetryDesk::health(const std::stop_token& stop) {
    Health health;
    m_watch.want(m_known);
    try {
        const auto before = std::chrono::steady_clock::now();
        const postgres::ServerFacts facts = store().facts();
        health.postgres.roundTrip = std::chrono::floor<Duration>(std::chrono::steady_clock::now() - before);
        health.postgres.ok = true;
        health.postgres.text = facts.version;
        if (facts.replica) {
            health.replicaText = facts.replicaLag
                                     ? fmt::format("replica, {} behind", telemetry::spanWords(*facts.replicaLag))
                                     : std::string{"replica, how far behind isn't known"};
        } else if (!facts.maintainedAt) {
            health.maintenanceOverdue = "Maintenance never ran here: run `redeliverctl maintain` as a service.";
        } else if (facts.now - *facts.maintainedAt > maintenanceDue) {
            health.maintenanceOverdue = fmt::format("Maintenance last ran {} ago: start `redeliverctl maintain`.",
                                                    telemetry::spanWords(facts.now - *facts.maintainedAt));
        }
    } catch (const Error& error) {
        health.postgres.ok = false;
        health.postgres.error = error.text();
        health.postgres.hint = error.hint();
    }
    if (m_waitForLag.count() > 0) {
        m_watch.waitForAnswer(m_waitForLag, stop);
    }
    health.kafka = m_watch.latest().server;
    return health;
}

}  // namespace

std::unique_ptr<TelemetryDesk> makeTelemetryDesk(Connections connections, std::chrono::milliseconds waitForLag) {
    return std::make_unique<PgTelemetryDesk>(std::move(connections), waitForLag);
}

}  // namespace redeliver
