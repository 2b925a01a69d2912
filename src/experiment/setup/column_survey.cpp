// SPDX-License-Identifier: MIT
#include "column_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../io/dates.h"

namespace gaia {
namespace {

/// Shares by which the steps of a counter may differ, as those of times that were rounded do.
constexpr double kStepTolerance = 1e-3;

std::string lower(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

bool is_called_time(const std::string& name) {
  constexpr std::array<std::string_view, 12> names = {
      "t",    "time",     "times",   "timestamp", "date",   "datetime",
      "year", "unixtime", "seconds", "sec",       "time_s", "decimal_date"};
  const std::string called = lower(name);
  return std::find(names.begin(), names.end(), called) != names.end() ||
         called.starts_with("time ") || called.starts_with("time(") || called.starts_with("time [");
}

/// 20240131.0, between 1700 and 2200.
bool is_number_date(double value) {
  if (!(value >= 17e6 && value < 22e6) || std::floor(value) != value) return false;
  const auto number = static_cast<std::int64_t>(value);
  return parse_date(fmt::format("{}-{:02}-{:02}", number / 10000, number / 100 % 100, number % 100))
      .has_value();
}

}  // namespace

void ColumnSurvey::begin_trial() {
  last_.reset();
  last_date_.reset();
}

void ColumnSurvey::note_number(double value) {
  if (last_) {
    least_step_ = std::min(least_step_, value - *last_);
    most_step_ = std::max(most_step_, value - *last_);
  }
  are_number_dates_ = are_number_dates_ && is_number_date(value);
  ++numbers_;
  last_ = value;
  least_ = std::min(least_, value);
  most_ = std::max(most_, value);
}

void ColumnSurvey::note_text(const std::string& field, std::int64_t line) {
  if (different_texts_.size() <= kMostSurveyedClasses) different_texts_.insert(field);
  if (are_rising_dates_) {
    const auto date = parse_date(field);
    are_rising_dates_ = date && (!last_date_ || *date > *last_date_);
    last_date_ = date;
  }
  if (texts_++ > 0) return;
  first_text_ = field;
  first_text_line_ = line;
}

SurveyedColumn ColumnSurvey::result(const std::string& name) const {
  using Use = SurveyedColumn::Use;
  SurveyedColumn column{.name = name, .use = Use::channel, .note = {}, .missing = missing_};
  const auto is = [&](Use use, const std::string& note) {
    column.use = use;
    column.note = note;
    return column;
  };
  if (texts_ > 0 && numbers_ == 0 && missing_ == 0 && are_rising_dates_) return is(Use::time, "");
  const bool are_classes =
      different_texts_.size() > 1 && different_texts_.size() <= kMostSurveyedClasses;
  if (texts_ > 0 && numbers_ == 0 && are_classes && !parse_date(first_text_)) {
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
  if (are_number_dates_) return is(Use::number_date, "");
  const bool rises = least_step_ > 0.0 && missing_ == 0;
  if (rises && is_called_time(name)) return is(Use::time, "");
  if (rises && most_step_ - least_step_ <= kStepTolerance * most_step_) {
    return is(Use::counter, fmt::format("{:.6g}", most_step_));
  }
  return column;
}

}  // namespace gaia
