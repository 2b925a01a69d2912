// SPDX-License-Identifier: MIT
/// \file
/// Memory, streams and devices of the CUDA backend, on emulated hardware.
#include "../../cuda/memory.h"

#include <future>
#include <thread>

#include "../../cuda/streams.h"
#include "../../src/array/array.h"
#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "with_hardware.h"

namespace gaia::test {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

}  // namespace

TEST_CASE("Memory counts what arrays hold, at most held, and what the pool keeps") {
  cuda::emulated::Memory memory(0);
  const cudaStream_t stream = cuda::emulated::stream_of_thread(0);
  const std::int64_t reserved = memory.stats().reserved;
  void* const a = memory.allocate(1000, stream);
  void* const b = memory.allocate(500, stream);
  CHECK(memory.stats().used == 1500);
  CHECK(memory.stats().arrays == 2);
  memory.release(a, 1000);
  CHECK(memory.stats().used == 500);
  CHECK(memory.stats().peak == 1500);
  CHECK(memory.stats().reserved == reserved + 1500);
  memory.reset_peak();
  CHECK(memory.stats().peak == 500);
  memory.release(b, 500);
  memory.trim();
  CHECK(memory.stats().reserved <= reserved);
  CHECK(memory.stats().arrays == 0);
}

TEST_CASE("Where memory runs out, what lies in reserve is given back before giving up") {
  const WithHardware small({.memory = 4 * kMebibyte});
  cuda::emulated::Memory memory(0);
  const cudaStream_t stream = cuda::emulated::stream_of_thread(0);
  void* const first = memory.allocate(3 * kMebibyte, stream);
  memory.release(first, 3 * kMebibyte);
  void* const second = memory.allocate(2 * kMebibyte, stream);  // does not fit beside the reserve
  CHECK_THROWS_WITH_TEXT(memory.allocate(3 * kMebibyte, stream), OutOfMemory,
                         "3145728 bytes are not to be had on cuda:0: 2097152 in use by arrays");
  CHECK_THROWS_WITH_TEXT(memory.allocate(3 * kMebibyte, stream), OutOfMemory, "device 'cpu'");
  CHECK(memory.stats().used == 2 * kMebibyte);
  memory.release(second, 2 * kMebibyte);
  memory.trim();
}

TEST_CASE("Why there is no CUDA device is told apart") {
  const auto why = [](const emulator::Hardware& hardware) {
    const WithHardware scope(hardware);
    CudaBackends found = cuda::emulated::make_backends();
    CHECK((found.devices.empty() || found.devices[0] == nullptr));
    return found.why_none;
  };
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(why({.driver_version = 0, .start_error = cudaErrorInsufficientDriver}),
             ContainsSubstring("no NVIDIA driver"));
  CHECK_THAT(why({.driver_version = 11040, .start_error = cudaErrorInsufficientDriver}),
             ContainsSubstring("too old") && ContainsSubstring("11.4"));
  CHECK_THAT(why({.start_error = cudaErrorNoDevice}), ContainsSubstring("CUDA_VISIBLE_DEVICES"));
  CHECK_THAT(why({.compute_capability = 7}),
             ContainsSubstring("compute capability 7.0") && ContainsSubstring("8.0 or later"));
  CHECK_THAT(why({.kernel_error = cudaErrorNoKernelImageForDevice}),
             ContainsSubstring("no code for emulated GPU (compute capability 9.0)") &&
                 ContainsSubstring("-DCMAKE_CUDA_ARCHITECTURES=90"));
}

TEST_CASE("What one thread made, another one's stream waits for, once") {
  const EmulatedDevice device;
  const GPUContext scope(device.device());
  const Array x = full({3}, 2.0);
  const std::int64_t before = emulator::waits();
  const auto add = [&] {
    const GPUContext mine(device.device());
    const Array once = x + 1.0;
    const Array again = x + 2.0;
    return (once + again).to_vector<float>();
  };
  CHECK(std::async(std::launch::async, add).get() == std::vector<float>{7, 7, 7});
  CHECK(emulator::waits() == before + 1);
  CHECK((x + x).to_vector<float>() == std::vector<float>{4, 4, 4});
  CHECK(emulator::waits() == before + 2);  // back again
}

TEST_CASE("A thread's stream goes to the next one when it ends") {
  const auto stream = [] {
    cudaStream_t mine = nullptr;
    std::thread([&] { mine = cuda::emulated::stream_of_thread(0); }).join();
    return mine;
  };
  const cudaStream_t mine = cuda::emulated::stream_of_thread(0);
  const cudaStream_t first = stream();
  CHECK(first != mine);
  CHECK(first == stream());
}

TEST_CASE("Every device has a backend of its own") {
  const WithHardware two({.devices = 2});
  CudaBackends found = cuda::emulated::make_backends();
  REQUIRE(found.devices.size() == 2);
  CHECK(found.devices[1]->info().device == Device::cuda(1));
  CHECK_THAT(found.devices[1]->info().description,
             Catch::Matchers::ContainsSubstring("compute capability 9.0"));
}

}  // namespace gaia::test
