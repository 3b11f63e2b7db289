// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workspace/profile_store.h"
#include "ui/async/lane.h"
#include "ui/context/page.h"
#include "ui/context/services.h"

#include <QString>

#include <functional>
#include <vector>

class QLabel;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace redeliver::ui {

class DoctorView;
class ElidedLabel;
class Panel;
class ProfileForm;

/// Profiles: open, create, edit, duplicate, delete, test. Without any profile it offers the demo and a new connection.
class ConnectionsPage : public Page {
    Q_OBJECT
  public:
    ConnectionsPage(const PageContext& context, const Services& services, QWidget* parent);
    ~ConnectionsPage() override;

    void refresh() override;
    void setOpenProfile(const QString& name);  ///< marks the one the window has open
    void startDemo();
    /// Loads and opens a stored profile, then calls `then`; an unreadable one is shown here instead.
    void openByName(const QString& name, std::function<void()> then);
    [[nodiscard]] ProfileForm* form() const noexcept { return m_form; }
    [[nodiscard]] DoctorView* doctor() const noexcept { return m_doctor; }
    [[nodiscard]] QListWidget* list() const noexcept { return m_list; }

  Q_SIGNALS:
    void openRequested(const redeliver::Profile& profile);

  private:
    using Listed = ProfileStore::Listed;
    [[nodiscard]] QWidget* makeWelcome();
    [[nodiscard]] QWidget* makeEditor();
    [[nodiscard]] QWidget* makeList();
    [[nodiscard]] QWidget* makeDetails();
    void show(std::vector<Listed> profiles, const std::string& select);
    void load(const std::string& select);
    void selectionChanged();
    void loadBroken(const Listed& listed);
    void createProfile();
    void duplicate();
    void askDelete();
    void save(bool thenOpen);
    void test();
    void storeSecret(const QString& entry, const QString& password);
    void say(const QString& text, const char* kind);
    void updateButtons();
    [[nodiscard]] const Listed* selected() const;

    const Services& m_services;
    Lane<ProfileStore> m_files;
    std::unique_ptr<Lane<ProfileStore>> m_demoLane;
    Ticket m_listTicket;
    Ticket m_saveTicket;
    Ticket m_secretTicket;
    Ticket m_openTicket;
    Ticket m_textTicket;
    Ticket m_demoTicket;
    std::vector<Listed> m_profiles;
    QString m_open;
    bool m_new = false;
    QStackedWidget* m_stack;
    QLabel* m_demoState = nullptr;
    QPushButton* m_demoButton = nullptr;
    QListWidget* m_list = nullptr;
    Panel* m_panel = nullptr;
    ProfileForm* m_form = nullptr;
    DoctorView* m_doctor = nullptr;
    ElidedLabel* m_message = nullptr;
    QPushButton* m_duplicate = nullptr;
    QPushButton* m_delete = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_test = nullptr;
    QPushButton* m_openButton = nullptr;
    QPushButton* m_demoSmall = nullptr;
};

}  // namespace redeliver::ui
