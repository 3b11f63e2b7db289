// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/process.h"
#include "core/workspace/profile_store.h"
#include "core/workspace/workspace.h"
#include "tests/support/test_servers.h"
#include "ui/frame/main_window.h"

#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace redeliver::tests {

/// The real window on real servers: one consumer with its database, its topic of two partitions and a worker process.
struct LiveStage {
    TestPostgres db;
    TestKafka kafka;
    QTemporaryDir folder;
    std::string topic;
    std::unique_ptr<lab::Process> worker;
    std::unique_ptr<ui::MainWindow> window;

    explicit LiveStage(Environment environment = Environment::Development) {
        topic = kafka.createTopic("payments", 2);
        ProfileConsumer consumer;
        consumer.name = ConsumerName("order-payment-handler");
        consumer.group = GroupName(kafka.unique("group"));
        consumer.topics = {Topic(topic)};
        consumer.messageId = {"header:message-id"};
        const std::string home = folder.path().toStdString();
        m_profileFile = writeTestProfile(home, db.dsn(), kafka.bootstrap(), {consumer}, environment).string();
    }

    /// A worker that has its partitions, so that the ledger covers everything produced afterwards.
    bool startWorker() {
        lab::ProcessOptions options;
        options.command = {(programFolder() / "redeliver-worker").string(),
                           "--profile",
                           m_profileFile,
                           "--consumer",
                           "order-payment-handler",
                           "--worker",
                           "w1"};
        options.log = folder.filePath(QStringLiteral("worker.log")).toStdString();
        worker = std::make_unique<lab::Process>(std::move(options));
        return QTest::qWaitFor(
            [this] { return db.count("SELECT count(*) FROM redeliver.marker_horizon WHERE topic <> ''") >= 2; },
            30'000);
    }
    [[nodiscard]] std::string log() const {
        return lab::tailOf(folder.filePath(QStringLiteral("worker.log")).toStdString());
    }

    /// pay_0 … pay_<count − 1>, one a second of record time, alternating partitions; waits until all are processed.
    bool produce(int count, TimePoint from) const {
        std::vector<OutgoingRecord> records;
        for (int i = 0; i < count; ++i) {
            records.push_back(message(topic, fmt::format("pay_{}", i), i % 2));
            records.back().timestamp = from + std::chrono::seconds(i);
        }
        kafka.produce(records);
        return QTest::qWaitFor([&] { return db.count("SELECT count(*) FROM redeliver.processed_messages") >= count; },
                               30'000);
    }

    /// What a sweep does: the ledger first, then the markers below it: pay_0, 2, … 18.
    void sweep() const {
        db.execute("UPDATE redeliver.marker_horizon SET \"offset\" = 10 WHERE partition = 0");
        db.execute("DELETE FROM redeliver.processed_messages WHERE partition = 0 AND \"offset\" < 10");
    }

    void openWindow() {
        auto profile = ProfileStore(folder.path().toStdString()).load(m_profileFile);
        if (!profile) {
            throw Error(profile.error());
        }
        const auto open = [](const Profile& of) { return Workspace(of, plainSecretReader(), "window test"); };
        ui::Services services;
        services.desks.telemetry = [open](const Profile& of) { return open(of).telemetry(); };
        services.desks.browse = [open](const Profile& of) { return open(of).browse(); };
        services.desks.actions = [open](const Profile& of) { return open(of).actions(); };
        services.desks.replays = [open](const Profile& of) { return open(of).replays(); };
        services.profileFolder = folder.path().toStdString();
        services.settingsFile = folder.filePath(QStringLiteral("window.ini"));
        window = std::make_unique<ui::MainWindow>(std::move(services));
        window->resize(1280, 720);
        window->show();
        window->openProfile(*profile);
    }

    [[nodiscard]] QPushButton* button(ui::PageId page, const QString& text) const {
        for (QPushButton* const each : window->page(page)->findChildren<QPushButton*>()) {
            if (each->text() == text && each->isVisible()) {
                return each;
            }
        }
        return nullptr;
    }

    /// With REDELIVER_SHOTS set to a folder: a picture of the whole window there.
    void shoot(const QString& name) const {
        const QString to = qEnvironmentVariable("REDELIVER_SHOTS");
        if (!to.isEmpty()) {
            QTest::qWait(300);
            window->grab().save(QStringLiteral("%1/live-%2.png").arg(to, name));
        }
    }

  private:
    std::string m_profileFile;
};

/// Waits for the button, says why when it stays greyed, and clicks it.
inline void press(const LiveStage& stage, ui::PageId page, const QString& text) {
    QTRY_VERIFY2_WITH_TIMEOUT(stage.button(page, text) != nullptr, qPrintable(text), 20'000);
    QTRY_VERIFY2_WITH_TIMEOUT(stage.button(page, text)->isEnabled(), qPrintable(stage.button(page, text)->toolTip()),
                              20'000);
    QTest::mouseClick(stage.button(page, text), Qt::LeftButton);
}

}  // namespace redeliver::tests
