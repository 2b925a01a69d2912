// SPDX-License-Identifier: MIT
/// \file
/// A results file as reports read it: by paths, a few rows at a time, and by a process of its own,
/// since it may come from somebody else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../experiment/config/experiment_kind.h"
#include "../io/foreign_hdf5/hdf5_reader.h"

namespace gaia::report {

/// Numbers in a row of a dataset beyond which it is left out.
inline constexpr std::int64_t kWidestRow = std::int64_t{1} << 22;

class Result {
 public:
  /// Opens RESULT.h5, the RESULT.h5.partial of a run that goes on or has ended badly, or a verdict.
  /// \throws ConfigError if there is no such file, DataError if it is no results file, or damaged
  /// or hostile.
  explicit Result(const std::string& path);

  const std::string& path() const { return path_; }
  /// Its name without folder and ending.
  std::string name() const;

  /// Whether it is no result, but what `gaia verdict` has written, which has no steps.
  bool is_seed_verdict() const { return integer("", "verdict_version").has_value(); }

  // What the root says.

  /// The kind of experiment that it is of.
  const ExperimentKind& kind() const {
    return kind_of_results([&](const std::string& group) { return has_group("", group); });
  }
  std::string status() const { return text("", "status"); }
  bool is_complete() const { return status() == "complete"; }
  /// Steps, of a network epochs, that were to be done; and those whose results are in the file.
  std::int64_t steps() const { return steps_; }
  std::int64_t done() const { return done_; }
  /// Number of times that a hierarchy was to read the series; and the steps of the series whose
  /// rows are in the file, which are of the last time.
  std::int64_t epochs() const { return epochs_; }
  std::int64_t series_done() const { return series_done_; }

  // Attributes of the object at a path without a leading slash, "" being the root: nothing, or an
  // empty text, where there is none of that kind.

  std::string text(const std::string& object, const std::string& name) const;
  std::optional<std::int64_t> integer(const std::string& object, const std::string& name) const;
  std::optional<double> number(const std::string& object, const std::string& name) const;
  std::vector<std::string> texts(const std::string& object, const std::string& name) const;

  // Groups and datasets.

  std::vector<std::string> groups(const std::string& group) const;
  std::vector<std::string> datasets(const std::string& group) const;
  bool has_group(const std::string& group, const std::string& name) const;
  /// Empty if there is no such dataset of numbers (or it is a scalar).
  std::vector<std::int64_t> shape(const std::string& dataset) const;
  bool has(const std::string& dataset) const { return !shape(dataset).empty(); }
  /// Rows [first, first + rows) of a dataset that has them.  \throws DataError if they cannot be
  /// read.
  void read_rows(const std::string& dataset, std::int64_t first, std::int64_t rows,
                 double* values) const;
  /// All of a dataset of at most `most` numbers; nothing if it is missing or larger.
  std::vector<double> read(const std::string& dataset, std::int64_t most = kWidestRow) const;

 private:
  /// The group or dataset at a path; null if there is none.
  const hdf5::Description* object(const std::string& path) const;
  /// Null if there is none, or its numbers cannot be had.
  const hdf5::DatasetDescription* dataset(const std::string& path) const;
  /// Names of what lies directly below a group.
  std::vector<std::string> children(const std::string& group, bool of_groups) const;

  std::string path_;
  std::unique_ptr<hdf5::Reader> reader_;
  std::map<std::string, const hdf5::Description*> groups_;
  std::map<std::string, const hdf5::DatasetDescription*> datasets_;
  std::int64_t steps_ = 0;
  std::int64_t done_ = 0;
  std::int64_t epochs_ = 1;
  std::int64_t series_done_ = 0;
};

}  // namespace gaia::report
