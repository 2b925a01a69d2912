// SPDX-License-Identifier: MIT
/// \file
/// Emulated hardware for a scope.
#pragma once

#include "runtime.h"

namespace gaia::test {

class WithHardware {
 public:
  explicit WithHardware(const emulator::Hardware& hardware) { emulator::set_hardware(hardware); }
  ~WithHardware() { emulator::set_hardware({}); }
  WithHardware(const WithHardware&) = delete;
  WithHardware& operator=(const WithHardware&) = delete;
};

}  // namespace gaia::test
