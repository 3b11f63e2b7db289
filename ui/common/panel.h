// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QString>

class QHBoxLayout;
class QVBoxLayout;

namespace redeliver::ui {

/// A white card with 8 px corners: a heading line ("Title · detail", controls at its right) over its content.
class Panel : public QFrame {
    Q_OBJECT
  public:
    explicit Panel(const QString& title = {}, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setDetail(const QString& detail);  ///< muted, behind the title; elided, never cut
    void addToHeading(QWidget* control);
    /// Where the content goes; margins are set. `flush` lets a table reach the panel's edges.
    [[nodiscard]] QVBoxLayout* body() const noexcept { return m_body; }
    void setFlush(bool flush);

  private:
    QWidget* m_heading;
    QHBoxLayout* m_headingRow;
    QLabel* m_title;
    QLabel* m_detail;
    QVBoxLayout* m_body;
};

/// A label that shortens its text with "…" in the middle or at the end, and shows all of it as tooltip.
class ElidedLabel : public QLabel {
    Q_OBJECT
  public:
    explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);
    void setFullText(const QString& text);
    [[nodiscard]] const QString& fullText() const noexcept { return m_full; }
    void setElideMode(Qt::TextElideMode mode) { m_mode = mode; }
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QString m_full;
    Qt::TextElideMode m_mode = Qt::ElideRight;
};

/// Sets the dynamic property "kind" that the style sheet knows (panel, muted, bad, primary, danger, link, small, …).
void setKind(QWidget* widget, const char* kind);

}  // namespace redeliver::ui
