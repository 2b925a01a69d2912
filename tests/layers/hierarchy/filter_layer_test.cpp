// SPDX-License-Identifier: MIT
/// \file
/// Filters as layers: what they answer compared with the filter alone, streams, trials, noise that
/// adapts, copies, undoing, values that are missing, and what keeps them from going on.
#include "../../../src/layers/hierarchy/filter_layer.h"

#include <cmath>
#include <limits>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/filters/kalman_filter.h"
#include "../../../src/hierarchy/manager.h"
#include "../../../src/hierarchy/replicas.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../../src/layers/hierarchy/kalman_layer.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

KalmanLayerOptions velocity(NoiseAdaption adapt = NoiseAdaption::none) {
  KalmanLayerOptions options;
  options.model.model.kind = LinearModelOptions::Kind::velocity;
  options.adapt = adapt;
  options.dtype = DType::float64;
  return options;
}

Array filter_samples(std::int64_t streams, std::int64_t ticks, std::int64_t inputs) {
  return random_normal({streams, ticks, inputs}, 0.0, 1.0, DType::float64,
                       RandomStream::named(3, "filters"));
}

Array with(const Array& x, const Dims& place, double value) {
  std::vector<double> numbers = x.to_vector<double>();
  numbers[static_cast<std::size_t>((place[0] * x.shape(1) + place[1]) * x.shape(2) + place[2])] =
      value;
  return from_values(numbers, x.shape());
}

HierarchyManager hierarchy_of(const KalmanLayerOptions& options, std::int64_t inputs) {
  HierarchyManager hierarchy;
  FilterLayer layer(inputs, options);
  HierarchicalLevel level(0, inputs, layer.output_size());
  level.add_layer(layer.clone());
  hierarchy.add_level(std::move(level));
  return hierarchy;
}

bool same(const Array& a, const Array& b) { return a.to_vector<double>() == b.to_vector<double>(); }

}  // namespace

TEST_CASE("a layer that filters answers what its filter says, stream by stream") {
  const std::int64_t streams = 2, ticks = 40, inputs = 3;
  KalmanLayerOptions options = velocity();
  options.layer = {.observes = {2, 0}, .covariance = true};
  FilterLayer layer(inputs, options);
  CHECK(layer.output_size() == 4);
  CHECK(options.outputs(inputs) == 4);
  Array x = with(with(filter_samples(streams, ticks, inputs), {1, 7, 2}, kNone), {0, 9, 0}, kNone);
  x = with(x, {0, 9, 2}, kNone);
  const std::vector<double> got = layer.process(x).to_vector<double>();
  const std::vector<Array> told = layer.tick_values();
  REQUIRE(layer.tick_series().size() == 4);
  CHECK(layer.tick_series()[3].name == "covariance");
  const std::vector<double> numbers = x.to_vector<double>();
  for (std::int64_t s = 0; s < streams; ++s) {
    KalmanFilter alone(make_linear_model(options.model.options(), 2));
    FilterTick found;
    for (std::int64_t t = 0; t < ticks; ++t) {
      const std::size_t row = static_cast<std::size_t>(s * ticks + t);
      alone.predict();
      alone.update(std::vector{numbers[row * 3 + 2], numbers[row * 3]}, false, found);
      for (std::size_t i = 0; i < 4; ++i) CHECK(got[row * 4 + i] == alone.mean()[i]);
      CHECK(told[0].item({s, t}) == found.log_likelihood[0]);
      CHECK(std::isnan(told[2].item({s, t})) == (s == 0 && t == 9));
      CHECK(told[3].item({s, t, 1, 2}) == alone.covariance()[1 * 4 + 2]);
    }
  }
  CHECK(std::isnan(told[1].item({1, 7, 0})));
  CHECK_FALSE(std::isnan(told[1].item({1, 7, 1})));
}

TEST_CASE("blocks of any length, copies and states that are set go on bit for bit") {
  for (const NoiseAdaption adapt : {NoiseAdaption::none, NoiseAdaption::R, NoiseAdaption::Q}) {
    const Array x = filter_samples(2, 60, 2);
    HierarchyManager whole = hierarchy_of(velocity(adapt), 2);
    HierarchyManager pieces = whole.clone();
    const Array expected = whole.process_hierarchy(x).at(0).ticks;
    pieces.process_hierarchy(x.slice(1, 0, 23));
    ArrayMap state;
    for (const NamedArray& array : pieces.state()) state.emplace(array.name, array.value.copy());
    HierarchyManager resumed = hierarchy_of(velocity(adapt), 2);
    resumed.set_state(state, 23);
    HierarchyManager twin = pieces.clone();
    for (HierarchyManager* const one : {&pieces, &resumed, &twin}) {
      const Array rest = one->process_hierarchy(x.slice(1, 23, 60)).at(0).ticks;
      CHECK(same(rest, expected.slice(1, 23, 60)));
    }
  }
}

TEST_CASE("noise that adapts goes on over trials, and stays where nothing learns") {
  for (const NoiseAdaption adapt : {NoiseAdaption::R, NoiseAdaption::Q}) {
    FilterLayer layer(2, velocity(adapt));
    CHECK(layer.is_plastic());
    const char* const name = adapt == NoiseAdaption::R ? "R" : "Q";
    REQUIRE(layer.arrays().front().name == name);
    const Array before = layer.arrays().front().value.copy();
    layer.process(filter_samples(1, 50, 2), false);
    CHECK(same(layer.arrays().front().value, before));
    layer.process(filter_samples(1, 50, 2), true);
    const Array learnt = layer.arrays().front().value.copy();
    CHECK_FALSE(same(learnt, before));
    layer.reset_state();
    CHECK(same(layer.arrays().front().value, learnt));
    KalmanLayerOptions still = velocity(adapt);
    still.learn = false;
    CHECK_FALSE(FilterLayer(2, still).is_plastic());
  }
  CHECK_FALSE(FilterLayer(2, velocity()).is_plastic());
}

TEST_CASE("a hierarchy whose first level filters reads values that are missing, and no infinite") {
  HierarchyManager hierarchy = hierarchy_of(velocity(NoiseAdaption::R), 2);
  const Array x = with(filter_samples(1, 30, 2), {0, 3, 1}, kNone);
  CHECK(hierarchy.process_hierarchy(x).at(0).ticks.shape(1) == 30);
  const Array before = hierarchy.level(0).representation().copy();
  const Array bad =
      with(filter_samples(1, 30, 2), {0, 4, 1}, std::numeric_limits<double>::infinity());
  CHECK_SAYS(complaint_of<ArgumentError>([&] { hierarchy.process_hierarchy(bad); }),
             "or NaN where a value is missing", "tick 4");
  CHECK(same(hierarchy.level(0).representation(), before));
}

TEST_CASE("a state that grows beyond all numbers is an error with level, layer and step") {
  KalmanLayerOptions options;
  options.dtype = DType::float64;
  options.model.model.kind = LinearModelOptions::Kind::matrices;
  options.model.model.A = {{1e60}};
  options.model.model.H = {{1.0}};
  HierarchyManager hierarchy = hierarchy_of(options, 1);
  const Array x = zeros({1, 40, 1}, DType::float64);
  // P grows by 1e120 at each tick that observes nothing.
  std::vector<double> numbers(40, kNone);
  const DivergedError error = thrown_by<DivergedError>(
      [&] { hierarchy.process_hierarchy(from_values(numbers, {1, 40, 1})); });
  CHECK(error.level == 0);
  CHECK(error.layer == 0);
  CHECK(error.step == 2);
  CHECK_SAYS(error.what(), "level 0, layer 0 (kalman)", "step 2");
  CHECK(hierarchy.step() == 0);
}

TEST_CASE("a state that the dtype cannot hold is an error with level, layer and step") {
  KalmanLayerOptions options;
  options.model.model.kind = LinearModelOptions::Kind::matrices;
  options.model.model.A = {{1e10}};
  options.model.model.H = {{1.0}};
  // The mean is 1, 1e10, 1e20, 1e30, 1e40.
  std::vector<double> numbers(6, kNone);
  numbers.front() = 1.0;
  HierarchyManager hierarchy = hierarchy_of(options, 1);
  const Array x = from_values(numbers, {1, 6, 1}).astype(DType::float32);
  const DivergedError error = thrown_by<DivergedError>([&] { hierarchy.process_hierarchy(x); });
  CHECK(error.level == 0);
  CHECK(error.step == 4);
  CHECK_SAYS(error.what(), "layer 0 (kalman)", "finite in float32");
  CHECK(hierarchy.step() == 0);
  options.dtype = DType::float64;
  HierarchyManager wide = hierarchy_of(options, 1);
  CHECK(wide.process_hierarchy(from_values(numbers, {1, 6, 1})).at(0).ticks.shape(1) == 6);
}

TEST_CASE("what has grown infinite below a filter is an error with level, layer and step") {
  KalmanLayerOptions options;
  HierarchyManager hierarchy;
  HebbianLayer below(1, 1);
  below.set_weights(from_values(std::vector<float>{1e38F}, {1, 1}));
  HierarchicalLevel first(0, 1, 1);
  first.add_layer(below.clone());
  HierarchicalLevel second(1, 1, 1);
  second.add_layer(FilterLayer(1, options).clone());
  hierarchy.add_level(std::move(first));
  hierarchy.add_level(std::move(second));
  const Array x = from_values(std::vector<float>{1.0F, 1.0F, 1.0F, 100.0F, 1.0F}, {1, 5, 1});
  const DivergedError error =
      thrown_by<DivergedError>([&] { hierarchy.process_hierarchy(x, {.learn = false}); });
  CHECK(error.level == 1);
  CHECK(error.step == 3);
  CHECK_SAYS(error.what(), "level 1, layer 0 (kalman) cannot go on at step 3", "finite in float32");
  CHECK(hierarchy.step() == 0);
}

TEST_CASE("replicas that filter come to what each comes to alone") {
  const Array x = filter_samples(3, 50, 2);
  std::vector<HierarchyManager> replicas;
  std::vector<Array> expected;
  for (int r = 0; r < 3; ++r) {
    KalmanLayerOptions options = velocity(NoiseAdaption::R);
    options.model.R.values = {1.0 + r};
    replicas.push_back(hierarchy_of(options, 2));
    expected.push_back(replicas.back().clone().process_hierarchy(x[r]).at(0).ticks);
  }
  const Array got = process_replicas(std::span(replicas), x).at(0).ticks;
  for (int r = 0; r < 3; ++r) CHECK(same(got[r], expected[static_cast<std::size_t>(r)]));
}

TEST_CASE("a layer that filters refuses inputs that are none") {
  const auto complaint = [](const std::vector<std::int64_t>& observes) {
    KalmanLayerOptions options = velocity();
    options.layer.observes = observes;
    return complaint_of<ArgumentError>([&] { FilterLayer(2, options); });
  };
  CHECK_SAYS(complaint({2}), "0 to 1, got 2");
  CHECK_SAYS(complaint({1, 1}), "got 1 twice");
}
