// SPDX-License-Identifier: MIT
/// \file
/// Levels in time: representations are held between ticks, and pooling keeps fast tones from posing
/// as slow ones.
#include "../../src/hierarchy/manager.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../support/catch.h"
#include "spectrum.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("HOLD: levels of resolution 1, 2 and 4 tick ceil(T / r) times and hold in between") {
  const std::int64_t steps = GENERATE(1, 2, 7, 16, 33);
  const Pooling pooling = GENERATE(Pooling::last, Pooling::mean);
  HierarchyManager hierarchy;
  for (const auto& [id, resolution] : {std::pair<int, std::int64_t>{0, 1}, {1, 2}, {2, 4}}) {
    HierarchicalLevel level(id, 3, 3, resolution, {.pooling = pooling});
    level.add_layer(ReactiveLayer(3, 3, {.activation = Activation::tanh, .bias = 0.1}));
    hierarchy.add_level(std::move(level));
  }
  const Array data = random_normal({steps, 3}, 0.0, 1.0, DType::float32, {1, 1});
  std::map<int, std::vector<std::vector<float>>> shown;
  for (std::int64_t t = 0; t < steps; ++t) {
    for (const auto& [id, row] : hierarchy.process_time_step(data[t], false)) {
      shown[id].push_back(row.to_vector<float>());
    }
  }
  hierarchy.reset_state();
  const auto whole = hierarchy.process_hierarchy(data, {.learn = false});
  for (const auto& [id, resolution] : {std::pair<int, std::int64_t>{0, 1}, {1, 2}, {2, 4}}) {
    CHECK(whole.at(id).ticks.shape(0) == (steps + resolution - 1) / resolution);
    const Array rows = whole.at(id).expanded();
    for (std::int64_t t = 0; t < steps; ++t) {
      const auto last = static_cast<std::size_t>(t / resolution * resolution);
      CHECK(shown[id][static_cast<std::size_t>(t)] == shown[id][last]);
      CHECK(rows[t].to_vector<float>() == rows[static_cast<std::int64_t>(last)].to_vector<float>());
    }
  }
}

TEST_CASE("HOLD: a start between two ticks honours the policy") {
  const auto level_of = [](LevelOptions::UntilFirst policy) {
    return HierarchicalLevel(0, 1, 1, 4, {.held_until_first = policy});
  };
  HierarchicalLevel zeroed = level_of(LevelOptions::UntilFirst::zeros);
  CHECK(zeroed.process_time_step(ones({1}), 3).item() == 0.0);
  CHECK(zeroed.process_time_step(ones({1}), 4).item() == 1.0);
  HierarchicalLevel refusing = level_of(LevelOptions::UntilFirst::refuse);
  CHECK_THROWS_AS(refusing.process_time_step(ones({1}), 3), Error);
  CHECK(refusing.process_time_step(ones({1}), 4).item() == 1.0);
}

TEST_CASE("ALIAS: decimation turns a fast tone into a slow one, mean pooling removes it") {
  constexpr std::int64_t steps = 8000;
  constexpr double frequency = 1.0 / 8.0 + 1.0 / 400.0;  // cycles per step
  const auto of_period = [](double cycles_per_step, std::int64_t t) {
    return std::sin(2.0 * std::numbers::pi * cycles_per_step * static_cast<double>(t));
  };
  std::vector<double> tone;
  for (std::int64_t t = 0; t < steps; ++t) tone.push_back(of_period(frequency, t));
  const auto pooled = [&](Pooling pooling) {
    HierarchyManager hierarchy;
    hierarchy.add_level({0, 1, 1, 8, {.pooling = pooling}});
    return hierarchy.process_hierarchy(from_values(tone, {steps, 1}))
        .at(0)
        .ticks.to_vector<double>();
  };
  const std::vector<double> decimated = pooled(Pooling::last);
  for (std::size_t k = 0; k < decimated.size(); ++k) {
    CHECK(std::abs(decimated[k] - of_period(1.0 / 400.0, static_cast<std::int64_t>(8 * k))) <=
          1e-9);
  }
  const double false_tone = *std::max_element(decimated.begin(), decimated.end());
  // The first window has a single step: there is nothing to average yet.
  const std::vector<double> averaged = pooled(Pooling::mean);
  double left = 0.0;
  for (std::size_t k = 1; k < averaged.size(); ++k) left = std::max(left, std::abs(averaged[k]));
  CAPTURE(false_tone, left);
  CHECK(false_tone == Approx(1.0).epsilon(0.01));
  CHECK(left <= 0.05);
}
