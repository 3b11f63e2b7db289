// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"
#include "core/identity/message_id_rules.h"
#include "core/workspace/profile_store.h"

#define TOML_EXCEPTIONS 0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <toml++/toml.h>

namespace redeliver {
namespace {

using Fault = std::optional<Error>;

// Reads the members of one TOML table by name and afterwards refuses what nobody asked for. The first fault stays;
// later ones are dropped. Errors read `file:line: …`.
class TableReader {
  public:
    TableReader(const toml::table& table, std::string where, const std::filesystem::path& file,
                std::optional<Error>& fault);

    [[nodiscard]] std::optional<std::string> text(std::string_view key);
    [[nodiscard]] std::string requiredText(std::string_view key);
    [[nodiscard]] std::optional<bool> flag(std::string_view key);
    [[nodiscard]] std::optional<std::chrono::seconds> span(std::string_view key);
    [[nodiscard]] std::vector<std::string> texts(std::string_view key);
    [[nodiscard]] const toml::table* table(std::string_view key);
    [[nodiscard]] std::vector<const toml::table*> tables(std::string_view key);
    [[nodiscard]] const toml::node* node(std::string_view key);
    /// Call last: any other key is an error with its line and the keys there are.
    void refuseOthers();

    void fail(const toml::node* at, const std::string& text, const std::string& hint = {});
    [[nodiscard]] bool failed() const noexcept { return m_fault.has_value(); }

  private:
    const toml::table& m_table;
    std::string m_where;
    const std::filesystem::path& m_file;
    std::optional<Error>& m_fault;
    std::vector<std::string> m_asked;
};

Error profileError(const std::filesystem::path& file, std::size_t line, std::string_view text, std::string hint = {}) {
    return {ErrorKind::BadInput, fmt::format("{}:{}: {}", file.string(), line, text), std::move(hint), "profile"};
}

TableReader::TableReader(const toml::table& table, std::string where, const std::filesystem::path& file,
                         std::optional<Error>& fault)
    : m_table(table), m_where(std::move(where)), m_file(file), m_fault(fault) {}

void TableReader::fail(const toml::node* at, const std::string& text, const std::string& hint) {
    if (!m_fault) {
        const std::size_t line = at != nullptr ? at->source().begin.line : m_table.source().begin.line;
        m_fault = profileError(m_file, std::max<std::size_t>(line, 1), text, hint);
    }
}

const toml::node* TableReader::node(std::string_view key) {
    m_asked.emplace_back(key);
    return m_table.get(key);
}

std::optional<std::string> TableReader::text(std::string_view key) {
    const toml::node* found = node(key);
    if (found == nullptr) {
        return std::nullopt;
    }
    if (const auto* value = found->as_string()) {
        if (value->get().find('\0') == std::string::npos) {
            return value->get();
        }
        fail(found, fmt::format("{} has a NUL character", key));
        return std::nullopt;
    }
    fail(found, fmt::format("{} must be text", key), fmt::format("Write {} = \"…\".", key));
    return std::nullopt;
}

std::string TableReader::requiredText(std::string_view key) {
    auto value = text(key);
    if (!value || value->empty()) {
        fail(m_table.get(key), fmt::format("{} needs {}", m_where, key), fmt::format("Write {} = \"…\".", key));
        return {};
    }
    return *std::move(value);
}

std::optional<bool> TableReader::flag(std::string_view key) {
    const toml::node* found = node(key);
    if (found == nullptr) {
        return std::nullopt;
    }
    if (const auto* value = found->as_boolean()) {
        return value->get();
    }
    fail(found, fmt::format("{} must be true or false", key));
    return std::nullopt;
}

std::optional<std::chrono::seconds> TableReader::span(std::string_view key) {
    const toml::node* found = m_table.get(key);
    const auto value = text(key);
    if (!value) {
        return std::nullopt;
    }
    auto read = parseSpan(*value);
    if (!read) {
        fail(found, fmt::format("{}: {}", key, read.error().text()), read.error().hint());
        return std::nullopt;
    }
    return *read;
}

std::vector<std::string> TableReader::texts(std::string_view key) {
    std::vector<std::string> out;
    const toml::node* found = node(key);
    if (found == nullptr) {
        return out;
    }
    const auto* list = found->as_array();
    if (list == nullptr) {
        fail(found, fmt::format("{} must be a list of texts", key), fmt::format("Write {} = [\"…\"].", key));
        return out;
    }
    for (const toml::node& item : *list) {
        const auto* value = item.as_string();
        if (value == nullptr || value->get().empty() || value->get().find('\0') != std::string::npos) {
            fail(&item, fmt::format("{} must be a list of texts, none of them empty", key));
            return {};
        }
        out.push_back(value->get());
    }
    return out;
}

const toml::table* TableReader::table(std::string_view key) {
    const toml::node* found = node(key);
    if (found != nullptr && !found->is_table()) {
        fail(found, fmt::format("{} must be a table", key), fmt::format("Write [{}] on a line of its own.", key));
        return nullptr;
    }
    return found == nullptr ? nullptr : found->as_table();
}

std::vector<const toml::table*> TableReader::tables(std::string_view key) {
    std::vector<const toml::table*> out;
    const toml::node* found = node(key);
    if (found == nullptr) {
        return out;
    }
    const auto* list = found->as_array();
    if (list != nullptr) {
        for (const toml::node& item : *list) {
            if (const auto* table = item.as_table()) {
                out.push_back(table);
            }
        }
    }
    if (list == nullptr || out.size() != list->size()) {
        fail(found, fmt::format("{} must be a list of tables", key), fmt::format("Write [[{}]] above each.", key));
    }
    return out;
}

void TableReader::refuseOthers() {
    for (const auto& [key, value] : m_table) {
        if (std::find(m_asked.begin(), m_asked.end(), key.str()) == m_asked.end()) {
            const std::size_t line = key.source().begin.line;
            if (!m_fault) {
                m_fault = profileError(m_file, std::max<std::size_t>(line, 1),
                                       fmt::format("unknown key {} in {}", key.str(), m_where),
                                       fmt::format("Known here: {}.", fmt::join(m_asked, ", ")));
            }
            return;
        }
    }
}

template <class Name>
std::optional<Name> named(std::optional<std::string> text) {
    return text ? std::optional<Name>(Name{*std::move(text)}) : std::nullopt;
}

template <class Name>
std::vector<Name> namedAll(std::vector<std::string> texts) {
    std::vector<Name> out;
    out.reserve(texts.size());
    for (std::string& text : texts) {
        out.emplace_back(std::move(text));
    }
    return out;
}

void readEnvironment(TableReader& top, Profile& profile) {
    constexpr std::array all{Environment::Development, Environment::Staging, Environment::Production};
    const toml::node* found = top.node("environment");
    const auto text = top.text("environment");
    if (!text) {
        return;
    }
    const auto* const it =
        std::find_if(all.begin(), all.end(), [&](Environment environment) { return toText(environment) == *text; });
    if (it == all.end()) {
        top.fail(found, fmt::format("environment \"{}\" is not known", *text),
                 "Write development, staging or production.");
        return;
    }
    profile.environment = *it;
}

// { env = … } or { file = … } or { keyring = … }
std::optional<SecretSource> readSecret(const toml::table& table, const std::string& key,
                                       const std::filesystem::path& file, Fault& fault) {
    TableReader reader{table, key, file, fault};
    const std::array<std::pair<SecretSource::From, std::optional<std::string>>, 3> ways{
        {{SecretSource::From::Env, reader.text("env")},
         {SecretSource::From::File, reader.text("file")},
         {SecretSource::From::Keyring, reader.text("keyring")}}};
    reader.refuseOthers();
    std::optional<SecretSource> source;
    int count = 0;
    for (const auto& [from, name] : ways) {
        if (name && !name->empty()) {
            source = SecretSource{from, *name};
            ++count;
        }
    }
    if (count != 1) {
        reader.fail(&table, fmt::format("{} needs exactly one of env, file, keyring", key),
                    fmt::format("Write {} = {{ env = \"VARIABLE\" }}.", key));
        return std::nullopt;
    }
    return source;
}

bool dsnHoldsPassword(const std::string& dsn) {
    const std::size_t scheme = dsn.find("://");
    if (scheme != std::string::npos) {
        const std::size_t host = dsn.find('@', scheme);
        const std::size_t colon = dsn.find(':', scheme + 3);
        if (host != std::string::npos && colon != std::string::npos && colon < host) {
            return true;
        }
    }
    const std::size_t at = dsn.find("password");
    return at != std::string::npos && (at == 0 || dsn[at - 1] == ' ' || dsn[at - 1] == '?' || dsn[at - 1] == '&') &&
           dsn.find_first_not_of(' ', at + 8) != std::string::npos && dsn[dsn.find_first_not_of(' ', at + 8)] == '=';
}

void readPostgres(TableReader& top, Profile& profile, Fault& fault) {
    const toml::table* table = top.table("postgres");
    if (table == nullptr) {
        return;
    }
    TableReader reader{*table, "[postgres]", profile.file, fault};
    profile.dsn = reader.requiredText("dsn");
    if (dsnHoldsPassword(profile.dsn)) {
        reader.fail(
            table->get("dsn"), "dsn holds a password",
            "Take it out and write password = { env = \"VARIABLE\" }, or use libpq's passfile or service file.");
    }
    const toml::node* schemaNode = table->get("schema");
    profile.schema = reader.text("schema").value_or(profile.schema);
    if (profile.schema.empty()) {
        reader.fail(schemaNode, "schema is empty", "Leave it out for \"redeliver\".");
    }
    const toml::node* password = reader.node("password");
    if (password != nullptr) {
        if (const auto* source = password->as_table()) {
            profile.password = readSecret(*source, "password", profile.file, fault);
        } else {
            reader.fail(password, "no password in a profile",
                        "Write password = { env = \"VARIABLE\" } or { file = \"PATH\" } or { keyring = \"ENTRY\" }.");
        }
    }
    reader.refuseOthers();
}

// Values of these may only be references.
bool isKafkaSecret(std::string_view key) noexcept {
    constexpr std::array<std::string_view, 5> secrets{"sasl.password", "ssl.key.password", "ssl.keystore.password",
                                                      "sasl.oauthbearer.client.secret", "ssl.key.pem"};
    return std::find(secrets.begin(), secrets.end(), key) != secrets.end();
}

void readKafka(TableReader& top, Profile& profile, Fault& fault) {
    const toml::table* table = top.table("kafka");
    if (table == nullptr) {
        return;
    }
    TableReader reader{*table, "[kafka]", profile.file, fault};
    for (const auto& [key, value] : *table) {
        const std::string name{key.str()};
        if (const auto* text = value.as_string()) {
            if (isKafkaSecret(name)) {
                reader.fail(&value, fmt::format("no secret in a profile: {}", name),
                            fmt::format("Write \"{}\" = {{ env = \"VARIABLE\" }}.", name));
            }
            profile.kafka.emplace(name, text->get());
        } else if (const auto* number = value.as_integer()) {
            profile.kafka.emplace(name, fmt::format("{}", number->get()));
        } else if (const auto* flag = value.as_boolean()) {
            profile.kafka.emplace(name, flag->get() ? "true" : "false");
        } else if (const auto* source = value.as_table()) {
            if (auto secret = readSecret(*source, fmt::format("\"{}\"", name), profile.file, fault)) {
                profile.kafka.emplace(name, *std::move(secret));
            }
        } else {
            reader.fail(&value, fmt::format("{} must be text, a number, true or false, or {{ env = … }}", name),
                        name.find('.') == std::string::npos
                            ? "A property with dots in its name needs quotes: \"bootstrap.servers\" = …"
                            : "");
        }
    }
}

ProfileConsumer readConsumer(const toml::table& table, const std::filesystem::path& file, Fault& fault) {
    TableReader reader{table, "[[consumers]]", file, fault};
    ProfileConsumer consumer;
    consumer.name = ConsumerName{reader.requiredText("name")};
    consumer.group = named<GroupName>(reader.text("group"));
    consumer.topics = namedAll<Topic>(reader.texts("topics"));
    consumer.deadLetter = named<Topic>(reader.text("dead_letter"));
    consumer.formerly = namedAll<ConsumerName>(reader.texts("formerly"));
    consumer.messageId = reader.texts("message_id");
    consumer.markerRetention = reader.span("marker_retention");
    consumer.replayHorizon = reader.span("replay_horizon");
    if (!consumer.messageId.empty()) {
        if (const auto rules = MessageIdRules::parse(consumer.messageId); !rules) {
            reader.fail(table.get("message_id"), rules.error().text(), rules.error().hint());
        }
    }
    reader.refuseOthers();
    return consumer;
}

ProfileMarkers readMarkers(const toml::table& table, const std::filesystem::path& file, Fault& fault) {
    constexpr std::array<std::string_view, 10> presets{"redeliver", "generic",       "masstransit", "wolverine",
                                                       "cap",       "eventuate",     "nservicebus", "camel",
                                                       "brighter",  "inbox-messages"};
    TableReader reader{table, "[[markers]]", file, fault};
    ProfileMarkers markers;
    markers.preset = reader.requiredText("preset");
    if (!markers.preset.empty() && std::find(presets.begin(), presets.end(), markers.preset) == presets.end()) {
        reader.fail(table.get("preset"), fmt::format("there is no preset \"{}\"", markers.preset),
                    fmt::format("One of {}.", fmt::join(presets, ", ")));
    }
    markers.schema = reader.text("schema").value_or("");
    markers.table = reader.text("table").value_or("");
    markers.timezone = reader.text("timezone").value_or("");
    markers.retention = reader.span("retention");
    markers.clockMargin = reader.span("clock_margin");
    if (const toml::table* names = reader.table("consumers")) {
        for (const auto& [key, value] : *names) {
            if (const auto* text = value.as_string()) {
                markers.consumers.emplace(std::string{key.str()}, text->get());
            } else {
                reader.fail(&value, fmt::format("consumers: the value of {} must be text", key.str()));
            }
        }
    }
    reader.refuseOthers();
    return markers;
}

void readLists(TableReader& top, Profile& profile, Fault& fault) {
    std::set<std::string> names;
    for (const toml::table* table : top.tables("consumers")) {
        ProfileConsumer consumer = readConsumer(*table, profile.file, fault);
        if (!names.insert(consumer.name.value()).second) {
            top.fail(table, fmt::format("consumer {} is there twice", consumer.name.value()));
        }
        profile.consumers.push_back(std::move(consumer));
    }
    for (const toml::table* table : top.tables("markers")) {
        profile.markers.push_back(readMarkers(*table, profile.file, fault));
    }
}

}  // namespace

Result<Profile> parseProfile(std::string_view text, const std::filesystem::path& file) {
    const toml::parse_result parsed = toml::parse(text, file.string());
    if (!parsed) {
        const toml::parse_error& error = parsed.error();
        return failure(profileError(file, error.source().begin.line, error.description(),
                                    "The profile must be TOML; strings are quoted."));
    }
    Fault fault;
    Profile profile;
    profile.file = file;
    TableReader top{parsed.table(), "the profile", file, fault};
    profile.name = top.requiredText("name");
    readEnvironment(top, profile);
    profile.readOnly = top.flag("read_only");
    readPostgres(top, profile, fault);
    readKafka(top, profile, fault);
    readLists(top, profile, fault);
    top.refuseOthers();
    if (fault) {
        return failure(*std::move(fault));
    }
    return profile;
}

}  // namespace redeliver
