// SPDX-License-Identifier: MIT
/// \file
/// PlasticLinear as plain loops, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../../reference/rows.h"

namespace gaia::test {

inline double norm_of(const Rows& rows) {
  double sum = 0.0;
  for (const auto& row : rows) {
    for (const double value : row) sum += value * value;
  }
  return std::sqrt(sum);
}

struct ReferencePlasticLinear {
  Rows weights;
  std::vector<double> bias;
  double a = 0.1, b = 0.05, fast_decay = 0.95, fast_rate = 0.05, slow_decay = 0.99,
         slow_rate = 0.01, bound = 5.0;
  Rows fast = Rows(weights.size(), std::vector<double>(weights[0].size()));
  Rows slow = fast;
  double update_norm = 0.0;
  bool was_shortened = false;

  /// The code of a weight: the nearest of -1, 0 and 1 in units of its row's mean size.
  int code(std::size_t o, std::size_t i) const {
    const double share = weights[o][i] / scale(o);
    return share > 0.5 ? 1 : share < -0.5 ? -1 : 0;
  }
  double scale(std::size_t o) const {
    double sum = 0.0;
    for (const double w : weights[o]) sum += std::abs(w);
    return sum / static_cast<double>(weights[o].size());
  }
  double effective(std::size_t o, std::size_t i) const {
    return code(o, i) * scale(o) + a * fast[o][i] + b * slow[o][i];
  }

  Rows forward(const Rows& x) const {
    Rows y(x.size(), bias);
    for (std::size_t n = 0; n < x.size(); ++n) {
      for (std::size_t o = 0; o < weights.size(); ++o) {
        for (std::size_t i = 0; i < x[n].size(); ++i) y[n][o] += effective(o, i) * x[n][i];
      }
    }
    return y;
  }

  void write(const Rows& x, const Rows& y) {
    Rows update = fast;
    for (std::size_t o = 0; o < fast.size(); ++o) {
      for (std::size_t i = 0; i < fast[o].size(); ++i) {
        double sum = 0.0;
        for (std::size_t n = 0; n < x.size(); ++n) sum += std::max(y[n][o], 0.0) * x[n][i];
        update[o][i] = fast_rate * sum / static_cast<double>(x.size());
        fast[o][i] = fast_decay * fast[o][i] + update[o][i];
      }
    }
    update_norm = norm_of(update);
    const double length = norm_of(fast);
    was_shortened = length > bound;
    for (std::size_t o = 0; o < fast.size(); ++o) {
      for (std::size_t i = 0; i < fast[o].size(); ++i) {
        if (was_shortened) fast[o][i] *= bound / length;
        slow[o][i] = slow_decay * slow[o][i] + slow_rate * fast[o][i];
      }
    }
  }
};

}  // namespace gaia::test
