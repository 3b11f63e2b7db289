// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "core/replay/canonical_json.h"
#include "core/replay/plan_document.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace redeliver::replay {
namespace {

using nlohmann::json;

Error badPlace(const std::string& place, std::string_view what) {
    return {ErrorKind::BadInput, fmt::format("plan: {}: {}", place, what),
            "A plan is written by \"redeliverctl replay plan … --out FILE\" and isn't edited by hand"};
}

// One node of the document with its place; its getters throw the Error that names it, caught in parsePlan.
class Node {
  public:
    Node(const json& value, std::string place) : m_value(value), m_place(std::move(place)) {}

    [[nodiscard]] Node at(const char* name) const {
        if (!m_value.is_object()) {
            throw badPlace(m_place.empty() ? "document" : m_place, "an object is missing");
        }
        const auto found = m_value.find(name);
        if (found == m_value.end()) {
            throw badPlace(child(name), "is missing");
        }
        return {*found, child(name)};
    }

    [[nodiscard]] bool isNull() const { return m_value.is_null(); }

    [[nodiscard]] std::string text() const {
        if (!m_value.is_string()) {
            throw badPlace(m_place, "a text is missing");
        }
        return m_value.get<std::string>();
    }

    [[nodiscard]] std::string textOrNull() const { return isNull() ? std::string() : text(); }

    [[nodiscard]] std::int64_t integer() const {
        if (!m_value.is_number_integer() ||
            (m_value.is_number_unsigned() &&
             m_value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))) {
            throw badPlace(m_place, "an integer is missing");
        }
        return m_value.get<std::int64_t>();
    }

    [[nodiscard]] std::int64_t natural() const {
        const std::int64_t value = integer();
        if (value < 0) {
            throw badPlace(m_place, "is below 0");
        }
        return value;
    }

    [[nodiscard]] Partition partition() const {
        const std::int64_t value = natural();
        if (value > std::numeric_limits<std::int32_t>::max()) {
            throw badPlace(m_place, "is no partition");
        }
        return Partition{static_cast<std::int32_t>(value)};
    }

    [[nodiscard]] bool flag() const {
        if (!m_value.is_boolean()) {
            throw badPlace(m_place, "true or false is missing");
        }
        return m_value.get<bool>();
    }

    [[nodiscard]] TimePoint time() const {
        auto at = parseRfc3339(text());
        if (!at) {
            throw badPlace(m_place, at.error().text());
        }
        return *at;
    }

    [[nodiscard]] std::vector<Node> list() const {
        if (!m_value.is_array()) {
            throw badPlace(m_place, "a list is missing");
        }
        std::vector<Node> nodes;
        for (std::size_t i = 0; i < m_value.size(); ++i) {
            nodes.emplace_back(m_value[i], fmt::format("{}[{}]", m_place, i));
        }
        return nodes;
    }

    [[nodiscard]] std::vector<std::pair<std::string, Node>> members() const {
        if (!m_value.is_object()) {
            throw badPlace(m_place, "an object is missing");
        }
        std::vector<std::pair<std::string, Node>> nodes;
        for (const auto& item : m_value.items()) {
            nodes.emplace_back(item.key(), Node(item.value(), child(item.key())));
        }
        return nodes;
    }

    // The value of `Enum` (0 to count − 1) whose text stands here.
    template <class Enum>
    [[nodiscard]] Enum oneOf(std::size_t count) const {
        const std::string found = text();
        for (std::size_t i = 0; i < count; ++i) {
            if (toText(static_cast<Enum>(i)) == found) {
                return static_cast<Enum>(i);
            }
        }
        throw badPlace(m_place, fmt::format("unknown value \"{}\"", found));
    }

    [[nodiscard]] const std::string& place() const { return m_place; }

  private:
    [[nodiscard]] std::string child(std::string_view name) const {
        return m_place.empty() ? std::string(name) : fmt::format("{}.{}", m_place, name);
    }

    const json& m_value;
    std::string m_place;
};

std::vector<PlanRange> ranges(const Node& node) {
    std::vector<PlanRange> list;
    for (const Node& one : node.list()) {
        list.push_back(
            {one.at("partition").partition(), Offset{one.at("from").natural()}, Offset{one.at("to").natural()}});
        if (list.back().to < list.back().from) {
            throw badPlace(one.place(), "ends before it begins");
        }
    }
    return list;
}

PlanSource source(const Node& node) {
    PlanSource made;
    const std::string kind = node.at("kind").text();
    if (kind == "offsets") {
        made.kind = PlanSource::Kind::Offsets;
        made.offsets = ranges(node.at("ranges"));
    } else if (kind == "time_window") {
        made.window = TimeRange{node.at("from").time(), node.at("to").time()};
    } else {
        throw badPlace(node.at("kind").place(), fmt::format("unknown value \"{}\"", kind));
    }
    return made;
}

Horizon horizon(const Node& node) {
    Horizon made;
    made.basis = node.at("basis").oneOf<HorizonBasis>(4);
    if (!node.at("at").isNull()) {
        made.at = node.at("at").time();
    }
    if (!node.at("offsets").isNull()) {
        for (const auto& [name, offset] : node.at("offsets").members()) {
            const auto partition = toInt64(name);
            if (!partition || *partition < 0 || *partition > std::numeric_limits<std::int32_t>::max()) {
                throw badPlace(offset.place(), "is no partition");
            }
            made.offsets[Partition{static_cast<std::int32_t>(*partition)}] = Offset{offset.natural()};
        }
    }
    return made;
}

ConsumerForecast forecast(const Node& node) {
    ConsumerForecast made;
    made.consumer = node.at("consumer").text();
    made.guarded = node.at("guarded").flag();
    made.horizon = horizon(node.at("horizon"));
    for (std::size_t i = 0; i < messageClassCount; ++i) {
        const std::string name(toText(static_cast<MessageClass>(i)));
        made.classes[i] = node.at("classes").at(name.c_str()).natural();
    }
    for (const auto& [reason, count] : node.at("unprotected").at("reasons").members()) {
        made.unprotectedReasons[reason] = count.natural();
    }
    for (const Node& one : node.at("unprotected").at("ranges").list()) {
        made.unprotected.push_back({one.at("partition").partition(), Offset{one.at("from").natural()},
                                    Offset{one.at("to").natural()}, one.at("count").natural()});
    }
    for (const Node& one : node.at("runs").list()) {
        made.runs.push_back({one.at("partition").partition(), Offset{one.at("from").natural()},
                             Offset{one.at("to").natural()}, one.at("class").oneOf<MessageClass>(messageClassCount)});
    }
    return made;
}

Finding finding(const Node& node) {
    Finding made;
    made.code = node.at("code").text();
    const std::string severity = node.at("severity").text();
    if (severity != "info" && severity != "warn" && severity != "refuse") {
        throw badPlace(node.at("severity").place(), fmt::format("unknown value \"{}\"", severity));
    }
    made.severity = severity == "info" ? Severity::Info : severity == "warn" ? Severity::Warn : Severity::Refuse;
    const std::string answer = node.at("answer").textOrNull();
    if (!answer.empty() && answer != "phrase" && answer != "accept") {
        throw badPlace(node.at("answer").place(), fmt::format("unknown value \"{}\"", answer));
    }
    made.answer = answer.empty() ? Answer::None : answer == "phrase" ? Answer::Phrase : Answer::Accept;
    made.consumer = node.at("consumer").textOrNull();
    made.text = node.at("text").text();
    made.evidence = node.at("evidence").text();
    made.mend = node.at("mend").text();
    return made;
}

PlanOptions options(const Node& node) {
    PlanOptions made;
    made.rate = node.at("rate").natural();
    if (made.rate < 1) {
        throw badPlace(node.at("rate").place(), "is below 1");
    }
    made.keepTimestamps = node.at("keep_timestamps").flag();
    for (const Node& pattern : node.at("drop_headers").list()) {
        made.dropHeaders.push_back(pattern.text());
    }
    made.onlyFor = node.at("only_for").textOrNull();
    return made;
}

ReplayPlan plan(const Node& node) {
    ReplayPlan made;
    made.planId = node.at("plan_id").text();
    made.digest = node.at("digest").text();
    made.createdAt = node.at("created_at").time();
    made.clusterId = node.at("cluster_id").text();
    made.consumer = node.at("consumer").text();
    made.topic = node.at("topic").text();
    made.source = source(node.at("source"));
    made.target = node.at("target").text();
    made.options = options(node.at("options"));
    made.expectedSeconds = node.at("expected_seconds").natural();
    made.ranges = ranges(node.at("ranges"));
    made.records = node.at("records").natural();
    made.fingerprint = node.at("fingerprint").text();
    made.complete = node.at("complete").flag();
    made.incompleteWhy = node.at("incomplete_why").text();
    for (const Node& one : node.at("consumers").list()) {
        made.consumers.push_back(forecast(one));
    }
    for (const Node& one : node.at("findings").list()) {
        made.findings.push_back(finding(one));
    }
    if (!node.at("phrase").isNull()) {
        made.phrase = node.at("phrase").text();
    }
    return made;
}

}  // namespace

Result<ReplayPlan> parsePlan(std::string_view text) {
    const json document = json::parse(text, nullptr, false);
    if (document.is_discarded()) {
        return failure(badPlace("document", "not JSON"));
    }
    try {
        ReplayPlan parsed = plan(Node(document, ""));
        json rest = document;
        rest.erase("digest");
        const auto canonical = canonicalJson(rest);
        if (!canonical) {
            return failure(badPlace("document", canonical.error().text()));
        }
        if (sha256Hex(*canonical) != parsed.digest) {
            return failure({ErrorKind::Refused,
                            "plan-stale: the plan was changed after it was written (its digest doesn't hold)",
                            "Plan again: redeliverctl replay plan …", "plan-stale"});
        }
        return parsed;
    } catch (const Error& error) {
        return failure(error);
    }
}

}  // namespace redeliver::replay
