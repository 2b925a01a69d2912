// SPDX-License-Identifier: MIT
#include "filtered_series.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace gaia {
namespace {

constexpr std::int64_t kReadAtOnce = 4096;  // rows of the series within
constexpr std::int64_t kFirstSpacing = 1 << 14;
constexpr std::size_t kMostPlaces = 256;
constexpr std::size_t kMostKeptNumbers = std::size_t{1} << 23;  // in the states of all of them

/// Adds numbers `rows` of a block.
void append_rows_of(SideValues& to, const SideValues& block, const std::vector<std::size_t>& rows,
                    bool is_first) {
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        if (is_first) to = std::vector<T>();
        auto& kept = std::get<std::vector<T>>(to);
        for (const std::size_t row : rows) kept.push_back(values[row]);
      },
      block);
}

}  // namespace

FilteredSeries::FilteredSeries(std::unique_ptr<Series> series, const DataConfig& data)
    : ForwardingSeries(std::move(series)),
      filter_(data, channels()),
      starts_within_(within().trial_starts()),
      keep_every_(kFirstSpacing) {
  starts_within_.push_back(within().rows());
  starts_.push_back(0);
  for (std::size_t k = 0; k + 1 < starts_within_.size(); ++k) {
    starts_.push_back(starts_.back() +
                      filter_.kept().count(starts_within_[k + 1] - starts_within_[k]));
  }
  trial_starts_.assign(starts_.begin(), starts_.end() - 1);
  const RowRuns& groups = within().groups();
  for (std::size_t k = 0; k < groups.starts().size(); ++k) {
    const std::int64_t begin = rows_before(groups.starts()[k]);
    const bool is_last = k + 1 == groups.starts().size();
    const std::int64_t end = is_last ? rows() : rows_before(groups.starts()[k + 1]);
    if (begin < end) groups_.note(begin, groups.names()[static_cast<std::size_t>(groups.ids()[k])]);
  }
  place_.row = -1;
}

std::optional<std::int64_t> FilteredSeries::training_rows() const {
  const std::optional<std::int64_t> rows = within().training_rows();
  return rows ? std::optional(rows_before(*rows)) : std::nullopt;
}

std::size_t FilteredSeries::trial_of(std::int64_t row) const {
  const auto next = std::upper_bound(trial_starts_.begin(), trial_starts_.end(), row);
  return static_cast<std::size_t>(next - trial_starts_.begin()) - 1;
}

std::int64_t FilteredSeries::row_within(std::int64_t row) const {
  const std::size_t trial = trial_of(row);
  return starts_within_[trial] + filter_.kept().row_of(row - starts_[trial]);
}

std::int64_t FilteredSeries::rows_before(std::int64_t row) const {
  const auto next = std::upper_bound(starts_within_.begin(), starts_within_.end() - 1, row);
  const auto trial = static_cast<std::size_t>(next - starts_within_.begin()) - 1;
  return starts_[trial] + filter_.kept().count(row - starts_within_[trial]);
}

void FilteredSeries::enter_trial(std::size_t trial) {
  first_value_.assign(static_cast<std::size_t>(channels()), starts_within_[trial]);
  if (!within().needs_fill()) return;
  const std::int64_t start = starts_within_[trial];
  const std::int64_t all = starts_within_[trial + 1] - start;
  for (std::int64_t c = 0; c < channels(); ++c) {
    // What stands before a first value is no value; how long it is, is felt for.
    std::int64_t end = start;
    for (std::int64_t reach = 1;; reach = std::min(all, 2 * reach)) {
      const std::vector<RowRange> gaps = within().filled(c, start, reach);
      end = gaps.empty() || gaps.front().begin > start ? start : gaps.front().end;
      if (end < start + reach || reach == all) break;
    }
    first_value_[static_cast<std::size_t>(c)] = end;
  }
}

void FilteredSeries::begin_trial(std::size_t trial) {
  enter_trial(trial);
  filter_.begin_trial();
  place_.row = starts_[trial];
  place_.within = starts_within_[trial];
}

void FilteredSeries::keep_place() {
  if (place_.row % keep_every_ != 0 || kept_.contains(place_.row)) return;
  Place place{place_.row, place_.within, filter_.state()};
  const std::size_t most =
      std::clamp<std::size_t>(kMostKeptNumbers / place.state.size(), 2, kMostPlaces);
  kept_.emplace(place_.row, std::move(place));
  if (kept_.size() <= most) return;
  keep_every_ *= 2;
  std::erase_if(kept_, [&](const auto& one) { return one.first % keep_every_ != 0; });
}

void FilteredSeries::seek(std::int64_t row) {
  if (place_.row == row) return;
  const std::size_t trial = trial_of(row);
  // Reading on within the trial may be nearer than any other place.
  const bool goes_on = place_.row >= starts_[trial] && place_.row < row;
  const std::int64_t here = goes_on ? place_.row : starts_[trial];
  const auto behind = kept_.upper_bound(row);
  if (behind != kept_.begin() && std::prev(behind)->first > here) {
    const Place& place = std::prev(behind)->second;
    enter_trial(trial);
    filter_.set_state(place.state);
    place_.row = place.row;
    place_.within = place.within;
  } else if (!goes_on) {
    begin_trial(trial);
  }
}

void FilteredSeries::filter_block(std::int64_t count, std::int64_t first, std::span<double> out,
                                  std::vector<std::size_t>& stayed) {
  const auto width = static_cast<std::size_t>(channels());
  const std::span<double> block(block_);
  for (std::int64_t r = 0; r < count; ++r) {
    const std::span<double> row = block.subspan(static_cast<std::size_t>(r) * width, width);
    for (std::size_t c = 0; c < width; ++c) {
      if (place_.within < first_value_[c]) row[c] = std::numeric_limits<double>::quiet_NaN();
    }
    const bool stays = filter_.change(row);
    ++place_.within;
    if (!stays) continue;
    for (std::size_t c = 0; c < width; ++c) {
      if (place_.within <= first_value_[c]) row[c] = fill().empty() ? 0.0 : fill()[c];
    }
    if (place_.row >= first) {
      std::copy(row.begin(), row.end(),
                out.begin() + (place_.row - first) * static_cast<std::int64_t>(width));
      stayed.push_back(static_cast<std::size_t>(r));
    }
    ++place_.row;
    keep_place();
  }
}

void FilteredSeries::read_on(std::int64_t first, std::int64_t end, std::span<double> out,
                             std::span<const std::size_t> wanted, std::span<SideValues> side) {
  std::vector<SideValues> piece(wanted.size());
  std::vector<std::size_t> stayed;
  bool is_first = true;
  while (place_.row < end) {
    const std::size_t trial = trial_of(place_.row);
    if (place_.row == starts_[trial]) begin_trial(trial);
    // Behind the last row that stays, nothing of a trial matters.
    const std::int64_t last = row_within(std::min(end, starts_[trial + 1]) - 1);
    const std::int64_t count = std::min(kReadAtOnce, last + 1 - place_.within);
    block_.resize(static_cast<std::size_t>(count * channels()));
    within().read_with_side(place_.within, count, block_, wanted, piece);
    stayed.clear();
    filter_block(count, first, out, stayed);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      append_rows_of(side[k], piece[k], stayed, is_first);
    }
    is_first = false;
  }
}

void FilteredSeries::read(std::int64_t first, std::int64_t count, std::span<double> out) {
  read_with_side(first, count, out, {}, {});
}

void FilteredSeries::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                                    std::span<const std::size_t> wanted,
                                    std::span<SideValues> side) {
  check_range(first, count, out.size(), channels());
  ensure_fill();
  if (count == 0) {
    // The types of what stands beside the rows are those that it has there.
    return within().read_with_side(first == rows() ? within().rows() : row_within(first), 0, out,
                                   wanted, side);
  }
  try {
    seek(first);
    read_on(first, first + count, out, wanted, side);
  } catch (...) {
    place_.row = -1;  // nobody knows where the filter stands
    throw;
  }
}

void FilteredSeries::read_latents(std::int64_t first, std::int64_t count, std::span<double> out) {
  check_range(first, count, out.size(), latents());
  const auto width = static_cast<std::size_t>(latents());
  for (std::int64_t r = 0; r < count; ++r) {
    within().read_latents(row_within(first + r), 1,
                          out.subspan(static_cast<std::size_t>(r) * width, width));
  }
}

std::vector<RowRange> FilteredSeries::filled(std::int64_t channel, std::int64_t first,
                                             std::int64_t count) const {
  std::vector<RowRange> stretches;
  if (count == 0) return stretches;
  const std::int64_t begin = row_within(first);
  const std::int64_t end = row_within(first + count - 1) + 1;
  for (const RowRange& gap : within().filled(channel, begin, end - begin)) {
    const RowRange stretch{std::max(first, rows_before(gap.begin)),
                           std::min(first + count, rows_before(gap.end))};
    if (stretch.begin < stretch.end) stretches.push_back(stretch);
  }
  return stretches;
}

void FilteredSeries::take_fill(std::span<const double> fill) {
  // It stands for rows that come out; what stands within is not looked at.
  if (within().needs_fill()) within().set_fill(std::vector<double>(fill.size()));
}

}  // namespace gaia
