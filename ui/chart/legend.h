// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/delivery.h"

#include <QWidget>

namespace redeliver::ui {

/// Names the shapes of an outcome chart: always processed, duplicate, transaction failed and ack failed; the rarer ones
/// when they occur. Wraps to more lines where it is narrow.
class Legend : public QWidget {
    Q_OBJECT
  public:
    explicit Legend(QWidget* parent = nullptr);
    void setTotals(const Counts& totals);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    template <class Visit>
    int layOut(int width, Visit visit) const;

    Counts m_totals;
};

}  // namespace redeliver::ui
