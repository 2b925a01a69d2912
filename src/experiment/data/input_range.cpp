// SPDX-License-Identifier: MIT
#include "input_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../core/message.h"
#include "../../core/state_fields.h"

namespace gaia {

InputRange::InputRange(std::vector<std::string> names, bool minmax)
    : names_(std::move(names)), minmax_(minmax), channels_(names_.size()) {}

void InputRange::begin_trial() {
  for (Channel& channel : channels_) channel.follows = 0.0;
}

std::vector<InputLeft> InputRange::read(std::int64_t step, std::span<const double> row) {
  if (row.size() != channels_.size()) {
    fail<ShapeError>("[InputRange] expected a row of {} channels, got {} numbers", channels_.size(),
                     row.size());
  }
  std::vector<InputLeft> left;
  for (std::size_t c = 0; c < row.size(); ++c) {
    Channel& channel = channels_[c];
    if (channel.told != 0.0) continue;
    if (std::isnan(row[c])) {
      channel.follows = 0.0;
      continue;
    }
    const double z = std::clamp(minmax_ ? 6.0 * (row[c] - 0.5) : row[c], -kMost, kMost);
    if (channel.follows != 0.0) {
      channel.changes += (z - channel.before) * (z - channel.before);
      channel.pairs += 1.0;
    }
    channel.before = z;
    channel.follows = 1.0;
    if (channel.count == 0.0) channel.first_step = static_cast<double>(step);
    channel.count += 1.0;
    channel.sum += z;
    channel.squares += z * z;
    if (channel.count < static_cast<double>(kBlock)) continue;
    if (const auto found = look_at(c)) left.push_back(*found);
    channel.count = channel.sum = channel.squares = 0.0;
  }
  return left;
}

std::optional<InputLeft> InputRange::look_at(std::size_t index) {
  Channel& channel = channels_[index];
  channel.blocks += 1.0;
  const double j = channel.blocks;
  const double mean_square = channel.squares / channel.count;
  if (mean_square <= kLeast * kLeast) return {};
  const double x = std::log(static_cast<double>(channels_.size()) * j * (j + 1.0) / kAlarm);
  // Without a pair nothing is known of the order, and a block may be one value over and over.
  const double apart = channel.pairs > 0.0 ? channel.changes / channel.pairs : 0.0;
  const double r = std::max(0.0, 1.0 - apart / 2.0);
  const double v = r < 1.0 ? std::min(1.0, (1.0 + r * r) / ((1.0 - r * r) * channel.count)) : 1.0;
  const double l = r < 1.0 ? std::min(1.0, (1.0 + r) / ((1.0 - r) * channel.count)) : 1.0;
  const double limit = std::max(kLeast * kLeast, 1.0 + 2.0 * std::sqrt(v * x) + 2.0 * l * x);
  if (mean_square <= limit) return {};
  channel.told = 1.0;
  return InputLeft{.channel = index,
                   .step = static_cast<std::int64_t>(channel.first_step),
                   .mean = channel.sum / channel.count,
                   .distance = std::sqrt(mean_square),
                   .limit = std::sqrt(limit)};
}

std::string InputRange::text(const InputLeft& left) const {
  return fmt::format(
      "channel {}: from step {} on it has left what it is normalised by: its values are {:.3g} "
      "standard deviations from the mean (root mean square of {} values, whose mean is {:.3g}; up "
      "to {:.3g} could be chance)",
      names_.at(left.channel), left.step, left.distance, kBlock, left.mean, left.limit);
}

void InputRange::fields(auto& self, auto& state) {
  for (auto& one : self.channels_) {
    state(one.before, one.follows, one.count, one.first_step, one.sum, one.squares, one.changes,
          one.pairs, one.blocks, one.told);
  }
}

std::vector<double> InputRange::state() const { return StateFields::of(*this); }

void InputRange::set_state(std::span<const double> state) {
  StateFields::set(*this, "InputRange", state);
}

}  // namespace gaia
