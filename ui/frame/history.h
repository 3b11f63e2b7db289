// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/context/page.h"
#include "ui/context/time_window.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace redeliver::ui {

/// Where the window was: page, what it showed, time range.
struct Place {
    Link link;
    TimeChoice time;
    friend bool operator==(const Place&, const Place&) = default;
};

/// Back and forward over places, as in a browser; at most 100.
class History {
  public:
    void visit(const Place& place);
    [[nodiscard]] std::optional<Place> back();
    [[nodiscard]] std::optional<Place> forward();

  private:
    std::vector<Place> m_places;
    std::size_t m_at = 0;
};

}  // namespace redeliver::ui
