// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/process.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string_view>
#include <thread>

namespace redeliver::lab {

namespace fs = std::filesystem;

namespace {

struct Identity {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;
};

Identity identityOf(const std::string& name) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 16384> buffer{};
    if (getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
        throw Error(ErrorKind::NotFound, fmt::format("there is no user {} on this machine", name),
                    "install the package that makes it, or run as another user");
    Identity identity{entry.pw_uid, entry.pw_gid, std::vector<gid_t>(64)};
    int count = static_cast<int>(identity.groups.size());
    if (getgrouplist(name.c_str(), entry.pw_gid, identity.groups.data(), &count) < 0)
        count = 1;
    identity.groups.resize(static_cast<std::size_t>(std::max(count, 0)));
    return identity;
}

std::vector<std::string> mergedEnvironment(const std::map<std::string, std::string>& changes) {
    std::vector<std::string> merged;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (!changes.contains(std::string(text.substr(0, text.find('=')))))
            merged.emplace_back(text);
    }
    for (const auto& [name, value] : changes)
        if (!value.empty())
            merged.push_back(std::string(name).append("=").append(value));
    return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (auto& text : texts)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

/// Everything the child needs, made before fork: between fork and exec nothing may allocate.
struct Launch {
    std::string program;
    std::vector<std::string> argumentTexts;
    std::vector<std::string> environmentTexts;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    std::string folder;
    std::optional<Identity> identity;
    int output = -1;
    int errors = -1;
    int report = -1;
    int deathSignal = SIGKILL;
    pid_t parent = 0;
};

[[noreturn]] void giveUp(int report) {
    const int code = errno;
    [[maybe_unused]] const auto written = write(report, &code, sizeof code);
    _exit(127);
}

void resetSignals() {
    for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2})
        ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void becomeChild(const Launch& launch) {
    resetSignals();
    setpgid(0, 0);
    const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (dup2(input, 0) < 0 || dup2(launch.output, 1) < 0 || dup2(launch.errors, 2) < 0)
        giveUp(launch.report);
    if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
        for (int descriptor = 3; descriptor < 4096; ++descriptor)
            fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    if (launch.identity) {
        const Identity& identity = *launch.identity;
        if (setgroups(identity.groups.size(), identity.groups.data()) != 0 || setgid(identity.group) != 0 ||
            setuid(identity.user) != 0)
            giveUp(launch.report);
    }
    // After setuid: a change of identity clears it.
    prctl(PR_SET_PDEATHSIG, launch.deathSignal);
    if (getppid() != launch.parent)
        _exit(127);
    if (!launch.folder.empty() && chdir(launch.folder.c_str()) != 0)
        giveUp(launch.report);
    execve(launch.program.c_str(), launch.arguments.data(), launch.environment.data());
    giveUp(launch.report);
}

int openForAppend(const fs::path& file) {
    const std::string path = file.empty() ? "/dev/null" : file.string();
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0)
        throw Error(ErrorKind::Internal, fmt::format("can't write {}: {}", path, std::strerror(errno)));
    return descriptor;
}

class Descriptor {
  public:
    explicit Descriptor(int number) : m_number(number) {}
    ~Descriptor() { reset(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const noexcept { return m_number; }
    void reset() {
        if (m_number >= 0)
            close(m_number);
        m_number = -1;
    }

  private:
    int m_number;
};

std::vector<pid_t> descendantsOf(pid_t root) {
    std::vector<std::pair<pid_t, pid_t>> parents;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const auto pid = toInt64(entry.path().filename().string());
        if (!pid)
            continue;
        std::ifstream file(entry.path() / "stat");
        std::string text;
        std::getline(file, text);
        const auto close = text.rfind(')');
        if (close == std::string::npos)
            continue;
        std::istringstream rest(text.substr(close + 1));
        std::string state;
        pid_t parent = 0;
        if (rest >> state >> parent)
            parents.emplace_back(static_cast<pid_t>(*pid), parent);
    }
    std::vector<pid_t> found{root};
    for (std::size_t next = 0; next < found.size(); ++next)
        for (const auto& [pid, parent] : parents)
            if (parent == found[next])
                found.push_back(pid);
    found.erase(found.begin());
    return found;
}

}  // namespace

struct Process::State {
    ProcessOptions options;
    pid_t pid = -1;
    mutable std::mutex mutex;
    mutable std::condition_variable changed;
    std::optional<int> status;
    std::string failure;
    bool started = false;
    std::jthread waiter;
};

namespace {

int statusOf(int raw) {
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
}

Launch prepare(const ProcessOptions& options, int output, int errors, int report) {
    if (options.command.empty())
        throw Error(ErrorKind::Internal, "no command to start");
    const auto program = findProgram(options.command.front());
    if (!program)
        throw Error(ErrorKind::NotFound, fmt::format("the program {} isn't installed", options.command.front()));
    Launch launch;
    launch.program = program->string();
    launch.argumentTexts = options.command;
    launch.environmentTexts = mergedEnvironment(options.environment);
    launch.folder = options.workingFolder.string();
    if (options.user)
        launch.identity = identityOf(*options.user);
    launch.output = output;
    launch.errors = errors;
    launch.report = report;
    launch.deathSignal = options.signalOnOurDeath;
    launch.parent = getpid();
    return launch;
}

}  // namespace

Process::Process(ProcessOptions options) : m_state(std::make_shared<State>()) {
    const Descriptor errors(openForAppend(options.log));
    const Descriptor output(openForAppend(options.output.empty() ? options.log : options.output));
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        throw Error(ErrorKind::Internal, fmt::format("no pipe: {}", std::strerror(errno)));
    const Descriptor reader(ends[0]);
    Descriptor writer(ends[1]);
    Launch launch = prepare(options, output.get(), errors.get(), writer.get());
    launch.arguments = pointers(launch.argumentTexts);
    launch.environment = pointers(launch.environmentTexts);
    m_state->options = std::move(options);

    State* state = m_state.get();
    m_state->waiter = std::jthread([state, &launch] {
        const pid_t child = fork();
        if (child == 0)
            becomeChild(launch);
        {
            const std::scoped_lock lock(state->mutex);
            state->pid = child;
            state->started = true;
            if (child < 0) {
                state->failure = std::strerror(errno);
                state->status = 127;
            }
            state->changed.notify_all();
        }
        if (child < 0)
            return;
        // WNOWAIT first: while the lock isn't held the pid stays ours, so that signal() can never hit a stranger.
        siginfo_t info{};
        while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
        }
        const std::scoped_lock lock(state->mutex);
        int raw = 0;
        while (waitpid(child, &raw, 0) < 0 && errno == EINTR) {
        }
        state->status = statusOf(raw);
        state->changed.notify_all();
    });
    {
        std::unique_lock lock(m_state->mutex);
        m_state->changed.wait(lock, [&] { return m_state->started; });
        if (!m_state->failure.empty())
            throw Error(ErrorKind::Internal, fmt::format("can't start {}: {}", launch.program, m_state->failure));
    }
    writer.reset();
    int code = 0;
    ssize_t count = 0;
    while ((count = read(reader.get(), &code, sizeof code)) < 0 && errno == EINTR) {
    }
    if (count == sizeof code)
        throw Error(ErrorKind::Internal, fmt::format("can't start {}: {}", launch.program, std::strerror(code)));
}

Process::~Process() {
    if (!m_state)
        return;
    signalTree(SIGKILL);
}

Process::Process(Process&&) noexcept = default;

Process& Process::operator=(Process&& other) noexcept {
    if (this != &other) {
        if (m_state)
            signalTree(SIGKILL);
        m_state = std::move(other.m_state);
    }
    return *this;
}

pid_t Process::pid() const noexcept {
    return m_state->pid;
}

bool Process::running() const {
    const std::scoped_lock lock(m_state->mutex);
    return !m_state->status.has_value();
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) const {
    std::unique_lock lock(m_state->mutex);
    m_state->changed.wait_for(lock, limit, [&] { return m_state->status.has_value(); });
    return m_state->status;
}

void Process::signal(int number) const {
    const std::scoped_lock lock(m_state->mutex);
    if (!m_state->status)
        kill(m_state->pid, number);
}

void Process::signalTree(int number) const {
    const std::scoped_lock lock(m_state->mutex);
    if (m_state->status)
        return;
    const auto others = descendantsOf(m_state->pid);
    kill(m_state->pid, number);
    for (const pid_t pid : others)
        kill(pid, number);
}

int Process::stop(std::chrono::milliseconds grace, int number) const {
    signal(number);
    if (const auto status = wait(grace))
        return *status;
    signalTree(SIGKILL);
    return wait(std::chrono::seconds(10)).value_or(128 + SIGKILL);
}

const fs::path& Process::log() const noexcept {
    return m_state->options.log;
}

std::string runToEnd(ProcessOptions options, std::chrono::milliseconds limit) {
    const std::string name = options.command.empty() ? std::string() : options.command.front();
    if (options.output.empty())
        options.output = options.log.string() + ".out";
    const fs::path output = options.output;
    std::error_code ignored;
    fs::remove(output, ignored);
    const Process process(std::move(options));
    const auto status = process.wait(limit);
    if (!status) {
        process.signalTree(SIGKILL);
        throw Error(ErrorKind::Limit,
                    fmt::format("{} took longer than {} ms\n{}", name, limit.count(), tailOf(process.log())));
    }
    std::ifstream file(output, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (*status != 0)
        throw Error(ErrorKind::Internal,
                    fmt::format("{} ended with status {}\n{}{}", name, *status, tailOf(process.log()), tailOf(output)));
    return text;
}

std::optional<fs::path> findProgram(const std::string& name) {
    const auto usable = [](const fs::path& path) { return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); };
    if (name.find('/') != std::string::npos)
        return usable(name) ? std::optional<fs::path>(name) : std::nullopt;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const fs::path candidate = fs::path(folder) / name; !folder.empty() && usable(candidate))
            return candidate;
    return std::nullopt;
}

std::optional<unsigned long long> startTimeOf(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(file, text);
    const auto close = text.rfind(')');
    if (close == std::string::npos)
        return std::nullopt;
    std::istringstream rest(text.substr(close + 1));
    std::string field;
    for (int number = 3; number < 22; ++number)
        rest >> field;
    unsigned long long ticks = 0;
    return rest >> ticks ? std::optional(ticks) : std::nullopt;
}

std::string tailOf(const fs::path& file, std::size_t lines) {
    std::ifstream input(file, std::ios::binary | std::ios::ate);
    if (!input)
        return {};
    const auto size = static_cast<std::streamoff>(input.tellg());
    input.seekg(std::max<std::streamoff>(0, size - std::streamoff{64} * 1024));
    std::deque<std::string> kept;
    for (std::string line; std::getline(input, line);) {
        kept.push_back(line);
        if (kept.size() > lines)
            kept.pop_front();
    }
    std::string text;
    for (const auto& line : kept)
        text += line + "\n";
    return text;
}

}  // namespace redeliver::lab
