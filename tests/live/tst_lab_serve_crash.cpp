// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/process.h"
#include "tests/support/test_servers.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace redeliver;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// `redeliverctl lab serve` as other programs see it, and what is left when it ends in each way.
class LabServeTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase();
    void otherProgramsUseItAndCtrlCLeavesNothing_data();
    void otherProgramsUseItAndCtrlCLeavesNothing();
    void killedMinusNineItsServersDieAndTheNextStartCleansUp();

  private:
    QTemporaryDir m_folder;
    fs::path folder() const { return m_folder.path().toStdString(); }

    lab::ProcessOptions serve(const std::string& broker) const {
        lab::ProcessOptions options;
        options.command = {
            (tests::programFolder() / "redeliverctl").string(), "--json", "lab", "serve", "--broker", broker};
        options.output = folder() / "answer";
        options.log = folder() / "log";
        options.environment["TMPDIR"] = folder().string();
        fs::remove(options.output);
        return options;
    }

    /// The one JSON document that says where the servers are; empty until it is complete.
    nlohmann::json answer() const {
        std::ifstream file(folder() / "answer");
        const auto text = nlohmann::json::parse(std::string(std::istreambuf_iterator<char>(file), {}), nullptr, false);
        return text.is_object() ? text : nlohmann::json();
    }

    std::size_t serverFolders() const {
        std::size_t count = 0;
        for (const auto& base : fs::directory_iterator(folder()))
            if (base.path().filename().string().starts_with("redeliver-"))
                count += static_cast<std::size_t>(
                    std::distance(fs::directory_iterator(base.path()), fs::directory_iterator()));
        return count;
    }

    /// The processes that work in this test's server folders, PostgreSQL's children included.
    std::vector<pid_t> servers() const {
        std::vector<pid_t> found;
        for (const auto& entry : fs::directory_iterator("/proc")) {
            std::error_code unreadable;
            const std::string where = fs::read_symlink(entry.path() / "cwd", unreadable).string();
            if (!unreadable && where.starts_with(folder().string() + "/redeliver-"))
                found.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
        }
        return found;
    }
};

void LabServeTest::initTestCase() {
    QVERIFY(m_folder.isValid());
    // As root the server runs as another user, who must be able to enter.
    fs::permissions(folder(), fs::perms::others_exec | fs::perms::group_exec, fs::perm_options::add);
}

void LabServeTest::otherProgramsUseItAndCtrlCLeavesNothing_data() {
    QTest::addColumn<QString>("broker");
    QTest::newRow("Kafka") << QStringLiteral("kafka");
    QTest::newRow("mock cluster") << QStringLiteral("mock");
}

void LabServeTest::otherProgramsUseItAndCtrlCLeavesNothing() {
    QFETCH(QString, broker);
    const lab::Process lab(serve(broker.toStdString()));
    QVERIFY2(QTest::qWaitFor([&] { return !answer().is_null() || !lab.running(); }, 60'000) && lab.running(),
             lab::tailOf(lab.log()).c_str());
    QCOMPARE(answer()["limits"].empty(), broker == QStringLiteral("kafka"));

    lab::ProcessOptions doctor;
    doctor.command = {(tests::programFolder() / "redeliverctl").string(), "--json", "--profile",
                      answer()["profile"].get<std::string>(), "doctor"};
    doctor.log = folder() / "doctor.log";
    const auto diagnosis = nlohmann::json::parse(lab::runToEnd(doctor, 60s));
    QVERIFY2(diagnosis["ok"].get<bool>(), diagnosis.dump().c_str());

    QVERIFY(!servers().empty());
    QCOMPARE(lab.stop(20s, SIGINT), 0);
    QTRY_VERIFY(servers().empty());
    QCOMPARE(serverFolders(), std::size_t{0});
}

void LabServeTest::killedMinusNineItsServersDieAndTheNextStartCleansUp() {
    const lab::Process killed(serve("kafka"));
    QVERIFY2(QTest::qWaitFor([&] { return !answer().is_null() || !killed.running(); }, 60'000) && killed.running(),
             lab::tailOf(killed.log()).c_str());
    QVERIFY(servers().size() > 2);
    killed.signal(SIGKILL);
    QVERIFY(killed.wait(10s).has_value());
    QTRY_VERIFY_WITH_TIMEOUT(servers().empty(), 20'000);
    QVERIFY(serverFolders() > 0);

    const lab::Process next(serve("mock"));
    QVERIFY2(QTest::qWaitFor([&] { return !answer().is_null() || !next.running(); }, 60'000) && next.running(),
             lab::tailOf(next.log()).c_str());
    QCOMPARE(serverFolders(), std::size_t{2});  // its own: PostgreSQL and the profile
    QCOMPARE(next.stop(20s, SIGINT), 0);
    QCOMPARE(serverFolders(), std::size_t{0});
}

QTEST_GUILESS_MAIN(LabServeTest)
#include "tst_lab_serve_crash.moc"
