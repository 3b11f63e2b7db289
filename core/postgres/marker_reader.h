// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ports/marker_reader.h"
#include "core/postgres/session.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace redeliver::postgres {

/// Reads `processed_messages` and what lies beside it for classification. The bare shape (three columns, nothing else
/// of ours) works too: what isn't there is read as unknown. One session, one thread; a call takes at most 2 min.
class PgMarkerReader final : public ports::MarkerReader {
  public:
    explicit PgMarkerReader(Session& session) : m_session(session) {}

    ports::MarkerVisibility visibility() override;
    ports::ConsumerLedger ledger(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly,
                                 const ClusterId& cluster, const std::vector<TopicPartition>& partitions) override;
    std::map<std::string, Marker> find(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly,
                                       std::span<const MessageId> ids, const std::stop_token& stop) override;
    void stream(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly, std::optional<TimePoint> since,
                const std::function<bool(Marker&&)>& sink, const std::stop_token& stop) override;
    std::int64_t estimate(const ConsumerName& consumer) override;
    std::vector<Offset> evidence(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly,
                                 const ClusterId& cluster, const TopicPartition& tp, Offset from, Offset to) override;
    std::vector<DeliveryEvent> replayEvents(const ReplayId& replay, const ConsumerName& consumer,
                                            const std::vector<ConsumerName>& formerly) override;
    TimePoint now() override;

  private:
    struct Shape {
        bool table = false;             ///< the marker table is there
        std::set<std::string> columns;  ///< of the marker table
        std::set<std::string> tables;   ///< of ours beside it that this role may read
        std::vector<std::string> unreadable;
    };
    const Shape& shape();
    [[nodiscard]] std::string markerColumns();

    Session& m_session;
    std::optional<Shape> m_shape;
};

}  // namespace redeliver::postgres
