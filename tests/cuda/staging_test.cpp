// SPDX-License-Identifier: MIT
/// \file
/// Copies through pinned buffers, around the sizes of their chunks.
#include "../../cuda/staging.h"

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "../../cuda/streams.h"
#include "../../src/array/array.h"
#include "../../src/array/create.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/log_capture.h"
#include "hardware.h"

namespace gaia::test {
namespace {

constexpr std::int64_t kChunk = 64;

/// Memory of a device for a scope.
class There {
 public:
  There(std::int64_t bytes, cudaStream_t stream) : stream_(stream) {
    cuda::check(cudaMallocFromPoolAsync(&data_, static_cast<std::size_t>(bytes), nullptr, stream),
                "test");
  }
  ~There() { cudaFreeAsync(data_, stream_); }
  There(const There&) = delete;
  There& operator=(const There&) = delete;
  void* data() const { return data_; }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
};

using Bytes = std::vector<unsigned char>;

Bytes bytes_of(std::int64_t count, unsigned char value) {
  return Bytes(static_cast<std::size_t>(count), value);
}

Bytes downloaded(cuda::emulated::Staging& staging, const There& from, std::int64_t bytes,
                 cudaStream_t stream) {
  Bytes back = bytes_of(bytes, 0);
  staging.download(from.data(), back.data(), bytes, stream);
  return back;
}

/// The thread's, and one that nothing makes wait for it.
struct TwoStreams {
  cudaStream_t mine = cuda::emulated::stream_of_thread(0);
  cudaStream_t other = nullptr;

  TwoStreams() { REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess); }
};

/// Whether `bytes` bytes come back as they went, though the host changes its own right afterwards.
bool travels(cuda::emulated::Staging& staging, std::int64_t bytes, unsigned char first) {
  const cudaStream_t stream = cuda::emulated::stream_of_thread(0);
  const There there(bytes, stream);
  Bytes sent = bytes_of(bytes, 0);
  std::iota(sent.begin(), sent.end(), first);
  const Bytes expected = sent;
  staging.upload(sent.data(), there.data(), bytes, stream);
  std::fill(sent.begin(), sent.end(), static_cast<unsigned char>(0));
  return downloaded(staging, there, bytes, stream) == expected;
}

}  // namespace

TEST_CASE("Copies of any size around a chunk arrive whole, one after the other") {
  cuda::emulated::Staging staging(kChunk, 16);
  for (const std::int64_t bytes : {1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 191, 192, 193, 1000}) {
    INFO(bytes << " bytes");
    CHECK(staging.serves(bytes) == (bytes > 16));
    CHECK(travels(staging, bytes, static_cast<unsigned char>(bytes)));
  }
}

TEST_CASE("Uploads on two streams wait for the buffers that they share") {
  const TwoStreams on;
  cuda::emulated::Staging staging(kChunk, 0);
  const There a(kChunk, on.mine);
  const There b(2 * kChunk, on.other);
  staging.upload(bytes_of(kChunk, 1).data(), a.data(), kChunk, on.mine);
  staging.upload(bytes_of(2 * kChunk, 2).data(), b.data(), 2 * kChunk, on.other);
  CHECK(downloaded(staging, b, 2 * kChunk, on.other) == bytes_of(2 * kChunk, 2));
  CHECK(downloaded(staging, a, kChunk, on.mine) == bytes_of(kChunk, 1));
}

TEST_CASE("A download into a buffer waits for the upload that another stream makes from it") {
  const TwoStreams on;
  cuda::emulated::Staging staging(kChunk, 0);
  const There a(kChunk, on.mine);
  const There b(kChunk, on.other);
  REQUIRE(cudaMemsetAsync(b.data(), 2, kChunk, on.other) == cudaSuccess);
  staging.upload(bytes_of(kChunk, 1).data(), a.data(), kChunk, on.mine);
  CHECK(downloaded(staging, b, kChunk, on.other) == bytes_of(kChunk, 2));
  CHECK(downloaded(staging, a, kChunk, on.mine) == bytes_of(kChunk, 1));
}

TEST_CASE("Several threads may copy at the same time") {
  cuda::emulated::Staging staging(kChunk, 16);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        if (!travels(staging, 10 + 17 * i, static_cast<unsigned char>(50 * t))) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("Without pinned memory copies go without, and one line says so") {
  for (const std::size_t pinned : {0U, 64U, 127U}) {  // two buffers of 64 do not fit
    INFO(pinned);
    const WithHardware poor({.pinned_memory = pinned});
    const LogCapture log;
    reset_log_once();
    {
      cuda::emulated::Staging staging(kChunk, 16);
      CHECK(travels(staging, 1000, 3));
      CHECK(travels(staging, 1000, 4));
      CHECK_FALSE(staging.serves(1000));
    }
    CHECK(log.lines.size() == 1);
    CHECK(log.count(LogLevel::info,
                    "[cuda] no pinned memory to be had: copies to and from the GPU go without, "
                    "slower") == 1);
  }
  const WithHardware enough({.pinned_memory = 128});
  cuda::emulated::Staging staging(kChunk, 16);
  CHECK(travels(staging, 1000, 3));
  CHECK(staging.serves(1000));
}

TEST_CASE("Arrays travel through more than one chunk of the device's own size") {
  const EmulatedDevice device;
  const std::int64_t size = (2 * cuda::emulated::Staging::kChunk + 4096) / 4;
  const Array x = arange(0, static_cast<double>(size)).astype(DType::float32);
  const Array back = x.to(device.device()).to(Device::cpu());
  const auto sent = x.elements<float>();
  const auto got = back.elements<float>();
  CHECK(std::equal(sent.begin(), sent.end(), got.begin(), got.end()));
}

}  // namespace gaia::test
