// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/guard.h"
#include "core/replay/plan_document.h"

#include <QtTest>

using namespace redeliver;
using namespace redeliver::replay;

namespace {

Planned planned(std::vector<ClassRun> runs, std::vector<Finding> findings = {}, std::int64_t mayRepeat = 0) {
    Planned made;
    ReplayPlan& plan = made.plan;
    plan.planId = "p";
    plan.clusterId = "k";
    plan.consumer = "c";
    plan.topic = "t";
    plan.records = 10;
    plan.fingerprint = "f";
    ConsumerForecast forecast;
    forecast.consumer = "c";
    forecast.runs = std::move(runs);
    plan.consumers = {forecast};
    plan.findings = std::move(findings);
    plan.phrase = phraseFor(mayRepeat, "t");
    sealPlan(plan);
    return made;
}

ClassRun run(std::int64_t from, std::int64_t to, MessageClass klass) {
    return {Partition{0}, Offset{from}, Offset{to}, klass};
}

Confirmation confirmed() {
    Confirmation confirmation;
    confirmation.reason = "why";
    return confirmation;
}

std::string codeOf(const Result<ApprovedPlan>& result) {
    return result ? "approved" : result.error().code();
}

const GuardContext development{"dev", false, {}};

}  // namespace

class GuardTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void worseIsRefusedAndBetterIsNot();
    void anotherLogOrContentIsRefused();
    void eachAnswerAnswersItsOwnFinding();
    void aPhraseIsNeededEvenWithoutItsFinding();
    void newSeersAreNoticed();
    void lockedProfiles();
};

void GuardTest::worseIsRefusedAndBetterIsNot() {
    using enum MessageClass;
    const Planned before = planned({run(0, 4, Protected), run(4, 8, NeverProcessed), run(8, 10, Unprotected)}, {}, 2);
    Confirmation confirmation = confirmed();
    confirmation.phrase = *before.plan.phrase;
    const auto with = [&](std::vector<ClassRun> runs) {
        return codeOf(Guard::approve(before.plan, planned(std::move(runs), {}, 2), confirmation, development));
    };
    QCOMPARE(with({run(0, 4, Protected), run(4, 8, NeverProcessed), run(8, 10, Unprotected)}), std::string("approved"));
    QCOMPARE(with({run(0, 10, Protected)}), std::string("approved"));
    QCOMPARE(with({run(0, 3, Protected), run(3, 4, Expiring), run(4, 8, NeverProcessed), run(8, 10, Unprotected)}),
             std::string("plan-stale"));
    QCOMPARE(with({run(0, 4, Protected), run(4, 7, NeverProcessed), run(7, 10, Unprotected)}),
             std::string("plan-stale"));
    QCOMPARE(with({run(0, 11, Protected)}), std::string("plan-stale"));  // a record that was not in the plan
    const auto lines = worseThanPlanned(before.plan, planned({run(0, 4, Protected), run(4, 10, Unprotected)}).plan);
    QCOMPARE(lines.size(), std::size_t{1});
    QVERIFY2(lines[0].find("4 to 8") != std::string::npos, lines[0].c_str());
}

void GuardTest::anotherLogOrContentIsRefused() {
    const Planned before = planned({run(0, 10, MessageClass::Protected)});
    const auto with = [&](auto change) {
        Planned fresh = planned({run(0, 10, MessageClass::Protected)});
        change(fresh.plan);
        return codeOf(Guard::approve(before.plan, fresh, confirmed(), development));
    };
    QCOMPARE(with([](ReplayPlan&) {}), std::string("approved"));
    QCOMPARE(with([](ReplayPlan& plan) { plan.clusterId = "other"; }), std::string("other-log"));
    QCOMPARE(with([](ReplayPlan& plan) { plan.records = 9; }), std::string("plan-stale"));
    QCOMPARE(with([](ReplayPlan& plan) { plan.fingerprint = "g"; }), std::string("plan-stale"));
    QCOMPARE(with([](ReplayPlan& plan) { plan.complete = false; }), std::string("plan-stale"));
    ReplayPlan edited = before.plan;
    edited.options.rate = 9;
    QCOMPARE(codeOf(Guard::approve(edited, before, confirmed(), development)), std::string("plan-stale"));
}

void GuardTest::eachAnswerAnswersItsOwnFinding() {
    const auto finding = [](std::string code, Severity severity, Answer answer) {
        return Finding{std::move(code), severity, answer, "c", "text", "", ""};
    };
    const auto runs = std::vector<ClassRun>{run(0, 10, MessageClass::Protected)};
    const auto approve = [&](std::vector<Finding> findings, const Confirmation& confirmation, std::int64_t repeat = 0) {
        const Planned fresh = planned(runs, std::move(findings), repeat);
        return codeOf(Guard::approve(fresh.plan, fresh, confirmation, development));
    };
    Confirmation accepted = confirmed();
    accepted.acceptedCodes = {"expires-during-run"};
    QCOMPARE(approve({finding("x", Severity::Warn, Answer::None)}, confirmed()), std::string("approved"));
    QCOMPARE(approve({finding("overlap", Severity::Refuse, Answer::None)}, accepted), std::string("overlap"));
    QCOMPARE(approve({finding("expires-during-run", Severity::Refuse, Answer::Accept)}, confirmed()),
             std::string("expires-during-run"));
    QCOMPARE(approve({finding("expires-during-run", Severity::Refuse, Answer::Accept)}, accepted),
             std::string("approved"));
    Confirmation code = confirmed();
    code.acceptedCodes = {"holes"};
    QCOMPARE(approve({finding("holes", Severity::Refuse, Answer::Phrase)}, code, 3), std::string("holes"));
    Confirmation phrase = confirmed();
    phrase.phrase = *phraseFor(3, "t");
    QCOMPARE(approve({finding("holes", Severity::Refuse, Answer::Phrase)}, phrase, 3), std::string("approved"));
    phrase.phrase = *phraseFor(4, "t");
    QCOMPARE(approve({finding("holes", Severity::Refuse, Answer::Phrase)}, phrase, 3), std::string("holes"));
}

void GuardTest::aPhraseIsNeededEvenWithoutItsFinding() {
    const Planned fresh = planned({run(0, 10, MessageClass::Unprotected)}, {}, 10);
    QCOMPARE(codeOf(Guard::approve(fresh.plan, fresh, confirmed(), development)), std::string("window-past-horizon"));
}

void GuardTest::newSeersAreNoticed() {
    const Planned before = planned({run(0, 10, MessageClass::Protected)});
    Planned fresh = before;
    ConsumerForecast group;
    group.consumer = "group:fraud";
    fresh.plan.consumers.push_back(group);
    QCOMPARE(codeOf(Guard::approve(before.plan, fresh, confirmed(), development)), std::string("plan-stale"));
}

void GuardTest::lockedProfiles() {
    const Planned fresh = planned({run(0, 10, MessageClass::Protected)});
    const auto with = [&](GuardContext context, const std::string& profile) {
        Confirmation confirmation = confirmed();
        confirmation.confirmedProfile = profile;
        return codeOf(Guard::approve(fresh.plan, fresh, confirmation, context));
    };
    QCOMPARE(with({"prod", true, {}}, ""), std::string("read-only"));
    QCOMPARE(with({"prod", true, {}}, "Prod"), std::string("read-only"));
    QCOMPARE(with({"prod", true, {}}, "prod"), std::string("approved"));
    QCOMPARE(with({"prod", true, true}, "prod"), std::string("read-only"));
    QCOMPARE(with({"dev", false, true}, "dev"), std::string("read-only"));
    Confirmation silent;
    const auto noReason = Guard::approve(fresh.plan, fresh, silent, development);
    QVERIFY(!noReason && noReason.error().kind() == ErrorKind::BadInput);
}

QTEST_APPLESS_MAIN(GuardTest)
#include "tst_guard_unit.moc"
