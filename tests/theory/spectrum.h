// SPDX-License-Identifier: MIT
/// \file
/// Gaussian inputs of a known covariance, and how far weights are from its eigenvectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/layers/init.h"
#include "../../src/learning/plasticity.h"

namespace gaia::test {

/// Covariance C = sum_i lambda_i u_i u_i^T, eigenvalues in falling order.
struct Spectrum {
  std::vector<double> lambda;
  Array directions;  ///< [d, d], row i is u_i.

  Spectrum(std::vector<double> eigenvalues, std::uint64_t seed)
      : lambda(std::move(eigenvalues)),
        directions(initial_weights(Init::orthogonal, size(), size(), DType::float64,
                                   RandomStream::named(seed, "basis"))) {}

  std::int64_t size() const { return static_cast<std::int64_t>(lambda.size()); }

  Array roots() const { return sqrt(from_values(lambda, {size()})); }

  /// A tick [d, 1, d] of d streams sqrt(d lambda_i) u_i: their mean x x^T is C, so by the batch law
  /// the update is the expected one.
  Array covariance_tick() const {
    const Array scale = multiply(roots(), std::sqrt(static_cast<double>(size())));
    return multiply(directions, scale.expand_dims(1)).expand_dims(1);
  }
  /// The same tick `ticks` times.
  Array covariance_ticks(std::int64_t ticks) const {
    return covariance_tick().broadcast_to({size(), ticks, size()});
  }

  /// [streams, ticks, d] independent samples.
  Array samples(std::int64_t streams, std::int64_t ticks, RandomStream random) const {
    const Array normal = random_normal({streams, ticks, size()}, 0.0, 1.0, DType::float64, random);
    return matmul(multiply(normal, roots()), directions);
  }
};

/// Spectrum of which single neurons learn.
inline const Spectrum& spectrum() {
  static const Spectrum s({3, 1.5, 1, .8, .6, .5, .4, .3, .2, .1}, 1);
  return s;
}

/// w . u_i for all i, of one row.
inline std::vector<double> coordinates(const Spectrum& spectrum, const Array& w) {
  return matmul(spectrum.directions, w.astype(DType::float64)).to_vector<double>();
}

/// Degrees between the line of w and that of u_i.  By the sine, which is exact for small angles.
inline double angle(const Spectrum& spectrum, const Array& w, std::int64_t i) {
  const std::vector<double> along = coordinates(spectrum, w);
  double across = 0.0;
  for (std::size_t k = 0; k < along.size(); ++k) {
    if (static_cast<std::int64_t>(k) != i) across += along[k] * along[k];
  }
  return std::atan2(std::sqrt(across), std::abs(along[static_cast<std::size_t>(i)])) * 180.0 /
         std::numbers::pi;
}

/// Largest element of |W W^T - I|.
inline double gram_deviation(const Array& weights) {
  const Array w = weights.astype(DType::float64);
  return max(abs(subtract(matmul(w, w.transpose()), eye(w.shape(0), 0, DType::float64)))).item();
}

/// Learns tick by tick with a rate that falls as rate / (1 + t / halving).
template <class R>
void learn_with_falling_rate(R rule, double rate, double halving, const Array& weights,
                             const Array& samples) {
  const Array memory = zeros({weights.shape(0)}, weights.dtype());
  for (std::int64_t t = 0; t < samples.shape(1); ++t) {
    rule.learning_rate = rate / (1.0 + static_cast<double>(t) / halving);
    learn({.rule = rule}, weights, memory, samples.slice(1, t, t + 1));
  }
}

/// Learns at a constant rate.
inline Array learn_from(const PlasticityRule& rule, const Array& weights, const Array& samples,
                        Executor executor = Executor::chunkwise) {
  return learn({.rule = rule, .executor = executor}, weights,
               zeros({weights.shape(0)}, weights.dtype()), samples);
}

/// Rows of length about one.
inline Array random_start(std::int64_t outputs, std::int64_t inputs, std::uint64_t seed) {
  return random_normal({outputs, inputs}, 0.0, 1.0 / std::sqrt(static_cast<double>(inputs)),
                       DType::float64, RandomStream::named(seed, "start"));
}

inline double root_mean_square(const std::vector<double>& values) {
  double total = 0.0;
  for (const double v : values) total += v * v;
  return std::sqrt(total / static_cast<double>(values.size()));
}

inline double mean_of(const std::vector<double>& values) {
  double total = 0.0;
  for (const double v : values) total += v;
  return total / static_cast<double>(values.size());
}

}  // namespace gaia::test
