// SPDX-License-Identifier: MIT
/// \file
/// Names of neurons, computed once more by plain loops from what the results file has.
#include <algorithm>
#include <cmath>
#include <set>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/apply.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Rows = std::vector<std::vector<double>>;

constexpr std::size_t kRows = 400;
constexpr std::size_t kUnits = 6;
constexpr std::size_t kInputs = 3;
constexpr int kClasses = 3;

/// Three clouds that drift slowly; every seventh row has no class (-1).
struct Clouds {
  Rows rows;
  std::vector<int> classes;

  Clouds() {
    std::uint64_t state = 7;
    const auto uniform = [&] {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
    };
    for (std::size_t i = 0; i < kRows; ++i) {
      const int code = static_cast<int>(uniform() * kClasses);
      std::vector<double> row;
      for (std::size_t j = 0; j < kInputs; ++j) {
        const double centre = static_cast<int>(j) == code ? 1.0 : 0.0;
        row.push_back(
            std::round(1e4 * (centre + 1.2 * (uniform() - 0.5) + 0.001 * static_cast<double>(i))) /
            1e4);
      }
      rows.push_back(row);
      classes.push_back(i % 7 == 6 ? -1 : code);
    }
  }

  std::string csv() const {
    std::string text = "a,b,c,kind\n";
    for (std::size_t i = 0; i < kRows; ++i) {
      for (const double value : rows[i]) text += std::to_string(value) + ",";
      text += classes[i] < 0 ? "\n" : std::string(1, static_cast<char>('p' + classes[i])) + "\n";
    }
    return text;
  }
};

/// Neurons that go on learning; the last tick for training is that of step 237.
constexpr std::size_t kTrained = 238;
const std::string kNamed =
    "experiment: named\nseed: 3\ndtype: float64\n"
    "data: {source: file, path: clouds.csv, columns: [a, b, c], labels: kind}\n"
    "hierarchy:\n  levels:\n    - layers:\n        - type: hebbian\n          size: 6\n"
    "          normalization: l2\n"
    "          rule:\n            equations: |\n"
    "              y = 2*z - 1 - xx\n"
    "              dw = 0.05*winner(y)*(x - w)\n"
    "readouts:\n"
    "  - {name: names, type: naming, target: {label: true}, levels: [0], split: 0.6}\n"
    "controls: [frozen, stopped, same_past]\n"
    "output: {weights: {every: 119}}\n"
    "checkpoint: {every: 50}\n";

struct Run {
  Clouds clouds;
  TempDir folder;

  Datasets of(const std::string& yaml) const {
    folder.write("clouds.csv", clouds.csv());
    return datasets_of(result_of_text(folder, yaml));
  }
  std::string complaint(const std::string& yaml) const {
    folder.write("clouds.csv", clouds.csv());
    return complaint_about_text(folder, yaml);
  }
  double number(const std::string& group, const std::string& attribute) const {
    return test::number(folder.path("r.h5"), group, attribute);
  }
  std::string text(const std::string& group, const std::string& attribute) const {
    const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
    return file.open_group(group).text_attribute(attribute).value();
  }
};

/// -|x - w|^2 of each neuron, whose weights are of length 1 once they have learnt.
std::vector<double> answers_of(const std::vector<double>& weights, const std::vector<double>& x) {
  std::vector<double> answers;
  for (std::size_t i = 0; i < kUnits; ++i) {
    double sum = -1.0;
    for (std::size_t j = 0; j < kInputs; ++j) {
      sum += (2.0 * weights[i * kInputs + j] - x[j]) * x[j];
    }
    answers.push_back(sum);
  }
  return answers;
}

std::size_t winner_of(const std::vector<double>& answers) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < answers.size(); ++i) best = answers[i] > answers[best] ? i : best;
  return best;
}

std::vector<double> majority_names(const std::vector<double>& weights, const Clouds& clouds,
                                   const std::set<std::size_t>& labelled) {
  int counts[kUnits][kClasses] = {};
  for (const std::size_t step : labelled) {
    if (clouds.classes[step] < 0) continue;
    ++counts[winner_of(answers_of(weights, clouds.rows[step]))][clouds.classes[step]];
  }
  std::vector<double> names;
  for (const auto& of : counts) {
    int name = -1;
    for (int c = 0; c < kClasses; ++c) {
      if (of[c] > (name < 0 ? 0 : of[name])) name = c;
    }
    names.push_back(name);
  }
  return names;
}

std::set<std::size_t> training_steps() {
  std::set<std::size_t> steps;
  for (std::size_t step = 0; step < kTrained; ++step) steps.insert(step);
  return steps;
}

std::vector<double> weights_at(const Datasets& all, std::size_t step) {
  const std::vector<double>& steps = all.at("/levels/0/layers/0/history/step");
  const std::vector<double>& history = all.at("/levels/0/layers/0/history/weights");
  const auto k = std::find(steps.begin(), steps.end(), static_cast<double>(step)) - steps.begin();
  REQUIRE(k < std::ssize(steps));
  const auto from = history.begin() + k * static_cast<std::ptrdiff_t>(kUnits * kInputs);
  return {from, from + static_cast<std::ptrdiff_t>(kUnits * kInputs)};
}

/// Accuracy in the test part, by names and weights that stand still.
double accuracy_of(const std::vector<double>& names, const std::vector<double>& weights,
                   const Clouds& clouds) {
  double right = 0.0;
  double all = 0.0;
  for (std::size_t step = 240; step < kRows; ++step) {
    if (clouds.classes[step] < 0) continue;
    all += 1.0;
    const double said = names[winner_of(answers_of(weights, clouds.rows[step]))];
    if (said == clouds.classes[step]) right += 1.0;
  }
  return right / all;
}

}  // namespace

TEST_CASE("a neuron is called what it answered most at the end of the training part") {
  const Run run;
  const Datasets all = run.of(kNamed);
  const std::vector<double> weights = weights_at(all, kTrained);
  const std::vector<double> names = majority_names(weights, run.clouds, training_steps());
  CHECK(all.at("/readouts/names/name") == names);
  CHECK(names !=
        majority_names(all.at("/levels/0/layers/0/weights_initial"), run.clouds, training_steps()));

  // It predicts by what the neurons, which go on learning, show.
  const std::vector<double>& shown = all.at("/levels/0/representation");
  const std::vector<double>& said = all.at("/readouts/names/prediction");
  const std::vector<double>& truth = all.at("/readouts/names/target");
  REQUIRE(said.size() == kRows - 240);
  double right = 0.0;
  double known = 0.0;
  for (std::size_t k = 0; k < said.size(); ++k) {
    const auto from = shown.begin() + static_cast<std::ptrdiff_t>((240 + k) * kUnits);
    const std::size_t won = winner_of({from, from + static_cast<std::ptrdiff_t>(kUnits)});
    CHECK(said[k] == names[won]);
    CHECK(truth[k] == run.clouds.classes[240 + k]);
    if (truth[k] >= 0) known += 1.0;
    if (truth[k] >= 0 && said[k] == truth[k]) right += 1.0;
  }
  CHECK(run.number("readouts/names", "accuracy") == Approx(right / known));
  CHECK(right / known > 0.6);

  const std::vector<double>& initial = all.at("/levels/0/layers/0/weights_initial");
  CHECK(run.number("readouts/names/controls/frozen", "accuracy") ==
        Approx(accuracy_of(majority_names(initial, run.clouds, training_steps()), initial,
                           run.clouds)));
  CHECK(run.number("readouts/names/controls/stopped", "accuracy") ==
        Approx(accuracy_of(names, weights, run.clouds)));
}

TEST_CASE("controls without neurons are read by logistic regression on the same labels") {
  const Run run;
  run.of(replaced(kNamed, "controls: [frozen, stopped, same_past]",
                  "  - {name: regression, type: logistic, target: {label: true}, levels: [0], "
                  "split: 0.6}\ncontrols: [same_past, pca, reservoir, window]"));
  for (const std::string control : {"same_past", "pca", "reservoir", "window"}) {
    INFO(control);
    CHECK(run.number("readouts/names/controls/" + control, "accuracy") ==
          run.number("readouts/regression/controls/" + control, "accuracy"));
  }
  CHECK_SAYS(run.text("readouts/names", "verdict"), "logistic on");
}

TEST_CASE("few labels are drawn from the training part, and names are by these alone") {
  const Run run;
  const std::string few = replaced(kNamed, "split: 0.6", "split: 0.6, labels: {per_class: 4}");
  const Datasets all = run.of(few);
  std::set<std::size_t> labelled;
  int counts[kClasses] = {};
  for (const double step : all.at("/readouts/names/labelled_step")) {
    REQUIRE(step < static_cast<double>(kTrained));
    labelled.insert(static_cast<std::size_t>(step));
    ++counts[run.clouds.classes[static_cast<std::size_t>(step)]];
  }
  CHECK(labelled.size() == 12);
  for (const int count : counts) CHECK(count == 4);
  const std::vector<double> weights = weights_at(all, kTrained);
  const std::vector<double> names = majority_names(weights, run.clouds, labelled);
  CHECK(all.at("/readouts/names/name") == names);
  CHECK(run.number("readouts/names/controls/stopped", "accuracy") ==
        Approx(accuracy_of(names, weights, run.clouds)));

  const Datasets by_count =
      run.of(replaced(kNamed, "split: 0.6", "split: 0.6, labels: {count: 9}"));
  CHECK(by_count.at("/readouts/names/labelled_step").size() == 9);
  const Datasets other = run.of(replaced(few, "seed: 3", "seed: 4"));
  CHECK(other.at("/readouts/names/labelled_step") != all.at("/readouts/names/labelled_step"));
}

TEST_CASE("logistic regression by few labels is that of these rows") {
  // The same rows, where only they have a class.
  const std::string regression = replaced(replaced(kNamed, "type: naming", "type: logistic"),
                                          "[frozen, stopped, same_past]", "[same_past]");
  Run run;
  const Datasets few =
      run.of(replaced(regression, "split: 0.6", "split: 0.6, labels: {count: 40}"));
  const double control = run.number("readouts/names/controls/same_past", "accuracy");
  std::set<std::size_t> labelled;
  for (const double step : few.at("/readouts/names/labelled_step")) {
    labelled.insert(static_cast<std::size_t>(step));
  }
  for (std::size_t step = 0; step < kTrained; ++step) {
    if (!labelled.contains(step)) run.clouds.classes[step] = -1;
  }
  const Datasets all = run.of(regression);
  for (const char* const part : {"weights", "probability", "target_mean"}) {
    INFO(part);
    CHECK(few.at(std::string("/readouts/names/") + part) ==
          all.at(std::string("/readouts/names/") + part));
  }
  CHECK(run.number("readouts/names/controls/same_past", "accuracy") == control);
}

TEST_CASE("each neuron asks for the sample that it answers most, and no two for the same") {
  const Run run;
  const Datasets all = run.of(replaced(kNamed, "type: naming", "type: naming, by: ask"));
  const std::vector<double> weights = weights_at(all, kTrained);
  std::set<std::size_t> taken;
  std::vector<double> asked;
  std::vector<double> names;
  for (std::size_t i = 0; i < kUnits; ++i) {
    std::size_t best = kRows;
    double largest = -1e300;
    for (std::size_t step = 0; step < kTrained; ++step) {
      if (run.clouds.classes[step] < 0 || taken.contains(step)) continue;
      const double answer = answers_of(weights, run.clouds.rows[step])[i];
      if (answer > largest) {
        largest = answer;
        best = step;
      }
    }
    taken.insert(best);
    asked.push_back(static_cast<double>(best));
    names.push_back(run.clouds.classes[best]);
  }
  CHECK(all.at("/readouts/names/asked_step") == asked);
  CHECK(all.at("/readouts/names/name") == names);
  CHECK(run.number("readouts/names/controls/stopped", "accuracy") ==
        Approx(accuracy_of(names, weights, run.clouds)));

  // Controls without neurons know these labels, and no others.
  const double control = run.number("readouts/names/controls/same_past", "accuracy");
  Run same;
  for (std::size_t step = 0; step < kTrained; ++step) {
    if (!taken.contains(step)) same.clouds.classes[step] = -1;
  }
  same.of(replaced(kNamed, "type: naming", "type: logistic"));
  CHECK(same.number("readouts/names/controls/same_past", "accuracy") == control);
}

TEST_CASE("answers of zeros and ones compare nothing, which is told") {
  const Run run;
  const std::string winners = replaced(
      replaced(kNamed, "type: naming", "type: naming, by: ask"),
      "              dw = 0.05*winner(y)*(x - w)\n",
      "              dw = 0.05*winner(y)*(x - w)\n              y = winner(2*z - 1 - xx)\n");
  run.of(winners);
  const hdf5::File file = hdf5::File::open(run.folder.path("r.h5"));
  const auto noticed = file.open_group("readouts/names").texts_attribute("noticed");
  REQUIRE(noticed);
  REQUIRE_FALSE(noticed->empty());
  CHECK_SAYS(noticed->back(), "6 of 6 neurons answered with two values at most");
}

TEST_CASE("names come to the same bytes wherever a run was killed") {
  for (const char* const by : {"majority", "ask"}) {
    INFO(by);
    const Cuts cuts(
        replaced(replaced(kNamed, "type: naming", std::string("type: naming, by: ") + by),
                 "[frozen, stopped, same_past]", "[frozen, same_past, reservoir]"));
    cuts.folder().write("clouds.csv", Clouds().csv());
    cuts.check_goes_on_after({50, 238, 250, 350});
  }
}

TEST_CASE("names go on to what begins with a run, and to data that it is applied to") {
  const Run run;
  const Datasets all = run.of(kNamed);
  Experiment applied =
      application_of(run.folder.path("r.h5"),
                     {.data = run.folder.path("clouds.csv"), .output = run.folder.path("to.h5")});
  run_hierarchy(applied);
  const Datasets to = datasets_of(run.folder.path("to.h5"));
  const std::vector<double>& names = all.at("/readouts/names/name");
  CHECK(to.at("/readouts/names/name") == names);
  const std::vector<double>& weights = all.at("/levels/0/layers/0/weights");
  const std::vector<double>& said = to.at("/readouts/names/prediction");
  REQUIRE(said.size() == kRows);
  for (std::size_t step = 0; step < kRows; ++step) {
    CHECK(said[step] == names[winner_of(answers_of(weights, run.clouds.rows[step]))]);
  }
}

TEST_CASE("trials begin anew while neurons are named") {
  // Pooled over two steps, of which the first of a trial has one.
  const Run run;
  const std::string trials =
      replaced(replaced(kNamed, "labels: kind}", "labels: kind, trials: {length: 25}}"),
               "    - layers:", "    - temporal_resolution: 2\n      pooling: mean\n      layers:");
  const Datasets all = run.of(replaced(trials, "every: 119", "every: 120"));
  // Nine of sixteen trials.
  const std::vector<double> weights = [&] {
    const Datasets again = run.of(replaced(trials, "every: 119", "every: 225"));
    return weights_at(again, 225);
  }();
  int counts[kUnits][kClasses] = {};
  for (std::size_t trial = 0; trial < 9; ++trial) {
    for (std::size_t t = 0; t < 25; t += 2) {
      const std::size_t step = trial * 25 + t;
      std::vector<double> x = run.clouds.rows[step];
      for (std::size_t j = 0; j < kInputs && t > 0; ++j) {
        x[j] = (x[j] + run.clouds.rows[step - 1][j]) / 2.0;
      }
      if (run.clouds.classes[step] < 0) continue;
      ++counts[winner_of(answers_of(weights, x))][run.clouds.classes[step]];
    }
  }
  const std::vector<double>& names = all.at("/readouts/names/name");
  for (std::size_t i = 0; i < kUnits; ++i) {
    int name = -1;
    for (int c = 0; c < kClasses; ++c) {
      if (counts[i][c] > (name < 0 ? 0 : counts[i][name])) name = c;
    }
    CHECK(names[i] == name);
  }
}

TEST_CASE("what labels and names cannot be is told with its key") {
  const Run run;
  CHECK_SAYS(run.complaint(replaced(kNamed, "split: 0.6", "split: 0.6, labels: {per_class: 90}")),
             "readouts[0].labels.per_class", "expected 90 ticks of each class in the training part",
             "of class 'p'");
  CHECK_SAYS(run.complaint(replaced(kNamed, "split: 0.6", "split: 0.6, labels: {count: 300}")),
             "readouts[0].labels.count", "expected at most the 204 ticks", "got 300");
  CHECK_SAYS(run.complaint(replaced(kNamed, "split: 0.6", "folds: 4")), "readouts[0].folds",
             "neurons are named");
  const std::string logistic = replaced(kNamed, "type: naming", "type: logistic");
  CHECK_SAYS(run.complaint(replaced(logistic, "split: 0.6", "folds: 4, labels: {count: 9}")),
             "readouts[0].folds", "labels are drawn");
  CHECK_SAYS(run.complaint(replaced(kNamed, "label: true", "channel: a")),
             "type naming predicts classes");
}
