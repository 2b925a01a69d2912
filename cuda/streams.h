// SPDX-License-Identifier: MIT
/// \file
/// The streams of work of each thread on each device.
#pragma once

#include <atomic>

#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Makes `device` the one that CUDA's calls on this thread speak of, until the scope ends; longer
/// where the one before was never used by this process, and would be by going back to it.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// The calling thread's stream on `device` that its scope names (current_stream), which does not
/// wait for any other.  It goes to another thread when this one ends.
cudaStream_t stream_of_thread(int device);

/// A call of the calling thread that gives work to its stream on `device`.  It begins before the
/// memory that it uses is noted (Memory::use), and ends when all its work is with the stream.
class Call {
 public:
  explicit Call(int device);
  Call(const Call& other);
  Call& operator=(const Call& other);
  ~Call();

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_;
  std::atomic<int>* under_way_;
};

/// Whether a call has begun that may give work to `stream` yet.
bool has_call_under_way(cudaStream_t stream);

/// Waits until all that the calling thread has given to any of its streams on `device` is done.
void synchronize_thread(int device);

/// Whether more than one stream was ever created on `device`.
bool has_many_streams(int device);

/// Makes what `later` is given from here on wait for what `earlier` has been given so far.
void wait_for(cudaStream_t later, cudaStream_t earlier);

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
