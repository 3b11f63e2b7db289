// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/test_servers.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// Compares a log with what a consumer did in the database. Shares no code with the consumer: plain librdkafka (through
/// TestKafka) and plain SQL.
namespace redeliver::tests {

struct Verdict {
    std::vector<std::string> lost;        ///< in the log, no effect
    std::vector<std::string> repeated;    ///< more than one effect
    std::vector<std::string> unmarked;    ///< effect without marker
    std::vector<std::string> effectless;  ///< marker without effect
    std::vector<std::string> neverSent;   ///< effect without record
    [[nodiscard]] bool good() const {
        return lost.empty() && repeated.empty() && unmarked.empty() && effectless.empty() && neverSent.empty();
    }
    [[nodiscard]] std::string text() const {
        std::ostringstream out;
        const auto list = [&](const char* what, const std::vector<std::string>& ids) {
            if (!ids.empty()) {
                out << ids.size() << ' ' << what << " (" << ids.front() << "…) ";
            }
        };
        list("lost", lost);
        list("repeated", repeated);
        list("without marker", unmarked);
        list("marker without effect", effectless);
        list("never sent", neverSent);
        return out.str();
    }
};

/// `except`: IDs that may have no effect (rejected on purpose). Without markers (a wrong design) pass false.
inline Verdict verify(const TestKafka& kafka, const TestPostgres& db, const std::string& topic,
                      const std::string& consumer, const std::set<std::string>& except = {}, bool markers = true) {
    std::set<std::string> sent;
    for (const auto& record : kafka.readAll(topic)) {
        for (const auto& header : record.headers) {
            if (header.name == "message-id" && header.value) {
                sent.insert(*header.value);
            }
        }
    }
    const auto idsOf = [&](const std::string& sql) {
        std::map<std::string, int> ids;
        std::istringstream lines(db.execute(sql));
        for (std::string line; std::getline(lines, line);) {
            ++ids[line];
        }
        return ids;
    };
    const auto effects = idsOf(
        "SELECT coalesce(string_agg(message_id, E'\\n'), '') FROM redeliver_lab.effects WHERE "
        "consumer_name = '" +
        consumer + "'");
    const auto marks = idsOf(
        "SELECT coalesce(string_agg(message_id, E'\\n'), '') FROM redeliver.processed_messages WHERE "
        "consumer_name = '" +
        consumer + "'");
    Verdict verdict;
    for (const auto& id : sent) {
        if (!effects.contains(id) && !except.contains(id)) {
            verdict.lost.push_back(id);
        }
    }
    for (const auto& [id, count] : effects) {
        if (count > 1) {
            verdict.repeated.push_back(id);
        }
        if (!sent.contains(id)) {
            verdict.neverSent.push_back(id);
        }
        if (markers && !marks.contains(id)) {
            verdict.unmarked.push_back(id);
        }
    }
    for (const auto& [id, count] : marks) {
        if (markers && !effects.contains(id)) {
            verdict.effectless.push_back(id);
        }
    }
    return verdict;
}

}  // namespace redeliver::tests
