// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/context/session.h"

#include "ui/common/convert.h"

#include <utility>

namespace redeliver::ui {

Session::Session(Profile profile, DeskMaker desks, QObject* parent)
    : QObject(parent),
      m_profile(std::move(profile)),
      m_desks(std::move(desks)),
      m_canUnlock(m_profile.isReadOnly() && !m_profile.readOnly.has_value()) {
    m_telemetry = std::make_unique<Lane<TelemetryDesk>>("telemetry",
                                                        [make = m_desks.telemetry, p = m_profile] { return make(p); });
    m_browse = std::make_unique<Lane<BrowseDesk>>("browse", [make = m_desks.browse, p = m_profile] { return make(p); });
    makeWritingLanes();
}

Session::~Session() = default;

void Session::makeWritingLanes() {
    m_actions =
        std::make_unique<Lane<ActionDesk>>("action", [make = m_desks.actions, p = m_profile] { return make(p); });
    m_replays =
        std::make_unique<Lane<ReplayDesk>>("replays", [make = m_desks.replays, p = m_profile] { return make(p); });
}

std::unique_ptr<Lane<ReplayDesk>> Session::makeReplayEngine() const {
    return std::make_unique<Lane<ReplayDesk>>("replay-engine",
                                              [make = m_desks.replays, p = m_profile] { return make(p); });
}

bool Session::unlock(const QString& typedName) {
    if (!m_canUnlock || toStd(typedName) != m_profile.name) {
        return false;
    }
    m_profile.readOnly = false;
    makeWritingLanes();
    Q_EMIT readOnlyChanged(false);
    return true;
}

void Session::lock() {
    if (m_canUnlock && !m_profile.isReadOnly()) {
        m_profile.readOnly.reset();
        makeWritingLanes();
        Q_EMIT readOnlyChanged(true);
    }
}

}  // namespace redeliver::ui
