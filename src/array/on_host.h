// SPDX-License-Identifier: MIT
/// \file
/// How functions compute that no device but the CPU has; for those who build on arrays, not for
/// users.
#pragma once

#include <string>
#include <vector>

#include "../core/log.h"
#include "device.h"
#include "operands.h"

namespace gaia {

/// What compute() returns, which runs with the CPU as the current device: what it reads by
/// `prepare` or `on_current_device` comes there, and the results go to the device that is current
/// now.  Between devices these are copies that an operation needs: they count as implicit, are
/// refused under TransferPolicy::forbid, and the first is logged with the name of `function`.
template <class Compute>
std::vector<Array> on_host(const char* function, const Compute& compute) {
  const Device device = current_device();
  if (device.is_cpu()) return compute();
  log_once(LogLevel::info, std::string("on_host/") + function,
           std::string("[") + function + "] computes on the host, since " + to_string(device) +
               " cannot; arrays go there and back");
  std::vector<Array> made;
  {
    const GPUContext host(Device::cpu());
    made = compute();
  }
  for (Array& y : made) y = on_current_device(y, function);
  return made;
}

}  // namespace gaia
