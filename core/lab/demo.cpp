// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/demo.h"

#include "core/base/log.h"
#include "core/kafka/config.h"
#include "core/kafka/producer.h"
#include "core/kafka/topic_reader.h"
#include "core/lab/history_writer.h"
#include "core/postgres/session.h"

#include <fmt/format.h>

#include <future>

namespace redeliver::lab {
namespace {

constexpr std::chrono::hours newest{1};
// An hour more than the day that the usual rate is made of, so that there is one.
constexpr std::chrono::hours generated{25};

kafka::Config configOf(const Profile& profile) {
    kafka::Properties properties;
    for (const auto& [key, value] : profile.kafka) {
        properties[key] = std::get<std::string>(value);
    }
    auto config = kafka::Config::make(std::move(properties));
    if (!config) {
        throw Error(config.error());
    }
    return *std::move(config);
}

postgres::ConnectOptions connectOf(const Profile& profile) {
    return {profile.dsn, {}, profile.schema, "redeliver-demo", std::chrono::seconds{5}};
}

std::filesystem::path besideThisProgram(const char* name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace

Demo::Demo(const DemoOptions& options, const ProgressSink& progress, const std::stop_token& stop)
    : m_clock(systemClock()) {
    // Generated while the servers start.
    const TimePoint now = std::chrono::floor<std::chrono::minutes>(m_clock->now());
    auto history = std::async(std::launch::async, [&options, now] {
        return std::make_shared<const History>(makeHistory({now - generated, now}, options.messages, options.seed));
    });
    StackOptions stack;
    stack.broker = options.broker;
    stack.kafkaHome = options.kafkaHome;
    stack.profileName = "demo";
    for (const DemoConsumer& consumer : demoConsumers()) {
        stack.consumers.push_back(profileOf(consumer));
    }
    m_stack = std::make_unique<EmbeddedStack>(stack, progress);
    createTopics();
    m_sink = std::make_unique<kafka::Producer>(configOf(profile()),
                                               kafka::ProducerOptions{"redeliver-demo", std::chrono::seconds{30}});
    m_history = history.get();
    writeHistory(progress, stop);

    FleetOptions fleet;
    fleet.workerProgram = options.workerProgram.empty() ? besideThisProgram("redeliver-worker") : options.workerProgram;
    fleet.profileFile = profile().file;
    const std::string ctl = besideThisProgram("redeliverctl").string();
    const std::vector<std::string> base{ctl, "--profile", profile().file.string()};
    for (const auto& [name, words] : std::map<std::string, std::vector<std::string>>{
             {"outbox-publisher", {"outbox", "publish"}}, {"maintenance", {"maintain"}}}) {
        fleet.helpers[name] = base;
        fleet.helpers[name].insert(fleet.helpers[name].end(), words.begin(), words.end());
    }
    fleet.logFolder = m_stack->folder();
    fleet.messagesPerSecond = static_cast<double>(options.messages) / 86'400.0;
    fleet.seed = options.seed + 1;
    fleet.trouble = options.trouble;
    m_fleet = std::make_unique<Fleet>(std::move(fleet), *m_sink, *m_clock);
    m_fleetThread = std::jthread([this](const std::stop_token& token) {
        try {
            m_fleet->run(token);
        } catch (const Error& error) {
            log(LogLevel::Error, fmt::format("demo=fleet error=\"{}\" hint=\"{}\"", error.text(), error.hint()));
        }
    });
    m_filler = std::jthread([this](const std::stop_token& token) { fillBehind(token); });
}

Demo::~Demo() {
    m_filler.request_stop();
    m_fleetThread.request_stop();
}

void Demo::createTopics() const {
    // Side by side: each waits for its leaders.
    std::vector<std::future<void>> created;
    for (const DemoTopic& topic : demoTopics()) {
        const auto create = [this](const std::string& name, int partitions) { m_stack->createTopic(name, partitions); };
        created.push_back(std::async(std::launch::async, create, topic.name, topic.partitions));
        created.push_back(std::async(std::launch::async, create, topic.name + ".dlt", 1));
    }
    for (auto& each : created) {
        each.get();
    }
}

void Demo::writeHistory(const ProgressSink& progress, const std::stop_token& stop) {
    if (progress) {
        progress({"writing a day of generated history", 0, 0});
    }
    kafka::TopicReader reader(configOf(profile()));
    m_cluster = reader.clusterId().value();
    postgres::Session session(connectOf(profile()));
    session.ensureOpen();
    HistoryWriter writer(*m_history, session, ClusterId{m_cluster});
    writer.publish(*m_sink);
    writer.writePositions();
    writer.writeSpan({m_history->span.to - newest, m_history->span.to}, stop);
}

void Demo::fillBehind(const std::stop_token& stop) {
    try {
        postgres::Session session(connectOf(profile()));
        session.ensureOpen();
        HistoryWriter writer(*m_history, session, ClusterId{m_cluster});
        for (TimePoint to = m_history->span.to - newest; to > m_history->span.from && !stop.stop_requested();
             to -= newest) {
            writer.writeSpan({to - newest, to}, stop);
        }
        m_historyComplete = !stop.stop_requested();
    } catch (const Error& error) {
        if (!stop.stop_requested()) {
            log(LogLevel::Error, fmt::format("demo=history error=\"{}\"", error.text()));
        }
    }
}

void Demo::waitForHistory(const std::stop_token& stop) const {
    while (!m_historyComplete && !stop.stop_requested()) {
        m_clock->sleep(std::chrono::milliseconds{50}, stop);
    }
}

}  // namespace redeliver::lab
