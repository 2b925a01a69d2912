// SPDX-License-Identifier: MIT
/// \file
/// Series whose state is known, for tests of nonlinear filters.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "../../src/filters/extended_kalman_filter.h"

namespace gaia::test {

/// The usual nonlinear model (Gordon, Salmond and Smith 1993), whose first step is k = 1.
inline NonlinearModelOptions growth_model() {
  return {.text = {.state = "x = x/2 + 25*x/(1 + x^2) + 8*cos(1.2*(t + 1))",
                   .observation = "y = x^2/20"},
          .Q = {{10.0}},
          .R = {{1.0}},
          .P0 = {{2.0}}};
}

struct Series {
  std::vector<double> truth;
  std::vector<double> seen;
};

inline Series growth_series(unsigned seed, int ticks) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Series series;
  double x = std::sqrt(2.0) * normal(random);
  for (int k = 1; k <= ticks; ++k) {
    x = x / 2 + 25 * x / (1 + x * x) + 8 * std::cos(1.2 * k) + std::sqrt(10.0) * normal(random);
    series.truth.push_back(x);
    series.seen.push_back(x * x / 20 + normal(random));
  }
  return series;
}

/// A turning speed: two states, two observed numbers, all of them crossed.
inline LinearModel crossed_model() {
  return {.states = 2,
          .observed = 2,
          .A = {0.9, 0.3, -0.2, 0.8},
          .H = {1.0, 0.5, 0.0, 2.0},
          .Q = {0.3, 0.1, 0.1, 0.2},
          .R = {1.0, 0.3, 0.3, 0.5},
          .P0 = {2.0, 0.5, 0.5, 1.0}};
}

/// The same as a text; what is assigned first must not be read by the second.
inline NonlinearModelOptions crossed_text() {
  return {.text = {.state = "a = 0.9*a + 0.3*b\nb = -0.2*(a - 0.3*b)/0.9 + 0.8*b",
                   .observation = "p = a + 0.5*b\nq = 2*b"},
          .Q = {{0.3, 0.1}, {0.1, 0.2}},
          .R = {{1.0, 0.3}, {0.3, 0.5}},
          .P0 = {{2.0, 0.5}, {0.5, 1.0}}};
}

/// Rows for a model of two observed numbers, some of them missing.
inline std::vector<std::vector<double>> rows_with_gaps(unsigned seed, int ticks, int numbers) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> rows;
  for (int k = 0; k < ticks; ++k) {
    std::vector<double> row;
    for (int i = 0; i < numbers; ++i) {
      const double value = 2.0 * normal(random);
      row.push_back(normal(random) > 1.0 ? std::nan("") : value);
    }
    rows.push_back(row);
  }
  return rows;
}

/// Largest distance of two lists whose NaNs stand at the same places; infinite where they do not.
template <class A, class B>
double apart(const A& a, const B& b) {
  double most = a.size() == b.size() ? 0.0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    const double distance = std::abs(a[i] - b[i]);
    most = std::max(most, std::isnan(distance) ? INFINITY : distance);
  }
  return most;
}

/// How far two filters that see the same rows ever are from each other.
inline double largest_distance(StateFilter& a, StateFilter& b,
                               const std::vector<std::vector<double>>& rows) {
  double most = 0.0;
  FilterTick of_a;
  FilterTick of_b;
  for (const std::vector<double>& row : rows) {
    a.predict();
    b.predict();
    a.update(row, false, of_a);
    b.update(row, false, of_b);
    for (const double distance :
         {apart(a.mean(), b.mean()), apart(a.covariance(), b.covariance()),
          apart(of_a.log_likelihood, of_b.log_likelihood), apart(of_a.nis, of_b.nis),
          apart(of_a.innovation, of_b.innovation)}) {
      most = std::max(most, distance);
    }
  }
  return most;
}

}  // namespace gaia::test
