// SPDX-License-Identifier: MIT
/// \file
/// Free runs compared with the same computed by plain loops.
#include "../../../src/experiment/readouts/free_run.h"

#include <cmath>
#include <limits>

#include "../../../src/array/create.h"
#include "../../../src/core/error.h"
#include "../../../src/experiment/readouts/free_reader.h"
#include "../../../src/layers/hierarchy/temporal.h"
#include "../../support/catch.h"
#include "../../support/special_numbers.h"

namespace gaia {
namespace {

using test::kNaN;

constexpr double kLargest = std::numeric_limits<double>::max();

/// Two numbers a step that are no functions of each other.
std::vector<double> came_at(std::int64_t step) {
  const auto t = static_cast<double>(step);
  return {std::sin(0.3 * t) + 0.1 * std::sin(2.1 * t), std::cos(0.17 * t) * 2.0 + 1.0};
}

/// Shows steps [first, end), in blocks of so many.
void show(FreeRun& run, std::int64_t first, std::int64_t end, std::int64_t block) {
  for (std::int64_t step = first; step < end; step += block) {
    std::vector<double> rows;
    for (std::int64_t t = step; t < std::min(end, step + block); ++t) {
      const std::vector<double> row = came_at(t);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    run.see(step, rows);
  }
}

/// Says what it has said before, drawn together and shifted; at first the row of the start.
FreeRun::Say from_start(std::int64_t start) {
  return [start](std::span<const double> last) {
    if (last.empty()) return came_at(start);
    return std::vector<double>{0.9 * last[0] + 0.05, last[1] - 0.02 * last[0]};
  };
}

constexpr std::int64_t kSteps = 12;
const std::vector<std::int64_t> kStarts = {20, 25, 60};

FreeRunConfig config_of(std::int64_t at, double threshold) {
  return {.is_there = true,
          .from = 20,
          .steps = kSteps,
          .at = at,
          .threshold = threshold,
          .starts = kStarts};
}

TEST_CASE("scores of free runs are those of plain loops, however the series is cut") {
  constexpr std::int64_t kAll = 90;
  const double threshold = 0.25;
  double variance = 0.0;
  for (std::size_t k = 0; k < 2; ++k) {
    double mean = 0.0;
    for (std::int64_t t = 0; t < kAll; ++t) mean += came_at(t)[k] / kAll;
    for (std::int64_t t = 0; t < kAll; ++t) variance += std::pow(came_at(t)[k] - mean, 2) / kAll;
  }
  std::vector<double> squares(kSteps);
  double valid = 0.0;
  for (const std::int64_t start : kStarts) {
    std::vector<double> said = came_at(start);
    std::int64_t steps = 0;
    bool is_valid = true;
    for (std::int64_t j = 0; j < kSteps; ++j) {
      if (j > 0) said = {0.9 * said[0] + 0.05, said[1] - 0.02 * said[0]};
      const std::vector<double> came = came_at(start + j);
      const double square = std::pow(said[0] - came[0], 2) + std::pow(said[1] - came[1], 2);
      squares[static_cast<std::size_t>(j)] += square / 3.0;
      is_valid = is_valid && std::sqrt(square / variance) <= threshold;
      steps += is_valid ? 1 : 0;
    }
    valid += static_cast<double>(steps) / 3.0;
  }
  REQUIRE(valid > 1.0);
  REQUIRE(valid < kSteps - 1.0);
  for (const std::int64_t block : {1, 7, 90}) {
    FreeRun run(config_of(9, threshold), 2);
    for (const std::int64_t start : kStarts) run.go_on(start, kLargest, from_start(start));
    show(run, 0, kAll, block);
    CHECK(run.score().nrmse_at == Approx(std::sqrt(squares[8] / variance)).epsilon(1e-10));
    CHECK(run.score().valid_steps == Approx(valid).epsilon(1e-12));
    const FreeRun::Table table = run.table();
    CHECK(table.starts == kStarts);
    REQUIRE(table.error.size() == kSteps);
    for (std::size_t j = 0; j < kSteps; ++j) {
      CHECK(table.error[j] == Approx(std::sqrt(squares[j] / variance)).epsilon(1e-10));
    }
    CHECK(table.target[2 * kSteps + 1] == came_at(25)[1]);
  }
}

TEST_CASE("a free run goes on from its state bit for bit, and counts what is whole") {
  FreeRun uncut(config_of(12, 0.4), 2);
  show(uncut, 0, 20, 20);
  uncut.go_on(20, kLargest, from_start(20));
  show(uncut, 20, 25, 5);
  uncut.go_on(25, kLargest, from_start(25));
  CHECK(uncut.table().starts.empty());
  CHECK(std::isnan(uncut.score().nrmse_at));
  show(uncut, 25, 34, 3);
  CHECK(uncut.table().starts == std::vector<std::int64_t>{20});
  FreeRun resumed(config_of(12, 0.4), 2);
  resumed.set_state(uncut.state());
  for (FreeRun* const run : {&uncut, &resumed}) {
    show(*run, 34, 60, 26);
    run->go_on(60, kLargest, from_start(60));
    show(*run, 60, 80, 20);
  }
  CHECK(uncut.state() == resumed.state());
  CHECK(uncut.score().valid_steps == resumed.score().valid_steps);
  CHECK(uncut.table().starts == kStarts);
  CHECK_THROWS_AS(resumed.set_state(std::vector<double>(5)), ShapeError);
}

TEST_CASE("a forecast that leaves the finite numbers ends, and is an infinite error from there") {
  FreeRun run(config_of(6, 1e3), 2);
  const auto grows = [](std::span<const double> last) {
    if (last.empty()) return std::vector<double>{1.0, 1.0};
    return std::vector<double>{last[0] * 1e20, 1.0};
  };
  std::int64_t asked = 0;
  run.go_on(20, std::numeric_limits<float>::max(), [&](std::span<const double> last) {
    ++asked;
    return grows(last);
  });
  CHECK(asked == 3);  // 1, 1e20, 1e40
  run.go_on(25, kLargest, from_start(25));
  run.go_on(60, kLargest, from_start(60));
  show(run, 0, 90, 90);
  CHECK(std::isinf(run.score().nrmse_at));
  CHECK(std::isnan(run.table().prediction[2 * 2]));
  CHECK(run.table().valid_steps[0] == 1);  // 1e20 is far beyond 1e3 deviations
  CHECK(run.table().valid_steps[1] == kSteps);
}

TEST_CASE("steps whose rows are missing count for no score") {
  FreeRunConfig config = config_of(3, 0.4);
  config.starts = {20};
  FreeRun run(config, 1);
  run.go_on(20, kLargest, [](std::span<const double>) { return std::vector<double>{5.0}; });
  std::vector<double> rows;
  for (std::int64_t t = 0; t < 40; ++t) rows.push_back(t == 22 ? kNaN : t < 23 ? 5.0 : 0.0);
  run.see(0, rows);
  CHECK(std::isnan(run.score().nrmse_at));
  CHECK(run.score().valid_steps == 3.0);
  CHECK(run.table().error[0] == 0.0);
}

TEST_CASE("a series that never changes has no free run to be told of") {
  FreeRunConfig config = config_of(3, 0.4);
  FreeRun run(config, 1);
  run.see(0, std::vector<double>(90, 2.0));
  CHECK(std::isnan(run.score().valid_steps));
}

TEST_CASE("a copy of a hierarchy reads on from where the hierarchy stands, and leaves it there") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    HierarchyManager hierarchy;
    HierarchicalLevel level(0, 2, 6);
    level.add_layer(TemporalLayer(
        2, 6, {.leak = 0.7, .bias_scale = 0.3, .dtype = dtype, .random = RandomStream(5)}));
    hierarchy.add_level(std::move(level));
    HierarchyManager twin = hierarchy.clone();
    std::vector<double> rows;
    for (std::int64_t t = 0; t < 30; ++t) {
      const std::vector<double> row = came_at(t);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    const Array x = from_values(rows, {1, 30, 2}).astype(dtype);
    hierarchy.process_block(x.slice(1, 0, 17), {.learn = false});
    FreeHierarchy reader(hierarchy, 1);
    const HierarchyBlock whole = twin.process_block(x, {.learn = false});
    for (std::int64_t t = 17; t < 30; ++t) {
      const HierarchyBlock block = reader.read(x[0].slice(0, t, t + 1));
      REQUIRE(block.levels.size() == 2);
      CHECK(block.first_step == t);
      const std::vector<double> shown = block.levels[1].ticks.to_vector<double>();
      const std::vector<double> expected =
          whole.levels[0].ticks[0].slice(0, t, t + 1).to_vector<double>();
      for (std::size_t i = 0; i < shown.size(); ++i) {
        CHECK(shown[i] == Approx(expected[i]).margin(dtype == DType::float32 ? 1e-6 : 1e-14));
      }
    }
    CHECK(hierarchy.step() == 17);
  }
}

}  // namespace
}  // namespace gaia
