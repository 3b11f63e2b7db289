// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/history.h"

namespace redeliver::ui {

namespace {
constexpr std::size_t most = 100;
}

void History::visit(const Place& place) {
    if (!m_places.empty()) {
        if (m_places[m_at] == place) {
            return;
        }
        m_places.resize(m_at + 1);
    }
    m_places.push_back(place);
    if (m_places.size() > most) {
        m_places.erase(m_places.begin());
    }
    m_at = m_places.size() - 1;
}

std::optional<Place> History::back() {
    if (m_at == 0 || m_places.empty()) {
        return std::nullopt;
    }
    return m_places[--m_at];
}

std::optional<Place> History::forward() {
    if (m_at + 1 >= m_places.size()) {
        return std::nullopt;
    }
    return m_places[++m_at];
}

}  // namespace redeliver::ui
