// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#define TOML_EXCEPTIONS 0
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <vector>

namespace redeliver {

/// Reads the members of one TOML table by name and afterwards refuses what nobody asked for. The first fault stays;
/// later ones are dropped. Errors read `file:line: …`. For the .cpp files of core/workspace only.
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

[[nodiscard]] Error profileError(const std::filesystem::path& file, std::size_t line, std::string_view text,
                                 std::string hint = {});

}  // namespace redeliver
