// SPDX-License-Identifier: MIT
/// \file
/// gaia apply, and runs that begin with what another has learnt, as users meet them.

#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "minimal_run.h"

using namespace gaia::test;

namespace {

std::string three_columns(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(0.1 * (i % 7)) + "," + std::to_string(0.2 * (i % 5)) + ",-0.5\n";
  }
  return text;
}

}  // namespace

FOLDER_TEST_CASE("gaia apply writes a result for new data, which report and inspect read") {
  REQUIRE(run(folder, {"--quiet"}).code == 0);
  folder.write("new.csv", three_columns(50));
  const Finished done = gaia_command(folder, {"apply", "results/minimal.h5", "new.csv"});
  CHECK(done.code == 0);
  CHECK(done.out.empty());
  CHECK_SAYS(done.err, "50 rows x 3 channels", "file     results/minimal.new.h5");
  REQUIRE(exists(folder.path("results/minimal.new.h5")));
  CHECK(gaia_command(folder, {"inspect", "results/minimal.new.h5"}).code == 0);
  CHECK(gaia_command(folder, {"report", "results/minimal.new.h5"}).code == 0);
  CHECK(exists(folder.path("results/minimal.new.html")));

  // Never overwritten but when asked for.
  const std::vector<std::string> again = {"apply", "results/minimal.h5", "new.csv", "--quiet"};
  CHECK(gaia_command(folder, again).code == 4);
  std::vector<std::string> all = again;
  all.insert(all.end(), {"--overwrite", "--steps", "20"});
  const Finished quiet = gaia_command(folder, all);
  CHECK(quiet.code == 0);
  CHECK(quiet.err.empty());
  // Complete, so there is nothing to resume.
  CHECK(gaia_command(folder, {"resume", "results/minimal.new.h5"}).code == 0);
}

FOLDER_TEST_CASE("what gaia apply cannot use has its exit code, and leaves nothing") {
  REQUIRE(run(folder, {"--quiet"}).code == 0);
  folder.write("new.csv", three_columns(50));
  folder.write("two.csv", "1,2\n3,4\n");
  folder.write("bad.csv", "1,2,3\n4,5,inf\n");
  folder.write("text.h5", "no results");
  const auto code = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "apply");
    arguments.insert(arguments.end(), {"--output", "o.h5"});
    const Finished done = gaia_command(folder, arguments);
    INFO(done.err);
    CHECK_FALSE(done.err.empty());
    CHECK_FALSE(exists(folder.path("o.h5")));
    CHECK_FALSE(exists(folder.path("o.h5.partial")));
    return done.code;
  };
  const std::string result = "results/minimal.h5";
  CHECK(code({}) == 2);
  CHECK(code({result}) == 2);
  CHECK(code({"none.h5", "new.csv"}) == 2);
  CHECK(code({result, "none.csv"}) == 2);
  CHECK(code({result, "two.csv"}) == 2);
  CHECK(code({result, "new.csv", "--columns", "0,1"}) == 2);
  CHECK(code({result, "new.csv", "--steps", "51"}) == 2);
  CHECK(code({result, "new.csv", "--missing", "perhaps"}) == 2);
  CHECK(code({result, "new.csv", "--labels", "l"}) == 2);
  CHECK(code({result, "bad.csv"}) == 3);
  CHECK(code({"text.h5", "new.csv"}) == 3);
  CHECK(code({result, "new.csv", "--device", "cuda:7"}) == 6);
}

FOLDER_TEST_CASE("gaia apply speaks of its options, not of lines that nobody has written") {
  REQUIRE(run(folder, {"--quiet"}).code == 0);
  folder.write("new.csv", three_columns(50));
  folder.write("gap.csv", "1,2,3\n4,,6\n7,8,9\n");
  const auto apply = [&](const std::string& data, std::vector<std::string> further) {
    further.insert(further.begin(), {"apply", "results/minimal.h5", data});
    return gaia_command(folder, further);
  };
  CHECK(apply("new.csv", {"--steps", "51"}).err ==
        "--steps: expected at most 50 (50 rows of data give so many samples of window 1), got 51\n"
        "1 error, nothing was run\n");
  CHECK_SAYS(apply("new.csv", {"--output", "o.txt"}).err,
             "--output: expected a name that ends in .h5, got 'o.txt'\n1 error");
  const Finished missing = apply("gap.csv", {});
  CHECK(missing.code == 3);
  CHECK_SAYS(missing.err, "--missing hold");
  CHECK(apply("gap.csv", {"--missing", "hold", "--quiet"}).code == 0);

  {
    gaia::hdf5::File file = gaia::hdf5::File::modify(folder.path("results/minimal.h5"));
    file.set_attribute("config", "");
    file.close();
  }
  const Finished bare = apply("new.csv", {});
  CHECK(bare.code == 3);
  CHECK_SAYS(bare.err, "results/minimal.h5: expected the experiment");
}

FOLDER_TEST_CASE("check and run tell what hierarchy.from does not fit") {
  REQUIRE(run(folder, {"--quiet"}).code == 0);
  const std::string from = "hierarchy.from=results/minimal.h5";
  const Finished fits = gaia_command(folder, {"check", "e.yaml", "--set", from, "--set",
                                              "hierarchy.epochs=3", "--output", "o.h5"});
  CHECK(fits.code == 0);
  CHECK_SAYS(fits.out, "epochs   3, 900 steps in all", "from     results/minimal.h5");
  for (const char* const verb : {"check", "run"}) {
    const Finished done =
        gaia_command(folder, {verb, "e.yaml", "--set", from, "--set",
                              "hierarchy.levels[0].layers[0].size=5", "--output", "o.h5"});
    CHECK(done.code == 2);
    CHECK_SAYS(done.err, "hierarchy.levels[0].layers[0]: its weights are [5, 3]");
    CHECK_FALSE(exists(folder.path("o.h5")));
  }
  const Finished done = gaia_command(
      folder, {"run", "e.yaml", "--set", from, "--set", "hierarchy.epochs=3", "--output", "o.h5"});
  CHECK(done.code == 0);
  CHECK_SAYS(done.err, "done     900 of 900 steps");
}
