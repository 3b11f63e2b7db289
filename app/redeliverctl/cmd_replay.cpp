// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "app/redeliverctl/replay_view.h"
#include "core/replay/plan_document.h"
#include "core/replay/report_document.h"
#include "core/workspace/replay_desk.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

namespace redeliver::ctl {
namespace {

struct PlanOptionsGiven {
    std::string consumer;
    std::string topic;
    std::string from;
    std::string to;
    std::string offsets;
    std::string target = "same";
    std::string out;
    std::string onlyFor;
    std::int64_t rate = PlanOptions{}.rate;
    bool keepTimestamps = false;
    std::vector<std::string> dropHeaders;
};

struct RunOptionsGiven {
    std::string file;
    std::string reason;
    std::string phrase;
    std::vector<std::string> accepted;
    std::string confirmProfile;
    std::int64_t rate = 0;
};

PlanSource sourceOf(Context& context, const PlanOptionsGiven& given) {
    PlanSource source;
    const bool window = !given.from.empty() || !given.to.empty();
    if (window == !given.offsets.empty()) {
        throw Error{ErrorKind::BadInput, "choose messages by --from and --to, or by --offsets"};
    }
    if (!window) {
        source.kind = PlanSource::Kind::Offsets;
        source.offsets = need(parseRanges(given.offsets));
        return source;
    }
    if (given.from.empty() || given.to.empty()) {
        throw Error{ErrorKind::BadInput, "a time window needs --from and --to"};
    }
    source.window = TimeRange{context.instant("--from", given.from), context.instant("--to", given.to)};
    return source;
}

Exit runPlan(Context& context, const PlanOptionsGiven& given) {
    const PlanRequest request{ConsumerName{given.consumer}, Topic{given.topic}, sourceOf(context, given), given.target,
                              PlanOptions{given.rate, given.keepTimestamps, given.dropHeaders, given.onlyFor}};
    const ReplayPlan plan = need(context.workspace().replays()->plan(request, context.progress(), context.stop()));
    const std::string document = replay::writePlan(plan);
    if (!given.out.empty()) {
        // Beside, then renamed: a half-written plan never carries the name.
        const std::string draft = given.out + ".part";
        std::ofstream file(draft, std::ios::binary | std::ios::trunc);
        file << document;
        file.close();
        std::error_code failed;
        std::filesystem::rename(draft, given.out, failed);
        if (!file || failed) {
            throw Error{ErrorKind::BadInput, fmt::format("{} can't be written", given.out)};
        }
    }
    if (context.wantsJson()) {
        std::fputs(document.c_str(), stdout);
    } else {
        std::fputs(planText(plan, given.out).c_str(), stdout);
    }
    return plan.complete ? Exit::Done : Exit::Partial;
}

Exit showReport(Context& context, const ReplayReport& report) {
    std::fputs((context.wantsJson() ? replay::reportJson(report) : replay::reportMarkdown(report)).c_str(), stdout);
    const ReplayState state = report.line.progress.state;
    if (state == ReplayState::Aborted || state == ReplayState::Paused || state == ReplayState::Stopped) {
        return Exit::Stopped;
    }
    return replay::hasDifferences(report) ? Exit::Partial : Exit::Done;
}

// Progress on a terminal; pause and abort come from other processes, Ctrl-C through the stop token.
ReplayWatcher watcherOf(Context& context) {
    return [show = context.progress()](const ReplayProgress& progress) {
        if (show) {
            const std::string step =
                fmt::format("{}{}{}", toText(progress.state), progress.text.empty() ? "" : ": ", progress.text);
            show({step, progress.sent + progress.setAside, progress.records});
        }
        return ReplayControl::Go;
    };
}

Exit runRun(Context& context, const RunOptionsGiven& given) {
    std::ifstream file(given.file, std::ios::binary);
    if (!file) {
        throw Error{ErrorKind::BadInput, fmt::format("the plan {} can't be read", given.file)};
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const ReplayPlan plan = need(replay::parsePlan(text));
    Confirmation confirmation{given.reason, given.phrase, given.accepted, given.confirmProfile, {}};
    if (given.rate != 0) {
        confirmation.rate = given.rate;
    }
    return showReport(context,
                      need(context.workspace().replays()->run(plan, confirmation, watcherOf(context), context.stop())));
}

Exit runControl(Context& context, const std::string& id, ReplayControl control) {
    need(context.workspace().replays()->control(ReplayId{id}, control));
    const std::string_view word = control == ReplayControl::Pause ? "pause" : "abort";
    context.print({{"replay_id", id}, {"requested", word}},
                  fmt::format("{}: asked for {}. Its engine takes it up within a second.\n", id, word));
    return Exit::Done;
}

Exit runList(Context& context, int limit) {
    const auto lines = context.workspace().replays()->list(limit);
    std::vector<Json> items;
    items.reserve(lines.size());
    for (const ReplayLine& line : lines) {
        items.push_back(jsonOf(line));
    }
    context.printList("replays", items, nullptr, linesText(lines));
    return Exit::Done;
}

void addPlan(CLI::App& group, Action& action) {
    const auto given = std::make_shared<PlanOptionsGiven>();
    auto* plan = group.add_subcommand("plan", "says what a replay would do, message by message; sends nothing");
    plan->add_option("--consumer", given->consumer, "for whom the replay is meant")->required();
    plan->add_option("--topic", given->topic, "where the messages are read")->required();
    plan->add_option("--from", given->from, "first record timestamp, inclusive");
    plan->add_option("--to", given->to, "last record timestamp, exclusive");
    plan->add_option("--offsets", given->offsets, "PARTITION:FROM-TO,… instead of times; TO is not included");
    plan->add_option("--target", given->target, "same, or topic:NAME")->capture_default_str();
    plan->add_option("--rate", given->rate, "records per second")->capture_default_str();
    plan->add_flag("--keep-timestamps", given->keepTimestamps, "copies keep their source's timestamp");
    plan->add_option("--drop-header", given->dropHeaders,
                     "leaves headers out: a pattern with * and ?, or attempts, dead-letter, trace (repeatable)");
    plan->add_option("--only-for", given->onlyFor, "other guarded consumers leave the copies alone");
    plan->add_option("--out", given->out, "writes the plan file that \"replay run\" takes");
    plan->callback([&action, given] { action = [given](Context& context) { return runPlan(context, *given); }; });
}

void addRun(CLI::App& group, Action& action) {
    const auto given = std::make_shared<RunOptionsGiven>();
    auto* run = group.add_subcommand("run", "sends a plan, if the guard lets it through");
    run->add_option("FILE", given->file, "a plan file")->required();
    run->add_option("--reason", given->reason, "why; kept with the replay");
    run->add_option("--accept", given->accepted, "answers a finding by its code (repeatable)");
    run->add_option("--accept-unprotected", given->phrase, "the phrase that the plan prints, exactly");
    run->add_option("--confirm-profile", given->confirmProfile, "a production profile's name");
    run->add_option("--rate", given->rate, "records per second, instead of the plan's")->check(CLI::PositiveNumber);
    run->callback([&action, given] { action = [given](Context& context) { return runRun(context, *given); }; });
}

}  // namespace

void addReplay(CLI::App& app, Action& action) {
    auto* group = app.add_subcommand("replay", "plans, runs and reports guarded replays");
    group->require_subcommand(1);
    group->fallthrough();
    addPlan(*group, action);
    addRun(*group, action);
    const auto id = std::make_shared<std::string>();
    const auto withId = [&](const char* name, const char* help, std::function<Exit(Context&, const std::string&)> run) {
        auto* sub = group->add_subcommand(name, help);
        sub->add_option("ID", *id, "a replay's ID")->required();
        sub->callback([&action, id, run = std::move(run)] {
            action = [id, run](Context& context) { return run(context, *id); };
        });
    };
    withId("pause", "holds a running replay; \"resume\" goes on", [](Context& context, const std::string& replay) {
        return runControl(context, replay, ReplayControl::Pause);
    });
    withId("resume", "goes on with a paused, stopped or killed replay",
           [](Context& context, const std::string& replay) {
               return showReport(context, need(context.workspace().replays()->resume(
                                              ReplayId{replay}, watcherOf(context), context.stop())));
           });
    withId("abort", "ends a replay for good", [](Context& context, const std::string& replay) {
        return runControl(context, replay, ReplayControl::Abort);
    });
    withId("report", "what was predicted and what was found", [](Context& context, const std::string& replay) {
        const ReplayReport report = need(context.workspace().replays()->report(ReplayId{replay}));
        std::fputs((context.wantsJson() ? replay::reportJson(report) : replay::reportMarkdown(report)).c_str(), stdout);
        return Exit::Done;
    });
    auto* list = group->add_subcommand("list", "replays, the newest first");
    const auto limit = std::make_shared<int>(50);
    list->add_option("--limit", *limit)->check(CLI::Range(1, 1000))->capture_default_str();
    list->callback([&action, limit] { action = [limit](Context& context) { return runList(context, *limit); }; });
}

}  // namespace redeliver::ctl
