// SPDX-License-Identifier: MIT
/// \file
/// Copies between ordinary memory of the host and a device through two pinned buffers.
///
/// A device reads and writes pinned memory by itself and at full speed; ordinary memory it cannot.
/// So a copy is cut into chunks, and while the device copies one the host copies the next.
#pragma once

#include <cstdint>
#include <mutex>

#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// For one device, which has to be current in every call; any number of threads.
class Staging {
 public:
  static constexpr std::int64_t kChunk = std::int64_t{16} << 20;
  static constexpr std::int64_t kDirect = std::int64_t{64} << 10;

  /// Chunks of `chunk` bytes; copies of up to `direct` bytes are left to the driver.
  explicit Staging(std::int64_t chunk = kChunk, std::int64_t direct = kDirect)
      : chunk_(chunk), direct_(direct) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Copies to the device's `data` on `stream`, and returns when `host` may change.
  void upload(const void* host, void* data, std::int64_t bytes, cudaStream_t stream);
  /// Copies from the device's `data` on `stream`, and returns when `host` has everything.
  void download(const void* data, void* host, std::int64_t bytes, cudaStream_t stream);

  /// Whether copies of this size go through the buffers, which are created when they first do; not
  /// where the system has no such memory to give.
  bool serves(std::int64_t bytes);

 private:
  struct Slot {
    char* buffer = nullptr;
    cudaEvent_t copied = nullptr;  ///< When the device is done with the buffer.
  };

  bool make_slots();
  void drop_slots() noexcept;
  bool serves_locked(std::int64_t bytes);

  std::int64_t chunk_;
  std::int64_t direct_;
  std::mutex mutex_;  ///< Copies of several threads take turns.
  Slot slots_[2];
  bool made_ = false;
  bool failed_ = false;
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
