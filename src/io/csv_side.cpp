// SPDX-License-Identifier: MIT
#include "csv_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "../core/log.h"
#include "../core/text.h"
#include "columns.h"
#include "csv_number.h"
#include "dates.h"
#include "whole_numbers.h"

namespace gaia {
namespace {

/// A field that is a whole number of 64 bits, blanks around it left out.
std::optional<std::int64_t> parse_whole(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return parse_integer(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

}  // namespace

CsvSide::CsvSide(const std::string& path, const SideOptions& options,
                 const std::vector<std::string>& names, char decimal)
    : path_(path),
      names_(names),
      places_(find_side_columns(path, options, names)),
      is_empty_(options.empty()),
      decimal_(decimal),
      target_found_(places_.targets.size(), false),
      rounded_(places_.targets.size(), false) {}

bool CsvSide::note(const CsvRecords& records) {
  if (is_empty_) return false;
  if (places_.time) note_time(records);
  for (std::size_t i = 0; i < places_.targets.size(); ++i) {
    const double value = target(records, i);
    if (!std::isnan(value)) target_found_[i] = true;
    if (rounds(cell(records, places_.targets[i]), value)) rounded_[i] = true;
  }
  if (places_.labels) note_label(records);
  const bool begins_trial = places_.trial && note_trial(records);
  if (places_.group) note_group(records);
  ++rows_;
  return begins_trial;
}

void CsvSide::end_of_rows() {
  std::vector<std::string> rounded;
  for (std::size_t i = 0; i < rounded_.size(); ++i) {
    if (rounded_[i]) rounded.push_back(names_[places_.targets[i]]);
  }
  warn_of_rounded(path_, rounded);
  for (std::size_t i = 0; i < target_found_.size(); ++i) {
    if (target_found_[i]) continue;
    throw DataError(fmt::format("{}: {} has no values at all", path_,
                                side_name(names_[places_.targets[i]], "targets")));
  }
  if (places_.labels && classes_.names().empty()) {
    throw DataError(fmt::format("{}: {} has no values at all", path_,
                                side_name(names_[*places_.labels], "labels")));
  }
  classes_.number_them();
  if (places_.labels) warn_of_labels();
}

SideValues CsvSide::take_times() {
  if (has_dates() || has_counts()) return std::move(dates_);
  return std::move(times_);
}

void CsvSide::note_time(const CsvRecords& records) {
  const std::string_view text = cell(records, *places_.time);
  if (time_kind_ == TimeKind::unknown) {
    time_kind_ =
        parse_cell(text, decimal_).kind == CellKind::number ? TimeKind::number : TimeKind::date;
  }
  if (has_dates()) return dates_.push_back(date(records));
  if (has_counts()) return dates_.push_back(count(records));
  const double number = time(records);
  const bool is_beyond = is_beyond_exact(number);
  if (is_beyond && can_count_ && parse_whole(text)) {
    time_kind_ = TimeKind::count;
    dates_.assign(times_.begin(), times_.end());
    times_ = {};
    return dates_.push_back(count(records));
  }
  can_count_ = can_count_ && !is_beyond && std::floor(number) == number;
  times_.push_back(number);
}

std::int64_t CsvSide::count(const CsvRecords& records) const {
  const std::string_view text = cell(records, *places_.time);
  if (const auto number = parse_whole(text)) return *number;
  const double number = time(records);
  if (std::floor(number) == number && !is_beyond_exact(number)) {
    return static_cast<std::int64_t>(number);
  }
  records.fail(*places_.time + 1,
               fmt::format("expected a whole number of at most 63 bits in {}, as in rows before "
                           "that go beyond 2^53, got {}",
                           side_name(names_[*places_.time], "time"), in_quotes(text)));
}

std::int64_t CsvSide::date(const CsvRecords& records) const {
  const std::string_view text = cell(records, *places_.time);
  const auto nanoseconds = parse_date(text);
  if (nanoseconds) return *nanoseconds;
  const bool is_missing = parse_cell(text, decimal_).kind == CellKind::missing;
  records.fail(
      *places_.time + 1,
      fmt::format("expected {}{} in {}, got {}", kDateForm, rows_ == 0 ? " or a number" : "",
                  side_name(names_[*places_.time], "time"),
                  is_missing ? "a missing value; every row needs its time" : in_quotes(text)));
}

double CsvSide::time(const CsvRecords& records) const {
  const std::string_view text = cell(records, *places_.time);
  const Cell number = parse_cell(text, decimal_);
  if (number.kind == CellKind::number) return number.value;
  records.fail(
      *places_.time + 1,
      fmt::format("expected a number in {}, as in the rows before, got {}",
                  side_name(names_[*places_.time], "time"),
                  number.kind == CellKind::missing ? "a missing value; every row needs its time"
                                                   : in_quotes(text)));
}

double CsvSide::target(const CsvRecords& records, std::size_t index) const {
  const std::size_t field = places_.targets[index];
  const Cell number = parse_cell(cell(records, field), decimal_);
  if (number.kind != CellKind::number && number.kind != CellKind::missing) {
    fail_number(records, field, "targets");
  }
  return number.value;
}

std::string_view CsvSide::label(const CsvRecords& records, std::string& buffer) const {
  return name_in(records, *places_.labels, buffer);
}

std::string_view CsvSide::name_in(const CsvRecords& records, std::size_t field,
                                  std::string& buffer) const {
  const std::string_view text = cell(records, field);
  const Cell number = parse_cell(text, decimal_);
  if (number.kind == CellKind::missing) return {};
  // pandas writes integers as 1.0 where others of the column are missing.
  if (number.kind != CellKind::number || std::floor(number.value) != number.value ||
      is_beyond_exact(number.value)) {
    return text;
  }
  buffer = fmt::format("{}", static_cast<std::int64_t>(number.value));
  return buffer;
}

void CsvSide::note_label(const CsvRecords& records) {
  std::string buffer;
  const std::string_view name = label(records, buffer);
  const std::string_view text = cell(records, *places_.labels);
  if (name.empty()) {
    if (!text.empty() && missing_labels_++ == 0) missing_label_ = text;
    return;
  }
  if (rewritten_label_.empty() && name != text && text.find(decimal_) == text.npos) {
    rewritten_label_ = text;
    rewritten_class_ = name;
  }
  const std::string why_not = why_no_class(name);
  if (!why_not.empty()) {
    records.fail(
        *places_.labels + 1,
        fmt::format("{}: expected {}", side_name(names_[*places_.labels], "labels"), why_not));
  }
  if (!classes_.note(name)) {
    throw DataError(too_many_classes(path_, names_[*places_.labels]));
  }
}

void CsvSide::warn_of_labels() const {
  const std::string where = path_ + ": " + side_name(names_[*places_.labels], "labels");
  if (!rewritten_label_.empty()) {
    log_warning(fmt::format(
        "{}: labels that are numbers are classes by their value, so that {} and {} are one class; "
        "with other text, as c{}, each is a class of its own",
        where, in_quotes(rewritten_label_), rewritten_class_, rewritten_label_));
  }
  if (missing_labels_ > 0) {
    log_warning(fmt::format(
        "{}: {} is a word for a missing value, so that {} row{} no label; a class needs another "
        "name",
        where, in_quotes(missing_label_), missing_labels_,
        missing_labels_ == 1 ? " has" : "s have"));
  }
}

bool CsvSide::note_trial(const CsvRecords& records) {
  const std::string_view text = cell(records, *places_.trial);
  if (parse_cell(text, decimal_).kind == CellKind::missing) {
    records.fail(*places_.trial + 1,
                 fmt::format("expected what tells trials apart in {}, got a missing value",
                             side_name(names_[*places_.trial], "trials")));
  }
  const bool begins = rows_ > 0 && text != trial_;
  if (rows_ == 0 || begins) {
    trial_ = text;
    trial_names_.note(rows_, text);
  }
  return begins;
}

void CsvSide::note_group(const CsvRecords& records) {
  const std::string_view text = cell(records, *places_.group);
  if (rows_ > 0 && text == group_) return;
  std::string buffer;
  const std::string_view name = name_in(records, *places_.group, buffer);
  if (name.empty()) {
    records.fail(*places_.group + 1,
                 fmt::format("expected what tells groups apart in {}, got a missing value",
                             side_name(names_[*places_.group], "groups")));
  }
  if (!groups_.note(rows_, name)) throw DataError(too_many_groups(path_));
  group_ = text;
}

void CsvSide::fail_number(const CsvRecords& records, std::size_t field, const char* key) const {
  const std::string way = way_to_write(records.fields()[field], decimal_);
  records.fail(
      field + 1,
      fmt::format("expected a finite number in {}, got {}{}", side_name(names_[field], key),
                  in_quotes(records.fields()[field]), way.empty() ? "" : "; " + way));
}

}  // namespace gaia
