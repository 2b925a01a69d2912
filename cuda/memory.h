// SPDX-License-Identifier: MIT
/// \file
/// Memory of one device: a pool that is ordered by streams, and who used which block.  Where the
/// driver has no pools, plain allocations, which wait for the device when they are given back.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "../src/array/device_memory.h"
#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

class Memory {
 public:
  /// \throws DeviceError.
  explicit Memory(int device);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// \throws OutOfMemory if the device or the limit has no room, after giving back what the pool
  /// held in reserve and trying again.
  void* allocate(std::int64_t bytes, cudaStream_t stream);
  /// Once everything is done that was given to the streams that used the block.
  void release(void* data, std::int64_t bytes) noexcept;

  /// Notes that `stream` uses the block that `data` lies in, and makes it wait for those that did
  /// before.  Whatever threads do with an array one after the other happens in that order.  A Call
  /// on the stream has begun, unless other threads do not know of it.
  void use(const void* data, cudaStream_t stream);

  /// Lets the GPU `peer` read this memory, if the machine can do that; else copies between the two
  /// go through the host, by the driver.
  void let_read(int peer);

  MemoryStats stats() const;
  void reset_peak() { count_.reset_peak(); }
  /// What the pool keeps in reserve beyond this is given back too, where the host waits.
  void set_limit(std::int64_t bytes);
  /// Waits for the device, and gives back what no array holds.
  void trim();

 private:
  struct Block {
    std::int64_t bytes;
    std::vector<cudaStream_t> users;  ///< The latest, and those that it may not have waited for.
  };

  /// Whether there was room.
  bool take(void** data, std::int64_t bytes, cudaStream_t stream);
  /// Counts an allocation beyond what the pool had in reserve, as far as that is known without
  /// asking the driver each time: arrays hold more than the pool had when it was asked last.
  void note_growth();
  std::uint64_t reserved() const;
  /// Sets the bytes beyond which memory is given back where the host waits.
  void keep_in_reserve(std::uint64_t bytes);

  int device_;
  std::size_t total_ = 0;         ///< Bytes of the device.
  cudaMemPool_t pool_ = nullptr;  ///< Null where the driver has none.
  MemoryCount count_;
  std::atomic<std::int64_t> reserved_{0};  ///< Bytes that the pool had when it was asked last.
  std::mutex mutex_;
  std::map<const char*, Block> blocks_;  ///< By their first byte.
  std::set<int> readers_;                ///< Other GPUs that let_read has seen to.
};

/// Memory for the duration of one operation.
class Scratch {
 public:
  Scratch(Memory& memory, std::int64_t bytes, cudaStream_t stream)
      : memory_(memory), bytes_(bytes), data_(memory.allocate(bytes, stream)) {}
  ~Scratch() { memory_.release(data_, bytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  Memory& memory_;
  std::int64_t bytes_;
  void* data_;
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
