// SPDX-License-Identifier: MIT
/// \file
/// Ridge regression from its normal equations, written out: what readouts are compared with.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace gaia::test {

using Rows = std::vector<std::vector<double>>;

/// Weights and, last, the intercept that minimise the mean squared error over the rows [begin, end)
/// plus `ridge` times the features' mean variance times |w|^2.
inline std::vector<double> fit_ridge(const Rows& x, const std::vector<double>& y, std::size_t begin,
                                     std::size_t end, double ridge) {
  const std::size_t n = x.front().size();
  const auto rows = static_cast<double>(end - begin);
  std::vector<double> mean(n, 0.0);
  double target_mean = 0.0;
  for (std::size_t t = begin; t < end; ++t) {
    for (std::size_t i = 0; i < n; ++i) mean[i] += x[t][i] / rows;
    target_mean += y[t] / rows;
  }
  Rows a(n, std::vector<double>(n + 1, 0.0));
  for (std::size_t t = begin; t < end; ++t) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        a[i][k] += (x[t][i] - mean[i]) * (x[t][k] - mean[k]) / rows;
      }
      a[i][n] += (x[t][i] - mean[i]) * (y[t] - target_mean) / rows;
    }
  }
  double variance = 0.0;
  for (std::size_t i = 0; i < n; ++i) variance += a[i][i] / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) a[i][i] += ridge * variance;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t k = i + 1; k < n; ++k) {
      if (std::abs(a[k][i]) > std::abs(a[pivot][i])) pivot = k;
    }
    std::swap(a[i], a[pivot]);
    for (std::size_t k = i + 1; k < n; ++k) {
      const double factor = a[k][i] / a[i][i];
      for (std::size_t j = i; j <= n; ++j) a[k][j] -= factor * a[i][j];
    }
  }
  std::vector<double> w(n + 1, 0.0);
  for (std::size_t i = n; i-- > 0;) {
    double sum = a[i][n];
    for (std::size_t k = i + 1; k < n; ++k) sum -= a[i][k] * w[k];
    w[i] = sum / a[i][i];
  }
  w[n] = target_mean;
  for (std::size_t i = 0; i < n; ++i) w[n] -= w[i] * mean[i];
  return w;
}

/// 1 - the mean squared error over the targets' variance, over the rows [begin, end).
inline double r2_of(const std::vector<double>& w, const Rows& x, const std::vector<double>& y,
                    std::size_t begin, std::size_t end) {
  double mean = 0.0;
  for (std::size_t t = begin; t < end; ++t) mean += y[t] / static_cast<double>(end - begin);
  double error = 0.0;
  double variation = 0.0;
  for (std::size_t t = begin; t < end; ++t) {
    double prediction = w.back();
    for (std::size_t i = 0; i + 1 < w.size(); ++i) prediction += w[i] * x[t][i];
    error += (prediction - y[t]) * (prediction - y[t]);
    variation += (y[t] - mean) * (y[t] - mean);
  }
  return 1.0 - error / variation;
}

}  // namespace gaia::test
