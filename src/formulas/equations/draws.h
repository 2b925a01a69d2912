// SPDX-License-Identifier: MIT
/// \file
/// The random numbers of rules that are text: uniform() and normal() (docs/rules.md).
///
/// A layer has a random stream (core/random.h).  The four words of its block 2^32 k + b,
///
///     key = w0 + 2^32 w1,   first = w2 + 2^32 w3,
///
/// belong to the k-th call in the text and stream b of a batch, both from 0.  At tick t neuron i
/// gets number i of the random stream {key, first + t}.  So nobody keeps a generator: whoever
/// computes a neuron at a tick, on whatever device and in whatever order, draws the same.
/// float32 has the numbers of float64, to fewer digits.
#pragma once

#include <cstdint>

#include "../../core/random.h"
#include "../../core/random_formulas.h"
#include "operations.h"

namespace gaia {

/// Number of the block of a layer's stream that belongs to a call and a stream of a batch.
GAIA_HOST_DEVICE constexpr std::uint64_t draw_block(std::uint64_t call, std::uint64_t stream) {
  return call << 32 | stream;
}

/// The random stream of a tick, by the words of that block.
GAIA_HOST_DEVICE inline RandomStream draw_stream(const std::uint32_t (&words)[4], std::int64_t t) {
  const auto joined = [](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint64_t>(high) << 32 | low;
  };
  return {joined(words[0], words[1]), joined(words[2], words[3]) + static_cast<std::uint64_t>(t)};
}

/// A uniform number of [0, 1) as T.  To float32 it is cut, to a multiple of 2^-24: rounded it could
/// be 1.
template <class T>
GAIA_HOST_DEVICE T uniform_as(double u) {
  if constexpr (sizeof(T) == sizeof(double)) return u;
  return static_cast<T>(static_cast<std::int32_t>(u * 0x1p24)) * T(0x1p-24);
}

/// The first or the second of the two numbers that a block of a tick's stream gives.
template <class T>
GAIA_HOST_DEVICE T drawn_number(EquationDraw draw, const std::uint32_t (&words)[4], bool second) {
  double numbers[2];
  if (draw == EquationDraw::uniform) {
    random_formulas::uniforms(words, numbers);
    return uniform_as<T>(numbers[second ? 1 : 0]);
  }
  random_formulas::normals(words, numbers);
  return static_cast<T>(numbers[second ? 1 : 0]);
}

}  // namespace gaia
