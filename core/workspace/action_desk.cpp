// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/identity/message_id_rules.h"
#include "core/kafka/doctor.h"
#include "core/postgres/doctor.h"
#include "core/postgres/migrations.h"
#include "core/postgres/partition_store.h"
#include "core/workspace/desks.h"

#include <algorithm>

namespace redeliver {
namespace {

std::vector<MigrationStep> toSteps(const std::vector<postgres::Migration>& migrations, const std::string& schema,
                                   bool applied) {
    std::vector<MigrationStep> out;
    out.reserve(migrations.size());
    for (const postgres::Migration& migration : migrations) {
        out.push_back({migration.version, migration.name, postgres::migrationScript({&migration, 1}, schema),
                       migration.oldestClient, applied});
    }
    return out;
}

// What the caller is expected to look at becomes a value; a lost server stays an exception.
template <class Work>
Result<void> asResult(Work&& work) {
    try {
        work();
        return {};
    } catch (const Error& error) {
        switch (error.kind()) {
            case ErrorKind::BadInput:
            case ErrorKind::NotFound:
            case ErrorKind::Refused:
            case ErrorKind::Privilege:
                return failure(error);
            default:
                throw;
        }
    }
}

void checkInfo(const ConsumerInfo& info) {
    if (info.name.value().empty()) {
        throw Error{ErrorKind::BadInput, "a consumer's name is empty"};
    }
    if (!info.messageId.empty()) {
        if (auto rules = MessageIdRules::parse(info.messageId); !rules) {
            throw Error(std::move(rules).error());
        }
    }
}

class PgActionDesk final : public ActionDesk {
  public:
    explicit PgActionDesk(Connections connections) : m_connections(std::move(connections)) {}

    DoctorReport doctor(const ProgressSink& progress, const std::stop_token& stop) override;
    std::vector<MigrationStep> pendingMigrations() override;
    std::vector<MigrationStep> migrate(const ProgressSink& progress) override;
    std::vector<StoppedPartition> stoppedPartitions() override { return store().stopped(); }
    std::vector<PartitionState> partitions() override { return store().partitions(); }
    Result<void> retryPartition(const ConsumerName& consumer, const TopicPartition& tp) override;
    Result<void> skipPartition(const ConsumerName& consumer, const TopicPartition& tp, Offset to,
                               const std::string& reason) override;
    std::vector<ConsumerInfo> consumers() override { return withProfile(store().consumers(), m_connections.profile()); }
    Result<void> setConsumer(const ConsumerInfo& info) override;

  private:
    postgres::Session& session();
    postgres::PgPartitionStore& store();
    void diagnosePostgres(DoctorReport& report, const std::stop_token& stop) const;
    void diagnoseKafka(DoctorReport& report, const std::stop_token& stop) const;

    Connections m_connections;
    std::optional<postgres::Session> m_session;
    std::optional<postgres::PgPartitionStore> m_store;
    bool m_checked = false;
};

postgres::Session& PgActionDesk::session() {
    if (!m_session) {
        m_session.emplace(m_connections.postgresOptions());
    }
    return *m_session;
}

postgres::PgPartitionStore& PgActionDesk::store() {
    if (!m_checked) {
        postgres::checkSchema(session());
        m_checked = true;
    }
    if (!m_store) {
        m_store.emplace(session());
    }
    return *m_store;
}

void PgActionDesk::diagnosePostgres(DoctorReport& report, const std::stop_token& stop) const {
    try {
        postgres::DiagnosisOptions options;
        options.writes = !m_connections.profile().isReadOnly();
        const auto steps = postgres::diagnose(m_connections.postgresOptions(), options, stop);
        for (const auto& step : steps) {
            report.steps.push_back({"postgres", step.step, step.ok, step.text, step.hint});
        }
        report.reachable = report.reachable && postgres::reached(steps);
    } catch (const Error& error) {
        report.steps.push_back({"postgres", "profile", false, error.text(), error.hint()});
        report.reachable = false;
    }
}

void PgActionDesk::diagnoseKafka(DoctorReport& report, const std::stop_token& stop) const {
    try {
        kafka::DiagnosisOptions options;
        for (const ProfileConsumer& consumer : m_connections.profile().consumers) {
            options.topics.insert(options.topics.end(), consumer.topics.begin(), consumer.topics.end());
            if (consumer.group) {
                options.groups.push_back(*consumer.group);
            }
        }
        const auto steps = kafka::diagnose(m_connections.kafkaConfig(), options, stop);
        for (const auto& step : steps) {
            report.steps.push_back({"kafka", step.step, step.ok, step.text, step.hint});
        }
        report.reachable = report.reachable && kafka::reached(steps);
    } catch (const Error& error) {
        report.steps.push_back({"kafka", "profile", false, error.text(), error.hint()});
        report.reachable = false;
    }
}

DoctorReport PgActionDesk::doctor(const ProgressSink& progress, const std::stop_token& stop) {
    DoctorReport report;
    progress({"PostgreSQL", 0, 2});
    diagnosePostgres(report, stop);
    progress({"Kafka", 1, 2});
    diagnoseKafka(report, stop);
    progress({"done", 2, 2});
    return report;
}

std::vector<MigrationStep> PgActionDesk::pendingMigrations() {
    return toSteps(postgres::pendingMigrations(session()), m_connections.profile().schema, false);
}

std::vector<MigrationStep> PgActionDesk::migrate(const ProgressSink& progress) {
    m_connections.requireWritable();
    const auto total = static_cast<std::int64_t>(postgres::pendingMigrations(session()).size());
    std::int64_t done = 0;
    const auto applied = postgres::migrate(session(), [&](const postgres::Migration& migration) {
        progress({migration.name, ++done, total});
    });
    m_checked = false;
    return toSteps(applied, m_connections.profile().schema, true);
}

Result<void> PgActionDesk::retryPartition(const ConsumerName& consumer, const TopicPartition& tp) {
    return asResult([&] {
        m_connections.requireWritable();
        store().requestRetry(consumer, tp);
    });
}

Result<void> PgActionDesk::skipPartition(const ConsumerName& consumer, const TopicPartition& tp, Offset to,
                                         const std::string& reason) {
    return asResult([&] {
        m_connections.requireWritable();
        store().requestSkip(consumer, tp, to, reason);
    });
}

Result<void> PgActionDesk::setConsumer(const ConsumerInfo& info) {
    return asResult([&] {
        m_connections.requireWritable();
        checkInfo(info);
        store().setConsumer(info);
    });
}

}  // namespace

bool DoctorReport::ok() const noexcept {
    return std::all_of(steps.begin(), steps.end(), [](const DoctorStep& step) { return step.ok; });
}

std::unique_ptr<ActionDesk> makeActionDesk(Connections connections) {
    return std::make_unique<PgActionDesk>(std::move(connections));
}

}  // namespace redeliver
