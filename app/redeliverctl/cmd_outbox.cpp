// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "core/kafka/producer.h"
#include "core/outbox/publisher.h"
#include "core/postgres/outbox_store.h"
#include "core/workspace/connections.h"

#include <fmt/format.h>

#include <memory>

namespace redeliver::ctl {
namespace {

Exit runStatus(Context& context) {
    postgres::Session session{context.workspace().connections().postgresOptions()};
    const outbox::Status status = postgres::PgOutboxStore{session}.status();
    const std::string oldest =
        status.oldestAge ? fmt::format(", the oldest is {} old", textOf(status.oldestAge)) : std::string{};
    std::string text = status.pending == 0 ? std::string{"Nothing waits to be published.\n"}
                                           : fmt::format("{} messages wait{}.\n", status.pending, oldest);
    if (status.failing > 0) {
        text += fmt::format("{} of them were refused by the broker; the oldest: {}\n", status.failing,
                            printable(status.lastError));
    }
    if (status.lastPublished) {
        text += fmt::format("Last published: {}\n", textOf(status.lastPublished));
    }
    context.print({{"pending", status.pending},
                   {"oldest_age_s", secondsOf(status.oldestAge)},
                   {"failing", status.failing},
                   {"last_error", status.lastError.empty() ? Json(nullptr) : Json(status.lastError)},
                   {"last_published_at", jsonOf(status.lastPublished)}},
                  text);
    return Exit::Done;
}

Exit runPublish(Context& context, bool once) {
    const Connections connections = context.workspace().connections();
    connections.requireWritable();
    postgres::Session session{connections.postgresOptions()};
    postgres::PgOutboxStore store{session};
    kafka::Producer sink{connections.kafkaConfig(), {"redeliver-outbox", std::chrono::seconds{30}}};
    const auto clock = systemClock();
    const auto entropy = systemEntropy();
    outbox::Publisher publisher{store, sink, *clock, *entropy};
    if (!once) {
        publisher.run(context.stop());
        return Exit::Done;
    }
    const outbox::Pass done = publisher.drain(context.stop());
    const std::string why = done.standby ? " Another publisher is at work."
                            : done.lost  ? " The broker doesn't answer."
                                         : "";
    context.print(
        {{"published", done.sent}, {"refused", done.failed}, {"standby", done.standby}, {"broker_lost", done.lost}},
        fmt::format("{} published, {} refused.{}\n", done.sent, done.failed, why));
    if (done.lost) {
        return Exit::NoConnection;
    }
    return done.failed > 0 ? Exit::Partial : Exit::Done;
}

}  // namespace

void addOutbox(CLI::App& app, Action& action) {
    auto* outbox = app.add_subcommand("outbox", "messages written with an effect, to be published after it");
    outbox->require_subcommand(1);
    auto* publish = outbox->add_subcommand("publish", "publishes until stopped, in order per key");
    const auto once = std::make_shared<bool>(false);
    publish->add_flag("--once", *once, "what waits now, then end");
    publish->callback([&action, once] { action = [once](Context& context) { return runPublish(context, *once); }; });
    auto* status = outbox->add_subcommand("status", "how many wait, and since when");
    status->callback([&action] { action = [](Context& context) { return runStatus(context); }; });
}

}  // namespace redeliver::ctl
