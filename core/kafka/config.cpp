// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/config.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace redeliver::kafka {
namespace {

struct Owned {
    std::string_view key;
    std::string_view ours;  // values that mean what we do anyway, separated by |
    std::string_view reason;
};

constexpr std::string_view ackReason = "offsets are committed after the database, by this program alone";
constexpr std::string_view producerReason = "records are produced with acks=all and idempotence, always";
constexpr std::array<Owned, 9> ownedKeys{{
    {"enable.auto.commit", "false", ackReason},
    {"auto.commit.enable", "false", ackReason},
    {"enable.auto.offset.store", "false", ackReason},
    {"enable.partition.eof", "", "ends of scans are found by this program alone"},
    {"group.id", "", "the group belongs to a consumer: [[consumers]] group"},
    {"acks", "all|-1", producerReason},
    {"request.required.acks", "all|-1", producerReason},
    {"enable.idempotence", "true", producerReason},
    {"transactional.id", "", "transactional IDs are made per replay"},
}};

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool listed(std::string_view values, std::string_view value) {
    while (!values.empty()) {
        const std::size_t bar = values.find('|');
        if (values.substr(0, bar) == value) {
            return true;
        }
        values = bar == std::string_view::npos ? std::string_view{} : values.substr(bar + 1);
    }
    return false;
}

std::optional<Error> checkOwned(const Properties& properties) {
    for (const Owned& owned : ownedKeys) {
        const auto it = properties.find(std::string(owned.key));
        if (it != properties.end() && !listed(owned.ours, lower(it->second))) {
            return Error(ErrorKind::BadInput, fmt::format("kafka: \"{}\" can't be set here", owned.key),
                         std::string(owned.reason), "owned-property");
        }
    }
    return std::nullopt;
}

std::optional<Error> checkAssignor(const Properties& properties) {
    const auto it = properties.find("partition.assignment.strategy");
    if (it == properties.end() || it->second.find("cooperative") == std::string::npos || libraryAtLeast(2, 10)) {
        return std::nullopt;
    }
    return Error(ErrorKind::BadInput,
                 fmt::format("kafka: \"partition.assignment.strategy\": cooperative rebalancing loses the assignment "
                             "with manual commits in librdkafka {}",
                             libraryVersion()),
                 "leave it out (range,roundrobin), or use librdkafka 2.10 or newer", "owned-property");
}

void set(rd_kafka_conf_t* conf, const std::string& key, const std::string& value) {
    std::array<char, 512> text{};
    const auto result = rd_kafka_conf_set(conf, key.c_str(), value.c_str(), text.data(), text.size());
    if (result == RD_KAFKA_CONF_OK) {
        return;
    }
    if (result == RD_KAFKA_CONF_UNKNOWN) {
        throw Error(ErrorKind::BadInput,
                    fmt::format("kafka: \"{}\": librdkafka {} has no such property", key, libraryVersion()),
                    "see librdkafka's CONFIGURATION.md for the names", "unknown-property");
    }
    // librdkafka's text repeats the value.
    const std::string why = mayHoldSecret(key) ? std::string("the value isn't valid (not shown)") : text.data();
    throw Error(ErrorKind::BadInput, fmt::format("kafka: \"{}\": {}", key, why), {}, "bad-property");
}

Properties defaultsFor(ClientRole role) {
    Properties defaults{{"client.id", "redeliver"}, {"socket.keepalive.enable", "true"}};
    switch (role) {
        case ClientRole::GroupMember:
            defaults.insert({{"auto.offset.reset", "error"},
                             {"partition.assignment.strategy", "range,roundrobin"},
                             {"isolation.level", "read_committed"}});
            break;
        case ClientRole::Reader:
            // Short waits: a reader runs to frozen ends, the last fetch must not wait for more.
            defaults.insert(
                {{"fetch.wait.max.ms", "10"}, {"fetch.error.backoff.ms", "100"}, {"queued.min.messages", "200000"}});
            break;
        case ClientRole::Producer:
            // The broker's and the topic's limit decide about a record's size, not a second one here.
            defaults.insert({{"partitioner", "murmur2_random"},
                             {"message.max.bytes", "1000000000"},
                             {"message.timeout.ms", "30000"}});
            break;
        case ClientRole::Admin:
            break;
    }
    return defaults;
}

/// Properties of the other kind of client: librdkafka would ignore them with a warning per client.
bool fitsRole(const std::string& key, ClientRole role) {
    static constexpr std::array<std::string_view, 14> consumerOnly{
        "auto.offset.reset",        "partition.assignment.strategy",
        "isolation.level",          "group.instance.id",
        "session.timeout.ms",       "max.poll.interval.ms",
        "heartbeat.interval.ms",    "fetch.min.bytes",
        "fetch.wait.max.ms",        "group.protocol",
        "group.remote.assignor",    "enable.auto.commit",
        "enable.auto.offset.store", "auto.commit.enable"};
    static constexpr std::array<std::string_view, 5> producerOnly{"acks", "request.required.acks", "enable.idempotence",
                                                                  "linger.ms", "message.timeout.ms"};
    static constexpr std::array<std::string_view, 6> memberOnly{"auto.offset.reset", "partition.assignment.strategy",
                                                                "group.instance.id", "group.protocol",
                                                                "isolation.level",   "group.remote.assignor"};
    const auto isIn = [&](const auto& keys) { return std::ranges::find(keys, key) != keys.end(); };
    switch (role) {
        case ClientRole::GroupMember:
            return !isIn(producerOnly);
        case ClientRole::Reader:
            return !isIn(producerOnly) && !isIn(memberOnly);
        case ClientRole::Producer:
            return !isIn(consumerOnly);
        case ClientRole::Admin:
            return !isIn(consumerOnly) && !isIn(producerOnly);
    }
    return true;
}

}  // namespace

bool mayHoldSecret(std::string_view key) noexcept {
    return key.find("password") != std::string_view::npos || key.find("secret") != std::string_view::npos ||
           key.starts_with("sasl.") || key.starts_with("ssl.key") || key.starts_with("ssl_key") ||
           key.find("token") != std::string_view::npos;
}

std::string libraryVersion() {
    return rd_kafka_version_str();
}

bool libraryAtLeast(int major, int minor, int patch) noexcept {
    return rd_kafka_version() >= ((major << 24) | (minor << 16) | (patch << 8));
}

Result<Config> Config::make(Properties properties) {
    if (std::optional<Error> error = checkOwned(properties)) {
        return failure(*error);
    }
    if (std::optional<Error> error = checkAssignor(properties)) {
        return failure(*error);
    }
    Config config(std::move(properties));
    if (config.bootstrap().empty()) {
        return failure(Error(ErrorKind::BadInput, "kafka: \"bootstrap.servers\" isn't set",
                             "[kafka] \"bootstrap.servers\" = \"host:9092\"", "bad-property"));
    }
    try {
        const ConfHandle probe(rd_kafka_conf_new());
        for (const auto& [key, value] : config.m_properties) {
            set(probe.get(), key, value);
        }
    } catch (const Error& error) {
        return failure(error);
    }
    return config;
}

std::string Config::get(std::string_view key) const {
    const auto it = m_properties.find(std::string(key));
    return it == m_properties.end() ? std::string{} : it->second;
}

std::string Config::bootstrap() const {
    const std::string servers = get("bootstrap.servers");
    return servers.empty() ? get("metadata.broker.list") : servers;
}

std::string Config::securityProtocol() const {
    const std::string protocol = lower(get("security.protocol"));
    return protocol.empty() ? "plaintext" : protocol;
}

std::string Config::mechanism() const {
    std::string mechanism = get("sasl.mechanism").empty() ? get("sasl.mechanisms") : get("sasl.mechanism");
    std::ranges::transform(mechanism, mechanism.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return mechanism;
}

ConfHandle Config::build(ClientRole role, const Properties& own) const {
    ConfHandle conf(rd_kafka_conf_new());
    for (const auto& [key, value] : defaultsFor(role)) {
        set(conf.get(), key, value);
    }
    for (const auto& [key, value] : m_properties) {
        if (fitsRole(key, role)) {
            set(conf.get(), key, value);
        }
    }
    for (const auto& [key, value] : own) {
        set(conf.get(), key, value);
    }
    return conf;
}

}  // namespace redeliver::kafka
