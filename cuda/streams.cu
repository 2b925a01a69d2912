// SPDX-License-Identifier: MIT
#include "streams.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../src/array/device.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

constexpr int kMostDevices = 64;

std::atomic<int> streams_made[kMostDevices];

struct OwnedStream {
  explicit OwnedStream(int of_device) : device(of_device) {}
  int device;
  cudaStream_t stream = nullptr;
  std::atomic<int> calls{0};  ///< Under way, of the thread whose stream it is.
  bool is_idle = false;       ///< Whether that thread has ended.
};

/// All of them.  They outlive their threads: memory remembers who used it.
struct AllStreams {
  std::mutex mutex;
  std::vector<std::unique_ptr<OwnedStream>> all;
};

AllStreams& all_streams() {
  static AllStreams& streams = *new AllStreams;
  return streams;
}

OwnedStream* take_stream(int device) {
  AllStreams& streams = all_streams();
  const std::lock_guard lock(streams.mutex);
  for (const auto& one : streams.all) {
    if (one->device == device && std::exchange(one->is_idle, false)) return one.get();
  }
  const DeviceScope scope(device);
  auto made = std::make_unique<OwnedStream>(device);
  check(cudaStreamCreateWithFlags(&made->stream, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags");
  streams.all.push_back(std::move(made));
  if (device < kMostDevices) ++streams_made[device];
  return streams.all.back().get();
}

/// Those of one thread.
class ThreadStreams {
 public:
  ThreadStreams() = default;
  ThreadStreams(const ThreadStreams&) = delete;
  ThreadStreams& operator=(const ThreadStreams&) = delete;
  ~ThreadStreams() {
    const std::lock_guard lock(all_streams().mutex);
    for (const std::vector<OwnedStream*>& of_device : streams_) {
      for (OwnedStream* const mine : of_device) {
        if (mine != nullptr) mine->is_idle = true;
      }
    }
  }

  OwnedStream* on(int device, Stream which) {
    std::vector<OwnedStream*>& mine = all_on(device);
    const auto number = static_cast<std::size_t>(which.number);
    if (mine.size() <= number) mine.resize(number + 1, nullptr);
    if (mine[number] == nullptr) mine[number] = take_stream(device);
    return mine[number];
  }

  /// By their numbers; null for those that were never used.
  std::vector<OwnedStream*>& all_on(int device) {
    const auto index = static_cast<std::size_t>(device);
    if (streams_.size() <= index) streams_.resize(index + 1);
    return streams_[index];
  }

 private:
  std::vector<std::vector<OwnedStream*>> streams_;
};

ThreadStreams& streams_of_thread() {
  thread_local ThreadStreams streams;
  return streams;
}

#ifdef __CUDACC__

/// The type of the driver's cuDevicePrimaryCtxGetState(device, flags, is_active).
using ContextState = int (*)(int, unsigned*, int*);

ContextState find_context_state() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", &found,
                                                             12000, cudaEnableDefault, &result);
#else
  const cudaError_t error =
      cudaGetDriverEntryPoint("cuDevicePrimaryCtxGetState", &found, cudaEnableDefault, &result);
#endif
  if (error == cudaSuccess && result == cudaDriverEntryPointSuccess) {
    return reinterpret_cast<ContextState>(found);
  }
  cudaGetLastError();
  return nullptr;
}

/// Whether anybody in this process has used `device`.
bool has_context(int device) {
  static const ContextState state = find_context_state();
  unsigned flags = 0;
  int is_active = 0;
  return state == nullptr || (state(device, &flags, &is_active) == 0 && is_active != 0);
}

#else

using emulator::has_context;

#endif

}  // namespace

DeviceScope::DeviceScope(int device) {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  changed_ = before_ != device;
  if (changed_) check(cudaSetDevice(device), "cudaSetDevice");
}

DeviceScope::~DeviceScope() {
  // cudaSetDevice makes a context where there is none, and every thread begins with device 0.
  if (changed_ && has_context(before_)) cudaSetDevice(before_);
}

cudaStream_t stream_of_thread(int device) {
  return streams_of_thread().on(device, current_stream())->stream;
}

Call::Call(int device) {
  OwnedStream* const mine = streams_of_thread().on(device, current_stream());
  stream_ = mine->stream;
  under_way_ = &mine->calls;
  ++*under_way_;
}

Call::Call(const Call& other) : stream_(other.stream_), under_way_(other.under_way_) {
  ++*under_way_;
}

Call& Call::operator=(const Call& other) {
  ++*other.under_way_;
  --*under_way_;
  stream_ = other.stream_;
  under_way_ = other.under_way_;
  return *this;
}

Call::~Call() { --*under_way_; }

bool has_call_under_way(cudaStream_t stream) {
  AllStreams& streams = all_streams();
  const std::lock_guard lock(streams.mutex);
  for (const auto& one : streams.all) {
    if (one->stream == stream) return one->calls > 0;
  }
  return false;
}

void synchronize_thread(int device) {
  for (const OwnedStream* const mine : streams_of_thread().all_on(device)) {
    if (mine != nullptr) check(cudaStreamSynchronize(mine->stream), "cudaStreamSynchronize");
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
