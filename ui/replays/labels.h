// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/common/panel.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>

namespace redeliver::ui {

/// A plain text label that wraps and can be selected, in one of the style sheet's kinds.
[[nodiscard]] inline QLabel* makeLabel(QWidget* parent, const QString& text, const char* kind = nullptr) {
    auto* const label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (kind != nullptr) {
        setKind(label, kind);
    }
    return label;
}

/// Rows of "name … value" with a rule between them, as in the small panels of the preview.
class FactGrid : public QWidget {
    Q_OBJECT
  public:
    explicit FactGrid(QWidget* parent = nullptr);
    void clear();
    void add(const QString& name, const QString& value, const QString& tooltip = {});
    void add(const QString& name, QWidget* value);

  private:
    int nextRow();

    QGridLayout* m_grid;
    int m_rows = 0;
};

}  // namespace redeliver::ui
