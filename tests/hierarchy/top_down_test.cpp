// SPDX-License-Identifier: MIT
// Levels that hear a level above, held against plain loops.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "../../src/array/ops.h"
#include "../../src/hierarchy/manager.h"
#include "../support/catch.h"
#include "top_down_cases.h"

using namespace gaia;
using namespace gaia::test;

namespace {

TopDownReference reference_of(const TopDownCase& one, HierarchyManager& hierarchy) {
  TopDownReference reference;
  for (std::size_t l = 0; l < one.levels; ++l) {
    TopDownReferenceLevel level;
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

void read(TopDownReference& reference, const TopDownCase& one, const TopDownData& data) {
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

Array named(const TopDown& above, const std::string& name) {
  for (const NamedArray& array : above.arrays()) {
    if (array.name == name) return array.value;
  }
  FAIL("no array " << name);
  return {};
}

/// How far weights, maps and memories are apart at most.
double state_apart(HierarchyManager& hierarchy, const TopDownReference& reference) {
  double most = 0.0;
  for (std::size_t l = 0; l < reference.levels.size(); ++l) {
    most = std::max(most, apart(rows_of(weights_of(hierarchy, l)), reference.levels[l].w));
    if (!reference.levels[l].above) continue;
    const TopDownReferenceAbove& above = *reference.levels[l].above;
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
                   const TopDownReference& reference) {
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

std::vector<TopDownCase> all_cases() {
  std::vector<TopDownCase> cases;
  for (const As as : {As::gain, As::bias, As::prior}) {
    for (const std::size_t levels : {2U, 4U}) {
      for (const std::int64_t resolution : {1, 4, 16}) {
        for (const std::int64_t delay : {1, 3}) {
          const bool odd = (resolution + delay) % 2 == 0;
          TopDownCase one{.as = as, .levels = levels, .resolution = resolution, .delay = delay};
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
  for (const TopDownCase& one : all_cases()) {
    INFO(one.text());
    HierarchyManager hierarchy = hierarchy_of(one);
    TopDownReference reference = reference_of(one, hierarchy);
    const TopDownData data = data_of(one, 70);
    reference.begin_trial(static_cast<std::size_t>(one.streams));
    read(reference, one, data);
    const auto shown = hierarchy.process_hierarchy(data.x, -1, {.signals = data.signals});
    CHECK(shown_apart(shown, reference) < 1e-10);
    CHECK(state_apart(hierarchy, reference) < 1e-10);
    // A map that had learnt nothing would not tell.
    REQUIRE(apart(reference.levels[0].above->v,
                  Rows(static_cast<std::size_t>(kNeurons),
                       Numbers(reference.levels[0].above->v[0].size(), 0.0))) > 1e-3);
  }
}

TEST_CASE("A level above reads the answer without what comes from above") {
  const TopDownCase one{.resolution = 4};
  HierarchyManager hierarchy = hierarchy_of(one);
  TopDownReference reference = reference_of(one, hierarchy);
  TopDownReference mistaken = reference;
  mistaken.above_reads_shown = true;
  const TopDownData data = data_of(one, 200);
  for (TopDownReference* loops : {&reference, &mistaken}) {
    loops->begin_trial(1);
    read(*loops, one, data);
  }
  const auto shown = hierarchy.process_hierarchy(data.x, -1, {.signals = data.signals});
  CHECK(shown_apart(shown, reference) < 1e-10);
  CHECK(shown_apart(shown, mistaken) > 1e-2);
}

TEST_CASE("A trial begins with nothing heard, and the map goes on") {
  for (const As as : {As::gain, As::bias}) {
    const TopDownCase one{.as = as, .resolution = 4, .delay = 3, .streams = 3};
    HierarchyManager hierarchy = hierarchy_of(one);
    TopDownReference reference = reference_of(one, hierarchy);
    for (int trial = 0; trial < 3; ++trial) {
      const TopDownData data = data_of(one, 37, 7 + static_cast<std::uint64_t>(trial));
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
  const TopDownCase one{.resolution = 4, .streams = 1};
  HierarchyManager hierarchy = hierarchy_of(one);
  TopDownReference reference = reference_of(one, hierarchy);
  const TopDownData first = data_of(one, 50);
  reference.begin_trial(1);
  read(reference, one, first);
  hierarchy.process_hierarchy(first.x, -1, {.signals = first.signals});
  for (auto& level : reference.levels) level.ticks.assign(1, {});
  reference.learns = false;
  const TopDownData second = data_of(one, 30, 5);
  read(reference, one, second);
  const auto shown = hierarchy.process_hierarchy(second.x, {.learn = false});  // without signals
  CHECK(shown_apart(shown, reference) < 1e-10);
  CHECK(state_apart(hierarchy, reference) < 1e-10);
}
