// SPDX-License-Identifier: MIT
/// \file
/// Steps for many parameters at once: more than one table, single tiles, and those that lie in
/// strides or off the border of packs.  Sums of squares of many arrays, and what scales them.
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/learning/optimiser_step.h"
#include "../../src/learning/optimisers.h"
#include "as_on_cpu.h"
#include "every_schedule.h"

namespace gaia::test {
namespace {

/// How many kernels `work` launches.
template <class Work>
std::int64_t launches_of(const Work& work) {
  const std::int64_t before = emulator::launches();
  work();
  return emulator::launches() - before;
}

std::vector<Array> arrays_of(const std::vector<std::int64_t>& lengths, DType dtype,
                             std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<Array> arrays;
  for (const std::int64_t length : lengths) arrays.push_back(some(engine, {length}, dtype));
  return arrays;
}

double sum_of_squares(const std::vector<Array>& arrays) {
  std::vector<View> views;
  for (const Array& x : arrays) views.push_back(x.view());
  return backend(current_device()).sum_of_squares(views);
}

}  // namespace

TEST_CASE("Many parameters of any layout are optimised as on the CPU") {
  const std::vector<OptimiserRule> rules = {
      SgdRule{},     SgdRule{.momentum = 0.9, .nesterov = true},
      AdamRule{},    AdamWRule{},
      RmsPropRule{}, RmsPropRule{.momentum = 0.5},
      LionRule{}};
  for (const OptimiserRule& rule : rules) {
    INFO("rule " << rule.index());
    check_as_on_cpu(
        [&](std::mt19937_64& engine) {
          std::vector<OptimisedArray> all;
          const auto add = [&](const Shape& shape, DType dtype, Layout of_w, Layout of_g,
                               std::int64_t from) {
            const auto make = [&](Layout layout) {
              return some(engine, shape, dtype, layout).slice(0, from, {});
            };
            OptimisedArray one{make(of_w), make(of_g), {}, {}};
            if (state_count(rule) >= 1) one.first = make(of_w);
            if (state_count(rule) >= 2) one.second = make(of_g) * make(of_g);
            all.push_back(one);
          };
          for (std::int64_t i = 0; i < 140; ++i) {
            add({1 + i % 9}, i % 5 == 0 ? DType::float64 : DType::float32, Layout::contiguous,
                Layout::contiguous, 0);
          }
          for (const std::int64_t length : {1023, 1024, 1025, 3000}) {
            for (const std::int64_t from : {0, 1}) {
              add({length}, DType::float32, Layout::contiguous, Layout::contiguous, from);
              add({length}, DType::float64, Layout::contiguous, Layout::contiguous, from);
            }
          }
          for (const Layout layout : {Layout::transposed, Layout::sliced, Layout::reversed}) {
            add({7, 300}, DType::float32, layout, Layout::contiguous, 0);
            add({7, 300}, DType::float64, Layout::contiguous, layout, 0);
          }
          add({0, 3}, DType::float32, Layout::contiguous, Layout::contiguous, 0);
          optimiser_step(rule, 3, all);
          std::vector<Array> results;
          for (const OptimisedArray& one : all) {
            results.push_back(one.parameter);
            if (state_count(rule) >= 1) results.push_back(one.first);
            if (state_count(rule) >= 2) results.push_back(one.second);
          }
          return results;
        },
        16, 4);
  }
}

TEST_CASE("A step of many parameters is a few launches, with the bits of a step of each") {
  const OnEmulatedDevice emulated;
  const std::vector<std::int64_t> lengths = {5, 1024, 1, 1300, 64, 7};
  std::vector<std::int64_t> all;
  for (int i = 0; i < 64; ++i) all.push_back(lengths[static_cast<std::size_t>(i) % 6]);
  std::vector<std::vector<double>> numbers;
  for (const bool together : {true, false}) {
    const std::vector<Array> w = arrays_of(all, DType::float32, 1);
    const std::vector<Array> g = arrays_of(all, DType::float32, 2);
    const std::vector<Array> a = arrays_of(all, DType::float32, 3);
    std::vector<OptimisedArray> parameters;
    for (std::size_t i = 0; i < w.size(); ++i) {
      parameters.push_back({w[i], g[i], a[i], full({all[i]}, 0.5, DType::float32)});
    }
    const std::int64_t count = launches_of([&] {
      if (together) return optimiser_step(AdamRule{}, 2, parameters);
      for (const OptimisedArray& one : parameters) optimiser_step(AdamRule{}, 2, {{one}});
    });
    CHECK(count == (together ? 1 : 64));
    for (std::size_t i = 0; i < w.size(); ++i) {
      const std::vector<double> here = w[i].to_vector<double>();
      if (together) {
        numbers.push_back(here);
      } else {
        CHECK((here == numbers[i]));
      }
    }
  }
}

TEST_CASE("Sums of squares of several arrays join all their tiles") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    std::vector<Array> arrays = arrays_of({3, 40009, 0, 4096, 4097, 257}, DType::float64, 4);
    for (Array& x : arrays) x = x.astype(x.size() > 4096 ? DType::float64 : dtype);
    check_every_schedule(arrays, 16, [](const std::vector<Array>& in) {
      return full({1}, sum_of_squares(in), DType::float64);
    });
  }
}

TEST_CASE("Sums of squares of many arrays take few launches, and are those of each in turn") {
  const OnEmulatedDevice emulated;
  std::vector<std::int64_t> lengths(230, 9);
  lengths[7] = 20000;
  lengths[225] = 4097;
  const std::vector<Array> arrays = arrays_of(lengths, DType::float32, 5);
  double sum = 0.0;
  for (const Array& x : arrays) sum += sum_of_squares({x});
  double together = 0.0;
  // Tables of 96, once for the elements and once for the sums of tiles.
  CHECK(launches_of([&] { together = sum_of_squares(arrays); }) == 6);
  CHECK(together == sum);
  CHECK(launches_of([&] { sum_of_squares({arrays[0], arrays[1]}); }) == 1);
  CHECK(launches_of([&] { sum_of_squares({}); }) == 0);
  CHECK(sum_of_squares({}) == 0.0);
}

TEST_CASE("Many arrays are scaled at once, wherever tiles and packs begin") {
  std::vector<std::int64_t> lengths(100, 5);
  for (const std::int64_t length : {2047, 2048, 2049, 4096, 4097, 8193}) lengths.push_back(length);
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const std::int64_t from : {0, 1}) {
      check_every_schedule(arrays_of(lengths, dtype, 6), 0, [&](const std::vector<Array>& in) {
        std::vector<Array> parts;
        for (const Array& x : in) parts.push_back(x.slice(0, from, {}));
        return concatenate(scaled(parts, 0.3), 0);
      });
    }
  }
}

TEST_CASE("Clipping is a launch for the norm and a launch for the gradients") {
  const OnEmulatedDevice emulated;
  const std::vector<std::int64_t> lengths(90, 9);
  const std::vector<Array> gradients = arrays_of(lengths, DType::float32, 7);
  std::vector<std::vector<float>> wanted;
  const double factor = 0.5 / (total_norm(gradients) + 1e-6);
  for (const Array& x : gradients) wanted.push_back((x * factor).to_vector<float>());
  std::vector<Tensor> parameters;
  for (const Array& x : gradients) {
    Tensor parameter(x.copy(), true);
    parameter.set_grad(x.copy());
    parameters.push_back(parameter);
  }
  CHECK(launches_of([&] { clip_grad_norm(parameters, 0.5); }) == 2);
  CHECK(launches_of([&] { clip_grad_norm(gradients, 0.5); }) == 2);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    CHECK(gradients[i].to_vector<float>() == wanted[i]);
    CHECK(parameters[i].grad().to_vector<float>() == wanted[i]);
  }
}

}  // namespace gaia::test
