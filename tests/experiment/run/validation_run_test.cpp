// SPDX-License-Identifier: MIT
// Networks with a validation part: what is in it, what it decides, and that nothing else does.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "../../../src/core/error.h"
#include "../../../src/core/random.h"
#include "../../../src/experiment/run/apply_network.h"
#include "../../../src/experiment/run/train.h"
#include "../../../src/experiment/sweep/member_table.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace fs = std::filesystem;

namespace {

/// A series that a network with many neurons fits too well: noise in few samples.
const std::string kNoisy =
    "experiment: noisy\nseed: 5\n"
    "data: {source: generator, kind: mackey_glass, steps: 260, window: 6, noise: 0.2,\n"
    "       normalize: zscore}\n"
    "network:\n  layers:\n"
    "    - {type: flatten}\n"
    "    - {type: dense, size: 24, activation: tanh}\n"
    "    - {type: dense, size: 1}\n"
    "  target: {channel: 0, horizon: 4}\n"
    "  optimizer: {type: adam, learning_rate: 0.02}\n"
    "  epochs: 80\n"
    "  batch_size: 16\n"
    "  validation: 0.3\n"
    "  early_stop: {patience: 4}\n"
    "checkpoint: {every: 5}\n";

Experiment load_valid(const TempDir& folder, const std::string& text,
                      std::vector<std::string> settings = {}, const std::string& name = "r") {
  settings.push_back("device=cpu");
  return load_experiment(folder.write("e.yaml", text),
                         {.set = settings, .output = folder.path(name + ".h5")});
}

TrainingSummary train_valid(const TempDir& folder, const std::string& text,
                            std::vector<std::string> settings = {}, RunOptions options = {},
                            const std::string& name = "r") {
  options.overwrite = true;
  Experiment experiment = load_valid(folder, text, std::move(settings), name);
  return train_network(experiment, options);
}

std::string refusal(const TempDir& folder, const std::string& text,
                    const std::vector<std::string>& settings) {
  return complaint_of<ConfigError>([&] { load_valid(folder, text, settings); });
}

std::vector<std::int64_t> integers(const hdf5::File& file, const std::string& path) {
  return file.open_dataset(path).read<std::int64_t>();
}

}  // namespace

FOLDER_TEST_CASE("the validation part of a series ends the training part, and parts keep apart") {
  const std::vector<std::string> validated = {"network.validation=0.25"};
  train_valid(folder, kSeries, validated);
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  // 595 samples have a target.  416 come before the test, of which the last quarter begins at 312
  // (0.7 * 0.75 * 595 = 312.4); of each part but the last the window + horizon = 13 samples
  // before the border are left out.
  const std::vector<std::int64_t> kept = integers(file, "validation/step");
  REQUIRE(std::ssize(kept) == 416 - 312 - 13);
  CHECK(kept.front() == 312 + 7);
  CHECK(kept.back() == 416 - 13 - 1 + 7);
  CHECK(integers(file, "test/step").front() == 416 + 7);
  const hdf5::Group data = file.open_group("data");
  CHECK(data.integer_attribute("train_samples") == 312 - 13);
  CHECK(data.integer_attribute("validation_samples") == 91);
  CHECK(data.integer_attribute("purged_samples") == 26);
  CHECK(data.integer_attribute("test_samples") == 179);

  // Scores follow from what is stored.
  const auto predicted = file.open_dataset("validation/prediction").read<double>();
  const auto target = file.open_dataset("validation/target").read<double>();
  const double count = static_cast<double>(target.size());
  const double mean = std::accumulate(target.begin(), target.end(), 0.0) / count;
  double error = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    error += std::pow(predicted[i] - target[i], 2);
    variance += std::pow(target[i] - mean, 2);
  }
  const hdf5::Group scored = file.open_group("validation");
  CHECK(*scored.number_attribute("nrmse") == Approx(std::sqrt(error / variance)).epsilon(1e-5));
  CHECK(*scored.number_attribute("loss") == Approx(error / count).epsilon(1e-4));
  CHECK(scored.text_attribute("baseline") == "persistence");
  const auto losses = file.open_dataset("history/validation_loss").read<double>();
  REQUIRE(losses.size() == 20);
  CHECK(losses.back() == Approx(error / count).epsilon(1e-4));
  CHECK(file.open_group("network").text_attribute("stopped_early") == "false");
  CHECK_FALSE(file.open_group("network").integer_attribute("best_epoch"));
}

FOLDER_TEST_CASE("whole groups are trained on, validated by and tested with") {
  std::string rows = "subject,x\n";
  // Ten subjects of 30 rows, each in two stretches.
  for (int stretch = 0; stretch < 20; ++stretch) {
    for (int i = 0; i < 15; ++i) {
      rows += "s" + std::to_string(stretch % 10) + "," +
              std::to_string(std::sin(0.3 * (15 * stretch + i))) + "\n";
    }
  }
  folder.write("s.csv", rows);
  std::string text = kSeries;
  const std::size_t at = text.find("data: {");
  text.replace(at, text.find("network:") - at,
               "data: {source: file, path: s.csv, columns: [x], window: 4, groups: subject}\n");
  train_valid(folder, text,
              {"network.validation=0.4", "network.epochs=1", "network.target.horizon=1"});
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const auto subjects = [&](const std::string& path) {
    std::set<std::int64_t> found;
    for (const std::int64_t row : integers(file, path)) found.insert(row / 15 % 10);
    return found;
  };
  // 0.7 * 0.6 * 10 = 4.2 subjects are trained on, up to 7 validate.
  CHECK(subjects("validation/step") == std::set<std::int64_t>{4, 5, 6});
  CHECK(subjects("test/step") == std::set<std::int64_t>{7, 8, 9});
  // A window of 4 and the target: 5 rows on each side of what is told apart are left out.
  for (const std::int64_t row : integers(file, "validation/step")) {
    const std::int64_t within = row % 15;
    if (row / 15 % 10 == 6) CHECK(within < 15 - 1);
  }
}

FOLDER_TEST_CASE("moments of a series with a validation part are of what is trained on alone") {
  const auto mean_of = [&](const std::vector<std::string>& settings) {
    train_valid(folder, kNoisy, settings);
    return hdf5::File::open(folder.path("r.h5")).open_dataset("data/mean").read<double>().front();
  };
  // Samples 0 to end - 1 read the rows 0 to end + 4; 256 have a target, 179 are before the test.
  const Experiment experiment = load_valid(folder, kNoisy, {"data.normalize=none"});
  std::vector<double> rows(265);
  experiment.series->read(0, 265, rows);
  const auto mean_to = [&](std::int64_t end) {
    return std::accumulate(rows.begin(), rows.begin() + end, 0.0) / static_cast<double>(end);
  };
  const std::vector<std::string> none = {"network.validation=0", "network.early_stop=none",
                                         "network.epochs=1"};
  CHECK(mean_of(none) == Approx(mean_to(179 - 10 + 5)).epsilon(1e-9));
  CHECK(mean_of({"network.epochs=1"}) == Approx(mean_to(125 - 10 + 5)).epsilon(1e-9));
}

FOLDER_TEST_CASE(
    "a training stops when the validation loss no longer falls, with the best weights") {
  const TrainingSummary summary = train_valid(folder, kNoisy);
  CHECK(summary.status == RunStatus::complete);
  CHECK(summary.stopped_early);
  REQUIRE(summary.steps_done < 80);
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const auto losses = file.open_dataset("history/validation_loss").read<double>();
  REQUIRE(std::ssize(losses) == summary.steps_done);
  const std::int64_t best = std::min_element(losses.begin(), losses.end()) - losses.begin();
  CHECK(summary.best_epoch == best);
  CHECK(summary.steps_done == best + 1 + 5);  // more than 4 without progress
  CHECK(file.open_group("network").integer_attribute("best_epoch") == best);
  CHECK(file.open_group("network").text_attribute("stopped_early") == "true");
  CHECK(file.integer_attribute("steps") == 80);
  CHECK(file.integer_attribute("steps_done") == summary.steps_done);
  CHECK(summary.validation.loss == Approx(losses[static_cast<std::size_t>(best)]).epsilon(1e-6));
  CHECK_SAYS(summary.text(), "best in epoch " + std::to_string(best + 1));

  // The same training that is told to end there has the same weights.
  train_valid(folder, kNoisy,
              {"network.epochs=" + std::to_string(best + 1), "network.early_stop=none"}, {},
              "short");
  const hdf5::File other = hdf5::File::open(folder.path("short.h5"));
  for (const char* const path : {"network/layers/1/weights", "network/layers/2/bias"}) {
    CHECK(file.open_dataset(path).read<float>() == other.open_dataset(path).read<float>());
  }
  CHECK(file.open_dataset("test/prediction").read<float>() ==
        other.open_dataset("test/prediction").read<float>());

  // Without going back the weights are the last ones.
  train_valid(folder, kNoisy, {"network.early_stop={patience: 4, restore_best: false}"}, {},
              "last");
  train_valid(folder, kNoisy,
              {"network.epochs=" + std::to_string(summary.steps_done), "network.early_stop=none"},
              {}, "short");
  CHECK(hdf5::File::open(folder.path("last.h5"))
            .open_dataset("network/layers/1/weights")
            .read<float>() == hdf5::File::open(folder.path("short.h5"))
                                  .open_dataset("network/layers/1/weights")
                                  .read<float>());
}

FOLDER_TEST_CASE("nothing but the validation part decides when training ends") {
  // Test targets that are something else change neither the weights nor the end.
  std::string rows = "x\n";
  std::string changed = rows;
  const RandomStream random{9, 1};
  std::vector<double> noise(300);
  random.normals(0, noise);
  for (std::size_t i = 0; i < 300; ++i) {
    const double x = std::sin(0.2 * static_cast<double>(i)) + 0.4 * noise[i];
    rows += std::to_string(x) + "\n";
    changed += std::to_string(i < 210 ? x : 10.0 * noise[i]) + "\n";  // 0.7 of the rows
  }
  folder.write("a.csv", rows);
  folder.write("b.csv", changed);
  std::string text = kNoisy;
  const std::size_t at = text.find("data: {");
  text.replace(at, text.find("network:") - at,
               "data: {source: file, path: a.csv, window: 6, normalize: zscore}\n");
  train_valid(folder, text, {}, {}, "a");
  train_valid(folder, text, {"data.path=b.csv"}, {}, "b");
  const hdf5::File a = hdf5::File::open(folder.path("a.h5"));
  const hdf5::File b = hdf5::File::open(folder.path("b.h5"));
  CHECK(a.open_dataset("history/validation_loss").read<double>() ==
        b.open_dataset("history/validation_loss").read<double>());
  CHECK(a.open_dataset("network/layers/1/weights").read<float>() ==
        b.open_dataset("network/layers/1/weights").read<float>());
  CHECK(a.open_dataset("data/mean").read<double>() == b.open_dataset("data/mean").read<double>());
  CHECK(a.open_dataset("history/test_loss").read<double>() !=
        b.open_dataset("history/test_loss").read<double>());
}

TEST_CASE("images that validate are drawn by the seed, and trained on no more") {
  const ImageFolder folder;
  train_valid(folder, kImages, {"network.validation=0.2"});
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const std::vector<std::int64_t> images = integers(file, "validation/image");
  REQUIRE(images.size() == 60);
  // docs/experiments.md says how they are drawn.
  std::vector<double> drawn(300);
  RandomStream::named(4, "data/validation").uniforms(0, drawn);
  std::vector<std::int64_t> order(300);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return drawn[static_cast<std::size_t>(a)] < drawn[static_cast<std::size_t>(b)];
  });
  CHECK(std::set(images.begin(), images.end()) == std::set(order.begin(), order.begin() + 60));
  CHECK(std::is_sorted(images.begin(), images.end()));
  const std::vector<std::int64_t> target = integers(file, "validation/target");
  for (std::size_t i = 0; i < 60; ++i) CHECK(target[i] == (images[i] * 7 + 3) % 4);
  CHECK(file.open_group("data").integer_attribute("train_samples") == 240);
  CHECK(file.open_group("data").integer_attribute("validation_samples") == 60);
  CHECK(*file.open_group("validation").number_attribute("accuracy") > 0.9);
  CHECK(file.open_dataset("history/validation_accuracy").read<double>().size() == 4);
}

FOLDER_TEST_CASE(
    "a training that stops early and is killed or interrupted ends with the same bytes") {
  const auto path = [&](const std::string& name) { return folder.path(name + "/r.h5"); };
  const auto run = [&](const std::string& name, const RunOptions& options) {
    Experiment experiment = load_experiment(folder.write("e.yaml", kNoisy),
                                            {.set = {"device=cpu"}, .output = path(name)});
    return train_network(experiment, options);
  };
  // 115 samples are trained on, in 8 batches.
  RunOptions kills;
  std::int64_t step = 0;
  std::set<std::int64_t> taken;
  kills.on_progress = [&](const Progress& progress) {
    if (!progress.ends_part) ++step;
    const bool is_wanted = progress.ends_part ? step >= 40 : step == 21 || step == 47;
    if (!is_wanted || !fs::exists(path("uncut") + ".checkpoint.0")) return;
    const std::string name = std::to_string(step) + (progress.ends_part ? "e" : "b");
    fs::copy(folder.path("uncut"), folder.path(name));
    taken.insert(step);
  };
  const TrainingSummary whole = run("uncut", kills);
  REQUIRE(whole.stopped_early);
  REQUIRE(taken.size() > 3);
  const gaia::test::Datasets uncut = datasets_of(path("uncut"));
  std::int64_t resumed = 0;
  for (const auto& entry : fs::directory_iterator(folder.path("."))) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || name == "uncut") continue;
    INFO(name);
    auto cut = open_cut_run(path(name));
    REQUIRE(cut);
    RunOptions options;
    options.cut = &cut->run;
    const TrainingSummary done = train_network(cut->experiment, options);
    CHECK(done.status == RunStatus::complete);
    CHECK(done.stopped_early);
    CHECK(done.best_epoch == whole.best_epoch);
    check_same_datasets(uncut, datasets_of(path(name)));
    ++resumed;
  }
  CHECK(resumed == std::ssize(taken) + 0);

  // Asked to stop at the end of each epoch, also of the last one.
  for (std::int64_t epoch = 1; epoch <= whole.steps_done; epoch += 3) {
    const std::string name = "stopped" + std::to_string(epoch);
    INFO(name);
    std::atomic<bool> stop{false};
    RunOptions options;
    options.stop = &stop;
    options.on_progress = [&](const Progress& progress) {
      if (progress.ends_part && progress.steps_done == epoch) stop = true;
    };
    if (run(name, options).status == RunStatus::interrupted) {
      auto cut = open_cut_run(path(name));
      REQUIRE(cut);
      RunOptions rest;
      rest.cut = &cut->run;
      CHECK(train_network(cut->experiment, rest).stopped_early);
    }
    check_same_datasets(uncut, datasets_of(path(name)));
  }
}

FOLDER_TEST_CASE("members of a sweep are compared by the validation part where there is one") {
  train_valid(folder, kSeries, {"network.validation=0.25", "network.epochs=1"});
  std::vector<std::string> names;
  for (const MemberScore& score : gaia::scores_of(folder.path("r.h5"))) names.push_back(score.name);
  CHECK(names == std::vector<std::string>{"validation_loss", "validation_nrmse", "validation_r2"});
  CHECK_SAYS(test_text(folder.path("r.h5"), "validation_nrmse"), ", test nrmse ");
  train_valid(folder, kSeries, {"network.epochs=1"});
  names.clear();
  for (const MemberScore& score : gaia::scores_of(folder.path("r.h5"))) names.push_back(score.name);
  CHECK(names == std::vector<std::string>{"test_loss", "test_nrmse", "test_r2"});
}

FOLDER_TEST_CASE("without a validation part a file has none of it") {
  train_valid(folder, kSeries, {"network.epochs=1"});
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  CHECK_FALSE(file.has_group("validation"));
  CHECK_FALSE(file.open_group("history").has_dataset("validation_loss"));
  CHECK_FALSE(file.open_group("data").integer_attribute("validation_samples"));
}

FOLDER_TEST_CASE("a network with a validation part is applied as one without") {
  train_valid(folder, kNoisy);
  folder.write("new.csv", [] {
    std::string rows = "x\n";
    for (int i = 0; i < 60; ++i) rows += std::to_string(std::sin(0.3 * i)) + "\n";
    return rows;
  }());
  const NetworkApplication made = apply_network(
      folder.path("r.h5"), {.data = folder.path("new.csv"), .output = folder.path("applied.h5")},
      {.overwrite = true});
  CHECK(made.targets == 60 - 5 - 4);
  CHECK_FALSE(hdf5::File::open(folder.path("applied.h5")).has_group("validation"));
}

FOLDER_TEST_CASE("what a validation part and early stopping do not take") {
  CHECK_SAYS(refusal(folder, kSeries, {"network.early_stop={patience: 3}"}),
             "network.early_stop: watches the loss of a validation part, and there is none; say "
             "network.validation: 0.1");
  CHECK_SAYS(refusal(folder, kSeries, {"network.validation=0.02"}),
             "network.validation: 600 steps, 5 ahead, give ", "0 to validate by",
             "21 are left out (purge)");
  CHECK_SAYS(refusal(folder, kSeries, {"network.validation=1"}), "network.validation");
  CHECK_SAYS(
      refusal(folder, kSeries, {"network.validation=0.2", "network.early_stop={patience: -1}"}),
      "network.early_stop.patience");
  const ImageFolder images;
  CHECK_SAYS(refusal(images, kImages, {"network.validation=0.003"}),
             "network.validation: 0.003 of 300 training images leaves 299 to train on and 1 to "
             "validate by");
  CHECK_SAYS(
      refusal(images, kImages,
              {"network.validation=0.2", "network.early_stop={}", "data.tasks={permute: 2}"}),
      "network.early_stop: ends one training, and data.tasks asks for several");
}

TEST_CASE("tasks are validated as they are shown") {
  const ImageFolder folder;
  train_valid(folder, kImages,
              {"network.validation=0.2", "data.tasks={permute: 2}", "network.epochs=2"});
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  CHECK(file.open_dataset("history/validation_accuracy").read<double>().size() == 4);
  CHECK(file.open_dataset("history/validation_accuracy").read<double>().back() ==
        *file.open_group("validation").number_attribute("accuracy"));
}

namespace {

/// Pictures of kImages, of which most are of class 0.
void write_rare(const TempDir& folder, const std::string& part, std::uint32_t count) {
  const RandomStream random = RandomStream::named(6, part);
  std::vector<double> noise(count * 64);
  random.uniforms(0, noise);
  std::string images;
  std::string labels;
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::uint32_t label = n % 20 == 7 ? 3 : n % 10 == 4 ? 1 : 0;
    labels += static_cast<char>(label);
    for (std::uint32_t i = 0; i < 64; ++i) {
      const bool bright = (i / 32 == label / 2) && ((i % 8) / 4 == label % 2);
      images += static_cast<char>(static_cast<int>(noise[n * 64 + i] * 200) + (bright ? 25 : 0));
    }
  }
  folder.write(part + "-images-idx3-ubyte", idx(3, {count, 8, 8}, images));
  folder.write(part + "-labels-idx1-ubyte", idx(1, {count}, labels));
}

double balanced_accuracy(const std::vector<std::int64_t>& target,
                         const std::vector<std::int64_t>& predicted) {
  double sum = 0.0;
  double classes = 0.0;
  for (std::int64_t c = 0; c < 4; ++c) {
    double hits = 0.0;
    double count = 0.0;
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (target[i] != c) continue;
      ++count;
      hits += predicted[i] == c;
    }
    if (count == 0.0) continue;
    sum += hits / count;
    ++classes;
  }
  return sum / classes;
}

}  // namespace

FOLDER_TEST_CASE("balanced classes weigh the loss of a network, in parts of a batch too") {
  write_rare(folder, "train", 200);
  write_rare(folder, "t10k", 200);
  const std::vector<std::string> settings = {"network.layers[3].probability=0"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), settings.begin(), settings.end());
    return more;
  };
  train_valid(folder, kImages, with({}), {}, "plain");
  train_valid(folder, kImages, with({"network.class_weight=balanced"}), {}, "balanced");
  const hdf5::File balanced = hdf5::File::open(folder.path("balanced.h5"));
  const hdf5::File plain = hdf5::File::open(folder.path("plain.h5"));
  // 200 pictures of 3 classes: 170, 20, 0 and 10.
  const auto weights = balanced.open_dataset("network/class_weights").read<double>();
  REQUIRE(weights.size() == 4);
  CHECK(weights[0] == Approx(200.0 / (3 * 170)).epsilon(1e-14));
  CHECK(weights[1] == Approx(200.0 / (3 * 20)).epsilon(1e-14));
  CHECK(weights[2] == 0.0);
  CHECK(weights[3] == Approx(200.0 / (3 * 10)).epsilon(1e-14));
  CHECK_FALSE(plain.open_group("network").has_dataset("class_weights"));
  const auto of = [](const hdf5::File& file) {
    return balanced_accuracy(integers(file, "test/target"), integers(file, "test/prediction"));
  };
  CHECK(of(balanced) > of(plain) + 0.1);

  // In members the gradients are added up in another order, of the same loss.
  train_valid(folder, kImages, with({"network.class_weight=balanced", "network.members=3"}), {},
              "members");
  const auto whole = balanced.open_dataset("history/loss").read<double>();
  const auto members =
      hdf5::File::open(folder.path("members.h5")).open_dataset("history/loss").read<double>();
  for (std::size_t i = 0; i < whole.size(); ++i)
    CHECK(members[i] == Approx(whole[i]).epsilon(1e-3));

  // gaia apply counts by the weights of the training.
  const auto again = apply_network(folder.path("balanced.h5"),
                                   {.data = folder.path("t10k-images-idx3-ubyte"),
                                    .output = folder.path("applied.h5"),
                                    .labels = folder.path("t10k-labels-idx1-ubyte")},
                                   {.overwrite = true});
  CHECK(again.score.loss ==
        Approx(*balanced.open_group("test").number_attribute("loss")).epsilon(1e-6));
  CHECK(hdf5::File::open(folder.path("applied.h5"))
            .open_dataset("network/class_weights")
            .read<double>() == weights);
}
