// SPDX-License-Identifier: MIT
#include "device_usage.h"

#include <fmt/format.h>

#include "backend.h"

namespace gaia {

DeviceUsage device_usage(Device device) { return backend(device).usage(); }

std::string to_string(const DeviceUsage& usage) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (usage.busy) add(fmt::format("busy {:.0f} %", 100.0 * *usage.busy));
  if (usage.memory_busy) add(fmt::format("memory {:.0f} %", 100.0 * *usage.memory_busy));
  if (usage.temperature) add(fmt::format("{:.0f} C", *usage.temperature));
  if (usage.clock) add(fmt::format("{:.0f} MHz", *usage.clock / 1e6));
  if (usage.power) {
    add(fmt::format("{:.0f} W", *usage.power) +
        (usage.power_limit ? fmt::format(" of {:.0f} W", *usage.power_limit) : ""));
  }
  return text.empty() ? "not known: " + usage.why_not : text;
}

}  // namespace gaia
