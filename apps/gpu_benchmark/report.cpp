// SPDX-License-Identifier: MIT
#include "report.h"

#include <algorithm>

namespace gaia::bench {

bool Report::is_bad() const {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.is_bad(); });
}

const Limits& Report::limits(const Measurement& measurement) const {
  return gpu && measurement.device == gpu->device ? *gpu : cpu;
}

const char* column_name(const Measurement& measurement) {
  return measurement.device.is_cpu() ? "cpu" : "gpu";
}

}  // namespace gaia::bench
