// SPDX-License-Identifier: MIT
/// \file
/// Kalman's filter by plain loops over lists of lists, which share nothing with gaia's.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "../../src/filters/linear_model.h"

namespace gaia::test {

using Rows = std::vector<std::vector<double>>;

inline Rows zeros(std::size_t height, std::size_t width) {
  return Rows(height, std::vector<double>(width, 0.0));
}

inline Rows product(const Rows& a, const Rows& b) {
  Rows c = zeros(a.size(), b.front().size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.front().size(); ++j) {
      for (std::size_t k = 0; k < b.size(); ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

inline Rows transposed(const Rows& a) {
  Rows c = zeros(a.front().size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) c[j][i] = a[i][j];
  }
  return c;
}

inline Rows sum(Rows a, const Rows& b, double factor = 1.0) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] += factor * b[i][j];
  }
  return a;
}

/// By Gauss and Jordan with pivots; `determinant` is the matrix's.
inline Rows inverse(Rows a, double* determinant = nullptr) {
  const std::size_t n = a.size();
  Rows b = zeros(n, n);
  double product_of_pivots = 1.0;
  for (std::size_t i = 0; i < n; ++i) b[i][i] = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    if (pivot != k) product_of_pivots = -product_of_pivots;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    product_of_pivots *= a[k][k];
    const double by = a[k][k];
    for (std::size_t j = 0; j < n; ++j) {
      a[k][j] /= by;
      b[k][j] /= by;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k];
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
        b[i][j] -= factor * b[k][j];
      }
    }
  }
  if (determinant != nullptr) *determinant = product_of_pivots;
  return b;
}

inline Rows rows_of(const std::vector<double>& numbers, std::size_t height) {
  const std::size_t width = numbers.size() / height;
  Rows a = zeros(height, width);
  for (std::size_t i = 0; i < numbers.size(); ++i) a[i / width][i % width] = numbers[i];
  return a;
}

/// A filter of one stream.
struct LinearReference {
  Rows A, H, Q, R, P, m;
  char adapts = ' ';
  double forgetting = 0.995;
  int observed_ticks = 0;
  double log_likelihood = 0.0;
  double nis = 0.0;

  explicit LinearReference(const LinearModel& model)
      : A(rows_of(model.A, static_cast<std::size_t>(model.states))),
        H(rows_of(model.H, static_cast<std::size_t>(model.observed))),
        Q(rows_of(model.Q, static_cast<std::size_t>(model.states))),
        R(rows_of(model.R, static_cast<std::size_t>(model.observed))),
        P(rows_of(model.P0, static_cast<std::size_t>(model.states))),
        m(zeros(static_cast<std::size_t>(model.states), 1)) {}

  void tick(const std::vector<double>& row) {
    m = product(A, m);
    P = sum(product(product(A, P), transposed(A)), Q);
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!std::isnan(row[i])) there.push_back(i);
    }
    log_likelihood = 0.0;
    nis = std::nan("");
    if (there.empty()) return;
    Rows h, y;
    Rows r = zeros(there.size(), there.size());
    for (std::size_t i = 0; i < there.size(); ++i) {
      h.push_back(H[there[i]]);
      y.push_back({row[there[i]]});
      for (std::size_t j = 0; j < there.size(); ++j) r[i][j] = R[there[i]][there[j]];
    }
    const Rows v = sum(y, product(h, m), -1.0);
    const Rows S = sum(product(product(h, P), transposed(h)), r);
    double determinant = 0.0;
    const Rows S_inverse = inverse(S, &determinant);
    const Rows K = product(product(P, transposed(h)), S_inverse);
    m = sum(m, product(K, v));
    P = sum(P, product(product(K, h), P), -1.0);
    nis = product(product(transposed(v), S_inverse), v)[0][0];
    log_likelihood = -0.5 * (nis + std::log(determinant) +
                             static_cast<double>(there.size()) * std::log(2.0 * std::acos(-1.0)));
    if (observed_ticks >= 20) {
      const double d = (1.0 - forgetting) / (1.0 - std::pow(forgetting, observed_ticks + 1));
      if (adapts == 'R') {
        const Rows left = sum(y, product(h, m), -1.0);
        const Rows said =
            sum(product(left, transposed(left)), product(product(h, P), transposed(h)));
        Rows beside = zeros(R.size(), there.size());
        for (std::size_t i = 0; i < R.size(); ++i) {
          for (std::size_t j = 0; j < there.size(); ++j) beside[i][j] = R[i][there[j]];
        }
        const Rows C = product(beside, inverse(r));
        R = sum(R, product(product(C, sum(said, r, -1.0)), transposed(C)), d);
      }
      if (adapts == 'Q') {
        const Rows G = product(product(Q, transposed(h)), S_inverse);
        const Rows w = product(G, v);
        Q = sum(sum(Q, product(w, transposed(w)), d), product(product(G, h), Q), -d);
      }
    }
    ++observed_ticks;
  }
};

/// Rows of a covariance, B Bᵀ + I / 10 with random B.
inline Rows random_covariance(std::size_t size, double scale, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Rows b = zeros(size, size);
  for (auto& row : b) {
    for (double& number : row)
      number = normal(random) * std::sqrt(scale / static_cast<double>(size));
  }
  Rows c = product(b, transposed(b));
  for (std::size_t i = 0; i < size; ++i) c[i][i] += 0.1 * scale;
  return c;
}

/// A model whose states stay bounded.
inline LinearModelOptions random_model(std::size_t states, std::size_t observed,
                                       std::mt19937& random) {
  std::normal_distribution<double> normal;
  LinearModelOptions options;
  options.kind = LinearModelOptions::Kind::matrices;
  options.A = zeros(states, states);
  options.H = zeros(observed, states);
  const double scale = 0.7 / std::sqrt(static_cast<double>(states));
  for (auto& row : options.A) {
    for (double& number : row) number = normal(random) * scale;
  }
  for (auto& row : options.H) {
    for (double& number : row) number = normal(random);
  }
  options.Q = random_covariance(states, 0.3, random);
  options.R = random_covariance(observed, 1.0, random);
  options.P0 = random_covariance(states, 2.0, random);
  return options;
}

}  // namespace gaia::test
