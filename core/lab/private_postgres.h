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

struct PostgresOptions {
    bool tcp = false;                             ///< also listen on 127.0.0.1, with a password (scram-sha-256)
    bool tls = false;                             ///< TCP with TLS only; certificate signed by caFile(), name localhost
    std::map<std::string, std::string> settings;  ///< lines of postgresql.conf, added last
    std::chrono::seconds startLimit{30};
};

/// A private PostgreSQL cluster in a temporary folder, alive as long as this object and never longer. Local
/// connections need no password but are open to our user only (socket mode). fsync is off: it survives its own crash,
/// not the machine's. As root it runs as the user postgres. One thread at a time.
class PrivatePostgres {
  public:
    explicit PrivatePostgres(PostgresOptions options = {});  ///< initdb and start; throws Error with the log's tail
    ~PrivatePostgres();                                      ///< ends it and removes the folder
    PrivatePostgres(const PrivatePostgres&) = delete;
    PrivatePostgres& operator=(const PrivatePostgres&) = delete;

    void start();          ///< after a stop; answers connections when it returns
    void stopFast();       ///< clean: sessions are ended, transactions rolled back
    void stopImmediate();  ///< like a crash: recovery at the next start
    void kill();           ///< SIGKILL to all its processes
    void suspend() const;  ///< SIGSTOP to all its processes: connections hang
    void resume() const;
    [[nodiscard]] bool running() const;
    [[nodiscard]] pid_t pid() const;

    /// libpq connection strings for the superuser. tcpDsn holds the password and needs options.tcp or tls.
    [[nodiscard]] std::string dsn(std::string_view database = "postgres") const;
    [[nodiscard]] std::string tcpDsn(std::string_view database = "postgres") const;
    [[nodiscard]] int port() const noexcept { return m_port; }
    [[nodiscard]] const std::string& password() const noexcept { return m_password; }
    [[nodiscard]] std::filesystem::path caFile() const { return m_folder.path() / "ca.pem"; }

    /// Runs SQL (one or several statements, text results) and returns the first column of the last one's first row,
    /// empty when there is none. Throws Error with the SQLSTATE as code.
    std::string execute(std::string_view database, const std::string& sql) const;
    void createDatabase(std::string_view name, std::string_view fromTemplate = "template1") const;
    void dropDatabase(std::string_view name) const;  ///< ends its sessions first

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return m_folder.path(); }
    [[nodiscard]] std::filesystem::path log() const { return m_folder.path() / "postgres.log"; }

    /// The folder with initdb and postgres: $REDELIVER_POSTGRES_BIN, PATH, or the newest under /usr/lib/postgresql.
    [[nodiscard]] static std::optional<std::filesystem::path> findPrograms();

  private:
    void initialise();
    void writeSettings() const;
    void awaitReady();
    void ended(int signal);

    PostgresOptions m_options;
    ServerFolder m_folder;
    std::string m_password;
    std::optional<std::string> m_user;
    int m_port = 5432;
    std::optional<Process> m_process;
};

/// Runs SQL on any connection string, as PrivatePostgres::execute does.
std::string executeSql(const std::string& dsn, const std::string& sql);

/// `name` quoted as an SQL identifier.
[[nodiscard]] std::string quotedName(std::string_view name);

}  // namespace redeliver::lab
