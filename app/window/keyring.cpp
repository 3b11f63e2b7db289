// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/keyring.h"

#include "ui/common/convert.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <qt6keychain/keychain.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace redeliver::window {

namespace {

constexpr std::chrono::seconds patience{30};

QString service() {
    return QStringLiteral("redeliver");
}

/// One answer that the GUI thread gives and a lane's thread waits for; survives whoever gives up first.
struct Answer {
    std::mutex mutex;
    std::condition_variable given;
    std::optional<Result<Secret>> value;

    void give(Result<Secret> result) {
        const std::scoped_lock lock(mutex);
        value = std::move(result);
        given.notify_all();
    }
};

Error keyringError(const std::string& name, const QKeychain::Job& job) {
    if (job.error() == QKeychain::EntryNotFound) {
        return Error(ErrorKind::NotFound, "The keyring has no entry '" + name + "'",
                     "Store the password on the Connections page", "keyring-entry-missing");
    }
    return Error(ErrorKind::Privilege, "The keyring can't be used: " + ui::toStd(job.errorString()),
                 "Unlock it, or take the password from an environment variable, a file or libpq's passfile", "keyring");
}

template <class Start>
Result<Secret> ask(Start start) {
    auto answer = std::make_shared<Answer>();
    if (!QMetaObject::invokeMethod(
            QCoreApplication::instance(), [answer, start] { start(answer); }, Qt::QueuedConnection)) {
        return failure(Error(ErrorKind::Internal, "The window is closing"));
    }
    std::unique_lock lock(answer->mutex);
    if (!answer->given.wait_for(lock, patience, [&] { return answer->value.has_value(); })) {
        return failure(
            Error(ErrorKind::Limit, "The keyring gave no answer for 30 s", "Unlock it and try again", "keyring"));
    }
    return *std::move(answer->value);
}

}  // namespace

SecretReader keyringReader() {
    return [plain = plainSecretReader()](const SecretSource& source) -> Result<Secret> {
        if (source.from != SecretSource::From::Keyring) {
            return plain(source);
        }
        return ask([name = source.name](const std::shared_ptr<Answer>& answer) {
            auto* job = new QKeychain::ReadPasswordJob(service(), QCoreApplication::instance());
            job->setKey(ui::toQt(name));
            QObject::connect(job, &QKeychain::Job::finished, job, [job, answer, name] {
                answer->give(job->error() == QKeychain::NoError ? Result<Secret>(Secret(ui::toStd(job->textData())))
                                                                : failure(keyringError(name, *job)));
            });
            job->start();
        });
    };
}

Result<void> storeInKeyring(const std::string& name, const Secret& secret) {
    const Result<Secret> stored = ask([name, secret](const std::shared_ptr<Answer>& answer) {
        auto* job = new QKeychain::WritePasswordJob(service(), QCoreApplication::instance());
        job->setKey(ui::toQt(name));
        job->setTextData(ui::toQt(secret.reveal()));
        QObject::connect(job, &QKeychain::Job::finished, job, [job, answer, name] {
            answer->give(job->error() == QKeychain::NoError ? Result<Secret>(Secret{})
                                                            : failure(keyringError(name, *job)));
        });
        job->start();
    });
    return stored ? Result<void>{} : failure(stored.error());
}

}  // namespace redeliver::window
