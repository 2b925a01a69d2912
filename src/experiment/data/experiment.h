// SPDX-License-Identifier: MIT
/// \file
/// An experiment that is ready to run: its configuration and the data that it reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../io/idx.h"
#include "../../io/series.h"
#include "../config/config.h"
#include "../config/config_writer.h"
#include "stored_run.h"
#include "trials.h"

namespace gaia {

/// Which member of a sweep an experiment is, and what it differs by.
struct SweepMember {
  std::int64_t number = 0;
  Attributes settings;  ///< Dotted keys and their values.
};

struct Experiment {
  std::string file;            ///< Path as given.
  bool stands_in_file = true;  ///< false: it was built from something else, called `file`.
  /// What the command line changed but for the output, as "KEY=VALUE".
  std::vector<std::string> settings;
  ExperimentConfig config;
  std::unique_ptr<Series> series;  ///< Null for images.
  std::optional<io::LabelledImages> images;
  std::optional<std::int64_t> classes;  ///< Number for images; empty: as labels tell.
  /// Path of the data file (of images, of the folder's first); empty for a generator.
  std::string data_path;
  /// Every file that is read but the YAML file: those of the data first, data_path ahead of all,
  /// that of hierarchy.from last.
  std::vector<std::string> inputs;
  /// YAML files that the experiment's own includes, which are read too, and the SHA-256 of each.
  std::vector<std::pair<std::string, std::string>> included;
  std::shared_ptr<const StoredRun> from;  ///< The run of hierarchy.from, if there is one.
  Trials trials;                          ///< Trials of the series, in one epoch.
  std::int64_t steps = 0;                 ///< Samples of all of them.
  std::vector<std::string> warnings;
  std::optional<SweepMember> member;

  /// Steps of all epochs of a hierarchy.
  std::int64_t all_steps() const { return steps * config.hierarchy().epochs; }
  std::int64_t features() const { return config.data.window * series->channels(); }
  /// Shape of the picture that a row is: as data.shape or the series says; empty if neither
  /// says it.
  std::vector<std::int64_t> picture_shape() const {
    return config.data.shape.empty() ? series->picture_shape() : config.data.shape;
  }
};

}  // namespace gaia
