// SPDX-License-Identifier: MIT
/// \file
/// Memory of the host, and what is known of it.
#include "backend.h"

#include <cstring>
#include <string>

#include "../src/core/error.h"
#include "../src/core/parallel.h"
#include "../src/core/platform.h"
#include "instruction_set.h"

namespace gaia {

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<cpu::CpuBackend>(); }

namespace cpu {
void* CpuBackend::allocate(std::int64_t bytes) {
  {
    MemoryCount::Claim claim(count_, bytes);
    bool is_fresh = false;
    if (void* const data = claim.is_granted() ? cache_.allocate(bytes, is_fresh) : nullptr) {
      claim.keep();
      if (is_fresh) count_.note_miss();
      return data;
    }
  }
  throw OutOfMemory(out_of_memory_text(Device::cpu(), bytes, memory_stats()));
}

void CpuBackend::release(void* data, std::int64_t bytes) noexcept {
  cache_.release(data, bytes);
  count_.give_back(bytes);
  const MemoryStats stats = count_.stats();
  if (stats.limit > 0 && stats.used + cache_.kept() > stats.limit) cache_.trim();
}

void CpuBackend::upload(const void* host, void* data, std::int64_t bytes) {
  std::memcpy(data, host, static_cast<std::size_t>(bytes));
}

void CpuBackend::download(const void* data, void* host, std::int64_t bytes) {
  std::memcpy(host, data, static_cast<std::size_t>(bytes));
}

DeviceInfo CpuBackend::info() const {
  return {
      .device = Device::cpu(),
      .name = platform::processor_name(),
      .description = std::to_string(num_threads()) + " thread(s), " + to_string(instruction_set()),
      .total_memory = platform::installed_memory(),
      .free_memory = platform::available_memory(),
      .version = {}};
}

MemoryStats CpuBackend::memory_stats() const {
  MemoryStats stats = count_.stats();
  stats.reserved = stats.used + cache_.kept();
  stats.free = platform::available_memory();
  stats.total = platform::installed_memory();
  return stats;
}

void CpuBackend::trim_memory() { cache_.trim(); }

}  // namespace cpu
}  // namespace gaia
