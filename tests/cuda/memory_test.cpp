// SPDX-License-Identifier: MIT
/// \file
/// Memory, streams and devices of the CUDA backend, on emulated hardware.
#include "../../cuda/memory.h"

#include <future>
#include <thread>

#include "../../cuda/streams.h"
#include "../../src/array/array.h"
#include "../../src/array/backend_cuda.h"
#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/log_capture.h"
#include "hardware.h"
#include "queues.h"

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

TEST_CASE("Memory without pools is allocated plainly, whatever the driver says against them") {
  const cudaError_t error = GENERATE(cudaErrorNotSupported, cudaErrorInvalidValue);
  reset_log_once();
  const LogCapture log;
  const WithHardware poor({.memory = 4 * kMebibyte, .pool_error = error});
  cuda::emulated::Memory memory(0);
  CHECK(log.count(LogLevel::info, std::string("[cuda] cuda:0 gives no memory pool (") +
                                      cudaGetErrorName(error) +
                                      "): every allocation asks the driver") == 1);
  const cudaStream_t stream = cuda::emulated::stream_of_thread(0);
  void* const first = memory.allocate(3 * kMebibyte, stream);
  CHECK_THROWS_WITH_TEXT(memory.allocate(2 * kMebibyte, stream), OutOfMemory,
                         "2097152 bytes are not to be had on cuda:0: 3145728 in use by arrays");
  CHECK(memory.stats().used == 3 * kMebibyte);
  memory.release(first, 3 * kMebibyte);
  CHECK(memory.stats().used == 0);
  void* const second = memory.allocate(4 * kMebibyte, stream);
  memory.release(second, 4 * kMebibyte);
  memory.set_limit(100);
  memory.trim();
}

TEST_CASE("More than a device has is not asked for") {
  cuda::emulated::Memory memory(0);
  const cudaStream_t stream = cuda::emulated::stream_of_thread(0);
  CHECK_THROWS_AS(memory.allocate(std::int64_t{1} << 62, stream), OutOfMemory);
}

TEST_CASE("OutOfMemory of a GPU tells every size and the way out") {
  const WithHardware small({.memory = 4 * kMebibyte});
  cuda::emulated::Memory memory(0);
  const cudaStream_t stream = cuda::emulated::stream_of_thread(0);
  void* const most = memory.allocate(3 * kMebibyte, stream);
  CHECK_THROWS_WITH(
      memory.allocate(2 * kMebibyte, stream),
      "[array] 2097152 bytes are not to be had on cuda:0: 3145728 in use by arrays (at "
      "most 3145728 so far), 3145728 reserved, 1048576 free of 4194304; use smaller "
      "blocks, float32, record less, or device 'cpu'");
  memory.set_limit(3 * kMebibyte + 5);
  CHECK_THROWS_WITH(
      memory.allocate(6, stream),
      "[array] 6 bytes are not to be had on cuda:0: 3145728 in use by arrays (at most "
      "3145728 so far) of 3145733 that set_memory_limit allows, 3145728 reserved, "
      "1048576 free of 4194304; raise the limit, or use smaller blocks, float32, "
      "record less, or device 'cpu'");
  void* const rest = memory.allocate(5, stream);
  CHECK(memory.stats().used == 3 * kMebibyte + 5);
  memory.release(rest, 5);
  memory.release(most, 3 * kMebibyte);
}

TEST_CASE("A limit holds the pool's reserve too, where the host waits") {
  cuda::emulated::Memory memory(0);
  const cudaStream_t stream = cuda::emulated::stream_of_thread(0);
  const auto use_and_wait = [&] {
    void* const a = memory.allocate(600, stream);
    void* const b = memory.allocate(300, stream);
    memory.release(a, 600);
    memory.release(b, 300);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  };
  use_and_wait();
  CHECK(memory.stats().reserved == 900);
  memory.set_limit(1000);
  CHECK(memory.stats().reserved == 0);  // setting it gives the reserve back
  CHECK(memory.stats().limit == 1000);
  use_and_wait();
  use_and_wait();
  CHECK(memory.stats().reserved <= 1000);
  memory.set_limit(0);
  use_and_wait();
  use_and_wait();
  CHECK(memory.stats().reserved >= 1800);
}

TEST_CASE("Memory that another stream gave back is there again once it is waited for") {
  const WithHardware small({.memory = 4 * kMebibyte});
  cuda::emulated::Memory memory(0);
  cudaStream_t other = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
  void* const first = memory.allocate(3 * kMebibyte, other);
  memory.release(first, 3 * kMebibyte);
  const cudaStream_t stream = cuda::emulated::stream_of_thread(0);
  void* const second = memory.allocate(2 * kMebibyte, stream);
  memory.release(second, 2 * kMebibyte);
}

TEST_CASE("Why there is no CUDA device is told apart") {
  const auto why = [](const emulator::Hardware& hardware) {
    const WithHardware scope(hardware);
    const OtherCudaDevices others(cuda::emulated::find_devices());
    CHECK_FALSE(is_available(Device::cuda()));
    return why_no_cuda();
  };
  CHECK_SAYS(why({.driver_version = 0, .start_error = cudaErrorInsufficientDriver}),
             "no NVIDIA driver");
  CHECK_SAYS(why({.driver_version = 11040, .start_error = cudaErrorInsufficientDriver}), "too old",
             "11.4");
  CHECK_SAYS(why({.start_error = cudaErrorNoDevice}), "CUDA_VISIBLE_DEVICES");
  CHECK_SAYS(why({.devices = 0}), "CUDA_VISIBLE_DEVICES");
  CHECK_SAYS(why({.compute_capability = 7}), "compute capability 7.0", "8.0 or later");
  CHECK_SAYS(why({.kernel_error = cudaErrorNoKernelImageForDevice}),
             "no code for emulated GPU (compute capability 9.0)", "-DCMAKE_CUDA_ARCHITECTURES=90");
}

TEST_CASE("Access for another GPU that failed is asked for again") {
  using cuda::emulated::Memory;
  const emulator::Hardware broken{.devices = 2, .access_error = cudaErrorInvalidValue};
  const auto with = [](Memory& memory, const emulator::Hardware& hardware) {
    const WithHardware scope(hardware);
    memory.let_read(1);
  };
  Memory memory(0);
  CHECK_THROWS_AS(with(memory, broken), DeviceError);
  CHECK_THROWS_AS(with(memory, broken), DeviceError);
  with(memory, {.devices = 2});
  with(memory, broken);  // it has access
  Memory apart(0);
  with(apart, {.devices = 2, .peers = false});
  with(apart, broken);  // known to be out of reach
}

TEST_CASE("What one thread made, another one's stream waits for, once") {
  const OnEmulatedDevice device;
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

TEST_CASE("Who read at the same time is waited for, whoever noted it last") {
  const emulator::LateStreams late;
  cuda::emulated::Memory memory(0);
  const cudaStream_t mine = cuda::emulated::stream_of_thread(0);
  const auto elsewhere = [&](const auto& work) {
    cudaStream_t theirs = nullptr;
    std::thread([&] {
      const cuda::emulated::Call call(0);
      theirs = call;
      work(call);
    }).join();
    return theirs;
  };
  int value = 1;
  int read = 0;
  // Two threads read: this one notes it first, and gives the work to its stream last.
  const auto read_together = [&](void* block) {
    const cuda::emulated::Call call(0);
    memory.use(block, call);
    const cudaStream_t theirs = elsewhere([&](cudaStream_t stream) { memory.use(block, stream); });
    emulator::enqueue(call, [&] { read = value; });
    return theirs;
  };
  SECTION("before the other one writes") {
    void* const block = memory.allocate(4, mine);
    const cudaStream_t first = read_together(block);
    const cudaStream_t theirs = elsewhere([&](cudaStream_t stream) {
      memory.use(block, stream);
      emulator::enqueue(stream, [&] { value = 2; });
    });
    CHECK(theirs == first);
    cudaStreamSynchronize(theirs);
    CHECK(read == 1);
    // And once it has been waited for, no more.
    const std::int64_t before = emulator::waits();
    elsewhere([&](cudaStream_t stream) { memory.use(block, stream); });
    CHECK(emulator::waits() == before);
    memory.release(block, 4);
  }
  SECTION("before the memory is given back") {
    void* const block = memory.allocate(4, mine);
    const cudaStream_t theirs = read_together(block);
    memory.release(block, 4);
    cudaStreamSynchronize(theirs);
    CHECK(emulator::queued(mine) == 0);
    CHECK(read == 1);
  }
  SECTION("also where nothing but the allocation was noted") {
    void* const block = memory.allocate(4, mine);
    const cuda::emulated::Call call(0);
    const cudaStream_t theirs = elsewhere([&](cudaStream_t stream) { memory.use(block, stream); });
    emulator::enqueue(call, [&] { read = value; });
    elsewhere([&](cudaStream_t stream) {
      memory.use(block, stream);
      emulator::enqueue(stream, [&] { value = 2; });
    });
    cudaStreamSynchronize(theirs);
    CHECK(read == 1);
    memory.release(block, 4);
  }
  cudaStreamSynchronize(mine);
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
  const CudaDevices found = cuda::emulated::find_devices();
  REQUIRE(found.count == 2);
  const std::unique_ptr<Backend> second = found.make(1);
  CHECK(second->info().device == Device::cuda(1));
  CHECK_SAYS(second->info().description, "compute capability 9.0");
}

}  // namespace gaia::test
