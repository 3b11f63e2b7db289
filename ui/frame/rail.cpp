// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/rail.h"

#include "ui/common/icons.h"
#include "ui/common/palette.h"

#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace redeliver::ui {

namespace {

constexpr int railWidth = 168;

/// A rail button that draws its own badge at the right.
class RailButton : public QToolButton {
  public:
    using QToolButton::QToolButton;
    void setBadge(int count, const QString& title) {
        m_count = count;
        setAccessibleName(count > 0 ? QStringLiteral("%1, %2").arg(title).arg(count) : title);
        update();
    }
    [[nodiscard]] int badge() const noexcept { return m_count; }

  protected:
    void paintEvent(QPaintEvent* event) override {
        QToolButton::paintEvent(event);
        if (m_count <= 0) {
            return;
        }
        const Palette& colors = Palette::of(*this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setFont(fonts::small());
        const QString text = m_count > 99 ? QStringLiteral("99+") : QString::number(m_count);
        const int wide = qMax(18, painter.fontMetrics().horizontalAdvance(text) + 10);
        const QRect badge(width() - wide - 10, (height() - 18) / 2, wide, 18);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colors.transactionFailed);
        painter.drawRoundedRect(badge, 9, 9);
        painter.setPen(colors.dark ? QColor(0x2b, 0x0b, 0x10) : QColor(Qt::white));
        painter.drawText(badge, Qt::AlignCenter, text);
    }

  private:
    int m_count = 0;
};

}  // namespace

Rail::Rail(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("rail"));
    setAttribute(Qt::WA_StyledBackground);
    setFixedWidth(railWidth);
    setAccessibleName(tr("Pages"));
    m_column->setContentsMargins(10, 14, 10, 10);
    m_column->setSpacing(2);
    auto* name = new QLabel(QStringLiteral("Redeliver"), this);
    QFont font = fonts::strong();
    font.setPixelSize(15);
    font.setWeight(QFont::Bold);
    name->setFont(font);
    name->setContentsMargins(8, 0, 0, 12);
    m_column->addWidget(name);
    m_column->addStretch(1);
}

void Rail::setEntries(const std::vector<RailEntry>& entries) {
    qDeleteAll(m_buttons);
    m_buttons.clear();
    m_entries = entries;
    for (const RailEntry& entry : m_entries) {
        auto* button = new RailButton(this);
        button->setText(QLatin1Char(' ') + entry.title);
        button->setAccessibleName(entry.title);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIconSize({16, 16});
        button->setCheckable(true);
        button->setAutoExclusive(true);
        button->setFixedHeight(34);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        button->setToolTip(tr("Ctrl+%1").arg(m_buttons.size() + 1));
        connect(button, &QToolButton::clicked, this, [this, id = entry.id] { Q_EMIT chosen(id); });
        m_column->insertWidget(m_column->count() - 1, button);
        m_buttons.push_back(button);
    }
    setIcons();
}

void Rail::setCurrent(PageId id) {
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        m_buttons[i]->setChecked(m_entries[i].id == id);
    }
    setIcons();
}

void Rail::setBadge(PageId id, int count) {
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (m_entries[i].id == id) {
            static_cast<RailButton*>(m_buttons[i])->setBadge(count, m_entries[i].title);
        }
    }
}

int Rail::badge(PageId id) const {
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (m_entries[i].id == id) {
            return static_cast<const RailButton*>(m_buttons[i])->badge();
        }
    }
    return 0;
}

void Rail::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        setIcons();
    }
}

void Rail::setIcons() {
    const Palette& colors = Palette::of(*this);
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        m_buttons[i]->setIcon(
            lineIcon(m_entries[i].icon, m_buttons[i]->isChecked() ? colors.railText : colors.railMuted));
    }
}

}  // namespace redeliver::ui
