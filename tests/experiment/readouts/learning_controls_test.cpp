// SPDX-License-Identifier: MIT
/// \file
/// Controls of when and in which order a hierarchy learns, compared with runs and loops that do the
/// same.
#include <cmath>

#include "../../../src/array/random_arrays.h"
#include "../../../src/experiment/readouts/control.h"
#include "../../../src/experiment/run/resume.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"
#include "../../support/replaced.h"
#include "../cuts.h"
#include "../regression.h"

using namespace gaia;
using namespace gaia::test;

namespace {

std::vector<double> dataset(const std::string& file, const std::string& path) {
  return hdf5::File::open(file).open_dataset(path).read<double>();
}

/// An experiment that learns all the time; 0.5 of 800 steps are for training.
const std::string kAlways =
    "experiment: always\nseed: 3\ndtype: float64\n"
    "data: {source: generator, kind: ornstein_uhlenbeck, tau: [5, 40], channels: 4, noise: 0.3,\n"
    "       steps: 800}\n"
    "hierarchy:\n  levels:\n"
    "    - layers: [{type: hebbian, size: 3, rule: oja_subspace, learning_rate: 0.01}]\n"
    "readouts:\n"
    "  - {name: a, target: {channel: 1, horizon: 2}, levels: [0], split: 0.5}\n"
    "controls: [stopped, shuffled]\n";

}  // namespace

TEST_CASE("the stopped control reaches what the same run reaches if it stops learning there") {
  // The last tick for training: half of 798 ticks with a target, less the purge of 4 ticks.
  for (const std::string epochs : {"1", "3"}) {
    INFO(epochs << " epochs");
    const std::string always =
        replaced(kAlways, "  levels:\n", "  epochs: " + epochs + "\n  levels:\n");
    const Cuts cuts(always);
    cuts.run("always");
    const std::string control = "readouts/a/controls/stopped";
    const std::int64_t end = 395 + 800 * (std::stoll(epochs) - 1);
    const Cuts stops(replaced(always, "  levels:\n",
                              "  freeze_after: " + std::to_string(end) + "\n  levels:\n"));
    stops.run("stops");
    const double r2 = number(stops.result("stops"), "readouts/a", "r2");
    CHECK(number(cuts.result("always"), control, "r2") == r2);
    CHECK(number(cuts.result("always"), "readouts/a", "r2") != r2);
    // What stops anyway has no such control.
    CHECK_FALSE(hdf5::File::open(stops.result("stops")).has_group(control));
  }
}

TEST_CASE("the shuffled control has learnt the training part in another order, by a plain loop") {
  const Cuts cuts(replaced(kAlways, "  levels:\n", "  epochs: 2\n  levels:\n") +
                  "output: {inputs: all, weights: {every: 800}}\n");
  cuts.run("run");
  const std::string result = cuts.result("run");
  const std::vector<double> x = dataset(result, "data/samples");
  REQUIRE(x.size() == 3200);
  std::vector<double> w = dataset(result, "levels/0/layers/0/history/weights");
  w.resize(12);  // as the run begins with them
  const auto z_of = [&](std::size_t t) {
    std::vector<double> z(3, 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 4; ++j) z[i] += w[i * 4 + j] * x[t * 4 + j];
    }
    return z;
  };
  const auto learn_from = [&](std::size_t t) {
    const std::vector<double> z = z_of(t);
    std::vector<double> rest(4);
    for (std::size_t j = 0; j < 4; ++j) {
      rest[j] = x[t * 4 + j];
      for (std::size_t i = 0; i < 3; ++i) rest[j] -= z[i] * w[i * 4 + j];
    }
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 4; ++j) w[i * 4 + j] += 0.01 * z[i] * rest[j];
    }
  };
  for (int epoch = 0; epoch < 2; ++epoch) {
    const auto order =
        permutation(395, RandomStream::named(
                             3, "controls/shuffled/epochs/" + std::to_string(epoch) + "/order"))
            .to_vector<std::int64_t>();
    for (const std::int64_t t : order) learn_from(static_cast<std::size_t>(t));
  }
  test::Rows features;
  std::vector<double> target;
  for (std::size_t t = 0; t < 798; ++t) {
    features.push_back(z_of(t));
    if (t >= 395) learn_from(t);
    target.push_back(x[(t + 2) * 4 + 1]);
  }
  const std::vector<double> fit = fit_ridge(features, target, 0, 395, 1e-6);
  CHECK(number(result, "readouts/a/controls/shuffled", "r2") ==
        Approx(r2_of(fit, features, target, 399, 798)).epsilon(1e-9));
}

TEST_CASE("controls of learning and scores along the stream go on bit for bit after a cut") {
  const std::string text =
      replaced(kAlways, "split: 0.5", "split: 0.5, score_every: 33") + "checkpoint: {every: 50}\n";
  const Cuts cuts(text);
  cuts.check_goes_on_after({150, 450, 600});
  CHECK(dataset(cuts.result("uncut"), "readouts/a/controls/stopped/windows/r2").size() == 13);
}

TEST_CASE("scores along the stream are those of the ticks of each window") {
  const Cuts cuts(replaced(kAlways, "split: 0.5", "split: 0.5, score_every: 100"));
  cuts.run("run");
  const std::string result = cuts.result("run");
  const std::vector<double> said = dataset(result, "readouts/a/prediction");
  const std::vector<double> target = dataset(result, "readouts/a/target");
  const auto steps =
      hdf5::File::open(result).open_dataset("readouts/a/windows/step").read<std::int64_t>();
  CHECK(steps == std::vector<std::int64_t>{498, 598, 698, 797});
  const std::vector<double> r2 = dataset(result, "readouts/a/windows/r2");
  REQUIRE(r2.size() == 4);
  for (std::size_t window = 0; window < 4; ++window) {
    const std::size_t begin = window * 100;
    const std::size_t end = std::min(begin + 100, said.size());
    double mean = 0.0;
    for (std::size_t t = begin; t < end; ++t) mean += target[t] / static_cast<double>(end - begin);
    double error = 0.0;
    double variation = 0.0;
    for (std::size_t t = begin; t < end; ++t) {
      error += (said[t] - target[t]) * (said[t] - target[t]);
      variation += (target[t] - mean) * (target[t] - mean);
    }
    CHECK(r2[window] == Approx(1.0 - error / variation).epsilon(1e-9));
  }
  // Where nobody says how long they are, there are twenty.
  const Cuts by_default(kAlways);
  by_default.run("run");
  CHECK(dataset(by_default.result("run"), "readouts/a/windows/r2").size() == 20);
}

TEST_CASE("self_trained is a control of classes, with keys of its own") {
  TempDir folder;
  std::string csv = "u,v,label\n";
  for (int t = 0; t < 400; ++t) {
    const bool is_a = t * 7 % 10 < 5;
    csv += std::to_string(is_a ? 1.0 + t % 3 : -1.0 - t % 4) + "," + std::to_string(t % 5) + "," +
           (is_a ? "a" : "b") + "\n";
  }
  folder.write("d.csv", csv);
  const auto yaml = [](const std::string& controls, const std::string& readout) {
    return "experiment: e\ndata: {source: file, path: d.csv, labels: label}\n"
           "hierarchy: {levels: [{layers: [{type: hebbian, size: 2, rule: oja, "
           "learning_rate: 0.001}]}]}\nreadouts: [" +
           readout + "]\ncontrols: " + controls + "\n";
  };
  const std::string of_classes = "{name: a, type: logistic, target: {label: true}, levels: [0]}";
  run_text(folder, yaml("[{self_trained: {memory: 50, every: 20}}, frozen]", of_classes));
  const std::string control = "readouts/a/controls/self_trained";
  CHECK(number(folder.path("r.h5"), control, "memory") == 50.0);
  CHECK(number(folder.path("r.h5"), control, "every") == 20.0);
  CHECK(number(folder.path("r.h5"), control, "accuracy") == 1.0);
  run_text(folder, yaml("[self_trained]", of_classes));
  CHECK(number(folder.path("r.h5"), control, "memory") == 1000.0);
  run_text(folder,
           yaml("[self_trained]", "{name: a, target: {channel: u, horizon: 1}, levels: [0]}"));
  const auto left_out = hdf5::File::open(folder.path("r.h5"))
                            .open_group("readouts/a")
                            .texts_attribute("controls_left_out")
                            .value();
  REQUIRE(left_out.size() == 1);
  CHECK_SAYS(left_out[0], "self_trained: it tells classes apart");
  CHECK_THROWS_WITH(run_text(folder, yaml("[{self_trained: {memory: 1}}]", of_classes)),
                    ContainsSubstring("controls[0].self_trained.memory"));
  CHECK_THROWS_WITH(run_text(folder, yaml("[{frozen: {memory: 10}}]", of_classes)),
                    ContainsSubstring("it has no keys"));
  CHECK_THROWS_WITH(run_text(folder, yaml("[{self_trained: {memry: 10}}]", of_classes)),
                    ContainsSubstring("did you mean"));
}
