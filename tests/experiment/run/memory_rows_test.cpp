// SPDX-License-Identifier: MIT
/// \file
/// Experiments over rows in memory: the same numbers as over a file of them.
#include "../../../src/array/create.h"
#include "../../../src/core/error.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/run/resume.h"
#include "../../../src/experiment/sweep/seed_verdict.h"
#include "../../../src/io/hdf5.h"
#include "../../io/write_npy.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kRest =
    "hierarchy:\n  levels:\n"
    "    - layers: [{type: hebbian, size: 2, rule: oja_subspace, learning_rate: auto}]\n"
    "    - temporal_resolution: 4\n      pooling: mean\n"
    "      layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.01}]\n"
    "readouts:\n"
    "  - {name: next, target: {channel: 0, horizon: 1}, levels: [0, 1]}\n";
const std::string kKeys = "window: 3, normalize: zscore";

std::vector<double> numbers() {
  return random_normal({400, 3}, 0.0, 1.0, DType::float64, {.seed = 5}).to_vector<double>();
}

std::shared_ptr<const MemoryRows> rows() {
  return std::make_shared<const MemoryRows>(MemoryRows{.table = from_values(numbers(), {400, 3})});
}

/// Without how fast it was.
test::Datasets results_of(const std::string& path) {
  test::Datasets all = datasets_of(path);
  all.erase("/metrics/steps_per_second");
  return all;
}

std::string attribute(const std::string& path, const char* group, const char* name) {
  return hdf5::File::open(path).open_group(group).text_attribute(name).value_or("none");
}

}  // namespace

FOLDER_TEST_CASE("a run over rows in memory has the datasets of one over a file of them") {
  folder.write("a.npy", test::npy("<f8", "(400, 3)", numbers()));
  Experiment of_file = load_experiment(
      folder.write("file.yaml",
                   "experiment: rows\ndata: {source: file, path: a.npy, " + kKeys + "}\n" + kRest),
      {.output = folder.path("file.h5")});
  run_hierarchy(of_file);

  const std::string without_source = "experiment: rows\ndata: {" + kKeys + "}\n" + kRest;
  Experiment of_rows = load_experiment(
      "in memory", {.output = folder.path("rows.h5"), .text = without_source, .rows = rows()});
  run_hierarchy(of_rows);
  CHECK(results_of(folder.path("rows.h5")) == results_of(folder.path("file.h5")));
  CHECK(attribute(folder.path("rows.h5"), "data", "source") == "file");
  CHECK(attribute(folder.path("rows.h5"), "data", "path") == "memory");
  CHECK(attribute(folder.path("rows.h5"), "data", "sha256").size() == 64);
}

FOLDER_TEST_CASE("rows stand in place of the files that an experiment names") {
  const std::string yaml =
      folder.write("file.yaml", "experiment: rows\ndata: {source: file, path: not_there.npy, " +
                                    kKeys + "}\n" + kRest);
  CHECK(load_experiment(yaml, {.rows = rows()}).steps == 398);
}

TEST_CASE("rows are refused beside a generator, with the place of the source") {
  const std::string text =
      "experiment: rows\ndata: {source: generator, kind: lorenz, steps: 100}\n" + kRest;
  const ConfigError error =
      thrown_by<ConfigError>([&] { load_experiment("in memory", {.text = text, .rows = rows()}); });
  CHECK_SAYS(error.what(), "data.source: expected file");
  CHECK(error.line == 2);
  CHECK(error.column > 1);
}

FOLDER_TEST_CASE("a run over rows in memory is resumed with the same rows, and with no others") {
  const std::string text = "experiment: rows\ndata: {" + kKeys + "}\n" + kRest;
  const auto load = [&](const std::string& name) {
    return load_experiment("in memory",
                           {.output = folder.path(name), .text = text, .rows = rows()});
  };
  Experiment whole = load("whole.h5");
  run_hierarchy(whole);

  Experiment cut = load("cut.h5");
  const std::atomic<bool> stop{true};
  REQUIRE(run_hierarchy(cut, {.stop = &stop}).status == RunStatus::interrupted);
  const std::string path = folder.path("cut.h5");
  CHECK_THROWS_AS(open_cut_run(path), ConfigError);
  const auto others = std::make_shared<const MemoryRows>(MemoryRows{.table = zeros({400, 3})});
  CHECK_THROWS_AS(open_cut_run(path, {.rows = others}), DataError);
  auto resumed = open_cut_run(path, {.rows = rows()});
  REQUIRE(resumed);
  run_hierarchy(resumed->experiment, {.cut = &resumed->run});
  CHECK(results_of(path) == results_of(folder.path("whole.h5")));
}

FOLDER_TEST_CASE("a verdict is of rows in memory too") {
  const SeedVerdict verdict =
      verdict_over_seeds("in memory",
                         {.output = folder.path("v.h5"),
                          .text = "experiment: rows\ndata: {" + kKeys +
                                  "}\noutput: {path: " + folder.path("r.h5") + "}\n" + kRest,
                          .rows = rows()},
                         {.seeds = 2});
  REQUIRE(verdict.readouts.size() == 1);
  CHECK(verdict.readouts.front().scores.size() == 2);
  CHECK(verdict.has_fixed_data);
}
