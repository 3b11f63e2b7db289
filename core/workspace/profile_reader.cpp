// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile_reader.h"

#include "core/base/time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace redeliver {

Error profileError(const std::filesystem::path& file, std::size_t line, std::string_view text, std::string hint) {
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

}  // namespace redeliver
