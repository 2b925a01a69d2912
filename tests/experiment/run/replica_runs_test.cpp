// SPDX-License-Identifier: MIT
/// \file
/// Runs that compute together leave the files that each leaves by itself.
#include "../../../src/experiment/run/replica_runs.h"

#include "../../../src/core/error.h"
#include "../../../src/io/diverged.h"
#include "../../../src/io/output_files.h"
#include "../../support/complaint.h"
#include "../../support/experiment_text.h"
#include "../cuts.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Settings = std::vector<std::vector<std::string>>;

/// An experiment for each of the settings, with its results in this folder.
std::vector<Experiment> load_all(const TempDir& folder, const std::string& text,
                                 const Settings& settings, const std::string& place) {
  std::vector<Experiment> all;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    all.push_back(load_text(folder, text, settings[i], place + "/" + std::to_string(i) + ".h5"));
  }
  return all;
}

std::vector<RunOutcome> run_together(std::vector<Experiment>& experiments,
                                     const RunOptions& options = {}) {
  return run_replicas(experiments, std::vector<RunOptions>(experiments.size(), options));
}

/// Runs them together and one by one, and compares all that is stored.
void check_same_files(const std::string& text, const Settings& settings) {
  const TempDir folder;
  std::vector<Experiment> together = load_all(folder, text, settings, "together");
  std::vector<Experiment> alone = load_all(folder, text, settings, "alone");
  const std::vector<RunOutcome> outcomes = run_together(together);
  REQUIRE(outcomes.size() == settings.size());
  for (std::size_t i = 0; i < settings.size(); ++i) {
    INFO("number " << i);
    REQUIRE(outcomes[i].summary);
    const HierarchySummary summary = run_hierarchy(alone[i]);
    CHECK(outcomes[i].summary->status == RunStatus::complete);
    CHECK(outcomes[i].summary->steps_done == summary.steps_done);
    check_same_datasets(datasets_of(summary.file), datasets_of(outcomes[i].summary->file));
    if (!summary.readouts.empty()) {
      check_same_datasets(scores_of(summary.file), scores_of(outcomes[i].summary->file));
    }
  }
}

const std::string kRate = "hierarchy.levels[0].layers[0].learning_rate=";

}  // namespace

TEST_CASE("runs that differ in rates and seeds leave together what each leaves alone") {
  check_same_files(everything("oja", "mean", "float64"), {{}, {kRate + "0.01"}, {"seed=8"}});
  const gaia::test::EmulatedDevice emulated;
  const std::string on = "device=" + to_string(emulated.device());
  check_same_files(kMinimal, {{on}, {on, kRate + "0.02"}, {on, "seed=8"}});
}

FOLDER_TEST_CASE(
    "runs over trials, epochs and signals of rules leave together what each leaves alone") {
  std::string rows = "a,b,gain,run\n";
  for (int t = 0; t < 90; ++t) {
    rows += std::to_string((t * 7) % 11) + "," + std::to_string((t * 5) % 13) + "," +
            std::to_string(t % 3) + "," + std::to_string(t / 40) + "\n";
  }
  const std::string data = folder.write("rows.csv", rows);
  const std::string text =
      "experiment: trials\n"
      "data: {source: file, path: " +
      data +
      ", columns: [a, b], targets: [gain],\n"
      "       trials: {column: run}}\n"
      "hierarchy:\n  epochs: 2\n  levels:\n    - layers:\n        - type: hebbian\n"
      "          size: 3\n"
      "          rule: {equations: 'dw = rate*gain*(x*y - y*y*w)', parameters: {rate: 0.001},\n"
      "                 signals: {gain: gain}}\n"
      "    - temporal_resolution: 4\n      pooling: mean\n"
      "      layers: [{type: hebbian, size: 2, rule: sanger, learning_rate: 0.001}]\n";
  const std::string rate = "hierarchy.levels[0].layers[0].rule.parameters.rate=";
  check_same_files(text, {{}, {rate + "0.002"}, {"seed=3", rate + "0.0005"}});
}

TEST_CASE("runs of other structures or blocks are run beside the others") {
  check_same_files(kMinimal, {{},
                              {"hierarchy.levels[0].layers[0].size=3"},
                              {kRate + "0.02"},
                              {"data.steps=200"},
                              {"hierarchy.levels[0].layers[0].size=3", "seed=2"}});
}

FOLDER_TEST_CASE("a run that diverges, or cannot begin, leaves the others what they are") {
  const std::string text = kMinimal + "output: {weights: {every: 50}}\n";
  const Settings settings = {
      {}, {"hierarchy.levels[0].layers[0].rule=hebbian", kRate + "1000"}, {kRate + "0.02"}, {}};
  // All of one structure: the second diverges in numbers alone.
  Settings alike = settings;
  for (auto& one : alike) one.emplace_back("hierarchy.levels[0].layers[0].rule=hebbian");
  std::vector<Experiment> together = load_all(folder, text, alike, "together");
  std::vector<Experiment> alone = load_all(folder, text, alike, "alone");
  const std::string held = together[3].config.output.path;
  make_folder_of(held);
  const OutputLock lock(held);
  const std::vector<RunOutcome> outcomes = run_together(together);
  CHECK_THROWS_AS(std::rethrow_exception(outcomes[3].error), LockedError);
  REQUIRE(outcomes[1].error);
  const std::string why =
      complaint_of<DivergedError>([&] { std::rethrow_exception(outcomes[1].error); });
  CHECK_THROWS_WITH_TEXT(run_hierarchy(alone[1]), DivergedError, why);
  const std::string partial = partial_path(together[1].config.output.path);
  CHECK(has_diverged(partial));
  check_same_datasets(datasets_of(partial_path(alone[1].config.output.path)), datasets_of(partial));
  for (const std::size_t i : {0u, 2u}) {
    run_hierarchy(alone[i]);
    REQUIRE(outcomes[i].summary);
    check_same_datasets(datasets_of(alone[i].config.output.path),
                        datasets_of(outcomes[i].summary->file));
  }
}

FOLDER_TEST_CASE("runs that are stopped together go on one by one to the same bytes") {
  const Settings settings = {{}, {kRate + "0.004"}};
  const std::string text = everything("bcm", "mean");
  std::vector<Experiment> cut = load_all(folder, text, settings, "cut");
  std::vector<Experiment> whole = load_all(folder, text, settings, "whole");
  std::atomic<bool> stop{false};
  RunOptions options;
  options.stop = &stop;
  options.on_progress = [&](const Progress& progress) { stop = progress.steps_done >= 200; };
  const std::vector<RunOutcome> outcomes = run_together(cut, options);
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(outcomes[i].summary);
    CHECK(outcomes[i].summary->status == RunStatus::interrupted);
    const std::string& path = cut[i].config.output.path;
    std::optional<Resumption> found = open_cut_run(path);
    REQUIRE(found);
    CHECK(run_hierarchy(found->experiment, {.cut = &found->run}).status == RunStatus::complete);
    run_hierarchy(whole[i]);
    check_same_datasets(datasets_of(whole[i].config.output.path), datasets_of(path));
  }
}

TEST_CASE("options are asked for as many as there are experiments") {
  std::vector<Experiment> none;
  CHECK(run_replicas(none, {}).empty());
  CHECK_THROWS_WITH_TEXT(run_replicas(none, std::vector<RunOptions>(1)), ArgumentError,
                         "expected options for each of 0 experiments, got 1");
}
