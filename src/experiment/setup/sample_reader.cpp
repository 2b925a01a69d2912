// SPDX-License-Identifier: MIT
#include "sample_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../core/error.h"

namespace gaia {
namespace {

constexpr std::int64_t kRowsPerPass = 1 << 14;

/// Calls f(block, rows) over the rows [0, rows) of a series, in order.
template <class F>
void for_each_block(Series& series, std::int64_t rows, const F& f) {
  std::vector<double> block(
      static_cast<std::size_t>(std::min(rows, kRowsPerPass) * series.channels()));
  for (std::int64_t first = 0; first < rows; first += kRowsPerPass) {
    const std::int64_t count = std::min(kRowsPerPass, rows - first);
    series.read(first, count, block);
    f(block, count);
  }
}

}  // namespace

SampleReader::SampleReader(Series& series, const DataConfig& data, std::int64_t steps, DType dtype,
                           Reach reach, bool needs_latents)
    : series_(series),
      steps_(steps),
      window_(data.window),
      channels_(series.channels()),
      rows_(steps + data.window - 1),
      reach_(reach),
      dtype_(dtype),
      latents_(needs_latents ? series.latents() : 0) {
  if (data.normalize == Normalize::stored) {
    offset_ = data.scaling.offset;
    scale_ = data.scaling.scale;
  } else if (data.normalize != Normalize::none) {
    measure(data.normalize);
  }
}

void SampleReader::measure(Normalize normalize) {
  const auto channels = static_cast<std::size_t>(channels_);
  const auto visit = [&](const auto& f) {
    for_each_block(series_, rows_, [&](const std::vector<double>& block, std::int64_t count) {
      for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
        for (std::size_t c = 0; c < channels; ++c) f(c, block[r * channels + c]);
      }
    });
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> least(channels, infinity);
  std::vector<double> most(channels, -infinity);
  std::vector<double> mean(channels, 0.0);
  visit([&](std::size_t c, double x) {
    least[c] = std::min(least[c], x);
    most[c] = std::max(most[c], x);
    mean[c] += x;
  });
  const auto rows = static_cast<double>(rows_);
  for (double& value : mean) value /= rows;
  std::vector<double> squares(channels, 0.0);
  if (normalize == Normalize::zscore) {
    visit([&](std::size_t c, double x) { squares[c] += (x - mean[c]) * (x - mean[c]); });
  }
  for (std::size_t c = 0; c < channels; ++c) {
    // A constant has no scale, whatever rounding makes of its mean.
    const bool is_constant = least[c] == most[c];
    const bool is_zscore = normalize == Normalize::zscore;
    const double scale = is_zscore ? std::sqrt(squares[c] / rows) : most[c] - least[c];
    // The squares of smaller deviations are no normal numbers.
    constexpr double kLeastDeviation = 1.5e-154;
    if (is_zscore && !is_constant && scale < kLeastDeviation) {
      throw DataError("channel " + series_.channel_names()[c] + ": its numbers, " +
                      fmt::format("{} apart at most", most[c] - least[c]) +
                      ", are too close together to be normalised; scale them up, or "
                      "data.normalize: minmax");
    }
    offset_.push_back(is_zscore && !is_constant ? mean[c] : least[c]);
    scale_.push_back(is_constant ? 1.0 : scale);
    if (!std::isfinite(offset_.back()) || !std::isfinite(scale_.back())) {
      throw DataError("channel " + series_.channel_names()[c] + ": its numbers, up to " +
                      fmt::format("{}", std::max(-least[c], most[c])) +
                      ", are too large to be normalised; scale them down, or data.normalize: none");
    }
  }
}

SampleReader::~SampleReader() {
  if (ahead_.valid()) ahead_.wait();
}

void SampleReader::read_rows(std::int64_t first, std::int64_t count, Rows& rows) const {
  rows.values.resize(static_cast<std::size_t>(count * channels_));
  series_.read(first, count, rows.values);
  for (std::size_t i = 0; !offset_.empty() && i < rows.values.size(); ++i) {
    const std::size_t c = i % static_cast<std::size_t>(channels_);
    rows.values[i] = (rows.values[i] - offset_[c]) / scale_[c];
  }
  if (latents_ > 0) {
    rows.latents.resize(static_cast<std::size_t>(count * latents_));
    series_.read_latents(first, count, rows.latents);
  }
}

void SampleReader::append(const Rows& rows) {
  // Both or, where there is no memory, none.
  held_.latents.reserve(held_.latents.size() + rows.latents.size());
  held_.values.insert(held_.values.end(), rows.values.begin(), rows.values.end());
  held_.latents.insert(held_.latents.end(), rows.latents.begin(), rows.latents.end());
  end_ += static_cast<std::int64_t>(rows.values.size()) / channels_;
}

void SampleReader::take_rows_ahead() {
  if (!ahead_.valid()) return;
  try {
    ahead_.get();
  } catch (...) {
    ahead_error_ = std::current_exception();
    return;
  }
  append(read_);
}

void SampleReader::begin_rows_ahead(std::int64_t end) {
  if (!reads_ahead_ || end <= end_) return;
  try {
    ahead_ = std::async(std::launch::async, [this, first = end_, count = end - end_] {
      read_rows(first, count, read_);
    });
  } catch (const std::system_error&) {
    // The system grants no more threads: the rows are read when they are asked for.
  }
}

void SampleReader::hold(std::int64_t begin, std::int64_t end) {
  take_rows_ahead();
  if (begin < begin_ || begin > end_) {
    held_ = {};
    ahead_error_ = nullptr;
    begin_ = begin;
    end_ = begin;
  }
  const std::int64_t dropped = begin - begin_;
  held_.values.erase(held_.values.begin(), held_.values.begin() + dropped * channels_);
  held_.latents.erase(held_.latents.begin(), held_.latents.begin() + dropped * latents_);
  begin_ = begin;
  if (end <= end_) return;
  // The block may need fewer rows than were read ahead.  If these fail too, the first error is the
  // one that says why.
  const std::exception_ptr earlier = std::exchange(ahead_error_, nullptr);
  try {
    read_rows(end_, end - end_, read_);
    append(read_);
  } catch (...) {
    if (earlier) std::rethrow_exception(earlier);
    throw;
  }
}

Array SampleReader::read(std::int64_t first, std::int64_t count) {
  const std::int64_t end = first + count + window_ - 1;
  hold(std::max<std::int64_t>(0, first - reach_.back), std::min(rows_, end + reach_.ahead));
  begin_rows_ahead(std::min(rows_, end + reach_.ahead + count));
  const std::span<const double> rows(held_.values.data() + (first - begin_) * channels_,
                                     static_cast<std::size_t>((end - first) * channels_));
  const Array held = from_values(rows, {(end - first) * channels_}).astype(dtype_);
  const std::int64_t bad = first_not_finite(held);
  if (bad >= 0) {
    throw DataError("data row " + std::to_string(first + bad / channels_) + ", channel " +
                    series_.channel_names()[static_cast<std::size_t>(bad % channels_)] +
                    ": the value does not fit " + to_string(dtype_) + "; use dtype: float64");
  }
  return held.windows(count, features(), channels_);
}

namespace {

/// Column `column` of rows [first, first + count) of a buffer [rows, width] that starts at `begin`.
std::vector<double> column_of(const std::vector<double>& buffer, std::int64_t width,
                              std::int64_t column, std::int64_t begin, std::int64_t first,
                              std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] =
        buffer[static_cast<std::size_t>((first - begin + i) * width + column)];
  }
  return values;
}

}  // namespace

std::vector<double> SampleReader::channel(std::int64_t channel, std::int64_t first,
                                          std::int64_t count) const {
  return column_of(held_.values, channels_, channel, begin_, first + window_ - 1, count);
}

std::vector<double> SampleReader::latent(std::int64_t latent, std::int64_t first,
                                         std::int64_t count) const {
  return column_of(held_.latents, latents_, latent, begin_, first + window_ - 1, count);
}

}  // namespace gaia
