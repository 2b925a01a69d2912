// SPDX-License-Identifier: MIT
#include "missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"
#include "../core/finite.h"
#include "../core/names.h"
#include "columns.h"

namespace gaia {
namespace {

constexpr NameTable<MissingPolicy, 4> kNames = {{{"error", MissingPolicy::error},
                                                 {"hold", MissingPolicy::hold},
                                                 {"interpolate", MissingPolicy::interpolate},
                                                 {"keep", MissingPolicy::keep}}};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::string to_string(MissingPolicy policy) { return name_of(kNames, policy); }

MissingPolicy missing_policy_from_name(std::string_view name) {
  return from_name(kNames, name, "policy for missing values");
}

void Gaps::note(double value, std::int64_t place) {
  const std::int64_t row = rows_++;
  const bool keep = policy_ != MissingPolicy::error && !too_many_;
  if (std::isnan(value)) {
    if (missing_++ == 0) first_place_ = place;
    if (keep && !in_gap_ && gaps_.size() == kMostGaps) {
      too_many_ = true;
    } else if (keep && !in_gap_) {
      const bool begins_trial = row == trial_;
      needs_fill_ = needs_fill_ || (begins_trial && policy_ == MissingPolicy::hold);
      gaps_.push_back({row, row + 1, begins_trial ? kNone : last_value_, kNone});
    } else if (keep) {
      gaps_.back().end = row + 1;
    }
    in_gap_ = true;
    return;
  }
  if (keep && in_gap_) {
    gaps_.back().after = value;
    measure(gaps_.back(), moments_);
  }
  if (row < measured_) moments_.add(value);
  in_gap_ = false;
  last_value_ = value;
}

void Gaps::note_present(std::int64_t count, double first, double last) {
  if (in_gap_ && count > 0) {
    note(first);
    --count;
  }
  rows_ += count;
  last_value_ = last;
}

void Gaps::begin_trial() {
  if (in_gap_ && !gaps_.empty()) measure(gaps_.back(), moments_);
  in_gap_ = false;
  trial_ = rows_;
}

bool Gaps::split(std::span<const std::int64_t> starts) {
  bool is_split = false;
  std::vector<Gap> pieces;
  auto start = starts.begin();
  for (Gap gap : gaps_) {
    start = std::lower_bound(start, starts.end(), gap.begin);
    for (; start != starts.end() && *start < gap.end; ++start) {
      if (*start > gap.begin) {
        pieces.push_back({gap.begin, *start, gap.before, kNone});
        gap.begin = *start;
      }
      is_split = is_split || !std::isnan(gap.before);
      gap.before = kNone;
    }
    if (start != starts.end() && *start == gap.end) {
      is_split = is_split || !std::isnan(gap.after);
      gap.after = kNone;
    }
    needs_fill_ = needs_fill_ || (policy_ == MissingPolicy::hold && std::isnan(gap.before));
    pieces.push_back(gap);
  }
  gaps_ = std::move(pieces);
  return is_split;
}

std::optional<std::int64_t> Gaps::empty_trial() const {
  if (keeps()) return std::nullopt;
  const auto found = std::find_if(gaps_.begin(), gaps_.end(), [](const Gap& gap) {
    return std::isnan(gap.before) && std::isnan(gap.after);
  });
  if (found == gaps_.end()) return std::nullopt;
  return found->begin;
}

Moments Gaps::moments() const {
  Moments moments = moments_;
  if (in_gap_ && !gaps_.empty()) measure(gaps_.back(), moments);
  return moments;
}

std::vector<Gaps::Gap>::const_iterator Gaps::gap_after(std::int64_t row) const {
  return std::upper_bound(gaps_.begin(), gaps_.end(), row,
                          [](std::int64_t r, const Gap& gap) { return r < gap.end; });
}

std::vector<RowRange> Gaps::filled(std::int64_t first, std::int64_t count) const {
  std::vector<RowRange> stretches;
  const std::int64_t end = first + count;
  for (auto gap = gap_after(first); gap != gaps_.end() && gap->begin < end; ++gap) {
    stretches.push_back({std::max(gap->begin, first), std::min(gap->end, end)});
  }
  return stretches;
}

double Gaps::value_in(const Gap& gap, std::int64_t row) const {
  if (keeps()) return kNone;
  const bool has_before = !std::isnan(gap.before);
  if (policy_ == MissingPolicy::hold) return has_before ? gap.before : fill_;
  if (!has_before || std::isnan(gap.after)) return has_before ? gap.before : gap.after;
  const double way =
      static_cast<double>(row - gap.begin + 1) / static_cast<double>(gap.end - gap.begin + 1);
  return std::lerp(gap.before, gap.after, way);
}

void Gaps::measure(const Gap& gap, Moments& moments) const {
  if (keeps()) return;
  for (std::int64_t row = gap.begin; row < std::min(gap.end, measured_); ++row) {
    moments.add(value_in(gap, row));
  }
}

void Gaps::fill(std::int64_t first, std::int64_t count, double* values, std::size_t stride) const {
  for (auto gap = gap_after(first); gap != gaps_.end() && gap->begin < first + count; ++gap) {
    const std::int64_t end = std::min(gap->end, first + count);
    for (std::int64_t row = std::max(gap->begin, first); row < end; ++row) {
      values[static_cast<std::size_t>(row - first) * stride] = value_in(*gap, row);
    }
  }
}

void check_gaps(const std::string& source, const char* place, std::span<const std::string> names,
                std::span<const Gaps> gaps, MissingPolicy policy) {
  std::int64_t missing = 0;
  std::size_t first = 0;
  for (std::size_t c = 0; c < gaps.size(); ++c) {
    if (!gaps[c].has_values()) {
      throw DataError(
          fmt::format("{}: column {} has no values at all", source, in_quotes(names[c])));
    }
    if (gaps[c].too_many()) {
      throw DataError(fmt::format("{}: expected at most {} gaps in a column, column {} has more",
                                  source, Gaps::kMostGaps, in_quotes(names[c])));
    }
    missing += gaps[c].missing();
    if (gaps[c].missing() > 0 &&
        (gaps[first].missing() == 0 || gaps[c].first_place() < gaps[first].first_place())) {
      first = c;
    }
  }
  check_trials(source, names, gaps);
  if (missing == 0 || policy != MissingPolicy::error) return;
  throw DataError(
      fmt::format("{}: expected no missing values, got {}, the first in {} {}, column {}; "
                  "data.missing: hold fills them (for gaia apply: --missing hold)",
                  source, missing, place, gaps[first].first_place(), in_quotes(names[first])));
}

void check_trials(const std::string& source, std::span<const std::string> names,
                  std::span<const Gaps> gaps) {
  for (std::size_t c = 0; c < gaps.size(); ++c) {
    const auto trial = gaps[c].empty_trial();
    if (!trial) continue;
    throw DataError(
        fmt::format("{}: column {} has no values at all in the trial that begins at row {}", source,
                    in_quotes(names[c]), *trial));
  }
}

void fill_gaps(const std::string& source, std::span<const Gaps> gaps, std::int64_t first,
               std::int64_t count, std::span<double> block) {
  const auto values = block.first(static_cast<std::size_t>(count) * gaps.size());
  const auto fill = [&] {
    for (std::size_t c = 0; c < gaps.size(); ++c) {
      if (gaps[c].missing() > 0) gaps[c].fill(first, count, values.data() + c, gaps.size());
    }
  };
  const bool keeps = !gaps.empty() && gaps.front().keeps();
  // Holes are looked for where nothing is known to be missing.
  for (std::size_t c = 0; keeps && c < gaps.size(); ++c) {
    for (const RowRange& gap : gaps[c].filled(first, count)) {
      for (std::int64_t row = gap.begin; row < gap.end; ++row) {
        values[static_cast<std::size_t>(row - first) * gaps.size() + c] = 0.0;
      }
    }
  }
  if (!keeps) fill();
  const auto hole = are_finite(values)
                        ? values.end()
                        : std::find_if(values.begin(), values.end(),
                                       [](double value) { return std::isnan(value); });
  if (hole != values.end()) {
    throw DataError(fmt::format(
        "{}: row {} misses a value that was there before; the file changed while it was read",
        source, first + (hole - values.begin()) / static_cast<std::ptrdiff_t>(gaps.size())));
  }
  if (keeps) fill();
}

std::vector<Gaps> find_gaps(const std::string& source, std::span<const std::string> names,
                            std::int64_t rows, MissingPolicy policy, const ReadRows& read,
                            const GapOptions& options) {
  std::vector<Gaps> gaps;
  for (std::size_t c = 0; c < names.size(); ++c) {
    gaps.emplace_back(policy, options.measured,
                      options.before.empty() ? Moments() : options.before[c]);
  }
  std::size_t trial = 1;
  const auto width = static_cast<std::int64_t>(names.size());
  const std::int64_t block_rows = std::max<std::int64_t>(1, 65536 / width);
  std::vector<double> block(static_cast<std::size_t>(block_rows * width));
  for (std::int64_t first = 0; first < rows; first += block_rows) {
    const std::int64_t count = std::min(block_rows, rows - first);
    read(first, count, block);
    const std::vector<std::int64_t>* const starts = options.trial_starts;
    const bool has_start =
        starts != nullptr && trial < starts->size() && (*starts)[trial] < first + count;
    if (!has_start && first >= options.measured &&
        are_finite(std::span(block).first(static_cast<std::size_t>(count * width)))) {
      const double* const last = block.data() + (count - 1) * width;
      for (std::size_t c = 0; c < gaps.size(); ++c) gaps[c].note_present(count, block[c], last[c]);
      continue;
    }
    for (std::int64_t i = 0; i < count * width; ++i) {
      const double value = block[static_cast<std::size_t>(i)];
      const auto c = static_cast<std::size_t>(i % width);
      if (c == 0 && starts != nullptr && trial < starts->size() &&
          (*starts)[trial] == first + i / width) {
        for (Gaps& column : gaps) column.begin_trial();
        ++trial;
      }
      if (std::isinf(value)) {
        throw DataError(fmt::format("{}: row {}, column {}: expected a finite number, got {}",
                                    source, first + i / width, in_quotes(names[c]), value));
      }
      gaps[c].note(value);
    }
  }
  check_gaps(source, "row", names, gaps, policy);
  return gaps;
}

std::vector<Moments> moments_of(std::span<const Gaps> gaps) {
  std::vector<Moments> moments;
  for (const Gaps& column : gaps) moments.push_back(column.moments());
  return moments;
}

}  // namespace gaia
