// SPDX-License-Identifier: MIT
/// \file
/// gaia verdict as a person uses it.
#include <filesystem>

#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "command.h"

using Catch::Matchers::EndsWith;
using namespace gaia::test;

namespace {

const std::string kText =
    "experiment: seeds\n"
    "device: cpu\n"
    "data: {source: generator, kind: ornstein_uhlenbeck, tau: [5, 40], channels: 3, noise: 0.1, "
    "steps: 300}\n"
    "hierarchy:\n"
    "  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.002}]}]\n"
    "readouts: [{name: one, target: {channel: 1, horizon: 2}, levels: [0]}]\n"
    "output: {path: results/seeds.h5}\n";

}  // namespace

FOLDER_TEST_CASE(
    "gaia verdict prints a table, side by side or in turn the same, and exits with 0") {
  folder.write("e.yaml", kText);
  const Finished in_turn = gaia_command(folder, {"verdict", "e.yaml", "--seeds", "3"});
  CHECK(in_turn.code == 0);
  CHECK_SAYS(in_turn.out, "readout one of channel 1, seeds 0 to 2: R2", "frozen weights",
             "ridge on the same past");
  CHECK_SAYS(in_turn.err, "file     results/seeds.verdict.h5");
  CHECK(std::filesystem::exists(folder.path("results/seeds.verdict.h5")));
  CHECK_FALSE(std::filesystem::exists(folder.path("results/seeds.h5")));
  CHECK_FALSE(std::filesystem::exists(folder.path("results/seeds.verdict.h5.runs")));
  CHECK_SAYS(in_turn.err, "next     gaia report results/seeds.verdict.h5");
  CHECK(gaia_command(folder, {"verdict", "e.yaml", "--seeds", "3"}).code == 4);
  const Finished side_by_side = gaia_command(
      folder, {"verdict", "e.yaml", "--seeds", "3", "--jobs", "2", "--overwrite", "-q"});
  CHECK(side_by_side.code == 0);
  CHECK(side_by_side.out == in_turn.out);
  CHECK(gaia_command(folder, {"verdict", "e.yaml", "--seeds", "1"}).code == 2);
  // The page has the sentence, the table and the picture.
  const Finished report = gaia_command(folder, {"report", "results/seeds.verdict.h5"});
  CHECK(report.code == 0);
  const std::string page = gaia::test::file_text(folder.path("results/seeds.verdict.html"));
  const std::string verdict =
      in_turn.out.substr(in_turn.out.find("  verdict  ") + 11, 30);  // "learning ..."
  CHECK_SAYS(page, verdict, "id=\"verdict-table-0\"", "id=\"fig-seeds-0\"",
             "<td>ridge on the same past</td>", "frozen weights, seed 2: ", " of 3</td>");
  const Finished inside = gaia_command(folder, {"inspect", "results/seeds.verdict.h5"});
  CHECK(inside.code == 0);
  CHECK_SAYS(inside.out, "  readout one: " + verdict, "/readouts/one/score");
  // It is no run that could be compared with others.
  CHECK(gaia_command(folder, {"run", "e.yaml", "-q"}).code == 0);
  const Finished both =
      gaia_command(folder, {"report", "results/seeds.h5", "results/seeds.verdict.h5"});
  CHECK(both.code == 3);
  CHECK_SAYS(both.err, "is a verdict over several seeds");
}

FOLDER_TEST_CASE("gaia verdict and gaia report say why seeds diverged, in turn and side by side") {
  folder.write("e.yaml", kText);
  const std::string rate = "hierarchy.levels[0].layers[0].learning_rate=5";
  for (const char* jobs : {"1", "2"}) {
    const Finished told = gaia_command(folder, {"verdict", "e.yaml", "--seeds", "3", "--jobs", jobs,
                                                "--set", rate, "--overwrite"});
    INFO(told.err);
    CHECK(told.code == 0);
    CHECK_SAYS(told.out,
               "verdict  has no score: all 3 runs diverged, that of seed 0 by NaN or Inf in the ",
               "3 of 3 runs diverged and count nowhere: seed 0, 1, 2\n",
               "\n  seed 2  NaN or Inf in the ", "of level 0, layer 0 (hebbian [2, ",
               "oja at learning_rate 5");
    CHECK(gaia_command(folder, {"report", "results/seeds.verdict.h5", "--overwrite"}).code == 0);
    const std::string page = gaia::test::file_text(folder.path("results/seeds.verdict.html"));
    CHECK_SAYS(page, "Runs that diverged", "<li class=\"failure\">seed 1: NaN or Inf in the ");
  }
}

FOLDER_TEST_CASE("a run says that it is one seed, and the command that it names runs") {
  folder.write("e.yaml", kText);
  const Finished run = gaia_command(folder, {"run", "e.yaml", "--set", "data.steps=200"});
  REQUIRE(run.code == 0);
  const std::string begin = "one seed, 0: `gaia ";
  const std::size_t at = run.err.find(begin);
  REQUIRE(at != std::string::npos);
  const std::size_t first = at + begin.size();
  const std::string command = run.err.substr(first, run.err.find('`', first) - first);
  CHECK(command == "verdict e.yaml --set data.steps=200 --seeds 10");
  CHECK(gaia_command(folder, {"report", "results/seeds.h5"}).code == 0);
  CHECK_SAYS(gaia::test::file_text(folder.path("results/seeds.html")),
             "One seed, 0: `gaia " + command + "`");
  CHECK_THAT(*gaia::hdf5::File::open(folder.path("results/seeds.h5")).text_attribute("verdict"),
             EndsWith("; of one seed"));
}
