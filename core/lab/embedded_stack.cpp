// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/embedded_stack.h"

#include "core/lab/kafka_probe.h"
#include "core/postgres/migrations.h"
#include "core/workspace/profile_store.h"

#include <fmt/format.h>

#include <future>

namespace redeliver::lab {

EmbeddedStack::EmbeddedStack(const StackOptions& options, const ProgressSink& progress) : m_folder("stack") {
    if (progress) {
        progress({"starting a private PostgreSQL and Kafka", 0, 3});
    }
    // Both servers start at once: the slower one decides.
    auto postgres = std::async(std::launch::async, [] { return std::make_unique<PrivatePostgres>(); });
    startBroker(options);
    m_postgres = postgres.get();
    if (progress) {
        progress({"creating the schema", 2, 3});
    }
    m_postgres->createDatabase("redeliver");
    writeProfile(options);
    postgres::Session session({m_profile.dsn, {}, m_profile.schema, "redeliver-lab", std::chrono::seconds{5}});
    session.ensureOpen();
    postgres::migrate(session);
}

EmbeddedStack::~EmbeddedStack() = default;

void EmbeddedStack::startBroker(const StackOptions& options) {
    const auto jars = PrivateKafka::findJars(options.kafkaHome);
    const auto java = PrivateKafka::findJava();
    if (options.broker == StackBroker::Mock) {
        m_whyMock = "asked for";
    } else if (!java || !jars) {
        m_whyMock = java ? "Kafka's jars are not here: `./dev setup` fetches them, or set KAFKA_HOME"
                         : "no Java runtime is installed";
        if (options.broker == StackBroker::Kafka) {
            throw Error{ErrorKind::NotFound, "A real Kafka can't be started: " + m_whyMock + ".",
                        "Install a Java runtime (17 or newer) and give --kafka-home, or use --broker mock."};
        }
    }
    if (m_whyMock.empty()) {
        KafkaOptions kafka;
        kafka.jars = *jars;
        m_kafka = std::make_unique<PrivateKafka>(std::move(kafka));
    } else {
        m_mock = std::make_unique<MockKafka>();
    }
}

void EmbeddedStack::writeProfile(const StackOptions& options) {
    m_profile.name = options.profileName;
    m_profile.environment = Environment::Development;
    m_profile.dsn = m_postgres->dsn("redeliver");
    m_profile.kafka["bootstrap.servers"] = bootstrap();
    m_profile.kafka["session.timeout.ms"] = std::string("6000");
    m_profile.consumers = options.consumers;
    const ProfileStore store(m_folder.path());
    if (const auto saved = store.save(m_profile); !saved) {
        throw Error(saved.error());
    }
    m_profile.file = m_folder.path() / (m_profile.name + ".toml");
}

std::string EmbeddedStack::bootstrap() const {
    return m_kafka ? m_kafka->bootstrap() : m_mock->bootstrap();
}

std::vector<std::string> EmbeddedStack::limits() const {
    if (!m_mock) {
        return {};
    }
    return {"The broker is a mock cluster: " + m_whyMock + ".",
            "It can't look offsets up by time, delete or compact records, or list groups, so that lag is not shown and "
            "a replay scans "
            "whole partitions; it keeps 5 MB per partition."};
}

void EmbeddedStack::createTopic(const std::string& topic, int partitions) const {
    if (m_mock) {
        m_mock->createTopic(topic, partitions);
    } else {
        lab::createTopic(m_kafka->bootstrap(), topic, partitions);
    }
}

}  // namespace redeliver::lab
