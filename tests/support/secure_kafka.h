// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace redeliver::tests {

/// A broker with TLS, login (SASL PLAIN and SCRAM-SHA-256) and ACLs, started on first use by the test program that
/// needs it (about 10 s), ended at its exit. Users: `admin` may do everything, `reader` has Read on all topics and
/// groups, `nobody` has no right at all. Throws Error with the broker's log's tail.
class TestSecureKafka {
  public:
    TestSecureKafka();

    [[nodiscard]] std::string bootstrap() const;        ///< without TLS or login; may do everything
    [[nodiscard]] std::string secureBootstrap() const;  ///< TLS and login
    [[nodiscard]] std::filesystem::path caFile() const;
    /// librdkafka properties with which this user logs in; change `sasl.mechanism` for SCRAM.
    [[nodiscard]] std::map<std::string, std::string> login(const std::string& user) const;
    std::string createTopic(const std::string& name, int partitions = 1) const;  ///< `name` must be new
};

}  // namespace redeliver::tests
