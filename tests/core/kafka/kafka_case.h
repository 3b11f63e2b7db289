// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/kafka/admin.h"
#include "core/kafka/producer.h"
#include "core/kafka/topic_reader.h"
#include "tests/support/test_servers.h"

#include <QtTest/QtTest>

#include <map>
#include <string>
#include <vector>

/// What the tests of core/kafka share: a broker, an admin client, topics of their own per case.
struct KafkaCase {
    explicit KafkaCase(const std::string& bootstrap)
        : config(redeliver::kafka::Config::make({{"bootstrap.servers", bootstrap}}).value()), admin(config) {}
    KafkaCase() : KafkaCase(redeliver::tests::TestKafka().bootstrap()) {}

    /// Of this program alone.
    std::string unique(const std::string& name) const { return names.unique(name); }

    redeliver::Topic newTopic(int partitions, const std::map<std::string, std::string>& configs = {}) {
        const redeliver::Topic topic(unique("t" + std::to_string(++topics)));
        auto all = configs;
        all.insert({"retention.ms", "-1"});  // the tests' broker looks every half second; records here are of any age
        if (const auto created = admin.createTopic(topic, partitions, 1, all); !created) {
            qFatal("%s", created.error().what());
        }
        return topic;
    }

    std::vector<redeliver::Record> readAll(const redeliver::Topic& topic) const {
        redeliver::kafka::TopicReader reader(config);
        const auto logs = reader.logs(topic);
        std::vector<redeliver::ports::OffsetRange> ranges;
        for (const auto& [partition, log] : logs.value()) {
            ranges.push_back({partition, log.start, log.end});
        }
        std::vector<redeliver::Record> read;
        const auto end = reader.scan(topic, ranges,
                                     [&read](redeliver::Record&& record) {
                                         read.push_back(std::move(record));
                                         return true;
                                     },
                                     {});
        if (!end || !end->complete) {
            qFatal("%s", end ? end->why.c_str() : end.error().what());
        }
        return read;
    }

    /// Values "0", "1", … into partition 0.
    void fill(const redeliver::Topic& topic, int records, int from = 0) const {
        std::vector<redeliver::OutgoingRecord> sent;
        for (int i = from; i < from + records; ++i) {
            sent.push_back({topic, redeliver::Partition(0), std::nullopt, std::to_string(i), std::to_string(i), {}});
        }
        redeliver::kafka::Producer producer(config);
        for (const auto& result : producer.publish(sent)) {
            if (!result) {
                qFatal("%s", result.error().what());
            }
        }
    }

    redeliver::tests::TestKafka names;
    redeliver::kafka::Config config;
    redeliver::kafka::Admin admin;
    int topics = 0;
};
