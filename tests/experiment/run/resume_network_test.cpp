// SPDX-License-Identifier: MIT
#include <atomic>
#include <filesystem>
#include <set>

#include "../../../src/core/error.h"
#include "../../../src/experiment/results/recover.h"
#include "../../../src/experiment/run/train.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/emulated_device.h"
#include "../../support/log_capture.h"
#include "../../support/long_tests.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace fs = std::filesystem;

namespace {

/// 139 samples in 9 batches, 4 epochs: 36 optimiser steps.
constexpr std::int64_t kBatches = 9;
constexpr std::int64_t kEpochs = 4;

/// A network with everything that training carries along: the optimiser's memory, a rate that
/// falls, dropout, running statistics, plastic weights and thresholds, traces and diagnostics.
const std::string kEverything =
    "experiment: cut\nseed: 3\n"
    "data: {source: generator, kind: mackey_glass, steps: 200, window: 6, normalize: zscore}\n"
    "network:\n  layers:\n"
    "    - {type: gru, size: 5}\n"
    "    - {type: hebbian, size: 6, rule: bcm, learning_rate: 0.001, normalization: max_norm}\n"
    "    - {type: dense, size: 8, activation: tanh}\n"
    "    - {type: plastic_linear, size: 7, bias: true}\n"
    "    - {type: batch_norm}\n"
    "    - {type: dropout, probability: 0.2}\n"
    "    - {type: dense, size: 1}\n"
    "  optimizer: {type: adam, learning_rate: 0.01}\n"
    "  clip_norm: 0.5\n"
    "  final_rate: 0.1\n"
    "  epochs: 4\n"
    "  batch_size: 16\n"
    "checkpoint: {every: 4}\n";

/// Trainings of one experiment, each in a folder of its own.
class Trainings {
 public:
  Trainings(const TempDir& folder, std::string text, std::vector<std::string> settings)
      : folder_(folder), text_(std::move(text)), settings_(std::move(settings)) {}

  std::string result(const std::string& name) const { return folder_.path(name + "/r.h5"); }

  TrainingSummary train(const std::string& name, const RunOptions& options = {}) const {
    Experiment experiment =
        load_experiment(folder_.write("e.yaml", text_), {.set = settings_, .output = result(name)});
    return train_network(experiment, options);
  }

  /// Trains to the end; after each of these optimiser steps all files are copied to a folder of
  /// that name, as a kill would leave them.
  void train_with_kills(const std::string& name, const std::set<std::int64_t>& steps) const {
    RunOptions options;
    std::int64_t step = 0;
    options.on_progress = [&](const Progress& progress) {
      if (progress.ends_part || !steps.contains(++step)) return;
      fs::copy(folder_.path(name), folder_.path(std::to_string(step)));
    };
    train(name, options);
  }

  TrainingSummary resume(const std::string& name, RunOptions options = {}) const {
    auto cut = open_cut_run(result(name));
    REQUIRE(cut);
    options.cut = &cut->run;
    return train_network(cut->experiment, options);
  }

  void check_same(const std::string& name, const Datasets& uncut) const {
    check_same_datasets(uncut, datasets_of(result(name)));
    for (const auto& entry : fs::directory_iterator(folder_.path(name))) {
      CHECK(entry.path().filename() == "r.h5");
    }
  }

 private:
  const TempDir& folder_;
  std::string text_;
  std::vector<std::string> settings_;
};

/// Three of the steps after the first checkpoint, ten in long tests.
std::set<std::int64_t> some_steps(std::uint64_t seed) {
  std::set<std::int64_t> steps;
  const RandomStream random = RandomStream::named(seed, "cuts");
  for (std::uint64_t i = 0; steps.size() < few_or_many<std::size_t>(3, 10); ++i) {
    steps.insert(4 + random.integer(i, kBatches * kEpochs - 3));
  }
  return steps;
}

/// A training that is interrupted after `steps` batches or epochs' ends.
RunOptions interrupted_after(std::atomic<bool>& stop, std::int64_t& seen, std::int64_t steps,
                             bool of_epochs) {
  RunOptions options;
  options.stop = &stop;
  options.on_progress = [&stop, &seen, steps, of_epochs](const Progress& progress) {
    if (progress.ends_part == of_epochs && ++seen == steps) stop = true;
  };
  return options;
}

}  // namespace

TEST_CASE("killed at any step a training goes on to the same bytes, under every optimiser") {
  std::uint64_t seed = 0;
  for (const char* const optimizer :
       {"{type: sgd, learning_rate: 0.01}", "{type: sgd, learning_rate: 0.01, momentum: 0.9}",
        "{type: sgd, learning_rate: 0.01, momentum: 0.9, nesterov: true}",
        "{type: adam, learning_rate: 0.01}", "{type: adamw, learning_rate: 0.01}",
        "{type: rmsprop, learning_rate: 0.003}",
        "{type: rmsprop, learning_rate: 0.003, momentum: 0.5}", "{type: lion}"}) {
    INFO(optimizer);
    const TempDir folder;
    const Trainings trainings(folder, kEverything,
                              {"device=cpu", std::string("network.optimizer=") + optimizer,
                               std::string("dtype=") + (seed % 2 == 0 ? "float32" : "float64")});
    const std::set<std::int64_t> steps = some_steps(seed++);
    trainings.train_with_kills("uncut", steps);
    const Datasets uncut = datasets_of(trainings.result("uncut"));
    REQUIRE(uncut.at("/history/loss").size() == kEpochs);
    for (const std::int64_t step : steps) {
      INFO("killed after step " << step);
      CHECK(trainings.resume(std::to_string(step)).status == RunStatus::complete);
      trainings.check_same(std::to_string(step), uncut);
    }
  }
}

TEST_CASE("a training that is stopped by the last batch of an epoch goes on behind that epoch") {
  // A checkpoint is due by that batch too.
  for (const std::int64_t epochs : {1, 2}) {
    const TempDir folder;
    const Trainings trainings(folder, kEverything,
                              {"device=cpu", "checkpoint.every=" + std::to_string(kBatches)});
    trainings.train("uncut");
    std::atomic<bool> stop = false;
    std::int64_t seen = 0;
    const auto cut =
        trainings.train("cut", interrupted_after(stop, seen, epochs * kBatches, false));
    REQUIRE(cut.status == RunStatus::interrupted);
    CHECK(cut.steps_done == epochs);
    {
      const auto found = open_cut_run(trainings.result("cut"));
      REQUIRE(found);
      const Checkpoint& checkpoint = found->run.found.checkpoint;
      CHECK(checkpoint.arrays.at("epoch").to_vector<double>().front() ==
            static_cast<double>(epochs));
    }
    CHECK(trainings.resume("cut").status == RunStatus::complete);
    trainings.check_same("cut", datasets_of(trainings.result("uncut")));
  }
}

TEST_CASE("a classifier that was killed goes on to the same bytes, counts of hits among them") {
  const gaia::test::ImageFolder folder;
  const Trainings trainings(folder, kImages,
                            {"device=cpu", "network.epochs=2", "checkpoint.every=3"});
  trainings.train_with_kills("uncut", {5, 19, 21, 38});
  const Datasets uncut = datasets_of(trainings.result("uncut"));
  for (const char* const name : {"5", "19", "21", "38"}) {
    INFO("killed after step " << name);
    trainings.resume(name);
    trainings.check_same(name, uncut);
  }
}

TEST_CASE("a training that was killed on a GPU goes on to the same bytes there") {
  const gaia::test::EmulatedDevice emulated;
  const TempDir folder;
  const Trainings trainings(folder, kEverything, {"device=cuda", "network.epochs=2"});
  trainings.train_with_kills("uncut", {7, 13});
  const Datasets uncut = datasets_of(trainings.result("uncut"));
  for (const char* const name : {"7", "13"}) {
    INFO("killed after step " << name);
    trainings.resume(name);
    trainings.check_same(name, uncut);
  }
}

FOLDER_TEST_CASE(
    "a training interrupted within an epoch, at its last batch and at its end goes on") {
  const Trainings trainings(folder, kEverything, {"device=cpu", "checkpoint.every=0"});
  trainings.train("uncut");
  const Datasets uncut = datasets_of(trainings.result("uncut"));
  struct Interruption {
    std::int64_t count;
    bool of_epochs;
    std::int64_t steps_done;
  };
  // Progress is reported after a batch; the batch after it is the last.
  for (const Interruption& at : {Interruption{3, false, 0}, Interruption{kBatches - 1, false, 0},
                                 Interruption{kBatches, false, 1}, Interruption{1, true, 1},
                                 Interruption{kBatches * kEpochs - 1, false, kEpochs - 1}}) {
    const std::string name = std::to_string(at.count) + (at.of_epochs ? "e" : "b");
    INFO(name);
    std::atomic<bool> stop{false};
    std::int64_t seen = 0;
    const TrainingSummary cut =
        trainings.train(name, interrupted_after(stop, seen, at.count, at.of_epochs));
    CHECK(cut.status == RunStatus::interrupted);
    CHECK(cut.steps_done == at.steps_done);
    const TrainingSummary done = trainings.resume(name);
    CHECK(done.status == RunStatus::complete);
    CHECK(done.steps_done == kEpochs);
    trainings.check_same(name, uncut);
    CHECK(hdf5::File::open(trainings.result(name)).texts_attribute("resumed_at")->size() == 1);
  }
}

FOLDER_TEST_CASE("a training stores its state by the clock and on request, without effect on it") {
  const Trainings trainings(folder, kEverything,
                            {"device=cpu", "checkpoint={every: 0, minutes: 0}"});
  trainings.train("uncut");
  const Datasets uncut = datasets_of(trainings.result("uncut"));
  std::atomic<bool> request{false};
  RunOptions options;
  options.checkpoint = &request;
  int stored = 0;
  options.on_progress = [&](const Progress&) {
    stored += fs::exists(checkpoint_path(trainings.result("asked"), 1)) ? 1 : 0;
    request = true;
  };
  trainings.train("asked", options);
  CHECK(stored > 20);
  trainings.check_same("asked", uncut);
}

TEST_CASE("images and labels that are no longer the same are refused") {
  const gaia::test::ImageFolder folder;
  const Trainings trainings(folder, kImages, {"device=cpu"});
  RunOptions options;
  options.max_seconds = 1e-9;
  CHECK(trainings.train("r", options).status == RunStatus::interrupted);
  std::string labels(100, '\1');
  folder.write("t10k-labels-idx1-ubyte", gaia::test::idx(1, {100}, labels));
  CHECK_THROWS_WITH_TEXT(open_cut_run(trainings.result("r")), DataError,
                         "t10k-labels-idx1-ubyte: is not the file that the run has read");
}

FOLDER_TEST_CASE("the epochs that a killed training has committed are recovered") {
  const Trainings trainings(folder, kEverything, {"device=cpu"});
  trainings.train_with_kills("uncut", {2 * kBatches + 3});
  const Datasets uncut = datasets_of(trainings.result("uncut"));
  const Recovered saved = recover_results(trainings.result("21") + ".partial");
  CHECK(saved.steps == 2);
  CHECK(saved.steps_asked == kEpochs);
  CHECK(saved.unit == std::string("epochs"));
  const Datasets clean = datasets_of(saved.file);
  // What chance explains is found out of all test samples, when the training ends.
  for (const char* const of_end :
       {"/test/block", "/test/r2_without_block", "/test/baseline_r2_without_block"}) {
    CHECK(uncut.contains(of_end));
    CHECK_FALSE(clean.contains(of_end));
  }
  CHECK(clean.size() == uncut.size() - 3);
  for (const char* const series : {"/history/loss", "/history/test_loss", "/history/epoch"}) {
    const std::vector<double>& whole = uncut.at(series);
    CHECK(gaia::test::same_bits(clean.at(series), {whole.begin(), whole.begin() + 2}));
  }
  for (const double w : clean.at("/network/layers/0/input_weights")) CHECK(std::isfinite(w));
}
