// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/recorder.h"

#include "core/base/log.h"

#include <fmt/format.h>

namespace redeliver::consumer {
namespace {

constexpr std::size_t mostEvents = 20'000;
constexpr std::size_t mostBuckets = 720;  // two hours of 10 s
constexpr auto bucketLength = std::chrono::seconds(10);

}  // namespace

Recorder::Recorder(const Options& options, Clock& clock)
    : m_consumer(options.consumer.name), m_worker(options.worker), m_clock(clock) {
    if (!options.spool.empty()) {
        m_spool = std::make_unique<Spool>(options.spool, options.spoolBytes);
        if (!m_spool->usable()) {
            m_spool.reset();
        }
    }
}

ports::TelemetryBatch& Recorder::bucketOf(TimePoint at) {
    const auto bucket = TimePoint(at.time_since_epoch() - at.time_since_epoch() % bucketLength);
    if (m_open.size() >= mostBuckets && !m_open.contains(bucket)) {
        m_dropped += m_open.begin()->second.counts.deliveries();
        m_events -= m_open.begin()->second.events.size();
        m_open.erase(m_open.begin());
    }
    auto& batch = m_open[bucket];
    batch.at = bucket;
    batch.worker = m_worker;
    return batch;
}

void Recorder::keep(DeliveryEvent event) {
    auto& batch = bucketOf(event.at);
    if (m_events >= mostEvents) {
        ++m_dropped;
        return;
    }
    ++m_events;
    batch.events.push_back(std::move(event));
}

void Recorder::failed(DeliveryEvent event) {
    ++bucketOf(event.at).counts.of(Outcome::TransactionFailed);
    event.outcome = toText(Outcome::TransactionFailed);
    keep(std::move(event));
}

void Recorder::side(SideEvent what, DeliveryEvent event) {
    auto& counts = bucketOf(event.at).counts;
    ++(what == SideEvent::AckFailed ? counts.ackFailed : counts.inDoubt);
    event.outcome = toText(what);
    keep(std::move(event));
}

void Recorder::note(DeliveryEvent event) {
    keep(std::move(event));
}

void Recorder::reportDrops() {
    if (m_dropped == m_reported) {
        return;
    }
    DeliveryEvent event;
    event.at = m_clock.now();
    event.consumer = m_consumer;
    event.worker = m_worker;
    event.outcome = "telemetry_dropped";
    event.errorText = fmt::format("{} telemetry entries found no room and were dropped", m_dropped - m_reported);
    m_reported = m_dropped;
    bucketOf(event.at).events.push_back(std::move(event));
    ++m_events;
}

void Recorder::flush(ports::GuardStore& store) {
    try {
        if (!resolveInFlight(store) || !flushSpool(store)) {
            return;
        }
        reportDrops();
        flushMemory(store);
    } catch (const std::exception& error) {
        log(LogLevel::Warn,
            fmt::format("consumer={} event=telemetry_waits text=\"{}\"", m_consumer.value(), error.what()));
    }
}

// True: nothing is in doubt any more.
bool Recorder::resolveInFlight(ports::GuardStore& store) {
    if (!m_inFlight) {
        return true;
    }
    const auto committed = store.wasCommitted(m_inFlight->transaction);
    if (committed.value_or(true)) {
        m_dropped += committed ? 0 : 1;  // the server forgot: perhaps lost, never counted twice
        m_inFlight.reset();
        return true;
    }
    const auto result =
        store.writeTelemetry(m_inFlight->batch, [this](const auto& id) { m_inFlight->transaction = id; });
    if (result.kind == ports::CommitResult::Kind::Committed) {
        m_inFlight.reset();
    }
    return !m_inFlight;
}

bool Recorder::flushSpool(ports::GuardStore& store) {
    while (m_spool && !m_spool->empty()) {
        if (!m_spool->inFlight().empty()) {
            if (m_spool->front() && store.wasCommitted(m_spool->inFlight()).value_or(true)) {
                m_spool->pop();
                continue;
            }
            m_spool->setInFlight({});
        }
        const auto payload = m_spool->front();
        if (!payload) {
            break;
        }
        if (const auto batch = fromPayload(*payload)) {
            const auto result = store.writeTelemetry(*batch, [this](const auto& id) { m_spool->setInFlight(id); });
            if (result.kind != ports::CommitResult::Kind::Committed) {
                return false;
            }
        } else {
            ++m_dropped;
        }
        m_spool->pop();
    }
    return true;
}

bool Recorder::flushMemory(ports::GuardStore& store) {
    while (!m_open.empty()) {
        auto node = m_open.extract(m_open.begin());
        auto& batch = node.mapped();
        m_events -= batch.events.size();
        std::string transaction;
        ports::CommitResult result;
        try {
            result = store.writeTelemetry(batch, [&](const auto& id) { transaction = id; });
        } catch (...) {
            m_events += batch.events.size();
            m_open.insert(std::move(node));
            throw;
        }
        if (result.kind == ports::CommitResult::Kind::InDoubt) {
            m_inFlight = InFlight{std::move(batch), transaction};
            return false;
        }
        if (result.kind == ports::CommitResult::Kind::RolledBack) {
            m_events += batch.events.size();
            m_open.insert(std::move(node));
            return false;
        }
    }
    return true;
}

void Recorder::spill() {
    if (!m_spool) {
        return;
    }
    for (auto& [at, batch] : m_open) {
        if (!m_spool->append(toPayload(batch))) {
            m_dropped += std::max<std::int64_t>(batch.counts.deliveries(), 1);
        }
    }
    m_open.clear();
    m_events = 0;
}

}  // namespace redeliver::consumer
