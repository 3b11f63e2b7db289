// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/context/page.h"

#include <QWidget>

#include <vector>

class QToolButton;
class QVBoxLayout;

namespace redeliver::ui {

struct RailEntry {
    PageId id = PageId::Overview;
    QString title;
    QString icon;
};

/// The left rail: one button per page that exists, with a number where something needs attention.
class Rail : public QWidget {
    Q_OBJECT
  public:
    explicit Rail(QWidget* parent = nullptr);
    void setEntries(const std::vector<RailEntry>& entries);
    void setCurrent(PageId id);
    void setBadge(PageId id, int count);
    [[nodiscard]] const std::vector<RailEntry>& entries() const noexcept { return m_entries; }
    [[nodiscard]] int badge(PageId id) const;

  Q_SIGNALS:
    void chosen(redeliver::ui::PageId id);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void setIcons();

    std::vector<RailEntry> m_entries;
    std::vector<QToolButton*> m_buttons;
    QVBoxLayout* m_column;
};

}  // namespace redeliver::ui
