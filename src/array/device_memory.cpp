// SPDX-License-Identifier: MIT
#include "device_memory.h"

#include <algorithm>

namespace gaia {

MemoryCount::Claim::Claim(MemoryCount& count, std::int64_t bytes) : count_(count), bytes_(bytes) {}

MemoryCount::Claim::~Claim() {
  if (used_ >= 0) count_.used_ -= bytes_;
}

bool MemoryCount::Claim::is_granted() {
  const std::int64_t limit = count_.limit_.load();
  if (limit == 0 || used_ >= 0) return true;
  std::int64_t used = count_.used_.load();
  do {
    if (bytes_ > 0 && bytes_ > limit - used) return false;
  } while (!count_.used_.compare_exchange_weak(used, used + bytes_));
  used_ = used + bytes_;
  return true;
}

void MemoryCount::Claim::keep() {
  const std::int64_t used = used_ >= 0 ? used_ : count_.used_ += bytes_;
  used_ = -1;
  ++count_.allocations_;
  std::int64_t peak = count_.peak_.load();
  while (used > peak && !count_.peak_.compare_exchange_weak(peak, used)) {
  }
}

void MemoryCount::give_back(std::int64_t bytes) noexcept {
  used_ -= bytes;
  ++releases_;
}

MemoryStats MemoryCount::stats() const {
  const std::int64_t releases = releases_;  // before what they release is counted
  const std::int64_t misses = misses_;
  const std::int64_t allocations = allocations_;
  return {.used = used_.load(),
          .peak = peak_.load(),
          .arrays = allocations - releases,
          .limit = limit_.load(),
          .allocations = allocations,
          .hits = std::max<std::int64_t>(0, allocations - misses)};
}

std::string out_of_memory_text(Device device, std::int64_t bytes, const MemoryStats& stats) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  // Without overflow: bytes may be any number.
  const bool limited = stats.limit > 0 && bytes > stats.limit - stats.used;
  return "[array] " + number(bytes) + " bytes are not to be had on " +
         (device.is_cpu() ? "the CPU" : to_string(device)) + ": " + number(stats.used) +
         " in use by arrays (at most " + number(stats.peak) + " so far)" +
         (stats.limit > 0 ? " of " + number(stats.limit) + " that set_memory_limit allows" : "") +
         ", " + number(stats.reserved) + " reserved, " + number(stats.free) + " free of " +
         number(stats.total) + "; " + (limited ? "raise the limit, or " : "") +
         "use smaller blocks, float32, record less" + (device.is_cpu() ? "" : ", or device 'cpu'");
}

}  // namespace gaia
