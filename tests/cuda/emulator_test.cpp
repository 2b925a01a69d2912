// SPDX-License-Identifier: MIT
/// \file
/// Does the emulator see what it is there to see?  Right kernels pass under every schedule; a copy
/// with a planted bug is caught under at least one, or by the sanitizer whose job it is.
#include <numeric>
#include <vector>

#include "../support/catch.h"
#include "caught.h"
#include "device_numbers.h"
#include "planted_bugs.cuh"

namespace gaia::test {
namespace {

template <Bug bug>
Verdict sums_are_right() {
  for (const int count : {1, 63, 64, 65, 200}) {
    const int blocks = (count + kBlock - 1) / kBlock;
    const DeviceNumbers<float> x(static_cast<std::size_t>(count));
    const DeviceNumbers<float> sums(static_cast<std::size_t>(blocks));
    for (int i = 0; i < count; ++i) x[i] = static_cast<float>(i % 17);
    cuda::launch("sum", sum_kernel<bug>, {.grid = static_cast<unsigned>(blocks), .block = kBlock},
                 nullptr, count, x.data(), sums.data());
    cudaStreamSynchronize(nullptr);
    for (int block = 0; block < blocks; ++block) {
      float expected = 0;
      for (int i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i) expected += x[i];
      if (!(sums[block] == 3.0f * expected)) return false;
    }
  }
  return true;
}

template <Bug bug>
Verdict transposes_are_right() {
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{8, 8}, {5, 3}, {17, 26}}) {
    const DeviceNumbers<float> x(static_cast<std::size_t>(rows * columns));
    const DeviceNumbers<float> y(static_cast<std::size_t>(rows * columns));
    for (int i = 0; i < rows * columns; ++i) x[i] = static_cast<float>(i);
    cuda::launch(
        "transpose", transpose_kernel<bug>,
        {.grid = {static_cast<unsigned>((columns + 7) / 8), static_cast<unsigned>((rows + 7) / 8)},
         .block = {8, 8}},
        nullptr, rows, columns, x.data(), y.data());
    cudaStreamSynchronize(nullptr);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        if (!(y[j * rows + i] == x[i * columns + j])) return false;
      }
    }
  }
  return true;
}

template <Bug bug>
Verdict warps_are_right() {
  const DeviceNumbers<float> x(kBlock);
  const DeviceNumbers<float> y(kBlock);
  for (int i = 0; i < kBlock; ++i) x[i] = static_cast<float>(i * i % 31);
  cuda::launch("warp", warp_kernel<bug>,
               {.grid = 1, .block = kBlock, .shared_bytes = kBlock * sizeof(float)}, nullptr,
               x.data(), y.data());
  cudaStreamSynchronize(nullptr);
  for (int i = 0; i < kBlock; ++i) {
    const int first = i / 32 * 32;
    const float mean = std::accumulate(x.data() + first, x.data() + first + 32, 0.0f) / 32.0f;
    if (!(y[i] == mean - x[first + (i - first + 31) % 32])) return false;
  }
  return true;
}

template <Bug bug>
Verdict copies_are_right() {
  constexpr int tiles = 5;
  const DeviceNumbers<float> x(tiles * kBlock);
  const DeviceNumbers<float> y(kBlock);
  for (int i = 0; i < tiles * kBlock; ++i) x[i] = static_cast<float>(i * i % 31);
  cuda::launch("copy", copy_kernel<bug>, {.grid = 1, .block = kBlock}, nullptr, tiles, x.data(),
               y.data());
  cudaStreamSynchronize(nullptr);
  for (int i = 0; i < kBlock; ++i) {
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) sum += x[tile * kBlock + (i + 1) % kBlock];
    if (!(y[i] == sum)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("Right kernels are right under every schedule") {
  for_each_schedule([](const char* name) {
    INFO(name);
    CHECK(sums_are_right<Bug::none>());
    CHECK(transposes_are_right<Bug::none>());
    CHECK(warps_are_right<Bug::none>());
    CHECK(copies_are_right<Bug::none>());
  });
}

TEST_CASE("Planted bugs are caught") {
  CHECK_FALSE(is_caught(sums_are_right<Bug::none>));
  CHECK_FALSE(is_caught(warps_are_right<Bug::none>));
  CHECK(is_caught(sums_are_right<Bug::no_barrier_after_write>));
  CHECK(is_caught(sums_are_right<Bug::no_barrier_before_rewrite>));
  CHECK(is_caught(sums_are_right<Bug::early_return>));
  CHECK(is_caught(sums_are_right<Bug::divergent_barrier>));
  CHECK(is_caught(sums_are_right<Bug::uninitialised_shared>));
  CHECK(is_caught(sums_are_right<Bug::racing_blocks>));
  CHECK(is_caught(transposes_are_right<Bug::no_barrier_after_write>));
  CHECK(is_caught(transposes_are_right<Bug::tile_too_short>));
  CHECK(is_caught(transposes_are_right<Bug::wrong_block_offset>));
  CHECK(is_caught(warps_are_right<Bug::no_warp_barrier>));
  CHECK(is_caught(warps_are_right<Bug::divergent_shuffle>));
  CHECK(is_caught(warps_are_right<Bug::mask_too_small>));
  CHECK_FALSE(is_caught(copies_are_right<Bug::none>));
  CHECK(is_caught(copies_are_right<Bug::copy_not_waited_for>));
  CHECK(is_caught(copies_are_right<Bug::copied_over_while_read>));
#ifdef __SANITIZE_ADDRESS__
  CHECK(is_caught(sums_are_right<Bug::off_by_one>));
  CHECK(is_caught(warps_are_right<Bug::too_little_dynamic_shared>));
#endif
}

TEST_CASE("Errors of kernels name the kernel, the file and the line") {
  CHECK_THROWS_WITH(sums_are_right<Bug::early_return>(),
                    ContainsSubstring("[sum]") && ContainsSubstring("have returned") &&
                        ContainsSubstring("planted_bugs.cuh:"));
  CHECK_THROWS_WITH(sums_are_right<Bug::divergent_barrier>(), ContainsSubstring("different"));
  CHECK_THROWS_WITH(warps_are_right<Bug::divergent_shuffle>(), ContainsSubstring("collective"));
}

TEST_CASE("Launches that hardware refuses are refused") {
  const auto launch = [](cuda::LaunchShape shape) {
    cuda::launch("sum", sum_kernel<Bug::none>, shape, nullptr, 0,
                 static_cast<const float*>(nullptr), static_cast<float*>(nullptr));
  };
  CHECK_THROWS_AS(launch({.grid = 1, .block = 1025}), emulator::KernelError);
  CHECK_THROWS_AS(launch({.grid = 0, .block = kBlock}), emulator::KernelError);
  CHECK_THROWS_AS(launch({.grid = {1, 65536}, .block = kBlock}), emulator::KernelError);
  CHECK_THROWS_AS(launch({.grid = 1, .block = kBlock, .shared_bytes = 300000}),
                  emulator::KernelError);
}

}  // namespace gaia::test
