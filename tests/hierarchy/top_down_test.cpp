// SPDX-License-Identifier: MIT
// Levels that hear a level above, held against plain loops.
#include <cmath>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/random_arrays.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/hierarchy/replicas.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "top_down_reference.h"

using namespace gaia;

namespace {

using As = TopDownOptions::As;
using test::Rows;

/// Parts of a case; level `levels` - 1 sends to level 0, and of four the last to level 1
/// too.
struct Case {
  As as = As::gain;
  std::size_t levels = 2;
  std::int64_t resolution = 4;  ///< Resolution of the level that sends.
  std::int64_t delay = 1;
  std::int64_t streams = 1;
  bool bias = true;
  bool target_of_each = false;  ///< A column for each neuron.
  Activation activation = Activation::linear;
  bool by_text = false;  ///< Level 0 learns by kText.

  std::string text() const {
    return to_string(as) + ", " + std::to_string(levels) + " levels, resolution " +
           std::to_string(resolution) + ", delay " + std::to_string(delay) + ", " +
           std::to_string(streams) + " streams, " + to_string(activation) +
           (by_text ? ", by a text" : "");
  }
};

/// What test::TopDownReferenceLevel::by_text says.
EquationRule text_rule() {
  return EquationRule(
      "y = z*(1 + td) + 0.3*plain - 0.2*a\n"
      "a = a + (y - a)/10\n"
      "dw = rate*y*(x - y*w)",
      {.parameters = {{"rate", 0.02}}, .hears_above = true});
}

constexpr std::int64_t kFeatures = 5;
constexpr std::int64_t kNeurons = 4;

std::int64_t neurons_of(std::size_t level) { return kNeurons - (level == 0 ? 0 : 1); }
std::int64_t resolution_of(const Case& one, std::size_t level) {
  return level == 0                ? 1
         : level + 1 == one.levels ? one.resolution
                                   : std::min<std::int64_t>(2, one.resolution);
}
double rate_of(std::size_t level) { return level == 0 ? 0.02 : 0.05; }
constexpr double kRateOfMap = 0.03;

std::optional<TopDownOptions> top_down_of(const Case& one, std::size_t level) {
  const bool second = one.levels == 4 && level == 1;
  if (level != 0 && !second) return std::nullopt;
  TopDownOptions options{.from = static_cast<std::int64_t>(one.levels) - 1,
                         .as = second ? As::bias : one.as,
                         .learning_rate = kRateOfMap,
                         .delay = one.delay,
                         .bias = one.bias};
  if (options.as == As::gain) options.target = {"wish"};
  if (options.as == As::gain && one.target_of_each) {
    options.target = {"wish0", "wish1", "wish2", "wish3"};
  }
  return options;
}

Activation activation_of(const Case& one, std::size_t level) {
  return level == 0 ? one.activation : Activation::linear;
}

PlasticityRule rule_of(const Case& one, std::size_t level) {
  if (one.by_text && level == 0) return text_rule();
  return OjaRule{.learning_rate = rate_of(level)};
}

HierarchyManager hierarchy_of(const Case& one, std::uint64_t seed = 3,
                              DType dtype = DType::float64) {
  HierarchyManager hierarchy;
  std::int64_t below = kFeatures;
  for (std::size_t l = 0; l < one.levels; ++l) {
    HierarchicalLevel level(static_cast<int>(l), below, neurons_of(l), resolution_of(one, l),
                            {.pooling = Pooling::mean});
    level.add_layer(HebbianLayer(below, neurons_of(l),
                                 {.rule = rule_of(one, l),
                                  .activation = activation_of(one, l),
                                  .chunk = 8,
                                  .top_down = top_down_of(one, l),
                                  .dtype = dtype,
                                  .random = {seed, l}}));
    hierarchy.add_level(std::move(level));
    below = neurons_of(l);
  }
  return hierarchy;
}

Rows rows_of(const Array& matrix) {
  Rows rows;
  for (std::int64_t i = 0; i < matrix.shape(0); ++i) {
    rows.push_back(matrix[i].astype(DType::float64).to_vector<double>());
  }
  return rows;
}

Array weights_of(HierarchyManager& hierarchy, std::size_t level) {
  return hierarchy.arrays(static_cast<int>(level), 0).front().value;
}

test::TopDownReference reference_of(const Case& one, HierarchyManager& hierarchy) {
  test::TopDownReference reference;
  for (std::size_t l = 0; l < one.levels; ++l) {
    test::TopDownReferenceLevel level;
    level.resolution = static_cast<std::size_t>(resolution_of(one, l));
    level.rate = rate_of(l);
    level.activation = to_string(activation_of(one, l));
    level.w = rows_of(weights_of(hierarchy, l));
    level.by_text = one.by_text && l == 0;
    if (const auto options = top_down_of(one, l)) {
      level.above.emplace();
      level.above->from = static_cast<std::size_t>(options->from);
      level.above->as = to_string(options->as);
      level.above->delay = static_cast<std::size_t>(options->delay);
      level.above->bias = options->bias;
      level.above->rate = kRateOfMap;
    }
    reference.levels.push_back(std::move(level));
  }
  return reference;
}

struct Data {
  Array x;  ///< [streams, steps, features]
  TickSignals signals;
};

Data data_of(const Case& one, std::int64_t steps, std::uint64_t seed = 1) {
  Data data;
  data.x = random_normal({one.streams, steps, kFeatures}, 0.3, 1.0, DType::float64, {seed, 0});
  for (const std::string name : {"wish", "wish0", "wish1", "wish2", "wish3"}) {
    data.signals[name] = random_normal({one.streams, steps}, 0.5, 1.0, DType::float64,
                                       RandomStream::named(seed, name));
  }
  return data;
}

Data part(const Data& data, std::int64_t first, std::int64_t end) {
  Data some{data.x.slice(1, first, end), {}};
  for (const auto& [name, values] : data.signals) some.signals[name] = values.slice(1, first, end);
  return some;
}

void read(test::TopDownReference& reference, const Case& one, const Data& data) {
  const std::int64_t streams = one.streams;
  const std::vector<double> x = data.x.to_vector<double>();
  std::vector<std::string> names = {"wish"};
  if (one.target_of_each) names = {"wish0", "wish1", "wish2", "wish3"};
  for (std::int64_t t = 0; t < data.x.shape(1); ++t) {
    Rows samples, wished;
    for (std::int64_t b = 0; b < streams; ++b) {
      const auto at = static_cast<std::ptrdiff_t>((b * data.x.shape(1) + t) * kFeatures);
      samples.emplace_back(x.begin() + at, x.begin() + at + kFeatures);
      wished.emplace_back();
      for (const std::string& name : names) {
        wished.back().push_back(data.signals.at(name).item({b, t}));
      }
    }
    reference.step(samples, wished);
  }
}

/// The largest difference, relative to the largest number or 1.
double apart(const Rows& a, const Rows& b) {
  REQUIRE(a.size() == b.size());
  double largest = 1.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].size() == b[i].size());
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      largest = std::max(largest, std::abs(a[i][j]));
      difference = std::max(difference, std::abs(a[i][j] - b[i][j]));
      if (std::isnan(a[i][j]) || std::isnan(b[i][j])) difference = INFINITY;
    }
  }
  return difference / largest;
}

Array named(const TopDown& above, const std::string& name) {
  for (const NamedArray& array : above.arrays()) {
    if (array.name == name) return array.value;
  }
  FAIL("no array " << name);
  return {};
}

/// How far weights, maps and memories are apart at most.
double state_apart(HierarchyManager& hierarchy, const test::TopDownReference& reference) {
  double most = 0.0;
  for (std::size_t l = 0; l < reference.levels.size(); ++l) {
    most = std::max(most, apart(rows_of(weights_of(hierarchy, l)), reference.levels[l].w));
    if (!reference.levels[l].above) continue;
    const test::TopDownReferenceAbove& above = *reference.levels[l].above;
    const TopDown& own = *hierarchy.level(static_cast<int>(l)).top_down();
    most = std::max(most, apart(rows_of(own.weights()), above.v));
    if (above.as != "gain") continue;
    const auto streams = static_cast<std::int64_t>(above.m.size());
    const std::int64_t neurons = neurons_of(l);
    most = std::max(most, apart(rows_of(named(own, "m").reshape({streams, neurons})), above.m));
    most = std::max(most,
                    apart(rows_of(named(own, "M").reshape({streams, neurons})), above.largest_m));
  }
  return most;
}

double shown_apart(const std::map<int, LevelRepresentation>& shown,
                   const test::TopDownReference& reference) {
  double most = 0.0;
  for (std::size_t l = 0; l < reference.levels.size(); ++l) {
    const Array& ticks = shown.at(static_cast<int>(l)).ticks;
    for (std::int64_t b = 0; b < ticks.shape(0); ++b) {
      most = std::max(
          most, apart(rows_of(ticks[b]), reference.levels[l].ticks[static_cast<std::size_t>(b)]));
    }
  }
  return most;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const As as : {As::gain, As::bias, As::prior}) {
    for (const std::size_t levels : {2U, 4U}) {
      for (const std::int64_t resolution : {1, 4, 16}) {
        for (const std::int64_t delay : {1, 3}) {
          const bool odd = (resolution + delay) % 2 == 0;
          Case one{.as = as, .levels = levels, .resolution = resolution, .delay = delay};
          one.streams = odd ? 3 : 1;
          one.bias = levels == 2 || delay == 1;
          one.target_of_each = delay == 3;
          if (as == As::prior) one.activation = Activation::softmax;
          if (as == As::bias && delay == 3) one.activation = Activation::tanh;
          if (as == As::gain && levels == 4 && resolution == 4) one.activation = Activation::tanh;
          cases.push_back(one);
          if (as == As::prior) continue;  // softmax and a text that assigns y exclude each other
          one.activation = Activation::linear;
          one.by_text = true;
          cases.push_back(one);
        }
      }
    }
  }
  return cases;
}

}  // namespace

TEST_CASE("A level that hears one above does what plain loops do") {
  for (const Case& one : all_cases()) {
    INFO(one.text());
    HierarchyManager hierarchy = hierarchy_of(one);
    test::TopDownReference reference = reference_of(one, hierarchy);
    const Data data = data_of(one, 70);
    reference.begin_trial(static_cast<std::size_t>(one.streams));
    read(reference, one, data);
    const auto shown = hierarchy.process_hierarchy(data.x, -1, {.signals = data.signals});
    CHECK(shown_apart(shown, reference) < 1e-10);
    CHECK(state_apart(hierarchy, reference) < 1e-10);
    // A map that had learnt nothing would not tell.
    REQUIRE(apart(reference.levels[0].above->v,
                  Rows(static_cast<std::size_t>(kNeurons),
                       test::Numbers(reference.levels[0].above->v[0].size(), 0.0))) > 1e-3);
  }
}

TEST_CASE("A level above reads the answer without what comes from above") {
  const Case one{.resolution = 4};
  HierarchyManager hierarchy = hierarchy_of(one);
  test::TopDownReference reference = reference_of(one, hierarchy);
  test::TopDownReference mistaken = reference;
  mistaken.above_reads_shown = true;
  const Data data = data_of(one, 200);
  for (test::TopDownReference* loops : {&reference, &mistaken}) {
    loops->begin_trial(1);
    read(*loops, one, data);
  }
  const auto shown = hierarchy.process_hierarchy(data.x, -1, {.signals = data.signals});
  CHECK(shown_apart(shown, reference) < 1e-10);
  CHECK(shown_apart(shown, mistaken) > 1e-2);
}

TEST_CASE("What is heard does not depend on how a series is cut into blocks") {
  const As as = GENERATE(As::gain, As::bias, As::prior);
  Case one{.as = as, .resolution = 4, .delay = 2, .streams = 3};
  if (as == As::bias) one.by_text = GENERATE(false, true);
  if (as == As::prior) one.activation = Activation::softmax;
  const Data data = data_of(one, 60);
  HierarchyManager whole = hierarchy_of(one);
  const auto expected = whole.process_hierarchy(data.x, -1, {.signals = data.signals});
  for (const std::int64_t length : {1, 3, 4, 7, 59}) {
    INFO(length);
    HierarchyManager cut = hierarchy_of(one);
    double most = 0.0;
    for (std::int64_t first = 0; first < 60; first += length) {
      const std::int64_t end = std::min<std::int64_t>(60, first + length);
      const Data here = part(data, first, end);
      const auto shown = cut.process_hierarchy(here.x, -1, {.signals = here.signals});
      for (const auto& [id, level] : shown) {
        const Array all = expected.at(id).ticks;
        const std::int64_t row = count_ticks(0, first, level.temporal_resolution);
        for (std::int64_t b = 0; b < 3 && level.ticks.shape(1) > 0; ++b) {
          most = std::max(most, apart(rows_of(level.ticks[b]),
                                      rows_of(all[b].slice(0, row, row + level.ticks.shape(1)))));
        }
      }
    }
    CHECK(most < 1e-10);
    CHECK(apart(rows_of(cut.level(0).top_down()->weights()),
                rows_of(whole.level(0).top_down()->weights())) < 1e-10);
    // The same as blocks of one call, and step by step.
    HierarchyManager blocks = hierarchy_of(one);
    blocks.process_hierarchy(data.x, -1, {.block_steps = length, .signals = data.signals});
    CHECK(apart(rows_of(blocks.level(0).top_down()->weights()),
                rows_of(whole.level(0).top_down()->weights())) < 1e-10);
  }
  if (as == As::gain) return;  // process_time_step has no signals
  HierarchyManager steps = hierarchy_of(one);
  double most = 0.0;
  for (std::int64_t t = 0; t < 60; ++t) {
    const auto shown = steps.process_time_step(data.x.select(1, t));
    most = std::max(most, apart(rows_of(shown.at(0)), rows_of(expected.at(0).ticks.select(1, t))));
  }
  CHECK(most < 1e-10);
}

TEST_CASE("A trial begins with nothing heard, and the map goes on") {
  for (const As as : {As::gain, As::bias}) {
    const Case one{.as = as, .resolution = 4, .delay = 3, .streams = 3};
    HierarchyManager hierarchy = hierarchy_of(one);
    test::TopDownReference reference = reference_of(one, hierarchy);
    for (int trial = 0; trial < 3; ++trial) {
      const Data data = data_of(one, 37, 7 + static_cast<std::uint64_t>(trial));
      for (auto& level : reference.levels) level.ticks.clear();
      reference.begin_trial(3);
      read(reference, one, data);
      hierarchy.reset_state();
      const auto shown = hierarchy.process_hierarchy(data.x, -1, {.signals = data.signals});
      CHECK(shown_apart(shown, reference) < 1e-10);
      CHECK(state_apart(hierarchy, reference) < 1e-10);
    }
  }
}

TEST_CASE("Where nothing learns the map and its memories stay as they are, and are heard") {
  const Case one{.resolution = 4, .streams = 1};
  HierarchyManager hierarchy = hierarchy_of(one);
  test::TopDownReference reference = reference_of(one, hierarchy);
  const Data first = data_of(one, 50);
  reference.begin_trial(1);
  read(reference, one, first);
  hierarchy.process_hierarchy(first.x, -1, {.signals = first.signals});
  for (auto& level : reference.levels) level.ticks.assign(1, {});
  reference.learns = false;
  const Data second = data_of(one, 30, 5);
  read(reference, one, second);
  const auto shown = hierarchy.process_hierarchy(second.x, {.learn = false});  // without signals
  CHECK(shown_apart(shown, reference) < 1e-10);
  CHECK(state_apart(hierarchy, reference) < 1e-10);
}

TEST_CASE("A hierarchy that hears goes on from its state, its clone and after a failure") {
  const As as = GENERATE(As::gain, As::bias, As::prior);
  Case one{.as = as, .levels = 4, .resolution = 4, .delay = 2, .streams = 3};
  if (as == As::prior) one.activation = Activation::softmax;
  one.by_text = as == As::bias;
  const Data data = data_of(one, 60);
  const Data before = part(data, 0, 22);
  const Data after = part(data, 22, 60);
  HierarchyManager first = hierarchy_of(one);
  first.process_hierarchy(before.x, -1, {.signals = before.signals});
  ArrayMap kept;
  for (const NamedArray& array : first.state()) kept[array.name] = array.value.copy();
  CHECK(kept.count("levels/0/top_down/weights") == 1);
  CHECK(kept.count("levels/0/top_down/heard") == 1);
  HierarchyManager twin = first.clone();
  HierarchyManager failing = first.clone();
  const auto go_on = [&](HierarchyManager& hierarchy) {
    std::vector<std::vector<double>> bytes;
    for (const auto& [id, level] :
         hierarchy.process_hierarchy(after.x, -1, {.signals = after.signals})) {
      bytes.push_back(level.ticks.to_vector<double>());
    }
    for (const NamedArray& array : hierarchy.state()) {
      bytes.push_back(array.value.astype(DType::float64).to_vector<double>());
    }
    return bytes;
  };
  // A hierarchy that has been used, and a call that fails in its middle.
  Data bad = part(data, 22, 60);
  bad.x = bad.x.copy();
  bad.x.slice(1, 30, 32).fill(1e308);
  CHECK_THROWS_AS(failing.process_hierarchy(bad.x, -1, {.block_steps = 8, .signals = bad.signals}),
                  Error);
  const auto expected = go_on(first);
  const auto same = [](const auto& a, const auto& b) { return a == b; };
  CHECK(same(go_on(twin), expected));
  CHECK(same(go_on(failing), expected));
  HierarchyManager again = hierarchy_of(one, 9);
  again.set_state(kept, 22);
  CHECK(same(go_on(again), expected));
  // A first call that fails leaves no map behind.
  HierarchyManager fresh = hierarchy_of(one);
  CHECK_THROWS_AS(fresh.process_hierarchy(bad.x, -1, {.signals = bad.signals}), Error);
  HierarchyManager untouched = hierarchy_of(one);
  CHECK(same(go_on(fresh), go_on(untouched)));
}

TEST_CASE("Replicas hear what each hears alone, bit for bit") {
  const As as = GENERATE(As::gain, As::bias);
  const bool by_text = GENERATE(false, true);
  const Case one{.as = as, .resolution = 4, .delay = 2, .by_text = by_text};
  std::vector<HierarchyManager> together;
  std::vector<HierarchyManager> alone;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    together.push_back(hierarchy_of(one, seed));
    alone.push_back(hierarchy_of(one, seed));
  }
  const Data data = data_of(one, 40);
  for (const auto& [first, end] : {std::pair{0, 17}, std::pair{17, 40}}) {
    Data here = part(data, first, end);
    for (auto& [name, values] : here.signals) values = values[0];
    const auto made = process_replicas(together, here.x[0], -1, {.signals = here.signals});
    for (std::size_t r = 0; r < 3; ++r) {
      const auto own = alone[r].process_hierarchy(here.x[0], -1, {.signals = here.signals});
      for (const int level : {0, 1}) {
        CHECK(made.at(level).ticks[static_cast<std::int64_t>(r)].to_vector<double>() ==
              own.at(level).ticks.to_vector<double>());
      }
      CHECK(together[r].level(0).top_down()->weights().to_vector<double>() ==
            alone[r].level(0).top_down()->weights().to_vector<double>());
    }
  }
}

TEST_CASE("Silence and a random map stand in place of what is learnt") {
  const Case one{.resolution = 4};
  const Data data = data_of(one, 60);
  HierarchyManager plain = [] {
    HierarchyManager hierarchy;
    for (std::size_t l = 0; l < 2; ++l) {
      const std::int64_t below = l == 0 ? kFeatures : kNeurons;
      HierarchicalLevel level(static_cast<int>(l), below, neurons_of(l), l == 0 ? 1 : 4,
                              {.pooling = Pooling::mean});
      level.add_layer(HebbianLayer(below, neurons_of(l),
                                   {.rule = OjaRule{.learning_rate = rate_of(l)},
                                    .chunk = 8,
                                    .dtype = DType::float64,
                                    .random = {3, l}}));
      hierarchy.add_level(std::move(level));
    }
    return hierarchy;
  }();
  const auto expected = plain.process_hierarchy(data.x);
  HierarchyManager silent = hierarchy_of(one);
  silent.set_top_down(TopDownMode::silent);
  const auto hushed = silent.clone().process_hierarchy(data.x, -1, {.signals = data.signals});
  for (const int level : {0, 1}) {
    CHECK(hushed.at(level).ticks.to_vector<double>() ==
          expected.at(level).ticks.to_vector<double>());
  }
  HierarchyManager random = hierarchy_of(one);
  random.set_top_down(TopDownMode::random_map);
  const auto shown = random.process_hierarchy(data.x, -1, {.signals = data.signals});
  CHECK(shown.at(1).ticks.to_vector<double>() == expected.at(1).ticks.to_vector<double>());
  // y / p - 1 = R s / (2 |s|): at each tick the same combination of the neurons, if s is [0 0 0 1].
  const Rows y = rows_of(shown.at(0).ticks[0]);
  const Rows p = rows_of(expected.at(0).ticks[0]);
  const Rows s = rows_of(expected.at(1).ticks[0]);
  HierarchyManager keyed = [&] {
    HierarchyManager hierarchy;
    for (std::size_t l = 0; l < 2; ++l) {
      const std::int64_t below = l == 0 ? kFeatures : kNeurons;
      HierarchicalLevel level(static_cast<int>(l), below, neurons_of(l), l == 0 ? 1 : 4,
                              {.pooling = Pooling::mean});
      auto options = top_down_of(one, l);
      if (options) options->random = true;
      level.add_layer(HebbianLayer(below, neurons_of(l),
                                   {.rule = OjaRule{.learning_rate = rate_of(l)},
                                    .chunk = 8,
                                    .top_down = options,
                                    .dtype = DType::float64,
                                    .random = {3, l}}));
      hierarchy.add_level(std::move(level));
    }
    return hierarchy;
  }();
  CHECK(keyed.signal_columns().empty());
  const auto by_key = keyed.process_hierarchy(data.x);
  CHECK(by_key.at(0).ticks.to_vector<double>() == shown.at(0).ticks.to_vector<double>());
  const Rows r = rows_of(keyed.level(0).top_down()->weights());
  for (std::size_t t = 0; t < y.size(); ++t) {
    test::Numbers heard(3, 0.0);
    if (t > 0) heard = s[(t - 1) / 4];
    heard.push_back(1.0);
    double length = 0.0;
    for (const double value : heard) length += value * value;
    const test::Numbers td = test::times(r, heard);
    for (std::size_t i = 0; i < td.size(); ++i) {
      CHECK(y[t][i] == Approx(p[t][i] * (1.0 + td[i] / (2.0 * std::sqrt(length)))).epsilon(1e-10));
    }
  }
}

TEST_CASE("A schedule reaches the map") {
  const Case one{.as = As::bias, .resolution = 4};
  const Data data = data_of(one, 20);
  HierarchyManager hierarchy = hierarchy_of(one);
  hierarchy.scale_learning_rate(0.0);  // before there is a map
  hierarchy.process_hierarchy(data.x);
  CHECK(all_within(hierarchy.level(0).top_down()->weights(), 0.0));
  hierarchy.scale_learning_rate(1.0);
  hierarchy.process_hierarchy(data.x);
  CHECK_FALSE(all_within(hierarchy.level(0).top_down()->weights(), 1e-3));
  const std::vector<double> learnt = hierarchy.level(0).top_down()->weights().to_vector<double>();
  hierarchy.scale_learning_rate(0.0);
  hierarchy.process_hierarchy(data.x);
  CHECK(hierarchy.level(0).top_down()->weights().to_vector<double>() == learnt);
}

TEST_CASE("A text that reads td draws the same random numbers for both of its answers") {
  Case one{.as = As::bias, .resolution = 4};
  HierarchyManager hierarchy;
  HierarchicalLevel fast(0, kFeatures, kNeurons);
  fast.add_layer(HebbianLayer(
      kFeatures, kNeurons,
      {.rule = EquationRule("y = z + td + normal() + 0.1*learning\ndw = rate*y*(x - y*w)",
                            {.parameters = {{"rate", 0.01}}, .hears_above = true}),
       .top_down = top_down_of(one, 0),
       .dtype = DType::float64,
       .random = {1, 0}}));
  HierarchicalLevel slow(1, kNeurons, 3, 4);
  slow.add_layer(HebbianLayer(
      kNeurons, 3,
      {.rule = OjaRule{.learning_rate = 0.01}, .dtype = DType::float64, .random = {1, 1}}));
  hierarchy.add_level(std::move(fast));
  hierarchy.add_level(std::move(slow));
  HierarchyManager silent = hierarchy.clone();
  silent.set_top_down(TopDownMode::silent);
  const Data data = data_of(one, 12);
  for (std::int64_t t = 0; t < 12; ++t) {
    const Array x = data.x.slice(1, t, t + 1);
    const LevelBlock hushed = silent.process_block(x).levels[0];
    CHECK(hushed.ticks.to_vector<double>() == hushed.plain.to_vector<double>());
    const Array weights = weights_of(hierarchy, 0).copy();
    const LevelBlock heard = hierarchy.process_block(x).levels[0];
    const Array td = heard.ticks - heard.plain;
    // td is what the map makes of what level 1 showed before: 0 at first, not later.
    CHECK(all_within(td, 0.0) == (t == 0));
  }
}

TEST_CASE("What cannot hear says why") {
  const auto layer = [](const HebbianOptions& options) { return HebbianLayer(3, 2, options); };
  const TopDownOptions bias{.from = 1, .as = As::bias};
  CHECK_THROWS_WITH_TEXT(layer({.rule = OjaRule{}, .top_down = TopDownOptions{.from = 1}}),
                         ArgumentError, "[top_down] target: a gain learns");
  TopDownOptions needless = bias;
  needless.target = {"wish"};
  CHECK_THROWS_WITH_TEXT(layer({.rule = OjaRule{}, .top_down = needless}), ArgumentError,
                         "only a gain learns from a target");
  CHECK_THROWS_WITH_TEXT(
      layer({.rule = OjaRule{}, .top_down = TopDownOptions{.from = 1, .as = As::prior}}),
      ArgumentError, "needs activation: softmax; got linear");
  TopDownOptions late = bias;
  late.delay = 0;
  CHECK_THROWS_WITH_TEXT(layer({.rule = OjaRule{}, .top_down = late}), ArgumentError,
                         "delay must be 1 to");
  CHECK_THROWS_WITH_TEXT(
      layer({.rule = OjaRule{}, .top_down = TopDownOptions{.from = 1, .target = {"a", "b", "c"}}}),
      ArgumentError, "target has 3 columns, one for each of 2 neurons");
  CHECK_THROWS_WITH_TEXT(EquationRule("y = td"), EquationError,
                         "'td' is there only for a layer that hears a level above");
  CHECK_THROWS_WITH_TEXT(EquationRule("y = plain"), EquationError,
                         "'plain' is there only for a layer that hears a level above");
  CHECK_NOTHROW(EquationRule("dw = plain*x", {.parameters = {{"plain", 1.0}}}));
  CHECK_THROWS_WITH_TEXT(
      EquationRule("y = td\ndw = plain*x", {.parameters = {{"plain", 1.0}}, .hears_above = true}),
      EquationError, "'plain' is a name of the language itself under top_down");
  CHECK_THROWS_WITH_TEXT(EquationRule("y = plain", {.hears_above = true}), EquationError,
                         "'td' is not");
  CHECK_THROWS_WITH_TEXT(EquationRule("td = z\ny = td", {.hears_above = true}), EquationError,
                         "'td' is a signal and cannot be assigned");
  CHECK_THROWS_WITH_TEXT(layer({.rule = text_rule()}), ArgumentError, "give the layer a top_down");
  CHECK_THROWS_WITH_TEXT(
      layer(
          {.rule = EquationRule("y = z/2\ndw = 0.1*y*x", {.hears_above = true}), .top_down = bias}),
      ArgumentError, "the equations assign y, and top_down as bias");

  HierarchicalLevel level(0, 3, 2);
  level.add_layer(layer({.rule = OjaRule{}, .top_down = bias}));
  CHECK_THROWS_WITH_TEXT(level.add_layer(HebbianLayer(2, 2)), ArgumentError,
                         "the last layer of a level alone");
  HierarchyManager hierarchy;
  hierarchy.add_level(std::move(level));
  const Array x = zeros({4, 3});
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(x), ArgumentError,
                         "level 0 hears level 1 (top_down.from), which is none above it");
  HierarchicalLevel above(1, 2, 2, 2);
  above.add_layer(HebbianLayer(2, 2, {.rule = OjaRule{}}));
  hierarchy.add_level(std::move(above));
  hierarchy.process_hierarchy(x);
  hierarchy.remove_level(1);
  HierarchicalLevel other(1, 2, 4, 2);
  other.add_layer(HebbianLayer(2, 4, {.rule = OjaRule{}}));
  hierarchy.add_level(std::move(other));
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(x), ShapeError,
                         "level 0] hears 2 numbers from level 1, which now shows 4");
}

TEST_CASE("The map learns by any rule of the catalogue, and by a text") {
  Case one{.as = As::bias, .resolution = 4};
  const Data data = data_of(one, 50);
  const auto learnt_by = [&](const TopDownOptions& options) {
    HierarchyManager hierarchy;
    HierarchicalLevel fast(0, kFeatures, kNeurons);
    fast.add_layer(HebbianLayer(kFeatures, kNeurons,
                                {.rule = OjaRule{.learning_rate = 0.02},
                                 .top_down = options,
                                 .dtype = DType::float64,
                                 .random = {3, 0}}));
    HierarchicalLevel slow(1, kNeurons, 3, 4, {.pooling = Pooling::mean});
    slow.add_layer(HebbianLayer(
        kNeurons, 3,
        {.rule = OjaRule{.learning_rate = 0.05}, .dtype = DType::float64, .random = {3, 1}}));
    hierarchy.add_level(std::move(fast));
    hierarchy.add_level(std::move(slow));
    hierarchy.process_hierarchy(data.x, -1, {.signals = data.signals});
    return rows_of(hierarchy.level(0).top_down()->weights());
  };
  const auto text = [](const std::string& equations, const std::string& from) {
    return EquationRule(equations, {.parameters = {{"rate", 0.03}}, .signals = {{"told", {from}}}});
  };
  TopDownOptions usual{.from = 1, .as = As::bias, .learning_rate = 0.03};
  TopDownOptions written = usual;
  written.rule = text("dw = rate*(told - z)*x", "plain");
  CHECK(apart(learnt_by(written), learnt_by(usual)) < 1e-12);
  // The drive of linear neurons is the plain answer, and the answer that with td.
  written.rule = text("dw = rate*(told - z)*x", "drive");
  CHECK(apart(learnt_by(written), learnt_by(usual)) < 1e-12);
  written.rule = text("dw = rate*(told - 2*y)*x", "answer");
  CHECK(apart(learnt_by(written), learnt_by(usual)) < 1e-12);
  TopDownOptions gain{.from = 1, .learning_rate = 0.03, .target = {"wish"}};
  written = gain;
  written.rule = text("dw = rate*(told - z)*x", "wanted");
  CHECK(apart(learnt_by(written), learnt_by(gain)) < 1e-12);
  // A column, and rules that are told nothing.
  written = {.from = 1, .rule = text("dw = rate*(told - z)*x", "wish")};
  CHECK_FALSE(apart(learnt_by(written), learnt_by(gain)) < 1e-3);
  for (const char* const name : {"hebbian", "oja", "bcm", "sanger"}) {
    INFO(name);
    TopDownOptions by_name = usual;
    by_name.rule = rule_from_name(name);
    // V begins at 0, and so does what it answers: these never begin to learn.
    CHECK(apart(learnt_by(by_name), Rows(kNeurons, test::Numbers(4, 0.0))) == 0.0);
  }
  TopDownOptions by_name = usual;
  by_name.rule = rule_from_name("nlms");
  CHECK(apart(learnt_by(by_name), Rows(kNeurons, test::Numbers(4, 0.0))) > 1e-3);
  written = usual;
  written.rule = text("dw = rate*(told - z)*x", "wanted");
  CHECK_THROWS_WITH_TEXT(learnt_by(written), ArgumentError, "`wanted` is what a gain learns from");
  written = gain;
  written.rule = EquationRule("m = m + y\ndw = told*m*x", {.signals = {{"told", {"wanted"}}}});
  CHECK_THROWS_WITH_TEXT(learnt_by(written), ArgumentError, "has a name m of its own");
}

TEST_CASE("What is heard is the same on every device, in float32 and for any number of threads") {
  for (const As as : {As::gain, As::bias, As::prior}) {
    for (const bool by_text : {false, true}) {
      if (by_text && as == As::prior) continue;
      Case one{.as = as, .resolution = 4, .delay = 2, .streams = 3, .by_text = by_text};
      if (as == As::prior) one.activation = Activation::softmax;
      INFO(one.text());
      const Data data = data_of(one, 30);
      HierarchyManager hierarchy = hierarchy_of(one);
      const auto expected = hierarchy.process_hierarchy(data.x, -1, {.signals = data.signals});
      test::on_each_device([&] {
        for (const DType dtype : {DType::float64, DType::float32}) {
          HierarchyManager here = hierarchy_of(one, 3, dtype);
          double most = 0.0;
          for (const auto& [first, end] : {std::pair{0, 13}, std::pair{13, 30}}) {
            const Data some = part(data, first, end);
            const auto shown = here.process_hierarchy(some.x.to(current_device()), -1,
                                                      {.block_steps = 6, .signals = some.signals});
            const Array ticks = to_cpu(shown.at(0).ticks).astype(DType::float64);
            for (std::int64_t b = 0; b < 3; ++b) {
              most = std::max(most, apart(rows_of(ticks[b]),
                                          rows_of(expected.at(0).ticks[b].slice(0, first, end))));
            }
          }
          CHECK(most < (dtype == DType::float64 ? 1e-10 : 2e-4));
        }
      });
      const auto by_threads = [&](int threads) {
        const test::Threads scope(threads);
        HierarchyManager here = hierarchy_of(one);
        return here.process_hierarchy(data.x, -1, {.signals = data.signals})
            .at(0)
            .ticks.to_vector<double>();
      };
      CHECK(by_threads(1) == by_threads(4));
    }
  }
}
