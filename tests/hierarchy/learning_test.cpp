// SPDX-License-Identifier: MIT
/// \file
/// Hierarchies that learn do on each device what they do on the CPU, alone and as replicas.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/hierarchy/replicas.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"
#include "../support/devices.h"

namespace gaia::test {
namespace {

/// Results by their names, on the host: answers of levels, weights, thresholds, memory.
using Made = std::map<std::string, Array>;

struct Learning {
  PlasticityRule rule;
  /// In float32: twice what chunks of 32 are off from double after 10 000 steps of one layer; under
  /// Oja, where that is 4e-7, five times more, for what bounds and levels add to it.
  double tolerance;
};

const std::vector<Learning>& rules() {
  static const std::vector<Learning> all = {
      {HebbRule{.learning_rate = 0.004, .decay = 0x1p-7}, 4e-6},
      {OjaRule{.learning_rate = 0.01}, 2e-6},
      {BcmRule{.learning_rate = 0.004, .decay = 0x1p-7, .tau = 16.0, .theta = 0.5}, 4e-5}};
  return all;
}

struct Case {
  PlasticityRule rule;
  Normalization normalization;
  Executor executor;
  DType dtype;
};

/// Three plastic levels of resolutions 1, 2 and 4, number `seed` of them.
HierarchyManager make_learning(const Case& of, std::uint64_t seed) {
  constexpr std::int64_t sizes[] = {6, 9, 7, 5};
  constexpr Pooling poolings[] = {Pooling::last, Pooling::mean, Pooling::ema};
  HierarchyManager hierarchy;
  for (int k = 0; k < 3; ++k) {
    HierarchicalLevel level(k, sizes[k], sizes[k + 1], std::int64_t{1} << k,
                            {.pooling = poolings[k]});
    level.add_layer(HebbianLayer(sizes[k], sizes[k + 1],
                                 {.rule = of.rule,
                                  .activation = Activation::tanh,
                                  .control = {.normalization = of.normalization, .bound = 0.6},
                                  .executor = of.executor,
                                  .chunk = 8,
                                  .dtype = of.dtype,
                                  .random = {seed, static_cast<std::uint64_t>(k)}}));
    hierarchy.add_level(std::move(level));
  }
  return hierarchy;
}

/// The series of one replica, or [3, streams, steps, features] of three.
Array learning_series(DType dtype) {
  const GPUContext host(Device::cpu());
  return random_normal({3, 2, 101, 6}, 0.2, 0.8, dtype, {5, 5});
}

void note_state(const HierarchyManager& hierarchy, const std::string& prefix, Made& made) {
  for (const NamedArray& array : hierarchy.state()) {
    made[prefix + array.name] = array.value.to(Device::cpu());
  }
}

/// Two series one after the other, in blocks, and what was learnt.
Made learn(const Case& of, std::uint64_t seed) {
  HierarchyManager hierarchy = make_learning(of, seed);
  const Array data =
      learning_series(of.dtype)[static_cast<std::int64_t>(seed)].to(current_device());
  Made made;
  for (const char* part : {"first ", "second "}) {
    for (const auto& [id, level] :
         hierarchy.process_hierarchy(data, -1, {.learn = true, .block_steps = 40})) {
      made[part + std::to_string(id)] = level.ticks.to(Device::cpu());
    }
  }
  note_state(hierarchy, "", made);
  return made;
}

/// The same of three replicas in one go.
std::vector<Made> learn_together(const Case& of) {
  std::vector<HierarchyManager> replicas;
  for (std::uint64_t seed = 0; seed < 3; ++seed) replicas.push_back(make_learning(of, seed));
  const Array data = learning_series(of.dtype).to(current_device());
  std::vector<Made> made(3);
  for (const char* part : {"first ", "second "}) {
    for (const auto& [id, level] :
         process_replicas(replicas, data, -1, {.learn = true, .block_steps = 40})) {
      for (std::size_t r = 0; r < 3; ++r) {
        made[r][part + std::to_string(id)] =
            level.ticks[static_cast<std::int64_t>(r)].to(Device::cpu());
      }
    }
  }
  for (std::size_t r = 0; r < 3; ++r) note_state(replicas[r], "", made[r]);
  return made;
}

/// |a - b| / |b|, by the root of the sum of squares; infinite where shapes differ or something is
/// not finite.
double distance(const Array& a, const Array& b) {
  if (!(a.shape() == b.shape())) return INFINITY;
  const std::vector<double> x = a.to_vector<double>();
  const std::vector<double> y = b.to_vector<double>();
  double apart = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    apart += (x[i] - y[i]) * (x[i] - y[i]);
    size += y[i] * y[i];
  }
  if (!std::isfinite(apart)) return INFINITY;
  return apart == 0.0 ? 0.0 : std::sqrt(apart / size);
}

void check_close(const Made& got, const Made& expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  for (const auto& [name, value] : expected) {
    INFO(name);
    CHECK(distance(got.at(name), value) <= tolerance);
  }
}

/// Calls test(case, tolerance) for every rule, bound, executor and dtype.
template <class Test>
void for_each_case(const Test& test) {
  for (const Learning& learning : rules()) {
    for (const Normalization bound : {Normalization::l2, Normalization::max_norm}) {
      for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
        for (const DType dtype : {DType::float32, DType::float64}) {
          INFO(rule_name(learning.rule)
               << " " << to_string(bound) << " " << to_string(executor) << " " << to_string(dtype));
          test(Case{learning.rule, bound, executor, dtype},
               dtype == DType::float32 ? learning.tolerance : 1e-12);
        }
      }
    }
  }
}

TEST_CASE("Hierarchies learn on each device what they learn on the CPU") {
  for_each_case([](const Case& of, double tolerance) {
    const Made expected = learn(of, 0);
    Made before;
    note_state(make_learning(of, 0), "", before);
    for (const auto& [name, value] : expected) {
      if (before.contains(name) && value.rank() == 2) {
        CHECK(distance(before.at(name), value) > 1e-3);
      }
    }
    on_each_device([&] { check_close(learn(of, 0), expected, tolerance); });
  });
}

TEST_CASE("Replicas learn on each device what each learns alone on the CPU") {
  for_each_case([](const Case& of, double tolerance) {
    std::vector<Made> expected;
    for (std::uint64_t seed = 0; seed < 3; ++seed) expected.push_back(learn(of, seed));
    on_each_device([&] {
      const std::vector<Made> made = learn_together(of);
      for (std::size_t r = 0; r < 3; ++r) {
        INFO("replica " << r);
        check_close(made[r], expected[r], tolerance);
      }
    });
  });
}

}  // namespace
}  // namespace gaia::test
