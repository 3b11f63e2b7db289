// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_servers.h"

#include "core/base/clock.h"
#include "core/lab/kafka_probe.h"
#include "core/workspace/profile_store.h"
#include "tests/support/run_servers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

namespace redeliver::tests {
namespace {

// Started at first use by a test that runs by hand; ended when the program ends.
struct OwnServers {
    std::unique_ptr<lab::PrivatePostgres> postgres;
    std::unique_ptr<lab::PrivateKafka> kafka;
};

OwnServers& ownServers() {
    static OwnServers servers;
    return servers;
}

std::string adminDsn() {
    if (const auto file = addressesFile(); !file.empty()) {
        return readAddresses(file).postgresDsn;
    }
    auto& own = ownServers();
    if (!own.postgres) {
        own.postgres = startTestPostgres();
    }
    return own.postgres->dsn();
}

std::string runBootstrap() {
    if (const auto file = addressesFile(); !file.empty()) {
        return readAddresses(file).bootstrap;
    }
    auto& own = ownServers();
    if (!own.kafka) {
        own.kafka = startTestKafka();
    }
    return own.kafka->bootstrap();
}

std::string uniqueName() {
    static std::atomic<int> counter{0};
    return fmt::format("t{}_{}_{:x}", getpid(), ++counter, systemEntropy()->next() & 0xffffffU);
}

std::string withDatabase(const std::string& dsn, const std::string& name) {
    return dsn + " dbname=" + name;
}

}  // namespace

TestPostgres::TestPostgres(bool migrated) : m_name(uniqueName()) {
    const std::string admin = adminDsn();
    lab::executeSql(admin,
                    fmt::format("CREATE DATABASE {} TEMPLATE {}", m_name, migrated ? templateDatabase : "template1"));
    m_dsn = withDatabase(admin, m_name);
}

TestPostgres::~TestPostgres() {
    try {
        lab::executeSql(adminDsn(), fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", m_name));
    } catch (const Error& error) {
        fmt::print(stderr, "dropping {}: {}\n", m_name, error.text());
    }
}

std::string TestPostgres::execute(const std::string& sql) const {
    return lab::executeSql(m_dsn, sql);
}

std::int64_t TestPostgres::count(const std::string& sql) const {
    return std::stoll(execute(sql));
}

TestKafka::TestKafka() : m_prefix(uniqueName() + "_") {}

std::string TestKafka::bootstrap() const {
    return runBootstrap();
}

std::string TestKafka::createTopic(const std::string& name, int partitions,
                                   const std::map<std::string, std::string>& configs) const {
    auto all = configs;
    all.insert({"retention.ms", "-1"});  // the broker looks every half second, and tests have records of any age
    lab::createTopic(bootstrap(), unique(name), partitions, all);
    return unique(name);
}

OutgoingRecord message(const std::string& topic, const std::string& id, int partition, std::vector<Header> more) {
    OutgoingRecord record;
    record.topic = Topic{topic};
    record.partition = Partition{partition};
    record.key = id;
    record.value = fmt::format(R"({{"message_id":"{}","amount":1}})", id);
    record.headers = {{"message-id", id}};
    record.headers.insert(record.headers.end(), more.begin(), more.end());
    return record;
}

std::filesystem::path writeTestProfile(const std::filesystem::path& folder, const std::string& dsn,
                                       const std::string& bootstrap, const std::vector<ProfileConsumer>& consumers,
                                       Environment environment) {
    Profile profile;
    profile.name = "test";
    profile.environment = environment;
    profile.readOnly = false;
    profile.dsn = dsn;
    profile.kafka = {{"bootstrap.servers", bootstrap}, {"session.timeout.ms", std::string("6000")}};
    profile.consumers = consumers;
    const ProfileStore store(folder);
    if (const auto saved = store.save(profile); !saved) {
        throw Error(saved.error());
    }
    return folder / "test.toml";
}

std::filesystem::path programFolder() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin";
}

}  // namespace redeliver::tests
