// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/replay_view.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <limits>

namespace redeliver::ctl {
namespace {

std::string_view severityText(const Finding& finding) {
    return finding.severity == Severity::Refuse ? "REFUSES" : finding.severity == Severity::Warn ? "warns" : "info";
}

std::string findingText(const Finding& finding, const ReplayPlan& plan) {
    std::string text = fmt::format("{:8}{}: {}\n", severityText(finding), finding.code, printable(finding.text));
    if (!finding.evidence.empty()) {
        text += fmt::format("        {}\n", printable(finding.evidence));
    }
    if (!finding.mend.empty()) {
        text += fmt::format("        {}\n", finding.mend);
    }
    if (finding.answer == Answer::Accept) {
        text += fmt::format("        run with --accept {}\n", finding.code);
    } else if (finding.answer == Answer::Phrase && plan.phrase) {
        text += fmt::format("        run with --accept-unprotected \"{}\"\n", *plan.phrase);
    }
    return text;
}

Error badRanges(const std::string& part) {
    return {ErrorKind::BadInput, fmt::format("--offsets: \"{}\" is no range", part),
            "Write PARTITION:FROM-TO, several separated by commas; TO is not included"};
}

}  // namespace

std::string planText(const ReplayPlan& plan, const std::string& file) {
    std::string text =
        fmt::format("Plan {}: {} records of {} for {}, target {}, about {} s at {} per second\n\n", plan.planId,
                    plan.records, plan.topic, plan.consumer, plan.target, plan.expectedSeconds, plan.options.rate);
    using Align = Table::Align;
    std::vector<Table::Column> columns{{"CONSUMER"}};
    for (std::size_t i = 0; i < messageClassCount; ++i) {
        columns.push_back({std::string(toText(static_cast<MessageClass>(i))), Align::Right});
    }
    Table table{std::move(columns)};
    for (const ConsumerForecast& forecast : plan.consumers) {
        std::vector<std::string> cells{printable(forecast.consumer)};
        for (const std::int64_t count : forecast.classes) {
            cells.push_back(fmt::format("{}", count));
        }
        table.row(std::move(cells));
    }
    text += table.empty() ? std::string("Nobody that is known reads the target.\n") : table.text();
    for (const ConsumerForecast& forecast : plan.consumers) {
        text +=
            fmt::format("\n{}: marker horizon {}{}{}\n", printable(forecast.consumer), toText(forecast.horizon.basis),
                        forecast.horizon.at ? ", " + toRfc3339(*forecast.horizon.at) : "",
                        forecast.horizon.why.empty() ? "" : " (" + forecast.horizon.why + ")");
    }
    text += plan.findings.empty() ? "" : "\n";
    for (const Finding& finding : plan.findings) {
        text += findingText(finding, plan);
    }
    if (!plan.complete) {
        text += "\nNot everything could be seen: " + plan.incompleteWhy + "\n";
    }
    if (!file.empty()) {
        text += fmt::format("\nWritten to {}. Run it with: redeliverctl replay run {} --reason TEXT\n", file, file);
    }
    return text;
}

std::string linesText(const std::vector<ReplayLine>& lines) {
    if (lines.empty()) {
        return "No replay yet.\n";
    }
    using Align = Table::Align;
    Table table{{{"REPLAY"},
                 {"STATE"},
                 {"CONSUMER"},
                 {"TOPIC"},
                 {"RECORDS", Align::Right},
                 {"SENT", Align::Right},
                 {"SET ASIDE", Align::Right},
                 {"LEFT", Align::Right},
                 {"STARTED"},
                 {"WHO"},
                 {"REASON"}}};
    for (const ReplayLine& line : lines) {
        const ReplayProgress& progress = line.progress;
        table.row({progress.id.value(), std::string(toText(progress.state)), printable(line.consumer),
                   printable(line.topic), fmt::format("{}", progress.records), fmt::format("{}", progress.sent),
                   fmt::format("{}", progress.setAside), fmt::format("{}", progress.left()), textOf(line.startedAt),
                   printable(line.who), printable(line.reason)});
    }
    return table.text();
}

Json jsonOf(const ReplayLine& line) {
    const ReplayProgress& progress = line.progress;
    return {{"replay_id", progress.id.value()},
            {"state", toText(progress.state)},
            {"consumer", line.consumer},
            {"topic", line.topic},
            {"target", line.target},
            {"records", progress.records},
            {"sent", progress.sent},
            {"set_aside", progress.setAside},
            {"left", progress.left()},
            {"who", line.who},
            {"reason", line.reason},
            {"created_at", ctl::jsonOf(std::optional(line.createdAt))},
            {"started_at", ctl::jsonOf(line.startedAt)},
            {"ended_at", ctl::jsonOf(line.endedAt)},
            {"text", progress.text}};
}

Result<std::vector<PlanRange>> parseRanges(const std::string& text) {
    std::vector<PlanRange> ranges;
    std::size_t from = 0;
    while (from <= text.size()) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string part = text.substr(from, comma - from);
        const std::size_t colon = part.find(':');
        const std::size_t dash = colon == std::string::npos ? colon : part.find('-', colon + 1);
        if (dash == std::string::npos) {
            return failure(badRanges(part));
        }
        const auto partition = toInt64(part.substr(0, colon));
        const auto first = toInt64(part.substr(colon + 1, dash - colon - 1));
        const auto end = toInt64(part.substr(dash + 1));
        if (!partition || !first || !end || *partition < 0 || *partition > std::numeric_limits<std::int32_t>::max() ||
            *first < 0 || *end <= *first) {
            return failure(badRanges(part));
        }
        ranges.push_back({Partition{static_cast<std::int32_t>(*partition)}, Offset{*first}, Offset{*end}});
        from = comma + 1;
    }
    return ranges;
}

}  // namespace redeliver::ctl
