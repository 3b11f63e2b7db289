// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace redeliver {

/// A password or key. It can't be printed, compared or logged; reveal() is for handing it to a client library only.
class Secret {
  public:
    Secret() = default;
    explicit Secret(std::string text) : m_text(std::move(text)) {}

    [[nodiscard]] const std::string& reveal() const noexcept { return m_text; }
    [[nodiscard]] bool empty() const noexcept { return m_text.empty(); }

  private:
    std::string m_text;
};

}  // namespace redeliver
