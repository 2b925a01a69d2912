// SPDX-License-Identifier: MIT
/// \file
/// examples/gpu_context.cpp, as a user would run it where there is a GPU.
#include <iostream>
#include <sstream>

#include "../support/catch.h"
#include "../support/emulated_device.h"

#define main run_example
#include "../../examples/gpu_context.cpp"
#undef main

namespace gaia::test {

TEST_CASE("The example computes on each thread's device and is back there after a scope") {
  const EmulatedDevice device;
  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  const int code = run_example();
  std::cout.rdbuf(before);
  CHECK(code == 0);
  CHECK_SAYS(text.str(), "from auto: trace ", ", now on cuda:0\n", "from cpu: trace ",
             ", now on cpu\n");
}

}  // namespace gaia::test
