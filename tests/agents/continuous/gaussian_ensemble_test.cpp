// SPDX-License-Identifier: MIT
#include "../../../src/agents/continuous/gaussian_ensemble.h"

#include <cmath>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/core/error.h"
#include "../../../src/learning/optimisers.h"
#include "../../support/catch.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

double softplus_of(double x) { return std::log1p(std::exp(x)); }

struct Normal {
  std::vector<double> mean, log_variance;
};

/// What member e predicts from x, by loops over the ensemble's state; one hidden layer.
Normal by_loops(const GaussianEnsemble& ensemble, std::int64_t e, const std::vector<double>& x,
                double least, double most) {
  const ArrayMap state = ensemble.state();
  std::vector<double> layer = x;
  for (const std::string i : {"0", "1"}) {
    const Array w = state.at("weights." + i)[e], b = state.at("bias." + i)[e][0];
    std::vector<double> next;
    for (std::int64_t o = 0; o < w.shape(0); ++o) {
      double sum = b.item({o});
      for (std::int64_t k = 0; k < w.shape(1); ++k) {
        sum += w.item({o, k}) * layer[static_cast<std::size_t>(k)];
      }
      next.push_back(i == "0" ? sum / (1 + std::exp(-sum)) : sum);
    }
    layer = next;
  }
  Normal normal;
  const std::size_t half = layer.size() / 2;
  for (std::size_t d = 0; d < half; ++d) {
    normal.mean.push_back(layer[d]);
    const double below = most - softplus_of(most - layer[half + d]);
    normal.log_variance.push_back(least + softplus_of(below - least));
  }
  return normal;
}

/// Biases that are not 0, so that they count.
void set_biases(GaussianEnsemble& ensemble) {
  ArrayMap state;
  std::uint64_t stream = 0;
  for (const auto& [name, value] : ensemble.state()) {
    state[name] = name.starts_with("bias")
                      ? random_normal(value.shape(), 0, 1, value.dtype(), {5, ++stream})
                      : value.copy();
  }
  ensemble.set_state(state);
}

GaussianEnsembleOptions two_members(const std::vector<std::int64_t>& hidden) {
  return {.members = 2,
          .hidden = hidden,
          .least_log_variance = -3.0,
          .most_log_variance = 1.0,
          .dtype = DType::float64,
          .random = {1, 1}};
}

}  // namespace

DEVICE_TEST_CASE("Every member predicts what loops over its weights give") {
  GaussianEnsemble ensemble(3, 2, two_members({4}));
  set_biases(ensemble);
  const Array x = random_normal({5, 3}, 0, 2, DType::float64, {2, 1});
  const GaussianEnsemble::Prediction found = ensemble.predict(Tensor(x));
  REQUIRE(found.mean.shape() == Shape{2, 5, 2});
  for (std::int64_t e = 0; e < 2; ++e) {
    for (std::int64_t n = 0; n < 5; ++n) {
      const Normal expected = by_loops(ensemble, e, x[n].to_vector<double>(), -3, 1);
      for (std::int64_t d = 0; d < 2; ++d) {
        const auto k = static_cast<std::size_t>(d);
        CHECK(found.mean.value().item({e, n, d}) == Approx(expected.mean[k]).epsilon(1e-10));
        CHECK(found.log_variance.value().item({e, n, d}) ==
              Approx(expected.log_variance[k]).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("Gradients of the ensemble are central differences") {
  GaussianEnsemble ensemble(3, 2, two_members({4, 3}));
  set_biases(ensemble);
  CHECK(test::gradient_complaint(ensemble, random_normal({2, 5, 3}, 0, 1, DType::float64, {2, 1}))
            .empty());
  CHECK(test::gradient_complaint(ensemble, random_normal({5, 3}, 0, 1, DType::float64, {2, 1}))
            .empty());
}

TEST_CASE("The loss is the negative log-likelihood of what each member learns from") {
  GaussianEnsemble ensemble(3, 2, two_members({4}));
  set_biases(ensemble);
  const Array x = random_normal({2, 5, 3}, 0, 1, DType::float64, {2, 1});
  const Array y = random_normal({2, 5, 2}, 0, 1, DType::float64, {2, 2});
  const std::vector<double> w = {1, 0, 1, 1, 0, 0, 0, 0, 1, 0};
  double expected = 0;
  for (std::int64_t e = 0; e < 2; ++e) {
    double sum = 0, count = 0;
    for (std::int64_t n = 0; n < 5; ++n) {
      if (w[static_cast<std::size_t>(e * 5 + n)] == 0) continue;
      const Normal normal = by_loops(ensemble, e, x[e][n].to_vector<double>(), -3, 1);
      for (std::int64_t d = 0; d < 2; ++d) {
        const auto k = static_cast<std::size_t>(d);
        const double a = y.item({e, n, d}) - normal.mean[k];
        sum += 0.5 * (a * a / std::exp(normal.log_variance[k]) + normal.log_variance[k]);
      }
      ++count;
    }
    expected += sum / count / 2;
  }
  expected += 0.01 * 2 * (1 - -3);  // two dimensions
  const Tensor loss = ensemble.loss(x, y, from_values(w, {2, 5}));
  CHECK(loss.item() == Approx(expected).epsilon(1e-10));

  // A member that learns from nothing has the gradient of the bounds alone.
  const std::vector<double> none = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0};
  ensemble.loss(x, y, from_values(none, {2, 5})).backward();
  for (const auto& [name, parameter] : ensemble.named_parameters()) {
    const Array of_second = parameter.grad()[1];
    if (name == "most" || name == "least") {
      CHECK(max(of_second).item() == Approx(name == "most" ? 0.005 : -0.005));
      CHECK(min(of_second).item() == max(of_second).item());
    } else {
      CHECK(max(abs(of_second)).item() == 0);
      CHECK(max(abs(parameter.grad()[0])).item() > 0);
    }
  }
}

TEST_CASE("Log variances stay within soft bounds") {
  GaussianEnsemble ensemble(3, 2,
                            {.members = 2,
                             .hidden = {4},
                             .least_log_variance = -3.0,
                             .most_log_variance = 1.0,
                             .random = {1, 1}});
  const Array raw = from_values(std::vector<double>{-50, -3, 1, 50, 0, 0, 9, 9}, {2, 2, 2});
  const std::vector<double> found = ensemble.bounded(Tensor(raw)).value().to_vector<double>();
  CHECK(found[0] == Approx(-3).margin(1e-6));
  // Far above both: most, and what the lower bound adds there.
  CHECK(found[3] == Approx(1 + std::log1p(std::exp(-4.0))).margin(1e-6));
  const Array turned = raw.transpose({2, 0, 1}).contiguous();
  CHECK(ensemble.bounded(Tensor(turned), true).value().transpose({1, 2, 0}).to_vector<double>() ==
        found);
}

TEST_CASE("Trained by the loss, mean and variance become those of the data") {
  // y = sin(2 x) + noise whose deviation is 0.1 on the left and 0.4 on the right.
  constexpr std::int64_t kData = 512;
  GaussianEnsemble ensemble(1, 1, {.members = 3, .hidden = {32}, .random = {1, 1}});
  std::vector<double> u(kData), z(kData), xs, ys;
  RandomStream{4, 1}.uniforms(0, u);
  RandomStream{4, 2}.normals(0, z);
  for (int e = 0; e < 3; ++e) {
    for (std::size_t n = 0; n < kData; ++n) {
      const double x = 4 * u[n] - 2;
      xs.push_back(x);
      ys.push_back(std::sin(2 * x) + (x < 0 ? 0.1 : 0.4) * z[n]);
    }
  }
  const Array x = from_values(xs, {3, kData, 1}).astype(DType::float32);
  const Array y = from_values(ys, {3, kData, 1}).astype(DType::float32);
  Optimiser optimiser(ensemble.parameters(), AdamWRule{.learning_rate = 1e-2});
  for (int step = 0; step < 600; ++step) {
    ensemble.loss(x, y, ones({3, kData})).backward();
    optimiser.step();
    optimiser.zero_grad();
  }
  const std::vector<double> at = {-1.5, -0.8, 0.8, 1.5};
  const GaussianEnsemble::Prediction found =
      ensemble.predict(Tensor(from_values(at, {4, 1}).astype(DType::float32)));
  for (std::int64_t e = 0; e < 3; ++e) {
    for (std::int64_t n = 0; n < 4; ++n) {
      const double there = at[static_cast<std::size_t>(n)];
      const double deviation = std::exp(0.5 * found.log_variance.value().item({e, n, 0}));
      CHECK(found.mean.value().item({e, n, 0}) == Approx(std::sin(2 * there)).margin(0.15));
      CHECK(deviation > (there < 0 ? 0.06 : 0.28));
      CHECK(deviation < (there < 0 ? 0.15 : 0.55));
    }
  }
}

TEST_CASE("An ensemble that cannot be is refused") {
  CHECK_THROWS_AS(GaussianEnsemble(0, 1), ArgumentError);
  CHECK_THROWS_AS(GaussianEnsemble(1, 1, {.members = 0}), ArgumentError);
  CHECK_THROWS_AS(GaussianEnsemble(1, 1, {.hidden = {0}}), ArgumentError);
  CHECK_THROWS_AS(GaussianEnsemble(1, 1, {.dtype = DType::int32}), DTypeError);
  CHECK_THROWS_WITH_TEXT(
      GaussianEnsemble(1, 1, {.least_log_variance = 1.0, .most_log_variance = 0.0}), ArgumentError,
      "the lower first");
}
