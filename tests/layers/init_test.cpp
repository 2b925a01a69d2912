// SPDX-License-Identifier: MIT
#include "../../src/layers/init.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

constexpr Init kInits[] = {Init::he,         Init::xavier,     Init::normal,         Init::uniform,
                           Init::orthogonal, Init::he_uniform, Init::xavier_uniform, Init::pytorch,
                           Init::zeros,      Init::identity};

RandomStream stream(const char* purpose) { return RandomStream::named(7, purpose); }

struct Moments {
  double mean;
  double variance;
  double kurtosis;
};

Moments moments(const Array& x) {
  const std::vector<double> values = x.to_vector<double>();
  const auto n = static_cast<double>(values.size());
  double mean = 0.0;
  double square = 0.0;
  double fourth = 0.0;
  for (const double v : values) mean += v / n;
  for (const double v : values) {
    square += std::pow(v - mean, 2) / n;
    fourth += std::pow(v - mean, 4) / n;
  }
  return {mean, square, fourth / (square * square)};
}

double correlation(const Array& a, const Array& b) {
  return mean(multiply(a, b)).item() / std::sqrt(mean(square(a)).item() * mean(square(b)).item());
}

/// Largest deviation of A A^T from the unit matrix.
double from_orthonormal_rows(const Array& a) {
  return max(abs(subtract(matmul(a, a.transpose()), eye(a.shape(0), 0, DType::float64)))).item();
}

double radius_by_eigenvalues(const Array& matrix) {
  const std::vector<double> values = matrix.to_vector<double>();
  const Eigen::Map<const Eigen::MatrixXd> map(values.data(), matrix.shape(0), matrix.shape(1));
  return map.eigenvalues().cwiseAbs().maxCoeff();  // of the transpose, which has the same
}

}  // namespace

TEST_CASE("Names of initialisations lead back to what they name") {
  for (const Init init : kInits) CHECK(init_from_name(to_string(init)) == init);
  CHECK_THROWS_WITH_TEXT(init_from_name("hee"), ArgumentError,
                         "unknown init 'hee' (did you mean 'he'?); known: he, xavier, normal, "
                         "uniform, orthogonal, identity");
}

TEST_CASE("The identity hands on what a layer reads, as far as it has neurons") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Array wide = initial_weights(Init::identity, 2, 3, dtype, stream("w"));
    CHECK(wide.dtype() == dtype);
    CHECK(wide.to_vector<double>() == std::vector<double>{1, 0, 0, 0, 1, 0});
    const Array tall = initial_weights(Init::identity, 3, 2, dtype, stream("w"));
    CHECK(tall.to_vector<double>() == std::vector<double>{1, 0, 0, 1, 0, 0});
  }
  const Array kernel =
      initial_weights(Init::identity, {2, 1, 2, 2}, {4, 8}, DType::float64, stream("w"));
  CHECK(kernel.shape() == Shape{2, 1, 2, 2});
  CHECK(kernel.to_vector<double>() == std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0});
}

TEST_CASE("Normal initialisations have the variance of their fan") {
  // A wide and a tall layer, so that inputs and outputs cannot be mistaken for each other.  With n
  // numbers the variance is right to sqrt(2 / n): 1 % here, five times of which are allowed.
  const std::int64_t outputs = GENERATE(50, 400);
  const std::int64_t inputs = 20'000 / outputs;
  const Init init = GENERATE(Init::he, Init::xavier, Init::normal);
  const double variance = init == Init::he       ? 2.0 / static_cast<double>(inputs)
                          : init == Init::xavier ? 2.0 / static_cast<double>(inputs + outputs)
                                                 : 1e-4;
  const Array weights = initial_weights(init, outputs, inputs, DType::float64, stream("weights"));
  REQUIRE(weights.shape() == Shape{outputs, inputs});
  const Moments found = moments(weights);
  INFO(to_string(init) << ", " << outputs << "x" << inputs);
  CHECK(found.variance == Approx(variance).epsilon(0.05));
  CHECK(std::abs(found.mean) <= 5.0 * std::sqrt(variance / 20'000.0));
  CHECK(found.kurtosis == Approx(3.0).epsilon(0.06));
}

TEST_CASE("Uniform initialisation stays within 0.01 of zero") {
  const Array weights = initial_weights(Init::uniform, 100, 200, DType::float64, stream("weights"));
  CHECK(min(weights).item() >= -0.01);
  CHECK(max(weights).item() < 0.01);
  CHECK(moments(weights).variance == Approx(1e-4 / 3.0).epsilon(0.05));
  CHECK(std::abs(moments(weights).mean) <= 2e-4);
}

TEST_CASE(
    "Orthogonal initialisation gives orthonormal rows, or columns where there are more rows") {
  const auto [outputs, inputs] =
      GENERATE(table<std::int64_t, std::int64_t>({{1, 1}, {7, 7}, {5, 40}, {64, 64}, {1, 9}}));
  const Array wide =
      initial_weights(Init::orthogonal, outputs, inputs, DType::float64, stream("weights"));
  REQUIRE(wide.shape() == Shape{outputs, inputs});
  CHECK(wide.is_contiguous());
  CHECK(from_orthonormal_rows(wide) <= 1e-12);
  const Array tall =
      initial_weights(Init::orthogonal, inputs, outputs, DType::float64, stream("weights"));
  REQUIRE(tall.shape() == Shape{inputs, outputs});
  CHECK(from_orthonormal_rows(tall.transpose()) <= 1e-12);
}

TEST_CASE("Orthogonal initialisation prefers no direction") {
  // Were the signs of R left as they come, the diagonal of Q would be of one sign.
  double total = 0.0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Array q = initial_weights(Init::orthogonal, 3, 3, DType::float64, {seed, 0});
    total += q.item({0, 0});
  }
  CHECK(std::abs(total / 400.0) <= 5.0 / std::sqrt(3.0 * 400.0));
}

TEST_CASE("Both precisions start from the same weights") {
  for (const Init init : kInits) {
    const Array wide = initial_weights(init, 30, 20, DType::float64, stream("weights"));
    const Array narrow = initial_weights(init, 30, 20, DType::float32, stream("weights"));
    INFO(to_string(init));
    CHECK(narrow.dtype() == DType::float32);
    CHECK(narrow.to_vector<float>() == wide.astype(DType::float32).to_vector<float>());
  }
}

TEST_CASE("The same stream gives the same weights, streams named apart independent ones") {
  for (const Init init : kInits) {
    const auto drawn = [&](RandomStream random) {
      return initial_weights(init, 60, 60, DType::float64, random);
    };
    const Array weights = drawn(RandomStream::named(7, "levels/0/layers/0/weights"));
    INFO(to_string(init));
    CHECK(drawn(RandomStream::named(7, "levels/0/layers/0/weights")).to_vector<double>() ==
          weights.to_vector<double>());
    if (init == Init::zeros || init == Init::identity) continue;  // nothing is drawn
    // 3600 numbers: a correlation by chance is about 1/60.
    for (const RandomStream other : {RandomStream::named(7, "levels/0/layers/1/weights"),
                                     RandomStream::named(8, "levels/0/layers/0/weights")}) {
      CHECK(std::abs(correlation(drawn(other), weights)) <= 5.0 / 60.0);
    }
  }
}

TEST_CASE("The spectral radius is the largest absolute eigenvalue") {
  for (const std::int64_t size : {1, 2, 3, 10, 50, 120}) {
    const Array matrix = random_normal({size, size}, 0.0, 1.0, DType::float64,
                                       {11, static_cast<std::uint64_t>(size)});
    INFO("size " << size);
    CHECK(spectral_radius(matrix) == Approx(radius_by_eigenvalues(matrix)).epsilon(1e-8));
  }
  CHECK(spectral_radius(zeros({4, 4})) == 0.0);
  CHECK(spectral_radius(multiply(eye(5, 0, DType::float64), -3.0)) == Approx(3.0).epsilon(1e-10));
  const Array rotation = array({{0, -2}, {2, 0}}, DType::float64);  // eigenvalues 2i, -2i
  CHECK(spectral_radius(rotation) == Approx(2.0).epsilon(1e-10));
  const Array nilpotent = array({{0, 1, 5}, {0, 0, 1}, {0, 0, 0}}, DType::float64);
  CHECK(spectral_radius(nilpotent) == 0.0);
  const Array defective = array({{0.5, 1000}, {0, 0.5}}, DType::float64);
  CHECK(spectral_radius(defective) == Approx(0.5).epsilon(1e-8));
}

TEST_CASE("The spectral radius of large matrices is the largest absolute eigenvalue") {
  const auto drawn = [](std::int64_t size, std::uint64_t seed) {
    return random_normal({size, size}, 0.0, 1.0, DType::float64, {13, seed});
  };
  const Array dense = drawn(520, 0);
  CHECK(spectral_radius(dense) == Approx(radius_by_eigenvalues(dense)).epsilon(1e-9));
  const Array sparse =
      multiply(drawn(600, 1), bernoulli({600, 600}, 0.02, DType::float64, {13, 2}));
  const double of_sparse = radius_by_eigenvalues(sparse);
  for (const double scale : {1.0, 1e-120, 1e120}) {
    CHECK(spectral_radius(multiply(sparse, scale)) == Approx(of_sparse * scale).epsilon(1e-9));
  }
  const Array symmetric = add(dense, dense.transpose());
  CHECK(spectral_radius(symmetric) == Approx(radius_by_eigenvalues(symmetric)).epsilon(1e-9));
}

TEST_CASE("The spectral radius of large matrices that no Krylov space gets to know") {
  const Array values = random_uniform({600}, 0.0, 0.5, DType::float64, {17, 0});
  CHECK(spectral_radius(zeros({600, 600})) == 0.0);
  CHECK(spectral_radius(eye(600, 0, DType::float64)) == Approx(1.0).epsilon(1e-10));
  CHECK(spectral_radius(diag(values)) == Approx(max(values).item()).epsilon(1e-9));
  // A shift, once nilpotent, once a cycle, whose eigenvalues all have the absolute value 3.
  Array shift = multiply(eye(600, 0, DType::float64), 3.0);
  shift = concatenate({shift.slice(0, 1), zeros({1, 600}, DType::float64)}, 0);
  CHECK(spectral_radius(shift) == 0.0);
  shift[599][0].fill(3.0);
  CHECK(spectral_radius(shift) == Approx(3.0).epsilon(1e-10));
  // So far from normal that rounding makes eigenvalues of nothing.
  CHECK(spectral_radius(triu(random_normal({600, 600}, 0.0, 1.0, DType::float64, {17, 4}), 1)) ==
        0.0);
  // The matrix has rank one: u v^T with the eigenvalue u v.
  const Array u = random_normal({600, 1}, 0.0, 1.0, DType::float64, {17, 2});
  const Array v = random_normal({1, 600}, 0.0, 1.0, DType::float64, {17, 3});
  CHECK(spectral_radius(matmul(u, v)) == Approx(std::abs(matmul(v, u).item())).epsilon(1e-9));
}

TEST_CASE("The spectral radius of tiny and huge matrices neither underflows nor overflows") {
  const Array matrix = random_normal({8, 8}, 0.0, 1.0, DType::float64, {3, 3});
  const double expected = radius_by_eigenvalues(matrix);
  for (const double scale : {1e-120, 1e120}) {
    CHECK(spectral_radius(multiply(matrix, scale)) == Approx(expected * scale).epsilon(1e-8));
  }
}

TEST_CASE("The spectral radius is of square matrices") {
  CHECK_THROWS_WITH_TEXT(spectral_radius(ones({2, 3})), ShapeError,
                         "[spectral_radius] expected a square matrix, got shape [2, 3]");
}

TEST_CASE("Recurrent weights have the spectral radius asked for") {
  for (const double radius : {0.0, 0.5, 0.9, 1.25}) {
    const Array weights = recurrent_weights(60, radius, DType::float64, stream("recurrent"));
    CHECK(radius_by_eigenvalues(weights) == Approx(radius).epsilon(1e-8).margin(1e-300));
  }
  CHECK(std::abs(recurrent_weights(1, 0.7, DType::float64, stream("recurrent")).item()) ==
        Approx(0.7).epsilon(1e-10));
}

TEST_CASE("Fans of kernels count what a neuron reads and who reads it") {
  CHECK(fan_of({20, 30}).in == 30);
  CHECK(fan_of({20, 30}).out == 20);
  CHECK(fan_of({20, 30, 3, 5}).in == 450);
  CHECK(fan_of({20, 30, 3, 5}).out == 300);
  CHECK_THROWS_AS(fan_of({20}), ShapeError);
  CHECK_THROWS_AS(initial_weights(Init::he, {2}, {0, 1}, DType::float64, stream("w")),
                  ArgumentError);
}

TEST_CASE("Uniform weights fill the range that their fans give") {
  const Fan fan = {450, 300};
  const auto check = [&](Init init, double bound) {
    const Array weights =
        initial_weights(init, {20, 30, 3, 5}, fan, DType::float64, stream("weights"));
    CHECK(weights.shape() == Shape{20, 30, 3, 5});
    CHECK(max(weights).item() < bound);
    CHECK(max(weights).item() > 0.99 * bound);
    CHECK(min(weights).item() < -0.99 * bound);
    CHECK(norm(weights).item() / std::sqrt(9000.0) == Approx(bound / std::sqrt(3.0)).epsilon(0.03));
  };
  check(Init::he_uniform, std::sqrt(6.0 / 450.0));
  check(Init::xavier_uniform, std::sqrt(6.0 / 750.0));
  check(Init::pytorch, std::sqrt(1.0 / 450.0));
  CHECK(norm(initial_weights(Init::zeros, {3, 4}, {4, 3}, DType::float32, stream("w"))).item() ==
        0.0);
}

TEST_CASE("Kernels start orthonormal over all that a neuron reads") {
  const Array weights =
      initial_weights(Init::orthogonal, {4, 3, 2, 2}, {12, 16}, DType::float64, stream("w"));
  const Array rows = weights.reshape({4, 12});
  CHECK(all_close(matmul(rows, rows.transpose()), eye(4, 0, DType::float64), 1e-10, 1e-12));
}
