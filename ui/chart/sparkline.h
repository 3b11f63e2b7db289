// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/delivery.h"
#include "ui/common/palette.h"

#include <QRectF>

#include <vector>

class QPainter;

namespace redeliver::ui {

/// A small line of deliveries per bucket, with the duplicates' part filled below it. Scaled to its own largest bucket;
/// nothing is drawn where nothing was delivered in the whole span.
void drawSparkline(QPainter& painter, const QRectF& rect, const std::vector<Counts>& buckets, const Palette& palette);

}  // namespace redeliver::ui
