// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/fake_desks.h"
#include "ui/async/lane.h"

#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <atomic>
#include <memory>
#include <thread>

using namespace redeliver;
using ui::Job;
using ui::Lane;
using ui::Ticket;

namespace {

struct Resource {
    explicit Resource(std::atomic<int>& alive) : m_alive(alive) {
        ++m_alive;
        thread = std::this_thread::get_id();
    }
    ~Resource() {
        --m_alive;
        sameThread = thread == std::this_thread::get_id();
    }
    Resource(const Resource&) = delete;
    Resource& operator=(const Resource&) = delete;
    std::atomic<int>& m_alive;
    std::thread::id thread;
    static inline std::atomic<bool> sameThread{false};
};

}  // namespace

class LaneTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() {
        m_alive = 0;
        m_made = 0;
    }

    void answersInTheGuiThreadWorksInItsOwn() {
        const auto lane = make();
        std::thread::id worked;
        std::thread::id answered;
        const Ticket ticket = lane->run(
            [&worked](Resource& resource, Job&) {
                worked = std::this_thread::get_id();
                return resource.thread == worked ? 7 : 0;
            },
            [&answered](const Result<int>& value) {
                QVERIFY(value.has_value());
                QCOMPARE(*value, 7);
                answered = std::this_thread::get_id();
            });
        QVERIFY(ticket.pending());
        QTRY_VERIFY(!ticket.pending());
        QVERIFY(worked != std::this_thread::get_id());
        QCOMPARE(answered, std::this_thread::get_id());
    }

    void whatIsThrownBecomesTheError() {
        const auto lane = make();
        std::vector<ErrorKind> kinds;
        const auto note = [&kinds](const Result<int>& value) { kinds.push_back(value.error().kind()); };
        const Ticket a =
            lane->run([](Resource&, Job&) -> int { throw Error(ErrorKind::Privilege, "not allowed"); }, note);
        const Ticket b = lane->run([](Resource&, Job&) -> int { throw std::runtime_error("odd"); }, note);
        const Ticket c = lane->run(
            [](Resource&, Job&) -> Result<int> { return failure(Error(ErrorKind::NotFound, "no such thing")); }, note);
        QTRY_COMPARE(kinds, (std::vector<ErrorKind>{ErrorKind::Privilege, ErrorKind::Internal, ErrorKind::NotFound}));
    }

    void lostConnectionMakesTheResourceAnew() {
        const auto lane = make();
        int done = 0;
        const Ticket a = lane->run([](Resource&, Job&) -> int { throw Error(ErrorKind::Connection, "gone"); },
                                   [&done](const Result<int>&) { ++done; });
        const Ticket b = lane->run([](Resource&, Job&) { return 1; }, [&done](const Result<int>&) { ++done; });
        QTRY_COMPARE(done, 2);
        QCOMPARE(m_made.load(), 2);
        QCOMPARE(m_alive.load(), 1);
    }

    void failingFactoryIsTriedAgain() {
        Lane<Resource> lane("factory", [this]() -> std::unique_ptr<Resource> {
            if (++m_made == 1) {
                throw Error(ErrorKind::Connection, "not yet");
            }
            return std::make_unique<Resource>(m_alive);
        });
        int failed = 0;
        int done = 0;
        const auto note = [&](const Result<int>& value) { value ? ++done : ++failed; };
        const Ticket a = lane.run([](Resource&, Job&) { return 1; }, note);
        const Ticket b = lane.run([](Resource&, Job&) { return 1; }, note);
        QTRY_COMPARE(done, 1);
        QCOMPARE(failed, 1);
    }

    void droppedTicketsAnswerVanishes() {
        const auto lane = make();
        fakes::Gate gate;
        gate.close();
        bool stopped = false;
        bool answered = false;
        Ticket ticket = lane->run(
            [&](Resource&, Job& job) {
                stopped = !gate.pass(job.stop());
                return 1;
            },
            [&answered](const Result<int>&) { answered = true; });
        QTRY_COMPARE(gate.arrived.load(), 1);
        ticket.cancel();
        bool later = false;
        const Ticket next =
            lane->run([](Resource&, Job&) { return 2; }, [&later](const Result<int>&) { later = true; });
        QTRY_VERIFY(later);
        QVERIFY(stopped);
        QVERIFY(!answered);
    }

    void answerAlreadyUnderWayVanishesToo() {
        const auto lane = make();
        bool answered = false;
        std::atomic<bool> worked = false;
        Ticket ticket = lane->run([&worked](Resource&, Job&) { worked = true; },
                                  [&answered](const Result<void>&) { answered = true; });
        // No event loop runs meanwhile: the answer waits in the queue when the ticket is dropped.
        while (!worked) {
            std::this_thread::yield();
        }
        QThread::msleep(20);
        ticket = Ticket();
        QTest::qWait(50);
        QVERIFY(!answered);
    }

    void replacedTicketOnlyLastAnswers() {
        const auto lane = make();
        std::vector<int> answers;
        Ticket ticket;
        for (int i = 0; i < 20; ++i) {
            ticket = lane->run([i](Resource&, Job&) { return i; },
                               [&answers](const Result<int>& value) { answers.push_back(*value); });
        }
        QTRY_VERIFY(!ticket.pending());
        QCOMPARE(answers, std::vector<int>{19});
    }

    void progressStopsWithTheTicket() {
        const auto lane = make();
        fakes::Gate gate;
        gate.close();
        int shown = 0;
        Ticket ticket = lane->run(
            [&](Resource&, Job& job) {
                const ProgressSink sink = job.progress([&shown](const Progress&) { ++shown; });
                sink({"one", 1, 2});
                gate.pass(job.stop());
                sink({"two", 2, 2});
                return 1;
            },
            [](const Result<int>&) {});
        QTRY_COMPARE(shown, 1);
        ticket.cancel();
        bool later = false;
        const Ticket next = lane->run([](Resource&, Job&) {}, [&later](const Result<void>&) { later = true; });
        QTRY_VERIFY(later);
        QCOMPARE(shown, 1);
    }

    void stuckWorkDoesNotHoldUpTheEnd() {
        std::atomic<bool> release = false;
        bool answered = false;
        auto lane = make();
        Ticket ticket = lane->run(
            [&release](Resource&, Job&) {
                while (!release) {  // a call that knows no stop token
                    std::this_thread::yield();
                }
            },
            [&answered](const Result<void>&) { answered = true; });
        QTRY_COMPARE(m_alive.load(), 1);
        QElapsedTimer timer;
        timer.start();
        lane.reset();
        QVERIFY2(timer.elapsed() < 50, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(ui::LaneThread::leftBehind(), 1);
        release = true;
        QTRY_COMPARE(ui::LaneThread::leftBehind(), 0);
        QCOMPARE(m_alive.load(), 0);
        QVERIFY(Resource::sameThread);
        QVERIFY(!answered);
    }

  private:
    std::unique_ptr<Lane<Resource>> make() {
        return std::make_unique<Lane<Resource>>("test", [this] {
            ++m_made;
            return std::make_unique<Resource>(m_alive);
        });
    }
    std::atomic<int> m_alive = 0;
    std::atomic<int> m_made = 0;
};

QTEST_GUILESS_MAIN(LaneTest)
#include "tst_lane_window.moc"
