// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/palette.h"

#include <QApplication>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QStyle>
#include <QStyleFactory>
#include <QStyleHints>
#include <QWidget>

#include <array>

// Must stand outside any namespace.
static void useIcons() {
    Q_INIT_RESOURCE(icons);
}

namespace redeliver::ui {

namespace {

QColor rgb(QRgb value) {
    return QColor::fromRgb(value);
}

Palette makeLight() {
    Palette p;
    p.processed = rgb(0x3b7dd8);
    p.duplicate = rgb(0xe69f00);
    p.transactionFailed = rgb(0xd1495b);
    p.ackFailed = rgb(0x9b5fb5);
    p.stale = rgb(0x98a1ac);
    p.good = rgb(0x2e8b57);
    p.rejected = rgb(0x8c2f3e);
    p.page = rgb(0xf6f7f9);
    p.panel = rgb(0xffffff);
    p.line = rgb(0xe2e5ea);
    p.text = rgb(0x1d232b);
    p.muted = rgb(0x66707c);
    p.rail = rgb(0x1f262e);
    p.railText = rgb(0xffffff);
    p.railMuted = rgb(0xb4bdc8);
    p.railActive = rgb(0x343c45);
    p.railHover = rgb(0x2a323b);
    p.field = rgb(0xffffff);
    p.hover = rgb(0xf0f2f5);
    p.selection = rgb(0xe6effb);
    p.accent = rgb(0x2463c9);
    p.onAccent = rgb(0xffffff);
    p.goodPanel = rgb(0xe5f4eb);
    p.goodText = rgb(0x1d6b41);
    p.warnPanel = rgb(0xfdf1d3);
    p.warnText = rgb(0x845400);
    p.badPanel = rgb(0xfdebec);
    p.badText = rgb(0xa41c2c);
    p.infoPanel = rgb(0xe6effb);
    p.infoText = rgb(0x1f56ad);
    p.neutralPanel = rgb(0xf0f2f5);
    p.neutralText = rgb(0x5b6570);
    return p;
}

Palette makeDark() {
    Palette p;
    p.dark = true;
    p.processed = rgb(0x5b9bf0);
    p.duplicate = rgb(0xf0b429);
    p.transactionFailed = rgb(0xef6f7f);
    p.ackFailed = rgb(0xbf8bd6);
    p.stale = rgb(0x6b7683);
    p.good = rgb(0x5bbd86);
    p.rejected = rgb(0xf7b3bb);
    p.page = rgb(0x14181d);
    p.panel = rgb(0x1b2027);
    p.line = rgb(0x2c333c);
    p.text = rgb(0xe6eaef);
    p.muted = rgb(0x9aa5b1);
    p.rail = rgb(0x0f1316);
    p.railText = rgb(0xffffff);
    p.railMuted = rgb(0x98a2ad);
    p.railActive = rgb(0x262b2d);
    p.railHover = rgb(0x1b2023);
    p.field = rgb(0x14181d);
    p.hover = rgb(0x232932);
    p.selection = rgb(0x202f4b);
    p.accent = rgb(0x5b9bf0);
    p.onAccent = rgb(0x0d1a2c);
    p.goodPanel = rgb(0x1c3a2a);
    p.goodText = rgb(0x84dba9);
    p.warnPanel = rgb(0x45350f);
    p.warnText = rgb(0xf6cf73);
    p.badPanel = rgb(0x47202a);
    p.badText = rgb(0xffa3ad);
    p.infoPanel = rgb(0x202f4b);
    p.infoText = rgb(0x9cc3fa);
    p.neutralPanel = rgb(0x262c34);
    p.neutralText = rgb(0xa7b1bc);
    return p;
}

QString firstFamily(std::initializer_list<const char*> wanted, QFontDatabase::SystemFont fallback) {
    const QStringList families = QFontDatabase::families();
    for (const char* name : wanted) {
        const QString family = QString::fromLatin1(name);
        if (families.contains(family)) {
            return family;
        }
    }
    return QFontDatabase::systemFont(fallback).family();
}

QFont sized(const QString& family, int pixels, QFont::Weight weight) {
    QFont font(family);
    font.setPixelSize(pixels);
    font.setWeight(weight);
    return font;
}

QString sans() {
    static const QString family = firstFamily({"Inter"}, QFontDatabase::GeneralFont);
    return family;
}

}  // namespace

const Palette& Palette::light() {
    static const Palette palette = makeLight();
    return palette;
}

const Palette& Palette::darkOne() {
    static const Palette palette = makeDark();
    return palette;
}

const Palette& Palette::of(const QWidget& widget) {
    (void)widget;
    // Not the widget's own palette: a style sheet's background (the dark rail) shows in that one.
    return QGuiApplication::palette().color(QPalette::Window).lightness() < 128 ? darkOne() : light();
}

const QColor& Palette::of(Outcome outcome) const noexcept {
    switch (outcome) {
        case Outcome::Processed:
            return processed;
        case Outcome::Duplicate:
            return duplicate;
        case Outcome::TransactionFailed:
            return transactionFailed;
        case Outcome::Rejected:
            return rejected;
        case Outcome::Stale:
        case Outcome::NotAddressed:
            break;
    }
    return stale;
}

const QColor& Palette::ground(Tone tone) const noexcept {
    const std::array<const QColor*, 5> grounds{&neutralPanel, &goodPanel, &warnPanel, &badPanel, &infoPanel};
    return *grounds[static_cast<std::size_t>(tone)];
}

const QColor& Palette::ink(Tone tone) const noexcept {
    const std::array<const QColor*, 5> inks{&neutralText, &goodText, &warnText, &badText, &infoText};
    return *inks[static_cast<std::size_t>(tone)];
}

Tone Palette::toneOf(ConsumerState state) noexcept {
    switch (state) {
        case ConsumerState::Stopped:
        case ConsumerState::Failing:
        case ConsumerState::Spike:
            return Tone::Bad;
        case ConsumerState::Elevated:
            return Tone::Warn;
        case ConsumerState::Usual:
            return Tone::Good;
        case ConsumerState::Learning:
        case ConsumerState::Idle:
        case ConsumerState::NoData:
            break;
    }
    return Tone::Neutral;
}

Tone Palette::toneOf(Environment environment) noexcept {
    switch (environment) {
        case Environment::Production:
            return Tone::Bad;
        case Environment::Staging:
            return Tone::Warn;
        case Environment::Development:
            break;
    }
    return Tone::Info;
}

QPalette Palette::toQt() const {
    QPalette qt;
    qt.setColor(QPalette::Window, page);
    qt.setColor(QPalette::WindowText, text);
    qt.setColor(QPalette::Base, field);
    qt.setColor(QPalette::AlternateBase, hover);
    qt.setColor(QPalette::Text, text);
    qt.setColor(QPalette::Button, panel);
    qt.setColor(QPalette::ButtonText, text);
    qt.setColor(QPalette::PlaceholderText, muted);
    qt.setColor(QPalette::Highlight, accent);
    qt.setColor(QPalette::HighlightedText, onAccent);
    qt.setColor(QPalette::ToolTipBase, panel);
    qt.setColor(QPalette::ToolTipText, text);
    qt.setColor(QPalette::Link, infoText);
    qt.setColor(QPalette::Mid, line);
    qt.setColor(QPalette::Light, panel);
    qt.setColor(QPalette::Dark, line);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        QColor faded = muted;
        faded.setAlpha(150);
        qt.setColor(QPalette::Disabled, role, faded);
    }
    return qt;
}

QString Palette::css(const QColor& color) {
    return color.name(QColor::HexRgb);
}

QFont fonts::body() {
    return sized(sans(), 13, QFont::Normal);
}
QFont fonts::small() {
    return sized(sans(), 11, QFont::Normal);
}
QFont fonts::strong() {
    return sized(sans(), 13, QFont::DemiBold);
}
QFont fonts::figure() {
    return sized(sans(), 24, QFont::DemiBold);
}
QFont fonts::mono() {
    static const QString family =
        firstFamily({"JetBrains Mono", "Cascadia Mono", "DejaVu Sans Mono", "Noto Sans Mono", "Liberation Mono"},
                    QFontDatabase::FixedFont);
    return sized(family, 12, QFont::Normal);
}

bool systemIsDark() {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    return QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark;
#else
    // Qt 6.4 has no colour scheme; the platform's own palette tells.
    const QPalette desktop = QApplication::style()->standardPalette();
    const QPalette platform = QGuiApplication::palette();
    static const bool dark =
        platform.color(QPalette::Window).lightness() < 128 || desktop.color(QPalette::Window).lightness() < 128;
    return dark;
#endif
}

void applyTheme(QApplication& application, ThemeChoice choice) {
    useIcons();
    const bool systemDark = systemIsDark();  // asked before our own palette hides the platform's
    const bool dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && systemDark);
    const Palette& palette = dark ? Palette::darkOne() : Palette::light();
    if (application.style()->name() != QLatin1String("fusion")) {
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    }
    QApplication::setFont(fonts::body());
    QApplication::setPalette(palette.toQt());
    application.setStyleSheet(palette.styleSheet());
}

}  // namespace redeliver::ui
