// SPDX-License-Identifier: MIT
/// \file
/// Counter-based random numbers: number i of a stream is a function of (seed, stream, i) alone.
///
/// The generator is Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011, SC'11): the key is the seed,
/// the counter is {block, stream}, and a block gives four 32-bit words.  Whoever draws a number, on
/// whatever thread and in whatever order, gets the same one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace gaia {

/// One of 2^64 independent streams of a seed.
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;

  /// The stream for one purpose, e.g. "levels/0/layers/1/weights".
  static RandomStream named(std::uint64_t seed, std::string_view purpose);

  /// Four random words.
  std::array<std::uint32_t, 4> block(std::uint64_t index) const;

  /// out[j] = number (first + j) of this stream, uniform in [0, 1), a multiple of 2^-53.
  void uniforms(std::uint64_t first, std::span<double> out) const;

  /// out[j] = number (first + j) of this stream, standard normal.
  void normals(std::uint64_t first, std::span<double> out) const;

  /// Number `index` of this stream, an integer in [0, count), each equally likely up to 2^-64.
  /// \throws ArgumentError if count < 1.
  std::int64_t integer(std::uint64_t index, std::int64_t count) const;
};

/// Seed of `next_stream`, for programs that do not name their streams.  Default: 0.
void set_seed(std::uint64_t seed);

/// A stream that no earlier call since `set_seed` has returned.  Same calls, same streams.  Where
/// `checkpoint` computes a function again, the streams of its first time.
RandomStream next_stream();

}  // namespace gaia
