// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;

namespace redeliver::ui {

class ElidedLabel;

/// The filter line: checked while typing (100 ms after the last key), with the place of a mistake underlined and named
/// beneath. It never rewrites what was typed.
class FilterLine : public QWidget {
    Q_OBJECT
  public:
    explicit FilterLine(QWidget* parent = nullptr);

    [[nodiscard]] QString text() const;
    void setText(const QString& text);
    /// Adds a term behind what is there, negated with `out`.
    void addTerm(const QString& term, bool out);
    [[nodiscard]] bool isValid() const { return m_error.isEmpty(); }
    [[nodiscard]] const QString& error() const noexcept { return m_error; }
    void setBusy(bool busy);
    void setStatus(const QString& status);
    [[nodiscard]] QString status() const;
    void focusText();
    void check();

  Q_SIGNALS:
    void searched();
    void cancelled();

  private:
    void press();  ///< the button: search, or cancel while one runs
    void start();  ///< Enter: a new search, also while one runs
    void underline(qsizetype from);

    QLineEdit* m_edit;
    QPushButton* m_button;
    ElidedLabel* m_status;
    QLabel* m_errorLabel;
    QTimer m_checkSoon;
    QString m_error;
    bool m_busy = false;
};

}  // namespace redeliver::ui
