// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/auto_rates.h"

#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/core/text.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/run/rates.h"
#include "../../../src/experiment/run/replica_runs.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/devices.h"
#include "../../support/log_capture.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Two plastic levels on noise; the second reads the means over three steps of the first.
std::string noise(const std::string& first, const std::string& second,
                  const std::string& more = "") {
  return "experiment: e\n"
         "seed: 3\ndtype: float64\n"
         "data: {source: generator, kind: gaussian, spectrum: [10, 5, 3, 2], steps: 3000}\n"
         "hierarchy:\n  levels:\n"
         "    - layers: [{type: hebbian, size: 3, rule: oja_subspace, learning_rate: " +
         first +
         "}]\n"
         "    - temporal_resolution: 3\n      pooling: mean\n"
         "      layers: [{type: hebbian, size: 2, rule: bcm, tau: 20, learning_rate: " +
         second + "}]\n" + more;
}

const std::string kStored = "output: {inputs: all}\ncheckpoint: {every: 1000, minutes: 0}\n";
/// Its training part, which the first steps are, ends about step 2000.
const std::string kReadout =
    "readouts: [{name: next, target: {channel: 0, horizon: 1}, levels: [0, 1],\n"
    "            split: 0.66675}]\n";

Experiment load(const TempDir& folder, const std::string& yaml, const std::string& name = "r",
                const std::vector<std::string>& settings = {}) {
  std::vector<std::string> all = settings;
  all.emplace_back("device=cpu");
  return load_experiment(folder.write("e.yaml", yaml),
                         {.set = all, .output = folder.path(name + ".h5")});
}

hdf5::File run_rates(const TempDir& folder, const std::string& yaml, const std::string& name = "r",
                     const std::vector<std::string>& settings = {}) {
  Experiment experiment = load(folder, yaml, name, settings);
  run_hierarchy(experiment, {.overwrite = true});
  return hdf5::File::open(folder.path(name + ".h5"));
}

std::string layer_path(int level) { return "levels/" + std::to_string(level) + "/layers/0"; }

double rate_in(const hdf5::File& file, int level) {
  return file.open_group(layer_path(level)).number_attribute("learning_rate").value();
}

/// How many steps are trained on; they are the first ones.
std::int64_t training_end(const hdf5::File& file) {
  return file.open_group("readouts/next").integer_attribute("training_ticks").value();
}

struct RateHistory {
  std::vector<std::int64_t> steps;
  std::vector<double> rates;
  bool operator==(const RateHistory&) const = default;
};

RateHistory history_in(const hdf5::File& file, int level) {
  const std::string path = layer_path(level) + "/history/";
  return {file.open_dataset(path + "step").read<std::int64_t>(),
          file.open_dataset(path + "learning_rate").read<double>()};
}

/// The formula of docs/plasticity.md for an input of which |x|^2 is `square`, at ticks `resolution`
/// steps apart; `course` 0: no end is known.
RateHistory by_hand(const std::vector<double>& square, double limit, std::int64_t course,
                    std::int64_t resolution) {
  RateHistory history;
  double sum = 0.0;
  for (std::int64_t n = 0; n < std::ssize(square); ++n) {
    const std::int64_t measured = course == 0 ? n : std::min(n, course - 1);
    if (measured == n) sum += square[static_cast<std::size_t>(n)];
    std::int64_t stretch = 1;
    while (32 * stretch <= n) stretch *= 2;
    const bool begins = course == 0 || n < course ? n % stretch == 0 : n == course;
    if (!begins) continue;
    const double fallen = course == 0
                              ? static_cast<double>(n) / 300.0
                              : 100.0 * static_cast<double>(n) / static_cast<double>(course);
    history.steps.push_back(n * resolution);
    history.rates.push_back(0.1 * limit / (sum / static_cast<double>(measured + 1)) /
                            (1.0 + fallen));
  }
  return history;
}

void check_close(const RateHistory& found, const RateHistory& expected) {
  REQUIRE(found.steps == expected.steps);
  for (std::size_t i = 0; i < found.rates.size(); ++i) {
    REQUIRE(found.rates[i] == Approx(expected.rates[i]).epsilon(1e-9));
  }
}

std::vector<double> squares(const std::vector<double>& values, std::size_t width) {
  std::vector<double> all(values.size() / width);
  for (std::size_t i = 0; i < values.size(); ++i) all[i / width] += values[i] * values[i];
  return all;
}

/// |x|^2 of what the second level has read, by what the first has shown.
std::vector<double> pooled_squares(const hdf5::File& file) {
  const std::vector<double> shown = file.open_dataset("levels/0/representation").read<double>();
  std::vector<double> pooled(3000);
  for (std::size_t tick = 0; tick < 1000; ++tick) {
    const std::size_t begin = tick == 0 ? 0 : 3 * tick - 2;
    for (std::size_t step = begin; step <= 3 * tick; ++step) {
      for (std::size_t j = 0; j < 3; ++j) {
        pooled[3 * tick + j] += shown[3 * step + j] / static_cast<double>(3 * tick + 1 - begin);
      }
    }
  }
  return squares(pooled, 3);
}

}  // namespace

FOLDER_TEST_CASE(
    "auto is that of its formula, of what each layer reads while the one below it learns") {
  for (const bool has_readout : {true, false}) {
    INFO("readout: " << has_readout);
    const hdf5::File file =
        run_rates(folder, noise("auto", "auto", kStored + (has_readout ? kReadout : "")));
    const std::vector<double> inputs = file.open_dataset("data/samples").read<double>();
    const std::int64_t end = has_readout ? training_end(file) : 0;
    check_close(history_in(file, 0), by_hand(squares(inputs, 4), 1.0, end, 1));
    check_close(history_in(file, 1), by_hand(pooled_squares(file), 1.0 / 20.0, (end + 2) / 3, 3));
    for (const int level : {0, 1}) {
      CHECK(rate_in(file, level) == history_in(file, level).rates.back());
    }
    // The experiment in the file can be run on other data.
    CHECK_SAYS(file.text_attribute("config").value(), "learning_rate: auto");
  }
}

FOLDER_TEST_CASE("the weights are those of the rule at the rates that are told") {
  const hdf5::File file = run_rates(folder, noise("auto", "auto", kStored + kReadout));
  const std::vector<double> x = file.open_dataset("data/samples").read<double>();
  std::vector<double> w = file.open_dataset("levels/0/layers/0/weights_initial").read<double>();
  const RateHistory history = history_in(file, 0);
  std::size_t at = 0;
  for (std::size_t n = 0; n < 3000; ++n) {
    while (at + 1 < history.steps.size() && history.steps[at + 1] <= std::int64_t(n)) ++at;
    double y[3] = {};
    double square = 0.0;
    double back[4] = {};
    for (std::size_t j = 0; j < 4; ++j) square += x[4 * n + j] * x[4 * n + j];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 4; ++j) y[i] += w[4 * i + j] * x[4 * n + j];
      for (std::size_t j = 0; j < 4; ++j) back[j] += y[i] * w[4 * i + j];
    }
    const double rate = std::min(history.rates[at], 0.25 / square);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 4; ++j) w[4 * i + j] += rate * y[i] * (x[4 * n + j] - back[j]);
    }
  }
  const std::vector<double> found = file.open_dataset("levels/0/layers/0/weights").read<double>();
  for (std::size_t i = 0; i < w.size(); ++i) CHECK(found[i] == Approx(w[i]).margin(1e-9));
}

FOLDER_TEST_CASE("nothing after the training part changes a rate of auto") {
  const auto with = [&](double jump) {
    std::string csv = "a,b\n";
    for (int i = 0; i < 800; ++i) {
      const double scale = i < 500 ? 1.0 : jump;
      csv += number_text(scale * std::sin(0.1 * i)) + "," +
             number_text(scale * std::cos(0.37 * i)) + "\n";
    }
    folder.write("d.csv", csv);
    return run_rates(folder,
                     "experiment: e\n"
                     "data: {source: file, path: d.csv}\n"
                     "hierarchy: {levels: [{layers: [{type: hebbian, size: 2, rule: sanger, "
                     "learning_rate: auto}]}]}\n"
                     "readouts: [{name: next, target: {channel: 0, horizon: 1}, levels: [0], "
                     "split: 0.6}]\n",
                     "j" + number_text(jump));
  };
  const hdf5::File calm = with(1.0);
  const hdf5::File wild = with(50.0);
  CHECK(history_in(calm, 0) == history_in(wild, 0));
  CHECK(rate_in(calm, 0) == rate_in(wild, 0));
  CHECK(history_in(calm, 0).steps.back() <= 480);
  // What comes then is longer than any before, and does not blow up what was learnt.
  for (const double w : wild.open_dataset("levels/0/layers/0/weights").read<double>()) {
    CHECK(std::abs(w) < 2.0);
  }
}

FOLDER_TEST_CASE("auto is the same for any number of threads, and of runs side by side") {
  const std::string yaml = noise("auto", "auto", kStored + kReadout);
  {
    const Threads one(1);
    run_rates(folder, yaml, "one");
  }
  {
    const Threads three(3);
    run_rates(folder, yaml, "three");
  }
  const Datasets alone = datasets_of(folder.path("one.h5"));
  check_same_datasets(datasets_of(folder.path("three.h5")), alone);
  std::vector<Experiment> experiments;
  for (const char* const seed : {"seed=3", "seed=4"}) {
    experiments.push_back(load(folder, yaml, seed, {seed}));
  }
  const std::vector<RunOptions> options(2);
  for (const RunOutcome& outcome : run_replicas(experiments, options)) CHECK(outcome.summary);
  check_same_datasets(datasets_of(folder.path("seed=3.h5")), alone);
  run_rates(folder, yaml, "four", {"seed=4"});
  check_same_datasets(datasets_of(folder.path("seed=4.h5")), datasets_of(folder.path("four.h5")));
}

FOLDER_TEST_CASE(
    "what does not learn has found no rate, and a rate that is given stays beside others") {
  const hdf5::File file = run_rates(folder, noise("auto", "0.0005"));
  CHECK(rate_in(file, 1) == 0.0005);
  CHECK_FALSE(file.open_group(layer_path(1)).has_group("history"));
  CHECK(rate_in(file, 0) > 0.0);
  const hdf5::File still =
      run_rates(folder, noise("auto", "auto"), "still", {"hierarchy.learn=false"});
  CHECK(rate_in(still, 0) == 0.0);
  CHECK(history_in(still, 0).steps.empty());
}

FOLDER_TEST_CASE("in epochs auto falls over the training part of all of them") {
  const hdf5::File file =
      run_rates(folder, noise("auto", "auto", kReadout), "e", {"hierarchy.epochs=3"});
  const RateHistory history = history_in(file, 0);
  const double first = history.rates.front();
  CHECK(history.steps.back() == 2 * 3000 + training_end(file));
  CHECK(rate_in(file, 0) == history.rates.back());
  // The mean of |x|^2 is 20, that of the first sample whatever it is.
  CHECK(rate_in(file, 0) == Approx(0.1 / 20.0 / 101.0).epsilon(0.1));
  CHECK(first > rate_in(file, 0));
  const hdf5::File cut =
      run_rates(folder, noise("auto", "auto", kReadout), "f", {"hierarchy.freeze_after=900"});
  CHECK(rate_in(cut, 0) == Approx(0.1 / 20.0 / 101.0).epsilon(0.1));
  CHECK(history_in(cut, 0).steps.back() < 900);
}

FOLDER_TEST_CASE("a schedule multiplies the scale that auto gives") {
  const std::string yaml = noise("auto", "auto", kReadout);
  const hdf5::File file = run_rates(folder, yaml, "s", {"hierarchy.schedule={half_life: 640}"});
  CHECK(rate_in(file, 0) == Approx(0.1 / 20.0).epsilon(0.1));
  const RateHistory history = history_in(file, 0);
  const auto at = [&](std::int64_t step) {
    const auto after = std::ranges::upper_bound(history.steps, step);
    return history.rates[static_cast<std::size_t>(after - history.steps.begin() - 1)];
  };
  CHECK(at(2559) == Approx(rate_in(file, 0) * std::exp2(-2550.0 / 640.0)).epsilon(1e-9));
  CHECK(at(2560) == Approx(rate_in(file, 0) / 16.0).epsilon(1e-9));
}

TEST_CASE("a run that is cut goes on with what was measured, byte for byte") {
  const Cuts cuts(noise("auto", "auto", kStored + kReadout));
  cuts.run_with_kills("uncut", {1000, 2000});
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  for (const char* const kill : {"1000", "2000"}) {
    CHECK(cuts.resume(kill).status == RunStatus::complete);
    cuts.check_same(kill, uncut);
    CHECK(rate_in(hdf5::File::open(cuts.result(kill)), 1) ==
          rate_in(hdf5::File::open(cuts.result("uncut")), 1));
  }
}

FOLDER_TEST_CASE("beside a history of the weights the rates stand at its steps") {
  const hdf5::File file =
      run_rates(folder, noise("auto", "auto", "output: {weights: {every: 500}}\n"));
  const RateHistory history = history_in(file, 0);
  CHECK(history.steps == std::vector<std::int64_t>{0, 500, 1000, 1500, 2000, 2500, 3000});
  CHECK(history.rates.front() == 0.0);
  const hdf5::File other = run_rates(folder, noise("auto", "auto"), "other");
  const RateHistory changes = history_in(other, 0);
  const auto after = std::ranges::lower_bound(changes.steps, 500);
  CHECK(history.rates[1] ==
        changes.rates[static_cast<std::size_t>(after - changes.steps.begin() - 1)]);
}

FOLDER_TEST_CASE("what is applied, and what goes on from a run, takes the rate at its end") {
  const double rate = rate_in(run_rates(folder, noise("auto", "auto", kReadout)), 0);
  std::string csv;
  for (int i = 0; i < 50; ++i) csv += std::to_string(i % 7) + ",1,200,3\n";
  const std::string data = folder.write("new.csv", csv);
  Experiment experiment = application_of(
      folder.path("r.h5"), {.data = data, .output = folder.path("applied.h5"), .device = "cpu"});
  run_hierarchy(experiment);
  CHECK(rate_in(hdf5::File::open(folder.path("applied.h5")), 0) == rate);

  const std::string on = "hierarchy.from=" + folder.path("r.h5");
  const hdf5::File from = run_rates(folder, noise("auto", "auto", kReadout), "from", {on});
  CHECK(rate_in(from, 0) == rate);
  CHECK(history_in(from, 0) == RateHistory{{0}, {rate}});
  // A rate that was written is none that auto has found.
  run_rates(folder, noise("0.001", "auto", kReadout), "written");
  const hdf5::File anew = run_rates(folder, noise("auto", "auto", kReadout), "anew",
                                    {"hierarchy.from=" + folder.path("written.h5")});
  CHECK(history_in(anew, 0).steps.size() > 50);
}

FOLDER_TEST_CASE("an input of zeros has no rate, and a warning") {
  std::string csv = "a,b\n";
  for (int i = 0; i < 50; ++i) csv += "0,0\n";
  folder.write("zeros.csv", csv);
  const LogCapture log;
  const hdf5::File file =
      run_rates(folder,
                "experiment: e\n"
                "data: {source: file, path: zeros.csv}\n"
                "hierarchy: {levels: [{layers: [{type: hebbian, size: 1, rule: oja, learning_rate: "
                "auto}]}]}\n");
  CHECK(rate_in(file, 0) == 0.0);
  CHECK(log.count(LogLevel::warning,
                  "hierarchy.levels[0].layers[0].learning_rate: auto found no rate: |x|^2 of the "
                  "layer's input was 0 over 50 ticks") == 1);
}

FOLDER_TEST_CASE("a second level that learns does not diverge at auto, and its rate is advised") {
  // Measured on an untrained level below, |x|^2 was a tenth of what it came to be.
  const auto yaml = [](const std::string& rate) {
    return "experiment: e\n"
           "data: {source: generator, kind: ornstein_uhlenbeck, channels: 8, tau: [20], steps: "
           "4000,\n"
           "       window: 25}\n"
           "hierarchy:\n  levels:\n"
           "    - layers: [{type: hebbian, size: 8, rule: oja_subspace, init: orthogonal,\n"
           "                learning_rate: auto}]\n"
           "    - temporal_resolution: 25\n      pooling: mean\n"
           "      layers: [{type: hebbian, size: 4, rule: oja_subspace, init: orthogonal,\n"
           "                learning_rate: " +
           rate + "}]\n";
  };
  for (const char* const seed : {"seed=1", "seed=2"}) {
    CHECK(rate_in(run_rates(folder, yaml("auto"), "a", {seed}), 1) > 0.0);
  }
  Experiment wild = load(folder, yaml("1"), "w");
  const std::string end = complaint_of<DivergedError>([&] { run_hierarchy(wild); });
  INFO(end);
  const std::string before = "for which rates up to ";
  REQUIRE(end.find(before) != std::string::npos);
  const std::string named = end.substr(end.find(before) + before.size());
  CHECK_NOTHROW(run_rates(folder, yaml(number_text(std::stod(named))), "n"));
}

FOLDER_TEST_CASE("a check tells what auto is about at first and at the end") {
  Experiment experiment = load(folder, noise("auto", "0.001", kReadout));
  const std::vector<LayerRate> rates = measure_rates(experiment);
  REQUIRE(rates.size() == 2);
  CHECK(rates[0].first_rate == Approx(0.1 / 20.0).epsilon(0.1));
  CHECK(rates[0].learning_rate == Approx(rates[0].first_rate / 101.0).epsilon(1e-9));
  const std::vector<std::string> lines = automatic_rates_text(rates);
  REQUIRE(lines.size() == 1);
  CHECK_SAYS(lines[0], "hierarchy.levels[0].layers[0].learning_rate: auto is about 0.00");
  CHECK_SAYS(lines[0], " at the end of the training part");
}

FOLDER_TEST_CASE("where learning loses at auto, the run says that the rate is the likely cause") {
  // One neuron under Oja's rule looks at the direction of most variance, which says nothing.
  std::string csv = "a,b\n";
  for (int i = 0; i < 600; ++i) {
    csv += number_text(std::sin(0.3 * i)) + "," + number_text(20.0 * std::sin(7.7 * i * i)) + "\n";
  }
  folder.write("d.csv", csv);
  const auto yaml = [](const std::string& rate) {
    return "experiment: e\n"
           "data: {source: file, path: d.csv, window: 1}\n"
           "hierarchy: {levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: " +
           rate +
           "}]}]}\n"
           "readouts: [{name: next, target: {channel: 0, horizon: 1}, levels: [0]}]\n";
  };
  const auto cause = [&](const std::string& rate) {
    Experiment experiment = load(folder, yaml(rate));
    return run_hierarchy(experiment, {.overwrite = true}).cause;
  };
  CHECK_SAYS(
      cause("auto"),
      "the likely cause that learning loses is learning_rate: auto (levels[0].layers[0] came to ");
  CHECK_SAYS(hdf5::File::open(folder.path("r.h5")).text_attribute("verdict").value(),
             "; the likely cause that learning loses is learning_rate: auto");
  CHECK(cause("0.0002").empty());
}
