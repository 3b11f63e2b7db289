// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "core/workspace/telemetry_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace redeliver::ctl {
namespace {

struct Options {
    std::string consumer;
    std::string from;
    std::string to = "now";
    std::string step;
};

Json pointOf(TimePoint at, const Counts& counts) {
    Json kinds = Json::object();
    for (std::size_t i = 0; i < duplicateKindCount; ++i) {
        kinds[std::string{toText(static_cast<DuplicateKind>(i))}] = counts.duplicates[i];
    }
    return {{"at", toRfc3339(at, 0)},
            {"processed", counts.of(Outcome::Processed)},
            {"duplicates", std::move(kinds)},
            {"stale", counts.of(Outcome::Stale)},
            {"not_addressed", counts.of(Outcome::NotAddressed)},
            {"rejected", counts.of(Outcome::Rejected)},
            {"transaction_failed", counts.of(Outcome::TransactionFailed)},
            {"ack_failed", counts.ackFailed},
            {"in_doubt", counts.inDoubt}};
}

// Nothing in the range may mean a quiet consumer or a name that nobody has.
void requireKnown(TelemetryDesk& desk, const ConsumerName& consumer, TimeRange range, const std::stop_token& stop) {
    const SnapshotPtr snapshot = desk.overview({range, std::nullopt, 1}, stop);
    std::string names;
    for (const ConsumerRow& row : snapshot->consumers) {
        if (row.info.name == consumer) {
            return;
        }
        names += (names.empty() ? "" : ", ") + row.info.name.value();
    }
    throw Error{ErrorKind::NotFound, fmt::format("there is no consumer {}", consumer.value()),
                names.empty() ? "No consumer is known yet." : fmt::format("There are: {}.", names)};
}

std::string textOf(const Series& series) {
    using Align = Table::Align;
    Table table{{{"AT"},
                 {"PROCESSED", Align::Right},
                 {"DUPLICATES", Align::Right},
                 {"STALE", Align::Right},
                 {"NOT ADDR.", Align::Right},
                 {"REJECTED", Align::Right},
                 {"FAILED", Align::Right},
                 {"ACK FAILED", Align::Right},
                 {"IN DOUBT", Align::Right}}};
    const auto add = [&](const std::string& title, const Counts& counts) {
        const auto number = [](std::int64_t value) { return fmt::format("{}", value); };
        table.row({title, number(counts.of(Outcome::Processed)), number(counts.of(Outcome::Duplicate)),
                   number(counts.of(Outcome::Stale)), number(counts.of(Outcome::NotAddressed)),
                   number(counts.of(Outcome::Rejected)), number(counts.of(Outcome::TransactionFailed)),
                   number(counts.ackFailed), number(counts.inDoubt)});
    };
    Counts total;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
        add(toRfc3339(series.grid.at(static_cast<std::int64_t>(i)), 0), series.points[i]);
        total += series.points[i];
    }
    add("total", total);
    return table.text();
}

Exit runSeries(Context& context, const Options& options) {
    const TimeRange range{context.instant("--from", options.from), context.instant("--to", options.to)};
    if (range.to <= range.from) {
        throw Error{ErrorKind::BadInput, "the range ends before it begins", "--from is inclusive, --to exclusive."};
    }
    std::chrono::seconds step = stepFor(range, 120);
    if (!options.step.empty()) {
        auto read = parseSpan(options.step);
        if (!read) {
            throw Error{ErrorKind::BadInput, "--step: " + read.error().text(), read.error().hint()};
        }
        step = *read;
    }
    const auto desk = context.workspace().telemetry();
    const ConsumerName consumer{options.consumer};
    const Series series = desk->series(consumer, range, step, context.stop());
    const bool silent = std::all_of(series.points.begin(), series.points.end(),
                                    [](const Counts& counts) { return counts == Counts{}; });
    if (silent) {
        requireKnown(*desk, consumer, range, context.stop());
    }
    if (series.grid.step != step) {
        context.note(
            fmt::format("The step is {}: that far back counts are kept no finer.", toSpanText(series.grid.step)));
    }
    std::vector<Json> points;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
        points.push_back(pointOf(series.grid.at(static_cast<std::int64_t>(i)), series.points[i]));
    }
    context.printList("points", points, {{"consumer", consumer.value()}, {"step_s", series.grid.step.count()}},
                      textOf(series));
    return Exit::Done;
}

}  // namespace

void addSeries(CLI::App& app, Action& action) {
    auto* sub = app.add_subcommand("series", "the numbers behind the charts");
    const auto options = std::make_shared<Options>();
    sub->add_option("CONSUMER", options->consumer)->required()->check([](const std::string& name) {
        return name.empty() ? std::string{"a consumer's name is empty"} : std::string{};
    });
    sub->add_option("--from", options->from, "inclusive, rounded down to the step")->required();
    sub->add_option("--to", options->to, "exclusive, rounded up to the step")->capture_default_str();
    sub->add_option("--step", options->step, "e.g. 10s, 5m, 1h; default: what gives at most 120 points");
    sub->callback(
        [&action, options] { action = [options](Context& context) { return runSeries(context, *options); }; });
}

}  // namespace redeliver::ctl
