// SPDX-License-Identifier: MIT
/// \file
/// Applies what a run has learnt to new data: the representations of all levels and the readouts'
/// predictions, with nothing learning.  It is a run like any other, whose experiment is built here.
///
///     Experiment experiment = application_of("results/ecg.h5", {.data = "new.csv"});
///     run_hierarchy(experiment);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../io/hdf5.h"
#include "../data/experiment.h"

namespace gaia {

struct ApplyOptions {
  std::string data = {};  ///< A file as data.path takes it.
  std::string dataset =
      {};  ///< HDF5 and MATLAB only; empty: that of the training, if it had a name.
  /// Names or indices; empty: those of the training.
  std::vector<std::string> columns = {};
  std::optional<MissingPolicy> missing = {};  ///< If not given, that of the training.
  std::optional<char> decimal = {};           ///< CSV only.  If not given, that of the training.
  bool trusted = false;                       ///< Value of data.trusted.
  std::optional<std::int64_t> steps = {};     ///< The first so many samples; all if not given.
  std::optional<std::string> output = {};     ///< If not given, RESULT.DATA.h5 beside the result.
  std::optional<std::string> device = {};     ///< If not given, that of the experiment.
  std::string labels = {};  ///< IDX or NPY file with the classes of images; empty: not known, or as
                            ///< a folder of pictures has them.
};

/// What an application begins with: a result, and the data of which it is to tell something.
struct Applied {
  ExperimentConfig config;            ///< Config as stored, with the data exchanged.
  std::vector<std::string> channels;  ///< Names of those that the result was trained on.
  Experiment data;                    ///< The new data, opened; those of images are not.
};

/// Opens what is applied and what it is applied to.  \throws as application_of.
Applied open_application(const std::string& result, const ApplyOptions& options);

/// Checks that the pictures that are named are there, in a file or a folder of PNG and JPEG files,
/// and the file of their labels, if one is named.  \throws ConfigError if not.
void check_picture_files(const ApplyOptions& options);

/// The experiment that is stored in a result, whose path messages name.
/// \throws DataError if there is none, or it cannot be read.
ExperimentConfig stored_config(const hdf5::File& file, const std::string& path);

/// The kind of experiment that a result is of.
/// \throws ConfigError if there is no such file, DataError if it is no result.
const ExperimentKind& kind_of_result(const std::string& result);

/// `results/ecg.h5` and `new.csv` make `results/ecg.new.h5`.
std::string default_application_path(const std::string& result, const std::string& data);

/// The experiment that applies the hierarchy of a complete result to new data: the stored one with
/// the data exchanged, hierarchy.from the result, nothing that learns, and the scaling and the
/// readouts of the result.  run_experiment runs it, and `gaia resume` goes on with it.
/// \throws ConfigError for data that have not the channels that the result was trained on, a result
///         that is not complete or stored no weights; DataError for a file that cannot be used.
Experiment application_of(const std::string& result, const ApplyOptions& options);

/// The channels that the result of `config` was trained on, `trained`, looked for in the file at
/// `path`: by `wanted`, if that is not empty; by the columns of the training; by name; or all where
/// the file, or the training, knew no names.  `file` gets the columns that were found.
/// \throws ConfigError if they are not there, or are more or fewer.
std::unique_ptr<Series> open_channels(const std::string& path, const std::string& result,
                                      const std::vector<std::string>& trained,
                                      const std::vector<std::string>& wanted, FileConfig& file);

}  // namespace gaia
