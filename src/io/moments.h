// SPDX-License-Identifier: MIT
/// \file
/// Mean, deviation and range of numbers that come one by one.
#pragma once

#include <cstdint>
#include <limits>

namespace gaia {

/// Takes each number once, by the updates of Welford (Technometrics 4, 1962): with the distance d
/// of the n-th number from the mean before it, mean += d/n and squares += d · (distance from the
/// mean after it).  The mean is held as the sum of two doubles, since one has no digits left for
/// d/n where the mean is large compared with the deviation.
class Moments {
 public:
  void add(double x);

  std::int64_t count() const { return count_; }
  /// Mean of the numbers; 0 without any, and so is the deviation.
  double mean() const { return mean_ + rest_; }
  /// Deviation of the population: the root of the mean square distance from the mean.
  double deviation() const;
  double least() const { return least_; }
  double most() const { return most_; }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0.0;
  double rest_ = 0.0;     // rest of the mean, for which mean_ has no digits
  double squares_ = 0.0;  // sum of squared distances from the mean
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
};

}  // namespace gaia
