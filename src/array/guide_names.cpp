// SPDX-License-Identifier: MIT
#include "guide_names.h"

#include "../core/text.h"

namespace gaia {

std::string get_device() { return current_device().is_cpu() ? "cpu" : "cuda"; }

void set_backend(std::string_view name) { set_device(name); }

std::string get_backend_name() { return get_device(); }

GuideDeviceInfo get_device_info() {
  const std::vector<Device> devices = available_devices();
  const Device preferred = devices.size() > 1 ? devices[1] : Device::cpu();
  const DeviceInfo info = device_info(preferred);
  return {.cuda_available = devices.size() > 1,
          .preferred_device = preferred.is_cpu() ? "cpu" : "cuda",
          .cuda_version = info.version,
          .device_count = static_cast<std::int64_t>(devices.size()) - 1,
          .device_name = info.name,
          .device_memory = bytes_text(static_cast<double>(info.total_memory))};
}

}  // namespace gaia
