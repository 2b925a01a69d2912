// SPDX-License-Identifier: MIT
/// \file
/// Memory of the host, and what is known of it.
#include "backend.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include "../src/core/error.h"
#include "../src/core/parallel.h"

namespace gaia {

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<cpu::CpuBackend>(); }

namespace cpu {
namespace {

constexpr std::int64_t kAlignment = 64;  // a cache line, and the widest vector

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "CPU";
}

/// What the kernel thinks can be had without swapping.
std::int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    if (word == "MemAvailable:") {
      std::int64_t kibibytes = 0;
      file >> kibibytes;
      return kibibytes * 1024;
    }
  }
  return 0;
}

std::int64_t installed_memory() {
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::int64_t>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace

void* CpuBackend::allocate(std::int64_t bytes) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / kAlignment * kAlignment;
  const std::int64_t blocks = (std::max<std::int64_t>(bytes, 1) - 1) / kAlignment + 1;
  MemoryCount::Claim claim(count_, bytes);
  void* const data =
      !claim.is_granted() || bytes > most
          ? nullptr
          : std::aligned_alloc(kAlignment, static_cast<std::size_t>(blocks * kAlignment));
  if (data == nullptr) {
    throw OutOfMemory(out_of_memory_text(Device::cpu(), bytes, memory_stats()));
  }
  claim.keep();
  return data;
}

void CpuBackend::release(void* data, std::int64_t bytes) noexcept {
  std::free(data);
  count_.give_back(bytes);
}

void CpuBackend::upload(const void* host, void* data, std::int64_t bytes) {
  std::memcpy(data, host, static_cast<std::size_t>(bytes));
}

void CpuBackend::download(const void* data, void* host, std::int64_t bytes) {
  std::memcpy(host, data, static_cast<std::size_t>(bytes));
}

DeviceInfo CpuBackend::info() const {
  return {.device = Device::cpu(),
          .name = processor_name(),
          .description = std::to_string(num_threads()) + " thread(s)",
          .total_memory = installed_memory(),
          .free_memory = available_memory(),
          .version = {}};
}

MemoryStats CpuBackend::memory_stats() const {
  MemoryStats stats = count_.stats();
  stats.reserved = stats.used;
  stats.free = available_memory();
  stats.total = installed_memory();
  return stats;
}

void CpuBackend::trim_memory() {}  // release() has given everything back already

}  // namespace cpu
}  // namespace gaia
