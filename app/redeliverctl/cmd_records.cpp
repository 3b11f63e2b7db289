// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "app/redeliverctl/records_json.h"
#include "core/workspace/topic_browser.h"

#include <fmt/format.h>

#include <memory>

namespace redeliver::ctl {
namespace {

constexpr std::int64_t mostRecords = 100'000;

struct Options {
    std::string topic;
    std::optional<std::int32_t> partition;
    std::string from;
    std::string to;
    std::int64_t limit = 100;
};

BrowseRequest requestOf(const Context& context, const Options& options) {
    BrowseRequest request;
    request.topic = Topic{options.topic};
    request.limit = options.limit;
    if (options.partition) {
        request.partition = Partition{*options.partition};
    }
    request.newest = options.from == "end";
    if (!request.newest && !options.from.empty()) {
        request.from = context.instant("--from", options.from);
    }
    if (!options.to.empty()) {
        request.to = context.instant("--to", options.to);
    }
    if (request.from && request.to && *request.to <= *request.from) {
        throw Error{ErrorKind::BadInput, "the range ends before it begins", "--from is inclusive, --to exclusive."};
    }
    return request;
}

std::string footOf(const BrowseResult& result) {
    std::string text = fmt::format("{} records", result.records.size());
    if (result.outside > 0) {
        text += fmt::format("; {} records read lie outside by their own timestamp", result.outside);
    }
    if (!result.marks.empty()) {
        text += fmt::format("; time runs backwards at {}{}", result.marks.front(),
                            result.marks.size() > 1 ? fmt::format(" and {} more places", result.marks.size() - 1) : "");
    }
    return text + (result.complete ? "\n" : fmt::format("; not complete: {}\n", result.why));
}

Exit runRecords(Context& context, const Options& options) {
    const BrowseRequest request = requestOf(context, options);
    TopicBrowser browser{context.workspace().connections()};
    const BrowseResult result = need(browser.browse(request, context.stop()));
    using Align = Table::Align;
    Table table{{{"PARTITION", Align::Right}, {"OFFSET", Align::Right}, {"TIMESTAMP"}, {"KEY"}, {"VALUE"}}};
    std::vector<Json> items;
    for (const Record& record : result.records) {
        items.push_back(jsonOf(record));
        table.row({fmt::format("{}", record.tp.partition.value()), fmt::format("{}", record.offset.value()),
                   textOf(record.timestamp), preview(record.key, 40), preview(record.value, 100)});
    }
    context.printList("records", items,
                      {{"complete", result.complete},
                       {"incomplete_reason", result.complete ? Json(nullptr) : Json(result.why)},
                       {"outside_by_timestamp", result.outside},
                       {"time_runs_backwards_at", result.marks}},
                      (table.empty() ? std::string{} : table.text()) + footOf(result));
    return Exit::Done;
}

}  // namespace

void addRecords(CLI::App& app, Action& action) {
    auto* sub = app.add_subcommand("records", "looks into a topic; joins no group and commits nothing");
    const auto options = std::make_shared<Options>();
    sub->add_option("TOPIC", options->topic)->required();
    sub->add_option("--partition", options->partition, "only this one")->check(CLI::NonNegativeNumber);
    sub->add_option("--from", options->from, "first timestamp, inclusive; or end: the newest of each partition");
    sub->add_option("--to", options->to, "last timestamp, exclusive");
    sub->add_option("--limit", options->limit, "at most so many records; with --from end per partition")
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{1}, mostRecords));
    sub->callback(
        [&action, options] { action = [options](Context& context) { return runRecords(context, *options); }; });
}

}  // namespace redeliver::ctl
