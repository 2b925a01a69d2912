// SPDX-License-Identifier: MIT
/// \file
/// Kalman's filter by plain loops over lists of lists, which share nothing with gaia's.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "../../src/filters/linear_model.h"
#include "../reference/rows.h"

namespace gaia::test {

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
        H(rows_of(model.H, static_cast<std::size_t>(model.states))),
        Q(rows_of(model.Q, static_cast<std::size_t>(model.states))),
        R(rows_of(model.R, static_cast<std::size_t>(model.observed))),
        P(rows_of(model.P0, static_cast<std::size_t>(model.states))),
        m(zero_rows(static_cast<std::size_t>(model.states), 1)) {}

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
    Rows r = zero_rows(there.size(), there.size());
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
        Rows beside = zero_rows(R.size(), there.size());
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
  Rows b = zero_rows(size, size);
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
  options.A = zero_rows(states, states);
  options.H = zero_rows(observed, states);
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
