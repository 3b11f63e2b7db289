// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/test_servers.h"

#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include <string>

namespace redeliver::tests {

/// What one run of the real redeliverctl answered.
struct CtlAnswer {
    int exit = -1;
    std::string out;
    std::string err;
    nlohmann::json json;  ///< of `out`; discarded when it is none
};

/// Runs redeliverctl against one profile file and waits for its end.
class Ctl {
  public:
    explicit Ctl(std::filesystem::path profile) : m_profile(std::move(profile)) {}

    [[nodiscard]] CtlAnswer run(const QStringList& arguments) const {
        QStringList all{QStringLiteral("--profile"), QString::fromStdString(m_profile.string())};
        return plain(all + arguments);
    }
    [[nodiscard]] CtlAnswer json(const QStringList& arguments) const {
        return run(arguments + QStringList{QStringLiteral("--json")});
    }
    static CtlAnswer plain(const QStringList& arguments) {
        QProcess process;
        process.start(QString::fromStdString((programFolder() / "redeliverctl").string()), arguments);
        CtlAnswer answer;
        if (process.waitForFinished(60'000)) {
            answer.exit = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
        }
        answer.out = process.readAllStandardOutput().toStdString();
        answer.err = process.readAllStandardError().toStdString();
        answer.json = nlohmann::json::parse(answer.out, nullptr, false);
        return answer;
    }

  private:
    std::filesystem::path m_profile;
};

inline QStringList words(const char* text) {
    return QString::fromUtf8(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

/// Waited for by a failed QVERIFY2: everything the program said.
inline std::string said(const CtlAnswer& answer) {
    return "exit " + std::to_string(answer.exit) + "\n" + answer.out + answer.err;
}

}  // namespace redeliver::tests
