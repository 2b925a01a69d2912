// SPDX-License-Identifier: MIT
// Many runs of agents: over seeds, and in sweeps and searches.
#include <algorithm>
#include <filesystem>

#include "../../../src/experiment/run/agent_run.h"
#include "../../../src/experiment/sweep/member_index.h"
#include "../../../src/experiment/sweep/member_survey.h"
#include "../../../src/experiment/sweep/members_together.h"
#include "../../../src/experiment/sweep/search_members.h"
#include "../../../src/experiment/sweep/seed_verdict.h"
#include "../../../src/experiment/sweep/sweep.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"
#include "../agents.h"

using namespace gaia;
using namespace gaia::test;

FOLDER_TEST_CASE(
    "a verdict over seeds of an agent has the mean returns of the runs with these seeds") {
  const std::string file = folder.write("e.yaml", kGrid);
  const SeedVerdict verdict =
      verdict_over_seeds(file, {.output = folder.path("v.h5")}, {.seeds = 6});
  REQUIRE(verdict.readouts.size() == 1);
  const ReadoutOverSeeds& agent = verdict.readouts[0];
  CHECK(agent.measure == "return");
  CHECK_FALSE(verdict.has_fixed_data);
  REQUIRE(agent.others.size() == 3);
  for (std::size_t i = 0; i < 6; ++i) {
    Experiment experiment =
        load_experiment(file, {.seed = std::to_string(5 + i), .output = folder.path("r.h5")});
    const AgentSummary run = run_agent(experiment, {.overwrite = true});
    CHECK(agent.scores[i] == run.verdict.agent.mean);
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(agent.others[c].name == run.verdict.controls[c].name);
      CHECK(agent.others[c].scores[i] == run.verdict.controls[c].score.mean);
    }
  }
  CHECK_THAT(agent.verdict, ContainsSubstring("over learning off") ||
                                ContainsSubstring("from learning off") ||
                                ContainsSubstring("to learning off"));
  CHECK_SAYS(verdict_table(verdict), "agent of grid_world, seeds 5 to 10: return");
  CHECK_THROWS_WITH(verdict_over_seeds(file, {.set = {"controls=none"}}, {.seeds = 2}),
                    ContainsSubstring("has no controls"));
}

FOLDER_TEST_CASE("members that are agents are left to run alone where others run together") {
  const Sweep sweep(folder.write("e.yaml", kMaze + "sweep: {seeds: 2}\n"),
                    {.output = folder.path("out")});
  CHECK(run_members_together(sweep, {0, 1}, {}).empty());
  CHECK_FALSE(std::filesystem::exists(sweep.result_path(0) + ".partial"));
}

FOLDER_TEST_CASE("a sweep over keys of an agent is collected by the mean return") {
  const Sweep sweep(folder.write("e.yaml", kMaze + "sweep: {agent.horizon: [1, 2], seeds: 2}\n"),
                    {.output = folder.path("out")});
  REQUIRE(sweep.size() == 4);
  const MemberSurvey survey = survey_members(sweep, false);
  CHECK(survey.disk_bytes > 4 * 60e3);
  CHECK(survey.memory_bytes > 0.0);
  std::vector<double> means;
  for (std::int64_t member = 0; member < 4; ++member) {
    Experiment experiment = sweep.load(member);
    means.push_back(run_agent(experiment).verdict.agent.mean);
  }
  const CollectedMembers collected = collect_members(sweep);
  REQUIRE(collected.table.scores.size() == 1);
  CHECK(collected.table.scores[0].name == "mean_return");
  CHECK(collected.table.scores[0].values == means);
  CHECK(collected.table.complete() == 4);
  CHECK(collected.table.scores[0].higher_is_better);
  const auto best = best_member(collected.table.scores[0]);
  REQUIRE(best);
  CHECK(means[*best] == *std::max_element(means.begin(), means.end()));
  const hdf5::File index = hdf5::File::open(collected.index);
  CHECK(index.open_dataset("agent/episodes/return").shape() == std::vector<std::int64_t>{4, 40});
}

FOLDER_TEST_CASE("a search over keys of an agent is refused, with the way out") {
  const std::string file = folder.write(
      "e.yaml", kMaze +
                    "search: {parameters: {agent.planning.precision: {range: [1, 9]}}, objective: "
                    "{readout: a, score: r2}}\n");
  CHECK_THROWS_WITH(SearchMembers(file, {}),
                    ContainsSubstring("which an agent has not; `gaia sweep` with `seeds`"));
}
