// SPDX-License-Identifier: MIT
#include "column_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "../../core/text.h"
#include "../columns.h"
#include "../dates.h"
#include "column_names.h"

namespace gaia {
namespace {

/// Shares by which the steps of a counter may differ, as those of times that were rounded do.
constexpr double kStepTolerance = 1e-3;

/// 20240131.0, between 1700 and 2200.
bool is_number_date(double value) {
  if (!(value >= 17e6 && value < 22e6) || std::floor(value) != value) return false;
  const auto number = static_cast<std::int64_t>(value);
  return parse_date(fmt::format("{}-{:02}-{:02}", number / 10000, number / 100 % 100, number % 100))
      .has_value();
}

}  // namespace

void StretchSurvey::begin_part() {
  last_.reset();
  seen_.clear();
}

void StretchSurvey::note(std::size_t value) {
  ++rows_;
  if (last_ == value) return;
  last_ = value;
  ++stretches_;
  if (comes_back_) return;
  // What changes all the time is no name of anything, and is not to fill the memory.
  constexpr std::int64_t looked = 1000;
  constexpr std::size_t most = 1'000'000;
  const bool is_restless = rows_ >= looked && 2 * stretches_ > rows_;
  comes_back_ = is_restless || seen_.size() >= most || !seen_.insert(value).second;
  if (comes_back_) seen_ = {};
}

void ColumnSurvey::begin_part() { stretches_.begin_part(); }

void ColumnSurvey::begin_trial() {
  last_.reset();
  last_date_.reset();
  first_of_trial_.reset();
  has_empty_trial_ = has_empty_trial();
  is_in_trial_ = has_value_ = false;
}

void ColumnSurvey::note_value(std::size_t value) {
  stretches_.note(value);
  is_in_trial_ = true;
  if (!first_of_trial_) first_of_trial_ = value;
  changes_in_trials_ = changes_in_trials_ || *first_of_trial_ != value;
}

void ColumnSurvey::note_missing() {
  ++missing_;
  note_value(0);
}

void ColumnSurvey::note_number(double value, std::string_view written) {
  note_value(written.empty() ? std::hash<std::uint64_t>{}(std::bit_cast<std::uint64_t>(value))
                             : std::hash<std::string_view>{}(written));
  has_value_ = true;
  if (last_) {
    least_step_ = std::min(least_step_, value - *last_);
    most_step_ = std::max(most_step_, value - *last_);
  }
  are_integers_ = are_integers_ && std::floor(value) == value;
  if (are_integers_ && different_numbers_.size() <= kMostSurveyedClasses) {
    different_numbers_.insert(value);
  }
  are_number_dates_ = are_number_dates_ && is_number_date(value);
  ++numbers_;
  last_ = value;
  least_ = std::min(least_, value);
  most_ = std::max(most_, value);
}

void ColumnSurvey::note_text(const std::string& field, std::int64_t line) {
  note_value(std::hash<std::string_view>{}(field));
  has_value_ = true;
  if (different_texts_.size() <= kMostSurveyedClasses) different_texts_.insert(field);
  if (are_rising_dates_) {
    const auto date = parse_date(field);
    are_rising_dates_ = date && (!last_date_ || *date > *last_date_);
    if (are_rising_dates_ && last_date_) {
      const auto step = static_cast<double>(*date - *last_date_);
      least_step_ = std::min(least_step_, step);
      most_step_ = std::max(most_step_, step);
    }
    last_date_ = date;
  }
  if (texts_++ > 0) return;
  first_text_ = field;
  first_text_line_ = line;
}

SurveyedColumn ColumnSurvey::result(const std::string& name) const {
  SurveyedColumn column;
  column.name = name;
  column.missing = missing_;
  column.is_date = texts_ > 0 && parse_date(first_text_).has_value();
  column.values = texts_ > 0 ? different_texts_.size() : different_numbers_.size();
  column.are_integers = texts_ == 0 && numbers_ > 0 && are_integers_;
  column.are_names =
      missing_ == 0 && (column.are_integers || (numbers_ == 0 && texts_ > 0 && !column.is_date));
  column.rises_evenly = missing_ == 0 && least_step_ > 0.0 && most_step_ <= 1.5 * least_step_;
  column.changes_in_trials = changes_in_trials_;
  column.stretches = stretches_.stretches();
  column.comes_back = stretches_.comes_back();
  find_use(column);
  return column;
}

void ColumnSurvey::find_use(SurveyedColumn& column) const {
  using Use = SurveyedColumn::Use;
  const auto is = [&](Use use, std::string note) {
    column.use = use;
    column.note = std::move(note);
  };
  if (texts_ > 0 && numbers_ == 0 && missing_ == 0 && are_rising_dates_) return is(Use::time, "");
  const bool are_classes =
      different_texts_.size() > 1 && different_texts_.size() <= kMostSurveyedClasses;
  if (texts_ > 0 && numbers_ == 0 && are_classes && !column.is_date) {
    return is(Use::label, fmt::format("{} classes", different_texts_.size()));
  }
  if (texts_ > 0 && texts_ >= numbers_) return is(Use::text, in_quotes(first_text_));
  if (texts_ > 0) {
    return is(Use::mixed,
              fmt::format("{} in line {}", in_quotes(first_text_), grouped(first_text_line_)));
  }
  if (numbers_ == 0) return is(Use::empty, "");
  if (least_ == most_) return is(Use::constant, number_text(least_));
  if (missing_ > numbers_) {
    return is(Use::sparse, fmt::format("{} of {} values are missing", grouped(missing_),
                                       grouped(missing_ + numbers_)));
  }
  if (has_empty_trial()) return is(Use::gap, "");
  if (are_number_dates_) return is(Use::number_date, "");
  const bool rises = least_step_ > 0.0 && missing_ == 0;
  if (rises && is_called_time(column.name)) return is(Use::time, "");
  if (rises && most_step_ - least_step_ <= kStepTolerance * most_step_) {
    return is(Use::counter, fmt::format("{:.6g}", most_step_));
  }
}

}  // namespace gaia
