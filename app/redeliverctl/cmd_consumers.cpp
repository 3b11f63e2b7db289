// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "app/redeliverctl/consumers_view.h"
#include "core/workspace/action_desk.h"
#include "core/workspace/telemetry_desk.h"

#include <fmt/format.h>

#include <memory>

namespace redeliver::ctl {
namespace {

constexpr std::chrono::milliseconds lagLimit{4'000};

struct Range {
    std::string from = "-1h";
    std::string to = "now";
};

struct Settings {
    std::string name;
    std::string group;
    std::vector<std::string> topics;
    std::string deadLetter;
    std::vector<std::string> formerly;
    std::vector<std::string> messageId;
    std::string retention;
    std::string horizon;
};

Exit runConsumers(Context& context, const Range& range) {
    OverviewRequest request;
    const bool asked = range.from != Range{}.from || range.to != Range{}.to;
    request.range = {context.instant("--from", range.from, asked), context.instant("--to", range.to, asked)};
    if (request.range.to <= request.range.from) {
        throw Error{ErrorKind::BadInput, "the range ends before it begins"};
    }
    const SnapshotPtr snapshot = context.workspace().telemetry(lagLimit)->overview(request, context.stop());
    std::vector<Json> items;
    for (const ConsumerRow& row : snapshot->consumers) {
        items.push_back(jsonOf(row));
    }
    context.printList("consumers", items,
                      {{"from", jsonOf(std::optional(request.range.from))},
                       {"to", jsonOf(std::optional(request.range.to))},
                       {"generated", snapshot->generated}},
                      tableOf(*snapshot));
    return Exit::Done;
}

std::optional<std::chrono::seconds> spanOf(std::string_view option, const std::string& text) {
    if (text.empty()) {
        return std::nullopt;
    }
    auto span = parseSpan(text);
    if (!span) {
        throw Error{ErrorKind::BadInput, fmt::format("{}: {}", option, span.error().text()), span.error().hint()};
    }
    return *span;
}

ConsumerInfo infoOf(const Settings& settings) {
    ConsumerInfo info;
    info.name = ConsumerName{settings.name};
    if (!settings.group.empty()) {
        info.group = GroupName{settings.group};
    }
    for (const std::string& topic : settings.topics) {
        info.topics.emplace_back(topic);
    }
    if (!settings.deadLetter.empty()) {
        info.deadLetter = Topic{settings.deadLetter};
    }
    for (const std::string& name : settings.formerly) {
        info.formerly.emplace_back(name);
    }
    info.messageId = settings.messageId;
    info.markerRetention = spanOf("--marker-retention", settings.retention);
    info.replayHorizon = spanOf("--replay-horizon", settings.horizon);
    return info;
}

Exit runSet(Context& context, const Settings& settings) {
    const ConsumerInfo info = infoOf(settings);
    if (settings.name.empty()) {
        throw Error{ErrorKind::BadInput, "a consumer's name is empty"};
    }
    need(context.workspace().actions()->setConsumer(info));
    context.print({{"consumer", settings.name}, {"saved", true}}, fmt::format("{}: saved.\n", settings.name));
    return Exit::Done;
}

}  // namespace

void addConsumers(CLI::App& app, Action& action) {
    auto* list = app.add_subcommand("consumers", "state, rates, lag and retention of every consumer, worst first");
    list->fallthrough();
    list->require_subcommand(0, 1);
    const auto range = std::make_shared<Range>();
    list->add_option("--from", range->from, "begin of the range, inclusive")->capture_default_str();
    list->add_option("--to", range->to, "end of the range, exclusive")->capture_default_str();
    list->callback([&action, range, list] {
        if (list->get_subcommands().empty()) {
            action = [range](Context& context) { return runConsumers(context, *range); };
        }
    });

    auto* set = list->add_subcommand("set", "writes what the registry knows of a consumer; what isn't given stays");
    const auto settings = std::make_shared<Settings>();
    set->add_option("CONSUMER", settings->name)->required();
    set->add_option("--group", settings->group, "its Kafka consumer group");
    set->add_option("--topic", settings->topics, "a topic it reads (repeatable)");
    set->add_option("--dead-letter", settings->deadLetter, "its dead-letter topic");
    set->add_option("--formerly", settings->formerly, "a name it had before (repeatable)");
    set->add_option("--message-id", settings->messageId, "a message ID rule, tried in order (repeatable)");
    set->add_option("--marker-retention", settings->retention, "how long markers are kept, e.g. 7d");
    set->add_option("--replay-horizon", settings->horizon, "how far back a replay may ever reach, e.g. 30d");
    set->callback(
        [&action, settings] { action = [settings](Context& context) { return runSet(context, *settings); }; });
}

}  // namespace redeliver::ctl
