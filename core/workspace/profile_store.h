// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/profile.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver {

/// Parses a profile. Unknown keys, wrong types and bad spans are BadInput naming `file:line` (contract.md, Profile).
[[nodiscard]] Result<Profile> parseProfile(std::string_view toml, const std::filesystem::path& file);
[[nodiscard]] std::string writeProfile(const Profile& profile);  ///< TOML that parseProfile reads back equal

/// The profiles of this user: `$XDG_CONFIG_HOME/redeliver/profiles/NAME.toml`. Blocking file I/O, any thread.
class ProfileStore {
  public:
    ProfileStore();  ///< the user's folder
    explicit ProfileStore(std::filesystem::path folder);

    struct Listed {
        std::string name;
        std::filesystem::path file;
        Result<Profile> profile;
    };
    [[nodiscard]] std::vector<Listed> list() const;
    /// A name, or a path when it contains '/' or ends in .toml. NotFound names the profiles there are.
    [[nodiscard]] Result<Profile> load(std::string_view nameOrFile) const;
    [[nodiscard]] Result<void> save(const Profile& profile) const;  ///< atomically, mode 0600
    [[nodiscard]] Result<void> remove(std::string_view name) const;
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return m_folder; }

  private:
    std::filesystem::path m_folder;
};

}  // namespace redeliver
