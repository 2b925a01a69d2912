// SPDX-License-Identifier: MIT
/// \file
/// The many experiments that one file describes, those of a sweep or of a search.  They are
/// numbered from 0, and each has a results file of its own in one folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../setup/load.h"

namespace gaia {

/// What a member differs by.
struct MemberSetting {
  std::string key;
  YamlNode value;
  Origin origin = {};  ///< Place of the key.
};

class Members {
 public:
  virtual ~Members() = default;

  const std::string& path() const { return file_.path; }
  /// Value of `experiment`.
  const std::string& name() const { return name_; }
  /// Folder of the results: output.path without its ending.
  const std::string& folder() const { return folder_; }

  /// What all members read in place of a file; null where they read files.
  const MemoryRows* rows() const { return file_.rows.get(); }

  virtual std::int64_t size() const = 0;
  /// The keys that are varied.
  virtual std::vector<std::string> keys() const = 0;
  /// A value for each of them, in their order.  \throws ArgumentError if there is no such member.
  virtual std::vector<MemberSetting> settings(std::int64_t member) const = 0;

  /// The keys, each cut to its last words as far as they tell it from the others.
  std::vector<std::string> short_keys() const;
  /// "learning_rate 0.01, rule oja, seed 2".
  std::string label(std::int64_t member) const;

  /// FOLDER/member-00017.h5
  std::string result_path(std::int64_t member) const;

  /// The experiment of one member, as load_experiment.
  /// \throws ArgumentError if there is no such member.
  Experiment load(std::int64_t member) const;

  /// Checks every member from number `first` on, and shows each that is right to `see`.
  /// \throws ConfigError with all that is wrong with any of them.
  void check(const std::function<void(std::int64_t, Experiment&)>& see,
             std::int64_t first = 0) const;

 protected:
  /// Reads a file whose section `section`, "sweep" or "search", says what is varied.
  /// `overrides.output` is the folder of the results.
  /// \throws ConfigError for a file that cannot be read or has no such section.
  Members(const std::string& path, const Overrides& overrides, std::string section);
  Members(const Members&) = default;
  Members& operator=(const Members&) = default;

  /// The file without its section, which `take_section` takes out.
  const ExperimentFile& file() const { return file_; }
  /// The section, once: what is wrong with it is to be added to the problems, and is thrown then.
  void take_section(const std::function<void(const YamlNode& root, Problems& problems)>& read);
  /// The experiment that the file describes without it.
  Experiment load_own() const;

 private:
  YamlNode tree_of(std::int64_t member, Problems& problems) const;
  Experiment check_member(std::int64_t member, Problems& problems, Experiment* before) const;

  ExperimentFile file_;
  std::string section_;
  std::string name_;
  std::string folder_;
};

/// Whether a file describes many runs: "sweep" or "search" if it does, else "".
/// \throws ConfigError if it cannot be read.
std::string section_of_many(const std::string& path, const Overrides& overrides);

/// A value as an attribute of a results file: an integer, a number, or its text.
AttributeValue attribute_of(const YamlNode& value);

}  // namespace gaia
