// SPDX-License-Identifier: MIT
#include "replay.h"

#include <algorithm>
#include <string>
#include <utility>

#include "../../array/create.h"
#include "../../core/message.h"

namespace gaia::agents {
namespace {

/// Puts a row at a place, which may be the one after the last.
void put_row(std::vector<double>& rows, std::size_t place, std::span<const double> row) {
  const std::size_t begin = place * row.size();
  if (begin == rows.size()) rows.resize(begin + row.size());
  std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(begin));
}

/// The array of that name, which has this shape.
template <class T>
std::vector<T> taken(const ArrayMap& state, const std::string& name, const Shape& shape) {
  return array_of_state("replay", state, name, shape).to_vector<T>();
}

}  // namespace

Replay::Replay(std::int64_t observation_size, std::int64_t action_size,
               const ReplayOptions& options)
    : observation_size_(observation_size), action_size_(action_size), options_(options) {
  require(observation_size >= 1, "[replay] observation_size: expected 1 or more, got {}",
          static_cast<double>(observation_size));
  require(action_size >= 1, "[replay] action_size: expected 1 or more, got {}",
          static_cast<double>(action_size));
  require(options.capacity >= 1, "[replay] capacity: expected 1 or more, got {}",
          static_cast<double>(options.capacity));
  require(options.members >= 1, "[replay] members: expected 1 or more, got {}",
          static_cast<double>(options.members));
  require(options.mask_probability > 0 && options.mask_probability <= 1,
          "[replay] mask_probability: expected a probability above 0, got {}",
          options.mask_probability);
}

void Replay::add(std::span<const double> before, std::span<const double> action,
                 std::span<const double> after) {
  if (std::ssize(before) != observation_size_ || std::ssize(action) != action_size_ ||
      std::ssize(after) != observation_size_) {
    fail<ArgumentError>("[replay] add: expected {}, {} and {} numbers, got {}, {} and {}",
                        observation_size_, action_size_, observation_size_, before.size(),
                        action.size(), after.size());
  }
  const auto place = static_cast<std::size_t>(added_ % options_.capacity);
  put_row(before_, place, before);
  put_row(actions_, place, action);
  put_row(after_, place, after);
  const auto members = static_cast<std::size_t>(options_.members);
  std::vector<double> draws(members);
  options_.random.uniforms(static_cast<std::uint64_t>(added_) * members, draws);
  masks_.resize(std::max(masks_.size(), (place + 1) * members));
  for (std::size_t e = 0; e < members; ++e) {
    masks_[place * members + e] = draws[e] < options_.mask_probability ? 1 : 0;
  }
  ++added_;
}

ArrayMap Replay::state() const {
  const std::int64_t n = size();
  return {{"before", from_values(before_, {n, observation_size_})},
          {"actions", from_values(actions_, {n, action_size_})},
          {"after", from_values(after_, {n, observation_size_})},
          {"masks", from_values(masks_, {n, options_.members})},
          {"added", from_values(std::vector{added_}, {1})}};
}

void Replay::set_state(const ArrayMap& state) {
  const std::int64_t added = taken<std::int64_t>(state, "added", {1})[0];
  const std::int64_t n = std::min(added, options_.capacity);
  if (added < 0) {
    fail<ArgumentError>("[replay] set_state: \"added\": expected 0 or more, got {}", added);
  }
  std::vector<double> before = taken<double>(state, "before", {n, observation_size_});
  std::vector<double> actions = taken<double>(state, "actions", {n, action_size_});
  std::vector<double> after = taken<double>(state, "after", {n, observation_size_});
  masks_ = taken<std::int32_t>(state, "masks", {n, options_.members});
  before_ = std::move(before);
  actions_ = std::move(actions);
  after_ = std::move(after);
  added_ = added;
}

}  // namespace gaia::agents
