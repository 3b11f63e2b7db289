// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "core/workspace/action_desk.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <tuple>

namespace redeliver::ctl {
namespace {

struct Where {
    std::string consumer;
    std::string topic;
    std::int32_t partition = 0;
    std::int64_t offset = 0;
    std::string reason;
};

Json maybe(const std::optional<Offset>& offset) {
    return offset ? Json(offset->value()) : Json(nullptr);
}
std::string text(const std::optional<Offset>& offset) {
    return offset ? fmt::format("{}", offset->value()) : std::string{"—"};
}

Json jsonOf(const PartitionState& state, const StoppedPartition* stop) {
    Json item{{"consumer", state.consumer.value()},
              {"cluster_id", state.cluster.value()},
              {"topic", state.tp.topic.value()},
              {"partition", state.tp.partition.value()},
              {"state", state.stopped ? "stopped" : "running"},
              {"next_offset", maybe(state.next)},
              {"highest_offset", maybe(state.highest)},
              {"acked_offset", maybe(state.ackedHighest)},
              {"worker", state.worker.value()},
              {"updated_at", ctl::jsonOf(std::optional(state.updatedAt))},
              {"stop", nullptr}};
    if (stop != nullptr) {
        item["stop"] = {{"code", stop->code},
                        {"reason", stop->reason},
                        {"since", ctl::jsonOf(std::optional(stop->since))},
                        {"suggested_skip", maybe(stop->suggestedSkip)},
                        {"requested", stop->requested.empty() ? Json(nullptr) : Json(stop->requested)}};
    }
    return item;
}

// What a person can do about it, ready to be pasted.
std::string advice(const StoppedPartition& stop) {
    const std::string place =
        fmt::format("{} {} {}", stop.consumer.value(), stop.tp.topic.value(), stop.tp.partition.value());
    std::string out = fmt::format("{}  [{}] {}\n", place, stop.code, printable(stop.reason));
    if (!stop.requested.empty()) {
        return out + fmt::format("    asked for: {}; its worker hasn't done it yet\n", stop.requested);
    }
    out += fmt::format("    redeliverctl partition retry {}\n", place);
    if (stop.suggestedSkip) {
        out +=
            fmt::format("    redeliverctl partition skip-to {} {} --reason TEXT\n", place, stop.suggestedSkip->value());
    }
    return out;
}

Exit runList(Context& context, bool onlyStopped) {
    const auto desk = context.workspace().actions();
    const auto stopped = desk->stoppedPartitions();
    std::map<std::tuple<ConsumerName, ClusterId, TopicPartition>, const StoppedPartition*> stops;
    for (const StoppedPartition& stop : stopped) {
        stops[{stop.consumer, stop.cluster, stop.tp}] = &stop;
    }
    using Align = Table::Align;
    Table table{{{"CONSUMER"},
                 {"TOPIC"},
                 {"PARTITION", Align::Right},
                 {"STATE"},
                 {"NEXT", Align::Right},
                 {"ACKED", Align::Right},
                 {"WORKER"},
                 {"UPDATED"}}};
    std::vector<Json> items;
    std::string advices;
    for (const PartitionState& state : desk->partitions()) {
        const auto it = stops.find({state.consumer, state.cluster, state.tp});
        const StoppedPartition* const stop = it == stops.end() ? nullptr : it->second;
        if (onlyStopped && stop == nullptr) {
            continue;
        }
        items.push_back(jsonOf(state, stop));
        table.row({state.consumer.value(), state.tp.topic.value(), fmt::format("{}", state.tp.partition.value()),
                   state.stopped ? "STOPPED" : "running", text(state.next), text(state.ackedHighest),
                   state.worker.value(), toRfc3339(state.updatedAt, 0)});
        advices += stop != nullptr ? advice(*stop) : std::string{};
    }
    std::string all = table.empty()
                          ? std::string{onlyStopped ? "No partition is stopped.\n" : "No partition is known.\n"}
                          : table.text();
    if (!advices.empty()) {
        all += "\n" + advices;
    }
    context.printList("partitions", items, nullptr, all);
    return Exit::Done;
}

Exit answer(Context& context, const Where& where, const std::string& requested, Result<void> result) {
    need(std::move(result));
    const std::string place = fmt::format("{} {}/{}", where.consumer, where.topic, where.partition);
    context.print({{"consumer", where.consumer},
                   {"topic", where.topic},
                   {"partition", where.partition},
                   {"requested", requested}},
                  fmt::format("{}: asked for {}. Its worker takes it up within seconds.\n", place, requested));
    return Exit::Done;
}

TopicPartition tpOf(const Where& where) {
    return {Topic{where.topic}, Partition{where.partition}};
}

void addPlace(CLI::App& sub, Where& where) {
    sub.add_option("CONSUMER", where.consumer)->required();
    sub.add_option("TOPIC", where.topic)->required();
    sub.add_option("PARTITION", where.partition)->required()->check(CLI::NonNegativeNumber);
}

}  // namespace

void addPartition(CLI::App& app, Action& action) {
    auto* group = app.add_subcommand("partition", "partitions that stopped, why, and their release (audited)");
    group->require_subcommand(1);
    group->fallthrough();

    auto* list = group->add_subcommand("list", "all partitions with their state");
    const auto onlyStopped = std::make_shared<bool>(false);
    list->add_flag("--stopped", *onlyStopped, "only those that stopped");
    list->callback([&action, onlyStopped] {
        action = [onlyStopped](Context& context) { return runList(context, *onlyStopped); };
    });

    const auto where = std::make_shared<Where>();
    auto* retry = group->add_subcommand("retry", "lets a stopped partition try again where it stopped");
    addPlace(*retry, *where);
    retry->callback([&action, where] {
        action = [where](Context& context) {
            return answer(context, *where, "retry",
                          context.workspace().actions()->retryPartition(ConsumerName{where->consumer}, tpOf(*where)));
        };
    });

    auto* skip =
        group->add_subcommand("skip-to", "lets a stopped partition go on at an offset; what lies before is skipped");
    addPlace(*skip, *where);
    skip->add_option("OFFSET", where->offset, "the first offset to read again")
        ->required()
        ->check(CLI::NonNegativeNumber);
    skip->add_option("--reason", where->reason, "kept in the audit")->required();
    skip->callback([&action, where] {
        action = [where](Context& context) {
            return answer(context, *where, fmt::format("skip-to {}", where->offset),
                          context.workspace().actions()->skipPartition(ConsumerName{where->consumer}, tpOf(*where),
                                                                       Offset{where->offset}, where->reason));
        };
    });
}

}  // namespace redeliver::ctl
