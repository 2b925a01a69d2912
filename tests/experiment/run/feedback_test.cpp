// SPDX-License-Identifier: MIT
/// \file
/// Runs whose layers read what a readout says, and readouts of more than levels;
/// tests/experiment/recompute_feedback.py recomputes such runs.
#include "../../../src/experiment/readouts/feedback.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/apply.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// A reservoir that reads what `told` says of two channels two steps ahead, below a layer that
/// learns and a slow level; a readout of everything that a row may have.
const std::string kTold =
    "experiment: told\nseed: 3\n"
    "data: {source: file, path: rows.csv, window: 2, trials: {length: 141}}\n"
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: temporal, size: 9, leak: 0.6, feedback: told, feedback_scale: 0.5}\n"
    "        - {type: hebbian, size: 5, rule: oja_subspace, learning_rate: 0.002}\n"
    "    - temporal_resolution: 3\n"
    "      layers: [{type: reactive, size: 4, activation: tanh}]\n"
    "readouts:\n"
    "  - {name: told, target: {channel: [1, 0], horizon: 2}, levels: [0, 1], split: 0.5,\n"
    "     features: [level, squares, input, bias]}\n"
    "  - {name: other, target: {channel: 0, horizon: 4}, levels: [0]}\n"
    "controls: [frozen, stopped, same_past, pca, reservoir, window, nvar]\n"
    "checkpoint: {every: 70}\n";

/// Three trials of 141 rows of two channels, larger from row `last` on.
std::string rows_text(int last = 423) {
  std::string text = "a,b\n";
  for (int t = 0; t < 423; ++t) {
    const double a = std::sin(0.2 * t) + 0.3 * std::sin(0.71 * t) + (t < last ? 0.0 : 3.0);
    const double b = std::cos(0.13 * t) * std::sin(0.05 * t);
    text += std::to_string(a) + "," + std::to_string(b) + "\n";
  }
  return text;
}

/// The experiment `text` over these rows.
struct Told : Cuts {
  explicit Told(const std::string& text, const std::string& device = "cpu") : Cuts(text, device) {
    folder().write("rows.csv", rows_text());
  }
};

TEST_CASE(
    "a run whose layer reads what is said goes on after a kill to the same bits, on any threads") {
  const Told cuts(kTold);
  // While it is taught, where it begins to hear, where it hears, in the last trial.
  cuts.check_goes_on_after({70, 280, 350});
  cuts.check_same_on_any_threads();
}

/// The same by recursive least squares, which stops with its training part.
std::string forced() {
  return replaced(kTold,
                  "levels: [0, 1], split: 0.5,\n     features: [level, squares, input, bias]}",
                  "levels: [0, 1], split: 0.5, type: online,\n     forgetting: 1, goes_on: false}");
}

TEST_CASE("what learns online is heard while it learns, and a cut run goes on to the same bits") {
  const Told cuts(forced());
  cuts.check_goes_on_after({70, 280, 350});
  cuts.check_same_on_any_threads();
}

TEST_CASE("what learns online and stops has learnt nothing from what it is scored by") {
  const Told stops(forced());
  const Told goes_on(replaced(forced(), "goes_on: false", "goes_on: true"));
  stops.run("r");
  goes_on.run("r");
  const std::vector<double> one = datasets_of(stops.result("r")).at("/readouts/told/prediction");
  const std::vector<double> other =
      datasets_of(goes_on.result("r")).at("/readouts/told/prediction");
  REQUIRE(one.size() == other.size());
  CHECK(one != other);
  // The targets of the test part are larger from the last trial on: what stops has not seen them.
  stops.folder().write("rows.csv", rows_text(300));
  stops.run("other");
  const Datasets later = datasets_of(stops.result("other"));
  const Datasets before = datasets_of(stops.result("r"));
  CHECK(later.at("/readouts/told/model") == before.at("/readouts/told/model"));
  CHECK_SAYS(complaint_of([&] {
               const Told none(replaced(forced(), "split: 0.5, ", ""));
               none.load("r");
             }),
             "readouts[0].goes_on: expected true where no split says");
}

TEST_CASE("what is fed back changes what the layer shows, and no weights of F are 0") {
  const Told with(kTold);
  const Told without(replaced(kTold, ", feedback: told, feedback_scale: 0.5", ""));
  with.run("r");
  without.run("r");
  const Datasets told = datasets_of(with.result("r"));
  const Datasets silent = datasets_of(without.result("r"));
  const std::string layer = "/levels/0/layers/0/";
  CHECK(told.at(layer + "weights") == silent.at(layer + "weights"));
  CHECK(told.at(layer + "recurrent") == silent.at(layer + "recurrent"));
  CHECK_FALSE(silent.contains(layer + "feedback"));
  REQUIRE(told.at(layer + "feedback").size() == 9 * 2);
  for (const double weight : told.at(layer + "feedback")) CHECK(weight != 0.0);
  CHECK(told.at("/readouts/told/prediction") != silent.at("/readouts/told/prediction"));
}

TEST_CASE("the targets of the test part are never fed back") {
  // Other rows from 350 on, in the last trial: what is said of the steps before is the same.
  const Told cuts(kTold);
  cuts.run("one");
  cuts.folder().write("rows.csv", rows_text(350));
  cuts.run("two");
  const Datasets one = datasets_of(cuts.result("one"));
  const Datasets two = datasets_of(cuts.result("two"));
  const std::vector<double>& step = one.at("/readouts/told/step");
  REQUIRE(step.front() < 300.0);
  bool differs = false;
  for (std::size_t i = 0; i < step.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t at = 2 * i + k;
      const bool is_same =
          one.at("/readouts/told/prediction")[at] == two.at("/readouts/told/prediction")[at];
      // The newest row of a sample of the last trial is that of its step and 3.
      if (step[i] < 347.0) {
        INFO("step " << step[i]);
        CHECK(is_same);
      }
      differs = differs || !is_same;
    }
  }
  CHECK(differs);
}

TEST_CASE("a GPU hears what the CPU hears") {
  const gaia::test::EmulatedDevice emulated;
  const Told cpu(kTold);
  const Told gpu(kTold, "cuda");
  cpu.run("r");
  gpu.run("r");
  const std::vector<double> one = datasets_of(cpu.result("r")).at("/readouts/told/prediction");
  const std::vector<double> other = datasets_of(gpu.result("r")).at("/readouts/told/prediction");
  REQUIRE(one.size() == other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (std::isnan(one[i])) continue;
    CHECK(other[i] == Approx(one[i]).margin(1e-2));
  }
}

TEST_CASE("controls hear what their own readouts say, and read what readouts read beside levels") {
  const Told cuts(kTold);
  cuts.run("r");
  const hdf5::File file = hdf5::File::open(cuts.result("r"));
  const hdf5::Group told = file.open_group("readouts/told");
  // 5 and 4 neurons, 2 rows of 2 channels, a 1; of two outputs each.
  CHECK(told.open_dataset("weights").shape() == std::vector<std::int64_t>{2, 5 + 4 + 4 + 1});
  for (const double intercept : told.open_dataset("intercept").read<double>()) {
    CHECK(intercept == 0.0);
  }
  const double own = *told.number_attribute("r2");
  for (const char* const control :
       {"frozen", "stopped", "same_past", "pca", "reservoir", "window", "nvar"}) {
    INFO(control);
    const double r2 = *told.open_group(std::string("controls/") + control).number_attribute("r2");
    CHECK(r2 > -1.0);
    CHECK(r2 < 1.0);
    CHECK(r2 != own);
  }
}

TEST_CASE("what feeds back is applied to other data, where it is heard from the first tick on") {
  const Told cuts(kTold);
  cuts.run("r");
  std::string text = "a,b\n";
  for (int t = 0; t < 100; ++t) {
    text += std::to_string(std::sin(0.2 * t)) + "," + std::to_string(std::cos(0.13 * t)) + "\n";
  }
  const ApplyOptions options{.data = cuts.folder().write("d.csv", text),
                             .output = cuts.folder().path("a.h5")};
  Experiment experiment = application_of(cuts.result("r"), options);
  run_hierarchy(experiment, {.overwrite = true});
  const Datasets applied = datasets_of(cuts.folder().path("a.h5"));
  CHECK(applied.at("/levels/0/layers/0/feedback") ==
        datasets_of(cuts.result("r")).at("/levels/0/layers/0/feedback"));
  CHECK(applied.at("/readouts/told/step").front() == 0.0);
}

TEST_CASE("what keeps a readout from being fed back is told with the way out") {
  const auto told = [](const std::string& from, const std::string& to) {
    const Told cuts(replaced(kTold, from, to));
    return complaint_of([&] { cuts.load("r"); });
  };
  const std::string key = "hierarchy.levels[0].layers[0].feedback";
  CHECK_SAYS(told("feedback: told", "feedback: tolt"), key + ": there is no readout 'tolt'",
             "did you mean 'told'?", "known: told, other");
  CHECK_SAYS(told("split: 0.5,\n     features: [level, squares, input, bias]", "type: matching"),
             key +
                 ": readout told is of type matching; what is fed back is said by one of type "
                 "ridge or online");
  CHECK_SAYS(told("horizon: 2}", "horizon: 2, per: trial}"),
             key + ": readout told speaks only when a trial is over");
  CHECK_SAYS(told("split: 0.5", "folds: 3"), key + ": readout told has folds",
             "write split in place of folds");
  CHECK_SAYS(told("hierarchy:\n", "hierarchy:\n  epochs: 2\n"), key, "take epochs: 1");
  CHECK_SAYS(told("feedback_scale: 0.5", "feedback_scale: -1"), "feedback_scale");
  CHECK_SAYS(told("feedback: told, ", ""), "feedback_scale");
}

TEST_CASE("what a row of a readout is not made of is told") {
  const auto told = [](const std::string& features) {
    const Told cuts(replaced(kTold, "[level, squares, input, bias]", features));
    return complaint_of([&] { cuts.load("r"); });
  };
  CHECK_SAYS(told("[input, bias]"), "readouts[0].features: level is missing");
  CHECK_SAYS(told("[level, square]"), "readouts[0].features", "level, squares, input, bias");
  CHECK_SAYS(told("[]"), "readouts[0].features");
  const Cuts classes(
      "experiment: classes\n"
      "data: {source: generator, kind: ornstein_uhlenbeck, steps: 200}\n"
      "hierarchy: {levels: [{layers: [{type: reactive, size: 3}]}]}\n"
      "readouts: [{name: a, type: logistic, target: label, levels: [0], features: [level, "
      "bias]}]\n");
  CHECK_SAYS(complaint_of([&] { classes.load("r"); }), "readouts[0].features",
             "level, squares, input");
}

}  // namespace
