// SPDX-License-Identifier: MIT
/// How often a run goes through its data, and that what it says of them is what it read.
#include <cmath>
#include <fstream>
#include <optional>

#include "../../../src/core/error.h"
#include "../../../src/experiment/results/results_parts.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/setup/load.h"
#include "../../../src/io/csv.h"
#include "../../../src/io/sha256.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"

using namespace gaia;

namespace {

/// Bytes that this process has asked the system for in files, nothing where it does not say.
std::optional<double> bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string key;
  double bytes = 0.0;
  if (file >> key >> bytes && key == "rchar:") return bytes;
  return std::nullopt;
}

/// Two channels with gaps, and a column of text.
std::string one_pass_table(int rows) {
  std::string text = "x,state,y\n";
  for (int i = 0; i < rows; ++i) {
    text += i % 50 == 7 ? "" : std::to_string(std::sin(0.1 * i));
    text += ",on," + std::to_string(1e6 + 0.001 * i) + "\n";
  }
  return text;
}

std::string experiment_with(const std::string& data) {
  return "experiment: passes\n"
         "data: {source: file, columns: [x, y], missing: interpolate, normalize: zscore, " +
         data +
         "}\n"
         "hierarchy:\n  levels:\n    - layers:\n"
         "        - {type: reactive, size: 3}\n"
         "output: {representations: none}\n";
}

}  // namespace

FOLDER_TEST_CASE("a run reads a CSV file twice: when it is opened, and when it runs") {
  if (!bytes_read()) return;
  const std::string text = one_pass_table(20000);
  const std::string data = folder.write("a.csv", text);
  const std::string file = folder.write("e.yaml", experiment_with("path: a.csv, window: 4"));
  const double before = *bytes_read();
  Experiment experiment = load_experiment(file, {.output = folder.path("out.h5")});
  const double opened = *bytes_read();
  run_hierarchy(experiment, {});
  const double ran = *bytes_read();
  const auto size = static_cast<double>(text.size());
  REQUIRE(size > 350e3);
  // Beside the file itself: the experiment's, and the results when they are finished.
  CHECK((opened - before) / size < 1.05);
  CHECK((ran - opened) / size < 1.5);
  CHECK((ran - before) / size < 2.5);
  CHECK(open_results(folder.path("out.h5"))
            .open_group("data")
            .text_attribute("sha256")
            .value_or("") == sha256_of_file(data));
}

FOLDER_TEST_CASE(
    "moments found when a file is opened are those of a pass over the rows of the steps") {
  folder.write("a.csv", one_pass_table(3000));
  for (const std::int64_t steps : {2995, 1000, 54}) {
    INFO(steps);
    const std::string file = folder.write(
        "e.yaml", experiment_with("path: a.csv, window: 6, steps: " + std::to_string(steps)));
    Experiment experiment = load_experiment(file);
    const std::vector<Moments> found = experiment.series->moments(steps + 5);
    const auto again =
        open_csv(folder.path("a.csv"),
                 {.columns = {"x", "y"}, .missing = MissingPolicy::interpolate, .measured = 0});
    const std::vector<Moments> expected = again->moments(steps + 5);
    REQUIRE(found.size() == 2);
    for (std::size_t c = 0; c < 2; ++c) {
      CHECK(found[c].count() == steps + 5);
      CHECK(found[c].mean() == expected[c].mean());
      CHECK(found[c].deviation() == expected[c].deviation());
      CHECK(found[c].most() == expected[c].most());
    }
  }
}

FOLDER_TEST_CASE(
    "a file that changes between its opening and its run is an error, not a wrong hash") {
  folder.write("a.csv", one_pass_table(3000));
  const std::string file = folder.write("e.yaml", experiment_with("path: a.csv"));
  Experiment experiment = load_experiment(file, {.output = folder.path("out.h5")});
  folder.write("a.csv", one_pass_table(3001));
  CHECK_THROWS_WITH_TEXT(run_hierarchy(experiment, {}), DataError,
                         "a.csv: the file changed while it was read");
  // One that takes its place does not matter: what was opened is read, and hashed.
  const std::string old = one_pass_table(3000);
  folder.write("a.csv", old);
  Experiment replaced = load_experiment(file, {.output = folder.path("out.h5")});
  std::filesystem::rename(folder.write("b.csv", one_pass_table(10)), folder.path("a.csv"));
  CHECK(run_hierarchy(replaced, {}).status == RunStatus::complete);
  CHECK(open_results(folder.path("out.h5")).open_group("data").text_attribute("sha256") ==
        sha256_of(old));
}
