// SPDX-License-Identifier: MIT
#include "../../src/learning/representation_metrics.h"

#include <cmath>

#include "../../src/array/create.h"
#include "../../src/array/functions.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/array/orthonormal.h"
#include "../../src/array/random_arrays.h"
#include "../../src/core/error.h"
#include "../reference/metrics/metrics.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"

using namespace gaia;
using namespace gaia::test;
using namespace gaia::metrics;
namespace known = gaia::test::metrics_reference;

namespace {

Array responses() { return from_values(known::responses, {9, 5}); }
Array weights() { return from_values(known::weights, {3, 5}); }

void check_all(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == Approx(expected[i]).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("metrics of representations are those of a program that shares nothing with gaia") {
  const RepresentationRank centred = representation_rank(responses());
  check_all({centred.effective, centred.participation}, known::centred_ranks);
  CHECK(centred.numerical == 5);
  const RepresentationRank plain = representation_rank(responses(), false);
  check_all({plain.effective, plain.participation}, known::plain_ranks);
  const RepresentationRank wide = representation_rank(responses().transpose());
  check_all({wide.effective, wide.participation}, known::wide_ranks);
  CHECK(wide.numerical == 4);  // five samples less their mean
  const Array rates = abs(responses());
  check_all(selectivity(rates), known::selectivity);
  check_all(lifetime_sparseness(rates), known::lifetime);
  check_all(population_sparseness(rates), known::population);
  CHECK(orthogonality(weights()) == Approx(known::orthogonality).epsilon(1e-12));
  CHECK(mutual_coherence(weights()) == Approx(known::coherence).epsilon(1e-12));
  CHECK(reconstruction_error(responses(), weights()) ==
        Approx(known::reconstruction).epsilon(1e-12));
  CHECK(reconstruction_error(responses(), weights(), true) ==
        Approx(known::centred_reconstruction).epsilon(1e-12));
  CHECK(subspace_score(weights(), from_values(known::directions, {2, 5})) ==
        Approx(known::subspace).epsilon(1e-12));
}

TEST_CASE("k directions of equal variance have a rank of k, whatever their size and number") {
  const double scale = GENERATE(1e-150, 1.0, 1e150);
  const std::int64_t k = GENERATE(1, 3, 8);
  // Rows +-u_i: mean 0, every direction with the same variance.
  const Array u = random_orthonormal(k, 12, {7, static_cast<std::uint64_t>(k)});
  const Array rows = multiply(concatenate({u, negative(u)}, 0), scale);
  const RepresentationRank rank = representation_rank(rows);
  CAPTURE(scale, k);
  CHECK(rank.effective == Approx(static_cast<double>(k)).epsilon(1e-9));
  CHECK(rank.participation == Approx(static_cast<double>(k)).epsilon(1e-9));
  CHECK(rank.numerical == k);
  const RepresentationRank single = representation_rank(divide(rows, scale).astype(DType::float32));
  CHECK(single.effective == Approx(static_cast<double>(k)).epsilon(1e-5));
  CHECK(single.numerical == k);
}

TEST_CASE("two directions of unequal variance: the formulas by hand") {
  // s = (3, 1): p = (3/4, 1/4); participation (9 + 1)^2 / (81 + 1).
  const RepresentationRank rank =
      representation_rank(array({{3, 0}, {0, 1}, {0, 0}}, DType::float64), false);
  CHECK(rank.effective ==
        Approx(std::exp(-0.75 * std::log(0.75) - 0.25 * std::log(0.25))).epsilon(1e-12));
  CHECK(rank.participation == Approx(100.0 / 82.0).epsilon(1e-12));
  CHECK(rank.numerical == 2);
}

TEST_CASE("responses that do not vary have rank 0, beside any offset") {
  const RepresentationRank rank = representation_rank(full({20, 3}, 0.1, DType::float64));
  CHECK(rank.effective == 0.0);
  CHECK(rank.participation == 0.0);
  CHECK(rank.numerical == 0);
  CHECK(representation_rank(full({20, 3}, 0.1, DType::float64), false).numerical == 1);
  CHECK(representation_rank(zeros({4, 4}), false).effective == 0.0);
}

TEST_CASE("a neuron that answers one of n samples has selectivity 1 - 1/n and sparseness 1") {
  const Array y = array({{4, 1, 0, -2}, {0, 1, 0, -1}, {0, 1, 0, -3}, {0, 1, 0, -1}});
  const std::vector<double> found = selectivity(y);
  CHECK(found[0] == 0.75);
  CHECK(found[1] == 0.0);
  CHECK(std::isnan(found[2]));
  CHECK(std::isnan(found[3]));
  const std::vector<double> sparse = lifetime_sparseness(y.slice(1, 0, 3));
  CHECK(sparse[0] == 1.0);
  CHECK(sparse[1] == 0.0);
  CHECK(std::isnan(sparse[2]));
  CHECK(population_sparseness(eye(3))[1] == 1.0);
  CHECK(std::isnan(population_sparseness(ones({2, 1}))[0]));
  // Two of four with the same answer: a = (2/4)^2 / (2/4), (1 - 1/2) / (3/4).
  CHECK(lifetime_sparseness(array({{1}, {1}, {0}, {0}}))[0] == Approx(2.0 / 3.0).epsilon(1e-12));
}

TEST_CASE("weights at right angles are orthogonal, parallel ones are not") {
  const DType dtype = GENERATE(DType::float32, DType::float64);
  const Array u = random_orthonormal(6, 9, {1, 1});
  const Array scaled =
      multiply(u, array({1, 1e3, 1e-3, -5, 1, 2}, DType::float64).expand_dims(1)).astype(dtype);
  CHECK(orthogonality(scaled) == Approx(1.0).epsilon(1e-6));
  CHECK(mutual_coherence(scaled) <= 1e-6);
  const Array parallel = array({{1, 2}, {-2, -4}, {10, 20}}, dtype);
  CHECK(std::abs(orthogonality(parallel)) <= 1e-6);
  CHECK(mutual_coherence(parallel) == Approx(1.0).epsilon(1e-6));
  // 60 degrees: cos^2 = 1/4.
  const Array sixty = array({{1, 0}, {0.5, std::sqrt(0.75)}}, dtype);
  CHECK(orthogonality(sixty) == Approx(0.75).epsilon(1e-6));
  CHECK(mutual_coherence(sixty) == Approx(0.5).epsilon(1e-6));
  CHECK(std::isnan(orthogonality(ones({1, 3}))));
  CHECK(std::isnan(mutual_coherence(zeros({2, 3}))));
}

TEST_CASE("random directions are at 1 - 1/inputs on average") {
  const Array w = random_normal({300, 20}, 0, 1, DType::float32, {3, 1});
  CHECK(orthogonality(w) == Approx(1.0 - 1.0 / 20.0).epsilon(1e-3));
}

TEST_CASE("principal components leave the variance of the other directions") {
  const DType dtype = GENERATE(DType::float32, DType::float64);
  // Rows +-sqrt(lambda_i) u_i: mean x x^T has the eigenvalues lambda_i / 5.
  const Array u = random_orthonormal(5, 5, {2, 1});
  const Array roots = sqrt(array({5, 3, 1, 0.6, 0.4}, DType::float64)).expand_dims(1);
  const Array half = multiply(u, roots);
  const Array x = concatenate({half, negative(half)}, 0).astype(dtype);
  for (std::int64_t m = 1; m <= 5; ++m) {
    const std::vector<double> left = {5.0, 2.0, 1.0, 0.4, 0.0};
    const Array w = multiply(u.slice(0, 0, m), 7.0).astype(dtype);
    CAPTURE(m);
    CHECK(reconstruction_error(x, w) ==
          Approx(left[static_cast<std::size_t>(m - 1)] / 10.0).margin(1e-6));
    CHECK(subspace_score(w, u.slice(0, 0, 1)) == Approx(1.0).epsilon(1e-6));
    CHECK(subspace_score(w, u) == Approx(static_cast<double>(m) / 5.0).epsilon(1e-6));
  }
  // A mean of 100 is all there is, unless it is taken away.
  const Array shifted = add(x.astype(DType::float64), 100.0);
  CHECK(reconstruction_error(shifted, u.slice(0, 0, 2), true) == Approx(0.2).epsilon(1e-6));
}

TEST_CASE("weights of one direction twice, or of none, keep what that direction keeps") {
  const Array x = array({{1, 0}, {0, 1}}, DType::float64);
  CHECK(reconstruction_error(x, array({{1, 1}, {-3, -3}})) == Approx(0.5).epsilon(1e-12));
  CHECK(reconstruction_error(x, zeros({2, 2})) == 1.0);
  CHECK(subspace_score(zeros({2, 2}), x) == 0.0);
  // 30 degrees to the only direction.
  CHECK(subspace_score(array({{std::sqrt(3.0), 1}}, DType::float64), array({{2, 0}})) ==
        Approx(0.75).epsilon(1e-12));
}

TEST_CASE("what is not finite makes a metric of representations NaN") {
  Array y = ones({3, 2}, DType::float64);
  y[1].fill(kNaN);
  CHECK(std::isnan(representation_rank(y).effective));
  CHECK(std::isnan(selectivity(y)[0]));
  CHECK(std::isnan(lifetime_sparseness(y)[0]));
  CHECK(std::isnan(orthogonality(y)));
  CHECK(std::isnan(reconstruction_error(y, ones({1, 2}))));
  CHECK(std::isnan(reconstruction_error(ones({3, 2}), y)));
  CHECK(std::isnan(subspace_score(y, ones({1, 2}))));
  CHECK(std::isnan(reconstruction_error(zeros({3, 2}), ones({1, 2}))));
}

TEST_CASE("arrays that a metric of representations cannot read are refused") {
  CHECK_THROWS_WITH_TEXT(selectivity(ones({3})), ShapeError,
                         "[selectivity] expected responses [samples, neurons] with at least one of "
                         "each, got shape [3]");
  CHECK_THROWS_WITH_TEXT(representation_rank(zeros({0, 2})), ShapeError, "got shape [0, 2]");
  CHECK_THROWS_WITH_TEXT(lifetime_sparseness(array({{1, -2}})), ArgumentError,
                         "expected responses of 0 or more, got -2.0 at [0, 1]; abs(y)");
  CHECK_THROWS_WITH_TEXT(reconstruction_error(ones({3, 2}), ones({1, 3})), ShapeError,
                         "[reconstruction_error] expected samples and weights of as many inputs, "
                         "got 2 and 3");
  CHECK_THROWS_WITH_TEXT(subspace_score(ones({1, 2}), ones({2, 2})), ArgumentError,
                         "expected 2 directions that are linearly independent, got 1");
}
