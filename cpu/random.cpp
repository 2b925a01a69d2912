// SPDX-License-Identifier: MIT
/// \file
/// Random arrays: element i depends on (seed, stream, i) alone, so any number of threads may fill.
#include <algorithm>

#include "../src/core/random_formulas.h"
#include "backend.h"
#include "strided_loop.h"
#include "vector/random.h"

namespace gaia::cpu {
namespace {

/// Elements in the order of their stream; of the first and the last block only some may be wanted.
template <class Draw>
void numbers(const RandomFill& fill, const Draw& draw, const View& y) {
  using T = typename Draw::Number;
  constexpr std::uint64_t per_block = random_formulas::kPerBlock<T>;
  const auto draw_whole = GAIA_VECTOR_KERNEL(draw_blocks<Draw>);
  const std::int64_t count = y.count();
  parallel_for((count + kElementsPerTask - 1) / kElementsPerTask, [&](std::int64_t task) {
    const std::int64_t begin = task * kElementsPerTask;
    std::uint64_t index = fill.first + static_cast<std::uint64_t>(begin);
    T* out = y.as<T>() + begin;
    auto left = static_cast<std::uint64_t>(std::min(kElementsPerTask, count - begin));
    const auto draw_part = [&](std::uint64_t wanted) {  // draws of the block that holds `index`
      T block[per_block];
      draw_whole(fill.stream, draw, index / per_block, 1, block);
      std::copy_n(block + index % per_block, wanted, out);
      index += wanted;
      out += wanted;
      left -= wanted;
    };
    if (index % per_block != 0) draw_part(std::min(left, per_block - index % per_block));
    const std::uint64_t whole = left / per_block;
    draw_whole(fill.stream, draw, index / per_block, static_cast<std::int64_t>(whole), out);
    index += whole * per_block;
    out += whole * per_block;
    left -= whole * per_block;
    if (left > 0) draw_part(left);
  });
}

/// One block for each integer, as RandomStream::integer has it.
void integers(const RandomFill& fill, const View& y) {
  std::int64_t* const out = y.as<std::int64_t>();
  const std::int64_t count = y.count();
  parallel_for((count + kElementsPerTask - 1) / kElementsPerTask, [&](std::int64_t task) {
    const std::int64_t end = std::min(count, (task + 1) * kElementsPerTask);
    for (std::int64_t i = task * kElementsPerTask; i < end; ++i) {
      const auto words = fill.stream.block(fill.first + static_cast<std::uint64_t>(i));
      const std::uint64_t offset = random_formulas::below(words[0], words[1], fill.count);
      out[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(fill.low) + offset);
    }
  });
}

}  // namespace

void CpuBackend::random(const RandomFill& fill, const View& y) {
  if (fill.distribution == Distribution::integers) return integers(fill, y);
  dispatch_floating(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const bool normal = fill.distribution == Distribution::normal;
    random_formulas::with_draw<T>(normal, fill.a, fill.b,
                                  [&](const auto& draw) { numbers(fill, draw, y); });
  });
}

}  // namespace gaia::cpu
