// SPDX-License-Identifier: MIT
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>

#include "../../../src/core/error.h"
#include "../../../src/experiment/results/recover.h"
#include "../../../src/experiment/run/agent_run.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/temp_dir.h"
#include "../agents.h"

using namespace gaia;
using namespace gaia::test;

namespace fs = std::filesystem;

namespace {

/// Runs of one experiment, each in a folder of its own.
class AgentCuts {
 public:
  AgentCuts(std::string text, std::string every)
      : text_(std::move(text) + "checkpoint: {every: " + every + "}\n") {}

  std::string result(const std::string& name) const { return folder_.path(name + "/r.h5"); }
  std::string path(const std::string& name) const { return folder_.path(name); }

  AgentSummary run(const std::string& name, const RunOptions& options = {}) const {
    Experiment experiment =
        load_experiment(folder_.write("e.yaml", text_), {.output = result(name)});
    return run_agent(experiment, options);
  }

  /// Runs to the end; after each of these steps all files are copied to a folder of that name, as a
  /// kill would leave them.
  void run_with_kills(const std::string& name, const std::set<std::int64_t>& steps) const {
    RunOptions options;
    options.on_progress = [&](const Progress& progress) {
      if (!steps.contains(progress.steps_done)) return;
      fs::copy(folder_.path(name), folder_.path(std::to_string(progress.steps_done)));
    };
    run(name, options);
  }

  AgentSummary resume(const std::string& name, RunOptions options = {}) const {
    auto cut = open_cut_run(result(name));
    REQUIRE(cut);
    options.cut = &cut->run;
    return run_agent(cut->experiment, options);
  }

  void check_goes_on_after(const std::set<std::int64_t>& steps) const {
    run_with_kills("uncut", steps);
    const Datasets uncut = datasets_of(result("uncut"));
    for (const std::int64_t step : steps) {
      INFO("killed after step " << step);
      const std::string name = std::to_string(step);
      REQUIRE(resume(name).status == RunStatus::complete);
      check_same_datasets(uncut, datasets_of(result(name)));
      for (const auto& entry : fs::directory_iterator(folder_.path(name))) {
        CHECK(entry.path().filename() == "r.h5");  // nothing is left beside it
      }
    }
  }

 private:
  std::string text_;
  TempDir folder_;
};

/// Asks a run to stop after so many steps.
struct StopAfter {
  explicit StopAfter(std::int64_t step) {
    options.stop = &stop;
    options.on_progress = [this, step](const Progress& progress) {
      if (progress.steps_done >= step) stop = true;
    };
  }
  std::atomic<bool> stop{false};
  RunOptions options;
};

}  // namespace

TEST_CASE("an agent that was killed anywhere goes on to the same bits") {
  // 42 steps of the agent, then as many of each of three controls.  States are of the beginning of
  // an episode, of the end of the agent, and of steps within controls.
  AgentCuts(gaia::test::kGrid, "14").check_goes_on_after({15, 26, 42, 45, 160});
}

TEST_CASE("a continuous agent that was killed goes on to the same bits") {
  AgentCuts(gaia::test::kMass, "9").check_goes_on_after({10, 30, 41, 100});
}

TEST_CASE("an agent that is asked to stop stores its state and goes on from it") {
  const AgentCuts cuts(gaia::test::kGrid, "0");
  cuts.run("uncut");
  for (const std::int64_t step : {3, 7, 50}) {
    const std::string name = "stop" + std::to_string(step);
    StopAfter first(step), second(step + 20);
    const AgentSummary summary = cuts.run(name, first.options);
    CHECK(summary.status == RunStatus::interrupted);
    CHECK(summary.steps_done == step + 1);  // acting after the next step
    CHECK(summary.file.ends_with(".partial"));
    CHECK(cuts.resume(name, second.options).status == RunStatus::interrupted);
    CHECK(cuts.resume(name).status == RunStatus::complete);
    check_same_datasets(datasets_of(cuts.result("uncut")), datasets_of(cuts.result(name)));
  }
}

TEST_CASE("an agent stops when its time is over") {
  const AgentCuts cuts(gaia::test::kGrid, "0");
  const AgentSummary summary = cuts.run("short", {.max_seconds = 0.0});
  CHECK(summary.status == RunStatus::interrupted);
  CHECK(summary.steps_done == 1);
  CHECK(cuts.resume("short").status == RunStatus::complete);
}

TEST_CASE("what an agent that was killed has recorded can be saved") {
  const AgentCuts cuts(gaia::test::kGrid, "14");
  cuts.run_with_kills("uncut", {25, 60});
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  for (const std::string name : {"25", "60"}) {
    const Recovered recovered = recover_results(cuts.result(name) + ".partial");
    const Datasets saved = datasets_of(recovered.file);
    const auto& steps = saved.at("/agent/step");
    const auto done = static_cast<std::size_t>(recovered.steps);
    CHECK(done + 14 >= std::stoul(name));
    CHECK(steps.size() == std::min<std::size_t>(42, done));
    CHECK(saved.at("/agent/episodes/return").size() == std::min<std::size_t>(6, done / 7));
    const auto& rewards = uncut.at("/agent/reward");
    CHECK(std::equal(steps.begin(), steps.end(), uncut.at("/agent/step").begin()));
    CHECK(std::equal(saved.at("/agent/reward").begin(), saved.at("/agent/reward").end(),
                     rewards.begin()));
  }
}

TEST_CASE("an agent whose file says something else now does not go on") {
  const AgentCuts cuts(gaia::test::kGrid, "0");
  StopAfter at(10);
  cuts.run("r", at.options);
  const std::string yaml = cuts.path("e.yaml");
  std::string text = gaia::test::kGrid;
  text.replace(text.find("slip: 0.1"), 9, "slip: 0.2");
  {
    std::ofstream file(yaml);
    file << text << "checkpoint: {every: 0}\n";
  }
  CHECK_THROWS_WITH(open_cut_run(cuts.result("r")),
                    Catch::Matchers::ContainsSubstring("environment.slip"));
}
