// SPDX-License-Identifier: MIT
/// \file
/// Random arrays: element i depends on (seed, stream, i) alone, so any number of threads may fill.
#include <algorithm>

#include "../src/core/random_formulas.h"
#include "backend.h"
#include "strided_loop.h"

namespace gaia::cpu {
namespace {

/// Elements in the order of their stream, as many as a block gives at a time.
template <class T, class Draw>
void numbers(const RandomFill& fill, const Draw& draw, const View& y) {
  constexpr int per_block = random_formulas::kPerBlock<T>;
  T* const out = y.as<T>();
  const std::int64_t count = y.count();
  parallel_for((count + kElementsPerTask - 1) / kElementsPerTask, [&](std::int64_t task) {
    const std::int64_t end = std::min(count, (task + 1) * kElementsPerTask);
    for (std::int64_t i = task * kElementsPerTask; i < end;) {
      const std::uint64_t index = fill.first + static_cast<std::uint64_t>(i);
      const auto block = fill.stream.block(index / per_block);
      const std::uint32_t words[4] = {block[0], block[1], block[2], block[3]};
      T drawn[per_block];
      draw(words, drawn);
      for (auto lane = static_cast<int>(index % per_block); lane < per_block && i < end; ++lane) {
        out[i++] = drawn[lane];
      }
    }
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
                                  [&](const auto& draw) { numbers<T>(fill, draw, y); });
  });
}

}  // namespace gaia::cpu
