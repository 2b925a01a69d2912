// SPDX-License-Identifier: MIT
/// \file
/// From a YAML file and the command line to an experiment that is ready to run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../io/memory_series.h"
#include "../config/yaml.h"
#include "../data/experiment.h"

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

/// A YAML file as it was read, before its keys are checked.
struct ExperimentFile {
  std::string path;                   ///< Path as given.
  std::vector<std::string> settings;  ///< Settings as in Experiment.
  YamlNode root;
  Problems problems;  ///< Duplicate keys, overrides that do not fit; and the lines for later ones.
  std::shared_ptr<const MemoryRows> rows = {};  ///< Rows as in Overrides.
  bool stands_in_file = true;                   ///< Whether a file holds it, as in Experiment.
};

/// Reads a file and sets what the command line says.  \throws ConfigError if it holds no tree.
ExperimentFile read_experiment_file(const std::string& path, const Overrides& overrides);
/// The same of a text, as if it stood in `path`.
ExperimentFile read_experiment_text(const std::string& text, const std::string& path,
                                    const Overrides& overrides);

/// SHA-256 of every file that an experiment reads, of that of its series as it was read.
std::vector<std::string> hashes_of_inputs(const Experiment& experiment);

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
