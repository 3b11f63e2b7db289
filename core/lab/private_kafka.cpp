// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/private_kafka.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/lab/certificates.h"
#include "core/lab/kafka_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace redeliver::lab {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

bool holdsKafka(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().filename().string().starts_with("kafka_2.1") && entry.path().extension() == ".jar")
            return true;
    return false;
}

std::string fromEnvironment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// Kafka's form of a UUID: 16 bytes as base64url without padding; its tools refuse one that looks like an option.
std::string randomClusterId() {
    const auto entropy = systemEntropy();
    std::string id;
    do {
        std::string bytes;
        for (const std::uint64_t word : {entropy->next(), entropy->next()})
            for (unsigned shift = 0; shift < 64; shift += 8)
                bytes += static_cast<char>(static_cast<unsigned char>(word >> shift));
        id = toBase64(bytes).substr(0, 22);
        std::replace(id.begin(), id.end(), '+', '-');
        std::replace(id.begin(), id.end(), '/', '_');
    } while (id.starts_with('-'));
    return id;
}

std::map<std::string, std::string> plainProperties(const fs::path& folder, int port, int controllerPort) {
    return {
        {"process.roles", "broker,controller"},
        {"node.id", "1"},
        {"controller.quorum.voters", fmt::format("1@127.0.0.1:{}", controllerPort)},
        {"listeners", fmt::format("PLAINTEXT://127.0.0.1:{},CONTROLLER://127.0.0.1:{}", port, controllerPort)},
        {"advertised.listeners", fmt::format("PLAINTEXT://127.0.0.1:{}", port)},
        {"controller.listener.names", "CONTROLLER"},
        {"inter.broker.listener.name", "PLAINTEXT"},
        {"listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"},
        {"log.dirs", (folder / "data").string()},
        {"auto.create.topics.enable", "false"},
        {"offsets.topic.num.partitions", "1"},
        {"offsets.topic.replication.factor", "1"},
        {"transaction.state.log.num.partitions", "1"},
        {"transaction.state.log.replication.factor", "1"},
        {"transaction.state.log.min.isr", "1"},
        {"share.coordinator.state.topic.num.partitions", "1"},
        {"share.coordinator.state.topic.replication.factor", "1"},
        {"share.coordinator.state.topic.min.isr", "1"},
        {"group.initial.rebalance.delay.ms", "0"},
        // A killed broker must not wait for its own old registration when it comes back.
        {"broker.session.timeout.ms", "2000"},
        {"broker.heartbeat.interval.ms", "300"},
        {"num.network.threads", "2"},
        {"num.io.threads", "2"},
        {"log.cleaner.threads", "1"},
        {"log.cleaner.dedupe.buffer.size", "2097152"},
        {"log.cleaner.backoff.ms", "200"},
        {"log.initial.task.delay.ms", "200"},
        {"log.retention.check.interval.ms", "500"},
        {"log.index.size.max.bytes", "1048576"},
    };
}

void addSecurity(std::map<std::string, std::string>& properties, const std::map<std::string, std::string>& users,
                 int port, const fs::path& keystore, const std::string& keystorePassword) {
    properties["listeners"] += fmt::format(",SASL_SSL://127.0.0.1:{}", port);
    properties["advertised.listeners"] += fmt::format(",SASL_SSL://localhost:{}", port);
    properties["listener.security.protocol.map"] += ",SASL_SSL:SASL_SSL";
    properties["ssl.keystore.type"] = "PKCS12";
    properties["ssl.keystore.location"] = keystore.string();
    properties["ssl.keystore.password"] = keystorePassword;
    properties["sasl.enabled.mechanisms"] = "PLAIN,SCRAM-SHA-256";
    std::string login = fmt::format(
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"admin\" password=\"{}\"",
        users.at("admin"));
    for (const auto& [user, password] : users)
        login += fmt::format(" user_{}=\"{}\"", user, password);
    properties["listener.name.sasl_ssl.plain.sasl.jaas.config"] = login + ";";
    properties["listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config"] =
        "org.apache.kafka.common.security.scram.ScramLoginModule required;";
    properties["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer";
    properties["super.users"] = "User:admin;User:ANONYMOUS";
}

/// What a failed start's log says: its first errors (the shutdown behind them is long), then its end.
std::string reasonOf(const fs::path& log) {
    std::istringstream lines(tailOf(log, 400));
    std::string reason;
    int errors = 0;
    for (std::string line; errors < 8 && std::getline(lines, line);)
        if (line.find(" ERROR ") != std::string::npos || line.find("Exception") != std::string::npos) {
            reason += line + "\n";
            ++errors;
        }
    return reason + tailOf(log, 12);
}

}  // namespace

std::optional<fs::path> PrivateKafka::findJars(const fs::path& home) {
    std::vector<fs::path> candidates;
    if (!home.empty()) {
        candidates = {home / "libs", home};
    } else {
        if (const std::string set = fromEnvironment("KAFKA_HOME"); !set.empty())
            candidates = {fs::path(set) / "libs", fs::path(set)};
        std::error_code failed;
        fs::path above = fs::read_symlink("/proc/self/exe", failed).parent_path();
        for (int level = 0; !failed && level < 5 && above.has_relative_path(); ++level, above = above.parent_path()) {
            candidates.push_back(above / "kafka-jars");
            candidates.push_back(above / "build" / "kafka-jars");
        }
        const std::string cache = fromEnvironment("XDG_CACHE_HOME");
        candidates.push_back((cache.empty() ? fs::path(fromEnvironment("HOME")) / ".cache" : fs::path(cache)) /
                             "redeliver" / "kafka");
    }
    const auto found = std::find_if(candidates.begin(), candidates.end(), holdsKafka);
    return found == candidates.end() ? std::nullopt : std::optional(*found);
}

std::optional<fs::path> PrivateKafka::findJava() {
    if (const std::string home = fromEnvironment("JAVA_HOME"); !home.empty())
        if (auto java = findProgram(home + "/bin/java"))
            return java;
    return findProgram("java");
}

PrivateKafka::PrivateKafka(KafkaOptions options) : m_options(std::move(options)), m_folder("kafka") {
    if (m_options.jars.empty())
        m_options.jars = findJars().value_or(fs::path());
    if (!findJava())
        throw Error(ErrorKind::NotFound, "no Java runtime found", "install openjdk-17-jre-headless or newer");
    if (!holdsKafka(m_options.jars))
        throw Error(ErrorKind::NotFound, "Apache Kafka's jars were not found",
                    "run ./dev setup, or set KAFKA_HOME to an installation");
    fs::create_directory(m_folder.path() / "tmp");
    m_clusterId = randomClusterId();
    if (!m_options.users.empty()) {
        const auto entropy = systemEntropy();
        m_options.users.try_emplace("admin", randomUuid(*entropy));
        m_keystorePassword = makeCertificates(m_folder.path()).keystorePassword;
    }
    startOnFreePorts();
}

void PrivateKafka::startOnFreePorts() {
    for (int attempt = 0;; ++attempt) {
        m_port = freePort();
        m_controllerPort = freePort();
        m_securePort = m_options.users.empty() ? 0 : freePort();
        writeSettings();
        if (attempt == 0)
            format();
        try {
            start();
            return;
        } catch (const Error&) {
            m_process.reset();
            // Somebody's outgoing connection may have got a port while Java was starting.
            if (attempt == 3 || tailOf(log(), 400).find("Address already in use") == std::string::npos)
                throw;
        }
    }
}

PrivateKafka::~PrivateKafka() {
    if (m_process)
        m_process->signalTree(SIGKILL);  // the data go anyway
}

std::vector<std::string> PrivateKafka::javaCommand(const std::string& mainClass, int heapMegabytes) const {
    return {findJava().value_or("java").string(),
            fmt::format("-Xmx{}m", heapMegabytes),
            "-Xms64m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-Djava.io.tmpdir=" + (m_folder.path() / "tmp").string(),
            "-Djava.awt.headless=true",
            mainClass};
}

void PrivateKafka::writeSettings() {
    auto properties = plainProperties(m_folder.path(), m_port, m_controllerPort);
    if (!m_options.users.empty())
        addSecurity(properties, m_options.users, m_securePort, m_folder.path() / "server.p12", m_keystorePassword);
    for (const auto& [name, value] : m_options.properties)
        properties[name] = value;
    std::ofstream file(m_folder.path() / "server.properties");
    for (const auto& [name, value] : properties)
        file << name << '=' << value << '\n';
}

void PrivateKafka::format() {
    ProcessOptions options;
    options.command = javaCommand("kafka.tools.StorageTool", 128);
    for (const char* argument : {"format", "-t"})
        options.command.emplace_back(argument);
    options.command.push_back(m_clusterId);
    options.command.emplace_back("-c");
    options.command.push_back((m_folder.path() / "server.properties").string());
    for (const auto& [user, password] : m_options.users) {
        options.command.emplace_back("--add-scram");
        options.command.push_back(fmt::format("SCRAM-SHA-256=[name={},password={}]", user, password));
    }
    options.environment["CLASSPATH"] = (m_options.jars / "*").string();
    options.log = m_folder.path() / "format.log";
    runToEnd(std::move(options), 60s);
}

void PrivateKafka::start() {
    if (running())
        return;
    ProcessOptions options;
    options.command = javaCommand("kafka.Kafka", m_options.heapMegabytes);
    options.command.push_back((m_folder.path() / "server.properties").string());
    options.environment["CLASSPATH"] = (m_options.jars / "*").string();
    options.workingFolder = m_folder.path();
    options.log = log();
    m_process.emplace(std::move(options));
    m_folder.remember(m_process->pid());
    awaitReady();
}

void PrivateKafka::awaitReady() const {
    const auto end = std::chrono::steady_clock::now() + m_options.startLimit;
    while (std::chrono::steady_clock::now() < end) {
        if (const auto status = m_process->wait(20ms))
            throw Error(ErrorKind::Connection,
                        fmt::format("Kafka ended at its start with status {}\n{}", *status, reasonOf(log())));
        if (portAnswers(m_port) && brokerAnswers(bootstrap(), 1s))
            return;
    }
    throw Error(ErrorKind::Limit,
                fmt::format("Kafka didn't start within {} s\n{}", m_options.startLimit.count(), reasonOf(log())));
}

void PrivateKafka::stop() {
    if (m_process)
        m_process->stop(20s);
    m_process.reset();
}

void PrivateKafka::kill() {
    if (m_process)
        m_process->stop(10s, SIGKILL);
    m_process.reset();
}

void PrivateKafka::suspend() const {
    if (m_process)
        m_process->signalTree(SIGSTOP);
}

void PrivateKafka::resume() const {
    if (m_process)
        m_process->signalTree(SIGCONT);
}

void PrivateKafka::restart() {
    stop();
    start();
}

bool PrivateKafka::running() const {
    return m_process && m_process->running();
}

pid_t PrivateKafka::pid() const {
    return m_process ? m_process->pid() : -1;
}

std::string PrivateKafka::bootstrap() const {
    return fmt::format("127.0.0.1:{}", m_port);
}

std::string PrivateKafka::secureBootstrap() const {
    if (m_securePort == 0)
        throw Error(ErrorKind::Internal, "this broker was started without users");
    return fmt::format("localhost:{}", m_securePort);
}

std::map<std::string, std::string> PrivateKafka::clientProperties(const std::string& user) const {
    if (user.empty())
        return {{"bootstrap.servers", bootstrap()}};
    return {{"bootstrap.servers", secureBootstrap()},
            {"security.protocol", "SASL_SSL"},
            {"ssl.ca.location", caFile().string()},
            {"sasl.mechanism", "PLAIN"},
            {"sasl.username", user},
            {"sasl.password", m_options.users.at(user)}};
}

void PrivateKafka::allow(const std::string& user, const std::string& operation, const std::string& resourceFlag,
                         const std::string& resource) const {
    runTool({"org.apache.kafka.tools.AclCommand", "--bootstrap-server", bootstrap(), "--add", "--allow-principal",
             "User:" + user, "--operation", operation, resourceFlag, resource});
}

std::string PrivateKafka::runTool(const std::vector<std::string>& classAndArguments) const {
    ProcessOptions options;
    options.command = javaCommand(classAndArguments.at(0), 128);
    options.command.insert(options.command.end(), classAndArguments.begin() + 1, classAndArguments.end());
    options.environment["CLASSPATH"] = (m_options.jars / "*").string();
    options.log = m_folder.path() / "tool.log";
    return runToEnd(std::move(options), 60s);
}

}  // namespace redeliver::lab
