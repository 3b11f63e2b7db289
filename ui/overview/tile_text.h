// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/snapshot.h"
#include "ui/common/palette.h"

#include <QCoreApplication>
#include <QString>

#include <array>

namespace redeliver::ui {

class Zone;

struct TileText {
    QString figure;
    QString note;
    Tone tone = Tone::Neutral;
};

/// The words of the five tiles. Pure.
class TileTexts {
    Q_DECLARE_TR_FUNCTIONS(redeliver::ui::TileTexts)
  public:
    /// Deliveries, newly processed, duplicates absorbed, transaction failures, ack failures.
    [[nodiscard]] static std::array<QString, 5> names();
    [[nodiscard]] static std::array<TileText, 5> of(const Snapshot& snapshot, const Zone& zone);

  private:
    [[nodiscard]] static TileText duplicates(const Snapshot& snapshot);
    [[nodiscard]] static TileText failures(const Snapshot& snapshot);
    [[nodiscard]] static TileText ackFailures(const Snapshot& snapshot, const Zone& zone);
};

}  // namespace redeliver::ui
