// SPDX-License-Identifier: MIT
#include "../../cpu/instruction_set.h"

#include <cstdlib>
#include <string>

#include "../../src/array/device.h"
#include "../support/catch.h"

using namespace gaia;

TEST_CASE("The instruction set is the one that the environment names, and the device tells it") {
  const std::string chosen = to_string(cpu::instruction_set());
  if (const char* wanted = std::getenv("GAIA_INSTRUCTION_SET")) CHECK(chosen == wanted);
  CHECK(device_info(Device::cpu()).description.find(chosen) != std::string::npos);
#if defined(__x86_64__)
  CHECK(chosen.rfind("x86-64-v", 0) == 0);
#elif defined(__aarch64__)
  CHECK(chosen == "arm64-neon");
#else
  CHECK(chosen == "plain");
#endif
}
