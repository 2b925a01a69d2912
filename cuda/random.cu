// SPDX-License-Identifier: MIT
/// \file
/// Random arrays: element i depends on (seed, stream, i) alone, so any thread may draw it.
#include "../src/core/random_formulas.h"
#include "backend.h"
#include "map.cuh"
#include "philox.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// A thread draws whole blocks of the stream, and writes what of them is asked for.
template <class T, class Draw>
__global__ void numbers_kernel(RandomStream stream, std::uint64_t first, Draw draw, bool on_packs,
                               std::int64_t count, T* y) {
  constexpr int per_block = random_formulas::kPerBlock<T>;
  const std::uint64_t first_block = first / per_block;
  const auto before = static_cast<std::int64_t>(first % per_block);  // numbers of its block before
  for (std::int64_t block = first_of_grid(); block * per_block < count + before;
       block += threads_of_grid()) {
    std::uint32_t words[4];
    random_block(stream, first_block + static_cast<std::uint64_t>(block), words);
    Pack<T, per_block> drawn;
    draw(words, drawn.lane);
    const std::int64_t at = block * per_block - before;
    if (on_packs && at + per_block <= count) {
      *as_packs<Pack<T, per_block>>(y + at) = drawn;
    } else {
#pragma unroll
      for (int lane = 0; lane < per_block; ++lane) {
        if (at + lane >= 0 && at + lane < count) y[at + lane] = drawn.lane[lane];
      }
    }
  }
}

/// One block for each integer, as RandomStream::integer has it.
__global__ void integers_kernel(RandomStream stream, std::uint64_t first, std::int64_t low,
                                std::uint64_t range, std::int64_t count, std::int64_t* y) {
  for (std::int64_t i = first_of_grid(); i < count; i += threads_of_grid()) {
    std::uint32_t words[4];
    random_block(stream, first + static_cast<std::uint64_t>(i), words);
    const std::uint64_t offset = random_formulas::below(words[0], words[1], range);
    y[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }
}

}  // namespace

void CudaBackend::random(const RandomFill& fill, const View& y) {
  const Call stream = begin({&y});
  const std::int64_t count = y.count();
  if (count == 0) return;
  if (fill.distribution == Distribution::integers) {
    launch("random", integers_kernel, {.grid = blocks_for(count, kThreads), .block = kThreads},
           stream, fill.stream, fill.first, fill.low, fill.count, count, y.as<std::int64_t>());
    return;
  }
  dispatch_floating(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int per_block = random_formulas::kPerBlock<T>;
    const bool on_packs = fill.first % per_block == 0 && lies_on_packs(y.as<T>(), per_block);
    const bool normal = fill.distribution == Distribution::normal;
    random_formulas::with_draw<T>(normal, fill.a, fill.b, [&](const auto& draw) {
      launch("random", numbers_kernel<T, std::decay_t<decltype(draw)>>,
             {.grid = blocks_for(count / per_block + 2, kThreads), .block = kThreads}, stream,
             fill.stream, fill.first, draw, on_packs, count, y.as<T>());
    });
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
