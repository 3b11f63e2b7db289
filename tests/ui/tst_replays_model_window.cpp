// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "ui/replays/draft.h"
#include "ui/replays/models.h"
#include "ui/replays/plan_text.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include <algorithm>
#include <chrono>

using namespace redeliver;
using namespace redeliver::ui;

namespace {

[[maybe_unused]] const bool offscreen = qputenv("QT_QPA_PLATFORM", "offscreen");

TimePoint day(int days, int seconds = 0) {
    return fromUnixMillis(1'764'460'800'000) + std::chrono::days(days) + std::chrono::seconds(seconds);
}

QString plainTime(TimePoint at) {
    return QString::fromStdString(toRfc3339(at, 0));
}

ReplayPlan plan() {
    ReplayPlan made;
    made.consumer = "order-payment-handler";
    made.topic = "payments";
    made.source.window = TimeRange{day(-14), day(0)};
    made.ranges = {{Partition(0), Offset(100), Offset(200)}, {Partition(1), Offset(0), Offset(50)}};
    made.records = 150;
    ConsumerForecast forecast;
    forecast.consumer = made.consumer;
    forecast.horizon.basis = HorizonBasis::Declared;
    forecast.horizon.at = day(-7, 30);
    forecast.horizon.why = "7 d kept";
    forecast.classes[indexOf(MessageClass::Protected)] = 90;
    forecast.classes[indexOf(MessageClass::Unprotected)] = 60;
    forecast.unprotectedReasons = {{"hole", 10}, {"older-than-horizon", 50}};
    forecast.runs = {{Partition(0), Offset(100), Offset(150), MessageClass::Unprotected},
                     {Partition(0), Offset(150), Offset(180), MessageClass::Protected},
                     {Partition(0), Offset(180), Offset(190), MessageClass::Unprotected},
                     {Partition(0), Offset(190), Offset(200), MessageClass::Protected},
                     {Partition(1), Offset(0), Offset(50), MessageClass::Protected}};
    made.consumers = {forecast};
    ConsumerForecast other;
    other.consumer = "ledger-projection";
    made.consumers.push_back(other);
    made.findings = {{"other-consumers", Severity::Info, Answer::None, "", "one more", "", ""},
                     {"window-past-horizon", Severity::Refuse, Answer::Phrase, made.consumer, "too far back", "", ""}};
    made.phrase = "REPEAT 60";
    return made;
}

Profile profile(Environment environment, std::optional<bool> readOnly = std::nullopt) {
    Profile made;
    made.name = "payments-prod";
    made.environment = environment;
    made.readOnly = readOnly;
    return made;
}

Confirmation answered(const std::string& reason, const std::string& phrase, std::vector<std::string> codes = {}) {
    Confirmation made;
    made.reason = reason;
    made.phrase = phrase;
    made.acceptedCodes = std::move(codes);
    return made;
}

bool mentions(const Obstacles& obstacles, const QString& word) {
    return std::any_of(obstacles.begin(), obstacles.end(), [&](const QString& text) { return text.contains(word); });
}

}  // namespace

class ReplaysModel : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void leavingOutTheUnprotectedKeepsExactlyTheRest();
    void shorteningGoesToTheLatestHorizonAndNeverBeforeIt();
    void anUnknownHorizonOffersNoShortening();
    void mendsChangeOnlyWhatTheySay();
    void theSourceSaysWhatIsMissing();
    void anExplicitReadOnlyProfileStopsAfterThePreview();
    void productionAsksForItsName();
    void thePhraseIsExact();
    void acceptedCodesAreAskedOnce();
    void theBannerPutsTheWorstFirst();
    void modelsPassTheTester();
};

void ReplaysModel::leavingOutTheUnprotectedKeepsExactlyTheRest() {
    const std::vector<PlanRange> rest = Mends::withoutUnprotected(plan());
    const std::vector<PlanRange> expected{{Partition(0), Offset(150), Offset(180)},
                                          {Partition(0), Offset(190), Offset(200)},
                                          {Partition(1), Offset(0), Offset(50)}};
    QVERIFY(rest == expected);

    ReplayPlan two = plan();
    ConsumerForecast second = two.consumers.front();
    second.runs = {{Partition(0), Offset(140), Offset(160), MessageClass::Unprotected}};
    two.consumers.push_back(second);
    QVERIFY(Mends::withoutUnprotected(two).front() == (PlanRange{Partition(0), Offset(160), Offset(180)}));
}

void ReplaysModel::shorteningGoesToTheLatestHorizonAndNeverBeforeIt() {
    ReplayPlan two = plan();
    ConsumerForecast second = two.consumers.front();
    second.horizon.at = day(-3);
    two.consumers.push_back(second);
    QCOMPARE(Mends::shortenTo(two), std::optional(day(-3)));
    QCOMPARE(Mends::shortenTo(plan()), std::optional(day(-7, 60)));  // 30 s into a minute: up, never down

    two.consumers.back().classes[indexOf(MessageClass::Unprotected)] = 0;  // no need of its own
    QCOMPARE(Mends::shortenTo(two), std::optional(day(-7, 60)));
    two.consumers.front().horizon.lostBefore = day(-1);
    QCOMPARE(Mends::shortenTo(two), std::optional(day(-1)));
}

void ReplaysModel::anUnknownHorizonOffersNoShortening() {
    ReplayPlan made = plan();
    made.consumers.front().horizon = {};
    QVERIFY(!Mends::shortenTo(made).has_value());
    made.consumers.front().horizon.basis = HorizonBasis::Ledger;
    made.consumers.front().horizon.at = day(-3);  // for display only: the ledger's offsets decide
    QVERIFY(!Mends::shortenTo(made).has_value());
    made = plan();
    made.consumers.front().horizon.at = day(1);  // nothing of the window would be left
    QVERIFY(!Mends::shortenTo(made).has_value());
}

void ReplaysModel::mendsChangeOnlyWhatTheySay() {
    const std::vector<Mend> mends = Mends::of(plan(), plainTime);
    QCOMPARE(mends.size(), std::size_t{3});
    QCOMPARE(mends[0].request.source.window->from, day(-7, 60));
    QCOMPARE(mends[0].request.source.window->to, day(0));
    QCOMPARE(mends[1].request.source.kind, PlanSource::Kind::Offsets);
    QCOMPARE(mends[1].request.source.offsets.size(), std::size_t{3});
    QCOMPARE(mends[2].request.options.onlyFor, std::string("order-payment-handler"));
    for (const Mend& mend : mends) {
        QCOMPARE(mend.request.topic, Topic("payments"));
        QCOMPARE(mend.request.target, std::string("same"));
    }
}

void ReplaysModel::theSourceSaysWhatIsMissing() {
    PlanRequest request;
    QCOMPARE(DraftRules::source(request).size(), std::size_t{3});
    request = Mends::requestOf(plan());
    QVERIFY(DraftRules::source(request).empty());
    request.source.window = TimeRange{day(0), day(0)};
    QVERIFY(mentions(DraftRules::source(request), QStringLiteral("earlier")));
    request.target = "topic:payments";
    QVERIFY(mentions(DraftRules::target(request), QStringLiteral("same topic")));
    request.target = "topic:";
    request.options.rate = 0;
    QCOMPARE(DraftRules::target(request).size(), std::size_t{2});
}

void ReplaysModel::anExplicitReadOnlyProfileStopsAfterThePreview() {
    QVERIFY(
        mentions(DraftRules::preview(plan(), profile(Environment::Development, true)), QStringLiteral("read_only")));
    QVERIFY(DraftRules::preview(plan(), profile(Environment::Production)).empty());
    ReplayPlan hard = plan();
    hard.findings.push_back({"other-log", Severity::Refuse, Answer::None, "", "another log", "", ""});
    QVERIFY(mentions(DraftRules::preview(hard, profile(Environment::Development)), QStringLiteral("other-log")));
    hard = plan();
    hard.records = 0;
    QVERIFY(!DraftRules::preview(hard, profile(Environment::Development)).empty());
}

void ReplaysModel::productionAsksForItsName() {
    Confirmation answers = answered("because", "REPEAT 60");
    QVERIFY(DraftRules::confirm(plan(), profile(Environment::Development), answers).empty());
    const Profile production = profile(Environment::Production);
    QVERIFY(mentions(DraftRules::confirm(plan(), production, answers), QStringLiteral("payments-prod")));
    answers.confirmedProfile = "payments-Prod";
    QVERIFY(!DraftRules::confirm(plan(), production, answers).empty());
    answers.confirmedProfile = "payments-prod";
    QVERIFY(DraftRules::confirm(plan(), production, answers).empty());
}

void ReplaysModel::thePhraseIsExact() {
    const Profile development = profile(Environment::Development);
    for (const char* typed : {"", "repeat 60", "REPEAT 60 ", "REPEAT 6"}) {
        QVERIFY(!DraftRules::confirm(plan(), development, answered("because", typed)).empty());
    }
    QVERIFY(mentions(DraftRules::confirm(plan(), development, answered("  ", "REPEAT 60")), QStringLiteral("audit")));
}

void ReplaysModel::acceptedCodesAreAskedOnce() {
    ReplayPlan made = plan();
    made.findings.push_back({"overlap", Severity::Refuse, Answer::Accept, "a", "overlaps", "", ""});
    made.findings.push_back({"overlap", Severity::Refuse, Answer::Accept, "b", "overlaps", "", ""});
    QCOMPARE(DraftRules::acceptable(made).size(), std::size_t{1});
    const Profile development = profile(Environment::Development);
    QVERIFY(mentions(DraftRules::confirm(made, development, answered("why", "REPEAT 60")), QStringLiteral("overlap")));
    QVERIFY(DraftRules::confirm(made, development, answered("why", "REPEAT 60", {"overlap"})).empty());
}

void ReplaysModel::theBannerPutsTheWorstFirst() {
    GuardBanner banner = bannerOf(plan());
    QCOMPARE(banner.tone, BannerTone::Refuse);
    QVERIFY(banner.headline.contains(QStringLiteral("repeat")));
    QCOMPARE(banner.findings.front().code, std::string("window-past-horizon"));

    ReplayPlan safe = plan();
    safe.findings.clear();
    safe.consumers.front().classes[indexOf(MessageClass::Unprotected)] = 0;
    QCOMPARE(bannerOf(safe).tone, BannerTone::Good);
    safe.complete = false;
    QCOMPARE(bannerOf(safe).tone, BannerTone::Warn);
}

void ReplaysModel::modelsPassTheTester() {
    const auto mode = QAbstractItemModelTester::FailureReportingMode::QtTest;
    ClassModel classes;
    const QAbstractItemModelTester classTester(&classes, mode);
    classes.setForecast(plan().consumers.front(), 150);
    QCOMPARE(classes.rowCount(), 3);
    const int row = 2;
    QCOMPARE(classes.classAt(row), MessageClass::Unprotected);
    QCOMPARE(classes.index(row, ClassModel::Share).data().toString(), QStringLiteral("40.0 %"));
    const QString evidence = classes.index(row, ClassModel::Evidence).data().toString();
    QVERIFY2(evidence.contains(QStringLiteral("50 older")) && evidence.contains(QStringLiteral("10 passed")),
             qPrintable(evidence));

    HistoryModel history;
    const QAbstractItemModelTester historyTester(&history, mode);
    ReplayLine line;
    line.progress = {ReplayId("r"), ReplayState::Reconciled, 100, 98, 2, 0, ""};
    line.topic = "payments";
    line.target = "topic:side";
    history.setLines({line, line});
    QVERIFY(history.index(0, HistoryModel::Result).data().toString().contains(QStringLiteral("2 set aside")));
    QVERIFY(history.index(1, HistoryModel::Way).data().toString().contains(QStringLiteral("side topic side")));

    DifferenceModel differences;
    const QAbstractItemModelTester differenceTester(&differences, mode);
    ReplayReport report;
    report.consumers = {{"c", {}, {}, {{"m1", Partition(0), Offset(7), "never_processed", "not_seen"}}}};
    differences.setReport(report);
    QCOMPARE(differences.index(0, DifferenceModel::Predicted).data().toString(), QStringLiteral("never processed"));
}

QTEST_MAIN(ReplaysModel)
#include "tst_replays_model_window.moc"
