// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/postgres/connection_string.h"
#include "core/postgres/pqxx_session.h"
#include "tests/core/postgres/database.h"

#include <QtTest/QTest>

#include <thread>

using namespace redeliver;
using namespace redeliver::postgres;
using tests::Database;
using tests::errorOf;
using tests::Login;

namespace {

// A table whose deferred trigger does something during COMMIT.
void atCommit(const Database& database, const std::string& statement) {
    database.sql("CREATE TABLE public.t (n int)");
    database.sql("CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + statement +
                 "; RETURN NULL; END $$");
    database.sql(
        "CREATE CONSTRAINT TRIGGER c AFTER INSERT ON public.t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
        "EXECUTE FUNCTION public.f()");
}

}  // namespace

class SessionTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void valuesComeBackExactly();
    void impossibleTimesNeverLookPlausible();
    void quotesWhatUsersGive();
    void rolesSettingsDontReachUs();
    void nothingOfOursOutlivesTheTransaction();
    void lostConnectionIsNamedAndComesBack();
    void commitInDoubtIsAnOutcomeOfItsOwn();
    void commitRefusedByTheServerIsNotInDoubt();
    void commitAfterAFailedStatementIsNoSuccess();
    void stopCancelsARunningStatement();
    void limitsAndErrorsHaveKindAndCode();
    void connectErrorsSayWhatToDo();
    void dsnKeepsWhatItSays();
};

void SessionTest::valuesComeBackExactly() {
    Database database{Database::Schema::None};
    PinnedTransaction transaction{database.session()};
    const TimePoint at{std::chrono::microseconds{1'796'130'028'123'457}};
    const TimePoint early{std::chrono::microseconds{-1}};
    const Duration span{-86'400'000'001};
    const std::string bytes{"\0\xff'\\x", 5};
    const std::vector<std::optional<std::string>> texts{
        "plain", "with \"quotes\" and \\", "", "NULL", std::nullopt, "{a,b}", "日本 é"};
    const std::string text = fmt::format(
        "SELECT {}, {}, {}, $4::bytea, $5::text[], $6::bigint, $7::float8, $8::boolean, NULL::text, $9::bigint[]",
        microsOf("$1::timestamptz"), microsOf("$2::timestamptz"), microsOf("$3::interval"));
    SqlParams params;
    params.add(at).add(early).add(span).addBytes(bytes).addArray(texts);
    params.add(std::int64_t{-9'223'372'036'854'775'807}).add(0.1).add(true);
    params.addArray(std::vector<std::int64_t>{3, -4});
    const auto row = transaction.run({"values", text}, params)[0];
    QCOMPARE(timeOf(row[0]), at);
    QCOMPARE(timeOf(row[1]), early);
    QCOMPARE(durationOf(row[2]), span);
    QCOMPARE(bytesOf(row[3]), bytes);
    QCOMPARE(arrayOf(row[4]), texts);
    QCOMPARE(int64Of(row[5]), -9'223'372'036'854'775'807);
    QCOMPARE(doubleOf(row[6]), 0.1);
    QVERIFY(boolOf(row[7]));
    QVERIFY(!maybeText(row[8]));
    QCOMPARE(int64ArrayOf(row[9]), (std::vector<std::int64_t>{3, -4}));
    QCOMPARE(errorOf([&] { (void)int64Of(row[8]); }).kind(), ErrorKind::Internal);
}

void SessionTest::impossibleTimesNeverLookPlausible() {
    Database database{Database::Schema::None};
    PinnedTransaction transaction{database.session()};
    const std::string text =
        fmt::format("SELECT {}, {}, {}, {}", microsOf("'infinity'::timestamptz"), microsOf("'-infinity'::timestamptz"),
                    microsOf("'294276-12-31'::timestamptz"), microsOf("'0044-03-15 BC'::timestamptz"));
    const auto row = transaction.run({"times", text})[0];
    QCOMPARE(int64Of(row[0]), infiniteMicros);
    QCOMPARE(int64Of(row[1]), -infiniteMicros);
    QCOMPARE(int64Of(row[2]), infiniteMicros);
    QVERIFY(timeOf(row[3]) < TimePoint{std::chrono::sys_days{std::chrono::year{-40} / 1 / 1}});
}

void SessionTest::quotesWhatUsersGive() {
    Database database{Database::Schema::None};
    const std::string nasty = "a\"b'c\\d;--é";
    database.sql("CREATE SCHEMA " + quoteName(nasty));
    auto options = database.options();
    options.schema = nasty;
    Session session{options};
    PinnedTransaction transaction{session, {.readOnly = false}};
    transaction.run({"create", "CREATE TABLE :schema.t (n) AS SELECT 7"});
    QCOMPARE(int32Of(transaction.run({"read", "SELECT n FROM :schema.t"})[0][0]), 7);
    QCOMPARE(textOf(transaction.runScript("literal", "SELECT" + quoteLiteral(nasty))[0][0]), nasty);
}

// PC-27
void SessionTest::rolesSettingsDontReachUs() {
    Database database{Database::Schema::None};
    const Login role{database, "opinionated",
                     "ALTER ROLE {0} SET datestyle='German, DMY'; ALTER ROLE {0} SET timezone='Asia/Kathmandu'; "
                     "ALTER ROLE {0} SET intervalstyle='sql_standard'; ALTER ROLE {0} SET bytea_output='escape'; "
                     "ALTER ROLE {0} SET extra_float_digits=-5; ALTER ROLE {0} SET search_path=''; "
                     "ALTER ROLE {0} SET default_transaction_isolation='serializable'; "
                     "ALTER ROLE {0} SET synchronous_commit=off; ALTER ROLE {0} SET standard_conforming_strings=off; "
                     "ALTER ROLE {0} SET statement_timeout='150ms'; ALTER ROLE {0} SET lock_timeout='50ms'; "
                     "ALTER ROLE {0} SET idle_in_transaction_session_timeout='200ms'; "
                     "ALTER ROLE {0} SET client_encoding='LATIN1'; ALTER ROLE {0} SET client_min_messages='debug1'; "
                     "ALTER ROLE {0} SET default_transaction_read_only=on; GRANT CREATE ON SCHEMA public TO {0}"};
    Session session{database.as(role.name())};
    PinnedTransaction transaction{session, {.readOnly = false}};
    const auto pins =
        transaction.run({"pins",
                         "SELECT current_setting('transaction_isolation'), current_setting('synchronous_commit'), "
                         "current_setting('statement_timeout'), current_setting('lock_timeout'), "
                         "current_setting('idle_in_transaction_session_timeout'), current_setting('client_encoding'), "
                         "current_setting('search_path'), current_setting('transaction_read_only')"});
    const std::vector<std::string> wanted{"read committed", "on", "10s", "2s", "1min", "UTF8", "pg_catalog", "off"};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        QCOMPARE(textOf(pins[0][static_cast<pqxx::row::size_type>(i)]), wanted[i]);
    }
    const std::string bytes{"\0\xff\\", 3};
    const TimePoint at{std::chrono::microseconds{1'796'130'028'123'457}};
    transaction.run({"table", "CREATE TABLE public.own (t timestamptz, b bytea, s text, f float8)"});
    transaction.run({"insert", "INSERT INTO public.own VALUES ($1::timestamptz, $2::bytea, $3, $4::float8)"},
                    SqlParams{}.add(at).addBytes(bytes).add("é 日本 \\'").add(0.1 + 0.2));
    // Longer than the role's statement_timeout.
    transaction.run({"slow", "SELECT pg_sleep(0.3)"});
    const auto row =
        transaction.run({"read", fmt::format("SELECT {}, b, s, f, t::text FROM public.own", microsOf("t"))})[0];
    QCOMPARE(timeOf(row[0]), at);
    QCOMPARE(bytesOf(row[1]), bytes);
    QCOMPARE(textOf(row[2]), std::string("é 日本 \\'"));
    QCOMPARE(doubleOf(row[3]), 0.1 + 0.2);
    QCOMPARE(textOf(row[4]), std::string("2026-12-01 13:00:28.123457+00"));
    transaction.commit();
    QCOMPARE(database.sql("SELECT s FROM public.own"), std::string("é 日本 \\'"));
}

void SessionTest::nothingOfOursOutlivesTheTransaction() {
    Database database{Database::Schema::None};
    database.session().ensureOpen();
    const auto settings = [&] {
        pqxx::work plain{*database.session().impl().connection};
        return textOf(
            plain.exec("SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings")[0][0]);
    };
    const std::string before = settings();
    {
        PinnedTransaction transaction{database.session()};
        transaction.run({"any", "SELECT 1"});
        transaction.commit();
    }
    QCOMPARE(settings(), before);
}

void SessionTest::lostConnectionIsNamedAndComesBack() {
    Database database{Database::Schema::None};
    Session& session = database.session();
    const auto end = [&] {
        database.sql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid()");
    };
    {
        PinnedTransaction transaction{session};
        end();
        const Error error = errorOf([&] { transaction.run({"look.up", "SELECT 1"}); });
        QCOMPARE(error.kind(), ErrorKind::Connection);
        QVERIFY(error.retriable());
        QVERIFY2(error.text().starts_with("look.up: "), error.what());
    }
    QVERIFY(!session.isOpen());
    {
        PinnedTransaction transaction{session};
        QCOMPARE(int32Of(transaction.run({"again", "SELECT 1"})[0][0]), 1);
        transaction.commit();
    }
    // Lost while idle: the next transaction fails, the one after it works; no statement runs twice behind our back.
    end();
    QCOMPARE(errorOf([&] { PinnedTransaction{session}; }).kind(), ErrorKind::Connection);
    PinnedTransaction transaction{session};
    transaction.run({"after", "SELECT 1"});
}

void SessionTest::commitInDoubtIsAnOutcomeOfItsOwn() {
    Database database{Database::Schema::None};
    atCommit(database, "PERFORM pg_terminate_backend(pg_backend_pid())");
    PinnedTransaction transaction{database.session(), {.readOnly = false}};
    transaction.run({"insert", "INSERT INTO public.t VALUES (1)"});
    const Error error = errorOf([&] { transaction.commit(); });
    QCOMPARE(error.kind(), ErrorKind::InDoubt);
    QVERIFY(!database.session().isOpen());
}

void SessionTest::commitRefusedByTheServerIsNotInDoubt() {
    Database database{Database::Schema::None};
    atCommit(database, "RAISE EXCEPTION 'no' USING ERRCODE = 'RD001'");
    PinnedTransaction transaction{database.session(), {.readOnly = false}};
    transaction.run({"insert", "INSERT INTO public.t VALUES (1)"});
    const Error error = errorOf([&] { transaction.commit(); });
    QCOMPARE(error.kind(), ErrorKind::Server);
    QCOMPARE(error.code(), std::string("RD001"));
    QCOMPARE(database.sql("SELECT count(*) FROM public.t"), std::string("0"));
    PinnedTransaction{database.session()}.run({"still.open", "SELECT 1"});
}

void SessionTest::commitAfterAFailedStatementIsNoSuccess() {
    Database database{Database::Schema::None};
    database.sql("CREATE TABLE public.t (n int)");
    {
        PinnedTransaction transaction{database.session(), {.readOnly = false}};
        transaction.run({"insert", "INSERT INTO public.t VALUES (1)"});
        QCOMPARE(errorOf([&] { transaction.run({"wrong", "SELECT 1/0"}); }).code(), std::string("22012"));
        QCOMPARE(errorOf([&] { transaction.commit(); }).code(), std::string("25P02"));
    }
    QCOMPARE(database.sql("SELECT count(*) FROM public.t"), std::string("0"));
    // Back to a savepoint it is one.
    PinnedTransaction transaction{database.session(), {.readOnly = false}};
    transaction.run({"insert", "INSERT INTO public.t VALUES (1)"});
    transaction.runScript("save", "SAVEPOINT s");
    errorOf([&] { transaction.run({"wrong", "SELECT 1/0"}); });
    transaction.runScript("back", "ROLLBACK TO s");
    transaction.commit();
    QCOMPARE(database.sql("SELECT count(*) FROM public.t"), std::string("1"));
}

void SessionTest::stopCancelsARunningStatement() {
    Database database{Database::Schema::None};
    std::stop_source stop;
    const auto began = std::chrono::steady_clock::now();
    std::thread stopper;
    {
        PinnedTransaction transaction{database.session(), {}, stop.get_token()};
        stopper = std::thread{[&] {
            // Once the statement is seen running.
            while (database.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(8)%' "
                                "AND state = 'active' AND pid <> pg_backend_pid()") == "0") {
                std::this_thread::yield();
            }
            stop.request_stop();
        }};
        QCOMPARE(errorOf([&] { transaction.run({"long", "SELECT pg_sleep(8)"}); }).kind(), ErrorKind::Cancelled);
    }
    stopper.join();
    QVERIFY(std::chrono::steady_clock::now() - began < std::chrono::seconds{6});
    QCOMPARE(errorOf([&] {
                 PinnedTransaction{database.session(), {}, stop.get_token()}.run({"late", "SELECT 1"});
             }).kind(),
             ErrorKind::Cancelled);
}

void SessionTest::limitsAndErrorsHaveKindAndCode() {
    Database database{Database::Schema::None};
    const auto kindOf = [&](const std::string& text, TransactionOptions options = {}) {
        PinnedTransaction transaction{database.session(), options};
        return errorOf([&] { transaction.run({"statement", text}); });
    };
    const Error slow = kindOf("SELECT pg_sleep(5)", {.statementTimeout = std::chrono::milliseconds{100}});
    QCOMPARE(slow.kind(), ErrorKind::Limit);
    QCOMPARE(slow.code(), std::string("57014"));
    QCOMPARE(kindOf("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$").code(), std::string("40001"));
    QCOMPARE(kindOf("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40P01'; END $$").code(), std::string("40P01"));
    QVERIFY(kindOf("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40P01'; END $$").retriable());
    QCOMPARE(kindOf("SELECT 1 FROM :schema.processed_messages").kind(), ErrorKind::Schema);
    QCOMPARE(kindOf("CREATE TABLE public.t (n int)").kind(), ErrorKind::Refused);  // read only
    QCOMPARE(kindOf("SELECT convert_from('\\xff'::bytea, 'UTF8')").kind(), ErrorKind::BadInput);
    database.sql("CREATE TABLE public.secret (n int)");
    const Login nobody{database, "nobody_special"};
    Session other{database.as(nobody.name())};
    PinnedTransaction transaction{other};
    const Error denied = errorOf([&] { transaction.run({"secret", "SELECT * FROM public.secret"}); });
    QVERIFY2(denied.kind() == ErrorKind::Privilege, denied.what());
    QVERIFY(!denied.hint().empty());
}

void SessionTest::connectErrorsSayWhatToDo() {
    Database database{Database::Schema::None};
    const auto connect = [](const std::string& dsn) {
        ConnectOptions options;
        options.dsn = dsn;
        return errorOf([&] { Session{options}.ensureOpen(); });
    };
    QCOMPARE(connect("host=/nonexistent dbname=x").kind(), ErrorKind::Connection);
    const Error refused = connect("host=127.0.0.1 port=1 dbname=x");
    QCOMPARE(refused.kind(), ErrorKind::Connection);
    QVERIFY2(refused.text().starts_with("connect (tcp): ") && refused.retriable(), refused.what());
    const Error nowhere = connect(database.options().dsn + " dbname=nowhere");
    QCOMPARE(nowhere.kind(), ErrorKind::Connection);
    QCOMPARE(nowhere.code(), std::string("3D000"));
    QVERIFY2(nowhere.text().starts_with("connect (login): ") && !nowhere.retriable(), nowhere.what());
    QVERIFY(!nowhere.hint().empty());
    QCOMPARE(connect("nonsense").kind(), ErrorKind::BadInput);
    QCOMPARE(connect("hosts=a").kind(), ErrorKind::BadInput);
}

void SessionTest::dsnKeepsWhatItSays() {
    ConnectOptions options;
    options.dsn = "postgresql://me@h1:5433,h2/db?connect_timeout=9&application_name=mine";
    options.password = Secret{"it's \\ secret"};
    const auto values = parseDsn(connectionString(options));
    QCOMPARE(values.at("host"), std::string("h1,h2"));
    QCOMPARE(values.at("port"), std::string("5433,"));
    QCOMPARE(values.at("connect_timeout"), std::string("9"));
    QCOMPARE(values.at("application_name"), std::string("mine"));
    QCOMPARE(values.at("password"), std::string("it's \\ secret"));
    QVERIFY(values.contains("tcp_user_timeout"));
}

QTEST_APPLESS_MAIN(SessionTest)
#include "tst_session_postgres.moc"
