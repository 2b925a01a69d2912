// SPDX-License-Identifier: MIT
#include "staging.h"

#include <algorithm>
#include <cstring>

#include "../src/core/log.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

Staging::~Staging() { drop_slots(); }

void Staging::drop_slots() noexcept {
  for (Slot& slot : slots_) {
    if (slot.copied != nullptr) {
      cudaEventSynchronize(slot.copied);
      cudaEventDestroy(slot.copied);
    }
    if (slot.buffer != nullptr) cudaFreeHost(slot.buffer);
    slot = {};
  }
}

bool Staging::make_slots() {
  drop_slots();  // slots of an attempt that ended in an exception
  for (Slot& slot : slots_) {
    void* buffer = nullptr;
    if (cudaHostAlloc(&buffer, static_cast<std::size_t>(chunk_), cudaHostAllocDefault) !=
        cudaSuccess) {
      cudaGetLastError();
      drop_slots();
      log_once(LogLevel::info, "pinned memory",
               "[cuda] no pinned memory to be had: copies to and from the GPU go without, slower");
      return false;
    }
    slot.buffer = static_cast<char*>(buffer);
    check(cudaEventCreateWithFlags(&slot.copied, cudaEventDisableTiming),
          "cudaEventCreateWithFlags");
  }
  return true;
}

bool Staging::serves_locked(std::int64_t bytes) {
  if (bytes <= direct_ || failed_) return false;
  if (!made_) {
    made_ = make_slots();
    failed_ = !made_;
  }
  return made_;
}

bool Staging::serves(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  return serves_locked(bytes);
}

void Staging::upload(const void* host, void* data, std::int64_t bytes, cudaStream_t stream) {
  {
    const std::lock_guard lock(mutex_);
    if (serves_locked(bytes)) {
      for (std::int64_t at = 0, chunk = 0; at < bytes; at += chunk_, ++chunk) {
        const Slot& slot = slots_[chunk % 2];
        const auto size = static_cast<std::size_t>(std::min(chunk_, bytes - at));
        check(cudaEventSynchronize(slot.copied), "upload");
        std::memcpy(slot.buffer, static_cast<const char*>(host) + at, size);
        check(cudaMemcpyAsync(static_cast<char*>(data) + at, slot.buffer, size,
                              cudaMemcpyHostToDevice, stream),
              "upload");
        check(cudaEventRecord(slot.copied, stream), "upload");
      }
      return;
    }
  }
  check(
      cudaMemcpyAsync(data, host, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream),
      "upload");
  check(cudaStreamSynchronize(stream), "upload");
}

void Staging::download(const void* data, void* host, std::int64_t bytes, cudaStream_t stream) {
  {
    const std::lock_guard lock(mutex_);
    if (serves_locked(bytes)) {
      const std::int64_t chunks = (bytes + chunk_ - 1) / chunk_;
      const auto size = [&](std::int64_t chunk) {
        return static_cast<std::size_t>(std::min(chunk_, bytes - chunk * chunk_));
      };
      // One chunk ahead of the host.
      for (std::int64_t chunk = 0; chunk <= chunks; ++chunk) {
        if (chunk < chunks) {
          const Slot& slot = slots_[chunk % 2];
          // An upload on another stream may still read the buffer.
          check(cudaStreamWaitEvent(stream, slot.copied, 0), "download");
          check(cudaMemcpyAsync(slot.buffer, static_cast<const char*>(data) + chunk * chunk_,
                                size(chunk), cudaMemcpyDeviceToHost, stream),
                "download");
          check(cudaEventRecord(slot.copied, stream), "download");
        }
        if (chunk > 0) {
          const Slot& slot = slots_[(chunk - 1) % 2];
          check(cudaEventSynchronize(slot.copied), "download");
          std::memcpy(static_cast<char*>(host) + (chunk - 1) * chunk_, slot.buffer,
                      size(chunk - 1));
        }
      }
      return;
    }
  }
  check(
      cudaMemcpyAsync(host, data, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, stream),
      "download");
  check(cudaStreamSynchronize(stream), "download");
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
