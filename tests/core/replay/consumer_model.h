// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ports/marker_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace redeliver::tests {

/// A small executable model of one log, one group and one consumer's database, with the truth beside it: which messages
/// were ever processed. `guarded`: a consumer of ours with offsets, ledger and events; else markers without
/// coordinates, swept by age, and a group. It is written from the rules of the domain, not from the classifier.
class ConsumerModel final : public ports::MarkerReader {
  public:
    struct Entry {
        Offset offset;
        std::string id;
        TimePoint at;
    };

    ConsumerModel(int partitions, bool guarded) : m_guarded(guarded), m_log(static_cast<std::size_t>(partitions)) {
        for (std::int32_t i = 0; i < partitions; ++i) {
            m_state.next[i] = 0;
            m_state.highest[i] = 0;
            m_state.ledger[i] = 0;
            m_group[i] = 0;
        }
    }

    ports::MarkerVisibility seen;

    // --- the world -------------------------------------------------------------------------------------------------
    void advance(Duration span) { m_now += span; }
    void append(std::int32_t partition, const std::string& id) {
        for (const auto& log : m_log) {
            for (const Entry& entry : log) {
                if (entry.id == id &&
                    (!m_state.markers.contains(id) || m_now >= m_state.markers.at(id).lastSeen + m_lastRetention)) {
                    m_excused.insert(id);  // a copy published after its marker's retention: nobody can recognise it
                }
                m_repeated.insert(entry.id == id ? id : "");
            }
        }
        auto& log = m_log[static_cast<std::size_t>(partition)];
        log.push_back({Offset{static_cast<std::int64_t>(log.size())}, id, m_now});
        m_story += fmt::format("append {}/{} {}\n", partition, log.size() - 1, id);
    }
    void deliver(std::int32_t partition) { take(partition, false); }
    void reject(std::int32_t partition) { take(partition, true); }
    void setGroup(std::int32_t partition, std::int64_t offset) { m_group[partition] = offset; }
    void loseMarker(const std::string& id) { m_state.markers.erase(id); }
    void addMarker(const std::string& id, TimePoint at) { m_state.markers[id] = {-1, -1, at, at}; }

    /// Fine-print, sweep: the ledger first, over the marker and every coordinate that an event knows for its ID.
    void sweep(Duration retention) {
        m_lastRetention = retention;
        TimePoint oldestUnacked = TimePoint::max();
        for (std::int32_t p = 0; p < partitions(); ++p) {
            for (const Entry& entry : log(p)) {
                if (entry.offset.value() >= m_group[p]) {
                    oldestUnacked = std::min(oldestUnacked, entry.at);
                }
            }
        }
        for (auto it = m_state.markers.begin(); it != m_state.markers.end();) {
            const Kept& marker = it->second;
            const bool old = marker.lastSeen + retention < m_now;
            const bool needed = m_guarded && marker.lastSeen + retention > oldestUnacked;
            if (!old || needed) {
                ++it;
                continue;
            }
            if (m_guarded) {
                raiseLedger(marker.partition, marker.offset + 1);
                for (const Event& event : m_state.events) {
                    if (event.id == it->first) {
                        raiseLedger(event.partition, event.offset + 1);
                    }
                }
            }
            m_story += "sweep " + it->first + "\n";
            it = m_state.markers.erase(it);
        }
    }

    /// One random thing happens; true when it is a fault rather than ordinary life.
    bool randomStep(std::mt19937& random, Duration retention) {
        m_lastRetention = retention;
        const auto partition = static_cast<std::int32_t>(random() % m_log.size());
        switch (random() % 14) {
            case 0:
            case 1:
            case 2:
                append(partition, random() % 8 == 0 && m_ids > 0 ? fmt::format("m{}", random() % m_ids)
                                                                 : fmt::format("m{}", m_ids++));
                return false;
            case 3:
            case 4:
            case 5:
            case 6:
                deliver(partition);
                return false;
            case 7:
                if (m_guarded) {
                    reject(partition);
                }
                return false;
            case 8:
            case 9:
                advance(std::chrono::seconds{random() % 80});
                return false;
            case 10:
                sweep(retention);
                return false;
            case 11:
                return rewind(partition, random);
            case 12:
                if (m_guarded && !m_restored) {
                    m_backup = m_state;
                    m_hasBackup = true;
                }
                return false;
            default:
                return restore(random);
        }
    }

    [[nodiscard]] bool wasProcessed(const std::string& id) const { return m_processed.contains(id); }
    [[nodiscard]] bool excused(const std::string& id) const { return m_excused.contains(id); }
    [[nodiscard]] bool hasMarker(const std::string& id) const { return m_state.markers.contains(id); }
    [[nodiscard]] TimePoint now() override { return m_now; }
    [[nodiscard]] std::int32_t partitions() const { return static_cast<std::int32_t>(m_log.size()); }
    [[nodiscard]] const std::vector<Entry>& log(std::int32_t p) const { return m_log[static_cast<std::size_t>(p)]; }
    [[nodiscard]] const std::string& story() const { return m_story; }
    [[nodiscard]] std::map<Partition, Offset> committed() const {
        std::map<Partition, Offset> all;
        for (const auto& [partition, offset] : m_group) {
            all[Partition{partition}] = Offset{offset};
        }
        return all;
    }

    // --- what a reader of the database sees ------------------------------------------------------------------------
    ports::MarkerVisibility visibility() override { return seen; }
    ports::ConsumerLedger ledger(const ConsumerName&, const std::vector<ConsumerName>&, const ClusterId&,
                                 const std::vector<TopicPartition>& tps) override {
        ports::ConsumerLedger found;
        found.anyMarker = !m_state.markers.empty();
        found.ownedByUs = m_guarded;
        found.lostBefore = m_state.lostBefore;
        for (const auto& [id, marker] : m_state.markers) {
            found.oldestMarker =
                found.oldestMarker ? std::min(*found.oldestMarker, marker.processedAt) : marker.processedAt;
        }
        for (const TopicPartition& tp : tps) {
            const std::int32_t p = tp.partition.value();
            if (!m_guarded || !m_state.next.contains(p)) {
                continue;
            }
            found.anyLedger = true;
            found.partitions.push_back(
                {tp, Offset{m_state.ledger[p]}, Offset{m_state.highest[p]}, Offset{m_state.next[p]}, std::nullopt});
        }
        return found;
    }
    std::map<std::string, Marker> find(const ConsumerName& consumer, const std::vector<ConsumerName>&,
                                       std::span<const MessageId> ids, const std::stop_token&) override {
        std::map<std::string, Marker> found;
        for (const MessageId& id : ids) {
            const auto marker = m_state.markers.find(id.value());
            if (marker != m_state.markers.end()) {
                Marker made;
                made.consumer = consumer;
                made.messageId = id;
                made.processedAt = marker->second.processedAt;
                made.lastSeenAt = marker->second.lastSeen;
                found[id.value()] = made;
            }
        }
        return found;
    }
    void stream(const ConsumerName&, const std::vector<ConsumerName>&, std::optional<TimePoint>,
                const std::function<bool(Marker&&)>&, const std::stop_token&) override {}
    std::int64_t estimate(const ConsumerName&) override { return 1'000'000'000; }
    std::vector<Offset> evidence(const ConsumerName&, const std::vector<ConsumerName>&, const ClusterId&,
                                 const TopicPartition& tp, Offset from, Offset to) override {
        std::map<std::int64_t, Event> last;
        std::set<std::int64_t> known;  // a duplicate there: it had a marker once
        for (const Event& event : m_state.events) {
            if (event.partition == tp.partition.value()) {
                last[event.offset] = event;
                if (!event.rejected) {
                    known.insert(event.offset);
                }
            }
        }
        std::vector<Offset> offsets;
        for (const auto& [offset, event] : last) {
            const bool lost = m_state.lostBefore && event.at <= *m_state.lostBefore;
            if (event.rejected && !known.contains(offset) && !lost && from.value() <= offset && offset < to.value()) {
                offsets.emplace_back(offset);
            }
        }
        return offsets;
    }
    std::vector<DeliveryEvent> replayEvents(const ReplayId&, const ConsumerName&,
                                            const std::vector<ConsumerName>&) override {
        return {};
    }

  private:
    struct Kept {
        std::int32_t partition = -1;
        std::int64_t offset = -1;
        TimePoint processedAt;
        TimePoint lastSeen;
    };
    struct Event {
        std::int32_t partition = 0;
        std::int64_t offset = 0;
        std::string id;
        bool rejected = false;
        TimePoint at;
    };
    struct State {  // what a backup holds
        std::map<std::string, Kept> markers;
        std::map<std::int32_t, std::int64_t> next, highest, ledger;
        std::vector<Event> events;
        std::optional<TimePoint> lostBefore;
    };

    void raiseLedger(std::int32_t partition, std::int64_t offset) {
        if (partition >= 0) {
            m_state.ledger[partition] = std::max(m_state.ledger[partition], offset);
        }
    }

    // The worker starts: it compares the group with the database before it reads anything.
    void assign() {
        if (!m_guarded) {
            return;
        }
        bool loss = false;
        for (auto& [partition, next] : m_state.next) {
            const std::int64_t group = m_group[partition];
            if (group > next) {
                m_state.highest[partition] = std::max(m_state.highest[partition], group);
                loss = true;
            }
            next = group;  // a person releases the partition at the group's offset; below ours it is followed
        }
        if (loss) {
            m_state.lostBefore = m_now;
            m_story += "loss found\n";
        }
        m_restored = false;
    }

    void take(std::int32_t partition, bool rejects) {
        assign();
        auto& position = m_guarded ? m_state.next[partition] : m_group[partition];
        if (position >= static_cast<std::int64_t>(log(partition).size())) {
            return;
        }
        const Entry& entry = log(partition)[static_cast<std::size_t>(position)];
        const auto marker = m_state.markers.find(entry.id);
        const std::int64_t offset = entry.offset.value();
        m_story += fmt::format("{} {}/{} {}\n", rejects ? "reject" : "deliver", partition, offset, entry.id);
        if (marker != m_state.markers.end()) {
            if (m_guarded) {
                m_state.events.push_back({partition, offset, entry.id, false, m_now});
                if (marker->second.offset != offset || marker->second.partition != partition) {
                    marker->second.lastSeen = m_now;
                }
            }
        } else if (rejects) {
            m_state.events.push_back({partition, offset, entry.id, true, m_now});
        } else {
            m_processed.insert(entry.id);
            m_state.markers[entry.id] = {m_guarded ? partition : -1, m_guarded ? offset : -1, m_now, m_now};
        }
        ++position;
        if (m_guarded) {
            m_state.highest[partition] = std::max(m_state.highest[partition], position);
            m_group[partition] = position;
        }
    }

    bool rewind(std::int32_t partition, std::mt19937& random) {
        if (m_restored || m_group[partition] == 0) {
            return false;  // a loss is found before anybody can rewind
        }
        m_group[partition] = static_cast<std::int64_t>(random() % static_cast<unsigned>(m_group[partition]));
        m_story += fmt::format("rewind {} to {}\n", partition, m_group[partition]);
        assign();
        return true;
    }

    bool restore(std::mt19937& random) {
        if (!m_guarded || !m_hasBackup || random() % 3 != 0) {
            return false;
        }
        const State before = m_state;
        m_state = m_backup;
        bool noticeable = false;  // by a group ahead of ours
        for (std::int32_t p = 0; p < partitions(); ++p) {
            noticeable = noticeable || m_group[p] > m_state.next[p];
            // A rewind before hides the loss, or a copy of a lost message lies elsewhere: nobody can know (domain.md).
            for (const Entry& entry : log(p)) {
                if (m_repeated.contains(entry.id) || entry.offset.value() >= m_group[p]) {
                    m_excused.insert(entry.id);
                }
            }
        }
        for (const auto& [id, marker] : before.markers) {
            if (!noticeable && !m_state.markers.contains(id)) {
                m_excused.insert(id);
            }
        }
        m_restored = true;
        m_story += "restore\n";
        return true;
    }

    bool m_guarded;
    std::vector<std::vector<Entry>> m_log;
    std::map<std::int32_t, std::int64_t> m_group;
    State m_state;
    State m_backup;
    bool m_hasBackup = false;
    bool m_restored = false;
    std::set<std::string> m_processed;
    std::set<std::string> m_excused;
    std::set<std::string> m_repeated;
    Duration m_lastRetention{std::chrono::hours{1}};
    TimePoint m_now = fromUnixMillis(1'796'034'600'000);
    unsigned m_ids = 0;
    std::string m_story;
};

}  // namespace redeliver::tests
