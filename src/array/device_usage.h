// SPDX-License-Identifier: MIT
/// \file
/// What a device is doing at this moment, as its driver measures it.
#pragma once

#include <optional>
#include <string>

#include "device.h"

namespace gaia {

/// Measured by NVML, NVIDIA's library for that, which is looked up when it is first asked.  What is
/// not known is not there: a part of a GPU (MIG), for example, has no share of busy time.
struct DeviceUsage {
  /// Share of the last sample period, a sixth of a second to a second, in which a kernel ran, 0 to
  /// 1.
  std::optional<double> busy = {};
  std::optional<double> memory_busy = {};   ///< Share of it in which memory was read or written.
  std::optional<double> temperature = {};   ///< Degrees Celsius of the chip.
  std::optional<double> clock = {};         ///< Hz of the multiprocessors.
  std::optional<double> memory_clock = {};  ///< Hz.
  std::optional<double> power = {};         ///< Watts of the whole board.
  std::optional<double> power_limit = {};   ///< Watts that the driver allows.
  std::string why_not = {};                 ///< Why something is not known; empty where all is.
};

/// \throws DeviceError if the device cannot be used.
DeviceUsage device_usage(Device device = current_device());

/// "busy 41 %, memory 12 %, 54 C, 1980 MHz, 512 W of 700 W", of what is known; else why nothing is.
std::string to_string(const DeviceUsage& usage);

}  // namespace gaia
