// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/auto_rates.h"

#include <filesystem>

#include "../../../src/core/error.h"
#include "../../../src/core/text.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/run.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../support/catch.h"
#include "../../support/devices.h"
#include "../../support/log_capture.h"
#include "../cuts.h"

using namespace gaia;
using Catch::Matchers::ContainsSubstring;
using gaia::test::check_same_datasets;
using gaia::test::Cuts;
using gaia::test::Datasets;
using gaia::test::datasets_of;
using gaia::test::LogCapture;
using gaia::test::TempDir;
using gaia::test::Threads;

namespace {

/// Two plastic levels on noise; the second reads the means over three steps of the first.
std::string noise(const std::string& first, const std::string& second,
                  const std::string& more = "") {
  return "experiment: e\n"
         "seed: 3\n"
         "dtype: float64\n"
         "data: {source: generator, kind: gaussian, spectrum: [10, 5, 3, 2], steps: 6000}\n"
         "hierarchy:\n"
         "  levels:\n"
         "    - layers: [{type: hebbian, size: 3, rule: oja, learning_rate: " +
         first +
         "}]\n"
         "    - temporal_resolution: 3\n"
         "      pooling: mean\n"
         "      layers: [{type: hebbian, size: 2, rule: bcm, tau: 20, learning_rate: " +
         second + "}]\n" + more;
}

const std::string kStored = "output: {inputs: all}\ncheckpoint: {every: 1000, minutes: 0}\n";

hdf5::File run(const TempDir& folder, const std::string& yaml, const std::string& name = "r",
               const std::vector<std::string>& settings = {}) {
  std::vector<std::string> all = settings;
  all.emplace_back("device=cpu");
  const std::string path = folder.path(name + ".h5");
  Experiment experiment =
      load_experiment(folder.write("e.yaml", yaml), {.set = all, .output = path});
  run_experiment(experiment, {.overwrite = true});
  return hdf5::File::open(path);
}

double rate_in(const hdf5::File& file, int level) {
  return file.open_group("levels/" + std::to_string(level) + "/layers/0")
      .number_attribute("learning_rate")
      .value();
}

/// The mean over the first 1 000 rows of |x|^2.
double mean_square(const std::vector<double>& values, std::size_t width) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 1000 * width; ++i) sum += values[i] * values[i];
  return sum / 1000.0;
}

}  // namespace

TEST_CASE("auto is a tenth of the limit over the mean square of what the layer reads, unlearnt") {
  const TempDir folder;
  const hdf5::File file = run(folder, noise("auto", "auto", kStored));
  const double first = rate_in(file, 0);
  const double second = rate_in(file, 1);

  // By hand, from what a run without learning records.
  const hdf5::File still =
      run(folder, noise("0.01", "0.01", kStored), "still", {"hierarchy.learn=false"});
  const double below = mean_square(still.open_dataset("data/samples").read<double>(), 4);
  CHECK(below == Approx(20.0).epsilon(0.1));
  CHECK(first == Approx(0.1 / below).epsilon(1e-12));
  const std::vector<double> shown = still.open_dataset("levels/0/representation").read<double>();
  std::vector<double> pooled(3000);
  for (std::size_t tick = 0; tick < 1000; ++tick) {
    const std::size_t begin = tick == 0 ? 0 : 3 * tick - 2;
    for (std::size_t step = begin; step <= 3 * tick; ++step) {
      for (std::size_t j = 0; j < 3; ++j) {
        pooled[3 * tick + j] += shown[3 * step + j] / static_cast<double>(3 * tick + 1 - begin);
      }
    }
  }
  CHECK(second == Approx(0.1 / 20.0 / mean_square(pooled, 3)).epsilon(1e-12));  // tau is 20

  // The experiment in the file can be run on other data.
  CHECK_THAT(file.text_attribute("config").value(), ContainsSubstring("learning_rate: auto"));

  // And the run is that with these numbers.
  run(folder, noise(number_text(first), number_text(second), kStored), "numbers");
  check_same_datasets(datasets_of(folder.path("r.h5")), datasets_of(folder.path("numbers.h5")));
}

TEST_CASE("what auto is is told, and is the same for any number of threads and without learning") {
  const TempDir folder;
  double rate = 0.0;
  {
    const LogCapture log;
    const Threads one(1);
    rate = rate_in(run(folder, noise("auto", "auto")), 1);
    CHECK(log.count(LogLevel::info, "hierarchy.levels[0].layers[0].learning_rate: auto is 0.0") ==
          1);
    CHECK(log.count(LogLevel::info,
                    ", 0.1 of the limit of bcm: the mean |x|^2 of the layer's "
                    "input is ") == 1);
  }
  const Threads three(3);
  CHECK(rate_in(run(folder, noise("auto", "auto")), 1) == rate);
  for (const char* const off : {"hierarchy.learn=false", "hierarchy.levels[0].learn=false",
                                "hierarchy.levels[1].layers[0].learn=false"}) {
    INFO(off);
    CHECK(rate_in(run(folder, noise("auto", "auto"), "off", {off}), 1) == rate);
  }
}

TEST_CASE("a rate that is given stays beside one that is found") {
  const TempDir folder;
  const hdf5::File file = run(folder, noise("auto", "0.0005"));
  CHECK(rate_in(file, 1) == 0.0005);
  CHECK(rate_in(file, 0) == Approx(0.005).epsilon(0.1));
}

TEST_CASE("a run that is cut goes on with the rate that it had, not with a new one") {
  const Cuts cuts(noise("auto", "auto", kStored));
  cuts.run_with_kills("uncut", {3000});
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  CHECK(cuts.resume("3000").status == RunStatus::complete);
  cuts.check_same("3000", uncut);
  CHECK(rate_in(hdf5::File::open(cuts.result("3000")), 0) ==
        rate_in(hdf5::File::open(cuts.result("uncut")), 0));

  cuts.run_until("stopped", 4000);
  const std::string partial = cuts.result("stopped") + ".partial";
  const auto set_rate = [&](double rate) {
    hdf5::File file = hdf5::File::modify(partial);
    file.open_group("levels/0/layers/0").set_attribute("learning_rate", rate);
    file.close();
  };
  set_rate(std::nan(""));
  CHECK_THROWS_WITH_TEXT(open_cut_run(cuts.result("stopped"), {}), DataError,
                         "/levels/0/layers/0 has no learning_rate above 0");
  set_rate(0.0625);
  auto cut = open_cut_run(cuts.result("stopped"), {});
  REQUIRE(cut);
  auto* const options =
      cut->experiment.config.hierarchy.levels[0].layers[0].kind.get_if<HebbianOptions>();
  CHECK(learning_rate_of(options->rule) == 0.0625);
}

TEST_CASE("what is applied to new data keeps the rate that it has learnt with") {
  const TempDir folder;
  const double rate = rate_in(run(folder, noise("auto", "auto")), 0);
  std::string csv;
  for (int i = 0; i < 50; ++i) csv += std::to_string(i % 7) + ",1,200,3\n";
  const std::string data = folder.write("new.csv", csv);
  Experiment experiment = application_of(
      folder.path("r.h5"), {.data = data, .output = folder.path("applied.h5"), .device = "cpu"});
  run_experiment(experiment);
  CHECK(rate_in(hdf5::File::open(folder.path("applied.h5")), 0) == rate);
}

TEST_CASE("an input of zeros has no rate") {
  const TempDir folder;
  std::string csv = "a,b\n";
  for (int i = 0; i < 50; ++i) csv += "0,0\n";
  folder.write("zeros.csv", csv);
  const std::string yaml =
      "experiment: e\n"
      "data: {source: file, path: zeros.csv}\n"
      "hierarchy: {levels: [{layers: [{type: hebbian, size: 1, rule: oja, learning_rate: "
      "auto}]}]}\n";
  CHECK_THROWS_WITH_TEXT(run(folder, yaml), ConfigError,
                         "hierarchy.levels[0].layers[0].learning_rate: auto finds no rate: the "
                         "mean |x|^2 of the layer's input is 0 over the first 50 ticks; write a "
                         "number");
  CHECK_FALSE(std::filesystem::exists(folder.path("r.h5.partial")));
}
