// SPDX-License-Identifier: MIT
/// \file
/// Plain Hebbian learning: E[w] <- (I + eta C) w, growth along the first eigenvector.
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"
#include "spectrum.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("HEBB-growth: the logarithm of the length grows by ln(1 + eta lambda_1) a step") {
  constexpr double eta = 1e-3;
  const Executor executor = GENERATE(Executor::stepwise, Executor::chunkwise);
  const Array w = multiply(random_start(1, 10, 0), 1e-3);
  const auto learn_on = [&](std::int64_t steps) {
    learn_from(HebbRule{.learning_rate = eta}, w, spectrum().covariance_ticks(steps), executor);
    return std::log(norm(w).item());
  };
  const double before = learn_on(10'000);  // the other directions have faded
  const double slope = (learn_on(1000) - before) / 1000.0;
  CAPTURE(slope, std::log(1.0 + eta * 3.0));
  CHECK(std::abs(slope - std::log(1.0 + eta * 3.0)) <= 1e-6);
}

TEST_CASE("HEBB-batch: batches of zero-mean samples teach what their samples teach") {
  constexpr std::int64_t batch = 1024;
  SECTION("unit weights turn to the first eigenvector") {
    HebbianLayer layer(10, 3,
                       {.rule = HebbRule{.learning_rate = 0.1},
                        .control = {.normalization = Normalization::l2},
                        .dtype = DType::float64,
                        .random = RandomStream::named(0, "start")});
    layer.process(spectrum().samples(batch, 100, RandomStream::named(0, "samples")), true);
    for (std::int64_t i = 0; i < 3; ++i) {
      const double cosine = std::abs(coordinates(spectrum(), layer.weights()[i])[0]) /
                            norm(layer.weights()[i]).item();
      CAPTURE(cosine);
      CHECK(cosine > 0.99);
    }
  }
  SECTION("the update is C w, not C w / batch as for products of means") {
    const Array w0 = random_start(1, 10, 1);
    std::vector<double> along = coordinates(spectrum(), w0[0]);
    for (std::size_t i = 0; i < along.size(); ++i) along[i] *= spectrum().lambda[i];
    std::vector<double> ratios;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Array w = w0.copy();
      learn_from(HebbRule{.learning_rate = 1.0}, w,
                 spectrum().samples(batch, 1, RandomStream::named(seed, "samples")));
      const std::vector<double> step = coordinates(spectrum(), subtract(w, w0)[0]);
      double product = 0.0;
      double square = 0.0;
      for (std::size_t i = 0; i < along.size(); ++i) {
        product += step[i] * along[i];
        square += along[i] * along[i];
      }
      ratios.push_back(product / square);
    }
    CAPTURE(mean_of(ratios));
    CHECK(std::abs(mean_of(ratios) - 1.0) <= 0.05);
  }
}
