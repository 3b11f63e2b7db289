// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/context/page.h"

#include <QObject>

namespace redeliver::ui {

/// How pages send the user elsewhere; the frame listens, moves, and remembers the way back.
class Navigator : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;
    void go(const Link& link) { Q_EMIT requested(link); }

  Q_SIGNALS:
    void requested(const redeliver::ui::Link& link);
};

}  // namespace redeliver::ui
