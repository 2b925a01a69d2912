// SPDX-License-Identifier: MIT
#include "../../../src/experiment/readouts/verdict.h"

#include <cmath>

#include "../../../src/experiment/readouts/test_score.h"
#include "../../../src/experiment/setup/one_seed.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"

using namespace gaia;
using gaia::test::TempDir;

namespace {

Score with_r2(const std::string& name, double r2) { return score_of(name, 1.0 - r2, 1.0); }

/// What is reported at the end of a run on one column, which value(t) gives.
template <class F>
std::string told(const F& value, int rows, const std::string& keys = "horizon: 1") {
  const TempDir folder;
  std::string csv = "load\n";
  for (int t = 0; t < rows; ++t) csv += std::to_string(value(t)) + "\n";
  folder.write("d.csv", csv);
  const std::string yaml =
      "experiment: e\n"
      "data: {source: file, path: d.csv}\n"
      "hierarchy:\n  levels:\n"
      "    - layers: [{type: reactive, size: 1, activation: tanh}]\n"
      "readouts: [{name: next, target: {channel: 0, " +
      keys + "}, levels: [0]}]\n";
  return test::run_text(folder, yaml).text();
}

}  // namespace

TEST_CASE("a network on pictures is scored beside what training had most often") {
  TestScore score;
  score_classes(score, 0.5, {0, 1, 2, 2, 1, 1, 1, 0}, {2, 1, 0, 2, 1});
  CHECK(score.majority_accuracy == 0.5);  // of 1 and 2, both twice, the first
  CHECK(verdict_of(score.own(), score.baselines())
            .text.starts_with(
                "does no better than always saying the most frequent class (accuracy 0.5"));
}

TEST_CASE("a score that is no better than the mean is told") {
  const std::vector<Score> none;
  CHECK(shortcoming(with_r2("", -0.0012), none) ==
        "does no better than the mean of its target (R2 -0.0012)");
  CHECK(shortcoming(with_r2("", -17.3), none) ==
        "does worse than the mean of its target (R2 -17.3)");
  CHECK(shortcoming(with_r2("", -17.3), {with_r2("mean", 0.0)}) ==
        "does worse than the mean of its target (R2 -17.3)");
  CHECK(shortcoming(with_r2("", -17.3), {with_r2("mean", -40.0), with_r2("persistence", 1.0)}) ==
        "does worse than the mean of its target (R2 -17.3) and is beaten by persistence (R2 1)");
  CHECK(shortcoming(with_r2("", 0.2), none).empty());
}

TEST_CASE("a score that a simple forecast beats is told with the best of them") {
  CHECK(shortcoming(with_r2("", 0.62), {with_r2("mean", 0.0), with_r2("persistence", 0.85)}) ==
        "is beaten by persistence (R2 0.62 against 0.85)");
  CHECK(shortcoming(with_r2("", 0.62),
                    {with_r2("persistence", 0.85), with_r2("ridge on the samples", 0.9)}) ==
        "is beaten by ridge on the samples (R2 0.62 against 0.9)");
  CHECK(shortcoming(with_r2("", 0.99951), {with_r2("persistence", 0.99954)}) ==
        "is beaten by persistence (R2 0.99951 against 0.99954)");
  // By less than a hundredth of the error: nobody is beaten.
  CHECK(shortcoming(with_r2("", 0.62), {with_r2("persistence", 0.621)}).empty());
  CHECK(shortcoming(with_r2("", 0.85), {with_r2("persistence", 0.62)}).empty());
  CHECK(shortcoming({}, {with_r2("persistence", 0.62)}).empty());
  CHECK(shortcoming(with_r2("", 0.62), {{.name = "persistence"}}).empty());
}

TEST_CASE("a verdict says whether learning gains, loses or does not pay, and what is best") {
  const auto frozen = [](double r2) { return with_r2(control_title("frozen"), r2); };
  const auto text = [](double r2, const std::vector<Score>& others) {
    return verdict_of(with_r2("", r2), others).text;
  };
  CHECK(text(0.36, {frozen(0.32)}) ==
        "learning gains 0.04 over frozen weights (R2 0.36 against 0.32)");
  CHECK(text(0.305, {frozen(0.361)}) ==
        "learning loses: the same weights, frozen, reach R2 0.361, learnt 0.305");
  CHECK(text(0.36, {frozen(0.36)}) ==
        "learning does not pay: R2 0.36 with it, 0.36 with frozen weights");
  // By less than a hundredth of the error.
  CHECK(text(0.361, {frozen(0.36)}) ==
        "learning does not pay: R2 0.361 with it, 0.36 with frozen weights");
  CHECK(text(0.5, {with_r2("mean", 0.0), frozen(0.3), with_r2("persistence", 0.4)}) ==
        "learning gains 0.2 over frozen weights (R2 0.5 against 0.3); the next best is persistence "
        "(R2 0.4)");
  CHECK(
      text(0.5, {frozen(0.3), with_r2("ridge on the samples", 0.5)}) ==
      "learning gains 0.2 over frozen weights (R2 0.5 against 0.3), but is no better than ridge on "
      "the samples (R2 0.5)");
  CHECK(text(0.5, {frozen(0.3), with_r2("persistence", 0.7)}) ==
        "learning gains 0.2 over frozen weights (R2 0.5 against 0.3); the readout is beaten by "
        "persistence (R2 0.5 against 0.7)");
  // What is worse than knowing nothing has gained nothing.
  CHECK(text(-1.0, {frozen(-2.0), with_r2("mean", 0.0)}) ==
        "learning does not pay: R2 -1 with it, -2 with frozen weights; the readout does worse than "
        "the mean of its target (R2 -1)");
  // Without the control nothing is said of learning.
  CHECK(text(0.5, {with_r2("persistence", 0.7)}) ==
        "is beaten by persistence (R2 0.5 against 0.7)");
  CHECK(text(0.5, {with_r2("persistence", 0.3), {.name = "frozen weights"}}) ==
        "is better than all that it is compared with; the next best is persistence (R2 0.3)");
  CHECK(text(0.41, {with_r2("ridge on the same past", 0.41)}) ==
        "is no better than ridge on the same past (R2 0.41)");
  CHECK(text(0.41, {frozen(0.41), with_r2("ridge on the same past", 0.41)}) ==
        "learning does not pay: R2 0.41 with it, 0.41 with frozen weights; it is no better than "
        "ridge "
        "on the same past (R2 0.41)");
  CHECK(text(0.5, {}).empty());
  CHECK(verdict_of({}, {frozen(0.3)}).text.empty());
}

TEST_CASE("a difference that chance explains is no difference") {
  // Without each of three blocks: far apart, so that two standard errors are wide.
  const auto jackknifed = [](const std::string& name, double r2, double spread) {
    Score score = with_r2(name, r2);
    score.without = {r2 - spread, r2, r2 + spread};
    return score;
  };
  const Score own = jackknifed("", 0.4, 0.1);
  const auto text = [&](const std::vector<Score>& others) { return verdict_of(own, others).text; };
  CHECK(
      text({jackknifed("frozen weights", 0.3, -0.1)}) ==
      "learning does not pay: R2 0.4 with it, 0.3 with frozen weights, which chance explains; the "
      "readout does no better than the mean of its target (R2 0.4, which chance explains)");
  // What moves together leaves the difference as it is.
  const Score sure = jackknifed("", 0.9, 0.01);
  CHECK(verdict_of(sure, {jackknifed("frozen weights", 0.3, 0.01)}).text ==
        "learning gains 0.6 over frozen weights (R2 0.9 against 0.3)");
  CHECK(verdict_of(sure, {jackknifed("frozen weights", 0.95, 0.01)}).text ==
        "learning loses: the same weights, frozen, reach R2 0.95, learnt 0.9");
  CHECK(verdict_of(sure, {jackknifed("persistence", 0.95, -0.1)}).text ==
        "is no better than persistence (R2 0.95)");
  CHECK(verdict_of(sure, {jackknifed("persistence", 0.85, -0.1)}).standing ==
        Verdict::Standing::open);
  CHECK(verdict_of(sure, {jackknifed("persistence", 0.85, 0.01)}).standing ==
        Verdict::Standing::good);
}

TEST_CASE("no verdict is good where learning loses or anything else does better") {
  using Standing = Verdict::Standing;
  const auto standing = [](double r2, const std::vector<Score>& others) {
    return verdict_of(with_r2("", r2), others).standing;
  };
  const Score low = with_r2("frozen weights", 0.32);
  const Score high = with_r2("frozen weights", 0.4);
  CHECK(standing(0.36, {low}) == Standing::good);
  CHECK(standing(0.36, {high}) == Standing::bad);
  CHECK(standing(0.36, {low, with_r2("persistence", 0.5)}) == Standing::bad);
  CHECK(standing(0.36, {low, with_r2("persistence", 0.361)}) == Standing::open);
  CHECK(standing(0.36, {with_r2("frozen weights", 0.36)}) == Standing::open);
  CHECK(standing(-0.1, {with_r2("frozen weights", -0.9)}) == Standing::bad);
  CHECK(standing(0.36, {}) == Standing::open);
  CHECK(verdict_of({}, {low}).standing == Standing::open);
}

TEST_CASE("classes and anomalies have verdicts in their own measures") {
  const auto share = [](const std::string& name, double value, const char* measure) {
    return share_score(name, value, measure, 1000000);
  };
  const Score majority = share(kMajorityBaseline, 0.6, "accuracy");
  const auto text = [](const Score& score, const std::vector<Score>& others) {
    return verdict_of(score, others).text;
  };
  CHECK(text(share("", 0.8, "accuracy"), {majority, share("frozen weights", 0.7, "accuracy")}) ==
        "learning gains 0.1 over frozen weights (accuracy 0.8 against 0.7); the next best is the "
        "most "
        "frequent class (accuracy 0.6)");
  CHECK(text(share("", 0.5, "accuracy"), {majority}) ==
        "does worse than always saying the most frequent class (accuracy 0.5 against 0.6)");
  CHECK(text(share("", 0.6, "accuracy"), {majority}) ==
        "does no better than always saying the most frequent class (accuracy 0.6 against 0.6)");
  CHECK(text(share("", 0.7, "accuracy"),
             {majority, share("logistic on the same past", 0.9, "accuracy")}) ==
        "is beaten by logistic on the same past (accuracy 0.7 against 0.9)");
  CHECK(text(share("", 0.4, "AUC"), {share(kRunningMeanBaseline, 0.9, "AUC")}) ==
        "does worse than chance (AUC 0.4) and is beaten by |x - running mean| (AUC 0.9)");
  CHECK(verdict_of(share("", 0.5, "AUC"), {}).standing == Verdict::Standing::bad);
  CHECK(verdict_of(share("", 0.5, "accuracy"), {majority}).standing == Verdict::Standing::bad);
  CHECK(verdict_of(share("", 0.8, "accuracy"), {majority}).standing == Verdict::Standing::good);
}

TEST_CASE("a score that is in doubt is never good, and says why") {
  const Verdict verdict = verdict_of(with_r2("", 0.9), {with_r2("mean", 0.0)}, {kInSample});
  CHECK(verdict.standing == Verdict::Standing::bad);
  CHECK_SAYS(verdict.text, "the next best is mean (R2 0); the score is in sample");
  const auto x = [](int t) { return std::sin(0.4 * t); };
  CHECK_SAYS(told(x, 200, "horizon: 0"), "warning  readout next",
             "the target is among the inputs, at horizon 0");
}

TEST_CASE("a run of several readouts has one sentence") {
  const Score frozen = with_r2("frozen weights", 0.3);
  const Verdict gains = verdict_of(with_r2("", 0.5), {frozen});
  const Verdict loses = verdict_of(with_r2("", 0.1), {frozen});
  const Verdict equal = verdict_of(with_r2("", 0.3), {frozen});
  CHECK(verdict_of_run({gains}) == gains.text);
  CHECK(verdict_of_run({gains, equal, loses}) ==
        "of 3 readouts learning gains in 1, does not pay in 1 and loses in 1; 1 is better than all "
        "that it is compared with, 1 is beaten or not to be trusted");
  CHECK(
      verdict_of_run({loses, loses}) ==
      "of 2 readouts learning loses in 2; none is better than all that it is compared with, 2 are "
      "beaten or not to be trusted");
  CHECK(verdict_of_run({{}, {}}).empty());
  CHECK(verdict_of_run({}).empty());
}

TEST_CASE("no score is written as -nan or -0") {
  CHECK(score_text(with_r2("", -1e-9)) == "NRMSE 1.0000, R2 0.0000");
  CHECK(score_text(score_of("", 0.0, 0.0)) == "not defined");
  CHECK(score_text(score_of("", INFINITY, 1.0)) == "not defined");
  CHECK(why_undefined(0.0, 0.0, 0.0) == "no test ticks");
  CHECK(why_undefined(5.0, 1.0, 0.0) == "the target is constant");
  CHECK(why_undefined(5.0, NAN, 1.0) == "its predictions are not finite");
  CHECK(why_undefined(5.0, 1.0, 1.0).empty());
}

TEST_CASE("networks have no score on a constant target, which 0.1 is") {
  TestScore score;
  score_series(score, std::vector<double>(7, 0.2), {.answers = std::vector<double>(7, 0.1)},
               std::vector<double>(7, 0.1));
  CHECK(std::isnan(score.r2));
  CHECK(std::isnan(score.baseline_r2));
  CHECK(score.undefined == "the target is constant");
}

TEST_CASE("the end of a run tells what its readouts are worth") {
  const std::string drift = told([](int t) { return 0.01 * t; }, 600);
  CHECK_SAYS(drift, "; mean: NRMSE ", "warning  readout next of channel 0 (load) ",
             "beaten by ridge on the same past (R2 ");
  const std::string constant = told([](int) { return 0.1; }, 100);
  CHECK_SAYS(constant, "readout  next: not defined: the target is constant\n");
  const std::string now = told([](int t) { return std::sin(0.1 * t); }, 600, "horizon: 0");
  CHECK_SAYS(now, "   (mean: NRMSE ", "warning  readout next of channel 0 (load) ",
             "the target is among the inputs, at horizon 0");
  for (const std::string& text : {drift, constant, now})
    CHECK_THAT(text, !ContainsSubstring("nan"));
}

TEST_CASE("a run says that it is of one seed, and names the command that asks others") {
  const std::string text = told([](int t) { return std::sin(0.3 * t); }, 200);
  CHECK_SAYS(text, "\n         one seed, 0: `gaia verdict ",
             "e.yaml --seeds 10` tells whether others agree\n");
  CHECK(one_seed_text(3, "my file.yaml", {"seed=3", "a.b[0].c=1"}) ==
        "one seed, 3: `gaia verdict 'my file.yaml' --set seed=3 --set 'a.b[0].c=1' --seeds 10` "
        "tells whether others agree");
  CHECK(one_seed_text(3, "", {"seed=3"}) ==
        "one seed, 3: a verdict over ten (gaia.verdict in Python) tells whether others agree");
  CHECK(of_one_seed("learning gains").ends_with("; of one seed"));
  CHECK(of_one_seed("").empty());
  // Without a score there is nothing to agree with.
  const std::string none = told([](int) { return 1.0; }, 200);
  CHECK_THAT(none, !ContainsSubstring("one seed"));
}
