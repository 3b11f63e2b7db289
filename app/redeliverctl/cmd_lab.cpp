// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "app/redeliverctl/consumers_view.h"
#include "core/lab/demo.h"
#include "core/lab/embedded_stack.h"
#include "core/workspace/telemetry_desk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

namespace redeliver::ctl {
namespace {

constexpr std::chrono::seconds refreshEvery{5};

struct Options {
    lab::StackBroker broker = lab::StackBroker::Auto;
    std::string kafkaHome;
    std::int64_t messages = 200'000;
    bool quiet = false;
};

void waitFor(std::chrono::seconds span, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock lock{mutex};
    woken.wait_for(lock, stop, span, [] { return false; });
}

std::string valueOf(const KafkaValue& value) {
    const auto* const text = std::get_if<std::string>(&value);
    return text != nullptr ? *text : std::string{};
}

void announce(Context& context, const Profile& profile, const std::vector<std::string>& limits) {
    const auto bootstrap = profile.kafka.find("bootstrap.servers");
    const std::string servers = bootstrap == profile.kafka.end() ? "" : valueOf(bootstrap->second);
    std::string text =
        fmt::format("profile  {}\npostgres {}\nkafka    {}\n", profile.file.string(), profile.dsn, servers);
    for (const std::string& limit : limits) {
        text += fmt::format("limit    {}\n", limit);
    }
    text += "Ready; Ctrl-C ends it and removes everything.\n";
    context.print(
        {{"profile", profile.file.string()}, {"dsn", profile.dsn}, {"bootstrap_servers", servers}, {"limits", limits}},
        text);
    (void)std::fflush(stdout);
}

Exit runServe(Context& context, const Options& options) {
    lab::StackOptions stackOptions;
    stackOptions.broker = options.broker;
    stackOptions.kafkaHome = options.kafkaHome;
    const lab::EmbeddedStack stack{stackOptions, context.progress()};
    announce(context, stack.profile(), stack.limits());
    while (!context.stop().stop_requested()) {
        waitFor(std::chrono::seconds{60}, context.stop());
    }
    return Exit::Done;
}

// The consumers' table again and again: what the window would show, on a terminal.
void showLive(const Profile& profile, const std::stop_token& stop) {
    const Workspace workspace{profile, plainSecretReader(), "redeliverctl demo"};
    const auto desk = workspace.telemetry();
    OverviewRequest request;
    request.last = std::chrono::minutes{15};
    while (!stop.stop_requested()) {
        std::string text;
        try {
            const SnapshotPtr snapshot = desk->overview(request, stop);
            text = fmt::format("{}  last 15 minutes{}\n\n{}", toRfc3339(snapshot->takenAt, 0),
                               snapshot->generated ? "; part of the history is generated" : "", tableOf(*snapshot));
        } catch (const Error& error) {
            text = error.text() + "\n" + error.hint() + "\n";
        }
        fmt::print("\x1b[H\x1b[2J{}\nProfile: {} (Ctrl-C ends)\n", text, profile.file.string());
        (void)std::fflush(stdout);
        waitFor(refreshEvery, stop);
    }
}

Exit runDemo(Context& context, const Options& options) {
    lab::DemoOptions demoOptions;
    demoOptions.broker = options.broker;
    demoOptions.kafkaHome = options.kafkaHome;
    demoOptions.messages = options.messages;
    demoOptions.trouble = !options.quiet;
    const lab::Demo demo{demoOptions, context.progress(), context.stop()};
    announce(context, demo.profile(), demo.limits());
    if (!context.wantsJson() && ::isatty(STDOUT_FILENO) != 0) {
        showLive(demo.profile(), context.stop());
    }
    while (!context.stop().stop_requested()) {
        waitFor(std::chrono::seconds{60}, context.stop());
    }
    return Exit::Done;
}

void addStackOptions(CLI::App& sub, Options& options) {
    static const std::map<std::string, lab::StackBroker> brokers{
        {"auto", lab::StackBroker::Auto}, {"kafka", lab::StackBroker::Kafka}, {"mock", lab::StackBroker::Mock}};
    sub.add_option("--broker", options.broker, "kafka, mock, or auto: kafka where it can be had")
        ->transform(CLI::CheckedTransformer(brokers));
    sub.add_option("--kafka-home", options.kafkaHome, "an installation of Apache Kafka (default: $KAFKA_HOME)");
}

}  // namespace

void addLab(CLI::App& app, Action& action) {
    auto* lab = app.add_subcommand("lab", "an embedded stack");
    lab->require_subcommand(1);
    lab->fallthrough();
    auto* serve =
        lab->add_subcommand("serve", "a private PostgreSQL and Kafka that other programs can use, until Ctrl-C");
    const auto options = std::make_shared<Options>();
    addStackOptions(*serve, *options);
    serve->callback(
        [&action, options] { action = [options](Context& context) { return runServe(context, *options); }; });

    auto* demo = app.add_subcommand("demo", "an embedded stack with a living fleet and a generated day of history");
    addStackOptions(*demo, *options);
    demo->add_option("--messages", options->messages, "of the generated day")->capture_default_str();
    demo->add_flag("--quiet", options->quiet, "no trouble: nobody dies, nothing is sent twice");
    demo->callback([&action, options] { action = [options](Context& context) { return runDemo(context, *options); }; });
}

}  // namespace redeliver::ctl
