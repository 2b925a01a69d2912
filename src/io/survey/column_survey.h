// SPDX-License-Identifier: MIT
/// \file
/// What a column of a data file is good for, as far as its values tell.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

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
    label,        ///< Texts or numbers, of which there are few: a class for each row or trial.
    trial,        ///< Tells trials apart: one value all through a trial.
    group,        ///< Names a subject, a session: whom or what trials are of.
    name,         ///< Called as a trial or a subject, and no rows stand together by it.
    of_trial,     ///< Stays the same in each trial, and is none of those.
    text,
    empty,       ///< Has no value at all.
    gap,         ///< Has no value in all of a trial.
    sparse,      ///< More missing values than others.
    mixed,       ///< Numbers with something else among them.
    other_rate,  ///< Signals of a recording with another rate than those that are read.
  };
  std::string name;  ///< Or its index, where it has none.
  Use use = Use::channel;
  std::string note;  ///< What a reader wants to know of one that is no channel; may be empty.
  std::int64_t missing = 0;
  // What trials, groups and classes are told by:
  std::size_t values = 0;  ///< Different ones; one more than kMostSurveyedClasses for all beyond.
  bool are_names = false;  ///< Integers, or texts that are no dates, in every row.
  bool are_integers = false;       ///< All that are not missing.
  bool is_date = false;            ///< The first text is one.
  bool rises_evenly = false;       ///< No step is more than 1.5 times another.
  bool changes_in_trials = false;  ///< Has two values in one trial.
  std::int64_t stretches = 0;      ///< Stretches of one value.
  bool comes_back = false;         ///< A value stands in two stretches.
};

/// Counts stretches of equal values, which are known by a hash.
class StretchSurvey {
 public:
  /// What comes is of another file: no stretch and no value goes on.
  void begin_part();
  void note(std::size_t value);
  std::int64_t stretches() const { return stretches_; }
  /// Whether a value stands in two stretches, or there are too many stretches to know.
  bool comes_back() const { return comes_back_; }

 private:
  std::int64_t rows_ = 0;
  std::int64_t stretches_ = 0;
  std::optional<std::size_t> last_;
  bool comes_back_ = false;
  std::unordered_set<std::size_t> seen_;  // until one comes back
};

/// Takes the values of a column from the first row to the last.
class ColumnSurvey {
 public:
  /// Another file begins.
  void begin_part();
  /// Another trial begins: whether values rise, and stay the same, is a matter of what comes within
  /// it.
  void begin_trial();
  /// A number, and how it is written, where it is.
  void note_number(double value, std::string_view written = {});
  void note_missing();
  /// A field that is no number, in line `line` of its file.
  void note_text(const std::string& field, std::int64_t line);

  /// What all of it was, of a column of this name.
  SurveyedColumn result(const std::string& name) const;

 private:
  void note_value(std::size_t value);
  /// What it is used for, of its values alone.
  void find_use(SurveyedColumn& column) const;
  bool has_empty_trial() const { return has_empty_trial_ || (is_in_trial_ && !has_value_); }

  StretchSurvey stretches_;
  std::optional<std::size_t> first_of_trial_;
  bool changes_in_trials_ = false;
  bool is_in_trial_ = false;  // a row of this one has come
  bool has_value_ = false;    // and one that is not missing
  bool has_empty_trial_ = false;
  bool are_integers_ = true;
  std::set<double> different_numbers_;  // one more than classes at most
  std::int64_t numbers_ = 0;
  std::int64_t missing_ = 0;
  std::int64_t texts_ = 0;
  std::string first_text_;
  std::int64_t first_text_line_ = 0;
  std::set<std::string> different_texts_;  // one more than classes at most
  std::optional<std::int64_t> last_date_;  // nanoseconds
  bool are_rising_dates_ = true;
  bool are_number_dates_ = true;
  std::optional<double> last_;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
  double least_step_ = std::numeric_limits<double>::infinity();
  double most_step_ = -std::numeric_limits<double>::infinity();
};

}  // namespace gaia
