// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/rates.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "../../../src/core/error.h"
#include "../../../src/core/text.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Two levels on noise of which |x|^2 is 20 on average; the second reads means over three steps of
/// what the first shows.
std::string noise(const std::string& first, const std::string& second) {
  return "experiment: e\n"
         "data: {source: generator, kind: gaussian, spectrum: [10, 5, 3, 2], steps: 6000}\n"
         "hierarchy:\n  levels:\n"
         "    - layers: [{type: hebbian, size: 3, " +
         first +
         "}]\n"
         "    - temporal_resolution: 3\n      pooling: mean\n"
         "      layers: [{type: reactive, size: 6}, {type: hebbian, size: 2, " +
         second + "}]\n";
}

Experiment load(const TempDir& folder, const std::string& yaml) {
  return load_experiment(folder.write("e.yaml", yaml),
                         {.set = {"device=cpu"}, .output = folder.path("r.h5")});
}

/// Why it diverges; empty where it does not.
std::string end_of(const TempDir& folder, const std::string& yaml) {
  Experiment experiment = load(folder, yaml);
  return complaint_of<DivergedError>([&] { run_hierarchy(experiment, {.overwrite = true}); });
}

const std::string kCalm = "rule: oja, learning_rate: 0.0001";

}  // namespace

FOLDER_TEST_CASE("rates are measured on what each plastic layer reads while those below it learn") {
  const std::string yaml = noise("rule: sanger, learning_rate: 0.002", kCalm);
  Experiment experiment = load(folder, yaml);
  const std::vector<LayerRate> rates = measure_rates(experiment);
  REQUIRE(rates.size() == 2);
  CHECK(rates[0].rule == "sanger");
  CHECK(rates[0].learning_rate == 0.002);
  CHECK(rates[1].level == 1);
  CHECK(rates[1].layer == 1);
  for (const LayerRate& rate : rates) CHECK(rate.ticks == 1000);

  // The same from what a run records, at rates that are found.
  Experiment learning =
      load(folder, noise("rule: sanger, learning_rate: auto", kCalm) + "output: {inputs: all}\n");
  run_hierarchy(learning);
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const auto squares = [](const std::vector<double>& values, std::size_t width) {
    std::vector<double> all(values.size() / width);
    for (std::size_t i = 0; i < values.size(); ++i) all[i / width] += values[i] * values[i];
    return all;
  };
  const std::vector<double> samples = squares(file.open_dataset("data/samples").read<double>(), 4);
  double mean = 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < 1000; ++i) {
    mean += samples[i] / 1000.0;
    largest = std::max(largest, samples[i]);
  }
  CHECK(rates[0].mean_square == Approx(mean).epsilon(1e-5));
  CHECK(rates[0].largest_square == Approx(largest).epsilon(1e-5));
  CHECK(mean == Approx(20.0).epsilon(0.1));

  // W2 relu(W1 m) with m the mean of three ticks of level 0.
  const std::vector<double> fast = file.open_dataset("levels/0/representation").read<double>();
  const std::vector<double> reactive =
      file.open_dataset("levels/1/layers/0/weights").read<double>();
  double square = 0.0;
  for (std::size_t tick = 0; tick < 1000; ++tick) {
    double pooled[3] = {};
    const std::size_t first = tick == 0 ? 0 : 3 * tick - 2;
    for (std::size_t step = first; step <= 3 * tick; ++step) {
      for (std::size_t j = 0; j < 3; ++j) {
        pooled[j] += fast[3 * step + j] / static_cast<double>(3 * tick + 1 - first);
      }
    }
    for (std::size_t i = 0; i < 6; ++i) {
      double drive = 0.0;
      for (std::size_t j = 0; j < 3; ++j) drive += reactive[3 * i + j] * pooled[j];
      square += std::max(0.0, drive) * std::max(0.0, drive) / 1000.0;
    }
  }
  CHECK(rates[1].mean_square == Approx(square).epsilon(1e-4));
}

TEST_CASE(
    "a rate is warned of where the weights then grow to infinity, and not where they settle") {
  for (const char* const rule : {"oja", "oja_subspace", "sanger", "bcm, tau: 5"}) {
    INFO(rule);
    const TempDir folder;
    const auto with = [&](double times) {
      const double limit = std::string(rule).starts_with("bcm") ? 0.2 : 1.0;
      const std::string yaml = noise(
          "rule: " + std::string(rule) + ", learning_rate: " + number_text(times * limit / 20.0),
          kCalm);
      Experiment experiment = load(folder, yaml);
      const std::vector<LayerRate> rates = measure_rates(experiment);
      return std::pair{rate_warnings(rates, experiment), end_of(folder, yaml)};
    };
    const auto [warnings, end] = with(8.0);
    REQUIRE(warnings.size() == 1);
    CHECK_SAYS(warnings[0], "hierarchy.levels[0].layers[0].learning_rate: ");
    CHECK_SAYS(warnings[0], "; rates up to ");
    CHECK_SAYS(end, "NaN or Inf", ", for which rates up to ");
    CHECK_THAT(end, !ContainsSubstring("resume"));
    const auto [none, fine] = with(0.1);
    CHECK(none.empty());
    CHECK(fine.empty());
  }
}

FOLDER_TEST_CASE("a run with the rate that is named after NaN does not diverge") {
  const std::string end = end_of(folder, noise("rule: oja, learning_rate: 3", kCalm));
  const std::string before = ", for which rates up to ";
  const std::size_t at = end.find(before);
  REQUIRE(at != std::string::npos);
  const std::string named = number_text(std::stod(end.substr(at + before.size())));
  CHECK(std::stod(named) < 0.05);
  CHECK(end_of(folder, noise("rule: oja, learning_rate: " + named, kCalm)).empty());
}

FOLDER_TEST_CASE("of a rule without a known limit the message says what is known") {
  CHECK_SAYS(end_of(folder, noise("rule: hebbian, learning_rate: 0.5", kCalm)),
             "hebbian at learning_rate 0.5: grows at any rate unless decay or a normalization "
             "holds it; |x|^2 of its input is ");
  for (const char* const held : {"normalization: max_norm", "activation: tanh"}) {
    Experiment experiment =
        load(folder, noise("rule: oja, learning_rate: 1.5, " + std::string(held), kCalm));
    const std::vector<LayerRate> rates = measure_rates(experiment);
    CHECK_FALSE(rates[0].limit);
    CHECK(rate_warnings(rates, experiment).empty());
  }
  Experiment still = load(folder, noise("rule: oja, learning_rate: 9", kCalm));
  still.config.kind.get_if<HierarchyConfig>()->learn = false;
  CHECK(measure_rates(still).empty());
}

FOLDER_TEST_CASE(
    "the partial file of a run that diverged gives way to the next, and nothing else does") {
  const std::string wild = noise("rule: oja, learning_rate: 3", kCalm);
  const std::string calm = noise(kCalm, kCalm);
  Experiment first = load(folder, wild);
  CHECK_THROWS_AS(run_hierarchy(first), DivergedError);
  const std::string partial = folder.path("r.h5.partial");
  CHECK_SAYS(hdf5::File::open(partial).text_attribute("diverged").value(), "NaN or Inf");
  Experiment second = load(folder, calm);
  CHECK(run_hierarchy(second).status == RunStatus::complete);
  CHECK_FALSE(std::filesystem::exists(partial));

  // A result that is there stays there.
  Experiment third = load(folder, calm);
  CHECK_THROWS_WITH_TEXT(run_hierarchy(third), OutputError, "exists; use --overwrite");
  std::filesystem::remove(folder.path("r.h5"));

  // A run that was interrupted, one that failed otherwise, and what is no result.
  Experiment cut = load(folder, calm);
  CHECK(run_hierarchy(cut, {.max_seconds = 1e-9}).status == RunStatus::interrupted);
  Experiment fourth = load(folder, calm);
  CHECK_THROWS_WITH_TEXT(run_hierarchy(fourth), OutputError, "`gaia resume` goes on with it");
  {
    hdf5::File file = hdf5::File::modify(partial);
    file.set_attribute("status", "failed");
    file.close();
  }
  CHECK_THROWS_AS(run_hierarchy(fourth), OutputError);
  std::ofstream(partial, std::ios::trunc) << "diverged";
  CHECK_THROWS_AS(run_hierarchy(fourth), OutputError);
}
