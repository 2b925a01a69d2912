// SPDX-License-Identifier: MIT
// What makes a temporal layer one of the reservoirs of the literature: the scale of its input,
// sparse recurrent weights, random biases.
#include <algorithm>
#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/layers/hierarchy/temporal.h"
#include "../../support/catch.h"

using namespace gaia;

namespace {

TemporalOptions reservoir64(std::uint64_t stream = 3) {
  return {.dtype = DType::float64, .random = {11, stream}};
}

std::int64_t count_not_zero(const Array& x) {
  const std::vector<double> values = x.to_vector<double>();
  return std::count_if(values.begin(), values.end(), [](double v) { return v != 0.0; });
}

double correlation(const Array& a, const Array& b) {
  const Array x = subtract(a, mean(a));
  const Array y = subtract(b, mean(b));
  return sum(multiply(x, y)).item() / (norm(x).item() * norm(y).item());
}

}  // namespace

TEST_CASE("Without the keys of reservoirs a temporal layer draws what it always drew") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    TemporalOptions options = reservoir64();
    options.dtype = dtype;
    options.bias = 0.25;
    const TemporalLayer layer(3, 20, options);
    const std::vector<double> weights =
        initial_weights(Init::xavier, 20, 3, dtype, options.random).to_vector<double>();
    const std::vector<double> recurrent =
        recurrent_weights(20, 0.9, dtype, {11, ~std::uint64_t{3}}).to_vector<double>();
    CHECK(layer.weights().to_vector<double>() == weights);
    CHECK(layer.recurrent().to_vector<double>() == recurrent);
    CHECK(layer.arrays()[2].value.to_vector<double>() == std::vector<double>(20, 0.25));
  }
}

TEST_CASE("The input scale multiplies the input weights, and them alone") {
  TemporalOptions options = reservoir64();
  const TemporalLayer plain(4, 30, options);
  options.input_scale = 0.375;
  const TemporalLayer scaled(4, 30, options);
  CHECK(all_close(scaled.weights(), multiply(plain.weights(), 0.375), 0.0, 0.0));
  CHECK(all_close(scaled.recurrent(), plain.recurrent(), 0.0, 0.0));
  options.input_scale = 0.0;
  CHECK(count_not_zero(TemporalLayer(4, 30, options).weights()) == 0);
  // float32 has the float64 product, rounded once.
  options.input_scale = 0.1;
  const TemporalLayer wide(4, 30, options);
  options.dtype = DType::float32;
  const TemporalLayer narrow(4, 30, options);
  CHECK(narrow.weights().to_vector<double>() ==
        wide.weights().astype(DType::float32).to_vector<double>());
}

TEST_CASE("The density is the share of recurrent weights that are not 0, to the entry") {
  for (const double density : {0.5, 0.1, 0.037, 0.02}) {
    for (const double radius : {0.95, 1.2}) {
      TemporalOptions options = reservoir64();
      options.density = density;
      options.spectral_radius = radius;
      const TemporalLayer layer(2, 100, options);
      INFO("density " << density << ", radius " << radius);
      CHECK(count_not_zero(layer.recurrent()) == std::llround(density * 10000.0));
      CHECK(spectral_radius(layer.recurrent()) == Approx(radius).epsilon(1e-8));
      // W is what it is with a full R.
      CHECK(layer.weights().to_vector<double>() ==
            TemporalLayer(2, 100, reservoir64()).weights().to_vector<double>());
    }
  }
}

TEST_CASE(
    "The weights that a sparse reservoir keeps lie anywhere, in other places for each stream") {
  constexpr std::int64_t n = 200;
  TemporalOptions options = reservoir64();
  options.density = 0.1;
  const Array kept =
      not_equal(TemporalLayer(1, n, options).recurrent(), 0.0).astype(DType::float64);
  // Rows and columns have n density of them, with the deviation of a binomial.
  const double deviation = std::sqrt(n * 0.1 * 0.9);
  for (const int axis : {0, 1}) {
    const std::vector<double> counts = sum(kept, {axis}).to_vector<double>();
    double squares = 0.0;
    for (const double count : counts) squares += (count - 20.0) * (count - 20.0);
    CHECK(std::sqrt(squares / n) == Approx(deviation).epsilon(0.2));
  }
  options.random = {11, 4};
  const Array other =
      not_equal(TemporalLayer(1, n, options).recurrent(), 0.0).astype(DType::float64);
  CHECK(std::abs(correlation(kept, other)) <= 5.0 / n);
  // They are those of the full matrix, but for a factor.
  options.density = 1.0;
  const Array full = TemporalLayer(1, n, options).recurrent();
  options.density = 0.1;
  const Array sparse = TemporalLayer(1, n, options).recurrent();
  const Array rest = multiply(full, other);
  const double factor = norm(sparse).item() / norm(rest).item();
  CHECK(all_close(sparse, multiply(rest, factor), 1e-12, 1e-12));
}

TEST_CASE("Random biases are uniform within the bias scale, around the bias") {
  constexpr std::int64_t n = 1000;
  TemporalOptions options = reservoir64();
  options.spectral_radius = 0.0;
  options.density = 1.0 / n;
  options.bias = 0.5;
  options.bias_scale = 0.2;
  const TemporalLayer layer(1, n, options);
  std::vector<double> biases = layer.arrays()[2].value.to_vector<double>();
  std::sort(biases.begin(), biases.end());
  double distance = 0.0;  // of Kolmogorov and Smirnov, from the uniform distribution
  for (std::size_t i = 0; i < biases.size(); ++i) {
    const double expected = (biases[i] - 0.3) / 0.4;
    distance = std::max(distance, std::abs(expected - static_cast<double>(i) / n));
  }
  CHECK(biases.front() >= 0.3);
  CHECK(biases.back() <= 0.7);
  CHECK(distance <= 1.95 / std::sqrt(static_cast<double>(n)));  // at 0.1 %
  // From a stream of their own: another one for another layer, and not that of W.
  const Array own = layer.arrays()[2].value;
  options.random = {11, 4};
  CHECK(std::abs(correlation(TemporalLayer(1, n, options).arrays()[2].value, own)) <= 0.16);
  options.random = {11, 3};
  options.init = Init::he_uniform;
  CHECK(std::abs(correlation(TemporalLayer(1, n, options).weights().squeeze({1}), own)) <= 0.16);
}

TEST_CASE("A bias of each neuron is what its drive begins with") {
  TemporalOptions options = reservoir64();
  options.activation = Activation::linear;
  options.leak = 1.0;
  options.bias_scale = 0.7;
  TemporalLayer layer(2, 9, options);
  const Array y = layer.process(zeros({1, 1, 2}, DType::float64));
  CHECK(y.reshape({9}).to_vector<double>() == layer.arrays()[2].value.to_vector<double>());
}

TEST_CASE("A reservoir refuses a density that leaves its recurrent weights without a loop") {
  TemporalOptions options = reservoir64();
  options.density = 1e-6;
  CHECK_THROWS_WITH_TEXT(TemporalLayer(1, 50, options), ArgumentError,
                         "[recurrent_weights] of 50 neurons, those with a weight that is not 0 at "
                         "density 1e-06 close no loop");
  options.spectral_radius = 0.0;  // needs none
  CHECK(count_not_zero(TemporalLayer(1, 50, options).recurrent()) == 0);
}

TEST_CASE("A reservoir refuses scales and densities out of their range") {
  for (const double density : {0.0, -0.5, 1.5, std::nan("")}) {
    CHECK_THROWS_WITH_TEXT(TemporalLayer(4, 7, {.density = density}), ArgumentError,
                           "[temporal layer] density must be in (0, 1], got");
  }
  for (const double scale : {-0.1, 1e7, std::nan("")}) {
    CHECK_THROWS_WITH_TEXT(TemporalLayer(4, 7, {.input_scale = scale}), ArgumentError,
                           "[temporal layer] input_scale must be in [0, 1e6), got");
    CHECK_THROWS_WITH_TEXT(TemporalLayer(4, 7, {.bias_scale = scale}), ArgumentError,
                           "[temporal layer] bias_scale must be in [0, 1e6), got");
  }
  CHECK_THROWS_WITH_TEXT(TemporalLayer(4, 7, {.input_scale = 1e-50}), ArgumentError,
                         "[temporal layer] input_scale: expected a number that float32 can hold");
}
