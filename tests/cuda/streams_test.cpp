// SPDX-License-Identifier: MIT
/// \file
/// Does the emulator show a wait that is missing?  Programs of several streams are right whenever
/// work is done; copies of them that forgot a wait are not, when it is done late.
#include "../../cuda/streams.h"

#include <array>
#include <utility>
#include <vector>

#include "../../cuda/portable.cuh"
#include "../support/catch.h"
#include "caught.h"
#include "queues.h"

namespace gaia::test {
namespace {

enum class Missing {
  nothing,
  wait_before_refill,         ///< Refill of a pinned buffer that the device has not read.
  wait_before_reading,        ///< Read on the host of what a copy transfers.
  wait_before_consuming,      ///< Use of another stream's result.
  wait_after_recording,       ///< The event was recorded before the work that it stands for.
  wait_before_overwriting,    ///< Write over what another stream still reads.
  wait_before_freeing,        ///< Release of what another stream still reads.
  wait_for_the_allocation,    ///< On a stream that did not allocate the memory.
  wait_before_freeing_buffer  ///< A pinned buffer that the device has not read.
};

constexpr int kCount = 1000;
constexpr std::size_t kBytes = kCount * sizeof(float);

__global__ void add_kernel(float value, const float* x, float* y) {
  const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kCount) y[i] = x[i] + value;
}

void add(float value, const float* x, float* y, cudaStream_t stream) {
  cuda::launch("add", add_kernel, {.grid = (kCount + 63) / 64, .block = 64}, stream, value, x, y);
}

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  return stream;
}

float* on_device(cudaStream_t stream) {
  void* data = nullptr;
  cuda::check(cudaMallocFromPoolAsync(&data, kBytes, nullptr, stream), "malloc");
  return static_cast<float*>(data);
}

float* pinned() {
  void* data = nullptr;
  cuda::check(cudaHostAlloc(&data, kBytes, cudaHostAllocDefault), "pinned");
  return static_cast<float*>(data);
}

bool all_are(const float* values, float expected) {
  for (int i = 0; i < kCount; ++i) {
    if (!(values[i] == expected)) return false;
  }
  return true;
}

/// Sends 1 and then 2 through one pinned buffer and brings their sum, 3, back.
template <Missing missing>
Verdict staged_copies_are_right() {
  const cudaStream_t stream = make_stream();
  float* const buffer = pinned();
  float* const a = on_device(stream);
  float* const b = on_device(stream);
  std::vector<float> result(kCount);
  for (const auto& [number, to] : {std::pair{1.0f, a}, std::pair{2.0f, b}}) {
    std::fill(buffer, buffer + kCount, number);
    cudaMemcpyAsync(to, buffer, kBytes, cudaMemcpyHostToDevice, stream);
    if (missing != Missing::wait_before_refill) cudaStreamSynchronize(stream);
  }
  if (missing == Missing::wait_before_refill) cudaStreamSynchronize(stream);
  const bool sent = [&] {
    cudaMemcpyAsync(result.data(), a, kBytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    return all_are(result.data(), 1.0f);
  }();
  add(1.0f, b, a, stream);
  cudaMemcpyAsync(result.data(), a, kBytes, cudaMemcpyDeviceToHost, stream);
  if (missing != Missing::wait_before_reading) cudaStreamSynchronize(stream);
  const bool right = sent && all_are(result.data(), 3.0f);
  cudaStreamSynchronize(stream);
  std::fill(buffer, buffer + kCount, 7.0f);
  cudaMemcpyAsync(b, buffer, kBytes, cudaMemcpyHostToDevice, stream);
  if (missing != Missing::wait_before_freeing_buffer) cudaStreamSynchronize(stream);
  cudaFreeHost(buffer);
  cudaMemcpyAsync(result.data(), b, kBytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  const bool whole = all_are(result.data(), 7.0f);
  cudaFreeAsync(a, stream);
  cudaFreeAsync(b, stream);
  cudaStreamSynchronize(stream);
  return right && whole;
}

/// x = 1 on one stream, y = x + 1 on another, x = 0 on the first again; y is 2, whichever of the
/// two the host waits for first.
template <Missing missing>
Verdict consumer_is_right(bool wait_for_producer_first) {
  const cudaStream_t first = make_stream();
  const cudaStream_t second = make_stream();
  float* const x = on_device(first);
  float* const y = on_device(second);
  const std::vector<float> ones(kCount, 1.0f);
  std::vector<float> result(kCount);
  cudaEvent_t made = nullptr;
  cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
  if (missing == Missing::wait_after_recording) cudaEventRecord(made, first);
  cudaMemcpyAsync(x, ones.data(), kBytes, cudaMemcpyHostToDevice, first);
  if (missing != Missing::wait_after_recording) cudaEventRecord(made, first);
  if (missing != Missing::wait_before_consuming) cudaStreamWaitEvent(second, made, 0);
  if (missing == Missing::wait_for_the_allocation) {
    float* const z = on_device(first);
    add(1.0f, x, z, second);
    cudaStreamSynchronize(second);
    add(0.0f, z, y, first);
    cudaFreeAsync(z, first);
    cuda::wait_for(second, first);
  } else {
    add(1.0f, x, y, second);
  }
  if (missing != Missing::wait_before_overwriting && missing != Missing::wait_before_freeing) {
    cuda::wait_for(first, second);
  }
  if (missing == Missing::wait_before_freeing) {
    cudaFreeAsync(x, first);
  } else {
    cudaMemsetAsync(x, 0, kBytes, first);
  }
  if (wait_for_producer_first) cudaStreamSynchronize(first);
  cudaMemcpyAsync(result.data(), y, kBytes, cudaMemcpyDeviceToHost, second);
  cudaStreamSynchronize(second);
  if (missing != Missing::wait_before_freeing) cudaFreeAsync(x, first);
  cudaFreeAsync(y, second);
  cudaStreamSynchronize(first);
  cudaStreamSynchronize(second);
  cudaEventDestroy(made);
  return all_are(result.data(), 2.0f);
}

template <Missing missing>
Verdict two_streams_are_right() {
  return consumer_is_right<missing>(true) && consumer_is_right<missing>(false);
}

/// A timing for a scope.
class Timed {
 public:
  explicit Timed(emulator::Timing timing) : before_(emulator::timing()) {
    emulator::set_timing(timing);
  }
  ~Timed() { emulator::set_timing(before_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  emulator::Timing before_;
};

bool is_caught(Verdict (*run)(), emulator::Timing timing) {
  return is_caught_apart([&](const auto& judge) {
    const Timed timed(timing);
    judge(run);
  });
}

}  // namespace

TEST_CASE("Programs that wait are right whenever work is done") {
  for (const auto timing : {emulator::Timing::at_once, emulator::Timing::late}) {
    CHECK_FALSE(is_caught(staged_copies_are_right<Missing::nothing>, timing));
    CHECK_FALSE(is_caught(two_streams_are_right<Missing::nothing>, timing));
  }
}

TEST_CASE("A missing wait is caught where work is done late") {
  const auto caught = [](Verdict (*run)()) { return is_caught(run, emulator::Timing::late); };
  CHECK(caught(staged_copies_are_right<Missing::wait_before_refill>));
  CHECK(caught(staged_copies_are_right<Missing::wait_before_reading>));
  CHECK(caught(staged_copies_are_right<Missing::wait_before_freeing_buffer>));
  CHECK(caught(two_streams_are_right<Missing::wait_before_consuming>));
  CHECK(caught(two_streams_are_right<Missing::wait_after_recording>));
  CHECK(caught(two_streams_are_right<Missing::wait_before_overwriting>));
  CHECK(caught(two_streams_are_right<Missing::wait_before_freeing>));
  CHECK(caught(two_streams_are_right<Missing::wait_for_the_allocation>));
}

TEST_CASE("Work is done late in the order of its stream, and no more of it than is waited for") {
  const Timed late(emulator::Timing::late);
  const cudaStream_t first = make_stream();
  const cudaStream_t second = make_stream();
  std::vector<int> done;
  const auto note = [&](cudaStream_t stream, int number) {
    emulator::enqueue(stream, [&done, number] { done.push_back(number); });
  };
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  note(first, 1);
  note(first, 2);
  cudaEventRecord(event, first);
  note(first, 3);
  note(second, 10);
  cudaStreamWaitEvent(second, event, 0);
  note(second, 11);
  CHECK(done.empty());
  cudaStreamSynchronize(second);
  CHECK(done == std::vector<int>{10, 1, 2, 11});
  CHECK(cudaEventQuery(event) == cudaSuccess);
  CHECK(cudaStreamQuery(second) == cudaSuccess);
  note(first, 4);
  CHECK(cudaStreamQuery(first) == cudaErrorNotReady);
  CHECK(cudaStreamQuery(first) == cudaSuccess);  // asking again comes to an end
  CHECK(done == std::vector<int>{10, 1, 2, 11, 3, 4});
  note(first, 5);
  cudaEventRecord(event, first);
  note(first, 6);
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  cudaEventSynchronize(event);
  CHECK(done.back() == 5);
  note(second, 12);
  cudaDeviceSynchronize();
  CHECK(done.size() == 9);
  for (int i = 0; i < 1024; ++i) note(first, 100 + i);
  CHECK(done.back() < 100);
  note(first, 2000);  // hardware holds no more, and makes the host wait for the first
  CHECK(done.back() == 100);
  cudaStreamSynchronize(first);
  cudaEventDestroy(event);
}

TEST_CASE("Copies that hardware refuses are refused") {
  const cudaStream_t stream = make_stream();
  float* const there = on_device(stream);
  std::array<float, kCount> here{};
  CHECK(cudaMemcpyAsync(there, here.data(), kBytes, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  CHECK(cudaMemcpyAsync(there + 1, here.data(), kBytes, cudaMemcpyHostToDevice, stream) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(here.data(), there, kBytes, cudaMemcpyHostToDevice, stream) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(there, there, kBytes, cudaMemcpyDeviceToHost, stream) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemsetAsync(there, 0, kBytes + 1, stream) == cudaErrorInvalidValue);
  CHECK(cudaFreeAsync(there, stream) == cudaSuccess);
  CHECK(cudaFreeAsync(there, stream) == cudaErrorInvalidValue);
  CHECK(cudaFreeAsync(here.data(), stream) == cudaErrorInvalidValue);
  cudaStreamSynchronize(stream);
  cudaGetLastError();
}

}  // namespace gaia::test
