// SPDX-License-Identifier: MIT
#include "moments.h"

#include <algorithm>
#include <cmath>

namespace gaia {

void Moments::add(double x) {
  ++count_;
  least_ = std::min(least_, x);
  most_ = std::max(most_, x);
  const double before = (x - mean_) - rest_;
  const double step = before / static_cast<double>(count_);
  // Knuth's exact sum: mean_ + step, and what is lost of it.
  const double sum = mean_ + step;
  const double part = sum - mean_;
  rest_ += (mean_ - (sum - part)) + (step - part);
  mean_ = sum;
  squares_ += before * ((x - mean_) - rest_);
}

double Moments::deviation() const {
  return count_ == 0 ? 0.0 : std::sqrt(squares_ / static_cast<double>(count_));
}

}  // namespace gaia
