// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/doctor.h"

#include "core/kafka/admin.h"
#include "core/kafka/client.h"
#include "core/kafka/errors.h"
#include "core/kafka/topic_reader.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>

namespace redeliver::kafka {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Heard {
    int code;
    std::string text;
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// Which step an error of librdkafka belongs to; its texts say in which state the connection was.
std::string_view stepOf(const Heard& heard) {
    if (heard.code == RD_KAFKA_RESP_ERR__RESOLVE) {
        return "dns";
    }
    if (contains(heard.text, "state CONNECT")) {
        return "tcp";
    }
    if (heard.code == RD_KAFKA_RESP_ERR__AUTHENTICATION || heard.code == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED ||
        contains(heard.text, "SASL") || contains(heard.text, "state AUTH")) {
        return "login";
    }
    if (heard.code == RD_KAFKA_RESP_ERR__SSL || contains(heard.text, "SSL") || contains(heard.text, "ssl://") ||
        contains(heard.text, "PLAINTEXT broker listener") || contains(heard.text, "state APIVERSION")) {
        return "tls";
    }
    return "tcp";
}

bool isDecisive(const Heard& heard) {
    return heard.code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || stepOf(heard) == "login";
}

/// The most telling of what was heard; "all brokers down" only tells that it is over.
const Heard* cause(const std::vector<Heard>& heard) {
    static constexpr std::array<std::string_view, 4> telling{"login", "tls", "dns", "tcp"};
    for (const std::string_view step : telling) {
        for (const Heard& one : heard) {
            if (one.code != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && stepOf(one) == step) {
                return &one;
            }
        }
    }
    return nullptr;
}

class Doctor {
  public:
    Doctor(const Config& config, const DiagnosisOptions& options, const std::stop_token& stop)
        : m_config(config), m_options(options), m_stop(stop) {}

    std::vector<DiagnosisStep> run() {
        try {
            auto events = std::make_unique<ClientEvents>();
            events->failed = [this](int code, const std::string& text) { m_heard.push_back({code, text}); };
            const Client client(ClientRole::Admin, m_config, {{"client.id", "redeliver-doctor"}}, std::move(events));
            if (connect(client) && reachAll(client)) {
                privileges();
            }
        } catch (const Error& error) {
            add(contains(error.text(), "ssl") ? "tls" : "settings", false, error.text(), error.hint());
        }
        return std::move(m_steps);
    }

  private:
    void add(std::string_view step, bool ok, std::string text, std::string hint = {}) {
        m_steps.push_back({std::string(step), ok, std::move(text), std::move(hint)});
    }
    [[nodiscard]] bool usesTls() const { return contains(m_config.securityProtocol(), "ssl"); }
    [[nodiscard]] bool usesLogin() const { return contains(m_config.securityProtocol(), "sasl"); }

    bool connect(const Client& client) {
        const auto deadline = Clock::now() + m_options.connectLimit;
        while (!m_stop.stop_requested()) {
            const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
            if (left.count() <= 0 || std::ranges::any_of(m_heard, isDecisive)) {
                break;
            }
            const struct rd_kafka_metadata* metadata = nullptr;
            const int slice = static_cast<int>(std::min<milliseconds>(left, milliseconds(500)).count());
            const auto code = rd_kafka_metadata(client.get(), 0, nullptr, &metadata, slice);
            rd_kafka_poll(client.get(), 0);
            if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
                connected(*metadata);
                rd_kafka_metadata_destroy(metadata);
                return true;
            }
        }
        failedToConnect();
        return false;
    }

    void connected(const struct rd_kafka_metadata& metadata) {
        passedUpTo("brokers");
        for (int i = 0; i < metadata.broker_cnt; ++i) {
            m_brokers.push_back(fmt::format("{}:{}", metadata.brokers[i].host, metadata.brokers[i].port));
        }
        if (const Heard* one = cause(m_heard)) {
            m_steps.back().hint = fmt::format("one of several servers didn't answer: {}", one->text);
        }
    }

    /// The steps before `failed` are passed: the library got beyond them.
    void passedUpTo(std::string_view failed) {
        const std::string servers = m_config.bootstrap();
        for (const auto& [step, used, text] : {std::tuple<std::string_view, bool, std::string>{"dns", true, servers},
                                               {"tcp", true, "connected to " + servers},
                                               {"tls", usesTls(), "certificate accepted"},
                                               {"login", usesLogin(), "as " + m_config.get("sasl.username")}}) {
            if (step == failed) {
                return;
            }
            if (used) {
                add(step, true, text);
            }
        }
    }

    void failedToConnect() {
        const Heard* why = cause(m_heard);
        if (why == nullptr) {
            passedUpTo("tcp");
            add("tcp", false,
                fmt::format("no answer from {} within {} ms", m_config.bootstrap(), m_options.connectLimit.count()),
                "a firewall, a wrong port, or an overloaded broker");
            return;
        }
        const std::string_view step = stepOf(*why);
        passedUpTo(step);
        std::string hint = step == "login" ? scramHint(m_config) : std::string();
        add(step, false, why->text, hint.empty() ? hintFor(why->code, why->text) : hint);
    }

    /// Asks every broker by its advertised address; one that can't be reached is named by it.
    bool reachAll(const Client& client) {
        m_heard.clear();
        const QueueHandle queue(rd_kafka_queue_new(client.get()));
        const AdminOptionsHandle options(rd_kafka_AdminOptions_new(client.get(), RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS));
        rd_kafka_AdminOptions_set_request_timeout(options.get(), static_cast<int>(m_options.queryLimit.count()),
                                                  nullptr, 0);
        rd_kafka_ListConsumerGroups(client.get(), options.get(), queue.get());
        const auto deadline = Clock::now() + m_options.queryLimit;
        EventHandle event;
        while (!event && !advertised() && Clock::now() < deadline && !m_stop.stop_requested()) {
            event.reset(rd_kafka_queue_poll(queue.get(), 50));
            rd_kafka_poll(client.get(), 0);
        }
        if (const Heard* unreachable = advertised()) {
            add("brokers", false, "a broker can't be reached at the address it advertises: " + unreachable->text,
                "advertised.listeners of that broker must name an address that clients can reach from here");
            return false;
        }
        if (!event) {
            add("brokers", false, fmt::format("no answer from every broker of {}", fmt::join(m_brokers, ", ")),
                "advertised.listeners must name addresses that clients can reach from here");
            return false;
        }
        add("brokers", true, fmt::format("{} reached: {}", m_brokers.size(), fmt::join(m_brokers, ", ")));
        return true;
    }

    [[nodiscard]] const Heard* advertised() const {
        const auto it = std::ranges::find_if(m_heard, [this](const Heard& heard) {
            return std::ranges::any_of(m_brokers, [&](const std::string& broker) {
                return contains(heard.text, broker + "/") && !contains(heard.text, "/bootstrap");
            });
        });
        return it == m_heard.end() ? nullptr : &*it;
    }

    void privileges() {
        // The library may drop the first refusal of a fetch (it belongs to an outdated version) and asks again after 5
        // s.
        TopicReader reader(m_config, {"redeliver-doctor", m_options.queryLimit, std::chrono::seconds(8)});
        Admin admin(m_config, {"redeliver-doctor", m_options.queryLimit});
        for (const Topic& topic : m_options.topics) {
            if (m_stop.stop_requested()) {
                return;
            }
            readable(reader, topic);
        }
        for (const GroupName& group : m_options.groups) {
            if (m_stop.stop_requested()) {
                return;
            }
            const auto info = admin.group(group);
            const std::string why = !info ? info.error().text() : info->unknown;
            add("privilege", why.empty(),
                why.empty() ? fmt::format("group {}: can be looked at", group.value())
                            : fmt::format("group {}: Describe is missing: {}", group.value(), why),
                why.empty() ? "" : hintFor(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, ""));
        }
        if (m_options.topics.empty() && m_options.groups.empty()) {
            add("privilege", true, "no topic and no group to look at");
        }
    }

    void readable(TopicReader& reader, const Topic& topic) {
        const auto logs = reader.logs(topic);
        if (!logs) {
            add("privilege", false,
                fmt::format("topic {}: Describe is missing, or there is no such topic: {}", topic.value(),
                            logs.error().text()),
                logs.error().hint());
            return;
        }
        // Asking for what lies beyond the end is a fetch all the same, and answered at once.
        std::vector<ports::OffsetRange> ranges;
        if (!logs->empty()) {
            const auto& [partition, log] = *logs->begin();
            ranges.push_back({partition, log.end, Offset(log.end.value() + 1)});
        }
        try {
            const auto read = reader.scan(
                topic, ranges, [](Record&&) { return true; }, m_stop);
            if (read) {
                add("privilege", true, fmt::format("topic {}: {} partitions, readable", topic.value(), logs->size()));
            } else {
                add("privilege", false,
                    fmt::format("topic {}: Read is missing: {}", topic.value(), read.error().text()),
                    read.error().hint());
            }
        } catch (const Error& error) {
            add("privilege", false, fmt::format("topic {}: {}", topic.value(), error.text()), error.hint());
        }
    }

    const Config& m_config;
    const DiagnosisOptions& m_options;
    const std::stop_token& m_stop;
    std::vector<DiagnosisStep> m_steps;
    std::vector<Heard> m_heard;
    std::vector<std::string> m_brokers;
};

}  // namespace

bool reached(const std::vector<DiagnosisStep>& steps) noexcept {
    return !steps.empty() &&
           std::ranges::all_of(steps, [](const DiagnosisStep& step) { return step.ok || step.step == "privilege"; });
}

std::string scramHint(const Config& config) {
    if (!config.mechanism().starts_with("SCRAM") || libraryAtLeast(2, 6, 1)) {
        return {};
    }
    return fmt::format(
        "librdkafka {} can't log in with SCRAM at Kafka 4.0 or newer although the password is right (mended in "
        "librdkafka 2.6.1): use a newer librdkafka, or SASL PLAIN over TLS. At an older Kafka: check sasl.username and "
        "sasl.password",
        libraryVersion());
}

std::vector<DiagnosisStep> diagnose(const Config& config, const DiagnosisOptions& options,
                                    const std::stop_token& stop) {
    return Doctor(config, options, stop).run();
}

}  // namespace redeliver::kafka
