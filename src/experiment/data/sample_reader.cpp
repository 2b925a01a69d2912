// SPDX-License-Identifier: MIT
#include "sample_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "../../array/create.h"
#include "../../array/device.h"
#include "../../array/ops.h"
#include "../../core/error.h"

namespace gaia {

namespace {

/// Kind of side column number `column`, which is seen in its first row.
SampleReader::TimeKind kind_of_time(Series& series, std::size_t column) {
  std::vector<double> row(static_cast<std::size_t>(series.channels()));
  SideValues time;
  series.read_with_side(0, 1, row, {&column, 1}, {&time, 1});
  using Kind = SampleReader::TimeKind;
  if (!std::holds_alternative<std::vector<std::int64_t>>(time)) return Kind::numbers;
  return series.side_columns()[column].counts ? Kind::counts : Kind::dates;
}

}  // namespace

SampleReader::SampleReader(Series& series, const DataConfig& data, const Trials& trials,
                           DType dtype, Reach reach, bool needs_latents)
    : series_(series),
      trials_(trials),
      window_(data.window),
      channels_(series.channels()),
      reach_(reach),
      dtype_(dtype),
      class_numbers_(data.class_numbers),
      keeps_missing_(data.keeps_missing()),
      drifts_(
          make_drifts(data.drift, series.channel_names(), static_cast<std::uint64_t>(data.seed))) {
  const std::vector<SideColumn> beside = series.side_columns();
  for (std::size_t i = 0; i < beside.size(); ++i) {
    if (beside[i].role == SideColumn::Role::latent && !needs_latents) continue;
    if (beside[i].role == SideColumn::Role::time) time_kind_ = kind_of_time(series, i);
    side_.push_back(beside[i]);
    side_indices_.push_back(i);
  }
  if (data.normalize == Normalize::stored) {
    offset_ = data.scaling.offset;
    scale_ = data.scaling.scale;
  } else if (data.is_measured()) {
    measure(data);
  }
}

void SampleReader::measure(const DataConfig& data) {
  const RowRange all{0, trials_.rows()};
  const std::vector<Moments>& moments =
      keeps_missing_          ? series_.moments_of_present(data.measured.empty()
                                                               ? std::span<const RowRange>(&all, 1)
                                                               : std::span<const RowRange>(data.measured))
      : data.measured.empty() ? series_.moments(trials_.rows())
                              : series_.moments(data.measured);
  for (std::size_t c = 0; c < moments.size(); ++c) {
    if (keeps_missing_ && moments[c].count() == 0) {
      throw DataError("channel " + series_.channel_names()[c] +
                      ": every value is missing in the rows that it would be normalised by; "
                      "data.normalize_from: all, or none");
    }
    const double least = moments[c].least();
    const double most = moments[c].most();
    // A constant has no scale.
    const bool is_constant = least == most;
    const bool is_zscore = data.normalize == Normalize::zscore;
    const double scale = is_zscore ? moments[c].deviation() : most - least;
    // The squares of smaller deviations are no normal numbers.
    constexpr double kLeastDeviation = 1.5e-154;
    if (is_zscore && !is_constant && scale < kLeastDeviation) {
      throw DataError("channel " + series_.channel_names()[c] + ": its numbers, " +
                      fmt::format("{} apart at most", most - least) +
                      ", are too close together to be normalised; scale them up, or "
                      "data.normalize: minmax");
    }
    offset_.push_back(is_zscore && !is_constant ? moments[c].mean() : least);
    scale_.push_back(is_constant ? 1.0 : scale);
    if (!std::isfinite(offset_.back()) || !std::isfinite(scale_.back())) {
      throw DataError("channel " + series_.channel_names()[c] + ": its numbers, up to " +
                      fmt::format("{}", std::max(-least, most)) +
                      ", are too large to be normalised; scale them down, or data.normalize: none");
    }
  }
}

namespace {

/// The first number of a block on the CPU that is infinite; -1 if none is.
std::int64_t first_infinite(const Array& block) {
  const auto find = [](const auto& numbers) {
    const auto found =
        std::find_if(numbers.begin(), numbers.end(), [](const auto x) { return std::isinf(x); });
    return found == numbers.end() ? std::int64_t{-1}
                                  : static_cast<std::int64_t>(found - numbers.begin());
  };
  return block.dtype() == DType::float64 ? find(block.elements<double>())
                                         : find(block.elements<float>());
}

}  // namespace

void SampleReader::begin_epoch(std::int64_t epoch) {
  if (epoch == epoch_ || drifts_.empty()) return;
  if (ahead_) ahead_->drain();
  epoch_ = epoch;
  held_ = {};
  has_next_ = false;
}

void SampleReader::drift(std::int64_t first, std::span<double> rows) const {
  std::vector<std::int64_t> steps;
  steps.reserve(rows.size() / static_cast<std::size_t>(channels_));
  const std::int64_t before = epoch_ * trials_.steps();
  const std::vector<Trial>& trials = trials_.all();
  auto trial =
      std::upper_bound(trials.begin(), trials.end(), first,
                       [](std::int64_t row, const Trial& one) { return row < one.first_row; });
  if (trial != trials.begin()) --trial;
  for (std::int64_t row = first; std::ssize(steps) * channels_ < std::ssize(rows); ++row) {
    while (trial + 1 != trials.end() && row >= (trial + 1)->first_row) ++trial;
    const std::int64_t newest = trial->first_step + (row - trial->first_row) - window_ + 1;
    steps.push_back(before + std::max(trial->first_step, newest));
  }
  for (const Drift& one : drifts_) one.change(steps, rows);
}

void SampleReader::fill(Rows& to, std::int64_t begin, std::int64_t end) const {
  const auto channels = static_cast<std::size_t>(channels_);
  const bool follows = held_.begin <= begin && begin <= held_.end;
  const std::int64_t first = follows ? std::min(held_.end, end) : begin;  // first row that is read
  const auto kept = static_cast<std::size_t>(first - begin);
  const auto from = static_cast<std::size_t>(follows ? begin - held_.begin : 0);
  to.values.resize(static_cast<std::size_t>(end - begin) * channels);
  std::copy_n(held_.values.begin() + static_cast<std::ptrdiff_t>(from * channels), kept * channels,
              to.values.begin());
  const std::span<double> read = std::span(to.values).subspan(kept * channels);
  std::vector<SideValues> beside(side_.size());
  series_.read_with_side(first, end - first, read, side_indices_, beside);
  for (std::size_t i = 0; !offset_.empty() && i < read.size(); i += channels) {
    for (std::size_t c = 0; c < channels; ++c) read[i + c] = (read[i + c] - offset_[c]) / scale_[c];
  }
  if (!drifts_.empty()) {
    to.drifted.resize(to.values.size());
    std::copy_n(held_.drifted.begin() + static_cast<std::ptrdiff_t>(from * channels),
                kept * channels, to.drifted.begin());
    const std::span<double> changed = std::span(to.drifted).subspan(kept * channels);
    std::copy(read.begin(), read.end(), changed.begin());
    drift(first, changed);
  }
  to.side.resize(side_.size());
  for (std::size_t k = 0; k < side_.size(); ++k) {
    std::visit(
        [&]<class T>(const std::vector<T>& values) {
          std::vector<T> joined;
          joined.reserve(kept + values.size());
          if (kept > 0) {
            const auto& before = std::get<std::vector<T>>(held_.side[k]);
            const auto at = before.begin() + static_cast<std::ptrdiff_t>(from);
            joined.assign(at, at + static_cast<std::ptrdiff_t>(kept));
          }
          joined.insert(joined.end(), values.begin(), values.end());
          to.side[k] = std::move(joined);
        },
        beside[k]);
  }
  to.begin = begin;
  to.end = end;
}

void SampleReader::begin_rows_ahead(std::int64_t begin, std::int64_t end) {
  if (!ahead_ || end <= held_.end) return;
  ahead_->push([this, begin, end] {
    try {
      fill(next_, begin, end);
      has_next_ = true;
    } catch (...) {
      ahead_error_ = std::current_exception();
    }
  });
}

void SampleReader::hold(std::int64_t begin, std::int64_t end) {
  if (ahead_) ahead_->drain();
  const bool follows = held_.begin <= begin && begin <= held_.end;
  // If the rows fail as they did ahead, the first error is the one that says why.
  const std::exception_ptr earlier = std::exchange(ahead_error_, nullptr);
  if (std::exchange(has_next_, false) && next_.begin <= begin && begin <= next_.end) {
    std::swap(held_, next_);
  }
  if (held_.begin <= begin && end <= held_.end) return;
  try {
    fill(next_, begin, end);
  } catch (...) {
    if (earlier && follows) std::rethrow_exception(earlier);
    throw;
  }
  std::swap(held_, next_);
}

Array SampleReader::read(std::int64_t first, std::int64_t count) {
  const std::size_t index = trials_.index_at(first);
  const std::vector<Trial>& trials = trials_.all();
  trial_ = trials[index];
  // Rows that the samples and what is in reach of them use, within the trial.
  const auto rows_of = [&](const Trial& trial, std::int64_t step, std::int64_t steps) {
    const std::int64_t begin = trial.first_row + (step - trial.first_step);
    const std::int64_t end = begin + steps + window_ - 1 + reach_.ahead;
    return std::pair(std::max(trial.first_row, begin - reach_.back),
                     std::min(trial.first_row + trial.rows, end));
  };
  const auto [oldest, newest] = rows_of(trial_, first, count);
  hold(oldest, newest);
  const bool ends_trial = first + count == trial_.end();
  if (!ends_trial || index + 1 < trials.size()) {
    const auto [begin, end] = rows_of(trials[ends_trial ? index + 1 : index], first + count, count);
    begin_rows_ahead(begin, end);
  }
  const std::int64_t begin = held_row(first) - window_ + 1;
  const std::int64_t end = begin + count + window_ - 1;
  const std::vector<double>& held = drifts_.empty() ? held_.values : held_.drifted;
  const std::span<const double> rows(held.data() + begin * channels_,
                                     static_cast<std::size_t>((end - begin) * channels_));
  Array block;
  {
    const GPUContext on_host(Device::cpu());
    block = Array::uninitialized({(end - begin) * channels_}, dtype_);
  }
  const auto cast = [&]<class T>(std::span<T> to) {
    std::transform(rows.begin(), rows.end(), to.begin(),
                   [](double x) { return static_cast<T>(x); });
  };
  dtype_ == DType::float64 ? cast(block.elements<double>()) : cast(block.elements<float>());
  const std::int64_t bad = keeps_missing_ ? first_infinite(block) : first_not_finite(block);
  if (bad >= 0) {
    throw DataError("data row " + std::to_string(held_.begin + begin + bad / channels_) +
                    ", channel " +
                    series_.channel_names()[static_cast<std::size_t>(bad % channels_)] +
                    ": the value does not fit " + to_string(dtype_) + "; use dtype: float64");
  }
  return block.to(current_device()).windows(count, features(), channels_);
}

std::vector<double> SampleReader::channel(std::int64_t channel, std::int64_t first,
                                          std::int64_t count) const {
  std::vector<double> values(static_cast<std::size_t>(count));
  const std::int64_t row = held_row(first);
  for (std::int64_t i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] =
        held_.values[static_cast<std::size_t>((row + i) * channels_ + channel)];
  }
  return values;
}

std::span<const double> SampleReader::newest_rows(std::int64_t first, std::int64_t count) const {
  const std::vector<double>& held = drifts_.empty() ? held_.values : held_.drifted;
  return std::span(held).subspan(static_cast<std::size_t>(held_row(first) * channels_),
                                 static_cast<std::size_t>(count * channels_));
}

std::vector<double> SampleReader::drifted(std::int64_t channel, std::int64_t first,
                                          std::int64_t count) const {
  const std::span<const double> rows = newest_rows(first, count);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] = rows[static_cast<std::size_t>(i * channels_ + channel)];
  }
  return values;
}

std::vector<double> SampleReader::measured(std::int64_t channel, std::int64_t first,
                                           std::int64_t count) const {
  std::vector<double> values = this->channel(channel, first, count);
  const std::int64_t row = held_.begin + held_row(first);
  for (const RowRange& gap : series_.filled(channel, row, count)) {
    std::fill(values.begin() + (gap.begin - row), values.begin() + (gap.end - row),
              std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

std::vector<bool> SampleReader::has_measured(std::int64_t first, std::int64_t count) const {
  const std::int64_t row = held_.begin + held_row(first);
  std::vector<bool> has(static_cast<std::size_t>(count));
  for (std::int64_t c = 0; c < channels_; ++c) {
    std::int64_t next = row;
    const auto has_until = [&](std::int64_t end) {
      std::fill(has.begin() + (next - row), has.begin() + (end - row), true);
    };
    for (const RowRange& gap : series_.filled(c, row, count)) {
      has_until(gap.begin);
      next = gap.end;
    }
    has_until(row + count);
    if (next == row) break;  // nothing is missing in this one
  }
  return has;
}

SideValues SampleReader::side(std::size_t column, std::int64_t first, std::int64_t count) const {
  const std::int64_t row = held_row(first);
  return std::visit(
      [&]<class T>(const std::vector<T>& values) -> SideValues {
        return std::vector<T>(values.begin() + row, values.begin() + row + count);
      },
      held_.side.at(column));
}

std::optional<std::size_t> SampleReader::place_of(SideColumn::Role role, std::int64_t which) const {
  for (std::size_t i = 0; i < side_.size(); ++i) {
    if (side_[i].role == role && which-- == 0) return i;
  }
  return {};
}

std::optional<SideValues> SampleReader::times(std::int64_t first, std::int64_t count) const {
  const auto place = place_of(SideColumn::Role::time, 0);
  if (!place) return {};
  return side(*place, first, count);
}

std::vector<double> SampleReader::latent(std::int64_t latent, std::int64_t first,
                                         std::int64_t count) const {
  const auto place = place_of(SideColumn::Role::latent, latent);
  return std::get<std::vector<double>>(side(place.value(), first, count));
}

namespace {

SideColumn::Role role_of(ReadoutTarget::Of of) {
  return of == ReadoutTarget::Of::latent   ? SideColumn::Role::latent
         : of == ReadoutTarget::Of::column ? SideColumn::Role::target
                                           : SideColumn::Role::label;
}

}  // namespace

bool SampleReader::has_target(const ReadoutTarget& target) const {
  return target.of == ReadoutTarget::Of::channel || place_of(role_of(target.of), 0).has_value();
}

std::vector<double> SampleReader::target(const ReadoutTarget& target, std::size_t which,
                                         std::int64_t first, std::int64_t count,
                                         bool with_filled) const {
  const std::int64_t index = which < target.indices.size() ? target.indices[which] : 0;
  if (target.of == ReadoutTarget::Of::channel) {
    return with_filled ? channel(index, first, count) : measured(index, first, count);
  }
  if (!target.is_label()) {
    const auto place = place_of(role_of(target.of), index);
    return std::get<std::vector<double>>(side(place.value(), first, count));
  }
  const auto codes = std::get<std::vector<std::int64_t>>(
      side(place_of(SideColumn::Role::label, 0).value(), first, count));
  std::vector<double> values(codes.begin(), codes.end());
  if (!target.indices.empty()) {
    for (double& code : values) {
      if (code >= 0.0) code = code == static_cast<double>(index) ? 0.0 : 1.0;
    }
  }
  return values;
}

TickSignals SampleReader::signals(const std::vector<std::string>& columns, std::int64_t first,
                                  std::int64_t count) const {
  TickSignals read;
  for (const std::string& column : columns) {
    const bool is_labels = column == "labels";
    const auto found = std::find_if(side_.begin(), side_.end(), [&](const SideColumn& side) {
      return is_labels ? side.role == SideColumn::Role::label
                       : side.role == SideColumn::Role::target && side.name == column;
    });
    if (found == side_.end()) continue;  // which is reported where a rule needs it
    const SideValues values = side(static_cast<std::size_t>(found - side_.begin()), first, count);
    std::vector<double> numbers;
    std::visit([&](const auto& all) { numbers.assign(all.begin(), all.end()); }, values);
    for (double& code : numbers) {
      if (!is_labels || class_numbers_.empty() || code < 0.0) continue;
      code = class_numbers_[static_cast<std::size_t>(code)];
    }
    const GPUContext on_host(Device::cpu());
    read[column] = from_values(numbers, {count});
  }
  return read;
}

}  // namespace gaia
