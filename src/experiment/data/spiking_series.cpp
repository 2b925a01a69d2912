// SPDX-License-Identifier: MIT
#include "spiking_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../../core/text.h"

namespace gaia {
namespace {

/// Channels that never spike, between two that do, for which numbers are drawn all the same.
constexpr std::size_t kShortGap = 8;

}  // namespace

SpikingSeries::SpikingSeries(std::unique_ptr<Series> series, const SpikesConfig& spikes,
                             std::uint64_t seed)
    : ForwardingSeries(std::move(series)),
      ticks_(spikes.ticks),
      rate_(spikes.rate),
      stream_(RandomStream::named(seed, "data/spikes")) {
  for (std::int64_t row = 0; row < within().rows(); ++row) trial_starts_.push_back(row * ticks_);
  const RowRuns& groups = within().groups();
  for (std::size_t k = 0; k < groups.starts().size(); ++k) {
    groups_.note(groups.starts()[k] * ticks_,
                 groups.names()[static_cast<std::size_t>(groups.ids()[k])]);
  }
}

std::optional<std::int64_t> SpikingSeries::training_rows() const {
  const std::optional<std::int64_t> rows = within().training_rows();
  return rows ? std::optional(*rows * ticks_) : std::nullopt;
}

RowRange SpikingSeries::rows_within(std::int64_t first, std::int64_t count) const {
  const std::int64_t begin = first / ticks_;
  return {begin, std::max(begin, (first + count + ticks_ - 1) / ticks_)};
}

void SpikingSeries::find_lit(std::span<const double> x) {
  lit_.clear();
  for (std::size_t c = 0; c < x.size(); ++c) {
    if (!(x[c] > 0.0)) continue;
    if (!lit_.empty() && c - lit_.back().second < kShortGap) {
      lit_.back().second = c + 1;
    } else {
      lit_.emplace_back(c, c + 1);
    }
  }
}

void SpikingSeries::read(std::int64_t first, std::int64_t count, std::span<double> out) {
  read_with_side(first, count, out, {}, {});
}

void SpikingSeries::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                                   std::span<const std::size_t> wanted,
                                   std::span<SideValues> side) {
  check_range(first, count, out.size(), channels());
  const auto width = static_cast<std::size_t>(channels());
  const RowRange shown = rows_within(first, count);
  values_.resize(static_cast<std::size_t>(shown.end - shown.begin) * width);
  within().read_with_side(shown.begin, shown.end - shown.begin, values_, wanted, side);
  std::fill(out.begin(), out.begin() + count * channels(), 0.0);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = first + i;
    const auto place = static_cast<std::size_t>(row / ticks_ - shown.begin) * width;
    const std::span<const double> x(values_.data() + place, width);
    if (i == 0 || row % ticks_ == 0) find_lit(x);
    double* const spikes = out.data() + static_cast<std::size_t>(i) * width;
    for (const auto& [begin, end] : lit_) {
      uniforms_.resize(end - begin);
      stream_.uniforms(static_cast<std::uint64_t>(row) * width + begin, uniforms_);
      for (std::size_t c = begin; c < end; ++c) {
        spikes[c] = uniforms_[c - begin] < rate_ * x[c] ? 1.0 : 0.0;
      }
    }
  }
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    std::visit(
        [&]<class T>(std::vector<T>& values) {
          std::vector<T> repeated(static_cast<std::size_t>(count));
          for (std::int64_t i = 0; i < count; ++i) {
            repeated[static_cast<std::size_t>(i)] =
                values[static_cast<std::size_t>((first + i) / ticks_ - shown.begin)];
          }
          values = std::move(repeated);
        },
        side[k]);
  }
}

void SpikingSeries::read_latents(std::int64_t first, std::int64_t count, std::span<double> out) {
  check_range(first, count, out.size(), latents());
  const auto width = static_cast<std::size_t>(latents());
  const RowRange shown = rows_within(first, count);
  std::vector<double> values(static_cast<std::size_t>(shown.end - shown.begin) * width);
  within().read_latents(shown.begin, shown.end - shown.begin, values);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::size_t>((first + i) / ticks_ - shown.begin) * width;
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), width,
                out.begin() + i * static_cast<std::ptrdiff_t>(width));
  }
}

std::vector<RowRange> SpikingSeries::filled(std::int64_t channel, std::int64_t first,
                                            std::int64_t count) const {
  std::vector<RowRange> stretches;
  const RowRange shown = rows_within(first, count);
  for (const RowRange& gap : within().filled(channel, shown.begin, shown.end - shown.begin)) {
    for (std::int64_t row = gap.begin; row < gap.end; ++row) {
      stretches.push_back(
          {std::max(first, row * ticks_), std::min(first + count, (row + 1) * ticks_)});
    }
  }
  return stretches;
}

void make_spikes(Experiment& experiment, const AddProblem& add) {
  const DataConfig& data = experiment.config.data;
  if (!data.spikes.is_on) return;
  const std::vector<SideColumn> side = experiment.series->side_columns();
  if (std::any_of(side.begin(), side.end(),
                  [](const SideColumn& one) { return one.role == SideColumn::Role::time; })) {
    return add("data.spikes",
               "a row becomes many, which have no times of their own; leave "
               "data.time out");
  }
  if (data.keeps_missing()) {
    return add("data.spikes",
               "where a value is missing, how often its channel spikes is not known; fill it "
               "(data.missing: hold)");
  }
  if (data.whiten != Whiten::none) {
    return add("data.spikes",
               "spikes are of values from 0 up, and whitened ones are negative "
               "too; leave data.whiten out");
  }
  const std::int64_t rows = experiment.series->rows();
  if (rows >
      kAllRows / (data.spikes.ticks * std::max<std::int64_t>(1, experiment.series->channels()))) {
    return add("data.spikes.ticks", fmt::format("{} rows of so many ticks are more than a series "
                                                "can have",
                                                grouped(rows)));
  }
  experiment.series = std::make_unique<SpikingSeries>(std::move(experiment.series), data.spikes,
                                                      static_cast<std::uint64_t>(data.seed));
}

}  // namespace gaia
