// SPDX-License-Identifier: MIT
#include "memory.h"

#include <algorithm>
#include <iterator>

#include "streams.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

Memory::Memory(int device) : device_(device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  check(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate");
  std::uint64_t keep_all = ~std::uint64_t{0};  // until trim()
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep_all),
        "cudaMemPoolSetAttribute");
}

Memory::~Memory() { cudaMemPoolDestroy(pool_); }

void* Memory::allocate(std::int64_t bytes, cudaStream_t stream) {
  const std::int64_t size = std::max<std::int64_t>(bytes, 1);
  const auto wanted = static_cast<std::size_t>(size);
  void* data = nullptr;
  cudaError_t error = cudaMallocFromPoolAsync(&data, wanted, pool_, stream);
  if (error == cudaErrorMemoryAllocation) {
    // What is on its way back comes back, and what lies in reserve may be in pieces too small.
    cudaGetLastError();
    synchronize_thread(device_);
    trim();
    error = cudaMallocFromPoolAsync(&data, wanted, pool_, stream);
  }
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    const MemoryStats now = stats();
    std::size_t free = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&free, &total);
    throw OutOfMemory("[array] " + std::to_string(bytes) + " bytes are not to be had on cuda:" +
                      std::to_string(device_) + ": " + std::to_string(now.used) +
                      " in use by arrays (at most " + std::to_string(now.peak) + " so far), " +
                      std::to_string(now.reserved) + " reserved, " + std::to_string(free) +
                      " free of " + std::to_string(total) +
                      "; use smaller blocks, float32, record less, or device 'cpu'");
  }
  check(error, "cudaMallocFromPoolAsync");
  const std::lock_guard lock(mutex_);
  blocks_[static_cast<const char*>(data)] = {size, stream};
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return data;
}

void Memory::release(void* data, std::int64_t bytes) noexcept {
  cudaStream_t last = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(static_cast<const char*>(data));
    if (block == blocks_.end()) return;
    last = block->second.last;
    blocks_.erase(block);
    used_ -= bytes;
  }
  cudaFreeAsync(data, last);  // a failure here comes back with the next call
}

void Memory::use(const void* data, cudaStream_t stream) {
  const auto* const at = static_cast<const char*>(data);
  const std::lock_guard lock(mutex_);
  auto block = blocks_.upper_bound(at);
  if (block == blocks_.begin()) return;
  --block;
  if (at > block->first + block->second.bytes || block->second.last == stream) return;
  wait_for(stream, block->second.last);
  block->second.last = stream;
}

MemoryStats Memory::stats() const {
  std::uint64_t reserved = 0;
  check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved),
        "cudaMemPoolGetAttribute");
  const std::lock_guard lock(mutex_);
  return {.used = used_,
          .peak = peak_,
          .reserved = static_cast<std::int64_t>(reserved),
          .arrays = static_cast<std::int64_t>(blocks_.size())};
}

void Memory::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = used_;
}

void Memory::trim() { check(cudaMemPoolTrimTo(pool_, 0), "cudaMemPoolTrimTo"); }

}  // namespace gaia::cuda
