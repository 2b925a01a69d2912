// SPDX-License-Identifier: MIT
/// \file
/// Arrays of random numbers, each from a stream of its own (`core/random.h`): the same stream gives
/// the same numbers on every device and for any number of threads.
#pragma once

#include <cstdint>
#include <span>

#include "../core/random.h"
#include "array.h"

namespace gaia {

/// Uniform in [low, high), or normal.  float32 or float64.
/// \throws ArgumentError if a parameter is not finite or the deviation negative, DTypeError.
Array random_uniform(const Shape& shape, double low = 0.0, double high = 1.0,
                     DType dtype = DType::float32, RandomStream stream = next_stream());
Array random_normal(const Shape& shape, double mean = 0.0, double deviation = 1.0,
                    DType dtype = DType::float32, RandomStream stream = next_stream());

/// RandomStream::normals, for many numbers several times as fast: by the CPU's vectors.
void fill_normals(const RandomStream& stream, std::uint64_t first, std::span<double> out);

/// Integers of [low, high), each equally likely up to 2^-64; number i is low +
/// stream.integer(i, high - low).  \throws ArgumentError unless low < high and both fit the dtype,
///                                          DTypeError unless that is int32 or int64.
Array randint(std::int64_t low, std::int64_t high, const Shape& shape, DType dtype = DType::int64,
              RandomStream stream = next_stream());

/// 1 (true) with probability p, else 0.  \throws ArgumentError unless p is in [0, 1].
Array bernoulli(const Shape& shape, double p, DType dtype = DType::boolean,
                RandomStream stream = next_stream());

/// 0 ... n - 1 in random order, int64.  \throws ShapeError if n is negative.
Array permutation(std::int64_t n, RandomStream stream = next_stream());

/// Copies of the sub-arrays along `axis` in random order: take(x, permutation(length), axis).
Array shuffle(const Array& x, std::int64_t axis = 0, RandomStream stream = next_stream());

}  // namespace gaia
