// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/connections/profile_form.h"

#include "core/workspace/profile_store.h"
#include "ui/common/convert.h"
#include "ui/common/error_text.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/write_dialog.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace redeliver::ui {

namespace {

const char* const brokersKey = "bootstrap.servers";

enum SecretChoice { Libpq, Env, File, Keyring };

Error badInput(const QString& text) {
    return Error(ErrorKind::BadInput, toStd(text));
}

}  // namespace

QString kafkaLines(const Profile& profile) {
    Profile only;
    only.name = "x";
    only.kafka = profile.kafka;
    only.kafka.erase(brokersKey);
    if (only.kafka.empty()) {
        return {};
    }
    // The table as the one writer of profiles writes it, without its heading.
    const QString text = toQt(writeProfile(only));
    const qsizetype start = text.indexOf(QStringLiteral("[kafka]"));
    QStringList lines = text.mid(start).split(QLatin1Char('\n')).mid(1);
    qsizetype end = 0;
    while (end < lines.size() && !lines[end].startsWith(QLatin1Char('['))) {
        ++end;
    }
    return lines.mid(0, end).join(QLatin1Char('\n')).trimmed();
}

Result<std::map<std::string, KafkaValue>> parseKafkaLines(const QString& lines) {
    const std::string text = "name = \"x\"\n[kafka]\n" + toStd(lines) + '\n';
    auto parsed = parseProfile(text, "kafka");
    if (!parsed) {
        // Line 1 of the field is line 3 of what was parsed.
        static const QRegularExpression place(QStringLiteral("^kafka:(\\d+)(:\\d+)?:?\\s*"));
        QString message = toQt(parsed.error().text());
        if (const auto match = place.match(message); match.hasMatch()) {
            message =
                QStringLiteral("line %1: ").arg(match.captured(1).toInt() - 2) + message.mid(match.capturedLength());
        }
        return failure(badInput(message));
    }
    return std::move(parsed->kafka);
}

ProfileForm::ProfileForm(QWidget* parent) : QWidget(parent), m_tabs(new QTabWidget(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_tabs);
    m_toml = new QPlainTextEdit(this);
    m_toml->setFont(fonts::mono());
    m_toml->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_toml->setAccessibleName(tr("The profile as TOML"));
    m_tabs->addTab(makeForm(), tr("Form"));
    m_tabs->addTab(m_toml, tr("File (TOML)"));
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setExpanding(false);
    connect(m_tabs, &QTabWidget::currentChanged, this, &ProfileForm::tabChanged);
    connect(m_toml, &QPlainTextEdit::textChanged, this, &ProfileForm::markEdited);
    load({});
}

QWidget* ProfileForm::makeForm() {
    auto* holder = new QWidget(this);
    auto* form = new QFormLayout(holder);
    form->setContentsMargins(0, 12, 0, 0);
    form->setHorizontalSpacing(grid::margin);
    form->setVerticalSpacing(grid::unit);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const auto line = [&](const QString& label, const QString& placeholder) {
        auto* edit = new QLineEdit(holder);
        edit->setPlaceholderText(placeholder);
        edit->setAccessibleName(QString(label).remove(QLatin1Char('&')));
        form->addRow(label, edit);
        connect(edit, &QLineEdit::textChanged, this, &ProfileForm::markEdited);
        return edit;
    };
    m_name = line(tr("&Name"), QStringLiteral("payments-prod"));
    m_environment = new QComboBox(holder);
    for (const Environment each : {Environment::Development, Environment::Staging, Environment::Production}) {
        m_environment->addItem(environmentName(each));
    }
    form->addRow(tr("&Environment"), m_environment);
    m_readOnly = new QComboBox(holder);
    m_readOnly->addItems({tr("by default (production starts read-only)"), tr("always read-only"), tr("may write")});
    form->addRow(tr("&Writing"), m_readOnly);
    m_dsn = line(tr("&PostgreSQL"), QStringLiteral("host=db1,db2 dbname=orders user=oncall"));
    m_dsn->setFont(fonts::mono());
    m_dsnWarning =
        new QLabel(tr("No password here: it would stand in the file. Choose where it comes from below."), holder);
    setKind(m_dsnWarning, "bad");
    m_dsnWarning->setWordWrap(true);
    form->addRow(QString(), m_dsnWarning);
    addPasswordRow(*form, holder);
    m_schema = line(tr("&Schema"), QStringLiteral("redeliver"));
    m_brokers = line(tr("&Kafka brokers"), QStringLiteral("k1:9092,k2:9092"));
    m_brokers->setFont(fonts::mono());
    m_kafka = new QPlainTextEdit(holder);
    m_kafka->setFont(fonts::mono());
    m_kafka->setPlaceholderText(
        QStringLiteral("\"security.protocol\" = \"SASL_SSL\"\n"
                       "\"sasl.password\" = { env = \"KAFKA_PASSWORD\" }"));
    m_kafka->setMinimumHeight(72);
    m_kafka->setAccessibleName(tr("Other librdkafka properties"));
    form->addRow(tr("&Other properties"), m_kafka);
    connect(m_dsn, &QLineEdit::textChanged, this, &ProfileForm::checkDsn);
    connect(m_kafka, &QPlainTextEdit::textChanged, this, &ProfileForm::markEdited);
    for (QComboBox* box : {m_environment, m_readOnly}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(16);
        connect(box, &QComboBox::currentIndexChanged, this, &ProfileForm::markEdited);
    }
    return holder;
}

void ProfileForm::addPasswordRow(QFormLayout& form, QWidget* parent) {
    auto* holder = new QWidget(parent);
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(grid::unit);
    m_secretFrom = new QComboBox(holder);
    m_secretFrom->addItems(
        {tr("libpq's own ways (passfile, service)"), tr("environment variable"), tr("file"), tr("keyring")});
    m_secretFrom->setAccessibleName(tr("Where the password comes from"));
    m_secretName = new QLineEdit(holder);
    m_secretName->setFont(fonts::mono());
    m_secretValue = new QLineEdit(parent);
    m_secretValue->setEchoMode(QLineEdit::Password);
    m_secretValue->setPlaceholderText(tr("password"));
    m_secretValue->setAccessibleName(tr("Password to keep in the keyring"));
    m_secretStore = new QPushButton(tr("Store in the keyring"), parent);
    m_secretFrom->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_secretFrom->setMinimumContentsLength(12);
    row->addWidget(m_secretFrom, 1);
    row->addWidget(m_secretName, 1);
    form.addRow(tr("P&assword"), holder);
    m_secretRow = new QWidget(parent);
    auto* store = new QHBoxLayout(m_secretRow);
    store->setContentsMargins(0, 0, 0, 0);
    store->setSpacing(grid::unit);
    store->addWidget(m_secretValue, 1);
    store->addWidget(m_secretStore);
    form.addRow(QString(), m_secretRow);
    connect(m_secretFrom, &QComboBox::currentIndexChanged, this, [this] {
        showSecretFields();
        markEdited();
    });
    connect(m_secretName, &QLineEdit::textChanged, this, &ProfileForm::markEdited);
    connect(m_secretStore, &QPushButton::clicked, this, [this] {
        Q_EMIT keyringRequested(m_secretName->text().trimmed(), m_secretValue->text());
        m_secretValue->clear();
    });
}

void ProfileForm::showSecretFields() {
    const int from = m_secretFrom->currentIndex();
    const QStringList placeholders{
        {}, QStringLiteral("PGPASSWORD"), QStringLiteral("/run/secrets/pg"), QStringLiteral("redeliver/payments-prod")};
    const QStringList names{{}, tr("Name of the variable"), tr("Path of the file"), tr("Name in the keyring")};
    m_secretName->setVisible(from != Libpq);
    m_secretName->setPlaceholderText(placeholders[from]);
    m_secretName->setAccessibleName(names[from]);
    m_secretRow->setVisible(from == Keyring);
    m_secretStore->setEnabled(m_keyring);
    m_secretStore->setToolTip(m_keyring ? QString() : tr("There is no keyring on this desktop"));
}

void ProfileForm::setKeyringAvailable(bool available) {
    m_keyring = available;
    showSecretFields();
}

void ProfileForm::checkDsn() {
    static const QRegularExpression password(QStringLiteral("(^|\\s)password\\s*=|://[^/@\\s]*:[^/@\\s]+@"));
    m_dsnWarning->setVisible(password.match(m_dsn->text()).hasMatch());
}

void ProfileForm::load(const Profile& profile) {
    m_loading = true;
    m_base = profile;
    showProfile(profile);
    m_toml->setPlainText(profile.name.empty() && profile.file.empty() ? QString() : toQt(writeProfile(profile)));
    m_loading = false;
    m_changed = false;
    m_tabs->setTabEnabled(0, true);
}

void ProfileForm::loadBroken(const QString& text, const QString& error) {
    m_loading = true;
    m_toml->setPlainText(text);
    m_tabs->setCurrentIndex(1);
    m_tabs->setTabEnabled(0, false);
    m_tabs->setTabToolTip(0, error);
    m_loading = false;
    m_changed = false;
}

void ProfileForm::showProfile(const Profile& profile) {
    m_name->setText(toQt(profile.name));
    m_environment->setCurrentIndex(static_cast<int>(profile.environment));
    m_readOnly->setCurrentIndex(!profile.readOnly ? 0 : *profile.readOnly ? 1 : 2);
    m_dsn->setText(toQt(profile.dsn));
    m_dsn->setCursorPosition(0);
    m_schema->setText(toQt(profile.schema));
    m_secretFrom->setCurrentIndex(!profile.password ? Libpq : static_cast<int>(profile.password->from) + 1);
    m_secretName->setText(profile.password ? toQt(profile.password->name) : QString());
    const auto brokers = profile.kafka.find(brokersKey);
    const bool plain = brokers != profile.kafka.end() && std::holds_alternative<std::string>(brokers->second);
    m_brokers->setText(plain ? toQt(std::get<std::string>(brokers->second)) : QString());
    m_brokers->setCursorPosition(0);
    m_kafka->setPlainText(kafkaLines(profile));
    showSecretFields();
    checkDsn();
}

Result<Profile> ProfileForm::fromForm() const {
    Profile profile = m_base;
    profile.name = toStd(m_name->text().trimmed());
    static const QRegularExpression fileName(QStringLiteral("^[A-Za-z0-9][A-Za-z0-9._-]*$"));
    if (!fileName.match(m_name->text().trimmed()).hasMatch()) {
        return failure(
            badInput(tr("The name must be letters, digits, dot, dash or underscore: it is the file's name")));
    }
    profile.environment = static_cast<Environment>(m_environment->currentIndex());
    profile.readOnly.reset();
    if (m_readOnly->currentIndex() > 0) {
        profile.readOnly = m_readOnly->currentIndex() == 1;
    }
    profile.dsn = toStd(m_dsn->text().trimmed());
    profile.schema = toStd(m_schema->text().trimmed());
    if (profile.schema.empty()) {
        profile.schema = "redeliver";
    }
    profile.password.reset();
    if (m_secretFrom->currentIndex() != Libpq) {
        const auto from = static_cast<SecretSource::From>(m_secretFrom->currentIndex() - 1);
        profile.password = SecretSource{from, toStd(m_secretName->text().trimmed())};
        if (profile.password->name.empty()) {
            return failure(badInput(tr("Write where the password comes from, or choose libpq's own ways")));
        }
    }
    auto kafka = parseKafkaLines(m_kafka->toPlainText());
    if (!kafka) {
        return failure(badInput(tr("Other properties, %1").arg(toQt(kafka.error().text()))));
    }
    profile.kafka = *std::move(kafka);
    if (const QString brokers = m_brokers->text().trimmed(); !brokers.isEmpty()) {
        profile.kafka[brokersKey] = toStd(brokers);
    }
    return profile;
}

Result<Profile> ProfileForm::value() const {
    if (m_tabs->currentIndex() == 0) {
        return fromForm();
    }
    auto parsed = parseProfile(toStd(m_toml->toPlainText()), m_base.file.empty() ? "profile.toml" : m_base.file);
    if (parsed) {
        parsed->file = m_base.file;
    }
    return parsed;
}

void ProfileForm::tabChanged(int tab) {
    m_loading = true;
    if (tab == 1) {
        if (const auto profile = fromForm()) {
            m_toml->setPlainText(toQt(writeProfile(*profile)));
        }
    } else if (auto profile = parseProfile(toStd(m_toml->toPlainText()), "profile.toml")) {
        profile->file = m_base.file;
        m_base = *profile;
        showProfile(*profile);
    }
    m_loading = false;
}

void ProfileForm::markEdited() {
    if (!m_loading) {
        m_changed = true;
        if (m_tabs->currentIndex() == 1 && !m_tabs->isTabEnabled(0)) {
            m_tabs->setTabEnabled(0, value().has_value());
        }
        Q_EMIT edited();
    }
}

void ProfileForm::focusName() {
    m_tabs->setCurrentIndex(0);
    m_name->setFocus();
    m_name->selectAll();
}

}  // namespace redeliver::ui
