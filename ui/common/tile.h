// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/common/palette.h"

#include <QFrame>
#include <QString>

class QLabel;

namespace redeliver::ui {

class ElidedLabel;
class FigureLabel;

/// One number with its name above and what it means below.
class Tile : public QFrame {
    Q_OBJECT
  public:
    explicit Tile(const QString& name, QWidget* parent = nullptr);
    void set(const QString& figure, const QString& note, Tone noteTone = Tone::Neutral);
    [[nodiscard]] QString figure() const;
    [[nodiscard]] QString note() const;

  private:
    QString m_name;
    FigureLabel* m_figure;
    ElidedLabel* m_note;
};

}  // namespace redeliver::ui
