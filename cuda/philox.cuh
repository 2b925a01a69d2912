// SPDX-License-Identifier: MIT
/// \file
/// Four random words in a kernel, those of RandomStream::block: from cuRAND's header under nvcc,
/// from Random123 under a C++ compiler.
#pragma once

#include "../src/core/random.h"
#include "portable.cuh"

#ifdef __CUDACC__
#include <curand_philox4x32_x.h>
#else
#include <Random123/philox.h>
#endif

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Block `index` of `stream`.
__device__ inline void random_block(const RandomStream& stream, std::uint64_t index,
                                    std::uint32_t (&words)[4]) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
#ifdef __CUDACC__
  const uint4 w =
      curand_Philox4x32_10(uint4{low(index), high(index), low(stream.stream), high(stream.stream)},
                           uint2{low(stream.seed), high(stream.seed)});
  words[0] = w.x;
  words[1] = w.y;
  words[2] = w.z;
  words[3] = w.w;
#else
  const r123::Philox4x32::ctr_type w =
      r123::Philox4x32{}({{low(index), high(index), low(stream.stream), high(stream.stream)}},
                         {{low(stream.seed), high(stream.seed)}});
  for (std::size_t i = 0; i < 4; ++i) words[i] = w[i];
#endif
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
