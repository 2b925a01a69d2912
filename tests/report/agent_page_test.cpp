// SPDX-License-Identifier: MIT

#include "../../src/experiment/run/agent_run.h"
#include "../../src/report/report.h"
#include "../experiment/agents.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"
#include "../support/text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

std::string run(const TempDir& folder, const std::string& text,
                const std::vector<std::string>& set = {}, const std::string& name = "r.h5") {
  Experiment experiment =
      load_experiment(folder.write("e.yaml", text), {.set = set, .output = folder.path(name)});
  run_agent(experiment, {.overwrite = true});
  return folder.path(name);
}

}  // namespace

FOLDER_TEST_CASE("the report of a discrete agent has returns, beliefs, policies and free energy") {
  const std::string page = report_page({run(folder, gaia::test::kMaze)});
  for (const char* const figure :
       {"fig-returns", "fig-beliefs", "fig-policies", "fig-free-energy"}) {
    INFO(figure);
    CHECK_SAYS(page, std::string("id=\"") + figure);
  }
  CHECK_THAT(page, !ContainsSubstring("fig-signals"));
  CHECK_SAYS(page, "A discrete agent in t_maze: 40 episodes of 2 steps",
             "is better than that of random actions",
             ">left arm<");                          // names of states beside the map
  CHECK(times_in(page, "no epistemic value") >= 2);  // in the table and beside the lines
}

FOLDER_TEST_CASE("the report shows only what was recorded") {
  const std::string page =
      report_page({run(folder, gaia::test::kMaze, {"output.plans=none", "output.steps=none"})});
  CHECK_SAYS(page, "fig-returns");
  for (const char* const figure : {"fig-beliefs", "fig-policies", "fig-free-energy"}) {
    CHECK_THAT(page, !ContainsSubstring(figure));
  }
}

FOLDER_TEST_CASE("the report of a continuous agent has what it observed and did") {
  const std::string page = report_page({run(folder, gaia::test::kMass)});
  for (const char* const figure : {"fig-returns", "fig-signals", "fig-free-energy"}) {
    CHECK_SAYS(page, figure);
  }
  CHECK_THAT(page, !ContainsSubstring("fig-policies"));
}

FOLDER_TEST_CASE("a report warns of an agent that is no better than a control") {
  const std::string page =
      report_page({run(folder, gaia::test::kMaze,
                       {"agent.planning.use_epistemic=false", "controls=[random]",
                        "environment.win=0", "environment.loss=0"})});
  CHECK_SAYS(page, "class=\"warning\">A control does as well as the agent",
             "<li class=\"bad\"><b>agent</b>: the mean return of 0 nat");
  CHECK(times_in(page, "he mean return of 0 nat") == 1);
  // At the top the return, and beside it those of all controls.
  CHECK_SAYS(page, "<tr><td>random actions</td><td class=\"n\">");
}

FOLDER_TEST_CASE("several agents are compared by their mean returns") {
  const std::string one = run(folder, gaia::test::kMaze, {"seed=1"}, "one.h5");
  const std::string two = run(folder, gaia::test::kMaze, {"seed=2"}, "two.h5");
  CHECK_SAYS(report_page({one, two}), "mean return");
}
