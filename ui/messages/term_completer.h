// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCompleter>

namespace redeliver::ui {

/// Completes the last term of the filter line: field names, and the known words behind outcome: and kind:.
class TermCompleter : public QCompleter {
    Q_OBJECT
  public:
    explicit TermCompleter(QObject* parent = nullptr);

    [[nodiscard]] QStringList splitPath(const QString& path) const override;
    [[nodiscard]] QString pathFromIndex(const QModelIndex& index) const override;

  private:
    mutable QString m_before;  ///< what stands before the last term, kept from splitPath for pathFromIndex
};

}  // namespace redeliver::ui
