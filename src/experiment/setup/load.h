// SPDX-License-Identifier: MIT
/// \file
/// From a YAML file and the command line to an experiment that is ready to run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../io/idx.h"
#include "../../io/memory_series.h"
#include "../../io/series.h"
#include "../config/config.h"
#include "../config/config_writer.h"
#include "../config/yaml.h"
#include "learnt.h"
#include "trials.h"

namespace gaia {

/// What the command line, or a program, says about the experiment.
struct Overrides {
  std::vector<std::string> set = {};  ///< "a.b[0].c=VALUE"
  std::optional<std::string> device = {};
  std::optional<std::string> seed = {};
  std::optional<std::string> output = {};
  /// YAML that stands in place of the file, whose name is then that of the text in messages.
  std::optional<std::string> text = {};
  /// Data of `source: file` that stand in place of the files that data.path names, if it names any;
  /// the other keys hold for them as for a file.  A run over them is resumed with the same rows.
  std::shared_ptr<const MemoryRows> rows = {};
};

/// Which member of a sweep an experiment is, and what it differs by.
struct SweepMember {
  std::int64_t number = 0;
  Attributes settings;  ///< Dotted keys and their values.
};

struct Experiment {
  std::string file;            ///< As given.
  bool stands_in_file = true;  ///< false: it was made of something else, called `file`.
  /// What the command line changed but for the output, as "KEY=VALUE".
  std::vector<std::string> settings;
  ExperimentConfig config;
  std::unique_ptr<Series> series;  ///< Null for images.
  std::optional<io::LabelledImages> images;
  std::optional<std::int64_t> classes;  ///< Of the images; if not given, as many as labels tell.
  std::string data_path;  ///< Of the file that is read (of images, the folder's first); empty for a
                          ///< generator.
  /// Every file that is read but the YAML file: those of the data first, data_path ahead of all,
  /// that of hierarchy.from last.
  std::vector<std::string> inputs;
  std::shared_ptr<const StoredRun> from;  ///< The run of hierarchy.from, if there is one.
  Trials trials;                          ///< Of the series, in one epoch.
  std::int64_t steps = 0;                 ///< Samples of all of them.
  std::vector<std::string> warnings;
  std::optional<SweepMember> member;

  /// Of all epochs of a hierarchy.
  std::int64_t all_steps() const { return steps * config.hierarchy.epochs; }
  std::int64_t features() const { return config.data.window * series->channels(); }
  /// Of the picture that a row of the series is: as data.shape or the series says; empty if neither
  /// says it.
  std::vector<std::int64_t> picture_shape() const {
    return config.data.shape.empty() ? series->picture_shape() : config.data.shape;
  }
};

/// A YAML file as it was read, before its keys are checked.
struct ExperimentFile {
  std::string path;                   ///< As given.
  std::vector<std::string> settings;  ///< As Experiment has them.
  YamlNode root;
  Problems problems;  ///< Duplicate keys, overrides that do not fit; and the lines for later ones.
  std::shared_ptr<const MemoryRows> rows = {};  ///< As Overrides has them.
  bool stands_in_file = true;                   ///< As Experiment has it.
};

/// Reads a file and sets what the command line says.  \throws ConfigError if it holds no tree.
ExperimentFile read_experiment_file(const std::string& path, const Overrides& overrides);
/// The same of a text, as if it stood in `path`.
ExperimentFile read_experiment_text(const std::string& text, const std::string& path,
                                    const Overrides& overrides);

/// SHA-256 of every file that an experiment reads, of that of its series as it was read.
std::vector<std::string> hashes_of_inputs(const Experiment& experiment);

/// Opens the series in the files at `paths`, as `file`, whose own paths are of no meaning, says;
/// files that it names beside them lie in `folder`.  The first pass over them finds the moments of
/// so many rows.  Null for a file of no known kind.  \throws DataError for content that cannot be
/// used, ArgumentError for a dataset or columns that it does not have, DataKeyError for what other
/// keys name.
std::unique_ptr<Series> open_series_files(const std::vector<std::string>& paths,
                                          const FileConfig& file, const std::string& folder,
                                          std::int64_t measured = 0);
/// The same of rows in memory.  A time that came with them is then named in `file`.
std::unique_ptr<Series> open_series_rows(std::shared_ptr<const MemoryRows> rows, FileConfig& file,
                                         std::int64_t measured = 0);
/// The same of one file.
std::unique_ptr<Series> open_series_file(const std::string& path, const FileConfig& file,
                                         std::int64_t measured = 0);

/// The section by which a file's tree describes many runs, "sweep" or "search"; "" where it has
/// neither.
std::string section_of_many(const YamlNode& root);

/// Checks the experiment that `root`, a version of the file's tree, describes, and adds what is
/// wrong to `problems`.  Data that `before` has open and that this experiment reads too are taken
/// over from it.  `rows` are as Overrides has them.  \throws DataError for a data file whose
/// content cannot be used.
Experiment make_experiment(const std::string& file, const YamlNode& root, Problems& problems,
                           Experiment* before = nullptr,
                           std::shared_ptr<const MemoryRows> rows = nullptr);

/// Reads and checks everything that can be checked before anything runs: the keys, the sizes, the
/// data file.
/// \throws ConfigError with all that is wrong, each with its place, and for a file with `sweep` or
/// `search`;
///         DataError for a data file whose content cannot be used.
Experiment load_experiment(const std::string& file, const Overrides& overrides = {});

/// The same of a text, as if it stood in `file`, which need not be there: paths of data are
/// relative to its folder.
Experiment load_experiment_text(const std::string& text, const std::string& file,
                                const Overrides& overrides = {});

}  // namespace gaia
