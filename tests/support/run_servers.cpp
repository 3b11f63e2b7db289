// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_servers.h"

#include "core/postgres/migrations.h"

#include <cstdlib>
#include <fstream>

namespace redeliver::tests {

std::unique_ptr<lab::PrivatePostgres> startTestPostgres() {
    lab::PostgresOptions options;
    options.settings = {{"max_connections", "200"}};
    auto postgres = std::make_unique<lab::PrivatePostgres>(options);
    postgres->createDatabase(templateDatabase);
    postgres::Session session(
        {postgres->dsn(templateDatabase), {}, "redeliver", "redeliver-tests", std::chrono::seconds{10}});
    session.ensureOpen();
    postgres::migrate(session);
    return postgres;
}

std::unique_ptr<lab::PrivateKafka> startTestKafka() {
    lab::KafkaOptions options;
    // So that tests of compaction and retention needn't wait for minutes.
    options.properties = {{"log.cleaner.backoff.ms", "200"},
                          {"log.initial.task.delay.ms", "200"},
                          {"log.retention.check.interval.ms", "500"}};
    return std::make_unique<lab::PrivateKafka>(std::move(options));
}

std::filesystem::path addressesFile() {
    const char* file = std::getenv("REDELIVER_TEST_SERVERS");
    return file != nullptr ? file : "";
}

void writeAddresses(const std::filesystem::path& file, const ServerAddresses& addresses) {
    const std::filesystem::path half = file.string() + ".new";
    std::ofstream(half) << addresses.postgresDsn << '\n' << addresses.bootstrap << '\n';
    std::filesystem::rename(half, file);
}

ServerAddresses readAddresses(const std::filesystem::path& file) {
    std::ifstream in(file);
    ServerAddresses addresses;
    if (!std::getline(in, addresses.postgresDsn) || !std::getline(in, addresses.bootstrap)) {
        throw Error{ErrorKind::NotFound, "The test servers are not running: " + file.string() + " can't be read.",
                    "Run the tests through ./dev test, or a single test without REDELIVER_TEST_SERVERS."};
    }
    return addresses;
}

}  // namespace redeliver::tests
