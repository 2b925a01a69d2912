// SPDX-License-Identifier: MIT
/// \file
/// A sweep: one YAML file, many experiments.  Its members are numbered from 0; which experiment a
/// number stands for is a function of the file and the command line alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../config/sweep_axes.h"
#include "../setup/load.h"

namespace gaia {

/// What a member differs by.
struct SweepSetting {
  std::string key;
  YamlNode value;
};

class Sweep {
 public:
  /// Reads the file's axes; `overrides.output` is the folder of the results.
  /// \throws ConfigError for a file that cannot be read, has no `sweep`, or a wrong one.
  Sweep(const std::string& path, Overrides overrides);

  const std::string& path() const { return file_.path; }
  /// Value of `experiment`.
  const std::string& name() const { return name_; }
  /// Where the results are: output.path without its ending.
  const std::string& folder() const { return folder_; }
  const std::vector<SweepAxis>& axes() const { return axes_; }
  std::int64_t size() const { return size_; }

  /// In the order of the axes; the last axis varies fastest from member to member.
  std::vector<SweepSetting> settings(std::int64_t member) const;
  /// The keys that are varied, in that order.
  std::vector<std::string> keys() const;
  /// The keys, each cut to its last words as far as they tell it from the others.
  std::vector<std::string> short_keys() const;
  /// "learning_rate 0.01, rule oja, seed 2".
  std::string label(std::int64_t member) const;

  /// FOLDER/member-00017.h5
  std::string result_path(std::int64_t member) const;

  /// The experiment of one member, as load_experiment.
  /// \throws ArgumentError if there is no such member.
  Experiment load(std::int64_t member) const;

  /// Checks every member, and shows each that is right to `see`.
  /// \throws ConfigError with all that is wrong with any of them.
  void check(const std::function<void(std::int64_t, Experiment&)>& see) const;

 private:
  YamlNode tree_of(std::int64_t member, Problems& problems) const;
  Experiment check_member(std::int64_t member, Problems& problems, Experiment* before) const;

  ExperimentFile file_;
  std::string name_;
  std::string folder_;
  std::vector<SweepAxis> axes_;
  std::int64_t size_ = 1;
};

/// Whether a file describes many runs.  \throws ConfigError if it cannot be read.
bool is_sweep(const std::string& path, const Overrides& overrides);

/// A value as an attribute of a results file: an integer, a number, or its text.
AttributeValue attribute_of(const YamlNode& value);

}  // namespace gaia
