// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/filter_line.h"

#include "core/query/query.h"
#include "ui/common/convert.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/messages/term_completer.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QInputMethodEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QTextCharFormat>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>

namespace redeliver::ui {

namespace {
constexpr int mostCharacters = 1024 * 1024;  ///< as much as the query language takes
}

FilterLine::FilterLine(QWidget* parent)
    : QWidget(parent),
      m_edit(new QLineEdit(this)),
      m_button(new QPushButton(tr("Search"), this)),
      m_status(new ElidedLabel({}, this)),
      m_errorLabel(new QLabel(this)) {
    m_edit->setMaxLength(mostCharacters);
    m_edit->setFont(fonts::mono());
    m_edit->setPlaceholderText(QStringLiteral("id:pay_01J8K6*  consumer:…  outcome:duplicate  at:-1h..now"));
    m_edit->setAccessibleName(tr("Filter"));
    m_edit->setToolTip(
        tr("id:exact · id:prefix* · id~part · a bare word is an exact ID, several are any of them\n"
           "consumer: outcome: kind: topic: partition: worker: replay: at:from..to\n"
           "-term leaves out · \"…\" quotes · word:absent finds rows without the value"));
    m_edit->setClearButtonEnabled(true);
    m_edit->setCompleter(new TermCompleter(this));
    setKind(m_button, "primary");
    setKind(m_status, "muted");
    m_status->setMaximumWidth(420);
    setKind(m_errorLabel, "bad");
    m_errorLabel->setWordWrap(true);
    m_errorLabel->hide();
    auto* const row = new QHBoxLayout;
    row->setSpacing(grid::unit);
    row->addWidget(m_edit, 1);
    row->addWidget(m_button);
    row->addWidget(m_status);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(grid::half);
    all->addLayout(row);
    all->addWidget(m_errorLabel);
    m_checkSoon.setSingleShot(true);
    m_checkSoon.setInterval(100);
    connect(&m_checkSoon, &QTimer::timeout, this, &FilterLine::check);
    connect(m_edit, &QLineEdit::textChanged, &m_checkSoon, qOverload<>(&QTimer::start));
    connect(m_edit, &QLineEdit::returnPressed, this, &FilterLine::start);
    connect(m_button, &QPushButton::clicked, this, &FilterLine::press);
    setFocusProxy(m_edit);
}

QString FilterLine::text() const {
    return m_edit->text();
}

void FilterLine::setText(const QString& text) {
    m_edit->setText(text);
    check();
}

void FilterLine::addTerm(const QString& term, bool out) {
    const QString added = out ? QLatin1Char('-') + term : term;
    const QString now = m_edit->text().trimmed();
    setText(now.isEmpty() ? added : now + QLatin1Char(' ') + added);
}

void FilterLine::check() {
    m_checkSoon.stop();
    const std::string typed = toStd(m_edit->text());
    const TimePoint now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    const auto parsed = query::parse(typed, now);
    m_error.clear();
    qsizetype from = -1;
    if (!parsed) {
        from = toQt(std::string_view(typed).substr(0, parsed.error().position)).size();
        m_error = tr("At character %1: %2").arg(from + 1).arg(toQt(parsed.error().text));
        if (!parsed.error().hint.empty()) {
            m_error += QStringLiteral(" — ") + toQt(parsed.error().hint);
        }
    }
    m_errorLabel->setText(m_error);
    m_errorLabel->setVisible(!m_error.isEmpty());
    m_edit->setProperty("invalid", !m_error.isEmpty());
    m_edit->style()->unpolish(m_edit);
    m_edit->style()->polish(m_edit);
    underline(from);
    m_button->setEnabled(m_busy || m_error.isEmpty());
    m_button->setToolTip(m_error.isEmpty() ? QString() : tr("Mend the filter first: %1").arg(m_error));
}

void FilterLine::underline(qsizetype from) {
    // A line edit has no rich text; the input method's formats are its one way to underline a part.
    QList<QInputMethodEvent::Attribute> attributes;
    if (from >= 0) {
        QTextCharFormat wave;
        wave.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        wave.setUnderlineColor(Palette::of(*this).transactionFailed);
        const auto length = static_cast<int>(std::max<qsizetype>(m_edit->text().size() - from, 1));
        attributes.append(
            {QInputMethodEvent::TextFormat, static_cast<int>(from) - m_edit->cursorPosition(), length, wave});
    }
    QInputMethodEvent event(QString(), attributes);
    QCoreApplication::sendEvent(m_edit, &event);
}

void FilterLine::press() {
    if (m_busy) {
        Q_EMIT cancelled();
    } else {
        start();
    }
}

void FilterLine::start() {
    check();
    if (isValid()) {
        Q_EMIT searched();
    }
}

void FilterLine::setBusy(bool busy) {
    m_busy = busy;
    m_button->setText(busy ? tr("Cancel") : tr("Search"));
    setKind(m_button, busy ? "" : "primary");
    m_button->setEnabled(busy || m_error.isEmpty());
}

void FilterLine::setStatus(const QString& status) {
    m_status->setFullText(status);
    m_status->setVisible(!status.isEmpty());
}

QString FilterLine::status() const {
    return m_status->fullText();
}

void FilterLine::focusText() {
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

}  // namespace redeliver::ui
