// SPDX-License-Identifier: MIT
#include "row_fields.h"

#include <cmath>

#include "../../core/message.h"
#include "../../core/names.h"
#include "../../core/text.h"
#include "../../io/class_table.h"
#include "../../io/columns.h"
#include "../../io/csv_number.h"
#include "../../io/csv_records.h"
#include "../../io/whole_numbers.h"

namespace gaia {

std::string first_names(std::span<const std::string> names) {
  constexpr std::size_t most = 8;
  if (names.size() <= most) return join(names);
  return message("{} and {} more", join(names.first(most)), names.size() - most);
}

RowFields::RowFields(const RowNames& names)
    : decimal_(names.decimal), columns_(names.columns.size()), targets_(names.targets.size()) {
  for (std::size_t i = 0; i < columns_; ++i) field_of(names.columns[i]).value = i;
  for (std::size_t i = 0; i < targets_; ++i) field_of(names.targets[i]).target = i;
  if (!names.label.empty()) field_of(names.label).is_label = true;
  // What a result calls so is what it is there.
  if (!names.trial.empty()) {
    field_of(names.trial).is_trial = true;
  } else if (find("trial") == kNone) {
    field_of("trial").is_trial = true;
  }
  if (find("step") == kNone) field_of("step").is_step = true;
}

RowFields::Field& RowFields::field_of(const std::string& name) {
  const auto [place, is_new] = numbers_.emplace(name, fields_.size());
  if (is_new) fields_.push_back({.name = name});
  return fields_[place->second];
}

std::size_t RowFields::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? kNone : found->second;
}

void RowFields::begin(RowLine& line) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  line.kind = RowLine::Kind::row;
  line.row.values.assign(columns_, unknown);
  line.row.targets.assign(targets_, unknown);
  line.row.label.reset();
  line.has_values = false;
  line.has_truth = false;
  line.step.reset();
  line.row.trial.reset();
  line.error.clear();
}

void RowFields::end(RowLine& line) const {
  bool is_known = false;
  for (const double target : line.row.targets) is_known = is_known || !std::isnan(target);
  if (!is_known) line.row.targets.clear();
  line.has_truth = is_known || line.row.label.has_value();
}

void RowFields::put_value(const Field& field, double number, RowLine& line) const {
  if (field.value != kNone) {
    line.row.values[field.value] = number;
    line.has_values = line.has_values || !std::isnan(number);
  }
  if (field.target != kNone) line.row.targets[field.target] = number;
}

std::string RowFields::put_name(const Field& field, std::string_view name, RowLine& line) const {
  const std::string why_not = why_no_class(name);
  if (!why_not.empty()) return message("column {}: expected {}", printable(field.name), why_not);
  if (field.is_label) line.row.label = name;
  if (field.is_trial) line.row.trial = name;
  return {};
}

std::string RowFields::put_cell(std::size_t number, std::string_view text, RowLine& line) const {
  const Field& field = fields_[number];
  const bool is_name = field.is_label || field.is_trial;
  if (field.is_step) {
    if (text.empty()) return {};
    line.step = parse_integer(text);
    return line.step ? std::string() : refuse(number, in_quotes(text));
  }
  const Cell cell = parse_cell(text, decimal_);
  const bool is_usable = cell.kind == CellKind::number || cell.kind == CellKind::missing;
  if (field.value != kNone || field.target != kNone) {
    if (!is_usable) {
      const char other = decimal_ == '.' ? ',' : '.';
      const std::string way = is_number(text, other) ? message("--decimal {} reads it", other)
                                                     : way_to_write(text, decimal_);
      return refuse(number, in_quotes(text)) + (way.empty() ? "" : "; " + way);
    }
    put_value(field, cell.value, line);
  }
  if (!is_name || cell.kind == CellKind::missing) return {};
  // Integers may be written as 1.0, as in files.
  const bool is_whole = cell.kind == CellKind::number && std::floor(cell.value) == cell.value &&
                        !is_beyond_exact(cell.value);
  return is_whole ? put_name(field, std::to_string(static_cast<std::int64_t>(cell.value)), line)
                  : put_name(field, text, line);
}

std::string RowFields::put_number(std::size_t number, double value, RowLine& line) const {
  const Field& field = fields_[number];
  const bool is_whole = std::floor(value) == value && !is_beyond_exact(value);
  if (field.is_step) {
    if (!is_whole) return refuse(number, number_text(value));
    line.step = static_cast<std::int64_t>(value);
    return {};
  }
  put_value(field, value, line);
  if (!field.is_label && !field.is_trial) return {};
  return put_name(field,
                  is_whole ? std::to_string(static_cast<std::int64_t>(value)) : number_text(value),
                  line);
}

std::string RowFields::put_integer(std::size_t number, std::int64_t value, RowLine& line) const {
  const Field& field = fields_[number];
  if (field.is_step) {
    line.step = value;
    return {};
  }
  put_value(field, static_cast<double>(value), line);
  return field.is_label || field.is_trial ? put_name(field, std::to_string(value), line)
                                          : std::string();
}

std::string RowFields::put_text(std::size_t number, std::string_view text, RowLine& line) const {
  const Field& field = fields_[number];
  if (field.is_step || field.value != kNone || field.target != kNone) {
    return refuse(number, "the text " + in_quotes(text));
  }
  return text.empty() ? std::string() : put_name(field, text, line);
}

std::string RowFields::refuse(std::size_t number, std::string_view what) const {
  const Field& field = fields_[number];
  const bool is_number = field.value != kNone || field.target != kNone;
  return message("column {}: expected {}, got {}", printable(field.name),
                 field.is_step ? "the number of a row"
                 : is_number   ? "a finite number"
                               : "a text or a number",
                 what);
}

}  // namespace gaia
