// SPDX-License-Identifier: MIT
/// \file
/// Steps for many parameters at once: more than one table, single tiles, and those that lie in
/// strides or off the border of packs.
#include "../../src/array/ops.h"
#include "../../src/learning/optimiser_step.h"
#include "as_on_cpu.h"

namespace gaia::test {

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

}  // namespace gaia::test
