// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/delivery.h"
#include "core/model/profile.h"
#include "core/model/snapshot.h"

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

class QApplication;
class QPainter;
class QWidget;

namespace redeliver::ui {

/// What a state badge or a banner says, beside its words.
enum class Tone { Neutral, Good, Warn, Bad, Info };

/// The one place that holds colours, fonts and distances (ui.md, Colours). Immutable; any thread may read it.
struct Palette {
    bool dark = false;
    QColor processed, duplicate, transactionFailed, ackFailed, stale, good;
    QColor rejected;  ///< a darker or paler transactionFailed; also told by its hatch
    QColor page, panel, line, text, muted;
    QColor rail, railText, railMuted, railActive, railHover;
    QColor field, hover, selection, accent, onAccent;
    QColor goodPanel, warnPanel, badPanel, infoPanel, neutralPanel;  ///< grounds of badges and banners
    QColor goodText, warnText, badText, infoText, neutralText;       ///< text on those, at least 4.5 : 1

    [[nodiscard]] static const Palette& light();
    [[nodiscard]] static const Palette& darkOne();
    /// The one that applies to this widget: custom painting asks here and needs no other wiring.
    [[nodiscard]] static const Palette& of(const QWidget& widget);

    [[nodiscard]] const QColor& of(Outcome outcome) const noexcept;
    [[nodiscard]] const QColor& ground(Tone tone) const noexcept;
    [[nodiscard]] const QColor& ink(Tone tone) const noexcept;
    [[nodiscard]] static Tone toneOf(ConsumerState state) noexcept;
    [[nodiscard]] static Tone toneOf(Environment environment) noexcept;

    [[nodiscard]] QPalette toQt() const;
    [[nodiscard]] QString styleSheet() const;
    /// A colour as the style sheet and rich text write it.
    [[nodiscard]] static QString css(const QColor& color);
};

/// 8 px grid.
namespace grid {
inline constexpr int unit = 8;
inline constexpr int half = 4;
inline constexpr int gap = 14;     ///< between panels
inline constexpr int margin = 16;  ///< around a page
inline constexpr int radius = 8;   ///< panels
inline constexpr int rowHeight = 36;
}  // namespace grid

namespace fonts {
[[nodiscard]] QFont body();
[[nodiscard]] QFont small();   ///< axis labels
[[nodiscard]] QFont strong();  ///< headings, names
[[nodiscard]] QFont figure();  ///< the big number of a tile
[[nodiscard]] QFont mono();    ///< IDs and payloads
}  // namespace fonts

enum class ThemeChoice { System, Light, Dark };
/// Applies palette, font and style sheet to the whole application; System asks the desktop.
void applyTheme(QApplication& application, ThemeChoice choice);
/// True when the desktop asks for dark.
[[nodiscard]] bool systemIsDark();

}  // namespace redeliver::ui
