// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/connections.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver {
namespace {

Secret readSecret(const SecretReader& secrets, const SecretSource& source) {
    auto secret = secrets(source);
    if (!secret) {
        throw Error(std::move(secret).error());
    }
    return *std::move(secret);
}

void overlay(ConsumerInfo& info, const ProfileConsumer& profile) {
    info.group = profile.group ? profile.group : info.group;
    info.deadLetter = profile.deadLetter ? profile.deadLetter : info.deadLetter;
    info.markerRetention = profile.markerRetention ? profile.markerRetention : info.markerRetention;
    info.replayHorizon = profile.replayHorizon ? profile.replayHorizon : info.replayHorizon;
    if (!profile.topics.empty()) {
        info.topics = profile.topics;
    }
    if (!profile.formerly.empty()) {
        info.formerly = profile.formerly;
    }
    if (!profile.messageId.empty()) {
        info.messageId = profile.messageId;
    }
}

}  // namespace

postgres::ConnectOptions Connections::postgresOptions() const {
    if (m_profile.dsn.empty()) {
        throw Error{ErrorKind::BadInput, fmt::format("profile {} has no [postgres] dsn", m_profile.name),
                    "Add [postgres] with dsn = \"host=… dbname=… user=…\".", "profile"};
    }
    postgres::ConnectOptions options;
    options.dsn = m_profile.dsn;
    options.schema = m_profile.schema;
    options.applicationName = m_applicationName;
    if (m_profile.password) {
        options.password = readSecret(m_secrets, *m_profile.password);
    }
    return options;
}

kafka::Config Connections::kafkaConfig() const {
    if (!hasKafka()) {
        throw Error{ErrorKind::BadInput, fmt::format("profile {} has no [kafka]", m_profile.name),
                    "Add [kafka] with \"bootstrap.servers\" = \"…\".", "profile"};
    }
    kafka::Properties properties;
    for (const auto& [key, value] : m_profile.kafka) {
        const auto* const source = std::get_if<SecretSource>(&value);
        properties[key] = source != nullptr ? readSecret(m_secrets, *source).reveal() : std::get<std::string>(value);
    }
    auto config = kafka::Config::make(std::move(properties));
    if (!config) {
        throw Error(std::move(config).error());
    }
    return *std::move(config);
}

void Connections::requireWritable() const {
    if (!m_profile.isReadOnly()) {
        return;
    }
    throw Error{ErrorKind::Refused, fmt::format("profile {} is read-only", m_profile.name),
                m_profile.readOnly
                    ? "It says read_only = true; take that out of the profile first."
                    : "Production is read-only by default: write read_only = false into the profile, or unlock it.",
                "read-only"};
}

std::vector<ConsumerInfo> withProfile(std::vector<ConsumerInfo> registered, const Profile& profile) {
    for (const ProfileConsumer& consumer : profile.consumers) {
        auto found = std::find_if(registered.begin(), registered.end(),
                                  [&](const ConsumerInfo& info) { return info.name == consumer.name; });
        if (found == registered.end()) {
            ConsumerInfo info;
            info.name = consumer.name;
            found = registered.insert(registered.end(), std::move(info));
        }
        overlay(*found, consumer);
    }
    return registered;
}

}  // namespace redeliver
