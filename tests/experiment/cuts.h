// SPDX-License-Identifier: MIT
/// \file
/// Runs of one experiment that are cut in every way, each in a folder of its own.
#pragma once

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../src/experiment/run/hierarchy_run.h"
#include "../../src/experiment/run/resume.h"
#include "../support/catch.h"
#include "../support/datasets.h"
#include "../support/devices.h"
#include "../support/temp_dir.h"

namespace gaia::test {

inline constexpr std::int64_t kSteps = 600;

/// Three levels with everything that is carried from step to step: a pool, a reservoir, thresholds,
/// readouts that are training and readouts that predict; and everything that is recorded.
inline std::string everything(const std::string& rule, const std::string& pooling,
                              const std::string& dtype = "float32") {
  const std::string learning = "rule: " + rule + ", learning_rate: 0.002";
  return "experiment: cut\n"
         "seed: 7\n"
         "dtype: " +
         dtype +
         "\n"
         "data:\n"
         "  {source: generator, kind: ornstein_uhlenbeck, tau: [5, 40], channels: 3, noise: 0.1,\n"
         "   steps: " +
         std::to_string(kSteps) +
         ", window: 3, normalize: zscore, sample_rate: 10}\n"
         "hierarchy:\n  freeze_after: 500\n  levels:\n    - layers:\n"
         "        - {type: hebbian, size: 5, " +
         learning +
         ", normalization: max_norm}\n"
         "    - temporal_resolution: 3\n"
         "      pooling: " +
         pooling +
         "\n"
         "      layers:\n"
         "        - {type: temporal, size: 6, leak: 0.3}\n"
         "        - {type: hebbian, size: 4, " +
         learning +
         ",\n"
         "           homeostasis: {target: 0.1, strength: 0.001}, normalization: max_norm}\n"
         "    - temporal_resolution: 7\n"
         "      pooling: " +
         pooling +
         "\n"
         "      layers:\n"
         "        - {type: reactive, size: 5, activation: tanh}\n"
         "        - {type: hebbian, size: 3, " +
         learning +
         ", normalization: l2}\n"
         "readouts:\n"
         "  - {name: one, target: {channel: 1, horizon: 4}, levels: [0, 1, 2]}\n"
         "  - {name: two, target: {latent: 1, mean_over: 9}, levels: [1], split: 0.3, skip: 0.1}\n"
         "  - {name: three, target: {channel: 0, horizon: 2}, levels: [1], folds: 4, embargo: 5}\n"
         "output: {inputs: all, weights: {every: 90}}\n"
         "checkpoint: {every: 37}\n";
}

/// The scores of all readouts and of their controls, "/readouts/NAME/controls/frozen@r2".
inline Datasets scores_of(const std::string& result) {
  Datasets scores;
  const auto collect = [&](const auto& self, const hdf5::Group& group,
                           const std::string& path) -> void {
    for (const std::string& name : group.attribute_names()) {
      if (const auto number = group.number_attribute(name)) scores[path + "@" + name] = {*number};
    }
    for (const std::string& name : group.groups()) {
      self(self, group.open_group(name), path + "/" + name);
    }
  };
  const hdf5::File file = hdf5::File::open(result);
  collect(collect, file.open_group("readouts"), "/readouts");
  return scores;
}

/// A number that a group of a file has.
inline double number(const std::string& file, const std::string& group, const std::string& name) {
  return hdf5::File::open(file).open_group(group).number_attribute(name).value();
}

/// Results of one experiment in folders of their own.
class Cuts {
 public:
  explicit Cuts(std::string text, std::string device = "cpu")
      : text_(std::move(text)), settings_{"device=" + device} {}

  const TempDir& folder() const { return folder_; }
  std::string result(const std::string& name) const { return folder_.path(name + "/r.h5"); }

  Experiment load(const std::string& name) const {
    return load_experiment(folder_.write("e.yaml", text_),
                           {.set = settings_, .output = result(name)});
  }

  HierarchySummary run(const std::string& name, const RunOptions& options = {}) const {
    Experiment experiment = load(name);
    return run_hierarchy(experiment, options);
  }

  /// Runs to the end; at each of these steps all files are copied to a folder of that name, as a
  /// kill would leave them.
  void run_with_kills(const std::string& name, const std::set<std::int64_t>& steps) const {
    const Threads one(1);  // which writes nothing while the files are copied
    RunOptions options;
    options.on_progress = [&](const Progress& progress) {
      if (!steps.contains(progress.steps_done)) return;
      std::filesystem::copy(folder_.path(name), folder_.path(std::to_string(progress.steps_done)));
    };
    run(name, options);
  }

  /// Kills a run after each of these steps, and goes on from what each leaves: all come to the same
  /// bits and scores, which are left as the result "uncut".
  void check_goes_on_after(const std::set<std::int64_t>& steps) const {
    run_with_kills("uncut", steps);
    const Datasets uncut = datasets_of(result("uncut"));
    const Datasets scores = scores_of(result("uncut"));
    for (const std::int64_t step : steps) {
      const std::string name = std::to_string(step);
      INFO("killed after step " << step);
      REQUIRE(resume(name).status == RunStatus::complete);
      check_same(name, uncut);
      check_same_datasets(scores, scores_of(result(name)));
    }
  }

  /// Runs with one and with two threads: both come to the bits of the result "uncut".
  void check_same_on_any_threads() const {
    const Datasets uncut = datasets_of(result("uncut"));
    for (const int threads : {1, 2}) {
      const Threads these(threads);
      const std::string name = std::to_string(threads) + " threads";
      run(name);
      check_same(name, uncut);
    }
  }

  /// Runs until `step`, where it is asked to stop.
  HierarchySummary run_until(const std::string& name, std::int64_t step) const {
    return go_until(step, [&](const RunOptions& options) { return run(name, options); });
  }

  HierarchySummary resume(const std::string& name, const RunOptions& options = {},
                          const ResumeOptions& how = {}) const {
    auto cut = open_cut_run(result(name), how);
    REQUIRE(cut);
    RunOptions all = options;
    all.cut = &cut->run;
    return run_hierarchy(cut->experiment, all);
  }

  HierarchySummary resume_until(const std::string& name, std::int64_t step) const {
    return go_until(step, [&](const RunOptions& options) { return resume(name, options); });
  }

  void check_same(const std::string& name, const Datasets& uncut) const {
    check_same_datasets(uncut, datasets_of(result(name)));
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path(name))) {
      CHECK(entry.path().filename() == "r.h5");  // nothing is left beside it
    }
  }

 private:
  template <class Run>
  static HierarchySummary go_until(std::int64_t step, const Run& run) {
    std::atomic<bool> stop{false};
    RunOptions options;
    options.stop = &stop;
    options.on_progress = [&](const Progress& progress) {
      // Blocks that end before have not been asked yet.
      if (progress.steps_done >= step) stop = true;
    };
    return run(options);
  }

  std::string text_;
  std::vector<std::string> settings_;
  TempDir folder_;
};

}  // namespace gaia::test
