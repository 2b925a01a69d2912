// SPDX-License-Identifier: MIT
/// \file
/// Four random words in a kernel, those of RandomStream::block: Philox4x32-10 of Salmon, Moraes,
/// Dror & Shaw (2011), Proc. SC.
#pragma once

#include "../src/core/random.h"
#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Block `index` of `stream`.
__device__ inline void random_block(const RandomStream& stream, std::uint64_t index,
                                    std::uint32_t (&words)[4]) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  std::uint32_t key[2] = {low(stream.seed), high(stream.seed)};
  std::uint32_t w[4] = {low(index), high(index), low(stream.stream), high(stream.stream)};
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xd2511f53u} * w[0];
    const std::uint64_t second = std::uint64_t{0xcd9e8d57u} * w[2];
    w[0] = high(second) ^ w[1] ^ key[0];
    w[1] = low(second);
    w[2] = high(first) ^ w[3] ^ key[1];
    w[3] = low(first);
    key[0] += 0x9e3779b9u;
    key[1] += 0xbb67ae85u;
  }
  for (int i = 0; i < 4; ++i) words[i] = w[i];
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
