// SPDX-License-Identifier: MIT
/// \file
/// Missing values of a series: found in one pass when a file is opened, filled whenever it is read.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "moments.h"
#include "series.h"

namespace gaia {

/// What is done with missing values: the file is refused; the last value before them in their trial
/// is held, and where there is none a fill value stands, which whoever opens the file tells; or
/// they are interpolated, linearly in the index of the row between the values before and after, at
/// the ends of a trial by the nearest one, which looks ahead; or they are kept as NaN, for levels
/// that know what to do without a value.
enum class MissingPolicy { error, hold, interpolate, keep };

std::string to_string(MissingPolicy policy);

/// \throws ArgumentError for an unknown name.
MissingPolicy missing_policy_from_name(std::string_view name);

/// The missing values of one column, and the moments of what it is when they are filled.
class Gaps {
 public:
  /// `measured`: of so many rows, from the first, moments() are; they go on from those `before`.
  explicit Gaps(MissingPolicy policy, std::int64_t measured = 0, const Moments& before = {})
      : policy_(policy), measured_(measured), moments_(before) {}

  /// Most gaps of a column that can be filled; they take 128 MiB.
  static constexpr std::size_t kMostGaps = std::size_t{1} << 22;

  /// The next row begins a trial: no value is carried over to it, nor back from it.
  void begin_trial();

  /// Takes the value of the next row, NaN where it is missing.  `place` is where a user finds it.
  void note(double value, std::int64_t place);
  void note(double value) { note(value, rows_); }

  /// The same of `count` rows, none missing and none measured, of which these are the outer ones.
  void note_present(std::int64_t count, double first, double last);

  /// Number of missing values so far.
  std::int64_t missing() const { return missing_; }
  /// Place of the first one.
  std::int64_t first_place() const { return first_place_; }
  bool has_values() const { return rows_ > missing_; }
  bool too_many() const { return too_many_; }

  // When all rows have been noted:

  /// Begins trials at more rows, `starts`, in order.  Whether gaps lie at one of them.
  bool split(std::span<const std::int64_t> starts);
  /// First row of a trial that has no values, if there is one.
  std::optional<std::int64_t> empty_trial() const;

  /// Whether a trial begins with missing values that a fill value stands for.
  bool needs_fill() const { return needs_fill_; }
  void set_fill(double value) { fill_ = value; }

  /// Moments of the rows that are measured; not known where a fill value is needed, or after a
  /// split.
  Moments moments() const;

  /// The missing stretches of the rows [first, first + count), in order, each within a trial.
  std::vector<RowRange> filled(std::int64_t first, std::int64_t count) const;

  /// Whether missing values stay NaN.
  bool keeps() const { return policy_ == MissingPolicy::keep; }

  /// Replaces the missing values in rows [first, first + count): values[r * stride] belongs to row
  /// first + r.  All rows have been noted and check_gaps() had no objection.
  void fill(std::int64_t first, std::int64_t count, double* values, std::size_t stride) const;

 private:
  /// Rows [begin, end) of a trial are missing; the values around them, NaN where it has none.
  struct Gap {
    std::int64_t begin;
    std::int64_t end;
    double before;
    double after;
  };

  /// The first gap that ends after `row`.
  std::vector<Gap>::const_iterator gap_after(std::int64_t row) const;
  double value_in(const Gap& gap, std::int64_t row) const;
  /// Takes the values of a gap, as far as its rows are measured.
  void measure(const Gap& gap, Moments& moments) const;

  MissingPolicy policy_;
  std::int64_t measured_;
  Moments moments_;  // without a gap at the end
  std::int64_t rows_ = 0;
  std::int64_t trial_ = 0;  // first row of the one that goes on
  std::int64_t missing_ = 0;
  std::int64_t first_place_ = 0;
  double last_value_ = 0.0;
  bool in_gap_ = false;
  bool too_many_ = false;
  bool needs_fill_ = false;
  double fill_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<Gap> gaps_;
};

/// Checks what a pass has found.  `source` is the file, `place` what note() was given: row or line.
/// \throws DataError for a column without values, in the whole or, unless they are kept, in a
/// trial, for missing values with policy error, and for more gaps than can be filled.
void check_gaps(const std::string& source, const char* place, std::span<const std::string> names,
                std::span<const Gaps> gaps, MissingPolicy policy);

/// \throws DataError for a column that has no value in a trial.
void check_trials(const std::string& source, std::span<const std::string> names,
                  std::span<const Gaps> gaps);

/// Fills a block [count, gaps.size()] that starts at row `first`.
/// \throws DataError where a value is missing that was there in the first pass.
void fill_gaps(const std::string& source, std::span<const Gaps> gaps, std::int64_t first,
               std::int64_t count, std::span<double> block);

/// Reads rows [first, first + count) as they stand in the file, [count, columns], NaN where a value
/// is missing.
using ReadRows =
    std::function<void(std::int64_t first, std::int64_t count, std::span<double> block)>;

/// Further options of a pass.
struct GapOptions {
  std::int64_t measured = 0;             ///< So many rows, from the first, have moments.
  std::span<const Moments> before = {};  ///< From which they go on, one a column, or none.
  /// First rows of trials, in order, may grow by what `read` reads.
  const std::vector<std::int64_t>* trial_starts = nullptr;
};

/// One pass over a table of floating point numbers, block by block.
/// \throws DataError for infinite values, and as check_gaps().
std::vector<Gaps> find_gaps(const std::string& source, std::span<const std::string> names,
                            std::int64_t rows, MissingPolicy policy, const ReadRows& read,
                            const GapOptions& options = {});

/// The moments of every column.
std::vector<Moments> moments_of(std::span<const Gaps> gaps);

}  // namespace gaia
