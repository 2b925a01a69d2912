// SPDX-License-Identifier: MIT
/// \file
/// What every results file has, whatever ran: the root's attributes, coordinates, a clean end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../../array/array.h"
#include "../../io/hdf5.h"
#include "../data/experiment.h"
#include "../setup/filled_values.h"

namespace gaia {

/// What the root of the file says about the run.
struct RunFacts {
  std::string config_text;                ///< The resolved YAML.
  std::string config_file;                ///< Path as given.
  std::string config_path;                ///< The same from the root: data lie relative to it.
  std::vector<std::string> settings;      ///< What the command line changed of it, as "KEY=VALUE".
  std::vector<std::string> inputs;        ///< Every file that is read, that of the data first.
  std::vector<std::string> input_hashes;  ///< SHA-256 of each.
  /// YAML files that the experiment includes, and the SHA-256 of each.
  std::vector<std::pair<std::string, std::string>> included = {};
  std::string command_line;
  std::string device;
  std::int64_t steps = 0;
  std::int64_t threads = 1;
  std::string run_id;                   ///< Name of the run in its checkpoints.
  std::string created_utc;              ///< Time when a resumed run was created; empty: now.
  std::vector<std::string> resumed_at;  ///< Times at which it was resumed.
  std::optional<SweepMember> member;
  /// The result that was applied, where nothing was trained.
  struct Applied {
    std::string path;
    std::string sha256;
    std::string run_id;
  };
  std::optional<Applied> applied;
  /// Whether the data are among those that the weights which the run begins with, or applies, were
  /// trained on.
  bool in_sample = false;
};

/// "2026-03-01T10:15:02Z", now.
std::string utc_now();

enum class RunStatus { complete, interrupted, failed };
std::string to_string(RunStatus status);

/// The facts of a run that begins, or of one that goes on and had reported `before`.
RunFacts facts_of_run(const Experiment& experiment, const RunFacts* before,
                      const std::string& command_line, const std::string& device,
                      std::int64_t steps);

/// The attributes of the root, and of /sweep for a member of one; `main_group` is what a viewer
/// opens first.
void write_root(hdf5::File& file, const ExperimentConfig& config, const RunFacts& run,
                const std::string& main_group);

/// /published: what a paper has published that the experiment repeats, where it says so.
void write_published(hdf5::File& file, const ExperimentConfig& config);

/// /data with its source, and the path and hash of the file, if there is one.
hdf5::Group create_data_group(hdf5::File& file, const ExperimentConfig& config,
                              const RunFacts& run);

/// The names of the channels of a series in /data and, where they are scaled, how.
void write_channels(hdf5::Group& data, const std::vector<std::string>& names,
                    const DataConfig& config, const Scaling& scaling);

/// Scores without each block of the test part (chance.h), by their names; nothing of those that
/// have none.
void write_without_blocks(hdf5::Group& group,
                          const std::vector<std::pair<std::string, std::vector<double>>>& scores);

/// What /data says of missing values that are filled; nothing where they are refused.
void write_filled(hdf5::Group& data, const FilledValues& filled);

/// /data/whitening: what was subtracted from the rows of a series, and what they were then
/// multiplied by.
void write_whitening(hdf5::Group& data, const Whitening& whitening);

/// Opens a results file for reading, whatever became of its run.
/// \throws ConfigError if it is not there, DataError if it is not one or cannot be read.
hdf5::File open_results(const std::string& path);

/// How the numbers of a dtype are stored.
hdf5::Type stored_type(DType dtype);

/// The attributes long_name and units.
void describe(hdf5::Dataset& dataset, const std::string& long_name, const char* units = "1");

/// A coordinate 0, 1, ... n - 1.
hdf5::Dataset make_index(hdf5::Group& group, const std::string& name, std::int64_t n,
                         const std::string& long_name);

/// Tells viewers what to plot over what.
void mark_plot(hdf5::Group& group, const char* signal, const std::vector<std::string>& axes);

/// Writes a whole array to a dataset of its type.
void write_whole(hdf5::Dataset& dataset, const Array& values);

/// Ends RESULT.partial, which is closed: status, times and what `mark` adds are set in a copy that
/// is written to the disk and takes the place of RESULT if the run is complete, else of the partial
/// file.  Whatever interrupts this leaves one whole file.  Returns its path.
std::string finish_results(const std::string& result, RunStatus status, std::int64_t steps_done,
                           double wall_seconds, const std::function<void(hdf5::File&)>& mark);

}  // namespace gaia
