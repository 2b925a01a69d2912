// SPDX-License-Identifier: MIT
/// \file
/// What came of the members of a sweep or a search, read from their files: one row for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "members.h"

namespace gaia {

/// A score that members have.
struct ScoreColumn {
  std::string name;         ///< "forecast_nrmse", "test_accuracy"
  std::string description;  ///< "NRMSE of readout forecast"
  bool higher_is_better = false;
  bool is_main = false;        ///< Whether the best member is reported for it.
  std::vector<double> values;  ///< One for each member; NaN where it has none.
};

struct SettingColumn {
  std::string name;  ///< Short: "learning_rate"
  std::string key;   ///< "hierarchy.levels[0].layers[0].learning_rate"
  std::vector<AttributeValue> values;
};

struct MemberTable {
  /// "complete", "interrupted", "failed", "unfinished" (running, or killed), "missing", "damaged"
  /// (cannot be read), "other" (a file of another configuration) or "changed": of this one, but the
  /// data have changed since.
  std::vector<std::string> status;
  /// Why a member that failed did, with place, step and way out, or how far one is that was
  /// interrupted, killed or still runs; empty for others.
  std::vector<std::string> reasons;
  std::vector<SettingColumn> settings;
  std::vector<ScoreColumn> scores;
  std::vector<double> wall_seconds;  ///< NaN where a member is not complete.

  std::int64_t size() const { return static_cast<std::int64_t>(status.size()); }
  std::int64_t complete() const;
};

/// Looks at the file of every member.  \throws ConfigError as Members::check.
MemberTable read_member_table(const Members& members);

struct MemberScore {
  std::string name;
  std::string description;
  bool higher_is_better = false;
  bool is_main = false;
  double value = 0.0;
};

/// The scores in the results file of a run that is complete, by the names of its readouts.
/// \throws DataError for a file that cannot be read.
std::vector<MemberScore> scores_of(const std::string& result_path);

/// Those of the readouts of a hierarchy.
std::vector<MemberScore> readout_scores(const hdf5::File& file);

/// Adds what an attribute of a group says, if it is there.
void add_score(std::vector<MemberScore>& scores, const hdf5::Group& group, const char* attribute,
               const std::string& name, const std::string& description, bool higher_is_better,
               bool is_main);

/// ", test r2 0.81" of a result that was chosen by this score of its validation part; empty for
/// other scores.
std::string test_text(const std::string& result_path, const std::string& score);

/// Members that differ by the seed alone and have a score.
struct SeedGroup {
  std::string label;  ///< Their settings without the seed.
  std::vector<std::size_t> members;
  std::vector<double> scores;

  double mean() const;
  /// Deviation of the sample, with n - 1; one member alone has none.
  std::optional<double> deviation() const;
};

/// Whether members differ by their seeds.
bool varies_seeds(const MemberTable& table);

/// The groups that have scores, the best mean first.
std::vector<SeedGroup> seed_groups(const MemberTable& table, const ScoreColumn& score);

/// The member with the best score, the first of equal ones; empty where none has a score.
std::optional<std::size_t> best_member(const ScoreColumn& score);

/// One line for each member, after one with the names of the columns (RFC 4180).
std::string csv_of(const MemberTable& table, const Members& members);

/// For a person: how many are complete, the best member by each main score, and under several seeds
/// the spread over them of the best settings.
std::string best_text(const MemberTable& table, const Members& members);

/// A number as a field; empty for NaN.
std::string csv_number(double value);

/// A setting as text, as it stands in YAML.
std::string setting_text(const AttributeValue& value);

}  // namespace gaia
