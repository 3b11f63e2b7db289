// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"
#include "core/workspace/profile_store.h"

#include <fmt/format.h>

namespace redeliver {
namespace {

// A basic string of TOML: everything that isn't allowed bare is escaped.
std::string tomlText(std::string_view value) {
    std::string text = "\"";
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text += '\\';
            text += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            text += fmt::format("\\u{:04x}", byte);
        } else {
            text += c;
        }
    }
    return text + '"';
}

class Writer {
  public:
    void line(std::string_view text) {
        m_text += text;
        m_text += '\n';
    }
    void text(std::string_view key, std::string_view value) { line(fmt::format("{} = {}", key, tomlText(value))); }
    void textIf(std::string_view key, std::string_view value) {
        if (!value.empty()) {
            text(key, value);
        }
    }
    void span(std::string_view key, const std::optional<std::chrono::seconds>& value) {
        if (value) {
            text(key, toSpanText(*value));
        }
    }
    template <class Items, class ToText>
    void list(std::string_view key, const Items& items, ToText toText) {
        if (items.empty()) {
            return;
        }
        std::string all;
        for (const auto& item : items) {
            all += all.empty() ? "" : ", ";
            all += tomlText(toText(item));
        }
        line(fmt::format("{} = [{}]", key, all));
    }
    [[nodiscard]] std::string take() { return std::move(m_text); }

  private:
    std::string m_text;
};

std::string secretText(const SecretSource& source) {
    const char* const how = source.from == SecretSource::From::Env    ? "env"
                            : source.from == SecretSource::From::File ? "file"
                                                                      : "keyring";
    return fmt::format("{{ {} = {} }}", how, tomlText(source.name));
}

const std::string& valueOf(const std::string& text) noexcept {
    return text;
}
template <class Tag>
const std::string& valueOf(const Strong<Tag, std::string>& name) noexcept {
    return name.value();
}
constexpr auto asText = [](const auto& item) -> const std::string& { return valueOf(item); };

void writeConsumer(Writer& out, const ProfileConsumer& consumer) {
    out.line("\n[[consumers]]");
    out.text("name", consumer.name.value());
    if (consumer.group) {
        out.text("group", consumer.group->value());
    }
    out.list("topics", consumer.topics, asText);
    if (consumer.deadLetter) {
        out.text("dead_letter", consumer.deadLetter->value());
    }
    out.list("formerly", consumer.formerly, asText);
    out.list("message_id", consumer.messageId, asText);
    out.span("marker_retention", consumer.markerRetention);
    out.span("replay_horizon", consumer.replayHorizon);
}

void writeMarkers(Writer& out, const ProfileMarkers& markers) {
    out.line("\n[[markers]]");
    out.text("preset", markers.preset);
    out.textIf("schema", markers.schema);
    out.textIf("table", markers.table);
    if (!markers.consumers.empty()) {
        std::string all;
        for (const auto& [ours, theirs] : markers.consumers) {
            all += fmt::format("{}{} = {}", all.empty() ? "" : ", ", tomlText(ours), tomlText(theirs));
        }
        out.line(fmt::format("consumers = {{ {} }}", all));
    }
    out.textIf("timezone", markers.timezone);
    out.span("retention", markers.retention);
    out.span("clock_margin", markers.clockMargin);
}

}  // namespace

std::string writeProfile(const Profile& profile) {
    Writer out;
    out.text("name", profile.name);
    out.text("environment", toText(profile.environment));
    if (profile.readOnly) {
        out.line(fmt::format("read_only = {}", *profile.readOnly));
    }
    if (!profile.dsn.empty()) {
        out.line("\n[postgres]");
        out.text("dsn", profile.dsn);
        out.text("schema", profile.schema);
        if (profile.password) {
            out.line(fmt::format("password = {}", secretText(*profile.password)));
        }
    }
    if (!profile.kafka.empty()) {
        out.line("\n[kafka]");
        for (const auto& [key, value] : profile.kafka) {
            const auto* const text = std::get_if<std::string>(&value);
            out.line(fmt::format("{} = {}", tomlText(key),
                                 text != nullptr ? tomlText(*text) : secretText(std::get<SecretSource>(value))));
        }
    }
    for (const ProfileConsumer& consumer : profile.consumers) {
        writeConsumer(out, consumer);
    }
    for (const ProfileMarkers& markers : profile.markers) {
        writeMarkers(out, markers);
    }
    return out.take();
}

}  // namespace redeliver
