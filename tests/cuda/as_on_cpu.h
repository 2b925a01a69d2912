// SPDX-License-Identifier: MIT
/// \file
/// Kernels on the emulated GPU compared with the CPU's, under every schedule.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "../emulator/schedules.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {

/// Checks that what compute(engine) makes on the emulated GPU is within `units` of what it makes on
/// the CPU (see check_near), and the same bits under every schedule.  The engine begins alike each
/// time.
inline void check_as_on_cpu(const std::function<std::vector<Array>(std::mt19937_64&)>& compute,
                            double units, double scale) {
  std::mt19937_64 engine(1);
  std::vector<Values> expected;
  {
    const GPUContext cpu(Device::cpu());
    for (const Array& array : compute(engine)) {
      expected.emplace_back(array.shape());
      expected.back().numbers = array.to_vector<double>();
    }
  }
  const OnEmulatedDevice emulated;
  std::vector<std::vector<double>> before;
  for_each_schedule([&](const std::string& schedule) {
    INFO(schedule);
    engine.seed(1);
    const std::vector<Array> got = compute(engine);
    REQUIRE(got.size() == expected.size());
    std::vector<std::vector<double>> numbers;
    for (std::size_t i = 0; i < got.size(); ++i) {
      INFO("result " << i);
      check_near(got[i], expected[i], units, scale);
      numbers.push_back(got[i].to_vector<double>());
    }
    if (before.empty()) before = numbers;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto same = [](double a, double b) { return a == b || (a != a && b != b); };
      CHECK(std::equal(numbers[i].begin(), numbers[i].end(), before[i].begin(), before[i].end(),
                       same));
    }
  });
}

/// Random numbers of [-2, 2) on the current device.
inline Array some(std::mt19937_64& engine, const Shape& shape, DType dtype,
                  Layout layout = Layout::contiguous) {
  return random_operand(engine, shape, dtype, layout, -2, 2).array;
}

}  // namespace gaia::test
