// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/doctor_checks.h"

#include "core/base/text.h"
#include "core/base/time.h"
#include "core/postgres/migrations.h"
#include "core/postgres/sql.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace redeliver::postgres {
namespace {

using Rows = ConnectProbe::Rows;

std::string cell(const Rows& rows, std::size_t row, std::size_t column) {
    return row < rows.size() && column < rows[row].size() ? rows[row][column].value_or("") : std::string{};
}

std::string why(const ConnectProbe& probe) {
    return probe.timedOut() ? "the server didn't answer in time" : probe.error();
}

DiagnosisStep unanswered(std::string step, const ConnectProbe& probe) {
    return {std::move(step), false, why(probe), "The server is slow or went away; try again."};
}

std::string seconds(std::int64_t micros) {
    return fmt::format("{:.1f} s", static_cast<double>(micros) / 1e6);
}

// Names of the tables that this user may not use in the needed way.
std::string missingRights(bool writes) {
    const std::string_view extra =
        writes ? " UNION ALL SELECT 'write to ' || relname FROM ours WHERE relname IN ('replays', 'consumers') "
                 "AND NOT has_table_privilege(oid, 'INSERT')"
               : "";
    return fmt::format(
        "WITH ours AS (SELECT c.oid, c.relname FROM pg_class c WHERE c.relnamespace = to_regnamespace({{0}}) "
        "AND c.relkind IN ('r', 'p', 'v')) "
        "SELECT coalesce(string_agg(t, ', ' ORDER BY t), '') FROM (SELECT 'read ' || relname AS t FROM ours "
        "WHERE relname <> 'transaction_seal' AND NOT has_table_privilege(oid, 'SELECT'){}) AS missing",
        extra);
}

std::string schemaOf(const CheckContext& context) {
    return quoteLiteral(quoteName(context.schema));
}

void addHiddenRows(const CheckContext& context, std::vector<DiagnosisStep>& steps) {
    const auto rows = context.probe.query(fmt::format("SELECT row_security_active(to_regclass({}))",
                                                      quoteLiteral(quoteName(context.schema) + ".processed_messages")),
                                          context.deadline);
    if (rows && cell(*rows, 0, 0) == "t") {
        steps.push_back(
            {"privilege", false, "row-level security may hide markers from this user",
             "Absence of a marker proves nothing then: use a role with BYPASSRLS, or a policy that shows all."});
    }
}

}  // namespace

void checkPrivileges(const CheckContext& context, std::vector<DiagnosisStep>& steps) {
    const std::string schema = schemaOf(context);
    const auto rows =
        context.probe.query(fmt::format("SELECT current_user, to_regnamespace({0}) IS NULL, "
                                        "coalesce(has_schema_privilege(to_regnamespace({0}), 'USAGE'), false), "
                                        "has_database_privilege(current_database(), 'CREATE')",
                                        schema),
                            context.deadline);
    if (!rows) {
        steps.push_back(unanswered("privilege", context.probe));
        return;
    }
    const std::string user = cell(*rows, 0, 0);
    if (cell(*rows, 0, 1) == "t") {
        const bool creates = cell(*rows, 0, 3) == "t";
        steps.push_back({"privilege", true, fmt::format("{} {} create the schema", user, creates ? "may" : "may not"),
                         creates ? "" : fmt::format("To migrate: GRANT CREATE ON DATABASE … TO {}", quoteName(user))});
        return;
    }
    const std::string reader = context.writes ? "redeliver_operator" : "redeliver_reader";
    const std::string grant = fmt::format("GRANT {} TO {}", reader, quoteName(user));
    if (cell(*rows, 0, 2) != "t") {
        steps.push_back(
            {"privilege", false, fmt::format("{} may not use the schema {}", user, quoteName(context.schema)), grant});
        return;
    }
    const auto missing =
        context.probe.query(fmt::format(fmt::runtime(missingRights(context.writes)), schema), context.deadline);
    if (!missing) {
        steps.push_back(unanswered("privilege", context.probe));
        return;
    }
    const std::string list = cell(*missing, 0, 0);
    steps.push_back({"privilege", list.empty(),
                     list.empty() ? fmt::format("{} may do what this profile needs", user)
                                  : fmt::format("{} may not {}", user, list),
                     list.empty() ? "" : grant});
    addHiddenRows(context, steps);
}

void checkVersion(const CheckContext& context, std::vector<DiagnosisStep>& steps) {
    const std::string table = quoteName(context.schema) + ".schema_version";
    const auto there =
        context.probe.query(fmt::format("SELECT to_regclass({}) IS NOT NULL", quoteLiteral(table)), context.deadline);
    SchemaState state;
    if (there && cell(*there, 0, 0) == "t") {
        const auto rows = context.probe.query(
            fmt::format("SELECT coalesce(max(version), 0), coalesce(max(oldest_client), 0) FROM {}", table),
            context.deadline);
        if (!rows) {
            steps.push_back(unanswered("schema", context.probe));
            return;
        }
        state.version = static_cast<int>(toInt64(cell(*rows, 0, 0)).value_or(0));
        state.oldestClient = static_cast<int>(toInt64(cell(*rows, 0, 1)).value_or(0));
    } else if (!there && context.probe.sqlState() != "42501") {
        steps.push_back(unanswered("schema", context.probe));
        return;
    } else if (!there) {
        steps.push_back({"schema", false, "can't be read: " + why(context.probe), "See the step before."});
        return;
    }
    try {
        checkSchema(state, clientVersion());
    } catch (const Error& error) {
        steps.push_back({"schema", false, error.text(), error.hint()});
        return;
    }
    const auto roles = context.probe.query(
        "SELECT coalesce(string_agg(r, ', '), '') FROM unnest(ARRAY['redeliver_consumer', 'redeliver_reader', "
        "'redeliver_operator', 'redeliver_admin']) r WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r)",
        context.deadline);
    const std::string absent = roles ? cell(*roles, 0, 0) : "";
    steps.push_back({"schema", true, fmt::format("version {}", state.version),
                     absent.empty() ? ""
                                    : fmt::format("Roles that don't exist: {}. Create them, then run SELECT * FROM "
                                                  "{}.grant_roles()",
                                                  absent, quoteName(context.schema))});
}

std::vector<std::pair<std::string, std::string>> askedSettings(std::string_view options) {
    std::vector<std::string> words;
    std::string word;
    bool inWord = false;
    for (std::size_t i = 0; i <= options.size(); ++i) {
        const char c = i < options.size() ? options[i] : ' ';
        if (c == '\\' && i + 1 < options.size()) {
            word += options[++i];
            inWord = true;
        } else if (c == ' ' || c == '\t') {
            if (inWord) {
                words.push_back(std::exchange(word, {}));
            }
            inWord = false;
        } else {
            word += c;
            inWord = true;
        }
    }
    std::vector<std::pair<std::string, std::string>> out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string_view text = words[i];
        if (text == "-c" && i + 1 < words.size()) {
            text = words[++i];
        } else if (text.starts_with("-c") || text.starts_with("--")) {
            text.remove_prefix(2);
        } else {
            continue;
        }
        const auto equals = text.find('=');
        if (equals != std::string_view::npos && equals > 0) {
            out.emplace_back(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return out;
}

namespace {

// What was asked for in the connection string and didn't arrive. The server itself writes both in its canonical form.
std::vector<std::string> lostSettings(const CheckContext& context) {
    const auto effective = context.probe.effective();
    const auto options = effective.find("options");
    std::vector<std::string> out;
    for (const auto& [name, value] : askedSettings(options == effective.end() ? "" : options->second)) {
        const std::string literal = quoteLiteral(name);
        const auto now =
            context.probe.query(fmt::format("SELECT current_setting({}, true)", literal), context.deadline);
        const auto asked = context.probe.query(
            fmt::format("BEGIN; SELECT set_config({}, {}, true)", literal, quoteLiteral(value)), context.deadline);
        const std::string error = context.probe.error();
        context.probe.query("ROLLBACK", context.deadline);
        if (now && asked && cell(*now, 0, 0) != cell(*asked, 0, 0)) {
            out.push_back(fmt::format("{}={} didn't arrive, it is {}", name, value, cell(*now, 0, 0)));
        } else if (!asked && !error.empty()) {
            out.push_back(fmt::format("{}={} can't be checked: {}", name, value, error));
        }
    }
    return out;
}

}  // namespace

void checkSettings(const CheckContext& context, std::vector<DiagnosisStep>& steps) {
    const auto lost = lostSettings(context);
    if (!lost.empty()) {
        steps.push_back({"settings", false, fmt::format("{}", fmt::join(lost, "; ")),
                         "A pooler swallows parameters of the connection string (ignore_startup_parameters). Redeliver "
                         "sets its own limits inside each transaction; for others use ALTER ROLE … SET."});
        return;
    }
    const auto rows = context.probe.query(
        "SELECT coalesce(string_agg(c, ', ' ORDER BY c), ''), current_setting('default_transaction_read_only') "
        "FROM pg_db_role_setting s CROSS JOIN unnest(s.setconfig) AS c "
        "WHERE s.setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = current_user)) "
        "AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))",
        context.deadline);
    if (!rows) {
        steps.push_back(unanswered("settings", context.probe));
        return;
    }
    const std::string own = cell(*rows, 0, 0);
    std::string hint;
    if (!own.empty()) {
        hint = "Redeliver's own transactions pin isolation, time-outs and formats; programs of yours see these.";
    }
    if (cell(*rows, 0, 1) == "on") {
        hint =
            "default_transaction_read_only is on: a worker's transactions say READ WRITE themselves, other programs of "
            "this user can't write. " +
            hint;
    }
    steps.push_back({"settings", true,
                     own.empty() ? "role and database set nothing" : fmt::format("role or database set {}", own),
                     hint});
}

void checkReplica(const CheckContext& context, std::vector<DiagnosisStep>& steps) {
    const auto rows = context.probe.query(
        fmt::format(
            "SELECT pg_is_in_recovery(), CASE WHEN pg_is_in_recovery() AND pg_last_wal_receive_lsn() IS DISTINCT "
            "FROM pg_last_wal_replay_lsn() THEN {} ELSE 0 END",
            microsOf("clock_timestamp() - pg_last_xact_replay_timestamp()")),
        context.deadline);
    if (!rows) {
        steps.push_back(unanswered("replica", context.probe));
        return;
    }
    if (cell(*rows, 0, 0) != "t") {
        return;
    }
    const auto lag = toInt64(cell(*rows, 0, 1));
    const bool fresh = lag && *lag < 5'000'000;
    steps.push_back({"replica", fresh && !context.writes,
                     lag ? fmt::format("replica, at most {} behind", seconds(*lag)) : "replica, its lag isn't known",
                     "Markers written since are not seen here. Name the primary, or add "
                     "target_session_attrs=read-write to the connection string."});
}

void checkClock(const CheckContext& context, std::vector<DiagnosisStep>& steps) {
    const auto before = std::chrono::system_clock::now();
    const auto rows = context.probe.query(fmt::format("SELECT {}", microsOf("clock_timestamp()")), context.deadline);
    const auto after = std::chrono::system_clock::now();
    const auto server = rows ? toInt64(cell(*rows, 0, 0)) : std::nullopt;
    if (!server) {
        steps.push_back(unanswered("clock", context.probe));
        return;
    }
    const auto middle =
        std::chrono::duration_cast<Duration>((before + (after - before) / 2).time_since_epoch()).count();
    const std::int64_t skew = *server - middle;
    const bool close = std::abs(skew) <= 2'000'000;
    steps.push_back(
        {"clock", close,
         fmt::format("the server's clock is {} {} ours", seconds(std::abs(skew)), skew < 0 ? "behind" : "ahead of"),
         close ? "" : "Let both machines keep time by NTP: retention and replay windows compare these clocks."});
}

}  // namespace redeliver::postgres
