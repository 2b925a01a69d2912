// SPDX-License-Identifier: MIT
/// \file
/// gaia replay: exit codes, what it says, what it leaves.
#include <filesystem>

#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;
using Catch::Matchers::StartsWith;

FOLDER_TEST_CASE(
    "gaia replay ends with 0 where a result comes out the same, with 1 where it does not") {
  REQUIRE(gaia::test::run(folder, {"-q", "--seed", "5", "--threads", "2"}).code == 0);
  const std::string result = "results/minimal.h5";
  const Finished same = gaia_command(folder, {"replay", result, "--threads", "1"});
  CHECK(same.code == 0);
  CHECK(same.out.empty());
  CHECK_SAYS(same.err, "minimal, seed 5", "equal    results/minimal.h5: ");
  CHECK(gaia_command(folder, {"replay", result, "-q"}).err.empty());
  {
    hdf5::File file = hdf5::File::modify(folder.path(result));
    hdf5::Dataset ticks = file.open_dataset("/levels/1/representation");
    std::vector<float> row(2);
    ticks.read_rows<float>(7, 1, row.data());
    row[1] += 1.0F;
    ticks.write_rows<float>(7, 1, row.data());
    file.close();
  }
  const Finished other = gaia_command(folder, {"replay", result, "-q", "--output", "again.h5"});
  CHECK(other.code == 1);
  CHECK_THAT(other.err, StartsWith("differs  /levels/1/representation [7, 1]: ") &&
                            ContainsSubstring("1 of 200 differs, by at most 1, ") &&
                            ContainsSubstring("differs  results/minimal.h5: 1 of "));
  CHECK(gaia_command(folder, {"replay", result, "-q", "--against", "again.h5"}).code == 1);
  CHECK(gaia_command(folder, {"replay", "again.h5", "-q"}).code == 0);
  CHECK(gaia_command(folder, {"replay", result, "-q", "--output", "again.h5"}).code == 4);
  // The rest is gone.
  CHECK_FALSE(std::filesystem::exists(folder.path("results/minimal.replay.h5")));
}

FOLDER_TEST_CASE("a replay that a time limit ends leaves nothing and says so") {
  REQUIRE(gaia::test::run(folder, {"-q", "--set", "data.steps=1000000", "--set",
                                   "output.representations={every: 1000}"})
              .code == 0);
  const Finished cut =
      gaia_command(folder, {"replay", "results/minimal.h5", "-q", "--max-time", "0.001s"});
  CHECK(cut.code == 75);
  CHECK_SAYS(cut.err, "of 1 000 000; nothing was compared");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("results"))) {
    CHECK(entry.path().filename() == "minimal.h5");
  }
}
