// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/lab/process.h"
#include "core/lab/server_folder.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

using namespace redeliver;
using namespace std::chrono_literals;
using lab::Process;
using lab::ProcessOptions;
namespace fs = std::filesystem;

class ProcessTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void tellsExitStatusAndSignal();
    void takesOutputEnvironmentAndFolder();
    void inheritsNothingOfOurs();
    void outlivesTheThreadThatStartedItAndEndsWithItsOwner();
    void endsGrandchildrenInGroupsOfTheirOwn();
    void saysWhyItCannotStart();
    void aFolderGoesWithItsOwnerAndLeftoversAreRemoved();

  private:
    QTemporaryDir m_folder;
    ProcessOptions shell(const std::string& script) const {
        ProcessOptions options;
        options.command = {"sh", "-c", script};
        options.log = fs::path(m_folder.path().toStdString()) / "log";
        return options;
    }
};

void ProcessTest::tellsExitStatusAndSignal() {
    QCOMPARE(Process(shell("exit 7")).wait(10s).value_or(-1), 7);
    QCOMPARE(Process(shell("kill -TERM $$")).wait(10s).value_or(-1), 128 + SIGTERM);
    const Process deaf(shell("trap '' TERM; while :; do sleep 1; done"));
    QVERIFY(!deaf.wait(50ms).has_value());
    QCOMPARE(deaf.stop(100ms), 128 + SIGKILL);
    QVERIFY(!deaf.running());
    deaf.signal(SIGTERM);  // to nobody, and harmless
}

void ProcessTest::takesOutputEnvironmentAndFolder() {
    auto options = shell("echo $REDELIVER_X; pwd; echo wrong >&2");
    options.environment["REDELIVER_X"] = "one two";
    options.workingFolder = "/";
    QCOMPARE(lab::runToEnd(options, 10s), std::string("one two\n/\n"));
    QCOMPARE(lab::tailOf(options.log, 1), std::string("wrong\n"));
    try {
        lab::runToEnd(shell("echo the reason >&2; exit 3"), 10s);
        QFAIL("a failure went unnoticed");
    } catch (const Error& error) {
        QVERIFY2(error.text().find("the reason") != std::string::npos, error.what());
    }
}

void ProcessTest::inheritsNothingOfOurs() {
    const std::ifstream open("/dev/zero");
    // ls itself has its folder open: 0, 1, 2 and that one.
    QCOMPARE(lab::runToEnd(shell("ls /proc/self/fd | wc -l"), 10s), std::string("4\n"));
    QCOMPARE(lab::runToEnd(shell("readlink /proc/self/fd/0"), 10s), std::string("/dev/null\n"));
}

void ProcessTest::outlivesTheThreadThatStartedItAndEndsWithItsOwner() {
    pid_t pid = 0;
    {
        std::optional<Process> process;
        std::thread([&] { process.emplace(shell("exec sleep 60")); }).join();
        pid = process->pid();
        QVERIFY(!process->wait(200ms).has_value());
        QVERIFY(lab::startTimeOf(pid).has_value());
    }
    QVERIFY(!lab::startTimeOf(pid).has_value());
}

void ProcessTest::endsGrandchildrenInGroupsOfTheirOwn() {
    const fs::path file = fs::path(m_folder.path().toStdString()) / "grandchild";
    pid_t grandchild = 0;
    {
        const Process process(shell("setsid sleep 60 & echo $! > " + file.string() + "; wait"));
        QTRY_VERIFY((std::ifstream(file) >> grandchild) && grandchild > 0);
        QVERIFY(lab::startTimeOf(grandchild).has_value());
    }
    QTRY_VERIFY(!lab::startTimeOf(grandchild).has_value());
}

void ProcessTest::saysWhyItCannotStart() {
    ProcessOptions options;
    options.command = {"no-such-program-anywhere"};
    QVERIFY_THROWS_EXCEPTION(Error, Process{options});
    options.command = {"true"};
    options.workingFolder = "/nonexistent";
    QVERIFY_THROWS_EXCEPTION(Error, Process{options});
    options.workingFolder = "/";
    options.log = "/nonexistent/log";
    QVERIFY_THROWS_EXCEPTION(Error, Process{options});
}

void ProcessTest::aFolderGoesWithItsOwnerAndLeftoversAreRemoved() {
    const lab::ServerFolder living("mine");
    const fs::path left = lab::ServerFolder::base() / "mine-leftover";
    fs::create_directories(left / "data");
    std::ofstream(left / "owner.lock") << "";
    // What a killed owner leaves: a server that still runs, and a pid that is another process by now.
    const Process server(shell("exec sleep 60"));
    const Process stranger(shell("exec sleep 60"));
    std::ofstream(left / "pids") << server.pid() << ' ' << *lab::startTimeOf(server.pid()) << '\n'
                                 << stranger.pid() << ' ' << *lab::startTimeOf(stranger.pid()) + 1 << '\n';
    {
        const lab::ServerFolder next("mine");
        QVERIFY(!fs::exists(left));
        QCOMPARE(server.wait(10s).value_or(-1), 128 + SIGKILL);
        QVERIFY(stranger.running());
        QVERIFY(fs::exists(living.path()));
        QVERIFY(fs::exists(next.path()));
    }
    QVERIFY(fs::exists(living.path()));
}

QTEST_GUILESS_MAIN(ProcessTest)
#include "tst_process_unit.moc"
