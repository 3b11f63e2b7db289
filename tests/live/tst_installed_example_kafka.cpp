// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/lab/process.h"
#include "tests/support/test_servers.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <filesystem>

using namespace redeliver;
namespace fs = std::filesystem;

/// A service outside this repository: what is installed is enough to build and run the packaged example.
class InstalledExampleTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void buildsAgainstTheInstalledPackageAndRuns();

  private:
    QTemporaryDir m_folder;
    fs::path folder() const { return m_folder.path().toStdString(); }
    void run(std::vector<std::string> command) const {
        lab::ProcessOptions options;
        options.command = std::move(command);
        options.log = folder() / "build.log";
        lab::runToEnd(std::move(options), std::chrono::minutes(4));
    }
};

void InstalledExampleTest::buildsAgainstTheInstalledPackageAndRuns() {
    const fs::path build = tests::programFolder().parent_path();
    const fs::path prefix = folder() / "prefix";
    run({"cmake", "--install", build.string(), "--prefix", prefix.string(), "--component", "development"});
    const fs::path example = folder() / "example";
    // From the installed copy: nothing of the checkout is seen.
    run({"cmake", "-S", (prefix / "share/doc/libredeliver-dev/example").string(), "-B", example.string(), "-G", "Ninja",
         "-DCMAKE_PREFIX_PATH=" + prefix.string()});
    run({"cmake", "--build", example.string()});

    const tests::TestPostgres database;
    const tests::TestKafka kafka;
    database.execute("CREATE TABLE payments (message_id text, body text)");
    const std::string topic = kafka.createTopic("payments", 2);
    kafka.produce({tests::message(topic, "m-1"), tests::message(topic, "m-2", 1), tests::message(topic, "m-1"),
                   tests::message(topic, "m-2", 1)});
    lab::ProcessOptions options;
    options.command = {(example / "payments-consumer").string(), database.dsn(), kafka.bootstrap(), topic};
    options.log = folder() / "consumer.log";
    const lab::Process consumer(options);
    const auto handled = [&] {
        return database.count("SELECT coalesce(sum(next_offset), 0) FROM redeliver.consumer_offsets") == 4 ||
               !consumer.running();
    };
    const bool done = QTest::qWaitFor(handled, 60'000);
    QVERIFY2(done && consumer.running(), lab::tailOf(options.log).c_str());
    QCOMPARE(database.execute("SELECT string_agg(message_id, ',' ORDER BY message_id) FROM payments"),
             std::string("m-1,m-2"));
    QCOMPARE(consumer.stop(std::chrono::seconds(20)), 0);
}

QTEST_GUILESS_MAIN(InstalledExampleTest)
#include "tst_installed_example_kafka.moc"
