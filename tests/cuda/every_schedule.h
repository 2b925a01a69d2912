// SPDX-License-Identifier: MIT
/// \file
/// What the emulated GPU answers under every schedule, against what the CPU does.
#pragma once

#include <cstring>
#include <vector>

#include "../../src/array/array.h"
#include "../emulator/schedules.h"
#include "../reference/values.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/near.h"

namespace gaia::test {

/// Checks that compute(operands there) agrees with compute(operands) within `units` epsilons (0:
/// has the same bits), and has the same bits under all schedules.
template <class Compute>
void check_every_schedule(const std::vector<Array>& operands, double units,
                          const Compute& compute) {
  const Array expected = compute(operands).copy();
  Values wanted(expected.shape());
  wanted.numbers = expected.to_vector<double>();
  const OnEmulatedDevice emulated;
  std::vector<double> first;
  if (units == 0) first = wanted.numbers;
  for_each_schedule([&](const char* schedule) {
    INFO(schedule);
    std::vector<Array> there;
    for (const Array& operand : operands) there.push_back(operand.to(emulated.device()));
    const Array got = compute(there);
    check_near(got, wanted, units);
    const std::vector<double> numbers = got.to_vector<double>();
    if (first.empty()) first = numbers;
    REQUIRE(numbers.size() == first.size());
    // Bits, so that NaN and the sign of 0 count; of nothing, memcmp may not be asked.
    const std::size_t bytes = first.size() * sizeof(double);
    CHECK((bytes == 0 || std::memcmp(numbers.data(), first.data(), bytes) == 0));
  });
}

}  // namespace gaia::test
