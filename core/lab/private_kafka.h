// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/process.h"
#include "core/lab/server_folder.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace redeliver::lab {

struct KafkaOptions {
    std::filesystem::path jars;                     ///< empty: findJars()
    std::map<std::string, std::string> properties;  ///< broker properties, override ours
    /// With users (name → password; "admin" is added) a second listener with TLS, SASL PLAIN and SCRAM-SHA-256 is
    /// opened and ACLs are on: nobody but admin, and whoever uses the plain listener, may do anything not granted.
    std::map<std::string, std::string> users;
    int heapMegabytes = 320;
    std::chrono::seconds startLimit{60};
};

/// A private one-node Apache Kafka (KRaft) in a temporary folder, alive as long as this object and never longer; needs
/// a Java runtime (17 or newer) and Kafka's jars. Ports and data stay the same over stop and start. One thread at a
/// time.
class PrivateKafka {
  public:
    explicit PrivateKafka(KafkaOptions options = {});  ///< format and start; throws Error with the log's tail
    ~PrivateKafka();                                   ///< ends it and removes the folder
    PrivateKafka(const PrivateKafka&) = delete;
    PrivateKafka& operator=(const PrivateKafka&) = delete;

    void start();          ///< after a stop; answers metadata requests when it returns
    void stop();           ///< clean, SIGTERM
    void kill();           ///< SIGKILL
    void suspend() const;  ///< SIGSTOP: connections hang
    void resume() const;
    void restart();
    [[nodiscard]] bool running() const;
    [[nodiscard]] pid_t pid() const;

    [[nodiscard]] std::string bootstrap() const;        ///< without TLS or login
    [[nodiscard]] std::string secureBootstrap() const;  ///< needs options.users
    [[nodiscard]] std::filesystem::path caFile() const { return m_folder.path() / "ca.pem"; }
    /// librdkafka properties with which `user` logs in; bootstrap.servers only without users.
    [[nodiscard]] std::map<std::string, std::string> clientProperties(const std::string& user = {}) const;
    /// Grants through Kafka's own AclCommand, e.g. allow("viewer", "Read", "--topic", "orders") ("*": all). Takes 2 s.
    void allow(const std::string& user, const std::string& operation, const std::string& resourceFlag,
               const std::string& resource) const;
    /// Runs one of Kafka's tools, e.g. {"org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", …}; its output.
    std::string runTool(const std::vector<std::string>& classAndArguments) const;

    [[nodiscard]] const std::string& clusterId() const noexcept { return m_clusterId; }
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return m_folder.path(); }
    [[nodiscard]] std::filesystem::path log() const { return m_folder.path() / "kafka.log"; }

    /// The folder with Kafka's jars: `home`/libs, $KAFKA_HOME/libs, kafka-jars or build/kafka-jars above this program
    /// (where ./dev setup puts them), $XDG_CACHE_HOME/redeliver/kafka.
    [[nodiscard]] static std::optional<std::filesystem::path> findJars(const std::filesystem::path& home = {});
    [[nodiscard]] static std::optional<std::filesystem::path> findJava();  ///< $JAVA_HOME/bin/java, PATH

  private:
    [[nodiscard]] std::vector<std::string> javaCommand(const std::string& mainClass, int heapMegabytes) const;
    void startOnFreePorts();
    void writeSettings();
    void format();
    void awaitReady() const;

    KafkaOptions m_options;
    ServerFolder m_folder;
    std::string m_clusterId;
    std::string m_keystorePassword;
    int m_port = 0;
    int m_controllerPort = 0;
    int m_securePort = 0;
    std::optional<Process> m_process;
};

}  // namespace redeliver::lab
