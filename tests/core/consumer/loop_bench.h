// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/log.h"
#include "core/consumer/loop.h"
#include "tests/core/consumer/model_world.h"

#include <QtTest>

#include <memory>
#include <string>

namespace redeliver::model {

inline consumer::Identified headerId(const Record& record) {
    const auto id = lastHeader(record, "message-id");
    if (!id) {
        return {std::nullopt, "no message-id header"};
    }
    return {MessageId{std::string(*id)}, {}};
}

/// One worker of one consumer over the models; restart() is a new process over the same log and database.
class LoopBench {
  public:
    LoopBench() {
        setLogTarget([this](LogLevel, std::string_view line) { lines.emplace_back(line); });
        options.consumer.name = ConsumerName{"c"};
        options.consumer.topics = {Topic{"t"}};
        options.consumer.deadLetter = Topic{"t.dlt"};
        options.worker = WorkerName{"w"};
        log.partitions[p0];
        log.partitions[p1];
    }
    ~LoopBench() { setLogTarget({}); }
    LoopBench(const LoopBench&) = delete;
    LoopBench& operator=(const LoopBench&) = delete;

    void restart() {
        loop.reset();
        source = std::make_unique<ModelSource>(log, clock);
        store = std::make_unique<ModelStore>(database, options.consumer.name.value());
        loop = std::make_unique<consumer::Loop>(
            options, consumer::LoopParts{*source, *store, &sink, handler, clock, entropy, headerId});
        source->give({p0, p1});
        loop->start();
    }
    /// Until nothing is left to do, or for `span`.
    void run(Duration span = std::chrono::seconds(3)) {
        const auto until = clock.steady() + span;
        while (clock.steady() < until) {
            loop->step({});
        }
    }

    TopicPartition p0{Topic{"t"}, Partition{0}};
    TopicPartition p1{Topic{"t"}, Partition{1}};
    ModelClock clock;
    ModelEntropy entropy;
    Log log;
    Database database;
    ModelSink sink;
    ModelHandler handler;
    consumer::Options options;
    std::vector<std::string> lines;
    std::unique_ptr<ModelSource> source;
    std::unique_ptr<ModelStore> store;
    std::unique_ptr<consumer::Loop> loop;
};

inline void fill(LoopBench& bench, int count, int from = 0) {
    for (int i = from; i < from + count; ++i) {
        bench.log.append(i % 2 == 0 ? bench.p0 : bench.p1, "m" + std::to_string(i));
    }
}

/// Every marker has its effect, every effect its marker, and no effect is there twice.
inline void verifyBooks(const LoopBench& bench) {
    QCOMPARE(bench.database.effects.size(), bench.database.markers.size());
    for (const auto& [key, marker] : bench.database.markers) {
        QCOMPARE(bench.database.effectsOf(key.second), 1);
    }
}

inline consumer::Answer failing(const std::string& id, const consumer::Message& message) {
    return message.id.value() == id ? consumer::retryLater("no", "P0001") : consumer::done();
}

}  // namespace redeliver::model
