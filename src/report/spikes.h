// SPDX-License-Identifier: MIT
/// \file
/// Spikes of a level for a raster: all of them, or as many of them as a page can hold.
#pragma once

#include <cstdint>
#include <vector>

namespace gaia::report {

/// One spike that is drawn.
struct Spike {
  std::int64_t tick = 0;
  std::int64_t neuron = 0;
};

/// Keeps at most so many spikes, each with the same chance wherever and whenever it comes, so that
/// dense places stay dense.  Which ones depends on their places alone, so that a page can be built
/// again.
class SpikeSample {
 public:
  explicit SpikeSample(std::size_t most) : most_(most) {}

  void add(std::int64_t tick, std::int64_t neuron);

  /// Those that were kept, in the order in which they came.
  std::vector<Spike> kept() const;
  /// How many came.
  std::int64_t count() const { return count_; }

 private:
  struct Ticket {
    Spike spike;
    std::uint64_t number;
  };

  std::size_t most_;
  std::int64_t count_ = 0;
  std::uint64_t limit_ = ~std::uint64_t{0};  // tickets up to here are kept
  std::vector<Ticket> tickets_;
};

/// The spikes of a level over some ticks.
struct Raster {
  std::vector<Spike> spikes;  ///< Those that are drawn.
  std::int64_t count = 0;     ///< Number of all spikes, drawn or not.
};

}  // namespace gaia::report
