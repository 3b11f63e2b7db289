// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/common/palette.h"

#include <QString>
#include <QWidget>

class QPainter;

namespace redeliver::ui {

/// Draws a rounded badge, left aligned and vertically centred in `cell` (right aligned with `right`); answers its
/// width.
int drawPill(QPainter& painter, const QRect& cell, const QString& text, Tone tone, const Palette& palette,
             bool right = false);
[[nodiscard]] int pillWidth(const QString& text);

/// The same badge as a widget; optionally with a leading dot.
class Pill : public QWidget {
    Q_OBJECT
  public:
    explicit Pill(const QString& text = {}, Tone tone = Tone::Neutral, QWidget* parent = nullptr);
    void set(const QString& text, Tone tone);
    [[nodiscard]] const QString& text() const noexcept { return m_text; }
    [[nodiscard]] Tone tone() const noexcept { return m_tone; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QString m_text;
    Tone m_tone;
};

}  // namespace redeliver::ui
