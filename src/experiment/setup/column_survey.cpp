// SPDX-License-Identifier: MIT
#include "column_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "../../core/text.h"
#include "../../io/columns.h"

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

}  // namespace

void ColumnSurvey::note_number(double value) {
  if (numbers_ > 0) {
    least_step_ = std::min(least_step_, value - last_);
    most_step_ = std::max(most_step_, value - last_);
  }
  ++numbers_;
  last_ = value;
  least_ = std::min(least_, value);
  most_ = std::max(most_, value);
}

void ColumnSurvey::note_text(const std::string& field, std::int64_t line) {
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
  const bool rises = least_step_ > 0.0 && missing_ == 0;
  if (rises && most_step_ - least_step_ <= kStepTolerance * most_step_) {
    return is(Use::counter, number_text(most_step_));
  }
  if (rises && is_called_time(name)) return is(Use::time, "");
  return column;
}

}  // namespace gaia
