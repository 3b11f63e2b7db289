// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/fleet.h"

#include "core/base/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace redeliver::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds restartAfter{3};
constexpr seconds suspendFor{9};  // longer than the demo's session.timeout.ms of 6 s: the ack of the woken worker fails
constexpr std::size_t keptMessages = 64;

}  // namespace

Fleet::Fleet(FleetOptions options, ports::RecordSink& sink, Clock& clock)
    : m_options(std::move(options)), m_sink(sink), m_clock(clock), m_random(m_options.seed), m_maker(m_options.seed) {
    const TimePoint now = m_clock.now();
    for (const DemoConsumer& consumer : demoConsumers()) {
        for (int i = 1; i <= consumer.workers; ++i) {
            const std::string name = fmt::format("{}-{}", consumer.name, i);
            m_workers.push_back({name, commandOf(consumer, name), true, std::nullopt, now, std::nullopt});
        }
    }
    for (const auto& [name, command] : m_options.helpers) {
        m_workers.push_back({name, command, false, std::nullopt, now, std::nullopt});
    }
    m_nextTrouble = now + seconds{30};
    m_nextSpike = now + seconds{75};
}

Fleet::~Fleet() = default;

bool Fleet::chance(double probability) {
    return std::uniform_real_distribution<double>{}(m_random) < probability;
}

void Fleet::run(const std::stop_token& stop) {
    constexpr milliseconds tick{200};
    TimePoint last = m_clock.now();
    while (!stop.stop_requested()) {
        const TimePoint now = m_clock.now();
        superviseWorkers(now);
        if (m_options.trouble) {
            makeTrouble(now);
        }
        produce(now, std::min(2.0, std::chrono::duration<double>(now - last).count()));
        last = now;
        m_clock.sleep(tick, stop);
    }
    for (const Worker& worker : m_workers) {
        if (worker.process) {
            worker.process->signal(SIGCONT);
            worker.process->signal(SIGTERM);
        }
    }
    for (Worker& worker : m_workers) {
        if (worker.process) {
            worker.process->stop(seconds{3});
        }
    }
}

std::vector<std::string> Fleet::commandOf(const DemoConsumer& consumer, const std::string& name) const {
    std::vector<std::string> command{m_options.workerProgram.string(),
                                     "--profile",
                                     m_options.profileFile.string(),
                                     "--consumer",
                                     consumer.name,
                                     "--worker",
                                     name,
                                     "--log-sample",
                                     "100"};
    if (!consumer.outboxTopic.empty()) {
        command.insert(command.end(), {"--outbox-topic", consumer.outboxTopic});
    }
    if (consumer.sequenceGuard) {
        command.emplace_back("--sequence-guard");
    }
    return command;
}

void Fleet::start(Worker& worker) const {
    ProcessOptions options;
    options.command = worker.command;
    options.log = m_options.logFolder / (worker.name + ".log");
    worker.process.emplace(std::move(options));
}

void Fleet::superviseWorkers(TimePoint now) {
    for (Worker& worker : m_workers) {
        if (worker.resumeAt && now >= *worker.resumeAt) {
            worker.process->signal(SIGCONT);
            worker.resumeAt.reset();
        }
        if (worker.process && !worker.process->running()) {
            worker.process.reset();
            worker.resumeAt.reset();
            worker.startAt = now + restartAfter;
        }
        if (!worker.process && now >= worker.startAt) {
            start(worker);
        }
    }
}

void Fleet::makeTrouble(TimePoint now) {
    if (now >= m_nextTrouble) {
        m_nextTrouble = now + seconds{25 + m_random() % 40};
        Worker& worker = m_workers[m_random() % m_workers.size()];
        if (worker.process && worker.mayBeHurt && !worker.resumeAt) {
            switch (m_random() % 3) {
                case 0:
                    worker.process->signal(SIGKILL);
                    break;
                case 1:
                    worker.process->signal(SIGTERM);
                    break;
                default:
                    worker.process->signal(SIGSTOP);
                    worker.resumeAt = now + suspendFor;
            }
        }
    }
    if (now >= m_nextSpike) {
        m_nextSpike = now + seconds{200 + m_random() % 120};
        m_spikeEnds = now + seconds{50};
        const char* topics[] = {"payments", "stock", "payments", "invoices"};
        m_spikeTopic = topics[m_random() % std::size(topics)];
        log(LogLevel::Info, fmt::format("demo=spike topic={} seconds=50", m_spikeTopic));
    }
}

void Fleet::addMessage(std::vector<OutgoingRecord>& out, TimePoint now) {
    double share = std::uniform_real_distribution<double>{}(m_random);
    for (const DemoTopic& topic : demoTopics()) {
        share -= topic.share;
        if (share >= 0 || topic.share <= 0 || topic.hoursIdle > 0) {
            continue;
        }
        OutgoingRecord record = m_maker.make(topic, now);
        if (chance(0.003)) {
            record.headers.push_back({"lab-fail", "1"});
        }
        const bool spike = now < m_spikeEnds && topic.name == m_spikeTopic;
        if (chance(spike ? 0.6 : 0.008)) {
            out.push_back(record);
        }
        m_sent.push_back(record);
        out.push_back(std::move(record));
        return;
    }
}

void Fleet::produce(TimePoint now, double elapsed) {
    const bool spike = now < m_spikeEnds;
    const double expected = demoRate(now, m_options.messagesPerSecond) * elapsed * (spike ? 1.5 : 1.0);
    const int count = std::poisson_distribution<int>{expected}(m_random);
    std::vector<OutgoingRecord> out;
    for (int i = 0; i < count; ++i) {
        addMessage(out, now);
    }
    // A producer that retries after a time-out sends an old message once more.
    if (!m_sent.empty() && chance(0.01 * elapsed)) {
        out.push_back(m_sent[m_random() % m_sent.size()]);
    }
    if (m_sent.size() > keptMessages) {
        m_sent.erase(m_sent.begin(), m_sent.end() - keptMessages);
    }
    if (out.empty()) {
        return;
    }
    const auto answers = m_sink.publish(out);
    const auto failed =
        std::find_if(answers.begin(), answers.end(), [](const auto& answer) { return !answer.has_value(); });
    if (failed != answers.end()) {
        log(LogLevel::Warn, fmt::format("demo=producer error={}", failed->error().code()));
    }
}

}  // namespace redeliver::lab
