// SPDX-License-Identifier: MIT
/// \file
/// Memory of the host, and what is known of it.
#include "backend.h"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

#include "../src/core/error.h"
#include "../src/core/parallel.h"
#include "instruction_set.h"

namespace gaia {

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<cpu::CpuBackend>(); }

namespace cpu {
namespace {

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

}  // namespace

void* CpuBackend::allocate(std::int64_t bytes) {
  void* const data = cache_.allocate(bytes);
  if (data == nullptr) {
    throw OutOfMemory("[array] " + std::to_string(bytes) +
                      " bytes are not to be had on the CPU: " + std::to_string(used_.load()) +
                      " in use by arrays, about " + std::to_string(available_memory()) +
                      " free; use smaller blocks, float32, or record less");
  }
  const std::int64_t used = used_ += bytes;
  ++arrays_;
  std::int64_t peak = peak_.load();
  while (used > peak && !peak_.compare_exchange_weak(peak, used)) {
  }
  return data;
}

void CpuBackend::release(void* data, std::int64_t bytes) noexcept {
  cache_.release(data, bytes);
  used_ -= bytes;
  --arrays_;
}

void CpuBackend::upload(const void* host, void* data, std::int64_t bytes) {
  std::memcpy(data, host, static_cast<std::size_t>(bytes));
}

void CpuBackend::download(const void* data, void* host, std::int64_t bytes) {
  std::memcpy(host, data, static_cast<std::size_t>(bytes));
}

DeviceInfo CpuBackend::info() const {
  const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page_size = static_cast<std::int64_t>(sysconf(_SC_PAGE_SIZE));
  return {.device = Device::cpu(),
          .name = processor_name(),
          .description = std::to_string(num_threads()) + " thread(s), " + to_string(instruction_set()),
          .total_memory = pages * page_size,
          .free_memory = available_memory(),
          .version = {}};
}

MemoryStats CpuBackend::memory_stats() const {
  const std::int64_t used = used_.load();
  return {.used = used, .peak = peak_.load(), .reserved = used + cache_.kept(), .arrays = arrays_.load()};
}

void CpuBackend::reset_peak_memory() { peak_ = used_.load(); }

void CpuBackend::trim_memory() { cache_.trim(); }

}  // namespace cpu
}  // namespace gaia
