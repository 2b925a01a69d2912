// SPDX-License-Identifier: MIT
/// \file
/// What is run beside a hierarchy to tell whether its learning was worth it.
#include "../../../src/experiment/run/controls.h"

#include <algorithm>

#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/estimate.h"
#include "../../support/catch.h"
#include "../../support/devices.h"
#include "../../support/log_capture.h"
#include "../../support/long_tests.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Three levels whose learning ends before the readouts are trained.
const std::string kLearning = everything("oja", "mean");

struct Scores {
  double nrmse;
  double r2;

  friend bool operator==(const Scores&, const Scores&) = default;
};

Scores scores_in(const std::string& file, const std::string& group) {
  const hdf5::File result = hdf5::File::open(file);
  const hdf5::Group found = result.open_group(group);
  return {found.number_attribute("nrmse").value(), found.number_attribute("r2").value()};
}

/// The frozen control of one run is what the readouts of another reach, bit for bit.
void check_control(const Cuts& cuts, const std::string& learning, const std::string& frozen) {
  for (const std::string readout : {"readouts/one", "readouts/two"}) {
    INFO(readout);
    const Scores control = scores_in(cuts.result(learning), readout + "/controls/frozen");
    CHECK(control == scores_in(cuts.result(frozen), readout));
    CHECK(std::isfinite(control.r2));
    CHECK_FALSE(control == scores_in(cuts.result(learning), readout));
    const hdf5::File file = hdf5::File::open(cuts.result(learning));
    const hdf5::Group group = file.open_group(readout + "/controls/frozen");
    CHECK(group.text_attribute("score_undefined") == "");
  }
}

bool has_controls(const std::string& file) {
  const hdf5::File result = hdf5::File::open(file);
  return result.open_group("readouts/one").has_group("controls");
}

HierarchySummary run_as(const Cuts& cuts, const std::string& name, const std::string& text) {
  cuts.folder().write("e.yaml", text);
  Experiment experiment = load_experiment(cuts.folder().path("e.yaml"),
                                          {.set = {"device=cpu"}, .output = cuts.result(name)});
  return run_hierarchy(experiment);
}

}  // namespace

TEST_CASE("the frozen control reaches what the same run reaches without learning") {
  // A step at which learning ends would cut a block, which the other run does not.
  const std::string always = replaced(kLearning, "freeze_after: 500", "learn: true");
  const Cuts cuts(always);
  cuts.run("learning");
  run_as(cuts, "frozen", replaced(always, "learn: true", "learn: false"));
  check_control(cuts, "learning", "frozen");
}

TEST_CASE("of several epochs the control reads the last") {
  const std::string three = replaced(kLearning, "freeze_after: 500", "epochs: 3");
  const Cuts cuts(three);
  cuts.run("learning");
  run_as(cuts, "frozen", replaced(three, "epochs: 3", "epochs: 3\n  learn: false"));
  check_control(cuts, "learning", "frozen");
}

TEST_CASE("the control of a run that begins with another has the weights of that one") {
  const Cuts cuts(kLearning);
  cuts.run("first");
  const std::string again =
      replaced(kLearning, "freeze_after: 500", "from: " + cuts.result("first"));
  run_as(cuts, "learning", again);
  run_as(cuts, "frozen", replaced(again, "  from", "  learn: false\n  from"));
  check_control(cuts, "learning", "frozen");
}

TEST_CASE("readouts that were trained elsewhere read the control as they read the run") {
  const Cuts cuts(kLearning);
  cuts.run("first");
  std::string again = replaced(kLearning, "freeze_after: 500", "from: " + cuts.result("first"));
  again = replaced(again, "levels: [0, 1, 2]}", "levels: [0, 1, 2], learn: false}");
  run_as(cuts, "learning", again);
  run_as(cuts, "frozen", replaced(again, "  from", "  learn: false\n  from"));
  check_control(cuts, "learning", "frozen");
}

TEST_CASE("the control is left out where nothing learns, nothing is read, or nobody asks for it") {
  const std::string frozen = kLearning + "controls: [frozen]\n";
  const Cuts cuts(frozen);
  const auto run = [&](const std::string& name, const std::string& from, const std::string& to) {
    return run_as(cuts, name, replaced(frozen, from, to));
  };
  const std::string freeze = "freeze_after: 500";
  CHECK(run("learn", freeze, "learn: false").control_seconds == 0.0);
  CHECK_FALSE(has_controls(cuts.result("learn")));
  CHECK(run("freeze", freeze, "freeze_after: 0").control_seconds == 0.0);
  CHECK_FALSE(has_controls(cuts.result("freeze")));
  const HierarchySummary none = run("none", "controls: [frozen]", "controls: none");
  CHECK(none.control_seconds == 0.0);
  CHECK(none.readouts[0].controls.empty());
  CHECK_FALSE(has_controls(cuts.result("none")));
  CHECK_THAT(none.text(), !ContainsSubstring("frozen") && !ContainsSubstring("control"));
  std::string deaf = frozen;
  for (std::size_t at = 0; (at = deaf.find("type: hebbian", at)) != std::string::npos; at += 20) {
    deaf.insert(at, "learn: false, ");
  }
  run_as(cuts, "layers", deaf);
  CHECK_FALSE(has_controls(cuts.result("layers")));

  const std::string unread = kLearning.substr(0, kLearning.find("readouts:")) +
                             kLearning.substr(kLearning.find("output:"));
  CHECK(run_as(cuts, "unread", unread).control_seconds == 0.0);

  // What is applied does not learn.
  cuts.run("trained");
  CHECK(has_controls(cuts.result("trained")));
  std::string rows;
  for (int t = 0; t < 60; ++t) rows += std::to_string(t % 7) + ",1," + std::to_string(t % 5) + "\n";
  Experiment applied =
      application_of(cuts.result("trained"), {.data = cuts.folder().write("rows.csv", rows)});
  const HierarchySummary summary = run_hierarchy(applied);
  CHECK(summary.control_seconds == 0.0);
  CHECK_FALSE(has_controls(summary.file));
}

TEST_CASE("what a control does not do to a run: any number of it") {
  const Cuts cuts(kLearning);
  cuts.run("with");
  run_as(cuts, "without", kLearning + "controls: none\n");
  gaia::test::Datasets with = datasets_of(cuts.result("with"));
  // Their own scores without each block are all that they add.
  const std::size_t added = std::erase_if(
      with, [](const auto& one) { return one.first.find("/controls/") != std::string::npos; });
  CHECK(added > 0);
  check_same_datasets(datasets_of(cuts.result("without")), with);
}

TEST_CASE("a run that is killed or interrupted comes to the same scores of its controls") {
  for (const char* const rule : {"bcm", "sanger"}) {
    const Cuts cuts(replaced(everything(rule, "ema"), "freeze_after: 500", "epochs: 2"));
    const auto steps = few_or_many<std::set<std::int64_t>>({185, 703}, {74, 185, 629, 703, 999});
    cuts.run_with_kills("uncut", steps);
    const auto uncut = scores_of(cuts.result("uncut"));
    CHECK(uncut.contains("/readouts/one/controls/frozen@r2"));
    for (const std::int64_t step : steps) {
      INFO(rule << " killed after step " << step);
      cuts.resume(std::to_string(step));
      check_same_datasets(uncut, scores_of(cuts.result(std::to_string(step))));
    }
    cuts.run_until("often", 700);
    cuts.resume_until("often", 900);
    const HierarchySummary last = cuts.resume("often");
    check_same_datasets(uncut, scores_of(cuts.result("often")));
    CHECK(last.control_seconds > 0.0);
  }
}

TEST_CASE("all controls go on bit for bit, wherever and in whichever trial the run was cut") {
  std::string text = replaced(kLearning, "freeze_after: 500", "epochs: 2");
  const std::size_t data = text.find("data:");
  const std::size_t hierarchy = text.find("hierarchy:");
  text.replace(data, hierarchy - data,
               "data: {source: file, path: d.csv, window: 3, normalize: zscore, trials: {length: "
               "130}}\n");
  text = replaced(text, "target: {latent: 1, mean_over: 9}",
                  "target: {channel: 2, mean_over: 9, horizon: 1}");
  text = replaced(text, "levels: [1], split: 0.3, skip: 0.1",
                  "levels: [1], split: {train: 0.4, validation: 0.2, test: 0.4}");
  const Cuts cuts(text + "controls: [frozen, same_past, pca, reservoir, window]\n");
  std::string rows = "a,b,c\n";
  for (int t = 0; t < 650; ++t) {
    rows += std::to_string(std::sin(0.2 * t)) + "," + std::to_string((t * 37) % 23) + "," +
            std::to_string(std::cos(0.05 * t) + 0.1 * ((t * 11) % 7)) + "\n";
  }
  cuts.folder().write("d.csv", rows);
  const auto marks =
      few_or_many<std::set<std::int64_t>>({148, 814, 1147}, {74, 148, 666, 814, 962, 1147});
  cuts.run_with_kills("uncut", marks);
  const auto uncut = scores_of(cuts.result("uncut"));
  for (const char* const control : {"frozen", "same_past", "pca", "reservoir", "window"}) {
    for (const char* const readout : {"one", "two"}) {
      const std::string name = std::string("/readouts/") + readout + "/controls/" + control + "@r2";
      INFO(name);
      REQUIRE(uncut.contains(name));
      CHECK(std::isfinite(uncut.at(name).front()));
    }
  }
  for (const std::int64_t step : marks) {
    INFO("killed after step " << step);
    cuts.resume(std::to_string(step));
    check_same_datasets(uncut, scores_of(cuts.result(std::to_string(step))));
    cuts.check_same(std::to_string(step), datasets_of(cuts.result("uncut")));
  }
}

TEST_CASE("all controls run on the device of the run") {
  const gaia::test::EmulatedDevice emulated;
  const std::string text = kLearning + "controls: [same_past, pca, reservoir, window]\n";
  const Cuts cpu(text);
  const Cuts gpu(text, "cuda");
  cpu.run("r");
  gpu.run("r");
  for (const std::string control : {"same_past", "pca", "reservoir", "window"}) {
    INFO(control);
    const std::string group = "readouts/one/controls/" + control;
    CHECK(scores_in(gpu.result("r"), group).r2 ==
          Approx(scores_in(cpu.result("r"), group).r2).margin(2e-3));
  }
}

TEST_CASE("what is applied to the data that it was trained on is in sample, and says so") {
  std::string rows;
  std::string others;
  for (int t = 0; t < 300; ++t) {
    rows += std::to_string(std::sin(0.2 * t)) + "," + std::to_string(t % 7) + "\n";
    others += std::to_string(std::sin(0.21 * t)) + "," + std::to_string(t % 5) + "\n";
  }
  const Cuts cuts(
      "experiment: e\ndata: {source: file, path: d.csv}\nhierarchy:\n  levels:\n"
      "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.001}]\n"
      "readouts: [{name: one, target: {channel: 0, horizon: 1}, levels: [0]}]\n");
  const std::string data = cuts.folder().write("d.csv", rows);
  cuts.run("r");
  const auto apply_to = [&](const std::string& path) {
    Experiment experiment = application_of(cuts.result("r"), {.data = path});
    return run_hierarchy(experiment);
  };
  const HierarchySummary same = apply_to(data);
  CHECK_SAYS(same.text(), "warning  readout one", "the score is in sample");
  const auto attribute = [](const std::string& file, const char* name) {
    return hdf5::File::open(file).open_group("readouts/one").text_attribute(name);
  };
  CHECK(attribute(same.file, "in_sample") == "true");
  CHECK_SAYS(attribute(same.file, "verdict").value(), "in sample");
  CHECK_SAYS(hdf5::File::open(same.file).text_attribute("verdict").value(), "in sample");
  const HierarchySummary other = apply_to(cuts.folder().write("other.csv", others));
  CHECK_FALSE(attribute(other.file, "in_sample"));
  CHECK_THAT(other.text(), !ContainsSubstring("in sample"));
  CHECK_SAYS(attribute(cuts.result("r"), "verdict").value(), "learning ");
}

TEST_CASE("a run of a version without controls goes on without them") {
  const Cuts cuts(kLearning + "controls: none\n");
  cuts.run_until("old", 300);
  {
    hdf5::File file = hdf5::File::modify(cuts.result("old") + ".partial");
    const std::string config = file.text_attribute("config").value();
    file.set_attribute("config", replaced(config, "controls: none\n", ""));
    file.close();
  }
  cuts.folder().write("e.yaml", kLearning);
  CHECK(cuts.resume("old").status == RunStatus::complete);
  CHECK_FALSE(has_controls(cuts.result("old")));
}

TEST_CASE("a run that has not ended says that its controls have no score yet") {
  const Cuts cuts(kLearning);
  cuts.run_with_kills("uncut", {37});
  const hdf5::File partial = hdf5::File::open(cuts.result("37") + ".partial");
  const hdf5::Group control = partial.open_group("readouts/one/controls/frozen");
  CHECK(std::isnan(control.number_attribute("r2").value()));
  CHECK(control.text_attribute("score_undefined") == "the run has not ended");
}

TEST_CASE("a control runs on the device of its run") {
  const gaia::test::EmulatedDevice emulated;
  const Cuts cpu(kLearning);
  const Cuts gpu(kLearning, "cuda");
  cpu.run("r");
  gpu.run("r");
  const std::string group = "readouts/one/controls/frozen";
  CHECK(scores_in(gpu.result("r"), group).r2 ==
        Approx(scores_in(cpu.result("r"), group).r2).epsilon(1e-3));
}

TEST_CASE("the end of a run says what learning is worth, and what that took to know") {
  const Cuts cuts(kLearning);
  const std::string text = cuts.run("r").text();
  CHECK_SAYS(text, "; frozen weights: NRMSE ", "readout one of channel 1: learning ",
             " % of it for controls\n");
}

TEST_CASE("an estimate counts the controls") {
  const Cuts cuts(kLearning);
  Experiment with = cuts.load("with");
  Experiment without = cuts.load("without");
  without.config.controls.clear();
  const Estimate more = estimate_run(with, true);
  const Estimate less = estimate_run(without, false);
  CHECK(more.memory_bytes > less.memory_bytes);
  CHECK(more.disk_bytes > less.disk_bytes);
  CHECK(more.seconds > 0.0);
}
