// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/model/profile.h"

#include <QString>
#include <QWidget>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTabWidget;

namespace redeliver::ui {

/// Edits one profile: the usual fields as a form, all of it as the TOML that is saved. Both tabs hold the same profile;
/// what the form doesn't show (consumers, marker tables) is kept.
class ProfileForm : public QWidget {
    Q_OBJECT
  public:
    explicit ProfileForm(QWidget* parent = nullptr);
    void load(const Profile& profile);
    /// A file that can't be parsed: its text in the TOML tab, to be mended there.
    void loadBroken(const QString& text, const QString& error);
    /// The profile as edited, or the first thing that is wrong with it.
    [[nodiscard]] Result<Profile> value() const;
    [[nodiscard]] bool isChanged() const noexcept { return m_changed; }
    void setUnchanged() { m_changed = false; }
    void setKeyringAvailable(bool available);
    void focusName();

    [[nodiscard]] QLineEdit* name() const noexcept { return m_name; }
    [[nodiscard]] QLineEdit* dsn() const noexcept { return m_dsn; }
    [[nodiscard]] QLineEdit* brokers() const noexcept { return m_brokers; }
    [[nodiscard]] QComboBox* environment() const noexcept { return m_environment; }
    [[nodiscard]] QPlainTextEdit* toml() const noexcept { return m_toml; }
    [[nodiscard]] QTabWidget* tabs() const noexcept { return m_tabs; }

  Q_SIGNALS:
    void edited();
    void keyringRequested(const QString& entry, const QString& password);

  private:
    [[nodiscard]] QWidget* makeForm();
    void addPasswordRow(QFormLayout& form, QWidget* parent);
    void showProfile(const Profile& profile);
    void showSecretFields();
    void checkDsn();
    void tabChanged(int tab);
    void markEdited();
    [[nodiscard]] Result<Profile> fromForm() const;

    Profile m_base;  ///< keeps what the form doesn't show
    bool m_changed = false;
    bool m_loading = false;
    QTabWidget* m_tabs;
    QLineEdit* m_name = nullptr;
    QComboBox* m_environment = nullptr;
    QComboBox* m_readOnly = nullptr;
    QLineEdit* m_dsn = nullptr;
    QLabel* m_dsnWarning = nullptr;
    QComboBox* m_secretFrom = nullptr;
    QLineEdit* m_secretName = nullptr;
    QLineEdit* m_secretValue = nullptr;
    QPushButton* m_secretStore = nullptr;
    QWidget* m_secretRow = nullptr;
    QLineEdit* m_schema = nullptr;
    QLineEdit* m_brokers = nullptr;
    QPlainTextEdit* m_kafka = nullptr;
    QPlainTextEdit* m_toml = nullptr;
    bool m_keyring = false;
};

/// The lines of a [kafka] table without bootstrap.servers, as TOML, and back.
[[nodiscard]] QString kafkaLines(const Profile& profile);
[[nodiscard]] Result<std::map<std::string, KafkaValue>> parseKafkaLines(const QString& lines);

}  // namespace redeliver::ui
