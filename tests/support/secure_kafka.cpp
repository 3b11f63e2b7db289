// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/secure_kafka.h"

#include "core/lab/kafka_probe.h"
#include "core/lab/private_kafka.h"

#include <memory>

namespace redeliver::tests {

namespace {

std::unique_ptr<lab::PrivateKafka> startSecure() {
    lab::KafkaOptions options;
    options.users = {{"admin", "admin-secret"}, {"reader", "reader-secret"}, {"nobody", "nobody-secret"}};
    auto broker = std::make_unique<lab::PrivateKafka>(options);
    broker->allow("reader", "Read", "--topic", "*");
    broker->allow("reader", "Read", "--group", "*");
    return broker;
}

const lab::PrivateKafka& broker() {
    static const std::unique_ptr<lab::PrivateKafka> only = startSecure();
    return *only;
}

}  // namespace

TestSecureKafka::TestSecureKafka() {
    broker();
}

std::string TestSecureKafka::bootstrap() const {
    return broker().bootstrap();
}

std::string TestSecureKafka::secureBootstrap() const {
    return broker().secureBootstrap();
}

std::filesystem::path TestSecureKafka::caFile() const {
    return broker().caFile();
}

std::map<std::string, std::string> TestSecureKafka::login(const std::string& user) const {
    return broker().clientProperties(user);
}

std::string TestSecureKafka::createTopic(const std::string& name, int partitions) const {
    lab::createTopic(bootstrap(), name, partitions);
    return name;
}

}  // namespace redeliver::tests
