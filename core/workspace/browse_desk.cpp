// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/topic_reader.h"
#include "core/postgres/message_store.h"
#include "core/postgres/migrations.h"
#include "core/query/query.h"
#include "core/workspace/desks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace redeliver {
namespace {

constexpr std::int64_t mostHits = 100'000;
constexpr std::chrono::milliseconds kafkaLimit{5'000};

class PgBrowseDesk final : public BrowseDesk {
  public:
    explicit PgBrowseDesk(Connections connections) : m_connections(std::move(connections)) {}

    Result<SearchResult> search(const std::string& query, std::int64_t limit, const std::stop_token& stop) override;
    Result<MessageDetail> message(const MessageId& id, const std::stop_token& stop) override;
    RecordView record(const Coordinates& at, const std::stop_token& stop) override;

  private:
    postgres::PgMessageStore& store();
    RecordView readRecord(const Coordinates& at);
    std::string whyGone(const Coordinates& at);

    Connections m_connections;
    std::optional<postgres::Session> m_session;
    std::optional<postgres::PgMessageStore> m_store;
    bool m_checked = false;
    std::optional<kafka::TopicReader> m_reader;
};

postgres::PgMessageStore& PgBrowseDesk::store() {
    if (!m_session) {
        m_session.emplace(m_connections.postgresOptions());
        m_store.emplace(*m_session);
    }
    if (!m_checked) {
        postgres::checkSchema(*m_session);
        m_checked = true;
    }
    return *m_store;
}

Result<SearchResult> PgBrowseDesk::search(const std::string& text, std::int64_t limit, const std::stop_token& stop) {
    const auto query = query::parse(text, std::chrono::floor<Duration>(std::chrono::system_clock::now()));
    if (!query) {
        return failure(query::toError(query.error()));
    }
    if (limit < 1 || limit > mostHits) {
        return failure({ErrorKind::BadInput, fmt::format("a limit of {} results", limit),
                        fmt::format("Between 1 and {}.", mostHits)});
    }
    postgres::SearchLimits limits;
    limits.hits = limit;
    return store().search(*query, limits, stop);
}

Result<MessageDetail> PgBrowseDesk::message(const MessageId& id, const std::stop_token& stop) {
    if (id.value().empty() || id.value().size() > maxMessageIdBytes || id.value().find('\0') != std::string::npos) {
        return failure({ErrorKind::BadInput, "a message ID has 1 to 1,024 bytes and no NUL"});
    }
    MessageDetail detail = store().message(id, withProfile({}, m_connections.profile()), stop);
    const bool marked = std::any_of(detail.markers.begin(), detail.markers.end(),
                                    [](const ConsumerMarker& marker) { return marker.marker.has_value(); });
    if (!marked && detail.attempts.empty()) {
        return failure(
            {ErrorKind::NotFound, fmt::format("no consumer has a marker or an event of {}", id.value()),
             "It was never delivered, its marker was swept, or the ID is another one. IDs are compared byte by byte.",
             "message"});
    }
    return detail;
}

RecordView PgBrowseDesk::record(const Coordinates& at, const std::stop_token& stop) {
    if (!m_connections.hasKafka()) {
        return {std::nullopt, "the profile has no [kafka]"};
    }
    if (stop.stop_requested()) {
        throw Error{ErrorKind::Cancelled, "cancelled"};
    }
    try {
        return readRecord(at);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::BadInput) {
            throw;
        }
        m_reader.reset();
        return {std::nullopt, error.hint().empty() ? error.text() : error.text() + ". " + error.hint()};
    }
}

RecordView PgBrowseDesk::readRecord(const Coordinates& at) {
    if (!m_reader) {
        m_reader.emplace(m_connections.kafkaConfig(), kafka::TopicReaderOptions{"redeliver", kafkaLimit, kafkaLimit});
    }
    if (!at.cluster.value().empty()) {
        const ClusterId here = m_reader->clusterId();
        if (here != at.cluster) {
            return {std::nullopt,
                    fmt::format("it lies in cluster {}; this profile's is {}", at.cluster.value(), here.value())};
        }
    }
    auto record = m_reader->recordAt({at.topic, at.partition}, at.offset);
    if (!record) {
        return {std::nullopt, record.error().text()};
    }
    return *record ? RecordView{*std::move(*record), {}} : RecordView{std::nullopt, whyGone(at)};
}

std::string PgBrowseDesk::whyGone(const Coordinates& at) {
    const auto logs = m_reader->logs(at.topic);
    if (!logs) {
        return logs.error().text();
    }
    const auto log = logs->find(at.partition);
    if (log == logs->end()) {
        return fmt::format("{} has no partition {}", at.topic.value(), at.partition.value());
    }
    if (at.offset < log->second.start) {
        return fmt::format("deleted by retention: the log now starts at {}", log->second.start.value());
    }
    if (at.offset >= log->second.end) {
        return fmt::format("beyond the end of the log at {}: the topic was made again, or it isn't committed yet",
                           log->second.end.value());
    }
    return "not there any more: compacted away, or part of an aborted transaction";
}

}  // namespace

std::unique_ptr<BrowseDesk> makeBrowseDesk(Connections connections) {
    return std::make_unique<PgBrowseDesk>(std::move(connections));
}

}  // namespace redeliver
