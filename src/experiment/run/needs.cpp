// SPDX-License-Identifier: MIT
#include "needs.h"

#include <fmt/format.h>

#include "../../array/device.h"
#include "../../core/text.h"
#include "../../io/output_files.h"

namespace gaia {

std::vector<std::string> shortages(const Experiment& experiment, double memory_bytes,
                                   double disk_bytes, const std::string& way_out) {
  std::vector<std::string> found;
  const auto compare = [&](const char* what, double needed, double free, const std::string& end) {
    if (needed <= free) return;
    found.push_back(fmt::format("{}: about {} are needed, {} are free{}", what, bytes_text(needed),
                                bytes_text(free), end));
  };
  compare("memory", memory_bytes, static_cast<double>(device_info(Device::cpu()).free_memory), "");
  compare("disk", disk_bytes, free_space(experiment.config.output.path), way_out);
  return found;
}

}  // namespace gaia
