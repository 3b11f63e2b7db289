// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/private_postgres.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/lab/certificates.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <libpq-fe.h>
#include <memory>
#include <thread>

namespace redeliver::lab {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view superuser = "postgres";

/// A value in a libpq connection string.
std::string quotedValue(std::string_view value) {
    std::string quoted = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\')
            quoted += '\\';
        quoted += c;
    }
    return quoted + "'";
}

fs::path requiredPrograms() {
    if (const auto found = PrivatePostgres::findPrograms())
        return *found;
    throw Error(ErrorKind::NotFound, "PostgreSQL's server programs (initdb, postgres) aren't installed",
                "install the package postgresql, or set REDELIVER_POSTGRES_BIN to their folder");
}

void giveTo(const fs::path& path, const std::optional<std::string>& user) {
    if (!user)
        return;
    const passwd* entry = getpwnam(user->c_str());
    if (entry == nullptr)
        throw Error(ErrorKind::NotFound, fmt::format("there is no user {} on this machine", *user),
                    "install the package postgresql");
    if (chown(path.c_str(), entry->pw_uid, entry->pw_gid) != 0)
        throw Error(ErrorKind::Privilege, fmt::format("can't give {} to the user {}", path.string(), *user));
}

}  // namespace

std::optional<fs::path> PrivatePostgres::findPrograms() {
    const auto complete = [](const fs::path& folder) {
        return findProgram((folder / "initdb").string()) && findProgram((folder / "postgres").string());
    };
    if (const char* set = std::getenv("REDELIVER_POSTGRES_BIN"); set != nullptr && *set != '\0')
        return complete(set) ? std::optional<fs::path>(set) : std::nullopt;
    if (const auto initdb = findProgram("initdb"); initdb && complete(initdb->parent_path()))
        return initdb->parent_path();
    std::optional<fs::path> newest;
    std::int64_t newestVersion = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
        const auto version = toInt64(entry.path().filename().string());
        if (version && *version > newestVersion && complete(entry.path() / "bin")) {
            newest = entry.path() / "bin";
            newestVersion = *version;
        }
    }
    return newest;
}

PrivatePostgres::PrivatePostgres(PostgresOptions options) : m_options(std::move(options)), m_folder("postgres") {
    if (geteuid() == 0)
        m_user = std::string(superuser);
    initialise();
    start();
}

PrivatePostgres::~PrivatePostgres() {
    if (m_process)
        m_process->signalTree(SIGCONT);
    ended(SIGQUIT);
}

void PrivatePostgres::initialise() {
    const fs::path programs = requiredPrograms();
    for (const char* name : {"data", "socket"}) {
        fs::create_directory(m_folder.path() / name);
        giveTo(m_folder.path() / name, m_user);
    }
    if (m_user)
        chmod((m_folder.path() / "socket").c_str(), 0711);
    const auto entropy = systemEntropy();
    m_password = randomUuid(*entropy);
    const fs::path passwordFile = m_folder.path() / "password";
    std::ofstream(passwordFile) << m_password << '\n';
    chmod(passwordFile.c_str(), 0600);
    giveTo(passwordFile, m_user);

    ProcessOptions initdb;
    initdb.command = {(programs / "initdb").string(),
                      "--pgdata=" + (m_folder.path() / "data").string(),
                      "--username=" + std::string(superuser),
                      "--pwfile=" + passwordFile.string(),
                      "--encoding=UTF8",
                      "--locale=C.UTF-8",
                      "--auth-local=trust",
                      "--auth-host=scram-sha-256",
                      "--no-sync",
                      "--no-instructions"};
    initdb.environment = {{"LC_ALL", "C.UTF-8"}, {"PGDATA", ""}};
    initdb.workingFolder = m_folder.path() / "data";
    initdb.log = log();
    initdb.user = m_user;
    runToEnd(std::move(initdb), 60s);
    if (m_options.tls) {
        const Certificates made = makeCertificates(m_folder.path());
        for (const auto& file : {made.certificate, made.key})
            giveTo(file, m_user);
    }
}

void PrivatePostgres::writeSettings() const {
    const bool listens = m_options.tcp || m_options.tls;
    std::string text = fmt::format(
        "listen_addresses = '{}'\nport = {}\nunix_socket_directories = '{}'\nunix_socket_permissions = 0700\n"
        "max_connections = 200\nshared_buffers = 64MB\nfsync = off\nfull_page_writes = off\n"
        "wal_level = replica\nmax_wal_size = 512MB\nlog_line_prefix = '%m [%p] %a '\nlogging_collector = off\n"
        "timezone = 'UTC'\nlog_timezone = 'UTC'\njit = off\n",
        listens ? "127.0.0.1" : "", m_port, (m_folder.path() / "socket").string());
    if (m_options.tls)
        text += fmt::format("ssl = on\nssl_cert_file = '{0}/server.pem'\nssl_key_file = '{0}/server.key'\n",
                            m_folder.path().string());
    for (const auto& [name, value] : m_options.settings)
        text += fmt::format("{} = {}\n", name, quotedValue(value));
    std::ofstream(m_folder.path() / "data" / "postgresql.conf") << text;
    std::ofstream(m_folder.path() / "data" / "pg_hba.conf")
        << "local all all trust\n"
        << (m_options.tls ? "hostssl" : "host") << " all all 127.0.0.1/32 scram-sha-256\n";
}

void PrivatePostgres::start() {
    if (running())
        return;
    const bool chooses = (m_options.tcp || m_options.tls) && m_port == 5432;
    for (int attempt = 0;; ++attempt) {
        if (chooses)
            m_port = freePort();
        writeSettings();
        ProcessOptions options;
        options.command = {(requiredPrograms() / "postgres").string(), "-D", (m_folder.path() / "data").string()};
        options.environment = {{"LC_ALL", "C.UTF-8"}, {"PGDATA", ""}, {"PGOPTIONS", ""}};
        options.workingFolder = m_folder.path() / "data";
        options.log = log();
        options.user = m_user;
        options.signalOnOurDeath = SIGQUIT;  // SIGKILL would leave its shared memory behind
        m_process.emplace(std::move(options));
        m_folder.remember(m_process->pid());
        try {
            awaitReady();
            return;
        } catch (const Error&) {
            m_process.reset();
            if (!chooses || attempt == 3)
                throw;
        }
    }
}

void PrivatePostgres::awaitReady() {
    // The same sign that pg_ctl waits for: the eighth line of postmaster.pid, behind the pid on the first.
    const fs::path file = m_folder.path() / "data" / "postmaster.pid";
    const auto end = std::chrono::steady_clock::now() + m_options.startLimit;
    while (std::chrono::steady_clock::now() < end) {
        if (m_process->wait(15ms))
            throw Error(ErrorKind::Connection, "PostgreSQL ended at its start\n" + tailOf(log()));
        std::ifstream input(file);
        std::string line;
        bool ours = false;
        for (int number = 1; std::getline(input, line); ++number) {
            if (number == 1)
                ours = line == std::to_string(m_process->pid());
            if (number == 8 && ours && line.starts_with("ready"))
                return;
        }
    }
    throw Error(ErrorKind::Limit,
                fmt::format("PostgreSQL didn't start within {} s\n{}", m_options.startLimit.count(), tailOf(log())));
}

void PrivatePostgres::ended(int signal) {
    if (!m_process)
        return;
    m_process->stop(20s, signal);
    m_process.reset();
}

void PrivatePostgres::stopFast() {
    ended(SIGINT);
}

void PrivatePostgres::stopImmediate() {
    ended(SIGQUIT);
}

void PrivatePostgres::kill() {
    if (m_process)
        m_process->signalTree(SIGKILL);
    ended(SIGKILL);
}

void PrivatePostgres::suspend() const {
    if (m_process)
        m_process->signalTree(SIGSTOP);
}

void PrivatePostgres::resume() const {
    if (m_process)
        m_process->signalTree(SIGCONT);
}

bool PrivatePostgres::running() const {
    return m_process && m_process->running();
}

pid_t PrivatePostgres::pid() const {
    return m_process ? m_process->pid() : -1;
}

std::string PrivatePostgres::dsn(std::string_view database) const {
    return fmt::format("host={} port={} user={} dbname={}", quotedValue((m_folder.path() / "socket").string()), m_port,
                       superuser, quotedValue(database));
}

std::string PrivatePostgres::tcpDsn(std::string_view database) const {
    const std::string tls = m_options.tls
                                ? fmt::format(" sslmode=verify-full sslrootcert={}", quotedValue(caFile().string()))
                                : std::string(" sslmode=disable");
    return fmt::format("host=localhost hostaddr=127.0.0.1 port={} user={} password={} dbname={}{}", m_port, superuser,
                       m_password, quotedValue(database), tls);
}

std::string PrivatePostgres::execute(std::string_view database, const std::string& sql) const {
    return executeSql(dsn(database), sql);
}

void PrivatePostgres::createDatabase(std::string_view name, std::string_view fromTemplate) const {
    execute("postgres", fmt::format("CREATE DATABASE {} TEMPLATE {}", quotedName(name), quotedName(fromTemplate)));
}

void PrivatePostgres::dropDatabase(std::string_view name) const {
    execute("postgres", fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", quotedName(name)));
}

std::string executeSql(const std::string& dsn, const std::string& sql) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(dsn.c_str()), &PQfinish);
    if (PQstatus(connection.get()) != CONNECTION_OK)
        throw Error(ErrorKind::Connection, PQerrorMessage(connection.get()));
    PQsetNoticeProcessor(
        connection.get(), [](void*, const char*) {}, nullptr);
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), &PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY) {
        const char* code = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
        throw Error(ErrorKind::Server, PQerrorMessage(connection.get()), "", code != nullptr ? code : "");
    }
    if (PQntuples(result.get()) == 0 || PQnfields(result.get()) == 0)
        return {};
    return PQgetvalue(result.get(), 0, 0);
}

std::string quotedName(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace redeliver::lab
