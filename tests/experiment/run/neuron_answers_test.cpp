// SPDX-License-Identifier: MIT
/// \file
/// Neurons that answer nothing, always or always the same, and those that have learnt nothing, are
/// counted and named, against counts of the numbers themselves.
#include "../../../src/experiment/results/neuron_answers.h"

#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/io/hdf5.h"
#include "../../../src/report/report.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"

using namespace gaia;

namespace {

using Numbers = std::vector<std::int64_t>;

/// Ticks [1, ticks, neurons] of value(tick, neuron).
template <class F>
Array ticks_of(std::int64_t first, std::int64_t ticks, std::int64_t neurons, const F& value) {
  std::vector<double> values;
  for (std::int64_t t = first; t < first + ticks; ++t) {
    for (std::int64_t i = 0; i < neurons; ++i) values.push_back(value(t, i));
  }
  return from_values(values, {1, ticks, neurons});
}

/// One of neurons 2, 3 and 4 wins in turn; 0 and 6 never do, 1 always answers; 5 stays at 3.
double competing(std::int64_t t, std::int64_t i) {
  if (i == 0 || i == 6) return i == 6 ? 1e-9 * std::sin(static_cast<double>(t)) : 0.0;
  if (i == 1) return 1.0 + 0.5 * std::sin(static_cast<double>(t));
  if (i == 5) return 3.0;
  return t % 3 == i - 2 ? 2.0 : 0.0;
}

}  // namespace

TEST_CASE("neurons that never answer, always do, or always alike are told apart") {
  AnswerCounts counts;
  counts.add(ticks_of(0, 10, 7, competing));
  counts.add(ticks_of(10, 0, 7, competing));
  // A state is taken over in between.
  ArrayMap state;
  counts.add_state(state, "metrics/answers/0/");
  AnswerCounts others;
  others.set_state(state, "metrics/answers/0/");
  others.add(ticks_of(10, 20, 7, competing));
  const NeuronAnswers found = others.answers();
  CHECK(found.neurons == 7);
  CHECK(found.silent == Numbers{0, 6});
  // Answers of the others that are not 0 are 1/3 of three and all of one: fewer than half.
  CHECK(found.always == Numbers{1, 5});
  CHECK(found.constant.empty());
  CHECK(
      found.sentences() ==
      std::vector<std::string>{
          "level 0: 2 of 7 neurons never answer in the last epoch: dead units (neurons 0 and 6)",
          "level 0: 2 of 7 neurons answer at every tick of the last epoch, while others mostly do "
          "not (neurons 1 and 5)"});

  // If all answer at every tick, to do so is nothing special; to stay the same is.
  AnswerCounts dense;
  dense.add(ticks_of(0, 20, 3, [](std::int64_t t, std::int64_t i) {
    return i == 2 ? -4.0 : std::sin(static_cast<double>(t + i) + 0.5);
  }));
  CHECK(dense.answers().always.empty());
  CHECK(dense.answers().silent.empty());
  CHECK(dense.answers().constant == Numbers{2});

  // A level that answers nothing at all is silent; few ticks say nothing.
  AnswerCounts nothing;
  nothing.add(ticks_of(0, 8, 2, [](std::int64_t, std::int64_t) { return 0.0; }));
  CHECK(nothing.answers().silent == Numbers{0, 1});
  AnswerCounts few;
  few.add(ticks_of(0, 7, 2, [](std::int64_t, std::int64_t) { return 0.0; }));
  CHECK(few.answers().silent.empty());
  // The state of an earlier build tells nothing.
  others.set_state({}, "metrics/answers/0/");
  CHECK(others.answers().silent.empty());
}

FOLDER_TEST_CASE("dead units of a run are in its summary, its file and its report") {
  // Winner takes all without anything that brings losers back: of eight neurons most never win.
  const std::string text =
      "experiment: competition\nseed: 2\n"
      "device: cpu\n"
      "data: {source: generator, kind: gaussian, spectrum: [4, 0.1], steps: 2000}\n"
      "hierarchy:\n  epochs: 2\n  levels:\n    - layers:\n        - type: hebbian\n"
      "          size: 8\n"
      "          rule: {equations: \"y = winner(z)\\ndw = 0.05*y*(x - w)\"}\n"
      "output: {path: r.h5, representations: all}\n";
  const HierarchySummary summary = test::run_text(folder, text);
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const hdf5::Group level = file.open_group("levels/0");
  const hdf5::Dataset recorded = level.open_dataset("representation");
  const std::vector<double> y = recorded.read<double>();
  const auto ticks = static_cast<std::size_t>(recorded.shape()[0]);
  const std::vector<double> before =
      file.open_group("levels/0/layers/0").open_dataset("weights_initial").read<double>();
  const std::vector<double> after =
      file.open_group("levels/0/layers/0").open_dataset("weights").read<double>();
  Numbers silent;
  Numbers unmoved;
  for (std::size_t i = 0; i < 8; ++i) {
    bool answers = false;
    for (std::size_t t = 0; t < ticks; ++t) answers = answers || y[t * 8 + i] != 0.0;
    if (!answers) silent.push_back(static_cast<std::int64_t>(i));
    if (before[2 * i] == after[2 * i] && before[2 * i + 1] == after[2 * i + 1]) {
      unmoved.push_back(static_cast<std::int64_t>(i));
    }
  }
  REQUIRE(silent.size() > 0);
  REQUIRE(unmoved.size() > 0);
  const NeuronAnswers& told = summary.levels[0].answers;
  CHECK(told.silent == silent);
  REQUIRE(told.unmoved.size() == 1);
  CHECK(told.unmoved[0].which == unmoved);
  CHECK(level.integer_attribute("silent_neurons") == std::ssize(silent));
  const std::string sentence = std::to_string(silent.size()) + " of 8 neurons never answer";
  CHECK_SAYS(summary.text(), "warning  level 0: " + sentence, "neurons have learnt nothing");
  CHECK_SAYS(report_page({folder.path("r.h5")}), "Level 0: " + sentence);
}

FOLDER_TEST_CASE("a run in which no weight moves says so") {
  const std::string text =
      "experiment: still\ndevice: cpu\n"
      "data: {source: generator, kind: gaussian, spectrum: [4, 0.1], steps: 200}\n"
      "hierarchy:\n"
      "  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0}]}]\n";
  const auto told = [&](const std::vector<std::string>& set) {
    return test::run_text(folder, text, set).text();
  };
  CHECK_SAYS(told({}), "warning  level 0: no weight has changed");
  CHECK_THAT(told({"hierarchy.learn=false"}), !ContainsSubstring("no weight has changed"));
  CHECK_THAT(told({"hierarchy.levels[0].layers[0].learning_rate=0.001"}),
             !ContainsSubstring("warning"));
}

FOLDER_TEST_CASE("a run that moves gains in place of weights has learnt") {
  const std::string text =
      "experiment: gains\ndevice: cpu\n"
      "data: {source: generator, kind: gaussian, spectrum: [4, 0.1], steps: 200}\n"
      "hierarchy:\n  levels:\n"
      "    - layers: [{type: temporal, size: 3, input: {rule: intrinsic_plasticity}}]\n"
      "    - layers: [{type: hebbian, size: 2, rule: intrinsic_plasticity}]\n";
  Experiment experiment = test::load_text(folder, text);
  CHECK_THAT(run_hierarchy(experiment, {.overwrite = true}).text(),
             !ContainsSubstring("no weight has changed"));
}
