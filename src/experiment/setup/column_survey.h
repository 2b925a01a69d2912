// SPDX-License-Identifier: MIT
/// \file
/// What a column of a data file is good for, as far as its values tell.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>

namespace gaia {

/// Texts of which there are more are no classes.
constexpr std::size_t kMostSurveyedClasses = 20;

struct SurveyedColumn {
  enum class Use {
    channel,      ///< Numbers that change.
    constant,     ///< One number all along.
    counter,      ///< Rises by the same step from row to row: a number of rows, or a time.
    time,         ///< Dates, or called a time, and rises.
    number_date,  ///< Dates written as one number, 20240131, by which time does not go on evenly.
    twice,        ///< Called as a column before it.
    label,        ///< Texts, of which there are few: a class for each row.
    text,
    empty,   ///< Has no value at all.
    sparse,  ///< More missing values than others.
    mixed,   ///< Numbers with something else among them.
  };
  std::string name;  ///< Or its index, where it has none.
  Use use = Use::channel;
  std::string note;  ///< What a reader wants to know of one that is no channel; may be empty.
  std::int64_t missing = 0;
};

/// Takes the values of a column from the first row to the last.
class ColumnSurvey {
 public:
  /// Another trial begins: whether values rise is a matter of what comes within it.
  void begin_trial();
  void note_number(double value);
  void note_missing() { ++missing_; }
  /// A field that is no number, in line `line` of its file.
  void note_text(const std::string& field, std::int64_t line);

  /// What all of it was, of a column of this name.
  SurveyedColumn result(const std::string& name) const;

 private:
  std::int64_t numbers_ = 0;
  std::int64_t missing_ = 0;
  std::int64_t texts_ = 0;
  std::string first_text_;
  std::int64_t first_text_line_ = 0;
  std::set<std::string> different_texts_;  // one more than classes at most
  std::optional<std::int64_t> last_date_;
  bool are_rising_dates_ = true;
  bool are_number_dates_ = true;
  std::optional<double> last_;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
  double least_step_ = std::numeric_limits<double>::infinity();
  double most_step_ = -std::numeric_limits<double>::infinity();
};

}  // namespace gaia
