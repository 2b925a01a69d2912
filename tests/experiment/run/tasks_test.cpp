// SPDX-License-Identifier: MIT
#include <cmath>
#include <filesystem>
#include <set>

#include "../../../src/core/error.h"
#include "../../../src/core/random.h"
#include "../../../src/experiment/results/recover.h"
#include "../../../src/experiment/run/apply_network.h"
#include "../../../src/experiment/run/needs.h"
#include "../../../src/experiment/run/network_summary.h"
#include "../../../src/experiment/run/train.h"
#include "../../../src/experiment/setup/task_sequence.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace fs = std::filesystem;

namespace {

/// Three tasks of two epochs of 19 batches, a rate that falls and a layer that is rewired.
const std::string kTasks =
    "experiment: tasks\nseed: 4\n"
    "data: {source: images, folder: ., tasks: {permute: 3}}\n"
    "network:\n  layers:\n"
    "    - {type: flatten}\n"
    "    - {type: dense, size: 12, activation: relu, rewire: {density: 0.3, every: 7, by: "
    "products}}\n"
    "    - {type: dense, size: 4}\n"
    "  optimizer: {type: adam, learning_rate: 0.02}\n"
    "  consolidate: {method: ewc, strength: 3, samples: 40}\n"
    "  final_rate: 0.5\n"
    "  epochs: 2\n"
    "  batch_size: 16\n"
    "checkpoint: {every: 5}\n";
constexpr std::int64_t kBatchesOfTask = 38;

Experiment tasks_experiment(const ImageFolder& folder, const std::string& name,
                            std::vector<std::string> settings = {}) {
  settings.push_back("device=cpu");
  return load_experiment(folder.write("e.yaml", kTasks),
                         {.set = std::move(settings), .output = folder.path(name + "/r.h5")});
}

}  // namespace

TEST_CASE("tasks show the same pixels in other orders, which the file tells") {
  const ImageFolder folder;
  Experiment experiment = tasks_experiment(folder, "run");
  const TaskSequence tasks(experiment);
  REQUIRE(tasks.count() == 3);
  const std::vector<std::int64_t> order = tasks.permutation().to_vector<std::int64_t>();
  const RandomStream random = RandomStream::named(4, "data/tasks");
  for (std::size_t task = 0; task < 3; ++task) {
    std::vector<double> drawn(64);
    random.uniforms(task * 64, drawn);
    for (std::size_t i = 0; i < 64; ++i) {
      const auto pixel = static_cast<std::size_t>(order[task * 64 + i]);
      if (task == 0) CHECK(pixel == i);
      if (task == 0 || i == 0) continue;
      CHECK(drawn[static_cast<std::size_t>(order[task * 64 + i - 1])] < drawn[pixel]);
    }
  }
  const Array images = experiment.images->test_images.expand_dims(1);
  const std::vector<float> plain = images.to_vector<float>();
  const std::vector<float> shown = tasks.shown(images, 2).to_vector<float>();
  REQUIRE(shown.size() == plain.size());
  for (std::size_t k = 0; k < shown.size(); ++k) {
    CHECK(shown[k] == plain[k / 64 * 64 + static_cast<std::size_t>(order[128 + k % 64])]);
  }
  CHECK(train_network(experiment).status == RunStatus::complete);
  const auto file = datasets_of(folder.path("run/r.h5"));
  CHECK(file.contains("/tasks/permutation"));
  CHECK(file.contains("/tasks/importance/1.weights"));
}

TEST_CASE("what is forgotten is the best of earlier scores less the last one") {
  const double none = std::nan("");
  const TaskScores scores = task_scores({0.9, none, none, 0.95, 0.8, none, 0.5, 0.7, 0.6}, 3);
  CHECK(scores.mean_accuracy == Approx(0.6));
  CHECK(scores.forgetting == Approx((0.45 + 0.1) / 2.0));
  CHECK(std::isnan(task_scores({0.9}, 1).forgetting));
}

TEST_CASE("a network that is trained on tasks is scored in each of those so far") {
  const ImageFolder folder;
  Experiment experiment = tasks_experiment(folder, "run");
  const TrainingSummary summary = train_network(experiment);
  CHECK(summary.steps_done == 6);
  CHECK(summary.tasks == 3);
  const hdf5::File file = hdf5::File::open(folder.path("run/r.h5"));
  const std::vector<double> accuracy = file.open_dataset("/tasks/accuracy").read<double>();
  REQUIRE(accuracy.size() == 9);
  for (std::size_t trained = 0; trained < 3; ++trained) {
    for (std::size_t tested = 0; tested < 3; ++tested) {
      CHECK(std::isnan(accuracy[trained * 3 + tested]) == (tested > trained));
    }
    CHECK(accuracy[trained * 3 + trained] > 0.5);
  }
  CHECK(summary.task_scores.mean_accuracy ==
        Approx((accuracy[6] + accuracy[7] + accuracy[8]) / 3.0));
  CHECK(accuracy[8] == Approx(summary.score.accuracy));
  CHECK(summary.text().find("tasks    3, mean accuracy ") != std::string::npos);
}

TEST_CASE("killed in any task a training goes on to the same bytes") {
  const char* const held = GENERATE("{method: ewc, strength: 3, samples: 40}",
                                    "{method: synaptic_intelligence, strength: 1}", "none");
  INFO(held);
  const ImageFolder folder;
  const std::vector<std::string> settings = {std::string("network.consolidate=") + held};
  const std::set<std::int64_t> kills = {17, kBatchesOfTask, kBatchesOfTask + 23,
                                        2 * kBatchesOfTask + 1, 3 * kBatchesOfTask - 1};
  Experiment experiment = tasks_experiment(folder, "uncut", settings);
  RunOptions options;
  std::int64_t step = 0;
  options.on_progress = [&](const Progress& progress) {
    if (progress.ends_part || !kills.contains(++step)) return;
    fs::copy(folder.path("uncut"), folder.path(std::to_string(step)));
  };
  train_network(experiment, options);
  const auto uncut = datasets_of(folder.path("uncut/r.h5"));
  for (const std::int64_t kill : kills) {
    INFO("killed after step " << kill);
    auto cut = open_cut_run(folder.path(std::to_string(kill) + "/r.h5"));
    REQUIRE(cut);
    RunOptions on;
    on.cut = &cut->run;
    CHECK(train_network(cut->experiment, on).status == RunStatus::complete);
    check_same_datasets(uncut, datasets_of(folder.path(std::to_string(kill) + "/r.h5")));
  }
}

TEST_CASE("what was trained on tasks is applied to pictures as they are") {
  const ImageFolder folder;
  Experiment experiment = tasks_experiment(folder, "run");
  train_network(experiment);
  ApplyOptions options;
  options.data = folder.path("t10k-images-idx3-ubyte");
  options.labels = folder.path("t10k-labels-idx1-ubyte");
  options.output = folder.path("applied.h5");
  const NetworkApplication applied = apply_network(folder.path("run/r.h5"), options, {});
  const hdf5::File file = hdf5::File::open(folder.path("run/r.h5"));
  CHECK(applied.score.accuracy == Approx(file.open_dataset("/tasks/accuracy").read<double>()[6]));
}

TEST_CASE("tasks are for networks on pictures, and what holds weights is for tasks") {
  const ImageFolder folder;
  const auto told = [&](std::vector<std::string> settings) {
    return complaint_of<ConfigError>([&] { tasks_experiment(folder, "x", settings); });
  };
  CHECK_SAYS(told({"data.tasks=none"}), "network.consolidate");
  CHECK_SAYS(told({"data.tasks.permute=1"}), "there is one task");
  CHECK_SAYS(told({"data.tasks.permute=0"}), "data.tasks.permute");
  CHECK_SAYS(told({"network.consolidate.method=ewk"}), "ewc");
  CHECK_SAYS(told({"network.layers.1.rewire.density=0"}), "rewire.density");
  const std::string series = folder.write(
      "s.yaml", std::string(gaia::test::kSeries)
                    .insert(gaia::test::kSeries.find("window: 8"), "tasks: {permute: 2}, "));
  CHECK_SAYS(complaint_of<ConfigError>([&] { load_experiment(series, {}); }),
             "other orders of the pixels");
}

TEST_CASE("a check says how many tasks there are, and whether anything is held") {
  const ImageFolder folder;
  const auto told = [&](std::vector<std::string> settings) {
    return checked_network(tasks_experiment(folder, "x", std::move(settings))).text;
  };
  CHECK_SAYS(told({}),
             "tasks    3 one after another, 2 epochs each; network.consolidate holds what earlier "
             "ones need");
  CHECK_SAYS(told({"network.consolidate=none", "network.epochs=1"}),
             "1 epoch each; nothing holds what earlier ones need");
}
