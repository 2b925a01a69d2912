// SPDX-License-Identifier: MIT
/// \file
/// Levels that tick at a phase: steps of ticks, held rows, pieces of a series, states, streams,
/// replicas, and what they hear from levels above.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/random_arrays.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/hierarchy/replicas.h"
#include "../../src/hierarchy/temporal_pool.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/temporal.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "top_down_reference.h"

using namespace gaia;
using namespace test;

namespace {

HierarchyManager phased() {
  HierarchyManager hierarchy;
  HierarchicalLevel fast(0, 3, 2, 2, {.pooling = Pooling::mean, .phase = 1});
  fast.add_layer(
      HebbianLayer(3, 2, {.rule = OjaRule{}, .dtype = DType::float64, .random = {1, 1}}));
  HierarchicalLevel slow(1, 6, 2, 5, {.pooling = Pooling::legendre, .legendre = 3, .phase = 3});
  slow.add_layer(
      HebbianLayer(6, 2, {.rule = OjaRule{}, .dtype = DType::float64, .random = {1, 2}}));
  hierarchy.add_level(std::move(fast));
  hierarchy.add_level(std::move(slow));
  return hierarchy;
}

/// Temporal layers that learn, each at a phase; replica number `seed`.
HierarchyManager phased_reservoirs(std::uint64_t seed, DType dtype) {
  HierarchyManager hierarchy;
  HierarchicalLevel fast(0, 3, 4, 2, {.pooling = Pooling::mean, .phase = 1});
  PlasticityRule excitability = rule_from_name("intrinsic_plasticity");
  learning_rate_of(excitability) = 0.01 * static_cast<double>(seed + 1);
  fast.add_layer(TemporalLayer(3, 4,
                               {.leak = 0.5,
                                .input_rule = excitability,
                                .recurrent_rule = HebbRule{.learning_rate = 0.01, .decay = 0.02},
                                .hold_spectral_radius = 5,
                                .time_window = 3,
                                .dtype = dtype,
                                .random = {seed + 1, 1}}));
  HierarchicalLevel slow(1, 8, 2, 5, {.pooling = Pooling::legendre, .legendre = 2, .phase = 3});
  slow.add_layer(TemporalLayer(
      8, 2,
      {.input_rule = OjaRule{.learning_rate = 0.02}, .dtype = dtype, .random = {seed + 1, 2}}));
  hierarchy.add_level(std::move(fast));
  hierarchy.add_level(std::move(slow));
  return hierarchy;
}

/// A level at a phase that hears one above at another, and what plain loops make of both.
struct Talk {
  TopDownOptions::As as = TopDownOptions::As::gain;
  bool by_text = false;
  std::size_t resolution = 1, phase = 0;              // of the level that hears
  std::size_t resolution_above = 4, phase_above = 1;  // of the level that sends
  std::int64_t delay = 1;
  std::int64_t streams = 1;

  std::string text() const {
    return to_string(as) + (by_text ? " by a text" : "") + ", every " + std::to_string(resolution) +
           " from " + std::to_string(phase) + " hears every " + std::to_string(resolution_above) +
           " from " + std::to_string(phase_above) + ", delay " + std::to_string(delay) + ", " +
           std::to_string(streams) + " streams";
  }
};

constexpr double kRateOfW = 0.02;
constexpr double kRateOfV = 0.03;

HierarchyManager talking(const Talk& talk) {
  TopDownOptions above{.from = 1, .as = talk.as, .learning_rate = kRateOfV, .delay = talk.delay};
  if (talk.as == TopDownOptions::As::gain) above.target = {"wish"};
  PlasticityRule rule = OjaRule{.learning_rate = kRateOfW};
  if (talk.by_text) {
    rule = EquationRule(
        "y = z*(1 + td) + 0.3*plain - 0.2*a\na = a + (y - a)/10\ndw = rate*y*(x - y*w)",
        {.parameters = {{"rate", kRateOfW}}, .hears_above = true});
  }
  HierarchyManager hierarchy;
  HierarchicalLevel low(0, 3, 4, static_cast<std::int64_t>(talk.resolution),
                        {.pooling = Pooling::mean, .phase = static_cast<std::int64_t>(talk.phase)});
  low.add_layer(HebbianLayer(
      3, 4,
      {.rule = rule, .chunk = 8, .top_down = above, .dtype = DType::float64, .random = {2, 1}}));
  HierarchicalLevel high(
      1, 4, 2, static_cast<std::int64_t>(talk.resolution_above),
      {.pooling = Pooling::mean, .phase = static_cast<std::int64_t>(talk.phase_above)});
  high.add_layer(HebbianLayer(4, 2,
                              {.rule = OjaRule{.learning_rate = kRateOfW},
                               .chunk = 8,
                               .dtype = DType::float64,
                               .random = {2, 2}}));
  hierarchy.add_level(std::move(low));
  hierarchy.add_level(std::move(high));
  return hierarchy;
}

Rows rows_shown(const Array& matrix) {
  Rows rows;
  for (std::int64_t i = 0; i < matrix.shape(0); ++i) {
    rows.push_back(matrix[i].to_vector<double>());
  }
  return rows;
}

test::TopDownReference loops_of(const Talk& talk, HierarchyManager& hierarchy) {
  test::TopDownReference loops;
  for (const int id : {0, 1}) {
    test::TopDownReferenceLevel level;
    level.resolution = id == 0 ? talk.resolution : talk.resolution_above;
    level.phase = id == 0 ? talk.phase : talk.phase_above;
    level.rate = kRateOfW;
    level.by_text = id == 0 && talk.by_text;
    level.w = rows_shown(hierarchy.arrays(id, 0).front().value);
    loops.levels.push_back(std::move(level));
  }
  test::TopDownReferenceAbove& above = loops.levels[0].above.emplace();
  above.as = to_string(talk.as);
  above.delay = static_cast<std::size_t>(talk.delay);
  above.rate = kRateOfV;
  loops.begin_trial(static_cast<std::size_t>(talk.streams));
  return loops;
}

double far_apart(const Rows& a, const Rows& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].size() == b[i].size());
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      REQUIRE(std::isfinite(a[i][j]));
      largest = std::max(largest, std::abs(a[i][j] - b[i][j]) / std::max(1.0, std::abs(b[i][j])));
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("Levels at a phase tick there, show zeros before, and are the same in pieces") {
  const Array data = random_normal({30, 3}, 0.0, 1.0, DType::float64, {4, 4});
  HierarchyManager whole = phased();
  const auto all = whole.process_hierarchy(data);
  CHECK(all.at(0).tick_steps().to_vector<double>().front() == 1.0);
  CHECK(all.at(1).tick_steps().to_vector<double>() == std::vector<double>{3, 8, 13, 18, 23, 28});
  const Array expanded = all.at(1).expanded();
  REQUIRE(expanded.shape() == Shape{30, 2});
  for (std::int64_t t = 0; t < 30; ++t) {
    INFO("step " << t);
    const std::vector<double> held =
        t < 3 ? std::vector<double>(2, 0.0) : all.at(1).ticks[(t - 3) / 5].to_vector<double>();
    CHECK(expanded[t].to_vector<double>() == held);
  }
  for (const std::int64_t cut : {1, 2, 3, 4, 9, 29}) {
    HierarchyManager pieces = phased();
    const auto first = pieces.process_hierarchy(data.slice(0, 0, cut));
    HierarchyManager twin = phased();
    twin.allocate_state(1, 3, DType::float64);
    ArrayMap state;
    for (const NamedArray& array : pieces.state()) state.emplace(array.name, array.value.copy());
    twin.set_state(state, cut);
    const auto second = pieces.process_hierarchy(data.slice(0, cut, 30));
    const auto again = twin.process_hierarchy(data.slice(0, cut, 30));
    for (const int id : {0, 1}) {
      INFO("cut " << cut << ", level " << id);
      CHECK(again.at(id).ticks.to_vector<double>() == second.at(id).ticks.to_vector<double>());
      // Chunks end where blocks do, and sums round.
      CHECK(far_apart(rows_shown(concatenate({first.at(id).ticks, second.at(id).ticks}, 0)),
                      rows_shown(all.at(id).ticks)) < 1e-12);
    }
  }
}

TEST_CASE("A level at a phase hears one above at a phase as plain loops do") {
  using As = TopDownOptions::As;
  const std::vector<Talk> talks = {
      {.phase_above = 3},
      {.phase_above = 1, .delay = 2, .streams = 3},
      {.as = As::bias, .resolution_above = 16, .phase_above = 15},
      {.as = As::bias, .resolution = 2, .phase = 1, .resolution_above = 4, .phase_above = 2},
      {.resolution = 3, .phase = 2, .resolution_above = 5, .phase_above = 1, .streams = 3},
      {.by_text = true, .phase_above = 3},
      {.by_text = true,
       .resolution = 2,
       .phase = 1,
       .resolution_above = 7,
       .phase_above = 4,
       .delay = 2,
       .streams = 3},
  };
  constexpr std::int64_t steps = 90;
  for (const Talk& talk : talks) {
    INFO(talk.text());
    const Array x = random_normal({talk.streams, steps, 3}, 0.3, 1.0, DType::float64, {8, 1});
    const Array wish = random_normal({talk.streams, steps}, 0.5, 1.0, DType::float64, {8, 2});
    HierarchyManager whole = talking(talk);
    test::TopDownReference loops = loops_of(talk, whole);
    for (std::int64_t t = 0; t < steps; ++t) {
      Rows samples;
      Rows wished;
      for (std::int64_t b = 0; b < talk.streams; ++b) {
        samples.push_back(x[b][t].to_vector<double>());
        wished.push_back({wish.item({b, t})});
      }
      loops.step(samples, wished);
    }
    // At once, and in blocks that end anywhere between two ticks.
    for (const std::int64_t length : {steps, std::int64_t{7}}) {
      INFO("blocks of " << length);
      HierarchyManager hierarchy = talking(talk);
      const auto shown =
          hierarchy.process_hierarchy(x, -1, {.block_steps = length, .signals = {{"wish", wish}}});
      for (const int id : {0, 1}) {
        const auto& level = loops.levels[static_cast<std::size_t>(id)];
        for (std::int64_t b = 0; b < talk.streams; ++b) {
          CHECK(far_apart(rows_shown(shown.at(id).ticks[b]),
                          level.ticks[static_cast<std::size_t>(b)]) < 1e-10);
        }
        CHECK(far_apart(rows_shown(hierarchy.arrays(id, 0).front().value), level.w) < 1e-10);
      }
      const Rows map = rows_shown(hierarchy.level(0).top_down()->weights());
      CHECK(far_apart(map, loops.levels[0].above->v) < 1e-10);
      // A map that had learnt nothing would not tell; nor would a phase that changes nothing.
      CHECK(far_apart(map, Rows(map.size(), Numbers(map[0].size(), 0.0))) > 1e-3);
    }
    Talk other = talk;
    other.phase_above = (talk.phase_above + 1) % talk.resolution_above;
    HierarchyManager hierarchy = talking(other);
    hierarchy.process_hierarchy(x, -1, {.signals = {{"wish", wish}}});
    CHECK(far_apart(rows_shown(hierarchy.level(0).top_down()->weights()),
                    loops.levels[0].above->v) > 1e-6);
  }
}

TEST_CASE("Streams at a phase show what each shows alone where nothing learns") {
  const Array data = random_normal({3, 31, 3}, 0.0, 1.0, DType::float64, {4, 5});
  for (const auto& make : std::vector<std::function<HierarchyManager()>>{
           phased, [] { return phased_reservoirs(0, DType::float64); }}) {
    HierarchyManager together = make();
    const auto all = together.process_hierarchy(data, -1, {.learn = false});
    for (std::int64_t b = 0; b < 3; ++b) {
      HierarchyManager alone = make();
      const auto one = alone.process_hierarchy(data[b], -1, {.learn = false});
      for (const int id : {0, 1}) {
        INFO("stream " << b << ", level " << id);
        CHECK(far_apart(rows_shown(all.at(id).ticks[b]), rows_shown(one.at(id).ticks)) < 1e-12);
        CHECK(far_apart(rows_shown(all.at(id).expanded()[b]), rows_shown(one.at(id).expanded())) <
              1e-12);
      }
    }
  }
}

DEVICE_TEST_CASE("Replicas of temporal layers that learn, at a phase, do what each does alone") {
  for (const DType dtype : {DType::float64, DType::float32}) {
    for (const Shape& shape : {Shape{33, 3}, Shape{3, 33, 3}, Shape{3, 2, 33, 3}}) {
      const Array data = random_normal(shape, 0.1, 0.7, dtype, {7, 7}).to(current_device());
      std::vector<HierarchyManager> together;
      std::vector<HierarchyManager> alone;
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        together.push_back(phased_reservoirs(seed, dtype));
        alone.push_back(phased_reservoirs(seed, dtype));
      }
      const auto made = process_replicas(together, data, -1, {.learn = true, .block_steps = 8});
      for (std::int64_t r = 0; r < 3; ++r) {
        HierarchyManager& one = alone[static_cast<std::size_t>(r)];
        const auto expected = one.process_hierarchy(shape.rank() == 2 ? data : data[r], -1,
                                                    {.learn = true, .block_steps = 8});
        INFO("replica " << r << ", data " << to_string(shape));
        for (const int id : {0, 1}) {
          CHECK(made.at(id).phase == expected.at(id).phase);
          CHECK(made.at(id).ticks[r].to_vector<double>() ==
                expected.at(id).ticks.to_vector<double>());
          CHECK(made.at(id).expanded()[r].to_vector<double>() ==
                expected.at(id).expanded().to_vector<double>());
        }
        const auto mine = together[static_cast<std::size_t>(r)].state();
        const auto theirs = one.state();
        REQUIRE(mine.size() == theirs.size());
        for (std::size_t i = 0; i < mine.size(); ++i) {
          INFO(mine[i].name);
          CHECK(mine[i].value.to_vector<double>() == theirs[i].value.to_vector<double>());
        }
      }
    }
  }
}

TEST_CASE("Every pooling reads at a phase what plain loops read, on each device") {
  constexpr std::int64_t steps = 23;
  constexpr std::int64_t r = 5;
  const TickTimes below(2, 1);  // what is read, which shows zeros before its first tick
  const Array shown =
      random_normal({2, count_ticks(0, steps, 2, 1), 3}, 0.3, 1.0, DType::float64, {5, 5});
  const std::vector<double> rows = legendre_rows(2, r);
  test::on_each_device([&] {
    for (const Pooling pooling : {Pooling::last, Pooling::mean, Pooling::max, Pooling::ema,
                                  Pooling::concat, Pooling::legendre}) {
      for (const std::int64_t phase : {0, 3, 4}) {
        for (const std::int64_t length : {1, 4, 23}) {
          INFO(to_string(pooling) << ", phase " << phase << ", blocks of " << length);
          TemporalPool pool(pooling, r, 2, phase);
          const Array held = zeros({2, 3}, DType::float64);
          std::vector<Array> parts;
          for (std::int64_t first = 0; first < steps; first += length) {
            const std::int64_t count = std::min(length, steps - first);
            const std::int64_t row = count_ticks(0, first, 2, 1);
            const Array here =
                shown.slice(1, row, row + count_ticks(first, count, 2, 1)).to(current_device());
            parts.push_back(pool.process(here, below, first, count, held).copy());
          }
          const Array found = concatenate(parts, 1);
          for (std::int64_t b = 0; b < 2; ++b) {
            Rows window;  // of all steps so far
            Numbers smooth(3, 0.0);
            Rows expected;
            for (std::int64_t t = 0; t < steps; ++t) {
              window.push_back(t == 0 ? Numbers(3, 0.0)
                                      : shown[b][(t - 1) / 2].to_vector<double>());
              for (std::size_t i = 0; i < 3; ++i) {
                const double x = window.back()[i];
                smooth[i] = t == 0 ? x : smooth[i] + (x - smooth[i]) / static_cast<double>(r);
              }
              if ((t - phase) % r != 0) continue;
              const std::int64_t there = std::min(r, t + 1);
              Numbers made;
              const auto at = [&](std::int64_t k, std::size_t i) {  // k of r, the oldest first
                return k < r - there ? 0.0 : window[static_cast<std::size_t>(t - r + 1 + k)][i];
              };
              const bool is_list = pooling == Pooling::concat || pooling == Pooling::legendre;
              const std::int64_t blocks = pooling == Pooling::concat ? r : is_list ? 2 : 1;
              for (std::int64_t part = 0; part < blocks; ++part) {
                for (std::size_t i = 0; i < 3; ++i) {
                  double sum = 0.0;
                  double largest = at(r - 1, i);
                  double product = 0.0;
                  for (std::int64_t k = 0; k < r; ++k) {
                    sum += at(k, i);
                    if (k >= r - there) largest = std::max(largest, at(k, i));
                    const auto place =
                        static_cast<std::size_t>(std::min<std::int64_t>(part, 1) * r + k);
                    product += rows[place] * at(k, i);
                  }
                  made.push_back(pooling == Pooling::last       ? at(r - 1, i)
                                 : pooling == Pooling::mean     ? sum / static_cast<double>(there)
                                 : pooling == Pooling::max      ? largest
                                 : pooling == Pooling::ema      ? smooth[i]
                                 : pooling == Pooling::legendre ? product
                                                                : at(part, i));
                }
              }
              expected.push_back(made);
            }
            CHECK(far_apart(rows_shown(found[b]), expected) < 1e-12);
          }
        }
      }
    }
  });
}
