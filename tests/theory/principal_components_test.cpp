// SPDX-License-Identifier: MIT
/// \file
/// Sanger's rule finds the principal components, Oja's subspace rule the space that they span:
/// Sanger (1989), Neural Networks 2, 459-473; Oja (1989), Int. J. Neural Systems 1, 61-68.
#include "../support/catch.h"
#include "spectrum.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kComponents = 4;

const Spectrum& gapped() {
  static const Spectrum s({4, 2.5, 1.5, .9, .3, .25, .2, .15, .1, .05}, 2);
  return s;
}

Array start(std::uint64_t seed) { return random_start(kComponents, 10, seed); }

/// Frobenius norm of P - P*: projections on the row space of W and on span(u_1 ... u_4).
double subspace_distance(const Array& weights) {
  // An orthonormal basis of the rows by Gram and Schmidt, twice for rounding.
  const Array basis = weights.astype(DType::float64).copy();
  for (int pass = 0; pass < 2; ++pass) {
    for (std::int64_t i = 0; i < kComponents; ++i) {
      for (std::int64_t k = 0; k < i; ++k) {
        basis[i].assign(subtract(basis[i], multiply(basis[k], sum(multiply(basis[i], basis[k])))));
      }
      basis[i].assign(divide(basis[i], norm(basis[i])));
    }
  }
  const Array first = gapped().directions.slice(0, 0, kComponents);
  return norm(subtract(matmul(basis.transpose(), basis), matmul(first.transpose(), first))).item();
}

}  // namespace

TEST_CASE("GHA-det: expected updates bring row i to eigenvector i") {
  for (const DType dtype : {DType::float64, DType::float32}) {
    const Array w = start(0).astype(dtype).contiguous();
    learn_from(SangerRule{.learning_rate = 0.02}, w,
               gapped().covariance_tick().astype(dtype).broadcast_to({10, 6000, 10}));
    const double gram = gram_deviation(w);
    CAPTURE(to_string(dtype), gram);
    CHECK(gram <= (dtype == DType::float64 ? 1e-10 : 1e-3));
    for (std::int64_t i = 0; i < kComponents; ++i) {
      const double degrees = angle(gapped(), w[i], i);
      CAPTURE(i, degrees);
      CHECK(degrees <= 1e-3);
    }
  }
}

TEST_CASE("GHA-sgd: from samples, at a falling rate, row i comes to eigenvector i") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Array w = start(seed);
    learn_with_falling_rate(SangerRule{}, 0.01, 4000.0, w,
                            gapped().samples(1, 40'000, RandomStream::named(seed, "samples")));
    const double gram = gram_deviation(w);
    CAPTURE(seed, gram);
    CHECK(gram <= 0.15);
    for (std::int64_t i = 0; i < kComponents; ++i) {
      const double degrees = angle(gapped(), w[i], i);
      CAPTURE(i, degrees);
      CHECK(degrees <= 10.0);
    }
  }
}

TEST_CASE("SUB-det: expected updates bring the rows to the principal subspace, not to its axes") {
  const Array w = start(0);
  learn_from(OjaSubspaceRule{.learning_rate = 0.02}, w, gapped().covariance_ticks(6000));
  const double distance = subspace_distance(w);
  const double gram = gram_deviation(w);
  double nearest = 90.0;
  for (std::int64_t row = 0; row < kComponents; ++row) {
    for (std::int64_t i = 0; i < kComponents; ++i) {
      nearest = std::min(nearest, angle(gapped(), w[row], i));
    }
  }
  CAPTURE(distance, gram, nearest);
  CHECK(distance <= 1e-10);
  CHECK(gram <= 1e-10);
  CHECK(nearest > 10.0);  // degrees between any row and any principal component
}

TEST_CASE("SUB-sgd: from samples, at a falling rate, the rows come to the principal subspace") {
  // The rate falls as in GHA-sgd.
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Array w = start(seed);
    learn_with_falling_rate(OjaSubspaceRule{}, 0.01, 4000.0, w,
                            gapped().samples(1, 40'000, RandomStream::named(seed, "samples")));
    const double distance = subspace_distance(w);
    const double gram = gram_deviation(w);
    CAPTURE(seed, distance, gram);
    CHECK(distance <= 0.12);
    CHECK(gram <= 2e-3);
  }
}
