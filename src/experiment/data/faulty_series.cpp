// SPDX-License-Identifier: MIT
#include "faulty_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../../io/columns.h"
#include "../../io/file_series.h"

namespace gaia {
namespace {

using Shows = FaultConfig::Shows;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Faults::Faults(const FaultConfig& config, const std::vector<std::string>& channels,
               std::uint64_t seed, std::size_t number)
    : config_(config),
      width_(std::ssize(channels)),
      stream_(RandomStream::named(seed, fmt::format("data/faults/{}/faults", number))),
      has_(channels.size(), config.channels.empty()) {
  try {
    if (!config.channels.empty()) {
      for (const std::size_t c : select_columns("the data", config.channels, channels)) {
        has_[c] = true;
      }
    }
  } catch (const ArgumentError& error) {
    throw DataKeyError(fmt::format("faults[{}].channels", number), config.channels.front(),
                       error.what());
  }
  const auto offsets = RandomStream::named(seed, fmt::format("data/faults/{}/offsets", number));
  for (std::size_t c = 0; c < channels.size(); ++c) {
    offsets_.push_back(offsets.integer(c, config.length));
  }
}

bool Faults::is_faulty(std::int64_t row, std::int64_t channel) const {
  const auto c = static_cast<std::size_t>(channel);
  if (!has_[c] || row < config_.from) return false;
  const std::int64_t stretch = (row + offsets_[c]) / config_.length;
  double u = 0.0;
  stream_.uniforms(static_cast<std::uint64_t>(stretch * width_ + channel), {&u, 1});
  return u < config_.probability;
}

FaultySeries::FaultySeries(std::unique_ptr<Series> series, const std::vector<FaultConfig>& faults,
                           std::uint64_t seed)
    : ForwardingSeries(std::move(series)) {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    faults_.emplace_back(faults[i], within().channel_names(), seed, i);
    stands_still_ = stands_still_ || faults[i].shows == Shows::last;
  }
  for (const std::int64_t start : within().trial_starts()) {
    for (std::int64_t c = 0; c < channels() && start < rows(); ++c) {
      begins_faulty_ = begins_faulty_ || fault_at(start, c) == Shows::last;
    }
  }
}

std::optional<Shows> FaultySeries::fault_at(std::int64_t row, std::int64_t channel) const {
  for (auto fault = faults_.rbegin(); fault != faults_.rend(); ++fault) {
    if (fault->is_faulty(row, channel)) return fault->shows();
  }
  return std::nullopt;
}

std::int64_t FaultySeries::trial_of(std::int64_t row) const {
  const auto& starts = trial_starts();
  return *std::prev(std::upper_bound(starts.begin(), starts.end(), row));
}

void FaultySeries::look_back(std::int64_t row) {
  held_.assign(static_cast<std::size_t>(channels()), kNothing);
  std::vector<double> values(held_.size());
  const std::int64_t start = row < rows() ? trial_of(row) : row;
  // Rows are read forwards, since going back may cost a source all that came before.
  std::vector<std::int64_t> last(held_.size(), -1);
  for (std::int64_t c = 0; c < channels(); ++c) {
    std::int64_t r = row - 1;
    while (r >= start && fault_at(r, c)) --r;
    if (r >= start) last[static_cast<std::size_t>(c)] = r;
  }
  std::vector<std::int64_t> needed = last;
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  for (const std::int64_t r : needed) {
    if (r < 0) continue;
    within().read(r, 1, values);
    for (std::size_t c = 0; c < held_.size(); ++c) {
      if (last[c] == r) held_[c] = values[c];
    }
  }
  next_ = row;
}

void FaultySeries::spoil(std::int64_t first, std::int64_t count, std::span<double> rows) {
  const auto width = static_cast<std::size_t>(channels());
  const auto& starts = trial_starts();
  auto start = std::lower_bound(starts.begin(), starts.end(), first);
  for (std::int64_t r = 0; r < count; ++r) {
    const std::int64_t row = first + r;
    if (start != starts.end() && *start == row) {
      held_.assign(width, kNothing);
      ++start;
    }
    for (std::size_t c = 0; c < width; ++c) {
      double& value = rows[static_cast<std::size_t>(r) * width + c];
      const auto shown = fault_at(row, static_cast<std::int64_t>(c));
      if (!shown) {
        if (stands_still_) held_[c] = value;
      } else if (*shown == Shows::last) {
        value = std::isnan(held_[c]) && !fill().empty() ? fill()[c] : held_[c];
      } else {
        value = *shown == Shows::zero ? 0.0 : kNothing;
      }
    }
  }
  next_ = first + count;
}

void FaultySeries::read(std::int64_t first, std::int64_t count, std::span<double> out) {
  read_with_side(first, count, out, {}, {});
}

void FaultySeries::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                                  std::span<const std::size_t> wanted, std::span<SideValues> side) {
  check_range(first, count, out.size(), channels());
  ensure_fill();
  if (stands_still_ && next_ != first) look_back(first);
  within().read_with_side(first, count, out, wanted, side);
  spoil(first, count, out);
}

void FaultySeries::take_fill(std::span<const double> fill) {
  ForwardingSeries::take_fill(fill);
  next_ = -1;
}

std::vector<RowRange> FaultySeries::filled(std::int64_t channel, std::int64_t first,
                                           std::int64_t count) const {
  const std::vector<RowRange> before = within().filled(channel, first, count);
  const auto& starts = trial_starts();
  std::vector<RowRange> stretches;
  auto gap = before.begin();
  for (std::int64_t row = first; row < first + count; ++row) {
    while (gap != before.end() && gap->end <= row) ++gap;
    const auto shown = fault_at(row, channel);
    const bool was = gap != before.end() && gap->begin <= row && shown != Shows::zero;
    if (!was && (!shown || *shown == Shows::zero)) continue;
    // A gap across the border of two trials is two.
    const bool begins_trial = std::binary_search(starts.begin(), starts.end(), row);
    if (!stretches.empty() && stretches.back().end == row && !begins_trial) {
      ++stretches.back().end;
    } else {
      stretches.push_back({row, row + 1});
    }
  }
  return stretches;
}

}  // namespace gaia
