// SPDX-License-Identifier: MIT
/// \file
/// Experiments from their text, which is written to e.yaml of a folder that their results are in.
#pragma once

#include <string>
#include <vector>

#include "../../src/experiment/run/hierarchy_run.h"
#include "../../src/experiment/run/train.h"
#include "../../src/experiment/setup/load.h"
#include "complaint.h"
#include "temp_dir.h"

namespace gaia::test {

inline Experiment load_text(const TempDir& folder, const std::string& text,
                            const std::vector<std::string>& set = {},
                            const std::string& output = "r.h5") {
  return load_experiment(folder.write("e.yaml", text), {.set = set, .output = folder.path(output)});
}

/// What is wrong with it; nothing where it can be read.
template <class E = ConfigError>
std::string complaint_about_text(const TempDir& folder, const std::string& text,
                                 const std::vector<std::string>& set = {}) {
  return complaint_of<E>([&] { load_text(folder, text, set); });
}

/// Runs its hierarchy, over what is there.
inline HierarchySummary run_text(const TempDir& folder, const std::string& text,
                                 const std::vector<std::string>& set = {},
                                 const std::string& output = "r.h5") {
  Experiment experiment = load_text(folder, text, set, output);
  return run_hierarchy(experiment, {.overwrite = true});
}

/// The same, for the path of the result.
inline std::string result_of_text(const TempDir& folder, const std::string& text,
                                  const std::vector<std::string>& set = {},
                                  const std::string& output = "r.h5") {
  run_text(folder, text, set, output);
  return folder.path(output);
}

/// Trains its network, over what is there.
inline TrainingSummary train_text(const TempDir& folder, const std::string& text,
                                  const std::vector<std::string>& set = {},
                                  const std::string& output = "r.h5") {
  Experiment experiment = load_text(folder, text, set, output);
  return train_network(experiment, {.overwrite = true});
}

}  // namespace gaia::test
