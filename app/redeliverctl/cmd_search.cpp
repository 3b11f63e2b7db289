// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "app/redeliverctl/records_json.h"
#include "core/workspace/browse_desk.h"

#include <fmt/format.h>

#include <memory>

namespace redeliver::ctl {
namespace {

struct Search {
    std::vector<std::string> words;
    std::int64_t limit = 100;
};

Json orNull(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}
Json orNull(const std::optional<DuplicateKind>& kind) {
    return kind ? Json(toText(*kind)) : Json(nullptr);
}

std::string placeOf(const std::optional<Coordinates>& at) {
    return at ? printable(toText(*at)) : std::string{"—"};
}

Json jsonOf(const SearchHit& hit) {
    return {{"message_id", hit.messageId.empty() ? Json(nullptr) : Json(hit.messageId)},
            {"consumer", hit.consumer},
            {"state", hit.outcome},
            {"kind", orNull(hit.kind)},
            {"at", toRfc3339(hit.at)},
            {"processed_at", hit.isMarker ? Json(toRfc3339(hit.at)) : Json(nullptr)},
            {"source", hit.isMarker ? "processed_messages" : "delivery_events"},
            {"topic", hit.record ? Json(hit.record->topic.value()) : Json(nullptr)},
            {"partition", hit.record ? Json(hit.record->partition.value()) : Json(nullptr)},
            {"offset", hit.record ? Json(hit.record->offset.value()) : Json(nullptr)},
            {"worker", orNull(hit.worker)},
            {"latency_s", secondsOf(hit.latency)}};
}

Exit runSearch(Context& context, const Search& search) {
    std::string query;
    for (const std::string& word : search.words) {
        query += (query.empty() ? "" : " ") + word;
    }
    const SearchResult result = need(context.workspace().browse()->search(query, search.limit, context.stop()));
    Table table{{{"AT"}, {"CONSUMER"}, {"OUTCOME"}, {"MESSAGE ID"}, {"RECORD"}, {"WORKER"}}};
    std::vector<Json> items;
    for (const SearchHit& hit : result.hits) {
        items.push_back(jsonOf(hit));
        const std::string kind = hit.kind ? fmt::format(" ({})", toText(*hit.kind)) : std::string{};
        table.row({toRfc3339(hit.at), printable(hit.consumer), hit.outcome + kind, printable(hit.messageId),
                   placeOf(hit.record), printable(hit.worker)});
    }
    std::string text = table.empty() ? std::string{"Nothing found.\n"} : table.text();
    text += fmt::format("{} found by {} in {}{}\n", result.hits.size(), result.plan, textOf(std::optional(result.took)),
                        result.complete ? "" : "; a limit was reached, there may be more");
    context.printList("results", items, {{"plan", result.plan}, {"complete", result.complete}}, text);
    return Exit::Done;
}

Json jsonOf(const ConsumerMarker& marker) {
    Json item{{"consumer", marker.consumer.value()},
              {"marker", nullptr},
              {"kept_until", ctl::jsonOf(marker.keptUntil)},
              {"note", orNull(marker.note)}};
    if (marker.marker) {
        const Marker& found = *marker.marker;
        item["marker"] = {{"processed_at", ctl::jsonOf(std::optional(found.processedAt))},
                          {"record", found.at ? ctl::jsonOf(*found.at) : Json(nullptr)},
                          {"record_timestamp", ctl::jsonOf(found.recordTimestamp)},
                          {"worker", found.worker ? Json(found.worker->value()) : Json(nullptr)},
                          {"replay_id", found.replay ? Json(found.replay->value()) : Json(nullptr)},
                          {"last_seen_at", ctl::jsonOf(found.lastSeenAt)}};
    }
    return item;
}

Json jsonOf(const DeliveryEvent& event) {
    return {{"at", ctl::jsonOf(std::optional(event.at))},
            {"consumer", event.consumer.value()},
            {"outcome", event.outcome},
            {"kind", orNull(event.kind)},
            {"record", event.at_record ? ctl::jsonOf(*event.at_record) : Json(nullptr)},
            {"worker", event.worker.value()},
            {"attempt", event.attempt},
            {"error_code", orNull(event.errorCode)},
            {"error_text", orNull(event.errorText)},
            {"latency_s", secondsOf(event.latency)},
            {"since_first_processed_s", secondsOf(event.sinceFirstProcessed)},
            {"replay_id", event.replay ? Json(event.replay->value()) : Json(nullptr)},
            {"identical_content", event.identicalContent ? Json(*event.identicalContent) : Json(nullptr)}};
}

std::string textOf(const MessageDetail& detail, const RecordView& record) {
    Table markers{{{"CONSUMER"}, {"PROCESSED AT"}, {"RECORD"}, {"WORKER"}, {"KEPT UNTIL"}, {"NOTE"}}};
    for (const ConsumerMarker& marker : detail.markers) {
        const auto& found = marker.marker;
        markers.row({printable(marker.consumer.value()), found ? toRfc3339(found->processedAt) : "no marker",
                     found ? placeOf(found->at) : "—", found && found->worker ? printable(found->worker->value()) : "—",
                     ctl::textOf(marker.keptUntil), printable(marker.note)});
    }
    Table attempts{{{"AT"}, {"CONSUMER"}, {"OUTCOME"}, {"RECORD"}, {"WORKER"}, {"ERROR"}}};
    for (const DeliveryEvent& event : detail.attempts) {
        const std::string kind = event.kind ? fmt::format(" ({})", toText(*event.kind)) : std::string{};
        const std::string error =
            event.errorCode.empty() ? event.errorText : fmt::format("[{}] {}", event.errorCode, event.errorText);
        attempts.row({toRfc3339(event.at), printable(event.consumer.value()), event.outcome + kind,
                      placeOf(event.at_record), printable(event.worker.value()), printable(error)});
    }
    std::string text = fmt::format("{}\n\n{}", printable(detail.id.value()), markers.text());
    text += attempts.empty() ? std::string{"\nNo attempt but the one that processed it.\n"} : "\n" + attempts.text();
    text += "\n";
    if (record.record) {
        const Record& found = *record.record;
        text += fmt::format("record   {}/{}/{} of {}\nkey      {}\nvalue    {}\n", found.tp.topic.value(),
                            found.tp.partition.value(), found.offset.value(), ctl::textOf(found.timestamp),
                            preview(found.key, 200), preview(found.value, 2'000));
        for (const Header& header : found.headers) {
            text += fmt::format("header   {}: {}\n", printable(header.name), preview(header.value, 200));
        }
    } else {
        text += fmt::format("record   —, {}\n", record.why);
    }
    return text;
}

Exit runMessage(Context& context, const std::string& id) {
    const auto desk = context.workspace().browse();
    const MessageDetail detail = need(desk->message(MessageId{id}, context.stop()));
    const RecordView record = detail.occurrences.empty() ? RecordView{std::nullopt, "no coordinates of it are known"}
                                                         : desk->record(detail.occurrences.front(), context.stop());
    Json markers = Json::array();
    Json attempts = Json::array();
    Json occurrences = Json::array();
    for (const ConsumerMarker& marker : detail.markers) {
        markers.push_back(jsonOf(marker));
    }
    for (const DeliveryEvent& event : detail.attempts) {
        attempts.push_back(jsonOf(event));
    }
    for (const Coordinates& at : detail.occurrences) {
        occurrences.push_back(ctl::jsonOf(at));
    }
    context.print({{"message_id", id},
                   {"markers", std::move(markers)},
                   {"attempts", std::move(attempts)},
                   {"occurrences", std::move(occurrences)},
                   {"record", record.record ? ctl::jsonOf(*record.record) : Json(nullptr)},
                   {"record_reason", orNull(record.why)}},
                  textOf(detail, record));
    return Exit::Done;
}

constexpr const char* grammar =
    "Filter: id:EXACT, id:PREFIX*, id~PART, consumer: outcome: kind: topic: partition: worker: replay: at:FROM..TO.\n"
    "A bare word is an exact ID, several are any of them; -TERM negates (put -- in front: search -- -kind:replayed);\n"
    "a,b is any of; absent stands for no value. Values with the language's own characters go in quotes: 'id:\"a*b\"'.";

}  // namespace

void addSearch(CLI::App& app, Action& action) {
    auto* sub = app.add_subcommand("search", "finds messages by the same filter as the window");
    const auto search = std::make_shared<Search>();
    sub->add_option("QUERY", search->words, "the filter; several arguments are joined by blanks")->required();
    sub->add_option("--limit", search->limit, "at most so many results")->capture_default_str();
    sub->footer(grammar);
    sub->callback([&action, search] { action = [search](Context& context) { return runSearch(context, *search); }; });

    auto* message =
        app.add_subcommand("message", "everything known of one message: markers, attempts, occurrences, record");
    const auto id = std::make_shared<std::string>();
    message->add_option("ID", *id, "the message ID, exactly")->required();
    message->callback([&action, id] { action = [id](Context& context) { return runMessage(context, *id); }; });
}

}  // namespace redeliver::ctl
