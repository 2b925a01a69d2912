// SPDX-License-Identifier: MIT
#include "table_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "../core/error.h"
#include "../core/log.h"
#include "columns.h"

namespace gaia {
namespace {

using Role = SideColumn::Role;

}  // namespace

std::string TableSeries::place_of(std::int64_t row) {
  return fmt::format("{}: row {}", source(), row);
}

void TableSeries::open_table(std::int64_t rows, std::vector<std::string> names,
                             std::int64_t trial_rows, bool can_miss, const FileOptions& options,
                             const SideOptions& in_table, BesideTable beside) {
  rows_ = rows;
  all_names_ = std::move(names);
  places_ = find_side_columns(source(), in_table, all_names_);
  if (options.columns.empty()) {
    for (std::size_t i = 0; i < all_names_.size(); ++i) {
      if (!places_.has(i)) channels_.push_back(i);
    }
  } else {
    channels_ = select_columns(source(), options.columns, all_names_);
    check_channels_apart(source(), channels_, places_, all_names_);
  }
  if (channels_.empty()) {
    throw DataError(
        fmt::format("{}: expected a column for the levels beside those of data.time, data.targets, "
                    "data.labels, "
                    "data.trials and data.groups, got none",
                    source()));
  }
  for (const std::size_t channel : channels_) names_.push_back(all_names_[channel]);
  trial_starts_ = {0};
  const std::int64_t length = trial_rows > 0 ? trial_rows : options.side.trial_length;
  for (std::int64_t start = length; length > 0 && start < rows_; start += length) {
    trial_starts_.push_back(start);
  }
  if (beside.trials) take_trials(*beside.trials);
  if (beside.trial_starts.size() > 1) trial_starts_ = beside.trial_starts;
  if (beside.groups) take_groups(beside, trial_rows);
  if (places_.trial) keys_.push_back({.column = *places_.trial, .key = "trials"});
  if (places_.group) keys_.push_back({.column = *places_.group, .key = "groups"});
  add_sides(options.side, beside, trial_rows);
  if (beside.times) times_ = beside.times;
  look_through(options, can_miss);
}

void TableSeries::take_trials(const std::vector<std::string>& trials) {
  for (std::size_t row = 0; row < trials.size(); ++row) {
    if (row > 0 && trials[row] == trials[row - 1]) continue;
    trial_names_.note(static_cast<std::int64_t>(row), trials[row]);
    if (row > 0) trial_starts_.push_back(static_cast<std::int64_t>(row));
  }
}

void TableSeries::take_groups(const BesideTable& beside, std::int64_t trial_rows) {
  const auto count = static_cast<std::int64_t>(beside.groups->size());
  const auto trials = static_cast<std::int64_t>(trial_starts_.size());
  const bool are_of_trials = trial_rows > 0 && count == trials;
  if (!are_of_trials && count != rows_) {
    throw DataError(fmt::format(
        "{}: expected a group for each of the {} rows{}, got {}", beside.groups_source, rows_,
        trial_rows > 0 ? fmt::format(" or {} trials", trials) : std::string(), count));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string& name = (*beside.groups)[static_cast<std::size_t>(i)];
    if (name.empty()) {
      throw DataError(
          fmt::format("{}: expected what tells groups apart in {} {}, got a missing "
                      "value",
                      beside.groups_source, are_of_trials ? "trial" : "row", i));
    }
    if (!groups_.note(are_of_trials ? i * trial_rows : i, name)) {
      throw DataError(too_many_groups(source()));
    }
  }
}

/// In the order of FileSeries::set_side_columns().
void TableSeries::add_sides(const SideOptions& all_sides, const BesideTable& beside,
                            std::int64_t trial_rows) {
  std::vector<std::string> target_names;
  if (!all_sides.time.empty()) {
    Side side{Role::time, places_.time};
    if (beside.times) side.held = *beside.times;
    sides_.push_back(std::move(side));
  }
  auto column = places_.targets.begin();
  for (const std::string& target : all_sides.targets) {
    const auto held = std::find_if(beside.targets.begin(), beside.targets.end(),
                                   [&](const auto& one) { return one.first == target; });
    if (held != beside.targets.end()) {
      sides_.push_back({Role::target, std::nullopt, held->second});
      target_names.push_back(target);
    } else {
      target_names.push_back(all_names_[*column]);
      sides_.push_back({Role::target, *column++});
    }
  }
  if (!all_sides.labels.empty() || beside.labels) {
    sides_.push_back({Role::label, places_.labels});
    if (beside.labels) take_labels(beside, trial_rows);
  }
  SideOptions named = all_sides;
  if (beside.labels && named.labels.empty()) named.labels = "labels";
  set_side_columns(named, target_names);
  if (beside.times && beside.times_count) side_columns_.front().counts = true;
  target_found_.assign(sides_.size(), false);
}

void TableSeries::take_labels(const BesideTable& beside, std::int64_t trial_rows) {
  const auto count = static_cast<std::int64_t>(beside.labels->size());
  const auto trials = static_cast<std::int64_t>(trial_starts_.size());
  Side& side = sides_.back();
  if (trial_rows > 0 && count == trials) {
    side.rows_each = trial_rows;
  } else if (count != rows_) {
    throw DataError(fmt::format(
        "{}: expected a label for each of the {} rows{}, got {}", beside.labels_source, rows_,
        trial_rows > 0 ? fmt::format(" or {} trials", trials) : std::string(), count));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string& name = (*beside.labels)[static_cast<std::size_t>(i)];
    if (name.empty()) continue;
    const std::string why_not = why_no_class(name);
    if (!why_not.empty()) {
      throw DataError(fmt::format("{}: label {}: expected {}", beside.labels_source, i, why_not));
    }
    if (!classes_.note(name)) {
      throw DataError(too_many_classes(beside.labels_source, "the labels"));
    }
  }
  if (classes_.names().empty()) {
    throw DataError(beside.labels_source + ": the labels have no values at all");
  }
  classes_.number_them();
  std::vector<std::int64_t> codes;
  for (const std::string& name : *beside.labels) codes.push_back(classes_.code(name));
  side.held = std::move(codes);
}

/// One pass over the file, in which channels and side columns are read together.
void TableSeries::look_through(const FileOptions& options, bool can_miss) {
  std::vector<std::size_t> columns = channels_;
  for (const Side& side : sides_) {
    if (side.column) columns.push_back(*side.column);
  }
  for (const Key& key : keys_) columns.push_back(key.column);
  is_rounded_.assign(all_names_.size(), false);
  const std::size_t width = channels_.size();
  bool has_wide = false;
  for (const std::size_t column : columns) has_wide = has_wide || wide(column) != Wide::no;
  if (!can_miss && !has_wide && columns.size() == width) return;
  std::vector<double> block;
  const ReadRows read = [&](std::int64_t first, std::int64_t count, std::span<double> out) {
    if (columns.size() == width) {
      read_table(first, count, columns, out.data());
      if (has_wide) note_rounded(count, columns, out.data(), width);
      return;
    }
    block.resize(static_cast<std::size_t>(count) * columns.size());
    read_table(first, count, columns, block.data());
    for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
      std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(r * columns.size()), width,
                  out.begin() + static_cast<std::ptrdiff_t>(r * width));
    }
    note_sides(first, count, block.data() + width, columns.size());
    if (has_wide) note_rounded(count, columns, block.data(), columns.size());
  };
  gaps_ = find_gaps(source(), names_, rows_, options.missing, read,
                    {options.measured, options.before, &trial_starts_});
  check_unchanged();
  if (!needs_fill()) keep_moments(std::min(options.measured, rows_), moments_of(gaps_));
  has_moments_ = true;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const Side& side = sides_[i];
    if (!side.column || side.role == Role::time) continue;
    if (target_found_[i]) continue;
    throw DataError(fmt::format(
        "{}: {} has no values at all", source(),
        side_name(all_names_[*side.column], side.role == Role::label ? "labels" : "targets")));
  }
  if (places_.time && !counted_times_.empty()) {
    times_ = std::move(counted_times_);
    side_columns_.front().counts = true;
  } else if (places_.time) {
    times_ = std::move(noted_times_);
  }
  if (places_.labels) classes_.number_them();
  std::vector<std::string> rounded;
  for (std::size_t i = 0; i < is_rounded_.size(); ++i) {
    if (is_rounded_[i]) rounded.push_back(all_names_[i]);
  }
  warn_of_rounded(source(), rounded);
}

/// Notes which channels and targets, that are read as doubles, are not exact.
void TableSeries::note_rounded(std::int64_t count, std::span<const std::size_t> columns,
                               const double* block, std::size_t width) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t column = columns[i];
    const bool is_read =
        i < channels_.size() ||
        std::find(places_.targets.begin(), places_.targets.end(), column) != places_.targets.end();
    if (!is_read || is_rounded_[column] || wide(column) == Wide::no) continue;
    for (std::int64_t r = 0; r < count && !is_rounded_[column]; ++r) {
      is_rounded_[column] = is_beyond_exact(block[static_cast<std::size_t>(r) * width + i]);
    }
  }
}

void TableSeries::read_wide(std::int64_t /*first*/, std::int64_t /*count*/, std::size_t /*column*/,
                            std::int64_t* /*out*/) {
  throw InternalError("[TableSeries] " + source() + " has no integers of 64 bits");
}

std::vector<std::int64_t> TableSeries::exact_of(std::size_t column, std::int64_t first,
                                                std::int64_t count, const double* values,
                                                std::size_t stride) {
  if (wide(column) == Wide::no) return {};
  bool is_needed = false;
  for (std::int64_t r = 0; r < count && !is_needed; ++r, values += stride) {
    is_needed = is_beyond_exact(*values);
  }
  if (!is_needed) return {};
  std::vector<std::int64_t> exact(static_cast<std::size_t>(count));
  read_wide(first, count, column, exact.data());
  return exact;
}

void TableSeries::note_time(std::size_t column, double value, const std::int64_t* exact,
                            std::int64_t row) {
  if (exact == nullptr && counted_times_.empty()) return noted_times_.push_back(value);
  const std::int64_t count = exact != nullptr ? *exact : static_cast<std::int64_t>(value);
  if (count < 0 && wide(column) == Wide::unsigned64) {
    throw DataError(fmt::format("{}: expected a time below 2^63 in {}, got {}", place_of(row),
                                side_name(all_names_[column], "time"),
                                integer_text(Wide::unsigned64, count)));
  }
  if (counted_times_.empty()) {  // those so far are whole, since the column is
    counted_times_.assign(noted_times_.begin(), noted_times_.end());
  }
  counted_times_.push_back(count);
}

/// Takes the side columns of a block of the first pass: in the order of sides_, trial and group
/// last.
void TableSeries::note_sides(std::int64_t first, std::int64_t count, const double* block,
                             std::size_t width) {
  std::vector<std::vector<std::int64_t>> exacts;  // exact values of each column, in their order
  const auto take_exact = [&](std::size_t column) {
    exacts.push_back(exact_of(column, first, count, block + exacts.size(), width));
  };
  for (const Side& side : sides_) {
    if (side.column) take_exact(*side.column);
  }
  for (const Key& key : keys_) take_exact(key.column);
  for (std::int64_t r = 0; r < count; ++r, block += width) {
    const double* value = block;
    // What a double rounds, else null.
    const auto exact = [&]() -> const std::int64_t* {
      const std::vector<std::int64_t>& of = exacts[static_cast<std::size_t>(value - block)];
      return of.empty() || !is_beyond_exact(*value) ? nullptr : &of[static_cast<std::size_t>(r)];
    };
    const auto fail = [&](std::size_t column, const char* key, const std::string& expected) {
      throw DataError(fmt::format(
          "{}: expected {} in {}, got {}", place_of(first + r), expected,
          side_name(all_names_[column], key),
          std::isnan(*value) ? std::string("a missing value") : fmt::format("{}", *value)));
    };
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      const Side& side = sides_[i];
      if (!side.column) continue;
      if (side.role == Role::time) {
        if (!std::isfinite(*value)) fail(*side.column, "time", "a time for every row");
        note_time(*side.column, *value, exact(), first + r);
      } else if (side.role == Role::target) {
        if (std::isinf(*value)) fail(*side.column, "targets", "a finite number");
      } else if (!std::isnan(*value) && !classes_.note(class_of(*value, exact(), first + r))) {
        throw DataError(too_many_classes(source(), all_names_[*side.column]));
      }
      if (!std::isnan(*value)) target_found_[i] = true;
      ++value;
    }
    for (Key& key : keys_) {
      const bool is_trial = std::string_view(key.key) == "trials";
      if (std::isnan(*value)) {
        fail(key.column, key.key, fmt::format("what tells {} apart", key.key));
      }
      const std::int64_t row = first + r;
      if (note_key(key, *value, exact(), row) && is_trial && row > 0) trial_starts_.push_back(row);
      ++value;
    }
  }
}

bool TableSeries::note_key(Key& key, double value, const std::int64_t* exact, std::int64_t row) {
  const std::int64_t whole = exact != nullptr ? *exact : 0;
  if (row > 0 && value == key.last && whole == key.last_exact) return false;
  key.last = value;
  key.last_exact = whole;
  if (is_beyond_exact(value) && exact == nullptr && !key.told) {
    key.told = true;
    log_warning(fmt::format("{}: got {} in {}; {}", place_of(row), value,
                            side_name(all_names_[key.column], key.key), why_no_name(value)));
  }
  const std::string name = exact != nullptr ? integer_text(wide(key.column), *exact)
                           : std::floor(value) == value && !is_beyond_exact(value)
                               ? std::to_string(static_cast<std::int64_t>(value))
                               : fmt::format("{}", value);
  const bool is_trial = std::string_view(key.key) == "trials";
  if (is_trial) {
    trial_names_.note(row, name);
  } else if (!groups_.note(row, name)) {
    throw DataError(too_many_groups(source()));
  }
  return true;
}

std::string TableSeries::class_of(double value, const std::int64_t* exact, std::int64_t row) const {
  if (exact != nullptr) return integer_text(wide(*places_.labels), *exact);
  if (std::floor(value) == value && !is_beyond_exact(value)) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  throw DataError(fmt::format("{}: row {}: expected a whole number in {}, got {}; {}", source(),
                              row, side_name(all_names_[*places_.labels], "labels"), value,
                              why_no_name(value)));
}

void TableSeries::read(std::int64_t first, std::int64_t count, std::span<double> out) {
  check_range(first, count, out.size(), channels());
  ensure_fill();
  check_unchanged();
  // What was converted is looked through while the cache has it.
  constexpr std::int64_t kNumbersInCache = 1 << 17;
  const std::int64_t width = std::ssize(channels_);
  const std::int64_t piece = std::max<std::int64_t>(1, kNumbersInCache / width);
  for (std::int64_t done = 0; done < count; done += piece) {
    const std::int64_t rows = std::min(piece, count - done);
    const std::span<double> to = out.subspan(static_cast<std::size_t>(done * width));
    read_table(first + done, rows, channels_, to.data());
    if (!gaps_.empty()) fill_gaps(source(), gaps_, first + done, rows, to);
  }
  check_unchanged();
}

void TableSeries::take_side(const Side& side, std::int64_t first, std::int64_t count,
                            const double* values, std::size_t stride, SideValues& to) {
  const auto rows = static_cast<std::size_t>(count);
  std::vector<std::int64_t> exact;
  if (side.column && side.role != Role::target) {
    exact = exact_of(*side.column, first, count, values, stride);
  }
  if (side.column && side.role == Role::label) {
    std::vector<std::int64_t> codes(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      const double value = values[r * stride];
      const std::int64_t* const whole =
          exact.empty() || !is_beyond_exact(value) ? nullptr : &exact[r];
      codes[r] = std::isnan(value)
                     ? -1
                     : classes_.code(class_of(value, whole, first + static_cast<std::int64_t>(r)));
    }
    to = std::move(codes);
  } else if (side.column && side.role == Role::time && side_columns_.front().counts) {
    if (exact.empty()) {
      for (std::size_t r = 0; r < rows; ++r) {
        exact.push_back(static_cast<std::int64_t>(values[r * stride]));
      }
    }
    to = std::move(exact);
  } else if (side.column) {
    std::vector<double> taken(rows);
    for (std::size_t r = 0; r < rows; ++r) taken[r] = values[r * stride];
    to = std::move(taken);
  } else {
    to = std::visit(
        [&]<class Held>(const Held& held) -> SideValues {
          Held taken(rows);
          for (std::size_t r = 0; r < rows; ++r) {
            taken[r] = held[static_cast<std::size_t>((first + static_cast<std::int64_t>(r)) /
                                                     side.rows_each)];
          }
          return taken;
        },
        side.held);
  }
}

void TableSeries::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                                 std::span<const std::size_t> wanted, std::span<SideValues> side) {
  check_range(first, count, out.size(), channels());
  ensure_fill();
  make_room(0, wanted, side, false);
  std::vector<std::size_t> columns = channels_;
  for (const std::size_t i : wanted) {
    if (sides_[i].column) columns.push_back(*sides_[i].column);
  }
  const std::size_t width = channels_.size();
  if (columns.size() == width) {
    read(first, count, out);
  } else {
    check_unchanged();
    block_.resize(static_cast<std::size_t>(count) * columns.size());
    read_table(first, count, columns, block_.data());
    check_unchanged();
    for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
      std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(r * columns.size()), width,
                  out.begin() + static_cast<std::ptrdiff_t>(r * width));
    }
    if (!gaps_.empty()) fill_gaps(source(), gaps_, first, count, out);
  }
  std::size_t place = width;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Side& one = sides_[wanted[i]];
    const double* const values = one.column ? block_.data() + place++ : nullptr;
    take_side(one, first, count, values, columns.size(), side[i]);
  }
}

void warn_of_transposed(const std::string& source, std::int64_t rows, std::int64_t columns,
                        const std::string& way_out) {
  constexpr std::int64_t least = 64;
  if (columns <= least || columns / 10 < rows || columns <= 10 * rows) return;
  log_warning(fmt::format(
      "{}: its {} columns far outnumber its {} rows, as they do where rows are channels; {}",
      source, columns, rows, way_out));
}

}  // namespace gaia
