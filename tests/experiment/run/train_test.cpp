// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/train.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>

#include "../../../src/array/ops.h"
#include "../../../src/core/error.h"
#include "../../../src/core/parallel.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/io/checkpoint_file.h"
#include "../../../src/io/output_files.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;
using Catch::Matchers::StartsWith;

namespace {

TrainingSummary train(const TempDir& folder, const std::string& text,
                      std::vector<std::string> settings = {}, RunOptions options = {}) {
  settings.push_back("device=cpu");
  options.overwrite = true;
  Experiment experiment = load_text(folder, text, settings);
  return train_network(experiment, options);
}

std::string refused(const TempDir& folder, const std::string& text,
                    std::vector<std::string> settings = {}) {
  settings.push_back("device=cpu");
  return complaint_about_text(folder, text, settings);
}

}  // namespace

TEST_CASE("a network learns to tell pictures apart, and its file holds what came of it") {
  const ImageFolder folder;
  const TrainingSummary summary = train(folder, kImages);
  CHECK(summary.status == RunStatus::complete);
  CHECK(summary.score.accuracy > 0.95);
  CHECK_SAYS(summary.text(), "4 of 4 epochs", "(the most frequent class: accuracy 0.",
             "verdict  the network is better than all that it is compared with; the next best is "
             "the most frequent class");

  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  CHECK(file.text_attribute("status") == "complete");
  CHECK(file.integer_attribute("steps_done") == 4);
  CHECK(*file.open_group("test").number_attribute("accuracy") == summary.score.accuracy);
  const std::vector<double> loss = file.open_dataset("history/loss").read<double>();
  REQUIRE(loss.size() == 4);
  CHECK(loss.back() < loss.front());
  CHECK(file.open_dataset("history/test_accuracy").read<double>().back() == summary.score.accuracy);
  CHECK(file.open_dataset("history/loss").scales() == std::vector<std::string>{"epoch"});
  CHECK(file.open_dataset("status/committed_steps").read<std::int64_t>().front() == 4);

  // Accuracy and confusion follow from predictions and targets.
  const auto predicted = file.open_dataset("test/prediction").read<std::int64_t>();
  const auto target = file.open_dataset("test/target").read<std::int64_t>();
  const auto confusion = file.open_dataset("test/confusion").read<std::int64_t>();
  REQUIRE(predicted.size() == 100);
  std::vector<std::int64_t> counted(16);
  double hits = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    ++counted[static_cast<std::size_t>(4 * target[i] + predicted[i])];
    hits += predicted[i] == target[i];
  }
  CHECK(counted == confusion);
  CHECK(hits / 100 == Approx(summary.score.accuracy));

  const hdf5::Dataset weights = file.open_dataset("network/layers/4/weights");
  CHECK(weights.shape() == std::vector<std::int64_t>{4, 48});
  CHECK(file.open_dataset("network/layers/0/weights").shape() ==
        std::vector<std::int64_t>{3, 1, 3, 3});
  CHECK(file.open_group("network/layers/0").text_attribute("activation") == "relu");
  CHECK(file.open_group("network").text_attribute("loss") == "cross_entropy");
}

FOLDER_TEST_CASE("a network forecasts a series, beside persistence") {
  const TrainingSummary summary = train(folder, kSeries);
  CHECK(summary.score.nrmse < 0.3);
  CHECK(summary.score.r2 == Approx(1 - summary.score.nrmse * summary.score.nrmse));
  CHECK(summary.score.baseline_nrmse > 0.5);
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const auto predicted = file.open_dataset("test/prediction").read<double>();
  const auto target = file.open_dataset("test/target").read<double>();
  const auto step = file.open_dataset("test/step").read<std::int64_t>();
  // 595 samples have a target; the first 416 are trained on, but for those next to the others.
  REQUIRE(target.size() == 179);
  // Sample i is the rows [i, i + 8), of which 7 + i is the newest.
  CHECK(step.front() == 416 + 7);
  const std::int64_t horizon = 5;
  const std::vector<double> rows = [&] {
    std::vector<double> values(607);
    load_experiment(folder.path("e.yaml"), {}).series->read(0, 607, values);
    return values;
  }();
  for (std::size_t i = 0; i < target.size(); ++i) {
    REQUIRE(target[i] == Approx(rows[static_cast<std::size_t>(step[i] + horizon)]).margin(1e-6));
  }
  double mean = 0;
  for (const double y : target) mean += y / 179;
  double error = 0;
  double variance = 0;
  double persistence = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    error += std::pow(predicted[i] - target[i], 2);
    variance += std::pow(target[i] - mean, 2);
    if (i + 5 < target.size()) persistence += std::pow(target[i] - target[i + 5], 2);
  }
  CHECK(summary.score.nrmse == Approx(std::sqrt(error / variance)).epsilon(1e-5));
  CHECK(summary.score.baseline_nrmse == Approx(std::sqrt(persistence / variance)).epsilon(0.1));
}

FOLDER_TEST_CASE("at horizon 0 a network stands beside the mean that it was trained on") {
  const TrainingSummary summary = train(folder, kSeries, {"network.target.horizon=0"});
  CHECK(summary.score.baseline == "mean");
  CHECK(summary.score.baseline_nrmse == Approx(1.0).margin(0.1));
  CHECK(summary.score.baseline_nrmse > 1.0);
  CHECK_SAYS(summary.text(), "(mean: NRMSE 1.0");
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const hdf5::Group stored = file.open_group("test");
  CHECK(stored.text_attribute("baseline") == "mean");
  CHECK(*stored.number_attribute("baseline_nrmse") == summary.score.baseline_nrmse);
}

TEST_CASE("images are scaled in the precision of the experiment") {
  const ImageFolder folder;
  const auto first = [&](const std::string& dtype) {
    const Experiment experiment = load_text(folder, kImages, {"device=cpu", "dtype=" + dtype});
    return experiment.images->train_images.to_vector<double>();
  };
  const std::vector<double> exact = first("float64");
  const auto of_pixel = [](double x) { return x == std::round(x * 255.0) / 255.0; };
  CHECK(std::all_of(exact.begin(), exact.end(), of_pixel));
  CHECK(first("float32") != exact);
}

TEST_CASE("the same seed trains the same network, with any number of threads") {
  const ImageFolder folder;
  const auto weights = [&](const std::vector<std::string>& settings) {
    train(folder, kImages, settings);
    return hdf5::File::open(folder.path("r.h5"))
        .open_dataset("network/layers/0/weights")
        .read<float>();
  };
  const int before = num_threads();
  const std::vector<float> two = weights({});
  set_num_threads(1);
  CHECK(weights({}) == two);
  set_num_threads(before);
  CHECK(weights({"seed=5"}) != two);
}

TEST_CASE("training that is asked to stop ends interrupted, with the epochs that were done") {
  const ImageFolder folder;
  std::atomic<bool> stop{false};
  RunOptions options;
  options.stop = &stop;
  options.on_progress = [&](const Progress& progress) {
    if (progress.share >= 0.25 && !progress.ends_part) stop = true;
  };
  const TrainingSummary summary = train(folder, kImages, {}, options);
  CHECK(summary.status == RunStatus::interrupted);
  CHECK(summary.steps_done == 1);
  CHECK(summary.file == folder.path("r.h5.partial"));
  const hdf5::File file = hdf5::File::open(summary.file);
  CHECK(file.text_attribute("status") == "interrupted");
  CHECK(file.open_dataset("history/loss").shape() == std::vector<std::int64_t>{1});
}

TEST_CASE("training tells how far it is after every batch and every epoch") {
  const ImageFolder folder;
  std::int64_t batches = 0;
  std::int64_t epochs = 0;
  RunOptions options;
  options.on_progress = [&](const Progress& progress) {
    CHECK_THAT(progress.text(), StartsWith("epoch   " + std::to_string(epochs + 1) + "/4  "));
    if (progress.ends_part) {
      CHECK(batches == 19 * ++epochs);
      CHECK(progress.share == static_cast<double>(epochs) / 4.0);
      return;
    }
    CHECK(progress.share == Approx(static_cast<double>(batches) / 76.0));
    CHECK(progress.steps_done == batches++ % 19 + 1);
    CHECK(progress.steps == 19);
    CHECK_THAT(progress.text(), !ContainsSubstring("nan"));
  };
  train(folder, kImages, {}, options);
  CHECK(epochs == 4);
}

FOLDER_TEST_CASE("training that diverges says so, and keeps the epochs before") {
  CHECK_THROWS_AS(train(folder, kSeries, {"network.optimizer={type: sgd, learning_rate: 1e4}"}),
                  DivergedError);
  const hdf5::File file = hdf5::File::open(folder.path("r.h5.partial"));
  CHECK(file.text_attribute("status") == "failed");
}

FOLDER_TEST_CASE("training that diverges in its last epoch is not complete") {
  // One batch: the loss of the epoch is from before the only step.
  CHECK_THROWS_AS(
      train(folder, kSeries,
            {"data.amplitudes=[100, 100]", "network.epochs=1", "network.batch_size=1000",
             "network.layers=[{type: flatten}, {type: dense, size: 8}, {type: dense, size: 8}, "
             "{type: dense, size: 8}, {type: dense, size: 1}]",
             "network.optimizer={type: sgd, learning_rate: 1e6}"}),
      DivergedError);
  const hdf5::File file = hdf5::File::open(folder.path("r.h5.partial"));
  CHECK(file.text_attribute("status") == "failed");
  CHECK(file.open_dataset("history/loss").shape() == std::vector<std::int64_t>{0});
}

FOLDER_TEST_CASE("training that diverges within an epoch leaves a state from before") {
  CHECK_THROWS_AS(
      train(folder, kSeries,
            {"network.optimizer={type: sgd, learning_rate: 1e4}", "checkpoint.every=1"}),
      DivergedError);
  for (int number = 0; number < kCheckpoints; ++number) {
    const Checkpoint checkpoint = read_checkpoint(checkpoint_path(folder.path("r.h5"), number));
    for (const auto& [name, value] : checkpoint.arrays) {
      INFO(number << ": " << name);
      for (const double x : value.to_vector<double>()) REQUIRE(std::isfinite(x));
    }
  }
}

FOLDER_TEST_CASE("every layer of a network can be built from its keys, and written back") {
  const std::string text =
      "experiment: all\n"
      "data: {source: generator, kind: mackey_glass, steps: 80, window: 12}\n"
      "network:\n  layers:\n"
      "    - {type: conv1d, channels: 4, kernel: 3, padding: 1, activation: gelu}\n"
      "    - {type: batch_norm}\n"
      "    - {type: lstm, size: 6, answer: sequence}\n"
      "    - {type: rnn, size: 5, answer: sequence}\n"
      "    - {type: differentiable_plasticity, size: 5, rule: oja, answer: sequence}\n"
      "    - {type: layer_norm}\n"
      "    - {type: gru, size: 6}\n"
      "    - {type: hebbian, size: 4, rule: oja, learning_rate: 0.001}\n"
      "    - {type: bit_linear, size: 3}\n"
      "    - {type: plastic_linear, size: 3, activation: tanh, bias: true, fast_decay: 0.9}\n"
      "    - {type: dense, size: 1, init: he}\n"
      "  loss: huber\n"
      "  optimizer: {type: lion}\n"
      "  epochs: 1\n";
  // Convolutions read [channels, length]: here the 12 rows of the window are channels.
  const TrainingSummary summary = train(folder, text);
  CHECK(summary.status == RunStatus::complete);
  const std::string resolved = *hdf5::File::open(folder.path("r.h5")).text_attribute("config");
  const Experiment again =
      load_experiment(folder.write("again.yaml", resolved), {.set = {"device=cpu"}});
  CHECK(to_yaml(again.config) == resolved);
}

TEST_CASE("keys that a network makes no use of are accepted with a warning") {
  const ImageFolder folder;
  const auto load = [&](const std::string& text, std::vector<std::string> settings) {
    settings.push_back("device=cpu");
    return load_experiment(folder.write("e.yaml", text), {.set = settings});
  };
  const std::string always =
      " has no effect without hierarchy (what is stored of a network is "
      "always the same)";
  const std::string series = " has no effect without a series (data.source: file or generator)";
  CHECK(load(kSeries, {}).warnings.empty());
  CHECK(load(kImages, {}).warnings.empty());
  // A map is reported once.
  CHECK(load(kSeries, {"output.representations.every=3", "output.weights=none", "output.inputs=all",
                       "output.compression=4", "checkpoint.every=0", "data.sample_rate=250"})
            .warnings ==
        std::vector<std::string>{
            "data.sample_rate has no effect without hierarchy (the results of a network count "
            "epochs)",
            "output.representations" + always, "output.weights" + always, "output.inputs" + always,
            "output.compression" + always});
  const Experiment images = load(kImages, {"data.steps=9", "data.window=2", "data.normalize=zscore",
                                           "network.target.channel=0", "network.split=0.5"});
  CHECK(images.warnings == std::vector<std::string>{"data.steps" + series, "data.window" + series,
                                                    "data.normalize" + series,
                                                    "network.target" + series,
                                                    "network.split" + series});
  // Nor are they written back: what the results file holds can be run without a warning.
  const Experiment again = load(to_yaml(images.config), {});
  CHECK(again.warnings.empty());
  CHECK(to_yaml(again.config) == to_yaml(images.config));
}

FOLDER_TEST_CASE("a batch that batch_norm cannot train on is told before anything runs") {
  // 613 samples have a target; the first 429 are trained on, but for 13 whose windows or targets
  // reach the others.
  std::string series = kSeries;
  series.replace(series.find("steps: 600"), 10, "steps: 618");
  const std::string layers =
      "network.layers=[{type: flatten}, {type: dense, size: 8}, {type: batch_norm}, "
      "{type: dense, size: 1}]";
  CHECK_SAYS(refused(folder, series, {layers, "network.batch_size=5"}),
             "network.batch_size: network.layers[2], batch_norm, needs at least 2 samples at a "
             "time, but the last batch of an epoch has 1 (416 samples to train on, in batches of "
             "5); choose another batch_size");
  CHECK_SAYS(refused(folder, series, {layers, "network.batch_size=1"}),
             "network.batch_size: network.layers[2], batch_norm, needs at least 2 samples at a "
             "time, but every batch has 1");
  CHECK_SAYS(
      refused(folder, series, {layers, "network.batch_size=16", "network.members=9"}),
      "network.members: network.layers[2], batch_norm, needs at least 2 samples at a time, but of "
      "a batch of 16 in 9 members one has 1; choose at most 8 members, or another batch_size");
  // The last batch has 416 - 3 * 137 = 5 samples.
  CHECK_SAYS(refused(folder, series, {layers, "network.batch_size=137", "network.members=3"}),
             "but of a batch of 5 in 3 members one has 1; choose at most 2 members, or another "
             "batch_size");
  CHECK_SAYS(refused(folder, series, {layers, "network.batch_size=5", "network.members=2"}),
             "network.batch_size: network.layers[2]");
  CHECK(refused(folder, series, {layers, "network.batch_size=137", "network.members=2"}) == "");
  CHECK(refused(folder, series, {layers, "network.batch_size=16", "network.members=8"}) == "");
  CHECK(refused(folder, series, {layers, "network.batch_size=416"}) == "");
  // Beside the channels there are positions: one sample is enough.
  CHECK(refused(folder, series,
                {"network.layers=[{type: batch_norm}, {type: gru, size: 4}, {type: dense, size: "
                 "1}]",
                 "network.batch_size=5", "data.channels=2"}) == "");
  CHECK(train(folder, series,
              {layers, "network.batch_size=16", "network.members=8", "network.epochs=1"})
            .status == RunStatus::complete);
}

TEST_CASE("networks that do not fit are told with their layer, before anything runs") {
  const ImageFolder folder;
  CHECK_SAYS(refused(folder, kImages, {"network.layers[4].size=3"}),
             "network.layers[4]: expected the last layer to answer 4 numbers");
  CHECK_SAYS(refused(folder, kImages, {"network.layers[0]={type: gru, size: 4}"}),
             "network.layers[0]: gru cannot read");
  CHECK_SAYS(refused(folder, kImages, {"network.layers[1].kernel=9"}),
             "network.layers[1]: max_pool2d cannot read");
  CHECK_SAYS(refused(folder, kImages, {"network.loss=mse"}),
             "network.loss: expected cross_entropy");
  CHECK_SAYS(refused(folder, kImages, {"data.folder=elsewhere"}), "dataset-fashion-mnist");
  // One of the four files, which `refused` wants reported as the others are.
  const std::string labels = folder.path("t10k-labels-idx1-ubyte");
  std::filesystem::rename(labels, labels + ".away");
  CHECK_SAYS(refused(folder, kImages), "data.folder: no t10k-labels-idx1-ubyte and no ");
  std::filesystem::rename(labels + ".away", labels);
  CHECK_SAYS(refused(folder, kImages, {"data.train_samples=301"}),
             "data.train_samples: expected at most 300, got 301");
  CHECK_SAYS(refused(folder, kSeries, {"network.target.channel=2"}),
             "network.target.channel: there is no channel 2; known: 0 to 0");
  CHECK_SAYS(refused(folder, kSeries, {"network.target.horizon=599"}),
             "at least 2 of each are needed");
  CHECK_SAYS(refused(folder, kSeries, {"network.loss=cross_entropy"}),
             "network.loss: expected mse, l1 or huber");
  CHECK_SAYS(refused(folder, kSeries, {"network.optimizer={type: adm}"}), "did you mean 'adam'");
  CHECK_SAYS(refused(folder, kSeries + "hierarchy: {levels: []}\n"),
             "exactly one of the keys hierarchy, network, agent, got 2");
  CHECK_SAYS(
      refused(folder, kSeries + "readouts: [{name: r, target: {channel: 0}, levels: [0]}]\n"),
      "readouts: readouts read levels of a hierarchy");
}
