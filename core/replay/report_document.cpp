// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/report_document.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace redeliver::replay {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json timeJson(const std::optional<TimePoint>& at) {
    return at ? ordered_json(toRfc3339(*at)) : ordered_json(nullptr);
}

ordered_json consumerJson(const ConsumerReport& report) {
    ordered_json differences = ordered_json::array();
    for (const ReplayDifference& one : report.differences) {
        differences.push_back(
            {{"message_id", one.messageId.empty() ? ordered_json(nullptr) : ordered_json(one.messageId)},
             {"partition", one.partition.value()},
             {"offset", one.offset.value()},
             {"predicted", one.predicted},
             {"found", one.found}});
    }
    return {{"consumer", report.consumer},
            {"predicted", report.predicted},
            {"found",
             {{"suppressed", report.found.suppressed},
              {"applied", report.found.applied},
              {"failed", report.found.failed},
              {"dead_lettered", report.found.deadLettered},
              {"not_seen", report.found.notSeen}}},
            {"differences", differences}};
}

// Table cells: a pipe or line break would end them.
std::string cell(std::string text) {
    for (char& c : text) {
        c = c == '|' || c == '\n' || c == '\r' ? ' ' : c;
    }
    return text;
}

}  // namespace

std::string reportJson(const ReplayReport& report) {
    const ReplayProgress& progress = report.line.progress;
    ordered_json consumers = ordered_json::array();
    for (const ConsumerReport& one : report.consumers) {
        consumers.push_back(consumerJson(one));
    }
    const ordered_json document = {{"replay_id", progress.id.value()},
                                   {"state", toText(progress.state)},
                                   {"consumer", report.line.consumer},
                                   {"topic", report.line.topic},
                                   {"target", report.line.target},
                                   {"who", report.line.who},
                                   {"reason", report.line.reason},
                                   {"created_at", toRfc3339(report.line.createdAt)},
                                   {"started_at", timeJson(report.line.startedAt)},
                                   {"ended_at", timeJson(report.line.endedAt)},
                                   {"records", progress.records},
                                   {"sent", progress.sent},
                                   {"set_aside", progress.setAside},
                                   {"left", progress.left()},
                                   {"set_aside_records", report.setAside},
                                   {"exactly_once", report.exactlyOnce},
                                   {"text", progress.text},
                                   {"consumers", consumers}};
    return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string reportMarkdown(const ReplayReport& report) {
    const ReplayProgress& progress = report.line.progress;
    std::string text = fmt::format(
        "# Replay {}\n\n{} of `{}` for `{}`, target `{}`\n\n- state: {}{}\n- who: {}\n- reason: {}\n- records {}: sent "
        "{}, "
        "set aside {}, left {}\n- {}\n",
        progress.id.value(),
        report.line.startedAt ? toRfc3339(*report.line.startedAt) : toRfc3339(report.line.createdAt), report.line.topic,
        report.line.consumer, report.line.target, toText(progress.state),
        progress.text.empty() ? "" : " (" + progress.text + ")", report.line.who, report.line.reason, progress.records,
        progress.sent, progress.setAside, progress.left(),
        report.exactlyOnce ? "each record is in the target exactly once" : "published at least once (no transactions)");
    for (const ConsumerReport& one : report.consumers) {
        text += fmt::format("\n## {}\n\n| predicted | |\n|---|---:|\n", one.consumer);
        for (const auto& [klass, count] : one.predicted) {
            if (count > 0) {
                text += fmt::format("| {} | {} |\n", klass, count);
            }
        }
        text += fmt::format(
            "\n| found | |\n|---|---:|\n| suppressed | {} |\n| applied | {} |\n| failed | {} |\n| dead-lettered | {} "
            "|\n| "
            "not seen | {} |\n",
            one.found.suppressed, one.found.applied, one.found.failed, one.found.deadLettered, one.found.notSeen);
        if (one.differences.empty()) {
            text += "\nNo difference: what was predicted is what happened.\n";
            continue;
        }
        text += "\n| difference | partition | offset | predicted | found |\n|---|---:|---:|---|---|\n";
        for (const ReplayDifference& difference : one.differences) {
            text +=
                fmt::format("| {} | {} | {} | {} | {} |\n", cell(difference.messageId), difference.partition.value(),
                            difference.offset.value(), difference.predicted, difference.found);
        }
    }
    for (const std::string& line : report.setAside) {
        text += fmt::format("\n- set aside: {}", cell(line));
    }
    return text;
}

Result<std::vector<ConsumerReport>> parseConsumerReports(std::string_view text) {
    try {
        std::vector<ConsumerReport> reports;
        const json document = json::parse(text);
        for (const json& one : document.at("consumers")) {
            ConsumerReport report;
            report.consumer = one.at("consumer").get<std::string>();
            report.predicted = one.at("predicted").get<std::map<std::string, std::int64_t>>();
            const json& found = one.at("found");
            report.found = {found.at("suppressed").get<std::int64_t>(), found.at("applied").get<std::int64_t>(),
                            found.at("failed").get<std::int64_t>(), found.at("dead_lettered").get<std::int64_t>(),
                            found.at("not_seen").get<std::int64_t>()};
            for (const json& difference : one.at("differences")) {
                report.differences.push_back(
                    {difference.at("message_id").is_null() ? "" : difference.at("message_id").get<std::string>(),
                     Partition{difference.at("partition").get<std::int32_t>()},
                     Offset{difference.at("offset").get<std::int64_t>()}, difference.at("predicted").get<std::string>(),
                     difference.at("found").get<std::string>()});
            }
            reports.push_back(std::move(report));
        }
        return reports;
    } catch (const json::exception& error) {
        return failure({ErrorKind::BadInput, std::string("the stored report can't be read: ") + error.what()});
    }
}

bool hasDifferences(const ReplayReport& report) noexcept {
    return report.line.progress.setAside > 0 ||
           std::any_of(report.consumers.begin(), report.consumers.end(),
                       [](const ConsumerReport& one) { return !one.differences.empty(); });
}

}  // namespace redeliver::replay
