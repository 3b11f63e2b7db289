// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// ctest's fixture: `redeliver-test-servers start FILE` starts PostgreSQL and Kafka in the background and writes their
// addresses to FILE; `stop FILE` ends them. The background program also ends when the ctest that started it is gone.
#include "core/base/error.h"
#include "core/lab/process.h"
#include "tests/support/run_servers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <future>
#include <thread>

using namespace redeliver;
using namespace std::chrono_literals;

namespace {

volatile std::sig_atomic_t stopAsked = 0;

void toBackground() {
    setsid();
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int descriptor : {0, 1, 2}) {
        dup2(null, descriptor);
    }
    std::signal(SIGTERM, [](int) { stopAsked = 1; });
}

void serve(const std::filesystem::path& file, pid_t ctest, unsigned long long ctestStarted) {
    const std::filesystem::path log = file.string() + ".log";
    try {
        auto kafka = std::async(std::launch::async, tests::startTestKafka);
        const auto postgres = tests::startTestPostgres();
        const auto broker = kafka.get();
        std::ofstream(file.string() + ".pid") << getpid();
        tests::writeAddresses(file, {postgres->dsn(), broker->bootstrap()});
        while (stopAsked == 0 && lab::startTimeOf(ctest) == ctestStarted) {
            std::this_thread::sleep_for(200ms);
        }
    } catch (const Error& error) {
        std::ofstream(log) << error.text() << '\n' << error.hint() << '\n';
    }
    std::filesystem::remove(file);
    std::filesystem::remove(file.string() + ".pid");
}

int start(const std::filesystem::path& file) {
    std::filesystem::create_directories(file.parent_path());
    for (const char* suffix : {"", ".pid", ".log"}) {
        std::filesystem::remove(file.string() + suffix);
    }
    const pid_t ctest = getppid();
    const auto started = lab::startTimeOf(ctest);
    const pid_t child = fork();
    if (child == 0) {
        toBackground();
        serve(file, ctest, started.value_or(0));
        _exit(0);
    }
    for (int i = 0; i < 900; ++i) {
        if (std::filesystem::exists(file)) {
            return 0;
        }
        if (waitpid(child, nullptr, WNOHANG) == child) {
            break;
        }
        std::this_thread::sleep_for(100ms);
    }
    fmt::print(stderr, "The test servers did not start:\n{}\n", lab::tailOf(file.string() + ".log", 60));
    return 1;
}

int stop(const std::filesystem::path& file) {
    pid_t pid = 0;
    std::ifstream(file.string() + ".pid") >> pid;
    if (pid > 0) {
        kill(pid, SIGTERM);
        for (int i = 0; i < 300 && lab::startTimeOf(pid); ++i) {
            std::this_thread::sleep_for(100ms);
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "start") == 0) {
        return start(argv[2]);
    }
    if (argc == 3 && std::strcmp(argv[1], "stop") == 0) {
        return stop(argv[2]);
    }
    fmt::print(stderr, "usage: redeliver-test-servers start|stop FILE\n");
    return 2;
}
