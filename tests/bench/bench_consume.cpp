// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// bench_consume [MESSAGES]: how many messages per second one redeliver-worker processes (marker, effect, counters,
// commit, ack), on a private PostgreSQL and Kafka of this machine. Every tenth message is sent twice.
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/kafka/config.h"
#include "core/kafka/producer.h"
#include "core/lab/embedded_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

using namespace redeliver;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int partitions = 4;

std::vector<OutgoingRecord> messages(std::int64_t count) {
    std::vector<OutgoingRecord> records;
    for (std::int64_t number = 0; number < count; ++number) {
        OutgoingRecord record;
        record.topic = Topic("bench");
        record.partition = Partition(static_cast<int>(number % partitions));
        record.key = fmt::format("order-{}", number % 1000);
        record.value = fmt::format(R"({{"message_id":"m-{}","amount":{}}})", number, number % 97);
        record.headers = {{"message-id", fmt::format("m-{}", number)}};
        records.push_back(record);
        if (number % 10 == 0)
            records.push_back(record);
    }
    return records;
}

void publish(const std::string& bootstrap, const std::vector<OutgoingRecord>& records) {
    const auto config = kafka::Config::make({{"bootstrap.servers", bootstrap}});
    if (!config)
        throw Error(config.error());
    kafka::Producer producer(*config);
    for (const auto& answer : producer.publish(records))
        if (!answer)
            throw Error(answer.error());
}

std::int64_t applied(const lab::PrivatePostgres& postgres) {
    try {
        const auto text = postgres.execute("redeliver", "SELECT count(*) FROM redeliver_lab.effects");
        return toInt64(text).value_or(0);
    } catch (const Error&) {
        return 0;  // the worker hasn't made its table yet
    }
}

void run(std::int64_t count) {
    lab::StackOptions options;
    options.broker = lab::StackBroker::Kafka;
    ProfileConsumer consumer;
    consumer.name = ConsumerName("bench");
    consumer.group = GroupName("bench");
    consumer.topics = {Topic("bench")};
    consumer.messageId = {"header:message-id"};
    options.consumers = {consumer};
    lab::EmbeddedStack stack(options, {});
    stack.createTopic("bench", partitions);
    const auto records = messages(count);
    const auto sending = Clock::now();
    publish(stack.bootstrap(), records);
    const std::chrono::duration<double> sent = Clock::now() - sending;

    const auto programs = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin";
    lab::ProcessOptions worker;
    worker.command = {(programs / "redeliver-worker").string(),
                      "--profile",
                      stack.profile().file.string(),
                      "--consumer",
                      "bench",
                      "--worker",
                      "w1",
                      "--log-sample",
                      "0"};
    worker.log = stack.folder() / "worker.log";
    const lab::Process process(worker);
    std::int64_t first = 0;
    Clock::time_point began;
    while (true) {
        const std::int64_t now = applied(stack.postgres());
        if (first == 0 && now > 0) {
            first = now;
            began = Clock::now();
        }
        if (now >= count)
            break;
        if (!process.running())
            throw Error(ErrorKind::Internal, "the worker ended\n" + lab::tailOf(worker.log));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    // From the first batch seen to the last: joining the group isn't counted.
    const std::chrono::duration<double> span = Clock::now() - began;
    fmt::print("{:<28}{:>12}\n{:<28}{:>12}\n{:<28}{:>12.0f}\n{:<28}{:>12.0f}\n", "messages", count, "deliveries",
               records.size(), "produced per second", static_cast<double>(records.size()) / sent.count(),
               "processed per second", static_cast<double>(count - first) / std::max(span.count(), 0.001));
}

}  // namespace

int main(int count, char** arguments) {
    try {
        run(count > 1 ? toInt64(arguments[1]).value_or(100'000) : 100'000);
        return 0;
    } catch (const Error& error) {
        fmt::print(stderr, "{}\n{}\n", error.text(), error.hint());
        return 1;
    }
}
