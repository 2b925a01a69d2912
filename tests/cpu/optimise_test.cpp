// SPDX-License-Identifier: MIT
/// \file
/// Steps of gradient descent along runs of every length against the same formulas of single
/// numbers.
#include "../../cpu/vector/optimise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../support/catch.h"

using namespace gaia;

FLOAT_TEST_CASE("Steps along runs are those of single numbers") {
  const std::vector<OptimiserRule> rules = {SgdRule{.weight_decay = 0.1},
                                            SgdRule{.momentum = 0.9, .nesterov = true},
                                            AdamRule{.weight_decay = 0.1},
                                            AdamWRule{},
                                            RmsPropRule{},
                                            RmsPropRule{.momentum = 0.5},
                                            LionRule{}};
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    for (const std::size_t n : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 16U, 31U, 33U, 70U}) {
      std::vector<T> w(n + 1, T(-77));
      std::vector<T> g(n);
      std::vector<T> a(n + 1, T(-77));
      std::vector<T> b(n + 1, T(-77));
      for (std::size_t i = 0; i < n; ++i) {
        w[i] = static_cast<T>(i % 7) / T(3) - T(1);
        g[i] = static_cast<T>(i % 5) / T(4) - T(0.6);
        a[i] = static_cast<T>(i % 3) / T(8) + T(0.1);
        b[i] = static_cast<T>(i % 4) / T(16) + T(0.05);
      }
      const int states = std::visit([](const auto& one) { return one.states(); }, rules[rule]);
      std::vector<T> next_w = w;
      std::vector<T> next_a = a;
      std::vector<T> next_b = b;
      std::visit(
          [&](const auto& one) {
            const auto formula = one.at_step(3);
            for (std::size_t i = 0; i < n; ++i) {
              T none{};
              formula(next_w[i], g[i], states >= 1 ? next_a[i] : none,
                      states >= 2 ? next_b[i] : none);
            }
          },
          rules[rule]);
      GAIA_VECTOR_KERNEL(optimise_run<T>)
      (rules[rule], 3, w.data(), g.data(), states >= 1 ? a.data() : nullptr,
       states >= 2 ? b.data() : nullptr, static_cast<std::int64_t>(n));
      for (std::size_t i = 0; i <= n; ++i) {
        INFO("rule " << rule << ", number " << i << " of " << n);
        const T unit = T(8) * std::numeric_limits<T>::epsilon();
        CHECK(std::abs(w[i] - next_w[i]) <= unit * std::max(T(1), std::abs(next_w[i])));
        CHECK(std::abs(a[i] - next_a[i]) <= unit * std::max(T(1), std::abs(next_a[i])));
        CHECK(std::abs(b[i] - next_b[i]) <= unit * std::max(T(1), std::abs(next_b[i])));
      }
    }
  }
}
