// SPDX-License-Identifier: MIT
/// \file
/// What is measured of a run, against sums over the numbers themselves.
#include "../../../src/experiment/run/metrics.h"

#include <cmath>

#include "../../../src/array/random_arrays.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../../src/layers/hierarchy/reactive.h"
#include "../../../src/layers/hierarchy/temporal.h"
#include "../../support/catch.h"
#include "../../support/devices.h"

using namespace gaia;
using gaia::test::on_each_device;

namespace {

using Matrix = std::vector<std::vector<double>>;  // [neuron][input]

/// A fixed layer before one that learns, then a level in which both learn.
HierarchyManager learning_hierarchy(DType dtype) {
  const auto learning = [&](std::int64_t in, std::int64_t out, std::uint64_t which) {
    return HebbianLayer(
        in, out, {.rule = OjaRule{.learning_rate = 0.01}, .dtype = dtype, .random = {3, which}});
  };
  HierarchicalLevel first(0, 5, 3, 1);
  first.add_layer(
      ReactiveLayer(5, 7, {.activation = Activation::tanh, .dtype = dtype, .random = {3, 1}}));
  first.add_layer(learning(7, 3, 2));
  HierarchicalLevel second(1, 3, 6, 2);
  second.add_layer(learning(3, 4, 3));
  second.add_layer(learning(4, 6, 4));
  HierarchyManager hierarchy;
  hierarchy.add_level(std::move(first));
  hierarchy.add_level(std::move(second));
  return hierarchy;
}

/// The weights of a level's layers.
std::vector<Matrix> weights_of(const HierarchicalLevel& level) {
  std::vector<Matrix> layers;
  for (std::size_t m = 0; m < level.layer_count(); ++m) {
    const Array weights = level.layer(m).arrays().front().value;
    Matrix rows;
    for (std::int64_t i = 0; i < weights.shape(0); ++i) {
      rows.push_back(weights[i].to_vector<double>());
    }
    layers.push_back(rows);
  }
  return layers;
}

double squares(const std::vector<double>& row) {
  double sum = 0.0;
  for (const double w : row) sum += w * w;
  return sum;
}

double squares(const std::vector<Matrix>& layers) {
  double sum = 0.0;
  for (const Matrix& layer : layers) {
    for (const auto& row : layer) sum += squares(row);
  }
  return sum;
}

double mean_norm(const std::vector<Matrix>& layers) {
  double sum = 0.0;
  double rows = 0.0;
  for (const Matrix& layer : layers) {
    for (const auto& row : layer) {
      sum += std::sqrt(squares(row));
      rows += 1.0;
    }
  }
  return sum / rows;
}

/// |to - from| / |from|
double relative_change(const std::vector<Matrix>& from, std::vector<Matrix> to) {
  for (std::size_t m = 0; m < to.size(); ++m) {
    for (std::size_t i = 0; i < to[m].size(); ++i) {
      for (std::size_t j = 0; j < to[m][i].size(); ++j) to[m][i][j] -= from[m][i][j];
    }
  }
  return std::sqrt(squares(to) / squares(from));
}

}  // namespace

DEVICE_TEST_CASE("Activity, norms and changes of weights are those of the numbers themselves") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const double near = dtype == DType::float32 ? 1e-5 : 1e-12;
    HierarchyManager hierarchy = learning_hierarchy(dtype);
    LevelMetrics metrics(hierarchy);
    std::vector<std::vector<Matrix>> first;
    for (const HierarchicalLevel& level : hierarchy.levels()) first.push_back(weights_of(level));
    std::vector<std::vector<Matrix>> last = first;
    std::vector<double> activity(2, 0.0);
    std::vector<double> count(2, 0.0);
    for (std::uint64_t k = 0; k < 3; ++k) {
      const Array x = random_normal({1, 20, 5}, 0.0, 1.0, dtype, {4, k});
      const HierarchyBlock block = hierarchy.process_block(x, {.learn = true});
      metrics.update(block, hierarchy);
      for (std::size_t n = 0; n < 2; ++n) {
        INFO("block " << k << ", level " << n);
        const std::vector<double> ticks = block.levels[n].ticks.to_vector<double>();
        double sum = 0.0;
        for (const double y : ticks) sum += std::abs(y);
        activity[n] += sum;
        count[n] += static_cast<double>(ticks.size());
        const std::vector<Matrix> now = weights_of(hierarchy.levels()[n]);
        const double change = relative_change(last[n], now);
        CHECK(change > 1e-3);
        CHECK(metrics.mean_activity()[n] ==
              Approx(sum / static_cast<double>(ticks.size())).epsilon(near));
        CHECK(metrics.weight_norm()[n] == Approx(mean_norm(now)).epsilon(near));
        CHECK(metrics.weight_change()[n] == Approx(change).epsilon(100 * near));
        last[n] = now;
      }
    }
    for (std::size_t n = 0; n < 2; ++n) {
      CHECK(metrics.ticks(n) == (n == 0 ? 60 : 30));
      CHECK(metrics.overall_activity(n) == Approx(activity[n] / count[n]).epsilon(near));
      CHECK(metrics.overall_change(n) ==
            Approx(relative_change(first[n], last[n])).epsilon(100 * near));
    }
  }
}

TEST_CASE("Changes of a temporal layer that learns are those of its W and R, its norm that of W") {
  const auto summed = [](const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
  };
  for (const bool learns : {true, false}) {
    HierarchicalLevel level(0, 3, 4);
    TemporalOptions options{.dtype = DType::float64, .random = {3, 9}};
    if (learns) options.recurrent_rule = HebbRule{.learning_rate = 0.01, .decay = 0.01};
    level.add_layer(TemporalLayer(3, 4, options));
    HierarchyManager hierarchy;
    hierarchy.add_level(std::move(level));
    const auto numbers = [&](std::size_t which) {
      return hierarchy.arrays(0, 0)[which].value.to_vector<double>();
    };
    REQUIRE(hierarchy.arrays(0, 0)[1].name == "recurrent");
    const std::vector<double> w = numbers(0);
    const std::vector<double> r = numbers(1);
    const std::vector<double> nothing(16, 0.0);
    LevelMetrics metrics(hierarchy);
    const Array x = random_normal({1, 40, 3}, 0.0, 1.0, DType::float64, {4, 9});
    metrics.update(hierarchy.process_block(x, {.learn = true}), hierarchy);
    CHECK(numbers(0) == w);
    const double expected =
        std::sqrt(summed(numbers(1), r) / (summed(w, nothing) + summed(r, nothing)));
    CHECK((expected > 1e-2) == learns);
    CHECK(metrics.weight_change()[0] == Approx(expected).epsilon(1e-10));
    CHECK(metrics.overall_change(0) == Approx(expected).epsilon(1e-10));
    CHECK(metrics.weight_norm()[0] == Approx(mean_norm(weights_of(hierarchy.levels()[0]))));
    CHECK_FALSE(metrics.answers(0).has_stood_still);
  }
}
