// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QString>

#include <functional>
#include <vector>

class QStringListModel;

namespace redeliver::ui {

/// Something the search field can do by name.
struct Command {
    QString title;
    std::function<void()> run;
};

/// One field for message IDs, consumers and commands (Ctrl+K). Completes commands and consumer names anywhere in their
/// text; what is neither is a message search.
class SearchField : public QLineEdit {
    Q_OBJECT
  public:
    explicit SearchField(QWidget* parent = nullptr);
    void setCommands(std::vector<Command> commands);
    void setConsumers(const QStringList& names);

  Q_SIGNALS:
    void messageSearch(const QString& query);
    void consumerChosen(const QString& name);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void take(const QString& text);
    void updateChoices();

    std::vector<Command> m_commands;
    QStringList m_consumers;
    QStringListModel* m_choices;
};

}  // namespace redeliver::ui
