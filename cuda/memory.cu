// SPDX-License-Identifier: MIT
#include "memory.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "../src/core/log.h"
#include "streams.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Memory::Memory(int device) : device_(device) {
  std::size_t free = 0;
  check(cudaMemGetInfo(&free, &total_), "cudaMemGetInfo");
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  const cudaError_t error = cudaMemPoolCreate(&pool_, &properties);
  if (error != cudaSuccess) {  // some virtual GPUs; what else is wrong, the first allocation tells
    cudaGetLastError();
    pool_ = nullptr;
    log_once(LogLevel::info, "no pool on " + std::to_string(device),
             "[cuda] " + to_string(Device::cuda(device)) + " gives no memory pool (" +
                 cudaGetErrorName(error) + "): every allocation asks the driver");
    return;
  }
  keep_in_reserve(kEverything);  // until trim()
}

Memory::~Memory() {
  if (pool_ != nullptr) cudaMemPoolDestroy(pool_);
}

void Memory::keep_in_reserve(std::uint64_t bytes) {
  if (pool_ == nullptr) return;
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &bytes),
        "cudaMemPoolSetAttribute");
}

bool Memory::take(void** data, std::int64_t bytes, cudaStream_t stream) {
  const auto size = static_cast<std::size_t>(bytes);
  if (size > total_) return false;  // absurd sizes are invalid values to the driver
  const cudaError_t error = pool_ != nullptr ? cudaMallocFromPoolAsync(data, size, pool_, stream)
                                             : cudaMalloc(data, size);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return false;
  }
  check(error, pool_ != nullptr ? "cudaMallocFromPoolAsync" : "cudaMalloc");
  return true;
}

void* Memory::allocate(std::int64_t bytes, cudaStream_t stream) {
  const std::int64_t size = std::max<std::int64_t>(bytes, 1);
  void* data = nullptr;
  {
    MemoryCount::Claim claim(count_, bytes);
    const auto is_found = [&] { return claim.is_granted() && take(&data, size, stream); };
    bool found = is_found();
    if (!found) {
      // What is on its way back comes back, and what lies in reserve may be in pieces too small.
      trim();
      found = is_found();
    }
    if (found) {
      claim.keep();
      note_growth();
      const std::lock_guard lock(mutex_);
      blocks_[static_cast<const char*>(data)] = {size, {stream}};
      return data;
    }
  }
  throw OutOfMemory(out_of_memory_text(Device::cuda(device_), bytes, stats()));
}

void Memory::note_growth() {
  if (pool_ == nullptr) return count_.note_miss();
  if (count_.used() <= reserved_) return;
  count_.note_miss();
  reserved_ = static_cast<std::int64_t>(reserved());
}

std::uint64_t Memory::reserved() const {
  std::uint64_t bytes = 0;
  if (pool_ != nullptr) {
    check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &bytes),
          "cudaMemPoolGetAttribute");
  }
  return bytes;
}

void Memory::release(void* data, std::int64_t bytes) noexcept {
  std::vector<cudaStream_t> users;
  {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(static_cast<const char*>(data));
    if (block == blocks_.end()) return;
    users = std::move(block->second.users);
    blocks_.erase(block);
  }
  count_.give_back(bytes);
  const cudaStream_t last = users.back();
  users.pop_back();
  try {  // a failure here comes back with the next call
    if (!users.empty()) {
      const DeviceScope scope(device_);
      for (const cudaStream_t user : users) wait_for(last, user);
    }
  } catch (const Error&) {
  }
  if (pool_ != nullptr) {
    cudaFreeAsync(data, last);
  } else {
    const DeviceScope scope(device_);
    cudaFree(data);  // waits for the device
  }
}

void Memory::use(const void* data, cudaStream_t stream) {
  const auto* const at = static_cast<const char*>(data);
  const std::lock_guard lock(mutex_);
  auto block = blocks_.upper_bound(at);
  if (block == blocks_.begin()) return;
  --block;
  if (at > block->first + block->second.bytes) return;
  std::vector<cudaStream_t>& users = block->second.users;
  std::erase_if(users, [stream](cudaStream_t user) {
    if (user == stream) return true;
    // Threads may read an array at the same time: one that has noted that it does may give the work
    // to its stream after this, and is to be waited for again.  Asked before the wait begins,
    // since what comes between the two is in it.
    const bool is_all_given = !has_call_under_way(user);
    wait_for(stream, user);
    return is_all_given;
  });
  users.push_back(stream);
}

void Memory::let_read(int peer) {
  const std::lock_guard lock(mutex_);
  if (readers_.contains(peer)) return;
  int possible = 0;
  check(cudaDeviceCanAccessPeer(&possible, peer, device_), "cudaDeviceCanAccessPeer");
  if (possible != 0 && pool_ != nullptr) {
    cudaMemAccessDesc reader{};
    reader.location.type = cudaMemLocationTypeDevice;
    reader.location.id = peer;
    reader.flags = cudaMemAccessFlagsProtReadWrite;  // pools know no other
    check(cudaMemPoolSetAccess(pool_, &reader, 1), "cudaMemPoolSetAccess");
  }
  readers_.insert(peer);  // after a failure it is asked again
}

MemoryStats Memory::stats() const {
  const DeviceScope scope(device_);
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  MemoryStats stats = count_.stats();
  stats.reserved = static_cast<std::int64_t>(reserved());
  stats.free = static_cast<std::int64_t>(free);
  stats.total = static_cast<std::int64_t>(total);
  return stats;
}

void Memory::set_limit(std::int64_t bytes) {
  count_.set_limit(bytes);
  keep_in_reserve(bytes > 0 ? static_cast<std::uint64_t>(bytes) : kEverything);
  if (bytes > 0) trim();
}

void Memory::trim() {
  const DeviceScope scope(device_);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  if (pool_ != nullptr) check(cudaMemPoolTrimTo(pool_, 0), "cudaMemPoolTrimTo");
  reserved_ = static_cast<std::int64_t>(reserved());
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
