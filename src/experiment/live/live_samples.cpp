// SPDX-License-Identifier: MIT
#include "live_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/checkpoint_file.h"

namespace gaia {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

MissingPolicy policy_of_plan(const LivePlan& plan) {
  if (plan.config.data.keeps_missing()) return MissingPolicy::keep;
  const auto* const file = std::get_if<FileConfig>(&plan.config.data.source);
  const bool holds = file != nullptr && file->missing == MissingPolicy::hold;
  return holds ? MissingPolicy::hold : MissingPolicy::error;
}

bool was_interpolated(const LivePlan& plan) {
  const auto* const file = std::get_if<FileConfig>(&plan.config.data.source);
  return file != nullptr && file->missing == MissingPolicy::interpolate;
}

/// What stands before the first value of a trial.
std::vector<double> fill_of_plan(const LivePlan& plan) {
  for (const std::vector<double>& stored : {plan.run->fill, plan.run->scaling.offset}) {
    if (stored.size() == plan.channels.size()) return stored;
  }
  return {};
}

/// Rows of the series of the result.
double rows_of_result(const StoredRun& run, std::int64_t window) {
  const hdf5::Description* const data = run.contents.group("/data");
  const std::int64_t samples = data == nullptr ? 0 : data->integer("samples").value_or(0);
  const hdf5::DatasetDescription* const starts = run.contents.dataset("/data/trial_start");
  const std::int64_t trials =
      starts == nullptr || starts->shape.empty() ? 1 : std::max<std::int64_t>(1, starts->shape[0]);
  return static_cast<double>(samples + trials * (window - 1));
}

}  // namespace

LiveSamples::LiveSamples(const LivePlan& plan, StreamMoments moments)
    : channels_(plan.channels),
      window_(static_cast<std::size_t>(plan.config.data.window)),
      policy_(policy_of_plan(plan)),
      looks_ahead_(was_interpolated(plan)),
      normalize_(plan.config.data.normalize),
      moves_(moments == StreamMoments::running),
      fill_(fill_of_plan(plan)) {
  const std::size_t channels = channels_.size();
  if (RowFilter::is_needed(plan.config.data)) {
    filter_.emplace(plan.config.data, static_cast<std::int64_t>(channels));
  }
  if (plan.config.data.whiten != Whiten::none) whitening_ = plan.run->whitening;
  if (normalize_ != Normalize::none) {
    offset_ = plan.run->scaling.offset;
    scale_ = plan.run->scaling.scale;
    if (offset_.size() != channels || scale_.size() != channels) {
      throw DataError(fmt::format("{}: expected mean and scale of {} channels in /data, got {}",
                                  printable(plan.result), channels, offset_.size()));
    }
  }
  const bool whitens = plan.config.data.whiten != Whiten::none;
  if (whitens &&
      (whitening_.mean.size() != channels || whitening_.matrix.size() != channels * channels)) {
    throw DataError(fmt::format("{}: expected the whitening of {} channels in /data, got {}",
                                printable(plan.result), channels, whitening_.mean.size()));
  }
  last_.assign(channels, kNone);
  raw_.resize(channels);
  is_missing_.resize(channels);
  buffer_.resize(2 * window_ * channels);
  if (!moves_) return;
  moved_.count.assign(channels, rows_of_result(*plan.run, plan.config.data.window));
  moved_.mean = offset_;
  moved_.squares.resize(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    moved_.squares[c] = normalize_ == Normalize::minmax ? offset_[c] + scale_[c]
                                                        : moved_.count[c] * scale_[c] * scale_[c];
  }
  next_ = moved_;
}

void LiveSamples::begin_trial() {
  std::fill(last_.begin(), last_.end(), kNone);
  rows_ = 0;
  place_ = 0;
  if (filter_) filter_->begin_trial();
}

void LiveSamples::fill(std::span<const double> row) {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const double value = row[c];
    const std::string& name = channels_[c];
    raw_[c] = value;
    is_missing_[c] = std::isnan(value) ? 1 : 0;
    if (std::isinf(value)) {
      throw DataError(
          fmt::format("column {}: expected a finite number, got {}", printable(name), value));
    }
    if (!is_missing_[c] || policy_ == MissingPolicy::keep) {
      if (is_missing_[c] && !whitening_.mean.empty()) {
        throw DataError(fmt::format(
            "column {}: the value is missing, and would be missing in every channel (data.whiten)",
            printable(name)));
      }
      continue;
    }
    if (!whitening_.mean.empty() || policy_ == MissingPolicy::error) {
      throw DataError(fmt::format(
          "column {}: the value is missing{}", printable(name),
          policy_ != MissingPolicy::error
              ? ", and what fills it would reach every channel (data.whiten)"
          : looks_ahead_
              ? ", and data.missing of the result is interpolate, which looks ahead to rows that "
                "have not come; a result of missing: hold fills it"
              : "; data.missing of the result is error, a result of missing: hold fills it"));
    }
    raw_[c] = last_[c];
    if (!std::isnan(raw_[c])) continue;
    if (!fill_.empty() && !filter_) raw_[c] = fill_[c];
    if (fill_.empty()) {
      throw DataError(
          fmt::format("column {}: the value is missing, no value of this trial has come "
                      "yet, and the result has none that stands before it",
                      printable(name)));
    }
  }
}

void LiveSamples::move_moments() {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    next_.count[c] = moved_.count[c];
    next_.mean[c] = moved_.mean[c];
    next_.squares[c] = moved_.squares[c];
    const double x = raw_[c];
    if (is_missing_[c]) continue;
    next_.count[c] += 1.0;
    if (normalize_ == Normalize::minmax) {
      next_.mean[c] = std::min(next_.mean[c], x);
      next_.squares[c] = std::max(next_.squares[c], x);
      continue;
    }
    const double apart = x - moved_.mean[c];
    next_.mean[c] += apart / next_.count[c];
    next_.squares[c] += apart * (x - next_.mean[c]);
    if (!std::isfinite(next_.squares[c])) {
      throw DataError(fmt::format("column {}: the value {} is too large to be normalised",
                                  printable(channels_[c]), x));
    }
  }
}

void LiveSamples::scale() {
  double* const to = buffer_.data() + place_ * channels_.size();
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    if (offset_.empty()) {
      to[c] = raw_[c];
    } else if (!moves_) {
      to[c] = (raw_[c] - offset_[c]) / scale_[c];
    } else {
      const double scale = normalize_ == Normalize::minmax
                               ? next_.squares[c] - next_.mean[c]
                               : std::sqrt(next_.squares[c] / next_.count[c]);
      to[c] = (raw_[c] - next_.mean[c]) / (scale > 0.0 ? scale : 1.0);
    }
  }
}

bool LiveSamples::prepare(std::span<const double> row) {
  fill(row);
  given_ = raw_;
  comes_out_ = true;
  if (filter_) {
    filter_before_ = filter_->state();
    comes_out_ = filter_->change(raw_);
    if (!comes_out_) return false;
    // What comes before the first value of a trial is no value of the filter.
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      if (policy_ == MissingPolicy::hold && std::isnan(raw_[c])) raw_[c] = fill_[c];
    }
  }
  if (!whitening_.mean.empty()) raw_ = whitening_.transform(raw_);
  if (moves_) move_moments();
  const std::size_t channels = channels_.size();
  if (place_ == 2 * window_) {
    // What the next window has of this one moves to the front, once in window_ + 1 rows.
    std::copy(buffer_.end() - static_cast<std::ptrdiff_t>((window_ - 1) * channels), buffer_.end(),
              buffer_.begin());
    place_ = window_ - 1;
  }
  scale();
  return rows_ + 1 >= window_;
}

std::span<const double> LiveSamples::sample() const {
  const std::size_t channels = channels_.size();
  return std::span(buffer_).subspan((place_ + 1 - window_) * channels, window_ * channels);
}

std::span<const double> LiveSamples::newest() const {
  return std::span(buffer_).subspan(place_ * channels_.size(), channels_.size());
}

void LiveSamples::accept() {
  filter_before_.clear();
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    if (!is_missing_[c]) last_[c] = given_[c];
  }
  if (!comes_out_) return;
  if (moves_) std::swap(moved_, next_);
  rows_ = std::min(rows_ + 1, window_ - 1);
  ++place_;
}

void LiveSamples::reject() {
  if (filter_ && !filter_before_.empty()) filter_->set_state(filter_before_);
  filter_before_.clear();
}

void LiveSamples::add_state(ArrayMap& arrays) const {
  put_numbers(arrays, "samples/last", last_);
  const std::size_t channels = channels_.size();
  const auto end = buffer_.begin() + static_cast<std::ptrdiff_t>(place_ * channels);
  put_numbers(arrays, "samples/window", {end - static_cast<std::ptrdiff_t>(rows_ * channels), end});
  if (moves_) {
    put_numbers(arrays, "samples/count", moved_.count);
    put_numbers(arrays, "samples/mean", moved_.mean);
    put_numbers(arrays, "samples/squares", moved_.squares);
  }
  if (filter_) put_numbers(arrays, "samples/filter", filter_->state());
}

void LiveSamples::set_state(const ArrayMap& arrays) {
  const std::size_t channels = channels_.size();
  last_ = numbers_of(arrays, "samples/last", channels);
  const std::vector<double> window = numbers_of(arrays, "samples/window");
  if (window.size() % channels != 0 || window.size() / channels > window_ - 1) {
    throw ShapeError(
        fmt::format("[stream] expected up to {} rows of {} numbers in samples/window, "
                    "got {} numbers",
                    window_ - 1, channels, window.size()));
  }
  rows_ = window.size() / channels;
  place_ = rows_;
  std::copy(window.begin(), window.end(), buffer_.begin());
  if (moves_) {
    moved_.count = numbers_of(arrays, "samples/count", channels);
    moved_.mean = numbers_of(arrays, "samples/mean", channels);
    moved_.squares = numbers_of(arrays, "samples/squares", channels);
    next_ = moved_;
  }
  if (filter_) filter_->set_state(numbers_of(arrays, "samples/filter"));
}

}  // namespace gaia
