// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile_store.h"
#include "tests/ui/frame_bench.h"
#include "ui/common/panel.h"
#include "ui/connections/connections_page.h"
#include "ui/connections/doctor_view.h"
#include "ui/connections/profile_form.h"
#include "ui/context/session.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"

#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>

#include <filesystem>

using namespace redeliver;
using namespace redeliver::fakes;
using ui::PageId;

namespace {

QPushButton* button(QWidget& parent, const QString& text) {
    for (QPushButton* each : parent.findChildren<QPushButton*>()) {
        if (each->text() == text && each->isVisible()) {
            return each;
        }
    }
    return nullptr;
}

Profile full() {
    Profile profile;
    profile.name = "payments-prod";
    profile.environment = Environment::Production;
    profile.dsn = "host=db1,db2 dbname=orders user=oncall";
    profile.password = SecretSource{SecretSource::From::Keyring, "payments"};
    profile.kafka["bootstrap.servers"] = std::string("k1:9092,k2:9092");
    profile.kafka["security.protocol"] = std::string("SASL_SSL");
    profile.kafka["sasl.password"] = SecretSource{SecretSource::From::Env, "KAFKA_PASSWORD"};
    ProfileConsumer consumer;
    consumer.name = ConsumerName("order-payment-handler");
    consumer.topics = {Topic("payments")};
    profile.consumers.push_back(consumer);
    return profile;
}

struct Opened {
    explicit Opened(const FrameBench& bench) : window(bench.window()) {
        window->resize(1280, 720);
        window->show();
        page = static_cast<ui::ConnectionsPage*>(window->page(PageId::Connections));
        form = page->form();
    }
    std::unique_ptr<ui::MainWindow> window;
    ui::ConnectionsPage* page;
    ui::ProfileForm* form;
};

ProfileStore storeOf(const FrameBench& bench) {
    return ProfileStore(bench.services().profileFolder);
}

}  // namespace

class ConnectionsTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeChoice::Light); }

    void firstStartOffersDemoAndConnection() {
        const FrameBench bench;
        const Opened o(bench);
        QTRY_VERIFY(button(*o.page, QStringLiteral("New connection")) != nullptr);
        QTest::mouseClick(button(*o.page, QStringLiteral("Start the demo")), Qt::LeftButton);
        QTRY_VERIFY(o.window->session() != nullptr);
        QCOMPARE(o.window->session()->profile().name, std::string("demo"));
        QCOMPARE(o.window->currentPage(), PageId::Overview);
    }

    void createSaveDuplicateRenameDelete() {
        const FrameBench bench;
        const Opened o(bench);
        QTRY_VERIFY(button(*o.page, QStringLiteral("New connection")) != nullptr);
        QTest::mouseClick(button(*o.page, QStringLiteral("New connection")), Qt::LeftButton);
        QVERIFY(!button(*o.page, QStringLiteral("Save"))->isEnabled());
        o.form->name()->setText(QStringLiteral("no/slash"));
        QVERIFY(!button(*o.page, QStringLiteral("Save"))->isEnabled());
        o.form->name()->setText(QStringLiteral("first"));
        o.form->dsn()->setText(QStringLiteral("host=/tmp dbname=orders"));
        o.form->brokers()->setText(QStringLiteral("k1:9092"));
        QTest::mouseClick(button(*o.page, QStringLiteral("Save")), Qt::LeftButton);
        QTRY_COMPARE(o.page->list()->count(), 1);
        const auto saved = storeOf(bench).load("first");
        QVERIFY(saved.has_value());
        QCOMPARE(saved->dsn, std::string("host=/tmp dbname=orders"));
        QCOMPARE(std::get<std::string>(saved->kafka.at("bootstrap.servers")), std::string("k1:9092"));
        QTest::mouseClick(button(*o.page, QStringLiteral("Duplicate")), Qt::LeftButton);
        QCOMPARE(o.form->name()->text(), QStringLiteral("first-copy"));
        QTest::mouseClick(button(*o.page, QStringLiteral("Save")), Qt::LeftButton);
        QTRY_COMPARE(o.page->list()->count(), 2);
        o.form->name()->setText(QStringLiteral("second"));
        QTest::mouseClick(button(*o.page, QStringLiteral("Save")), Qt::LeftButton);
        QTRY_VERIFY(storeOf(bench).load("second").has_value());
        QTRY_VERIFY(!storeOf(bench).load("first-copy").has_value());
        QTRY_COMPARE(o.page->list()->count(), 2);
        // A name that is taken isn't overwritten.
        o.form->name()->setText(QStringLiteral("first"));
        QTest::mouseClick(button(*o.page, QStringLiteral("Save")), Qt::LeftButton);
        QTest::qWait(100);
        QVERIFY(storeOf(bench).load("second").has_value());
        o.form->name()->setText(QStringLiteral("second"));
        QTest::mouseClick(button(*o.page, QStringLiteral("Delete…")), Qt::LeftButton);
        auto* dialog = o.window->findChild<QDialog*>();
        QVERIFY(dialog != nullptr);
        QTest::mouseClick(button(*dialog, QStringLiteral("Delete")), Qt::LeftButton);
        QTRY_VERIFY(!storeOf(bench).load("second").has_value());
        QTRY_COMPARE(o.page->list()->count(), 1);
    }

    void formKeepsWhatItDoesNotShow() {
        ui::ProfileForm form;
        form.load(full());
        const auto same = form.value();
        QVERIFY(same.has_value());
        QCOMPARE(writeProfile(*same), writeProfile(full()));
        QCOMPARE(ui::kafkaLines(full()).split(QLatin1Char('\n')).size(), 2);
        const auto bad = ui::parseKafkaLines(QStringLiteral("\"a\" = \"b\"\n\"c\" = "));
        QVERIFY(!bad.has_value());
        QVERIFY2(bad.error().text().find("line 2") != std::string::npos, bad.error().text().c_str());
        // Through the TOML tab and back.
        form.tabs()->setCurrentIndex(1);
        form.toml()->setPlainText(
            form.toml()->toPlainText().replace(QStringLiteral("dbname=orders"), QStringLiteral("dbname=ledger")));
        form.tabs()->setCurrentIndex(0);
        QVERIFY(form.dsn()->text().contains(QStringLiteral("dbname=ledger")));
        QCOMPARE(form.value()->consumers.size(), std::size_t{1});
    }

    void brokenFileIsShownAndMended() {
        const FrameBench bench;
        std::filesystem::create_directories(bench.services().profileFolder);
        QFile file(QString::fromStdString((bench.services().profileFolder / "broken.toml").string()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("name = \"broken\"\nsurprise = 1\n");
        file.close();
        const Opened o(bench);
        QTRY_COMPARE(o.page->list()->count(), 1);
        QTRY_VERIFY(o.form->toml()->toPlainText().contains(QStringLiteral("surprise")));
        QVERIFY(!button(*o.page, QStringLiteral("Open"))->isEnabled());
        QVERIFY2(button(*o.page, QStringLiteral("Open"))->toolTip().contains(QStringLiteral("toml:2")),
                 qPrintable(button(*o.page, QStringLiteral("Open"))->toolTip()));
        o.form->toml()->setPlainText(QStringLiteral("name = \"broken\"\n"));
        QVERIFY(button(*o.page, QStringLiteral("Open"))->isEnabled());
    }

    void testNamesTheFailingStep() {
        const FrameBench bench;
        QVERIFY(storeOf(bench).save(full()).has_value());
        bench.actions->doctor.steps = {{"postgres", "dns", true, "db1 is 10.0.0.7", ""},
                                       {"postgres", "tcp", true, "db1:5432 answers in 2 ms", ""},
                                       {"postgres", "login", false, "password authentication failed for user oncall",
                                        "Check the keyring's entry payments"},
                                       {"kafka", "dns", true, "k1, k2 are known", ""},
                                       {"kafka", "sasl", true, "logged in as oncall", ""}};
        bench.actions->doctor.reachable = false;
        const Opened o(bench);
        QTRY_COMPARE(o.page->list()->count(), 1);
        QTest::mouseClick(button(*o.page, QStringLiteral("Test")), Qt::LeftButton);
        QTRY_VERIFY(o.page->doctor()->report().has_value());
        QStringList texts;
        for (const QLabel* label : o.page->doctor()->findChildren<QLabel*>()) {
            texts << label->text();
        }
        QVERIFY(texts.contains(QStringLiteral("PostgreSQL · login")));
        QVERIFY(texts.contains(QStringLiteral("Check the keyring's entry payments")));
        shootWindow(*o.window, QStringLiteral("connections"));
        QTest::mouseClick(button(*o.page, QStringLiteral("Open")), Qt::LeftButton);
        QTRY_VERIFY(o.window->session() != nullptr);
        QVERIFY(o.window->session()->isReadOnly());
    }

    void settingsComeBackAtTheNextStart() {
        const FrameBench bench;
        QVERIFY(storeOf(bench).save(full()).has_value());
        {
            const auto window = bench.window();
            window->show();
            window->openProfile(full());
            window->time().setLast(std::chrono::hours(6));
            QVERIFY(window->zone().setNamed("Europe/Berlin"));
            window->setTheme(ui::ThemeChoice::Dark);
            window->go({PageId::Connections, {}, {}});
            window->close();
        }
        const auto window = bench.window();
        window->show();
        QCOMPARE(window->time().choice().last, std::optional(std::chrono::seconds(std::chrono::hours(6))));
        QCOMPARE(window->zone().name(), QStringLiteral("Europe/Berlin"));
        QVERIFY(QGuiApplication::palette().color(QPalette::Window).lightness() < 128);
        window->reopenLast();
        QTRY_VERIFY(window->session() != nullptr);
        QTRY_COMPARE(window->currentPage(), PageId::Connections);
        window->setTheme(ui::ThemeChoice::Light);
    }
};

QTEST_MAIN(ConnectionsTest)
#include "tst_connections_window.moc"
