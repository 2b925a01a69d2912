// SPDX-License-Identifier: MIT
/// \file
/// Hierarchies that read their series several times.
#include <cmath>

#include "../../../src/core/random.h"
#include "../../../src/experiment/results/recover.h"
#include "../../../src/experiment/run/estimate.h"
#include "../../support/catch.h"
#include "../../support/devices.h"
#include "../../support/long_tests.h"
#include "../../support/replaced.h"
#include "../cuts.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Three epochs of what cuts.h has, of which learning ends within the last.
std::string three_epochs(const std::string& rule, const std::string& pooling) {
  return replaced(everything(rule, pooling), "freeze_after: 500",
                  "epochs: 3\n  freeze_after: 1300");
}

/// The same from a file.
std::string of_file(const gaia::test::TempDir& folder, const std::string& text) {
  const RandomStream random = RandomStream::named(5, "rows");
  std::vector<double> values(3 * (kSteps + 2));
  random.normals(0, values);
  std::string csv = "a,b,c\n";
  for (std::size_t i = 0; i < values.size(); i += 3) {
    csv += std::to_string(values[i]) + "," + std::to_string(values[i + 1]) + "," +
           std::to_string(values[i + 2]) + "\n";
  }
  const std::string path = folder.write("rows.csv", csv);
  const std::size_t begin = text.find("{source:");
  const std::size_t end = text.find("window:");
  return replaced(text.substr(0, begin) + "{source: file, path: " + path + ", " + text.substr(end),
                  "{latent: 1, mean_over: 9}", "{channel: 2, mean_over: 9}");
}

}  // namespace

TEST_CASE("of several epochs the last is recorded, and what is learnt goes on through all") {
  const Cuts cuts(three_epochs("oja", "mean"));
  const HierarchySummary summary = cuts.run("three");
  CHECK(summary.steps == 3 * kSteps);
  CHECK(summary.steps_done == 3 * kSteps);
  CHECK(summary.levels[0].ticks == 3 * kSteps);
  const hdf5::File file = hdf5::File::open(cuts.result("three"));
  CHECK(file.integer_attribute("steps") == 3 * kSteps);
  CHECK(file.integer_attribute("steps_done") == 3 * kSteps);
  CHECK(file.open_group("levels").integer_attribute("epochs") == 3);
  CHECK(file.open_group("data").integer_attribute("samples") == kSteps);
  const Datasets made = datasets_of(cuts.result("three"));
  CHECK(made.at("/status/committed_steps").front() == 3 * kSteps);
  CHECK(made.at("/data/samples").size() == 9 * static_cast<std::size_t>(kSteps));
  // The series' own steps.
  REQUIRE(made.at("/levels/1/step").size() == 200);
  CHECK(made.at("/levels/1/step").front() == 0.0);
  CHECK(made.at("/levels/1/step").back() == 597.0);
  CHECK(made.at("/levels/1/time").back() == Approx(59.9));
  CHECK(made.at("/readouts/one/step").back() == 595.0);
  // Steps of all epochs.
  CHECK(made.at("/metrics/step").back() == 3.0 * kSteps);
  const std::vector<double>& history = made.at("/levels/0/layers/0/history/step");
  REQUIRE(history.size() == 21);
  for (std::size_t i = 0; i < history.size(); ++i)
    CHECK(history[i] == 90.0 * static_cast<double>(i));
  // Every epoch ends a block, and after 1300 steps nothing learns; nor does it before the last
  // epoch behind what readout two is trained on: of the first 60 ticks, one every three steps, all
  // but the last three, which are within the nine steps of its target from tick 60.
  const std::vector<double>& steps = made.at("/metrics/step");
  const std::vector<double>& change = made.at("/metrics/weight_change");
  int ends = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    ends += std::fmod(steps[i], kSteps) == 0.0 ? 1 : 0;
    const bool is_last = steps[i] > 2.0 * kSteps;
    const double in_epoch = std::fmod(steps[i] - 1.0, kSteps) + 1.0;
    CHECK((change[3 * i] > 0.0) == (is_last ? steps[i] <= 1300.0 : in_epoch <= 3.0 * 56.0 + 1.0));
  }
  CHECK(ends == 3);
}

TEST_CASE("one epoch more with nothing that learns repeats the last one") {
  // With these, checkpoints and histories cut blocks at the same steps of every epoch.
  const std::string same_cuts = replaced(
      replaced(everything("oja", "ema"), "every: 37", "every: 50"), "every: 90", "every: 120");
  const std::string twice =
      replaced(same_cuts, "freeze_after: 500", "epochs: 2\n  freeze_after: 600");
  const Cuts two(twice);
  const Cuts three(replaced(twice, "epochs: 2", "epochs: 3"));
  two.run("r");
  three.run("r");
  const Datasets a = datasets_of(two.result("r"));
  const Datasets b = datasets_of(three.result("r"));
  for (const auto& [path, values] : a) {
    const bool is_of_series = path.find("/history") == std::string::npos &&
                              (path.rfind("/levels", 0) == 0 || path.rfind("/readouts", 0) == 0);
    if (!is_of_series) continue;
    INFO(path);
    CHECK(same_bits(values, b.at(path)));
  }
}

TEST_CASE("killed in any epoch a run goes on to the same bytes") {
  for (const bool from_file : {false, true}) {
    INFO((from_file ? "on a file" : "on a generator"));
    const gaia::test::TempDir folder;
    const std::string text =
        from_file ? three_epochs("sanger", "concat") : three_epochs("bcm", "ema");
    const Cuts cuts(from_file ? of_file(folder, text) : text);
    const auto steps = few_or_many<std::set<std::int64_t>>(
        {444, 600, 1221, 1512}, {90, 444, 592, 600, 629, 1199, 1200, 1221, 1300, 1512, 1710, 1776});
    cuts.run_with_kills("uncut", steps);
    const Datasets uncut = datasets_of(cuts.result("uncut"));
    int resumed = 0;
    for (const std::int64_t step : steps) {
      if (!std::filesystem::exists(cuts.folder().path(std::to_string(step)))) continue;
      INFO("killed after step " << step);
      CHECK(cuts.resume(std::to_string(step)).status == RunStatus::complete);
      cuts.check_same(std::to_string(step), uncut);
      ++resumed;
    }
    CHECK(resumed >= few_or_many(3, 9));
  }
}

TEST_CASE("interrupted at the ends of epochs and beside them a run comes to the same bytes") {
  const Cuts cuts(three_epochs("bcm", "mean"));
  cuts.run("uncut");
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  // A block that is asked to be the last ends after the one that asked.
  CHECK(cuts.run_until("often", 592).steps_done == 600);
  CHECK(cuts.resume_until("often", 601).steps_done == 630);
  CHECK(cuts.resume_until("often", 1184).steps_done == 1200);
  CHECK(cuts.resume_until("often", 1201).steps_done == 1258);
  CHECK(cuts.resume("often").status == RunStatus::complete);
  cuts.check_same("often", uncut);
}

TEST_CASE("on a GPU several epochs are resumed to the same bytes") {
  const gaia::test::EmulatedDevice emulated;
  const Cuts cuts(three_epochs("bcm", "ema"), "cuda");
  cuts.run_with_kills("uncut", {600, 1221});
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  for (const char* const name : {"600", "1221"}) {
    INFO(name);
    cuts.resume(name);
    cuts.check_same(name, uncut);
  }
}

TEST_CASE("of a killed run every step of the last epoch is recovered that was committed") {
  const Cuts cuts(three_epochs("oja", "mean"));
  cuts.run_with_kills("uncut", {629, 1221});
  for (const std::int64_t step : {629, 1221}) {
    INFO(step);
    const std::string file = recover_results(cuts.result(std::to_string(step)) + ".partial").file;
    const Datasets saved = datasets_of(file);
    const Datasets uncut = datasets_of(cuts.result("uncut"));
    const auto in_last = static_cast<std::size_t>(std::max<std::int64_t>(0, step - 1200));
    CHECK(saved.at("/levels/0/step").size() == in_last);
    CHECK(saved.at("/data/samples").size() == 9 * in_last);
    CHECK(saved.at("/levels/1/step").size() == (in_last + 2) / 3);
    CHECK(saved.at("/metrics/step").back() == static_cast<double>(step));
    for (std::size_t i = 0; i < saved.at("/levels/0/representation").size(); ++i) {
      CHECK(saved.at("/levels/0/representation")[i] == uncut.at("/levels/0/representation")[i]);
    }
  }
}

FOLDER_TEST_CASE("epochs are counted in what a run will need") {
  const auto load = [&](const std::string& epochs) {
    return load_experiment(folder.write("e.yaml", kMinimal),
                           {.set = {"device=cpu", "hierarchy.epochs=" + epochs}});
  };
  Experiment one = load("1");
  Experiment many = load("20000");
  CHECK(many.all_steps() == 6000000);
  CHECK(estimate_run(many, true).seconds > 20.0 * estimate_run(one, true).seconds);
  CHECK(estimate_run(many, false).disk_bytes == estimate_run(one, false).disk_bytes);
  CHECK(many.warnings.empty());
  Experiment idle = load_experiment(folder.path("e.yaml"),
                                    {.set = {"hierarchy.epochs=2", "hierarchy.learn=false"}});
  REQUIRE(idle.warnings.size() == 1);
  CHECK(idle.warnings.front() ==
        "hierarchy.epochs: nothing learns, so every epoch is the same; one is enough");
}
