// SPDX-License-Identifier: MIT
#include "../../src/formulas/pooling.h"

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/hierarchy/temporal_pool.h"
#include "../reference/hierarchy_reference.h"
#include "../support/catch.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr Pooling kPoolings[] = {Pooling::last, Pooling::mean, Pooling::max, Pooling::ema,
                                 Pooling::concat};
constexpr std::int64_t kStreams = 2;
constexpr std::int64_t kFeatures = 3;

/// The ticks of a source in [first, first + steps): row k of stream b is b + its step, and more.
Array source_ticks(std::int64_t first, std::int64_t steps, std::int64_t resolution) {
  const Array all = random_normal({kStreams, 200, kFeatures}, 0.0, 1.0, DType::float64, {2, 3});
  return all.slice(1, next_tick(first, resolution), first + steps, resolution);
}

/// What a level reads at its ticks in [first, first + steps), by going through all steps.
StreamRows expected_inputs(Pooling pooling, std::int64_t resolution, std::int64_t source_resolution,
                           std::int64_t first, std::int64_t steps) {
  const Array source = source_ticks(first, steps, source_resolution);
  LevelReference level(resolution, pooling, 1);
  StreamRows held(kStreams, Row(kFeatures));
  StreamRows inputs(kStreams);  // all ticks of a stream behind one another
  std::int64_t tick = 0;
  for (std::int64_t t = first; t < first + steps; ++t) {
    if (t % source_resolution == 0) {
      for (std::int64_t b = 0; b < kStreams; ++b) {
        held[static_cast<std::size_t>(b)] = to_row(source[b][tick]);
      }
      ++tick;
    }
    const StreamRows shown = level.read(t, held, false);
    if (t % resolution != 0) continue;
    for (std::size_t b = 0; b < kStreams; ++b) {
      inputs[b].insert(inputs[b].end(), shown[b].begin(), shown[b].end());
    }
  }
  return inputs;
}

double distance(const Array& found, const StreamRows& expected) {
  Real difference = 0;
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const Row row = to_row(found[static_cast<std::int64_t>(b)]);
    if (row.size() != expected[b].size()) return INFINITY;
    for (std::size_t k = 0; k < row.size(); ++k) {
      difference = std::max(difference, std::abs(row[k] - expected[b][k]));
    }
  }
  return static_cast<double>(difference);
}

}  // namespace

TEST_CASE("Names of poolings lead back to what they name") {
  for (const Pooling pooling : kPoolings) CHECK(pooling_from_name(to_string(pooling)) == pooling);
  CHECK_THROWS_WITH_TEXT(pooling_from_name("avg"), ArgumentError,
                         "known: last, mean, max, ema, concat");
}

TEST_CASE("Ticks are the multiples of the resolution") {
  for (std::int64_t resolution = 1; resolution <= 5; ++resolution) {
    for (std::int64_t first = 0; first <= 11; ++first) {
      for (std::int64_t steps = 0; steps <= 11; ++steps) {
        std::int64_t count = 0;
        for (std::int64_t t = first; t < first + steps; ++t) count += t % resolution == 0;
        CHECK(count_ticks(first, steps, resolution) == count);
      }
      std::int64_t next = first;
      while (next % resolution != 0) ++next;
      CHECK(next_tick(first, resolution) == next);
    }
  }
}

TEST_CASE("Every pooling reads the steps of its window, as far as they exist, wherever it starts") {
  for (const Pooling pooling : kPoolings) {
    for (const std::int64_t resolution : {1, 2, 3, 5, 8}) {
      for (const std::int64_t source_resolution : {1, 2, 3, 4, 7}) {
        for (const std::int64_t first : {0, 1, 5, 8, 30}) {
          const StreamRows expected =
              expected_inputs(pooling, resolution, source_resolution, first, 40);
          TemporalPool pool(pooling, resolution);
          const Array held = zeros({kStreams, kFeatures}, DType::float64);
          const Array inputs = pool.process(source_ticks(first, 40, source_resolution),
                                            source_resolution, first, 40, held);
          INFO(to_string(pooling) << " over " << resolution << " of " << source_resolution
                                  << ", from step " << first);
          CHECK(inputs.shape(1) == count_ticks(first, 40, resolution));
          CHECK(inputs.shape(2) == pool.output_size(kFeatures));
          CHECK(distance(inputs, expected) <= 1e-14);
        }
      }
    }
  }
}

TEST_CASE("A window may be cut anywhere") {
  for (const Pooling pooling : kPoolings) {
    for (const auto& [resolution, source_resolution] :
         {std::pair<std::int64_t, std::int64_t>{3, 1}, {5, 2}, {4, 6}, {1, 3}}) {
      const std::int64_t first = 4;
      const StreamRows expected =
          expected_inputs(pooling, resolution, source_resolution, first, 30);
      for (std::int64_t cut = 0; cut <= 30; ++cut) {
        TemporalPool pool(pooling, resolution);
        const Array held = zeros({kStreams, kFeatures}, DType::float64);
        std::vector<Array> inputs;
        for (const auto& [start, steps] : {std::pair{first, cut}, {first + cut, 30 - cut}}) {
          inputs.push_back(pool.process(source_ticks(start, steps, source_resolution),
                                        source_resolution, start, steps, held));
        }
        INFO(to_string(pooling) << " over " << resolution << " of " << source_resolution << ", cut "
                                << cut);
        CHECK(distance(concatenate(inputs, 1), expected) <= 1e-14);
      }
    }
  }
}

TEST_CASE("After a jump, and after a reset, a window starts anew") {
  for (const Pooling pooling : kPoolings) {
    const StreamRows expected = expected_inputs(pooling, 4, 1, 10, 20);
    const Array held = zeros({kStreams, kFeatures}, DType::float64);
    TemporalPool pool(pooling, 4);
    pool.process(source_ticks(0, 6, 1), 1, 0, 6, held);
    INFO(to_string(pooling));
    CHECK(distance(pool.process(source_ticks(10, 20, 1), 1, 10, 20, held), expected) <= 1e-14);
    pool.reset();
    CHECK(distance(pool.process(source_ticks(10, 20, 1), 1, 10, 20, held), expected) <= 1e-14);
  }
}

TEST_CASE("Maximum pooling lets NaN through") {
  const Array source = array({{1}, {2}, {3}, {0}, {1}}, DType::float64).expand_dims(0);
  source.slice(1, 2, 3).fill(std::nan(""));
  TemporalPool pool(Pooling::max, 4);
  const Array inputs = pool.process(source, 1, 0, 5, zeros({1, 1}, DType::float64));
  CHECK(inputs.item({0, 0, 0}) == 1.0);
  CHECK(std::isnan(inputs.item({0, 1, 0})));
}

TEST_CASE("A pool refuses a resolution below one step") {
  CHECK_THROWS_WITH_TEXT(TemporalPool(Pooling::mean, 0), ArgumentError,
                         "temporal_resolution must be at least 1 step, got 0");
}
