// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/identity/message_id_rules.h"

#include "core/base/text.h"
#include "core/identity/json_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace redeliver {
namespace {

using From = MessageIdRule::From;
using Type = MessageIdRule::Type;

Error badRule(std::string_view rule, std::string_view what) {
    return {ErrorKind::BadInput, fmt::format("message_id rule \"{}\": {}", rule, what),
            "Rules: header:NAME, header-last:NAME, json:/POINTER, key (alone), key!, coordinates; typed: key:uuid, "
            "key:int64, header:NAME:uuid, header:NAME:int64"};
}

// Takes ":uuid" or ":int64" off the end.
Type takeType(std::string_view& text) {
    if (text.ends_with(":uuid")) {
        text.remove_suffix(5);
        return Type::Uuid;
    }
    if (text.ends_with(":int64")) {
        text.remove_suffix(6);
        return Type::Int64;
    }
    return Type::Text;
}

Result<std::vector<std::string>> parsePointer(std::string_view rule, std::string_view pointer) {
    if (!pointer.starts_with('/')) {
        return failure(badRule(rule, "a JSON pointer starts with '/', as in json:/message_id"));
    }
    std::vector<std::string> path;
    for (std::size_t i = 0; i < pointer.size(); ++i) {
        const char c = pointer[i];
        if (c == '/') {
            path.emplace_back();
        } else if (c != '~') {
            path.back() += c;
        } else if (i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
            path.back() += pointer[++i] == '0' ? '~' : '/';
        } else {
            return failure(badRule(rule, "in a JSON pointer '~' is written ~0, and '/' inside a name ~1"));
        }
    }
    return path;
}

Result<MessageIdRule> parseHeaderRule(std::string_view text, std::string_view rest, From from) {
    constexpr std::array<std::string_view, 8> notOurs{":int",  ":int32",  ":long",  ":guid",
                                                      ":text", ":string", ":bytes", ":uint64"};
    MessageIdRule rule{from, takeType(rest), std::string(text), {}, {}};
    if (rest.empty()) {
        return failure(badRule(text, "the header's name is missing"));
    }
    for (const std::string_view suffix : notOurs) {
        if (rest.ends_with(suffix)) {
            return failure(
                badRule(text, fmt::format("unknown type \"{}\"; there are uuid and int64", suffix.substr(1))));
        }
    }
    rule.name = rest;
    return rule;
}

Result<MessageIdRule> parseRule(std::string_view text, bool alone) {
    if (!isValidUtf8(text) || text.find('\0') != std::string_view::npos) {
        return failure(badRule(toHex(text), "not valid UTF-8 text"));
    }
    if (text == "coordinates") {
        return MessageIdRule{From::Coordinates, Type::Text, std::string(text), {}, {}};
    }
    for (const auto& [prefix, from] :
         {std::pair{std::string_view("header:"), From::Header}, {std::string_view("header-last:"), From::HeaderLast}}) {
        if (text.starts_with(prefix)) {
            return parseHeaderRule(text, text.substr(prefix.size()), from);
        }
    }
    if (text.starts_with("json:")) {
        auto path = parsePointer(text, text.substr(5));
        if (!path) {
            return failure(path.error());
        }
        return MessageIdRule{From::Json, Type::Text, std::string(text), {}, std::move(*path)};
    }
    std::string_view rest = text;
    const Type type = takeType(rest);
    if (rest == "key!" || (rest == "key" && alone)) {
        return MessageIdRule{From::Key, type, std::string(text), {}, {}};
    }
    if (rest == "key") {
        return failure(badRule(text,
                               "falling back to a key that many messages share would throw the later ones away; write "
                               "it alone, or as key! where every message has a key of its own"));
    }
    return failure(badRule(text, "unknown"));
}

IdResult checkText(const MessageIdRule& rule, std::string_view bytes) {
    const auto unusable = [&](std::string_view why) { return IdUnusable{fmt::format("{}: {}", rule.text, why)}; };
    if (bytes.empty()) {
        return unusable("empty");
    }
    if (bytes.size() > maxMessageIdBytes) {
        return unusable(fmt::format("{} bytes, more than {}", bytes.size(), maxMessageIdBytes));
    }
    if (bytes.find('\0') != std::string_view::npos) {
        return unusable("contains a NUL byte");
    }
    if (!isValidUtf8(bytes)) {
        return unusable("not valid UTF-8");
    }
    return MessageId{std::string(bytes)};
}

std::optional<std::string> uuidText(std::string_view bytes) {
    constexpr std::array<std::size_t, 4> dashes{8, 13, 18, 23};
    if (bytes.size() == 16) {
        std::string text = toHex(bytes);
        for (const std::size_t dash : dashes) {
            text.insert(dash, 1, '-');
        }
        return text;
    }
    if (bytes.size() != 36) {
        return std::nullopt;
    }
    std::string text(bytes);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool isDash = std::find(dashes.begin(), dashes.end(), i) != dashes.end();
        if (text[i] >= 'A' && text[i] <= 'F') {
            text[i] = static_cast<char>(text[i] - 'A' + 'a');
        }
        const bool isHex = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
        if (isDash ? text[i] != '-' : !isHex) {
            return std::nullopt;
        }
    }
    return text;
}

IdResult checkTyped(const MessageIdRule& rule, std::string_view bytes) {
    if (rule.type == Type::Text) {
        return checkText(rule, bytes);
    }
    if (rule.type == Type::Uuid) {
        if (auto text = uuidText(bytes)) {
            return MessageId{std::move(*text)};
        }
        return IdUnusable{fmt::format("{}: {} bytes are no UUID", rule.text, bytes.size())};
    }
    if (bytes.size() != 8) {
        return IdUnusable{fmt::format("{}: {} bytes, an int64 has 8", rule.text, bytes.size())};
    }
    std::uint64_t value = 0;
    for (const char byte : bytes) {
        value = (value << 8U) | static_cast<unsigned char>(byte);
    }
    return MessageId{fmt::format("{}", static_cast<std::int64_t>(value))};
}

IdResult fromHeader(const MessageIdRule& rule, const Record& record) {
    const auto isNamed = [&](const Header& header) { return header.name == rule.name; };
    const Header* found = nullptr;
    if (rule.from == From::Header) {
        const auto it = std::find_if(record.headers.begin(), record.headers.end(), isNamed);
        found = it == record.headers.end() ? nullptr : &*it;
    } else {
        const auto it = std::find_if(record.headers.rbegin(), record.headers.rend(), isNamed);
        found = it == record.headers.rend() ? nullptr : &*it;
    }
    if (found == nullptr) {
        return IdAbsent{};
    }
    if (!found->value) {
        return IdUnusable{rule.text + ": null"};
    }
    return checkTyped(rule, *found->value);
}

IdResult fromJson(const MessageIdRule& rule, const Record& record) {
    if (!record.value) {
        return IdAbsent{};
    }
    const JsonFound found = findInJson(*record.value, rule.path);
    using Kind = JsonFound::Kind;
    if (found.kind == Kind::NotJson || found.kind == Kind::Missing || found.kind == Kind::Null) {
        return IdAbsent{};
    }
    if (found.illFormed) {
        return IdUnusable{rule.text + ": not valid UTF-8"};
    }
    if (found.kind == Kind::Other) {
        return IdUnusable{rule.text + ": neither a string nor an integer"};
    }
    return checkText(rule, found.text);
}

IdResult apply(const MessageIdRule& rule, const Record& record) {
    switch (rule.from) {
        case From::Header:
        case From::HeaderLast:
            return fromHeader(rule, record);
        case From::Json:
            return fromJson(rule, record);
        case From::Key:
            return record.key ? checkTyped(rule, *record.key) : IdResult(IdAbsent{});
        case From::Coordinates:
            break;
    }
    return MessageId{toText(Coordinates{{}, record.tp.topic, record.tp.partition, record.offset})};
}

}  // namespace

Result<MessageIdRules> MessageIdRules::parse(const std::vector<std::string>& rules) {
    if (rules.empty()) {
        return failure({ErrorKind::BadInput, "message_id: no rule says where a message's ID is",
                        "Set message_id for the consumer, e.g. message_id = [\"header:message-id\"], or redeliverctl "
                        "consumers set"});
    }
    std::vector<MessageIdRule> parsed;
    for (const std::string& text : rules) {
        auto rule = parseRule(text, rules.size() == 1);
        if (!rule) {
            return failure(rule.error());
        }
        parsed.push_back(std::move(*rule));
        if (parsed.back().from == From::Coordinates && parsed.size() < rules.size()) {
            return failure(badRule(text, "always gives an ID, so the rules after it would never be tried"));
        }
    }
    return MessageIdRules(std::move(parsed));
}

IdResult MessageIdRules::extract(const Record& record) const {
    for (const MessageIdRule& rule : m_rules) {
        IdResult result = apply(rule, record);
        if (!std::holds_alternative<IdAbsent>(result)) {
            return result;
        }
    }
    return IdAbsent{};
}

std::vector<std::string> MessageIdRules::texts() const {
    std::vector<std::string> texts;
    texts.reserve(m_rules.size());
    for (const MessageIdRule& rule : m_rules) {
        texts.push_back(rule.text);
    }
    return texts;
}

std::string whyNoIdentity(const IdResult& result) {
    if (const auto* unusable = std::get_if<IdUnusable>(&result)) {
        return unusable->reason;
    }
    return std::holds_alternative<IdAbsent>(result) ? "no rule found a message ID" : "";
}

}  // namespace redeliver
