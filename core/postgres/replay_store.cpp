// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/replay_store.h"

#include "core/postgres/pqxx_session.h"
#include "core/postgres/replay_store_sql.h"
#include "core/postgres/rows.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace redeliver::postgres {
namespace {

using nlohmann::json;

constexpr TransactionOptions writing{.readOnly = false};

std::string hostName() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

json confirmationJson(const Confirmation& confirmation) {
    return {{"reason", confirmation.reason},
            {"phrase", confirmation.phrase},
            {"accepted", confirmation.acceptedCodes},
            {"confirmed_profile", confirmation.confirmedProfile},
            {"rate", confirmation.rate ? json(*confirmation.rate) : json()}};
}

Confirmation readConfirmation(const std::string& text) {
    Confirmation confirmation;
    const json stored = json::parse(text, nullptr, false);
    if (!stored.is_object()) {
        return confirmation;
    }
    confirmation.reason = stored.value("reason", "");
    confirmation.phrase = stored.value("phrase", "");
    confirmation.acceptedCodes = stored.value("accepted", std::vector<std::string>{});
    confirmation.confirmedProfile = stored.value("confirmed_profile", "");
    if (stored.contains("rate") && stored["rate"].is_number_integer()) {
        confirmation.rate = stored["rate"].get<std::int64_t>();
    }
    return confirmation;
}

ReplayState readState(const std::string& text) {
    for (int i = 0; i <= static_cast<int>(ReplayState::Reconciled); ++i) {
        if (toText(static_cast<ReplayState>(i)) == text) {
            return static_cast<ReplayState>(i);
        }
    }
    throw Error{ErrorKind::Schema, fmt::format("replays: unknown state \"{}\"", text),
                "A newer version wrote it; use that version"};
}

std::string_view textOf(ReplayControl control) {
    return control == ReplayControl::Go ? "go" : control == ReplayControl::Pause ? "pause" : "abort";
}

ReplayControl readControl(const std::string& text) {
    return text == "go" ? ReplayControl::Go : text == "pause" ? ReplayControl::Pause : ReplayControl::Abort;
}

// The columns of `load` and `list`; heartbeat's age is reckoned by the database's clock.
std::string selectReplays(std::string_view rest) {
    return fmt::format(
        "SELECT replay_id::text, state, consumer_name, topic, target, plan::text, reason, confirmation::text, "
        "who_role, "
        "who_os, {}, {}, {}, records, rate, control, owner, coalesce(owner_pid, 0), owner_host, stop_text, "
        "set_aside_records, report::text, coalesce(clock_timestamp() - heartbeat_at < interval '5 s', false) "
        "FROM :schema.replays {}",
        microsOf("created_at"), microsOf("started_at"), microsOf("ended_at"), rest);
}

bool processGone(const std::string& host, std::int32_t pid) {
    return pid > 0 && host == hostName() && kill(pid, 0) != 0 && errno == ESRCH;
}

ports::StoredReplay readReplay(const pqxx::row& row) {
    using postgres::textOf;
    ports::StoredReplay stored;
    ReplayLine& line = stored.line;
    line.progress.id = ReplayId{textOf(row[0])};
    line.progress.state = readState(textOf(row[1]));
    line.consumer = textOf(row[2]);
    line.topic = textOf(row[3]);
    line.target = textOf(row[4]);
    stored.plan = textOf(row[5]);
    line.reason = textOf(row[6]);
    stored.confirmation = readConfirmation(textOf(row[7]));
    const std::string os = textOf(row[9]);
    line.who = os.empty() ? textOf(row[8]) : fmt::format("{} ({})", textOf(row[8]), os);
    line.createdAt = timeOf(row[10]);
    line.startedAt = maybeTime(row[11]);
    line.endedAt = maybeTime(row[12]);
    line.progress.records = int64Of(row[13]);
    line.progress.rate = static_cast<double>(int64Of(row[14]));
    stored.control = readControl(textOf(row[15]));
    stored.owner = textOf(row[16]);
    line.progress.text = textOf(row[19]);
    stored.setAside = textArrayOf(row[20]);
    stored.report = maybeText(row[21]);
    stored.ownerLives = !stored.owner.empty() && boolOf(row[22]) && !processGone(textOf(row[18]), int32Of(row[17]));
    return stored;
}

void readCursors(PinnedTransaction& transaction, ports::StoredReplay& stored) {
    for (const auto& row : transaction.run(replay_sql::progress, SqlParams{}.add(stored.line.progress.id.value()))) {
        const auto offset = [&](pqxx::row::size_type column) { return Offset{int64Of(row[column])}; };
        stored.cursors.push_back({Partition{int32Of(row[0])}, offset(1), offset(2), offset(3), int64Of(row[4]),
                                  int64Of(row[5]), offset(6), offset(7)});
        stored.line.progress.sent += stored.cursors.back().sent;
        stored.line.progress.setAside += stored.cursors.back().setAside;
    }
}

std::optional<ports::StoredReplay> loadIn(PinnedTransaction& transaction, const ReplayId& id, std::string_view lock) {
    const auto uuid = uuidText(id.value());
    if (!uuid) {
        return std::nullopt;
    }
    const std::string sql = selectReplays(fmt::format("WHERE replay_id = $1::uuid {}", lock));
    const auto rows = transaction.run(Sql{"replays.load", sql}, SqlParams{}.add(*uuid));
    if (rows.empty()) {
        return std::nullopt;
    }
    ports::StoredReplay stored = readReplay(rows[0]);
    readCursors(transaction, stored);
    return stored;
}

Error notFound(const ReplayId& id) {
    return {ErrorKind::NotFound, fmt::format("there is no replay {}", id.value()), "See: redeliverctl replay list"};
}

bool isEnded(ReplayState state) {
    return state == ReplayState::Aborted || state == ReplayState::Finished || state == ReplayState::Reconciled;
}

struct Columns {
    std::vector<std::int64_t> partition, from, to, acknowledged, sent, setAside, targetFrom, targetOffset;
    explicit Columns(const std::vector<ports::ReplayCursor>& cursors) {
        for (const ports::ReplayCursor& cursor : cursors) {
            partition.push_back(cursor.partition.value());
            from.push_back(cursor.from.value());
            to.push_back(cursor.to.value());
            acknowledged.push_back(cursor.acknowledged.value());
            sent.push_back(cursor.sent);
            setAside.push_back(cursor.setAside);
            targetFrom.push_back(cursor.targetFrom.value());
            targetOffset.push_back(cursor.targetOffset.value());
        }
    }
};

}  // namespace

Result<void> PgReplayStore::begin(const ReplayPlan& plan, const std::string& planText, const Confirmation& confirmation,
                                  const std::vector<ports::ReplayCursor>& cursors, const std::string& owner) {
    const Columns columns(cursors);
    PinnedTransaction transaction{m_session, writing};
    transaction.run(replay_sql::lockBegin);
    SqlParams what;
    what.add(plan.planId).add(plan.topic).addArray(columns.partition).addArray(columns.from).addArray(columns.to);
    const auto others = transaction.run(replay_sql::overlapping, what);
    if (!others.empty()) {
        const bool same = postgres::textOf(others[0][0]) == plan.planId;
        return failure(
            {ErrorKind::Refused,
             same ? fmt::format("overlap: this plan was run before (it is {})", postgres::textOf(others[0][1]))
                  : fmt::format("overlap: replay {} of the same records is {}", postgres::textOf(others[0][0]),
                                postgres::textOf(others[0][1])),
             same ? "Plan again, or go on with it: redeliverctl replay resume ID"
                  : "Wait for it, or abort it: redeliverctl replay abort ID",
             "overlap"});
    }
    const std::int64_t rate = confirmation.rate.value_or(plan.options.rate);
    SqlParams row;
    row.add(plan.planId).add(plan.consumer).add(plan.topic).add(plan.target).add(planText);
    row.add(confirmation.reason).add(confirmationJson(confirmation).dump()).add(osUser()).add(plan.createdAt);
    row.add(plan.records).add(rate).add(owner).add(std::int64_t{getpid()}).add(hostName());
    transaction.run(replay_sql::insertReplay, row);
    SqlParams progress;
    progress.add(plan.planId).addArray(columns.partition).addArray(columns.from).addArray(columns.to);
    progress.addArray(columns.acknowledged).addArray(columns.targetFrom).addArray(columns.targetOffset);
    transaction.run(replay_sql::insertProgress, progress);
    json detail = confirmationJson(confirmation);
    detail["digest"] = plan.digest;
    detail["records"] = plan.records;
    audit(transaction, "replay.run", plan.planId, detail.dump(), osUser());
    transaction.commit();
    return {};
}

Result<ports::StoredReplay> PgReplayStore::takeOver(const ReplayId& id, const std::string& owner) {
    PinnedTransaction transaction{m_session, writing};
    auto stored = loadIn(transaction, id, "FOR UPDATE");
    if (!stored) {
        return failure(notFound(id));
    }
    if (isEnded(stored->line.progress.state)) {
        return failure({ErrorKind::Refused,
                        fmt::format("replay {} is {}", id.value(), toText(stored->line.progress.state)),
                        "Read its report: redeliverctl replay report ID", "plan-stale"});
    }
    if (stored->ownerLives) {
        return failure({ErrorKind::Refused, fmt::format("replay {} is being run by a living process", id.value()),
                        "Pause or abort it first", "overlap"});
    }
    SqlParams params;
    params.add(stored->line.progress.id.value()).add(owner).add(std::int64_t{getpid()}).add(hostName());
    transaction.run(replay_sql::takeOver, params);
    audit(transaction, "replay.resume", id.value(), json{{"was", toText(stored->line.progress.state)}}.dump(),
          osUser());
    transaction.commit();
    stored->owner = owner;
    stored->control = ReplayControl::Go;
    return *stored;
}

std::optional<ports::StoredReplay> PgReplayStore::load(const ReplayId& id) {
    PinnedTransaction transaction{m_session};
    return loadIn(transaction, id, "");
}

std::vector<ports::StoredReplay> PgReplayStore::list(int limit) {
    std::vector<ports::StoredReplay> all;
    PinnedTransaction transaction{m_session};
    const std::string sql = selectReplays("ORDER BY created_at DESC LIMIT $1::bigint");
    for (const auto& row : transaction.run(Sql{"replays.list", sql}, SqlParams{}.add(std::int64_t{limit}))) {
        all.push_back(readReplay(row));
        readCursors(transaction, all.back());
    }
    return all;
}

ReplayControl PgReplayStore::checkpoint(const ReplayId& id, const std::string& owner, ReplayState state,
                                        const std::vector<ports::ReplayCursor>& cursors,
                                        const std::vector<std::string>& newlySetAside) {
    const Columns columns(cursors);
    PinnedTransaction transaction{m_session, writing};
    SqlParams params;
    params.add(id.value()).add(owner).add(toText(state)).addArray(newlySetAside).addArray(columns.partition);
    params.addArray(columns.from).addArray(columns.acknowledged).addArray(columns.sent).addArray(columns.setAside);
    params.addArray(columns.targetOffset);
    const auto rows = transaction.run(replay_sql::checkpoint, params);
    if (rows.empty()) {
        throw Error{ErrorKind::Refused, "another engine owns this replay now", {}, "taken-over"};
    }
    const ReplayControl control = readControl(postgres::textOf(rows[0][0]));
    transaction.commit();
    return control;
}

void PgReplayStore::end(const ReplayId& id, const std::string& owner, ReplayState state, const std::string& text) {
    PinnedTransaction transaction{m_session, writing};
    SqlParams params;
    params.add(id.value()).add(owner).add(toText(state)).add(text);
    transaction.run(replay_sql::end, params);
    audit(transaction, fmt::format("replay.{}", toText(state)), id.value(), json{{"text", text}}.dump(), osUser());
    transaction.commit();
}

void PgReplayStore::saveReport(const ReplayId& id, const std::string& reportJson, bool reconciled) {
    PinnedTransaction transaction{m_session, writing};
    SqlParams params;
    params.add(id.value()).add(reportJson).add(reconciled);
    transaction.run(replay_sql::saveReport, params);
    transaction.commit();
}

Result<void> PgReplayStore::control(const ReplayId& id, ReplayControl wanted) {
    PinnedTransaction transaction{m_session, writing};
    const auto stored = loadIn(transaction, id, "FOR UPDATE");
    if (!stored) {
        return failure(notFound(id));
    }
    if (isEnded(stored->line.progress.state)) {
        return failure({ErrorKind::Refused,
                        fmt::format("replay {} is {}", id.value(), toText(stored->line.progress.state)),
                        {},
                        "plan-stale"});
    }
    // Nobody is there to carry it out: the row itself changes.
    const bool ownerless = !stored->ownerLives && wanted != ReplayControl::Go;
    SqlParams params;
    params.add(stored->line.progress.id.value()).add(textOf(wanted)).add(ownerless);
    params.add(wanted == ReplayControl::Abort ? "aborted" : "paused");
    transaction.run(replay_sql::setControl, params);
    audit(transaction, fmt::format("replay.{}", textOf(wanted)), id.value(), "{}", osUser());
    transaction.commit();
    return {};
}

bool PgReplayStore::mayRun() {
    PinnedTransaction transaction{m_session};
    const std::string schema = quoteName(m_session.options().schema);
    const auto rows =
        transaction.run(replay_sql::mayRun, SqlParams{}.add(schema + ".replays").add(schema + ".replay_progress"));
    return maybeBool(rows[0][0]).value_or(false);
}

}  // namespace redeliver::postgres
