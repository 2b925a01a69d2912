// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/hierarchy_run.h"

#include <atomic>
#include <cmath>
#include <filesystem>

#include "../../../src/core/error.h"
#include "../../../src/core/parallel.h"
#include "../../../src/experiment/data/block_steps.h"
#include "../../../src/io/hdf5.h"
#include "../../../src/io/sha256.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../../support/log_capture.h"
#include "../../support/temp_dir.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// An experiment of a text that writes to r.h5 of a folder.
Experiment load(const TempDir& folder, const std::string& text,
                std::vector<std::string> settings = {}) {
  settings.push_back("device=cpu");
  return load_experiment(folder.write("e.yaml", text),
                         {.set = settings, .output = folder.path("r.h5")});
}

HierarchySummary run(const TempDir& folder, const std::string& text,
                     const std::vector<std::string>& settings = {}, RunOptions options = {}) {
  Experiment experiment = load(folder, text, settings);
  options.overwrite = true;
  return run_hierarchy(experiment, options);
}

const std::string kReadouts =
    "readouts:\n  - {name: one, target: {channel: 0, horizon: 2}, levels: [0, 1]}\n"
    "  - {name: two, target: {latent: 1}, levels: [1], split: 0.5}\n";

/// Every dataset of a group, and of those below, has a name, units, and a coordinate for each
/// axis.
void check_described(const hdf5::Group& group) {
  for (const std::string& name : group.datasets()) {
    const hdf5::Dataset dataset = group.open_dataset(name);
    INFO(dataset.place().path);
    CHECK_FALSE(dataset.text_attribute("long_name").value_or("").empty());
    CHECK_FALSE(dataset.text_attribute("units").value_or("").empty());
    if (dataset.text_attribute("CLASS") == "DIMENSION_SCALE") continue;
    for (const std::string& scale : dataset.scales()) CHECK_FALSE(scale.empty());
  }
  for (const std::string& name : group.groups()) check_described(group.open_group(name));
}

}  // namespace

FOLDER_TEST_CASE("a run leaves a complete file with everything that it promises") {
  const HierarchySummary summary =
      run(folder, kMinimal + kReadouts, {"output.inputs=all", "data.window=2"});
  CHECK(summary.status == RunStatus::complete);
  CHECK(summary.steps_done == 300);
  CHECK(summary.file == folder.path("r.h5"));
  CHECK_FALSE(std::filesystem::exists(folder.path("r.h5.partial")));
  CHECK_FALSE(std::filesystem::exists(folder.path("r.h5.lock")));

  const hdf5::File file = hdf5::File::open(summary.file);
  CHECK(file.text_attribute("status") == "complete");
  CHECK(file.text_attribute("experiment") == "minimal");
  CHECK(file.text_attribute("device") == "cpu");
  CHECK(file.integer_attribute("schema_version") == 1);
  CHECK(file.integer_attribute("steps") == 300);
  CHECK(file.integer_attribute("steps_done") == 300);
  CHECK(file.text_attribute("finished_utc")->size() == 20);
  CHECK(*file.number_attribute("wall_seconds") > 0.0);
  for (const char* name : {"gaia_version", "config", "config_file", "command_line", "created_utc",
                           "dtype", "precision", "hostname", "git_commit"}) {
    INFO(name);
    CHECK(file.text_attribute(name));
  }
  CHECK(file.integer_attribute("seed") == 0);
  CHECK(file.integer_attribute("threads") == num_threads());
  CHECK(file.open_group("levels").groups() == std::vector<std::string>{"0", "1"});
  CHECK(file.open_group("levels").datasets().empty());
  CHECK(file.open_group("levels/1/layers").groups() == std::vector<std::string>{"0", "1"});

  const hdf5::Dataset representation = file.open_dataset("levels/1/representation");
  CHECK(representation.shape() == std::vector<std::int64_t>{100, 2});
  CHECK(representation.scales() == std::vector<std::string>{"step", "neuron"});
  CHECK(representation.type() == hdf5::Type::float32);
  CHECK(file.open_dataset("levels/1/step").read<std::int64_t>()[99] == 297);
  CHECK(file.open_dataset("data/samples").shape() == std::vector<std::int64_t>{300, 6});
  CHECK(file.open_dataset("status/committed_steps").read<std::int64_t>().front() == 300);
  CHECK(file.open_dataset("checkpoint/0/step").read<std::int64_t>().front() == 300);
  CHECK(file.open_group("levels/1/layers/1").text_attribute("rule") == "bcm");
  CHECK(file.open_group("levels/1/layers/1").number_attribute("theta") == 1.0);
  CHECK(file.open_dataset("levels/1/layers/1/theta").shape() == std::vector<std::int64_t>{2});
  CHECK(file.open_dataset("levels/1/layers/0/bias").shape() == std::vector<std::int64_t>{4});

  const hdf5::Group readout = file.open_group("readouts/one");
  CHECK(readout.number_attribute("nrmse") == summary.readouts[0].score.nrmse);
  CHECK(readout.text_attribute("baseline") == "persistence");
  CHECK(readout.integer_attribute("target_horizon") == 2);
  CHECK(file.open_dataset("readouts/one/prediction").scales() == std::vector<std::string>{"step"});
  // The target is what the samples show `horizon` steps later, in the newest row.
  const std::vector<double> samples = file.open_dataset("data/samples").read<double>();
  const std::vector<double> target = file.open_dataset("readouts/one/target").read<double>();
  const std::vector<std::int64_t> step =
      file.open_dataset("readouts/one/step").read<std::int64_t>();
  for (std::size_t i = 0; i < target.size(); ++i) {
    CHECK(target[i] ==
          Approx(samples[static_cast<std::size_t>(step[i] + 2) * 6 + 3]).epsilon(1e-6));
  }
}

FOLDER_TEST_CASE("every dataset has a name, units and coordinates") {
  run(folder, kMinimal + kReadouts,
      {"output.inputs=all", "output.weights={every: 100}", "data.normalize=zscore",
       "data.sample_rate=10", "checkpoint.every=128",
       "hierarchy.levels[0].layers[0]={type: temporal, size: 5}"});
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  check_described(file);
  const std::vector<double> time = file.open_dataset("levels/1/time").read<double>();
  CHECK(time[1] == Approx(0.3));
  CHECK(file.open_dataset("levels/1/time").text_attribute("units") == "s");
  CHECK(file.open_dataset("levels/0/layers/0/recurrent").shape() ==
        std::vector<std::int64_t>{5, 5});
}

FOLDER_TEST_CASE("confusions have coordinates for the true class and the predicted one") {
  std::string csv = "a,state\n";
  for (int i = 0; i < 120; ++i) {
    csv += std::to_string(0.1 * (i % 7)) + (i % 3 == 0 ? ",cat\n" : ",bee\n");
  }
  folder.write("d.csv", csv);
  run(folder,
      "experiment: classes\ndata: {source: file, path: d.csv, columns: [a], labels: state}\n"
      "hierarchy:\n  levels:\n    - layers:\n        - {type: hebbian, size: 3, rule: oja}\n"
      "readouts:\n  - {name: state, type: logistic, target: {label: true}, levels: [0]}\n"
      "controls: [frozen]\n");
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  check_described(file);
  for (const char* const group : {"readouts/state", "readouts/state/controls/frozen"}) {
    INFO(group);
    const hdf5::Group scores = file.open_group(group);
    CHECK(scores.open_dataset("confusion").scales() ==
          std::vector<std::string>{"target_class", "predicted_class"});
    for (const char* const axis : {"target_class", "predicted_class"}) {
      CHECK(scores.open_dataset(axis).read<std::int64_t>() == std::vector<std::int64_t>{0, 1});
    }
  }
}

FOLDER_TEST_CASE("same seed, same bytes: in a second run and for any number of threads") {
  const std::string text = kMinimal + kReadouts;
  const std::vector<std::string> settings = {"data.steps=3000", "output.inputs=all",
                                             "hierarchy.levels[1].layers[0].size=150",
                                             "output.weights={every: 700}"};
  run(folder, text, settings);
  const auto first = datasets_of(folder.path("r.h5"));
  REQUIRE(first.size() > 40);
  const int before = num_threads();
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    run(folder, text, settings);
    const auto again = datasets_of(folder.path("r.h5"));
    REQUIRE(again.size() == first.size());
    for (const auto& [path, values] : first) {
      if (path == "/metrics/steps_per_second") continue;
      INFO(path << " with " << threads << " threads");
      CHECK(same_bits(values, again.at(path)));
    }
  }
  set_num_threads(before);
}

FOLDER_TEST_CASE(
    "another seed gives other weights, another level leaves those of the first alone") {
  run(folder, kMinimal);
  const auto first = datasets_of(folder.path("r.h5"));
  run(folder, kMinimal, {"seed=1"});
  const auto other = datasets_of(folder.path("r.h5"));
  const std::string key = "/levels/1/layers/1/weights_initial";
  CHECK_FALSE(same_bits(first.at(key), other.at(key)));
  run(folder, kMinimal + "    - layers: [{type: reactive, size: 9}]\n");
  const auto longer = datasets_of(folder.path("r.h5"));
  CHECK(same_bits(first.at(key), longer.at(key)));
  CHECK(same_bits(first.at("/levels/0/representation"), longer.at("/levels/0/representation")));
  CHECK(longer.count("/levels/2/layers/0/weights") == 1);
}

FOLDER_TEST_CASE("recording every N-th tick, the history of weights, and nothing at all") {
  run(folder, kMinimal, {"output.representations={every: 4}", "output.weights={every: 90}"});
  auto all = datasets_of(folder.path("r.h5"));
  CHECK(all.at("/levels/0/step").size() == 75);
  CHECK(all.at("/levels/0/step")[2] == 8.0);
  CHECK(all.at("/levels/1/step") == std::vector<double>{0,   12,  24,  36,  48,  60,  72,  84,  96,
                                                        108, 120, 132, 144, 156, 168, 180, 192, 204,
                                                        216, 228, 240, 252, 264, 276, 288});
  CHECK(all.at("/levels/1/layers/1/history/step") == std::vector<double>{0, 90, 180, 270});
  const std::vector<double>& history = all.at("/levels/1/layers/1/history/weights");
  const std::vector<double>& initial = all.at("/levels/1/layers/1/weights_initial");
  REQUIRE(history.size() == 4 * initial.size());
  CHECK(std::equal(initial.begin(), initial.end(), history.begin()));
  // Thresholds of BCM begin at 1, unless something else is said.
  const std::vector<double>& thresholds = all.at("/levels/1/layers/1/history/theta");
  REQUIRE(thresholds.size() == 8);
  CHECK((thresholds[0] == 1.0 && thresholds[1] == 1.0));
  // Reactive layers do not change, so they have no history.
  CHECK(all.count("/levels/1/layers/0/history/weights") == 0);

  // The weights after 90 steps are those at the end of a run of 90 steps.
  run(folder, kMinimal, {"data.steps=90"});
  const auto short_run = datasets_of(folder.path("r.h5"));
  const std::vector<double>& at_90 = short_run.at("/levels/1/layers/1/weights");
  for (std::size_t i = 0; i < at_90.size(); ++i) {
    CHECK(history[initial.size() + i] == Approx(at_90[i]).epsilon(1e-5));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(thresholds[2 + i] == Approx(short_run.at("/levels/1/layers/1/theta")[i]).epsilon(1e-5));
  }

  run(folder, kMinimal, {"output.representations=none", "output.weights=none"});
  all = datasets_of(folder.path("r.h5"));
  CHECK(all.count("/levels/0/representation") == 0);
  CHECK(all.count("/levels/0/layers/0/weights") == 0);
  CHECK(all.count("/levels/0/layers/0/weights_initial") == 0);
}

FOLDER_TEST_CASE("an interrupted run keeps what it did, and its state") {
  std::atomic<bool> stop{false};
  RunOptions options;
  options.stop = &stop;
  options.on_progress = [&](const Progress& progress) {
    if (progress.steps_done >= 512) stop = true;
  };
  const HierarchySummary summary = run(folder, kMinimal, {"data.steps=5000"}, options);
  CHECK(summary.status == RunStatus::interrupted);
  CHECK(summary.file == folder.path("r.h5.partial"));
  CHECK_FALSE(std::filesystem::exists(folder.path("r.h5")));
  CHECK(summary.steps_done < 5000);
  const hdf5::File file = hdf5::File::open(summary.file);
  CHECK(file.text_attribute("status") == "interrupted");
  CHECK(file.integer_attribute("steps_done") == summary.steps_done);
  CHECK(file.open_dataset("levels/0/step").shape().front() == summary.steps_done);
  CHECK(file.open_dataset("checkpoint/0/step").read<std::int64_t>().front() == summary.steps_done);
  const auto all = datasets_of(summary.file);
  CHECK(same_bits(all.at("/checkpoint/0/levels/1/layers/1/weights"),
                  all.at("/levels/1/layers/1/weights")));
}

FOLDER_TEST_CASE("a run stops by the clock") {
  RunOptions options;
  options.max_seconds = 1e-9;
  const HierarchySummary summary = run(folder, kMinimal, {"data.steps=100000"}, options);
  CHECK(summary.status == RunStatus::interrupted);
  CHECK(summary.steps_done > 0);
}

FOLDER_TEST_CASE("checkpoints are stored in turn, at multiples of their distance") {
  run(folder, kMinimal, {"data.steps=1000", "checkpoint.every=300"});
  const auto all = datasets_of(folder.path("r.h5"));
  // 300, 600, 900 and the end: slots 0, 1, 0, 1.
  CHECK(all.at("/checkpoint/0/step") == std::vector<double>{900});
  CHECK(all.at("/checkpoint/1/step") == std::vector<double>{1000});
  CHECK(same_bits(all.at("/checkpoint/1/levels/0/layers/0/weights"),
                  all.at("/levels/0/layers/0/weights")));
}

FOLDER_TEST_CASE("weights that grow without bound stop the run, with level, layer and step") {
  const std::string text = [] {
    std::string changed = kMinimal;
    changed.replace(changed.find("rule: oja, learning_rate: 0.01"), 30,
                    "rule: hebbian, learning_rate: 1.0");
    return changed;
  }();
  Experiment experiment = load(folder, text, {"data.steps=2000"});
  const DivergedError error = thrown_by<DivergedError>([&] { run_hierarchy(experiment); });
  CHECK(error.level == 0);
  CHECK(error.layer == 0);
  CHECK(error.step > 20);
  CHECK(error.step < 300);
  CHECK_SAYS(error.what(), "try a smaller learning_rate");
  CHECK(hdf5::File::open(folder.path("r.h5.partial")).text_attribute("status") == "failed");
  CHECK_FALSE(std::filesystem::exists(folder.path("r.h5")));
  CHECK_FALSE(std::filesystem::exists(folder.path("r.h5.lock")));
}

FOLDER_TEST_CASE("an existing result is refused and left as it is, and replaced when asked for") {
  run(folder, kMinimal);
  const std::string before = sha256_of_file(folder.path("r.h5"));
  Experiment again = load(folder, kMinimal, {"seed=5"});
  CHECK_THROWS_WITH_TEXT(run_hierarchy(again), OutputError, "exists; use --overwrite");
  CHECK(sha256_of_file(folder.path("r.h5")) == before);
  // A run that is told to overwrite, but fails, does not touch the result.
  RunOptions options;
  options.overwrite = true;
  options.max_seconds = 1e-9;
  Experiment longer = load(folder, kMinimal, {"data.steps=5000"});
  CHECK(run_hierarchy(longer, options).status == RunStatus::interrupted);
  CHECK(sha256_of_file(folder.path("r.h5")) == before);
  run(folder, kMinimal, {"seed=5"});
  CHECK(hdf5::File::open(folder.path("r.h5")).integer_attribute("seed") == 5);
  CHECK_FALSE(std::filesystem::exists(folder.path("r.h5.partial")));
}

FOLDER_TEST_CASE("blocks depend on the configuration alone and fit the work") {
  const auto block = [&](const std::vector<std::string>& settings) {
    const Experiment experiment = load(folder, kMinimal, settings);
    HierarchyManager hierarchy;
    HierarchicalLevel level(0, 3, 2, 1);
    hierarchy.add_level(std::move(level));
    return choose_block_steps(hierarchy, experiment.features(), experiment.steps, true);
  };
  CHECK(block({"data.steps=100"}) == 256);
  CHECK(block({"data.steps=100000"}) == 2048);
  CHECK(block({"data.steps=100000000"}) == 16384);
}

FOLDER_TEST_CASE("a file is read, normalised and named by its hash") {
  std::string csv = "t,x,y\n";
  for (int r = 0; r < 200; ++r) {
    csv += std::to_string(r) + "," + std::to_string(std::sin(0.1 * r)) + "," +
           std::to_string(r % 7) + "\n";
  }
  folder.write("d.csv", csv);
  std::string text = kMinimal;
  text.replace(text.find("source: generator"),
               text.find("steps: 300") - text.find("source: generator") + 10,
               "source: file, path: d.csv, columns: [x, y], normalize: minmax, window: 3");
  run(folder, text, {"output.inputs=all"});
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const hdf5::Group data = file.open_group("data");
  CHECK(data.text_attribute("sha256") == sha256_of_file(folder.path("d.csv")));
  CHECK(data.text_attribute("source") == "file");
  CHECK(data.integer_attribute("channels") == 2);
  CHECK(data.integer_attribute("samples") == 198);
  const std::vector<double> offset = file.open_dataset("data/mean").read<double>();
  const std::vector<double> scale = file.open_dataset("data/scale").read<double>();
  CHECK(offset[1] == 0.0);
  CHECK(scale[1] == 6.0);
  const std::vector<double> samples = file.open_dataset("data/samples").read<double>();
  // Sample 10: rows 10, 11, 12; y of row 12 is 5.
  CHECK(samples[10 * 6 + 5] == Approx(5.0 / 6.0));
}
