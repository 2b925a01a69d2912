// SPDX-License-Identifier: MIT
/// \file
/// Transitions that an agent has seen, and which members of an ensemble learn from each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../../core/random.h"

namespace gaia::agents {

struct ReplayOptions {
  std::int64_t capacity = 100'000;  ///< Transitions; beyond, the oldest go.
  std::int64_t members = 5;
  double mask_probability = 0.8;  ///< Probability that a member learns from a transition.
  RandomStream random = next_stream();
};

class Replay {
 public:
  /// \throws ArgumentError for options out of their range.
  Replay(std::int64_t observation_size, std::int64_t action_size, const ReplayOptions& options);

  /// Keeps a transition, and draws for each member whether it learns from it: by number
  /// (index of the transition among all that ever came) * members + member of the stream.
  void add(std::span<const double> before, std::span<const double> action,
           std::span<const double> after);

  std::int64_t size() const { return static_cast<std::int64_t>(actions_.size()) / action_size_; }
  std::int64_t added() const { return added_; }  ///< Transitions that ever came.

  // The parts of the transition at a place from 0 to size() - 1; once the capacity is reached,
  // places are in no order of time.

  std::span<const double> before(std::int64_t place) const {
    return row(before_, place, observation_size_);
  }
  std::span<const double> action(std::int64_t place) const {
    return row(actions_, place, action_size_);
  }
  std::span<const double> after(std::int64_t place) const {
    return row(after_, place, observation_size_);
  }
  bool is_for(std::int64_t place, std::int64_t member) const {
    return masks_[static_cast<std::size_t>(place * options_.members + member)] != 0;
  }

  ArrayMap state() const;
  /// \throws ArgumentError or ShapeError unless it is the state of such a replay.
  void set_state(const ArrayMap& state);

 private:
  static std::span<const double> row(const std::vector<double>& rows, std::int64_t place,
                                     std::int64_t size) {
    return std::span(rows).subspan(static_cast<std::size_t>(place * size),
                                   static_cast<std::size_t>(size));
  }

  std::int64_t observation_size_, action_size_;
  ReplayOptions options_;
  std::int64_t added_ = 0;
  std::vector<double> before_, actions_, after_;
  std::vector<std::int32_t> masks_;
};

}  // namespace gaia::agents
