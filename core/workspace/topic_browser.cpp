// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/topic_browser.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace redeliver {
namespace {

bool inside(const BrowseRequest& request, const Record& record) noexcept {
    if (!request.from && !request.to) {
        return true;
    }
    return record.timestamp && (!request.from || *record.timestamp >= *request.from) &&
           (!request.to || *record.timestamp < *request.to);
}

// Where a record is older than the one before it in its partition.
class Backwards {
  public:
    void see(const Record& record, std::vector<std::string>& marks) {
        constexpr std::size_t mostMarks = 100;
        if (!record.timestamp) {
            return;
        }
        const auto [it, isNew] = m_last.try_emplace(record.tp.partition, *record.timestamp);
        if (!isNew && *record.timestamp < it->second && marks.size() < mostMarks) {
            marks.push_back(fmt::format("{}@{}", record.tp.partition.value(), record.offset.value()));
        }
        it->second = *record.timestamp;
    }

  private:
    std::map<Partition, TimePoint> m_last;
};

}  // namespace

Result<std::vector<ports::OffsetRange>> TopicBrowser::rangesOf(const BrowseRequest& request) {
    auto logs = m_reader->logs(request.topic);
    if (!logs) {
        return failure(std::move(logs).error());
    }
    std::map<Partition, Offset> starts;
    if (request.from && !request.newest) {
        auto found = m_reader->offsetsAt(request.topic, *request.from);
        if (!found) {
            return failure(std::move(found).error());
        }
        starts = *std::move(found);
    }
    std::vector<ports::OffsetRange> ranges;
    for (const auto& [partition, log] : *logs) {
        if (request.partition && *request.partition != partition) {
            continue;
        }
        Offset from = log.start;
        if (const auto start = starts.find(partition); start != starts.end()) {
            from = std::max(from, start->second);
        }
        if (request.newest) {
            from = std::max(from, Offset{log.end.value() - request.limit});
        }
        ranges.push_back({partition, from, log.end});
    }
    if (ranges.empty()) {
        return failure({ErrorKind::NotFound, fmt::format("{} has no partition {}", request.topic.value(),
                                                         request.partition.value_or(Partition{0}).value())});
    }
    return ranges;
}

Result<BrowseResult> TopicBrowser::browse(const BrowseRequest& request, const std::stop_token& stop) {
    if (!m_reader) {
        m_reader.emplace(m_connections.kafkaConfig());
    }
    auto ranges = rangesOf(request);
    if (!ranges) {
        return failure(std::move(ranges).error());
    }
    BrowseResult result;
    Backwards backwards;
    bool full = false;
    const auto sink = [&](Record&& record) {
        backwards.see(record, result.marks);
        if (!inside(request, record)) {
            ++result.outside;
            return true;
        }
        full = !request.newest && static_cast<std::int64_t>(result.records.size()) >= request.limit;
        if (!full) {
            result.records.push_back(std::move(record));
        }
        return !full;
    };
    auto end = m_reader->scan(request.topic, *ranges, sink, stop);
    if (!end) {
        return failure(std::move(end).error());
    }
    result.complete = end->complete && !full;
    result.why = full ? fmt::format("the limit of {} records was reached", request.limit) : end->why;
    std::stable_sort(result.records.begin(), result.records.end(), [&](const Record& a, const Record& b) {
        if (a.tp.partition != b.tp.partition) {
            return a.tp.partition < b.tp.partition;
        }
        return request.newest ? a.offset > b.offset : a.offset < b.offset;
    });
    return result;
}

}  // namespace redeliver
