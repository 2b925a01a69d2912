// SPDX-License-Identifier: MIT
/// \file
/// How the learning rate changes while a network is trained.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

namespace gaia {

/// The factor on the first learning rate at time t = 0, 1, ..., which counts epochs or batches.
using Schedule = std::function<double(std::int64_t t)>;

/// factor^floor(t / every)
Schedule step_schedule(std::int64_t every, double factor = 0.1);

/// factor^t
Schedule exponential_schedule(double factor);

/// From 1 at 0 to `least` at `length` along half a wave, least + (1 - least) (1 + cos(pi t /
/// length)) / 2; `least` from then on.  Loshchilov & Hutter (2017), arXiv:1608.03983.
Schedule cosine_schedule(std::int64_t length, double least = 0.0);

/// (t + 1) / length while t < length, then `after`, which counts from there; 1 without one.
Schedule warm_up(std::int64_t length, Schedule after = {});

struct PlateauOptions {
  double factor = 0.1;         ///< On the learning rate.
  std::int64_t patience = 10;  ///< Observations without progress that pass before.
  double threshold = 1e-4;     ///< Progress is what falls below best (1 - threshold).
  double least = 0.0;          ///< No factor below this.
};

/// Lowers the learning rate where a loss no longer falls.
class ReduceOnPlateau {
 public:
  /// \throws ArgumentError unless 0 < factor < 1, patience >= 0, threshold and least in [0, 1).
  explicit ReduceOnPlateau(const PlateauOptions& options = {});

  /// Takes note of a loss and returns the factor on the first learning rate from here on.
  double observe(double loss);

 private:
  PlateauOptions options_;
  double best_ = std::numeric_limits<double>::infinity();
  std::int64_t bad_ = 0;
  double factor_ = 1.0;
};

}  // namespace gaia
