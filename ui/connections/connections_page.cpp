// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/connections/connections_page.h"

#include "ui/common/convert.h"
#include "ui/common/error_text.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/write_dialog.h"
#include "ui/connections/doctor_view.h"
#include "ui/connections/profile_form.h"

#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace redeliver::ui {

namespace {
constexpr std::size_t mostFileBytes = 1U << 20U;
}

ConnectionsPage::ConnectionsPage(const PageContext& context, const Services& services, QWidget* parent)
    : Page(parent),
      m_services(services),
      m_files("profiles",
              [folder = services.profileFolder] {
                  return folder.empty() ? std::make_unique<ProfileStore>() : std::make_unique<ProfileStore>(folder);
              }),
      m_stack(new QStackedWidget(this)) {
    (void)context;
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(grid::margin, grid::margin, grid::margin, grid::margin);
    all->addWidget(m_stack);
    m_stack->addWidget(makeWelcome());
    m_stack->addWidget(makeEditor());
    m_stack->setCurrentIndex(1);
    m_form->setKeyringAvailable(static_cast<bool>(m_services.storeSecret));
    connect(m_list, &QListWidget::currentRowChanged, this, &ConnectionsPage::selectionChanged);
    connect(m_list, &QListWidget::itemActivated, this, [this] { save(true); });
    connect(m_form, &ProfileForm::edited, this, &ConnectionsPage::updateButtons);
    connect(m_form, &ProfileForm::keyringRequested, this, &ConnectionsPage::storeSecret);
    connect(m_doctor, &DoctorView::finished, this, &ConnectionsPage::updateButtons);
    refresh();
}

ConnectionsPage::~ConnectionsPage() = default;

void ConnectionsPage::refresh() {
    const Listed* now = selected();
    load(now != nullptr ? now->name : std::string());
}

void ConnectionsPage::load(const std::string& select) {
    m_listTicket = m_files.run([](ProfileStore& store, Job&) { return store.list(); },
                               [this, select](Result<std::vector<Listed>> profiles) {
                                   if (profiles) {
                                       show(*std::move(profiles), select);
                                   } else {
                                       say(errorText(profiles.error()), "bad");
                                   }
                               });
}

void ConnectionsPage::show(std::vector<Listed> profiles, const std::string& select) {
    m_profiles = std::move(profiles);
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    int current = m_profiles.empty() ? -1 : 0;
    for (const Listed& listed : m_profiles) {
        auto* item = new QListWidgetItem(toQt(listed.name), m_list);
        QString detail = tr("can't be read");
        if (listed.profile) {
            detail = environmentName(listed.profile->environment);
            if (toQt(listed.name) == m_open) {
                detail += tr(" · open");
            }
        }
        item->setText(toQt(listed.name) + QLatin1Char('\n') + detail);
        item->setToolTip(QString::fromStdString(listed.file.string()));
        item->setSizeHint({0, 48});
        if (listed.name == select) {
            current = m_list->row(item);
        }
    }
    m_list->setCurrentRow(current);
    if (!m_new) {
        m_stack->setCurrentIndex(m_profiles.empty() && m_open.isEmpty() ? 0 : 1);
        selectionChanged();
    }
}

const ConnectionsPage::Listed* ConnectionsPage::selected() const {
    const int row = m_list->currentRow();
    return m_new || row < 0 || row >= static_cast<int>(m_profiles.size()) ? nullptr
                                                                          : &m_profiles[static_cast<std::size_t>(row)];
}

void ConnectionsPage::selectionChanged() {
    m_new = m_new && m_list->currentRow() < 0;
    m_doctor->clear();
    say({}, "muted");
    if (const Listed* listed = selected(); listed == nullptr) {
        m_form->load({});
        m_panel->setTitle(tr("New connection"));
        m_panel->setDetail({});
    } else {
        m_panel->setTitle(toQt(listed->name));
        m_panel->setDetail(QString::fromStdString(listed->file.string()));
        if (listed->profile) {
            m_form->load(*listed->profile);
        } else {
            loadBroken(*listed);
            say(errorText(listed->profile.error()), "bad");
        }
    }
    updateButtons();
}

void ConnectionsPage::loadBroken(const Listed& listed) {
    const QString error = errorText(listed.profile.error());
    m_form->loadBroken({}, error);
    m_textTicket = m_files.run(
        [file = listed.file](ProfileStore&, Job&) {
            std::ifstream in(file);
            return std::string(std::istreambuf_iterator<char>(in), {}).substr(0, mostFileBytes);
        },
        [this, error](const Result<std::string>& text) {
            m_form->loadBroken(text ? toQt(*text) : QString(), error);
            updateButtons();
        });
}

void ConnectionsPage::updateButtons() {
    const bool known = selected() != nullptr;
    m_duplicate->setEnabled(known);
    m_delete->setEnabled(known);
    const Result<Profile> value = m_form->value();
    const QString problem = value ? QString() : errorText(value.error());
    m_save->setEnabled(value.has_value() && (m_form->isChanged() || m_new));
    m_save->setToolTip(!value ? problem : m_save->isEnabled() ? QString() : tr("Nothing was changed"));
    for (QPushButton* button : {m_test, m_openButton}) {
        button->setEnabled(value.has_value());
        button->setToolTip(problem);
    }
    if (m_form->isChanged() || (known && !selected()->profile)) {
        say(problem, "bad");
    }
}

void ConnectionsPage::createProfile() {
    m_new = true;
    {
        const QSignalBlocker quiet(m_list);
        m_list->setCurrentRow(-1);
        m_list->clearSelection();
    }
    m_stack->setCurrentIndex(1);
    selectionChanged();
    m_new = true;
    updateButtons();
    m_form->focusName();
}

void ConnectionsPage::duplicate() {
    const Listed* listed = selected();
    if (listed == nullptr || !listed->profile) {
        return;
    }
    Profile copy = *listed->profile;
    copy.name += "-copy";
    copy.file.clear();
    createProfile();
    m_form->load(copy);
    updateButtons();
    m_form->focusName();
}

void ConnectionsPage::save(bool thenOpen) {
    const Result<Profile> value = m_form->value();
    if (!value) {
        say(errorText(value.error()), "bad");
        return;
    }
    const bool taken = std::ranges::any_of(m_profiles, [&](const Listed& one) { return one.name == value->name; });
    const Listed* now = selected();
    if ((m_new || (now != nullptr && now->name != value->name)) && taken) {
        say(tr("There is a profile of that name already"), "bad");
        return;
    }
    if (thenOpen && !m_form->isChanged() && !m_new) {
        Q_EMIT openRequested(*value);
        return;
    }
    const std::string renamedFrom = now != nullptr && now->name != value->name ? now->name : std::string();
    m_saveTicket = m_files.run(
        [profile = *value, renamedFrom](ProfileStore& store, Job&) -> Result<void> {
            if (auto saved = store.save(profile); !saved) {
                return saved;
            }
            return renamedFrom.empty() ? Result<void>{} : store.remove(renamedFrom);
        },
        [this, profile = *value, thenOpen](const Result<void>& saved) {
            if (!saved) {
                say(errorText(saved.error()), "bad");
                return;
            }
            m_new = false;
            m_form->setUnchanged();
            load(profile.name);
            say(tr("Saved"), "good");
            if (thenOpen) {
                Q_EMIT openRequested(profile);
            }
        });
}

void ConnectionsPage::askDelete() {
    const Listed* listed = selected();
    if (listed == nullptr) {
        return;
    }
    Profile shown;
    shown.name = listed->name;
    if (listed->profile) {
        shown = *listed->profile;
    }
    auto* dialog = new WriteDialog(shown, tr("Delete this profile"), tr("Delete"), window());
    auto* text = new QLabel(tr("The file %1 is removed. Nothing changes in the database or in Kafka.")
                                .arg(QString::fromStdString(listed->file.string())),
                            dialog);
    text->setWordWrap(true);
    dialog->body()->addWidget(text);
    connect(dialog, &WriteDialog::actionRequested, this, [this, dialog, name = listed->name] {
        m_saveTicket = m_files.run([name](ProfileStore& store, Job&) { return store.remove(name); },
                                   [this, dialog](const Result<void>& removed) {
                                       dialog->setOutcome(removed ? QString() : errorText(removed.error()));
                                       load({});
                                   });
    });
    dialog->open();
}

void ConnectionsPage::test() {
    if (const Result<Profile> value = m_form->value()) {
        m_doctor->run(*value);
    }
}

void ConnectionsPage::storeSecret(const QString& entry, const QString& password) {
    if (entry.isEmpty() || password.isEmpty()) {
        say(tr("Write the entry's name and the password"), "bad");
        return;
    }
    m_secretTicket =
        m_files.run([store = m_services.storeSecret, name = toStd(entry), secret = Secret(toStd(password))](
                        ProfileStore&, Job&) { return store(name, secret); },
                    [this](const Result<void>& stored) {
                        say(stored ? tr("Stored in the keyring") : errorText(stored.error()), stored ? "good" : "bad");
                    });
}

void ConnectionsPage::setOpenProfile(const QString& name) {
    m_open = name;
    m_demoSmall->setVisible(m_services.startDemo && name != QLatin1String("demo"));
    refresh();
}

void ConnectionsPage::openByName(const QString& name, std::function<void()> then) {
    m_openTicket = m_files.run([wanted = toStd(name)](ProfileStore& store, Job&) { return store.load(wanted); },
                               [this, then = std::move(then)](const Result<Profile>& profile) {
                                   if (profile) {
                                       Q_EMIT openRequested(*profile);
                                       then();
                                   } else {
                                       say(errorText(profile.error()), "bad");
                                   }
                               });
}

void ConnectionsPage::startDemo() {
    if (!m_services.startDemo) {
        say(tr("This build has no demo"), "bad");
        return;
    }
    m_demoButton->setEnabled(false);
    m_demoSmall->setEnabled(false);
    m_demoState->setText(tr("Starting a private PostgreSQL and Kafka…"));
    say(m_demoState->text(), "muted");
    m_demoLane = std::make_unique<Lane<ProfileStore>>("demo", [] { return std::make_unique<ProfileStore>(); });
    m_demoTicket = m_demoLane->run(
        [this, start = m_services.startDemo](ProfileStore&, Job& job) {
            return start(job.progress([this](const Progress& step) {
                m_demoState->setText(toQt(step.step));
                say(toQt(step.step), "muted");
            }),
                         job.stop());
        },
        [this](const Result<Profile>& profile) {
            m_demoButton->setEnabled(true);
            m_demoSmall->setEnabled(true);
            m_demoState->setText(profile ? QString() : errorText(profile.error()));
            say(m_demoState->text(), "bad");
            if (profile) {
                Q_EMIT openRequested(*profile);
            }
        });
}

void ConnectionsPage::say(const QString& text, const char* kind) {
    setKind(m_message, kind);
    m_message->setFullText(text);
}

}  // namespace redeliver::ui
