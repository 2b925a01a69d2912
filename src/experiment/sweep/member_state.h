// SPDX-License-Identifier: MIT
/// \file
/// What there is of a member's results before it is run, or after.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../../io/memory_series.h"
#include "../data/experiment.h"

namespace gaia {

enum class MemberState {
  missing,     ///< Nothing.
  complete,    ///< A result of this very configuration and of its data as they are.
  unfinished,  ///< A partial result of this configuration: interrupted, failed, killed or running.
  replacing,   ///< The same, while in its place there still is a result that is not complete.
  torn,        ///< A partial result that cannot be read: killed while it was laid out.
  damaged,     ///< A result that cannot be read.
  other,       ///< A result, or a partial one, of another configuration.
  changed,     ///< The same of this configuration, but its data have changed since.
};

/// What a results file says that it is of.
struct MemberFacts {
  std::string config;  ///< Empty if it holds none.
  std::vector<std::string> input_hashes;

  bool operator==(const MemberFacts&) const = default;
};

/// Nothing if the file cannot be read.
std::optional<MemberFacts> facts_in(const std::string& path);

/// Looks at the files of members, one after the other.  Data are hashed where there is a result of
/// the same configuration to compare with, and each file once.
class MemberStates {
 public:
  /// `rows`: what members read in place of a file; null where they read files.
  explicit MemberStates(const MemoryRows* rows = nullptr) : rows_(rows) {}

  /// \throws DataError for data that cannot be read.
  MemberState of(const Experiment& experiment);

  /// Text on the first member that was `changed`: the file, what it is and what it was.
  const std::string& first_change() const { return first_change_; }

 private:
  bool has_same_inputs(const Experiment& experiment, const std::vector<std::string>& stored);

  std::string hash_of(const Experiment& experiment, const std::string& input) const;

  const MemoryRows* rows_;
  std::map<std::string, std::string> hashes_;  // by path
  std::string first_change_;
};

/// Whether two resolved configurations, as YAML, describe the same run; where it is stored does not
/// count, nor does a key that was not known yet when the first was written.
bool is_same_run(const std::string& stored, const ExperimentConfig& config);

}  // namespace gaia
