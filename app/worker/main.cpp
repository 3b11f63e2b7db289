// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/worker/crash_points.h"
#include "app/worker/lab_handler.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/service/idempotent_consumer.h"
#include "core/service/stop_on_signal.h"
#include "core/workspace/profile_store.h"
#include "core/workspace/workspace.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace redeliver::worker {
namespace {

struct Arguments {
    std::string profile;
    std::string consumer;
    std::string worker;
    int logSample = 1;
    std::string outboxTopic;
    bool sequenceGuard = false;
    std::string crashAt;
    std::size_t batch = 1000;
    int tries = consumer::RetryPolicy{}.tries;
    std::string onGroupAhead = "stop";
    std::string onOutOfRange = "stop";
    std::string spool;
};

int exitStatusOf(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::BadInput:
            return 2;
        case ErrorKind::Connection:
            return 3;
        case ErrorKind::Refused:
            return 4;
        case ErrorKind::NotFound:
            return 5;
        case ErrorKind::Limit:
            return 7;
        default:
            return 1;
    }
}

template <class T>
T orThrow(Result<T> result) {
    if (!result) {
        throw result.error();
    }
    return std::move(*result);
}

std::string environmentOr(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::string(value);
}

std::filesystem::path spoolOf(const Arguments& arguments, const Profile& profile) {
    if (!arguments.spool.empty()) {
        return arguments.spool;
    }
    const auto home = environmentOr("XDG_STATE_HOME", environmentOr("HOME", "") + "/.local/state");
    return std::filesystem::path(home) / "redeliver" / "spool" /
           fmt::format("{}-{}-{}.spool", profile.name, arguments.consumer, arguments.worker);
}

IdempotentConsumerOptions optionsOf(const Arguments& arguments, const Profile& profile,
                                    const ProfileConsumer& consumer) {
    const auto secrets = plainSecretReader();
    IdempotentConsumerOptions options;
    options.name = consumer.name.value();
    options.group = consumer.group ? consumer.group->value() : consumer.name.value();
    for (const auto& topic : consumer.topics) {
        options.topics.push_back(topic.value());
    }
    options.messageId = consumer.messageId;
    options.deadLetter = consumer.deadLetter ? consumer.deadLetter->value() : std::string();
    for (const auto& name : consumer.formerly) {
        options.formerly.push_back(name.value());
    }
    options.worker = arguments.worker;
    options.dsn = profile.dsn;
    options.schema = profile.schema;
    if (profile.password) {
        options.password = orThrow(secrets(*profile.password));
    }
    for (const auto& [key, value] : profile.kafka) {
        const auto* secret = std::get_if<SecretSource>(&value);
        options.kafka[key] = secret != nullptr ? orThrow(secrets(*secret)).reveal() : std::get<std::string>(value);
    }
    auto& tuning = options.tuning;
    tuning.consumer.markerRetention = consumer.markerRetention;
    tuning.consumer.replayHorizon = consumer.replayHorizon;
    tuning.batchRecords = arguments.batch;
    tuning.retry.tries = arguments.tries;
    tuning.logEveryProcessed = arguments.logSample;
    tuning.spool = spoolOf(arguments, profile);
    using consumer::OnGroupAhead;
    using consumer::OnOutOfRange;
    tuning.onGroupAhead = arguments.onGroupAhead == "database" ? OnGroupAhead::Database
                          : arguments.onGroupAhead == "group"  ? OnGroupAhead::Group
                                                               : OnGroupAhead::Stop;
    tuning.onOutOfRange = arguments.onOutOfRange == "earliest" ? OnOutOfRange::Earliest
                          : arguments.onOutOfRange == "latest" ? OnOutOfRange::Latest
                                                               : OnOutOfRange::Stop;
    tuning.atPoint = orThrow(armCrash(environmentOr("REDELIVER_CRASH_AT", arguments.crashAt), profile.environment));
    return options;
}

// The tables are made by whichever worker comes first; a database that isn't there yet is waited for.
void createTables(const IdempotentConsumerOptions& options, const std::stop_token& stop) {
    const auto clock = systemClock();
    while (!stop.stop_requested()) {
        try {
            LabHandler::createTables(options.dsn, options.password.reveal());
            return;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Connection || !error.retriable()) {
                throw;
            }
            log(LogLevel::Warn, fmt::format("consumer={} event=database_away text=\"{}\"", options.name, error.what()));
            clock->sleep(std::chrono::seconds(1), stop);
        }
    }
}

int work(const Arguments& arguments, const StopOnSignal& signals) {
    const auto profile = orThrow(ProfileStore().load(arguments.profile));
    const auto* consumer = profile.find(ConsumerName{arguments.consumer});
    if (consumer == nullptr) {
        throw Error(ErrorKind::NotFound,
                    fmt::format("profile {} has no consumer {}", profile.name, arguments.consumer));
    }
    const auto options = optionsOf(arguments, profile, *consumer);
    createTables(options, signals.token());
    const LabHandler handler(
        {options.name, options.worker, options.schema, arguments.outboxTopic, arguments.sequenceGuard});
    IdempotentConsumer(options, IdempotentConsumer::One(handler)).run(signals.token());
    return 0;
}

}  // namespace
}  // namespace redeliver::worker

int main(int argc, char** argv) {
    using namespace redeliver;
    const StopOnSignal signals;  // first: a stop right after the start is a clean one too
    worker::Arguments arguments;
    CLI::App app(
        "One worker of a consumer: reads Kafka, writes its effects and markers into PostgreSQL. For lab and demo.");
    app.add_option("--profile", arguments.profile, "Profile name or file")->required();
    app.add_option("--consumer", arguments.consumer, "Consumer of the profile")->required();
    app.add_option("--worker", arguments.worker, "Name of this worker")->required();
    app.add_option("--log-sample", arguments.logSample, "Log every Nth processed message (0: none)");
    app.add_option("--outbox-topic", arguments.outboxTopic, "Send a message there for each effect, through the outbox");
    app.add_flag("--sequence-guard", arguments.sequenceGuard, "Apply only newer messages of an entity");
    app.add_option("--crash-at", arguments.crashAt, "Die at this point: NAME or NAME:N (also REDELIVER_CRASH_AT)");
    app.add_option("--batch", arguments.batch, "Most records per transaction")->check(CLI::Range(1, 10000));
    app.add_option("--tries", arguments.tries, "Tries before the dead-letter topic")->check(CLI::Range(1, 1000000));
    app.add_option("--on-group-ahead", arguments.onGroupAhead, "When the group's offset is above the database's")
        ->check(CLI::IsMember({"stop", "database", "group"}));
    app.add_option("--on-out-of-range", arguments.onOutOfRange, "When records were deleted unread")
        ->check(CLI::IsMember({"stop", "earliest", "latest"}));
    app.add_option("--spool", arguments.spool, "File for telemetry while the database is away");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int status = app.exit(error);
        return status == 0 ? 0 : 2;
    }
    try {
        return worker::work(arguments, signals);
    } catch (const Error& error) {
        fmt::print(stderr, "redeliver-worker: {}\n", error.text());
        if (!error.hint().empty()) {
            fmt::print(stderr, "{}\n", error.hint());
        }
        return worker::exitStatusOf(error.kind());
    } catch (const std::exception& error) {
        fmt::print(stderr, "redeliver-worker: {}\n", error.what());
        return 1;
    }
}
