// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace redeliver::lab {
namespace {

constexpr std::string_view crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

// ULID-like: 48 bits of milliseconds, then a counter and randomness; sorts by time.
std::string ulid(TimePoint at, std::uint64_t low) {
    std::string text(16, '0');
    auto millis = static_cast<std::uint64_t>(toUnixMillis(at));
    for (std::size_t i = 10; i-- > 0;) {
        text[i] = crockford[millis & 31U];
        millis >>= 5U;
    }
    for (std::size_t i = 16; i-- > 10;) {
        text[i] = crockford[low & 31U];
        low >>= 5U;
    }
    return text;
}

OutgoingRecord withIdentity(const DemoTopic& topic, const std::string& id, std::string key, std::string value,
                            std::uint64_t trace) {
    OutgoingRecord record;
    record.topic = Topic{topic.name};
    record.partition = Partition{
        static_cast<std::int32_t>(std::hash<std::string>{}(key) % static_cast<std::size_t>(topic.partitions))};
    record.key = std::move(key);
    record.value = std::move(value);
    record.headers = {{"message-id", id},
                      {"content-type", "application/json"},
                      {"traceparent", fmt::format("00-{:016x}{:016x}-{:016x}-01", trace, ~trace, trace ^ 0x5bd1e995U)}};
    return record;
}

// Spikes of the generated day: start and length in minutes before the span's end, and which consumer suffers.
struct Spike {
    int minutesBefore;
    int minutes;
    std::size_t consumer;
    double duplicates;
};
constexpr Spike spikes[] = {
    {19, 9, 0, 0.35}, {197, 12, 2, 0.18}, {512, 8, 0, 0.25}, {873, 15, 1, 0.12}, {1190, 7, 4, 0.3}};

const Spike* spikeAt(const TimeRange& span, TimePoint at, std::size_t consumer) {
    for (const Spike& spike : spikes) {
        const TimePoint from = span.to - std::chrono::minutes{spike.minutesBefore};
        if (spike.consumer == consumer && at >= from && at < from + std::chrono::minutes{spike.minutes}) {
            return &spike;
        }
    }
    return nullptr;
}

class Simulation {
  public:
    Simulation(ConsumerHistory& out, const std::vector<HistoryRecord>& records, const TimeRange& span,
               std::size_t index, std::uint64_t seed)
        : m_out(out), m_records(records), m_span(span), m_index(index), m_random(seed + index * 7'919) {}

    void run() {
        std::map<std::string_view, std::size_t> first;
        for (std::size_t i = 0; i < m_records.size(); ++i) {
            const HistoryRecord& record = m_records[i];
            const TimePoint arrived = *record.record.timestamp + std::chrono::milliseconds{20 + m_random() % 400};
            const auto [it, isNew] = first.try_emplace(record.id, m_out.processed.size());
            if (!isNew) {
                duplicate(record, arrived, DuplicateKind::PublishedAgain, m_out.processed[it->second].at);
                continue;
            }
            deliver(i, arrived);
        }
        std::sort(m_out.events.begin(), m_out.events.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    }

  private:
    double chance() { return std::uniform_real_distribution<double>{}(m_random); }
    Duration latency() {
        const double millis =
            m_out.consumer->latencyMillis * std::exp(std::normal_distribution<double>{0, 0.35}(m_random));
        return Duration{static_cast<std::int64_t>(millis * 1000)};
    }
    std::string worker() const { return fmt::format("{}-1", m_out.consumer->name); }

    DeliveryEvent event(const HistoryRecord& record, TimePoint at, std::string outcome) {
        DeliveryEvent row;
        row.at = at;
        row.consumer = ConsumerName{m_out.consumer->name};
        row.outcome = std::move(outcome);
        row.messageId = MessageId{record.id};
        row.at_record = Coordinates{ClusterId{}, record.record.topic, *record.record.partition, record.offset};
        row.worker = WorkerName{worker()};
        row.latency = latency();
        return row;
    }

    void duplicate(const HistoryRecord& record, TimePoint at, DuplicateKind kind, TimePoint processedAt) {
        DeliveryEvent row = event(record, std::max(at, processedAt + std::chrono::milliseconds{1}), "duplicate");
        row.kind = kind;
        row.sinceFirstProcessed = row.at - processedAt;
        if (kind == DuplicateKind::PublishedAgain) {
            row.identicalContent = true;
        }
        if (row.at < m_span.to) {
            m_out.events.push_back(std::move(row));
        }
    }

    void deliver(std::size_t index, TimePoint arrived) {
        const HistoryRecord& record = m_records[index];
        TimePoint at = arrived;
        if (chance() < 0.0004) {
            DeliveryEvent failed = event(record, at, "transaction_failed");
            failed.errorCode = "40001";
            failed.errorText = "could not serialize access due to concurrent update";
            m_out.events.push_back(std::move(failed));
            at += std::chrono::milliseconds{300};
        }
        const Duration took = latency();
        // All of it was finished when the history ends, so that offsets and markers agree.
        at = std::min(at + took, m_span.to - std::chrono::milliseconds{1});
        m_out.processed.push_back({index, at, took});
        const Spike* spike = spikeAt(m_span, at, m_index);
        const bool unacked = spike != nullptr && chance() < 0.04;
        if (unacked) {
            DeliveryEvent ack = event(record, at, "ack_failed");
            ack.errorCode = "REBALANCE_IN_PROGRESS";
            ack.errorText = "Broker: Group rebalance in progress";
            m_out.events.push_back(std::move(ack));
        }
        const double usual = m_out.consumer->duplicateRate;
        if (unacked || chance() < (spike != nullptr ? spike->duplicates : usual)) {
            duplicate(record, at + std::chrono::milliseconds{500 + m_random() % 9'000}, DuplicateKind::Redelivered, at);
        }
    }

    ConsumerHistory& m_out;
    const std::vector<HistoryRecord>& m_records;
    TimeRange m_span;
    std::size_t m_index;
    std::mt19937_64 m_random;
};

void assignOffsets(std::vector<HistoryRecord>& records) {
    std::stable_sort(records.begin(), records.end(),
                     [](const auto& a, const auto& b) { return *a.record.timestamp < *b.record.timestamp; });
    std::map<std::int32_t, std::int64_t> next;
    for (HistoryRecord& record : records) {
        record.offset = Offset{next[record.record.partition->value()]++};
    }
}

TimePoint toMillis(TimePoint at) {
    return fromUnixMillis(toUnixMillis(at));
}

void addRecords(History& history, std::int64_t messages, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    MessageMaker maker(seed);
    std::uniform_real_distribution<double> chance;
    const double mean = static_cast<double>(messages) / std::chrono::duration<double>(history.span.length()).count();
    for (TimePoint second = history.span.from; second < history.span.to; second += std::chrono::seconds{1}) {
        const int count = std::poisson_distribution<int>{demoRate(second, mean)}(random);
        for (int i = 0; i < count; ++i) {
            const TimePoint at = toMillis(second + Duration{static_cast<std::int64_t>(random() % 1'000'000)});
            double share = chance(random);
            for (const DemoTopic& topic : demoTopics()) {
                share -= topic.share;
                if (share >= 0 || topic.share == 0) {
                    continue;
                }
                if (at >= history.span.to - std::chrono::minutes{static_cast<int>(topic.hoursIdle * 60)}) {
                    break;
                }
                HistoryRecord record{maker.make(topic, at), {}, {}, false};
                record.record.timestamp = at;
                record.id = MessageMaker::idOf(record.record);
                if (chance(random) < 0.002) {
                    HistoryRecord again = record;
                    again.again = true;
                    again.record.timestamp = std::min(at + std::chrono::milliseconds{200 + random() % 3'000},
                                                      toMillis(history.span.to - std::chrono::milliseconds{2}));
                    history.topics[topic.name].push_back(std::move(again));
                }
                if (topic.name == "payments") {
                    const DemoTopic& fulfilment = demoTopic("fulfilment");
                    const TimePoint sent = std::min(at + std::chrono::milliseconds{600},
                                                    toMillis(history.span.to - std::chrono::milliseconds{1}));
                    HistoryRecord next{maker.derived(fulfilment, record.record, sent), {}, {}, false};
                    next.record.timestamp = sent;
                    next.id = MessageMaker::idOf(next.record);
                    history.topics[fulfilment.name].push_back(std::move(next));
                }
                history.topics[topic.name].push_back(std::move(record));
                break;
            }
        }
    }
}

}  // namespace

OutgoingRecord MessageMaker::make(const DemoTopic& topic, TimePoint at) {
    const std::uint64_t random = m_random();
    const std::string id = fmt::format("{}_{}", topic.idPrefix, ulid(at, (m_sequence++ << 12U) | (random & 0xfffU)));
    const std::uint64_t entity = 100 + (random >> 20U) % 4'000;
    std::string key = fmt::format("{}-{}", topic.idPrefix, entity);
    std::string value = fmt::format(
        R"({{"message_id":"{}","type":"{}","entity":"{}","order_id":"{}","amount_cents":{},"sequence":{},"at":"{}"}})",
        id, topic.type, key, entity, 500 + random % 20'000, m_sequence, toRfc3339(at));
    return withIdentity(topic, id, std::move(key), std::move(value), random);
}

OutgoingRecord MessageMaker::derived(const DemoTopic& topic, const OutgoingRecord& payment, TimePoint at) {
    const std::string id = fmt::format("{}_{}", topic.idPrefix, idOf(payment).substr(4));
    std::string value = fmt::format(R"({{"message_id":"{}","type":"{}","caused_by":"{}","at":"{}"}})", id, topic.type,
                                    idOf(payment), toRfc3339(at));
    return withIdentity(topic, id, payment.key.value_or(id), std::move(value), m_random());
}

std::string MessageMaker::idOf(const OutgoingRecord& record) {
    return record.headers.front().value.value_or(std::string());
}

double demoRate(TimePoint at, double mean) noexcept {
    const double hours = std::chrono::duration<double, std::ratio<3600>>(at.time_since_epoch()).count();
    const double day = std::sin((hours - 9.0) * 2.0 * std::numbers::pi / 24.0);
    const double ripple =
        std::sin(hours * 2.0 * std::numbers::pi / 0.37) + std::sin(hours * 2.0 * std::numbers::pi / 0.11);
    return mean * (1.0 + 0.35 * day + 0.08 * ripple);
}

History makeHistory(TimeRange span, std::int64_t messages, std::uint64_t seed) {
    History history;
    history.span = span;
    addRecords(history, messages, seed);
    for (auto& [topic, records] : history.topics) {
        assignOffsets(records);
    }
    const auto& consumers = demoConsumers();
    history.consumers.resize(consumers.size());
    for (std::size_t i = 0; i < consumers.size(); ++i) {
        history.consumers[i].consumer = &consumers[i];
        Simulation(history.consumers[i], history.topics[consumers[i].topic], span, i, seed).run();
    }
    return history;
}

}  // namespace redeliver::lab
