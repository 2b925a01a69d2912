// SPDX-License-Identifier: MIT
/// \file
/// Dynamic shared memory beyond what a kernel has without asking, from several threads and devices.
#include <atomic>
#include <thread>

#include "../../cuda/portable.cuh"
#include "../support/catch.h"
#include "device_numbers.h"
#include "hardware.h"

namespace gaia::test {
namespace {

constexpr std::size_t kKibibyte = 1024;

/// Writes to the last byte of its shared memory.  What a kernel may have is never taken back, so
/// that each test has one of its own.
template <int Test>
__global__ void touch_kernel(std::size_t bytes) {
  GAIA_SHARED_DYNAMIC(unsigned char, all);
  all[bytes - 1] = 1;
}

template <int Test>
const void* kernel() {
  return reinterpret_cast<const void*>(touch_kernel<Test>);
}

template <int Test>
void touch(std::size_t bytes) {
  cuda::launch("touch", touch_kernel<Test>, {.grid = 1, .block = 1, .shared_bytes = bytes}, nullptr,
               bytes);
}

}  // namespace

TEST_CASE("A kernel that has not asked has 48 KiB of dynamic shared memory") {
  emulator::check_shared(kernel<0>(), 48 * kKibibyte);
  CHECK_THROWS_WITH(
      emulator::check_shared(kernel<0>(), 48 * kKibibyte + 1),
      "launch: 49153 bytes of dynamic shared memory, of 49152 that the kernel may have");
  touch<0>(48 * kKibibyte);
  CHECK_THROWS_AS(emulator::check_shared(kernel<0>(), 48 * kKibibyte + 1), emulator::KernelError);
  CHECK_THROWS_AS(touch<0>(228 * kKibibyte), emulator::KernelError);
}

TEST_CASE("What one launch has asked for, a smaller one does not take away") {
  touch<1>(91 * kKibibyte);
  touch<1>(58 * kKibibyte);
  emulator::check_shared(kernel<1>(), 91 * kKibibyte);
  touch<1>(227 * kKibibyte);
  touch<1>(16);
  emulator::check_shared(kernel<1>(), 227 * kKibibyte);
}

TEST_CASE("Threads whose launches take different amounts do not get into each other's way") {
  std::atomic<int> refused{0};
  const auto work = [&](std::size_t bytes) {
    for (int i = 0; i < 200; ++i) {
      try {
        touch<2>(bytes);
      } catch (const emulator::KernelError&) {
        ++refused;
      }
    }
  };
  std::thread large(work, 91 * kKibibyte);
  std::thread small(work, 58 * kKibibyte);
  large.join();
  small.join();
  CHECK(refused == 0);
}

TEST_CASE("Each GPU is asked for itself") {
  const WithHardware two({.devices = 2});
  touch<3>(91 * kKibibyte);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  CHECK_THROWS_AS(emulator::check_shared(kernel<3>(), 58 * kKibibyte), emulator::KernelError);
  touch<3>(58 * kKibibyte);
  emulator::check_shared(kernel<3>(), 58 * kKibibyte);
  CHECK_THROWS_AS(emulator::check_shared(kernel<3>(), 91 * kKibibyte), emulator::KernelError);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  emulator::check_shared(kernel<3>(), 91 * kKibibyte);
}

}  // namespace gaia::test
