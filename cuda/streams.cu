// SPDX-License-Identifier: MIT
#include "streams.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "../src/array/device.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

constexpr int kMostDevices = 64;

std::atomic<int> streams_made[kMostDevices];

/// Streams of threads that have ended.  They live on: memory remembers who used it last.
struct IdleStreams {
  std::mutex mutex;
  std::vector<std::pair<int, cudaStream_t>> all;
};

IdleStreams& idle_streams() {
  static IdleStreams& streams = *new IdleStreams;
  return streams;
}

cudaStream_t take_stream(int device) {
  IdleStreams& idle = idle_streams();
  {
    const std::lock_guard lock(idle.mutex);
    for (std::size_t i = 0; i < idle.all.size(); ++i) {
      if (idle.all[i].first != device) continue;
      const cudaStream_t stream = idle.all[i].second;
      idle.all.erase(idle.all.begin() + static_cast<std::ptrdiff_t>(i));
      return stream;
    }
  }
  const DeviceScope scope(device);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  if (device < kMostDevices) ++streams_made[device];
  return stream;
}

/// Those of one thread.
class ThreadStreams {
 public:
  ThreadStreams() = default;
  ThreadStreams(const ThreadStreams&) = delete;
  ThreadStreams& operator=(const ThreadStreams&) = delete;
  ~ThreadStreams() {
    IdleStreams& idle = idle_streams();
    const std::lock_guard lock(idle.mutex);
    for (std::size_t device = 0; device < streams_.size(); ++device) {
      for (const cudaStream_t stream : streams_[device]) {
        if (stream != nullptr) idle.all.emplace_back(static_cast<int>(device), stream);
      }
    }
  }

  cudaStream_t on(int device, Stream which) {
    std::vector<cudaStream_t>& mine = all_on(device);
    const auto number = static_cast<std::size_t>(which.number);
    if (mine.size() <= number) mine.resize(number + 1, nullptr);
    if (mine[number] == nullptr) mine[number] = take_stream(device);
    return mine[number];
  }

  /// By their numbers; null for those that were never used.
  std::vector<cudaStream_t>& all_on(int device) {
    const auto index = static_cast<std::size_t>(device);
    if (streams_.size() <= index) streams_.resize(index + 1);
    return streams_[index];
  }

 private:
  std::vector<std::vector<cudaStream_t>> streams_;
};

ThreadStreams& streams_of_thread() {
  thread_local ThreadStreams streams;
  return streams;
}

}  // namespace

DeviceScope::DeviceScope(int device) {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  changed_ = before_ != device;
  if (changed_) check(cudaSetDevice(device), "cudaSetDevice");
}

DeviceScope::~DeviceScope() {
  if (changed_) cudaSetDevice(before_);
}

cudaStream_t stream_of_thread(int device) {
  return streams_of_thread().on(device, current_stream());
}

void synchronize_thread(int device) {
  for (const cudaStream_t stream : streams_of_thread().all_on(device)) {
    if (stream != nullptr) check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
}

bool has_many_streams(int device) { return device >= kMostDevices || streams_made[device] > 1; }

void wait_for(cudaStream_t later, cudaStream_t earlier) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  cudaError_t error = cudaEventRecord(event, earlier);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(later, event, 0);
  cudaEventDestroy(event);  // CUDA keeps it until it has happened
  check(error, "cudaStreamWaitEvent");
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
