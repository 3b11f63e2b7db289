// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/state_view.h"

#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace redeliver::ui {

namespace {

/// A strip in the tone's ground with a darker left edge, as on the guard's page.
class Banner : public QWidget {
  public:
    using QWidget::QWidget;
    void setTone(Tone tone) {
        m_tone = tone;
        update();
    }

  protected:
    void paintEvent(QPaintEvent* event) override {
        (void)event;
        const Palette& colors = Palette::of(*this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colors.ground(m_tone));
        painter.drawRoundedRect(rect(), 6, 6);
        painter.setBrush(colors.ink(m_tone));
        painter.drawRoundedRect(QRect(0, 0, 4, height()), 2, 2);
    }

  private:
    Tone m_tone = Tone::Warn;
};

}  // namespace

StateView::StateView(QWidget* content, QWidget* parent) : QWidget(parent), m_content(content) {
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(grid::unit);
    setUpBanner();
    all->addWidget(m_banner);
    auto* holder = new QWidget(this);
    m_stack = new QStackedLayout(holder);
    m_stack->setContentsMargins(0, 0, 0, 0);
    m_stack->addWidget(m_content);
    all->addWidget(holder, 1);
    setUpMessage();
    m_tick.setInterval(500);
    connect(&m_tick, &QTimer::timeout, this, &StateView::updateWaiting);
}

void StateView::setUpBanner() {
    m_banner = new Banner(this);
    m_banner->hide();
    auto* row = new QHBoxLayout(m_banner);
    row->setContentsMargins(grid::gap, grid::half, grid::unit, grid::half);
    m_bannerText = new QLabel(m_banner);
    m_bannerText->setWordWrap(true);
    m_bannerText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_bannerAction = new QPushButton(m_banner);
    setKind(m_bannerAction, "small");
    row->addWidget(m_bannerText, 1);
    row->addWidget(m_bannerAction);
    connect(m_bannerAction, &QPushButton::clicked, this, &StateView::act);
}

void StateView::setUpMessage() {
    auto* message = new QWidget(this);
    auto* column = new QVBoxLayout(message);
    column->setContentsMargins(grid::gap, grid::gap, grid::gap, grid::gap);
    column->setSpacing(grid::unit);
    m_heading = new QLabel(message);
    m_heading->setFont(fonts::strong());
    m_text = new QLabel(message);
    m_bar = new QProgressBar(message);
    static_cast<QProgressBar*>(m_bar)->setRange(0, 0);
    m_bar->setFixedWidth(220);
    for (QLabel* label : {m_heading, m_text}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    setKind(m_text, "muted");
    auto* buttons = new QHBoxLayout;
    m_action = new QPushButton(message);
    setKind(m_action, "primary");
    m_retry = new QPushButton(tr("Retry"), message);
    buttons->addStretch(1);
    buttons->addWidget(m_action);
    buttons->addWidget(m_retry);
    buttons->addStretch(1);
    column->addStretch(1);
    column->addWidget(m_heading);
    column->addWidget(m_text);
    column->addWidget(m_bar, 0, Qt::AlignHCenter);
    column->addLayout(buttons);
    column->addStretch(2);
    m_stack->addWidget(message);
    connect(m_action, &QPushButton::clicked, this, &StateView::act);
    connect(m_retry, &QPushButton::clicked, this, &StateView::retry);
}

void StateView::act() {
    switch (m_state) {
        case State::Loading:
            Q_EMIT cancelled();
            break;
        case State::Empty:
        case State::NoSchema:
            Q_EMIT nextStep(m_state);
            break;
        case State::Ready:
        case State::Failed:
        case State::NoPermission:
            Q_EMIT retry();
            break;
    }
}

void StateView::showReady() {
    m_state = State::Ready;
    m_hasContent = true;
    m_tick.stop();
    m_stack->setCurrentIndex(0);
    m_banner->hide();
    setStale(m_stale);
}

void StateView::showLoading(const QString& what) {
    if (m_state == State::Loading) {
        m_waitingFor = what;
        return;
    }
    m_state = State::Loading;
    m_waitingFor = what;
    m_since.start();
    m_tick.start();
    if (!m_hasContent) {
        showMessage(what, {}, {}, true);
    }
}

void StateView::updateWaiting() {
    const qint64 waited = m_since.elapsed();
    if (m_state != State::Loading || waited < 1000) {
        return;
    }
    const QString since = tr("%1 so far").arg(Formats::age(std::chrono::milliseconds(waited)));
    if (m_hasContent) {
        showBanner(m_waitingFor + QStringLiteral(" · ") + since, Tone::Info, tr("Cancel"));
    } else {
        showMessage(m_waitingFor, since, tr("Cancel"), true);
    }
}

void StateView::showEmpty(const QString& text, const QString& next, const QString& action) {
    m_state = State::Empty;
    m_hasContent = false;
    m_tick.stop();
    m_banner->hide();
    showMessage(text, next, action, false);
}

void StateView::showError(const Error& error) {
    m_tick.stop();
    QString heading;
    QString action = tr("Retry");
    switch (error.kind()) {
        case ErrorKind::Schema:
            m_state = State::NoSchema;
            heading = tr("Redeliver's tables are missing or too old");
            action = tr("Show the migration…");
            break;
        case ErrorKind::Privilege:
            m_state = State::NoPermission;
            heading = tr("Not allowed");
            break;
        case ErrorKind::Connection:
            m_state = State::Failed;
            heading = tr("Can't reach the server");
            break;
        default:
            m_state = State::Failed;
            heading = tr("This didn't work");
            break;
    }
    QString text = toQt(error.text());
    if (!error.code().empty()) {
        text += QStringLiteral(" (") + toQt(error.code()) + QLatin1Char(')');
    }
    const QString hint = toQt(error.hint());
    if (m_hasContent) {
        showBanner(heading + QStringLiteral(": ") + text + (hint.isEmpty() ? hint : QStringLiteral(" — ") + hint),
                   Tone::Bad, action);
        return;
    }
    showMessage(heading, hint.isEmpty() ? text : text + QLatin1Char('\n') + hint, action, false);
    m_retry->setVisible(m_state == State::NoSchema);
}

void StateView::setStale(const QString& text) {
    m_stale = text;
    if (m_state != State::Ready) {
        return;
    }
    if (text.isEmpty()) {
        m_banner->hide();
    } else {
        showBanner(text, Tone::Warn, tr("Refresh"));
    }
}

QString StateView::message() const {
    if (m_banner->isVisibleTo(this)) {
        return m_bannerText->text();
    }
    return m_stack->currentIndex() == 0 ? QString() : m_heading->text() + QLatin1Char('\n') + m_text->text();
}

void StateView::showMessage(const QString& heading, const QString& text, const QString& action, bool busy) {
    m_heading->setText(heading);
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    setKind(m_action, busy ? "" : "primary");
    m_retry->hide();
    m_bar->setVisible(busy);
    m_banner->hide();
    m_stack->setCurrentIndex(1);
}

void StateView::showBanner(const QString& text, Tone tone, const QString& action) {
    static_cast<Banner*>(m_banner)->setTone(tone);
    m_bannerText->setText(text);
    m_bannerAction->setText(action);
    m_banner->show();
}

}  // namespace redeliver::ui
