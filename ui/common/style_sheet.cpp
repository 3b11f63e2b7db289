// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/palette.h"

#include <utility>
#include <vector>

namespace redeliver::ui {

namespace {

// Widgets opt in by object name or by the dynamic property "kind"; names in @…@ are colours of the palette.
constexpr const char* frameRules = R"css(
QWidget { color: @text@; }
QMainWindow, QDialog, Page, #page { background: @page@; }
QToolTip { background: @panel@; color: @text@; border: 1px solid @line@; padding: 4px 6px; }
#rail { background: @rail@; }
#rail QLabel { color: @railText@; background: transparent; }
#rail QToolButton { color: @railMuted@; background: transparent; border: none; border-radius: 5px; padding: 0 10px;
    text-align: left; }
#rail QToolButton:hover { background: @railHover@; color: @railText@; }
#rail QToolButton:checked { background: @railActive@; color: @railText@; }
#rail QToolButton:focus { border: 1px solid @processed@; }
#topBar, #statusBar { background: @panel@; }
#topBar { border-bottom: 1px solid @line@; }
#statusBar { border-top: 1px solid @line@; }
#statusBar QLabel { color: @muted@; background: transparent; }
QFrame[kind="panel"], QFrame[kind="tile"] { background: @panel@; border: 1px solid @line@; border-radius: 8px; }
QFrame[kind="panel"] QLabel, QFrame[kind="tile"] QLabel { background: transparent; border: none; }
QFrame[kind="rule"] { background: @line@; border: none; max-height: 1px; min-height: 1px; }
QLabel[kind="muted"] { color: @muted@; }
QLabel[kind="bad"] { color: @badText@; }
QLabel[kind="good"] { color: @goodText@; }
QLabel[kind="warn"] { color: @warnText@; }
QLabel { background: transparent; }
)css";

constexpr const char* controlRules = R"css(
QPushButton, QToolButton[kind="control"] { background: @panel@; color: @text@; border: 1px solid @line@;
    border-radius: 5px; padding: 6px 12px; }
QToolButton[kind="control"] { padding: 0; }
QPushButton:hover, QToolButton[kind="control"]:hover { background: @hover@; }
QPushButton:pressed, QToolButton[kind="control"]:pressed { background: @line@; }
QPushButton:focus, QToolButton[kind="control"]:focus { border: 1px solid @accent@; }
QPushButton:disabled, QToolButton[kind="control"]:disabled { color: @disabled@; background: @panel@; }
QPushButton[kind="primary"] { background: @accent@; color: @onAccent@; border: 1px solid @accent@; }
QPushButton[kind="primary"]:hover { background: @accentHover@; }
QPushButton[kind="primary"]:focus { border: 1px solid @text@; }
QPushButton[kind="primary"]:disabled { background: @accentFaded@; color: @accentFadedText@;
    border: 1px solid @accentFaded@; }
QPushButton[kind="danger"] { background: @transactionFailed@; color: @onDanger@; border: 1px solid @transactionFailed@; }
QPushButton[kind="danger"]:disabled { background: @badPanel@; color: @disabled@; border: 1px solid @line@; }
QPushButton[kind="link"] { background: transparent; border: 1px solid transparent; color: @infoText@; padding: 4px 6px; }
QPushButton[kind="link"]:hover { text-decoration: underline; }
QPushButton[kind="link"]:focus { border: 1px solid @accent@; }
QPushButton[kind="link"]:disabled { color: @disabled@; }
QPushButton[kind="small"] { padding: 3px 10px; }
QPushButton[kind="step"]:checked, QToolButton[kind="control"]:checked { background: @selection@; color: @infoText@;
    border: 1px solid @accent@; }
QPushButton[kind="chipBad"] { background: @badPanel@; color: @badText@; border: 1px solid @badLine@; font-weight: 600; }
QPushButton[kind="chipWarn"] { background: @warnPanel@; color: @warnText@; border: 1px solid @warnLine@; font-weight: 600; }
QPushButton[kind="chipInfo"] { background: @infoPanel@; color: @infoText@; border: 1px solid @infoLine@; font-weight: 600; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; width: 0; }
QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QSpinBox, QDateTimeEdit { background: @field@; color: @text@;
    border: 1px solid @line@; border-radius: 5px; padding: 5px 8px; selection-background-color: @accent@;
    selection-color: @onAccent@; }
QLineEdit, QComboBox, QSpinBox, QDateTimeEdit { min-height: 18px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QComboBox:focus, QSpinBox:focus { border: 1px solid @accent@; }
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled { color: @disabled@; background: @page@; }
QLineEdit[invalid="true"], QPlainTextEdit[invalid="true"] { border: 1px solid @transactionFailed@; }
QComboBox { padding-right: 22px; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(:/icons/chevron-@scheme@.svg); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: @panel@; color: @text@; border: 1px solid @line@; outline: none;
    selection-background-color: @selection@; selection-color: @text@; }
QMenu { background: @panel@; color: @text@; border: 1px solid @line@; padding: 4px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: @selection@; }
QMenu::item:disabled { color: @disabled@; }
QMenu::separator { height: 1px; background: @line@; margin: 4px 8px; }
QCheckBox, QRadioButton { background: transparent; spacing: 8px; }
QCheckBox:disabled, QRadioButton:disabled { color: @disabled@; }
QCheckBox::indicator, QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid @muted@; background: @field@; }
QCheckBox::indicator { border-radius: 3px; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:checked { background: @accent@; border: 1px solid @accent@; image: url(:/icons/tick-@scheme@.svg); }
QRadioButton::indicator:checked { border: 1px solid @accent@; background: qradialgradient(cx:0.5, cy:0.5, radius:0.5,
    fx:0.5, fy:0.5, stop:0 @accent@, stop:0.5 @accent@, stop:0.6 @field@, stop:1 @field@); }
QCheckBox:focus, QRadioButton:focus { color: @accent@; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { border: 1px solid @line@; }
QSpinBox::up-button, QSpinBox::down-button { border: none; width: 0; }
QProgressBar { background: @line@; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: @accent@; border-radius: 3px; }
)css";

constexpr const char* viewRules = R"css(
QAbstractItemView { background: @panel@; color: @text@; border: none; outline: none; gridline-color: @line@;
    selection-background-color: @selection@; selection-color: @text@; alternate-background-color: @panel@; }
QTableView::item, QListView::item, QTreeView::item { border: none; border-bottom: 1px solid @line@; padding: 0 8px; }
QTableView::item:selected, QListView::item:selected, QTreeView::item:selected { background: @selection@; color: @text@; }
QTableView::item:hover, QListView::item:hover { background: @hover@; }
QTableView::item:selected:hover, QListView::item:selected:hover { background: @selection@; }
QHeaderView { background: @panel@; border: none; }
QHeaderView::section { background: @panel@; color: @muted@; border: none; border-bottom: 1px solid @line@;
    padding: 0 8px; font-size: 12px; }
QTableCornerButton::section { background: @panel@; border: none; }
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @scroll@; border-radius: 4px; min-height: 24px; min-width: 24px; margin: 1px; }
QScrollBar::handle:hover { background: @muted@; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: transparent; }
QTabWidget::pane { border: none; }
QTabBar::tab { background: transparent; color: @muted@; padding: 6px 10px; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text@; border-bottom: 2px solid @accent@; }
QTabBar::tab:focus { color: @accent@; }
QCalendarWidget QWidget { alternate-background-color: @hover@; }
)css";

QColor mixed(const QColor& a, const QColor& b, double part) {
    return QColor::fromRgbF(static_cast<float>(a.redF() * (1 - part) + b.redF() * part),
                            static_cast<float>(a.greenF() * (1 - part) + b.greenF() * part),
                            static_cast<float>(a.blueF() * (1 - part) + b.blueF() * part));
}

}  // namespace

QString Palette::styleSheet() const {
    const std::vector<std::pair<const char*, QColor>> names{
        {"text", text},
        {"muted", muted},
        {"page", page},
        {"panel", panel},
        {"line", line},
        {"rail", rail},
        {"railText", railText},
        {"railMuted", railMuted},
        {"railActive", railActive},
        {"railHover", railHover},
        {"field", field},
        {"hover", hover},
        {"selection", selection},
        {"accent", accent},
        {"accentHover", mixed(accent, text, 0.12)},
        {"accentFaded", mixed(accent, panel, 0.5)},
        {"accentFadedText", mixed(onAccent, panel, dark ? 0.25 : 0.15)},
        {"onAccent", onAccent},
        {"onDanger", dark ? QColor(0x2b, 0x0b, 0x10) : QColor(Qt::white)},
        {"processed", processed},
        {"transactionFailed", transactionFailed},
        {"goodText", goodText},
        {"warnText", warnText},
        {"badText", badText},
        {"badPanel", badPanel},
        {"infoText", infoText},
        {"infoPanel", infoPanel},
        {"warnPanel", warnPanel},
        {"badLine", mixed(badPanel, badText, 0.3)},
        {"warnLine", mixed(warnPanel, warnText, 0.3)},
        {"infoLine", mixed(infoPanel, infoText, 0.3)},
        {"disabled", mixed(muted, panel, 0.4)},
        {"scroll", mixed(line, muted, 0.35)},
    };
    QString sheet =
        QString::fromLatin1(frameRules) + QString::fromLatin1(controlRules) + QString::fromLatin1(viewRules);
    for (const auto& [name, color] : names) {
        sheet.replace(QLatin1Char('@') + QLatin1String(name) + QLatin1Char('@'), css(color));
    }
    sheet.replace(QStringLiteral("@scheme@"), dark ? QStringLiteral("dark") : QStringLiteral("light"));
    return sheet;
}

}  // namespace redeliver::ui
