// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/message_store.h"

#include "core/postgres/event_reader.h"
#include "core/postgres/message_sql.h"
#include "core/postgres/rows.h"
#include "core/postgres/telemetry_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace redeliver::postgres {
namespace {

using std::chrono::steady_clock;

SearchHit readHit(const pqxx::row& row, bool isMarker) {
    SearchHit hit;
    hit.messageId = maybeText(row[0]).value_or("");
    hit.consumer = textOf(row[1]);
    hit.outcome = textOf(row[2]);
    hit.kind = parseDuplicateKind(maybeText(row[3]).value_or(""));
    hit.record = readCoordinates(row, 4);
    hit.worker = maybeText(row[8]).value_or("");
    hit.at = timeOf(row[9]);
    hit.latency = maybeDuration(row[10]);
    hit.isMarker = isMarker;
    return hit;
}

// Fetches through a cursor, so that what was found before the time limit is kept. False: the limit ended it.
bool fetchUntil(PinnedTransaction& transaction, const SearchStatement& statement, bool isMarker,
                steady_clock::time_point deadline, std::vector<SearchHit>& hits) {
    const std::string declare = fmt::format("DECLARE hits NO SCROLL CURSOR FOR {}", statement.text);
    constexpr Sql close{"search.close", "CLOSE hits"};
    std::size_t step = 1;
    try {
        transaction.run({statement.name, declare}, statement.params);
        for (;;) {
            const auto left = std::chrono::floor<std::chrono::milliseconds>(deadline - steady_clock::now());
            if (left.count() <= 0) {
                return false;
            }
            transaction.runScript(statement.name, fmt::format("SET LOCAL statement_timeout = {}", left.count()));
            const auto rows = transaction.runScript(statement.name, fmt::format("FETCH {} FROM hits", step));
            for (const auto& row : rows) {
                hits.push_back(readHit(row, isMarker));
            }
            if (static_cast<std::size_t>(rows.size()) < step) {
                break;
            }
            step = std::min<std::size_t>(step * 4, 1000);
        }
        transaction.run(close);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Limit) {
            throw;
        }
        return false;
    }
    return true;
}

bool before(const SearchHit& a, const SearchHit& b, bool byId) {
    if (byId && a.messageId != b.messageId) {
        return a.messageId < b.messageId;
    }
    return a.at > b.at;
}

constexpr std::string_view markersOfId =
    "SELECT consumer_name, {}, cluster_id, topic, partition, \"offset\", {}, worker, replay_id, content_hash, {} "
    "FROM :schema.processed_messages WHERE consumer_name = ANY($1::text[]) AND message_id = $2";

Marker readMarker(const pqxx::row& row, const MessageId& id) {
    Marker marker;
    marker.consumer = ConsumerName{textOf(row[0])};
    marker.messageId = id;
    marker.processedAt = timeOf(row[1]);
    marker.at = readCoordinates(row, 2);
    marker.recordTimestamp = maybeTime(row[6]);
    if (auto worker = maybeText(row[7]); worker && !worker->empty()) {
        marker.worker = WorkerName{std::move(*worker)};
    }
    if (auto replay = maybeText(row[8])) {
        marker.replay = ReplayId{std::move(*replay)};
    }
    marker.contentHash = maybeBytes(row[9]);
    marker.lastSeenAt = maybeTime(row[10]);
    return marker;
}

void override_(std::vector<ConsumerInfo>& infos, const ConsumerInfo& from) {
    auto found = std::ranges::find(infos, from.name, &ConsumerInfo::name);
    if (found == infos.end()) {
        infos.push_back(from);
        return;
    }
    found->formerly.insert(found->formerly.end(), from.formerly.begin(), from.formerly.end());
    if (from.markerRetention) {
        found->markerRetention = from.markerRetention;
    }
}

// A name that another consumer had before is shown with that one.
std::vector<ConsumerMarker> markersFor(const std::vector<ConsumerInfo>& infos, const std::vector<Marker>& found) {
    std::set<ConsumerName> former;
    for (const auto& info : infos) {
        former.insert(info.formerly.begin(), info.formerly.end());
    }
    std::vector<ConsumerMarker> out;
    for (const auto& info : infos) {
        if (former.contains(info.name) && !info.registered) {
            continue;
        }
        ConsumerMarker line{info.name, std::nullopt, std::nullopt, {}};
        for (const auto& marker : found) {
            const bool own = marker.consumer == info.name;
            if (own || (!line.marker && std::ranges::count(info.formerly, marker.consumer) > 0)) {
                line.marker = marker;
                line.note = own ? "" : fmt::format("under its former name {}", marker.consumer.value());
            }
        }
        if (line.marker && info.markerRetention) {
            line.keptUntil = line.marker->lastSeen() + *info.markerRetention;
        }
        out.push_back(std::move(line));
    }
    return out;
}

}  // namespace

SearchResult PgMessageStore::search(const query::Query& query, const SearchLimits& limits,
                                    const std::stop_token& stop) {
    const auto began = steady_clock::now();
    const auto deadline = began + limits.time;
    const SearchShape shape = shapeOf(query);
    SearchResult result;
    bool inTime = true;
    for (const bool isMarker : {true, false}) {
        PinnedTransaction transaction{m_session, {.statementTimeout = limits.time}, stop};
        const auto statement = isMarker ? markerSearch(query, limits.hits + 1) : eventSearch(query, limits.hits + 1);
        // The first table may use half of the time that is left, so that the second one is asked too.
        const auto until = isMarker ? began + limits.time / 2 : deadline;
        inTime = fetchUntil(transaction, statement, isMarker, until, result.hits) && inTime;
    }
    std::ranges::stable_sort(result.hits,
                             [&](const SearchHit& a, const SearchHit& b) { return before(a, b, shape.byPrefix); });
    result.plan = shape.text;
    if (result.hits.size() > static_cast<std::size_t>(limits.hits)) {
        result.hits.resize(static_cast<std::size_t>(limits.hits));
        result.complete = false;
        result.plan += fmt::format("; ended at {} results", limits.hits);
    }
    if (!inTime) {
        result.complete = false;
        result.plan += fmt::format("; ended after {} ms, not everything was read", limits.time.count());
    }
    result.took = std::chrono::duration_cast<Duration>(steady_clock::now() - began);
    return result;
}

MessageDetail PgMessageStore::message(const MessageId& id, const std::vector<ConsumerInfo>& overrides,
                                      const std::stop_token& stop) {
    PinnedTransaction transaction{m_session, {}, stop};
    auto infos = readConsumers(transaction);
    for (const auto& info : overrides) {
        override_(infos, info);
    }
    std::vector<std::string> names;
    for (const auto& info : infos) {
        names.push_back(info.name.value());
        std::ranges::transform(info.formerly, std::back_inserter(names), &ConsumerName::value);
    }
    MessageDetail detail;
    detail.id = id;
    const std::string markerText =
        fmt::format(markersOfId, microsOf("processed_at"), microsOf("record_timestamp"), microsOf("last_seen_at"));
    std::vector<Marker> markers;
    std::set<Coordinates> places;
    for (const auto& row :
         transaction.run({"message.markers", markerText}, SqlParams{}.addArray(names).add(id.value()))) {
        markers.push_back(readMarker(row, id));
        if (markers.back().at) {
            places.insert(*markers.back().at);
        }
    }
    detail.markers = markersFor(infos, markers);
    const std::string eventText = fmt::format(
        "SELECT {} FROM :schema.delivery_events e WHERE e.message_id = $1 ORDER BY e.at DESC, e.event_id DESC LIMIT "
        "1000",
        eventColumns("e."));
    for (const auto& row : transaction.run({"message.events", eventText}, SqlParams{}.add(id.value()))) {
        detail.attempts.push_back(readEvent(row));
        if (detail.attempts.back().at_record) {
            places.insert(*detail.attempts.back().at_record);
        }
    }
    std::ranges::reverse(detail.attempts);
    detail.occurrences.assign(places.begin(), places.end());
    return detail;
}

std::string PgMessageStore::explain(const query::Query& query, const SearchLimits& limits) {
    PinnedTransaction transaction{m_session};
    std::string out;
    for (const auto& statement : {markerSearch(query, limits.hits + 1), eventSearch(query, limits.hits + 1)}) {
        for (const auto& row : transaction.run({statement.name, "EXPLAIN " + statement.text}, statement.params)) {
            out += textOf(row[0]) + '\n';
        }
    }
    return out;
}

}  // namespace redeliver::postgres
