// SPDX-License-Identifier: MIT
/// \file
/// Random arrays: element i depends on (seed, stream, i) alone, so any number of threads may fill.
#include <algorithm>
#include <cmath>

#include "../src/core/random_formulas.h"
#include "backend.h"
#include "strided_loop.h"

namespace gaia::cpu {
namespace {

/// Numbers that one Philox block of four words gives.
template <class T>
constexpr std::int64_t kPerBlock = sizeof(T) == 4 ? 4 : 2;

void numbers(Distribution distribution, const std::array<std::uint32_t, 4>& w, float (&out)[4]) {
  if (distribution == Distribution::normal) {
    random_formulas::normal_pair(w[0], w[1], out[0], out[1]);
    random_formulas::normal_pair(w[2], w[3], out[2], out[3]);
  } else {
    for (std::size_t i = 0; i < 4; ++i) out[i] = random_formulas::uniform(w[i]);
  }
}

void numbers(Distribution distribution, const std::array<std::uint32_t, 4>& w, double (&out)[2]) {
  if (distribution == Distribution::normal) {
    const std::uint32_t words[4] = {w[0], w[1], w[2], w[3]};
    random_formulas::normal_pair(words, out[0], out[1]);
  } else {
    out[0] = random_formulas::uniform(w[0], w[1]);
    out[1] = random_formulas::uniform(w[2], w[3]);
  }
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
    constexpr std::int64_t per_block = kPerBlock<T>;
    const std::int64_t count = y.count();
    const bool normal = fill.distribution == Distribution::normal;
    const T shift = static_cast<T>(fill.a);
    const T scale = static_cast<T>(normal ? fill.b : fill.b - fill.a);
    const T last = std::nextafter(static_cast<T>(fill.b), shift);
    parallel_for((count + kElementsPerTask - 1) / kElementsPerTask, [&](std::int64_t task) {
      const std::int64_t end = std::min(count, (task + 1) * kElementsPerTask);
      for (std::int64_t i = task * kElementsPerTask; i < end;) {
        const std::uint64_t index = fill.first + static_cast<std::uint64_t>(i);
        T drawn[static_cast<std::size_t>(per_block)];
        numbers(fill.distribution, fill.stream.block(index / per_block), drawn);
        for (auto lane = static_cast<std::int64_t>(index % per_block); lane < per_block && i < end;
             ++lane, ++i) {
          const T x = drawn[lane];
          y.as<T>()[i] = normal ? random_formulas::add(shift, random_formulas::multiply(scale, x))
                                : random_formulas::uniform_in_range(x, shift, scale, last);
        }
      }
    });
  });
}

}  // namespace gaia::cpu
