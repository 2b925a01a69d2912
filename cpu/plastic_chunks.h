// SPDX-License-Identifier: MIT
/// \file
/// Samples of a block in chunks, as the chunkwise executor reads them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../src/core/parallel.h"
#include "gemm.h"
#include "plastic.h"

namespace gaia::cpu {

/// Ticks of a chunk that has about as many samples as asked for.
template <class T>
std::int64_t ticks_per_chunk(const Samples<T>& x, std::int64_t samples_per_chunk) {
  return std::clamp<std::int64_t>(samples_per_chunk / x.streams, 1,
                                  std::max<std::int64_t>(x.ticks, 1));
}

/// The samples of a block as rows of one matrix, tick by tick and stream by stream, in chunks of
/// whole ticks, with the Gram matrix of each chunk of several ticks.
template <class T>
class Chunks {
 public:
  Chunks(const Samples<T>& x, std::int64_t samples_per_chunk)
      : streams_(x.streams),
        inputs_(x.inputs),
        ticks_(x.ticks),
        ticks_per_chunk_(ticks_per_chunk(x, samples_per_chunk)),
        rows_(x.data),
        row_stride_(x.tick_stride) {
    if (x.streams > 1) pack(x);
    if (ticks_per_chunk_ > 1) multiply();
  }

  std::int64_t count() const { return (ticks_ + ticks_per_chunk_ - 1) / ticks_per_chunk_; }
  std::int64_t first_tick(std::int64_t chunk) const { return chunk * ticks_per_chunk_; }
  std::int64_t ticks(std::int64_t chunk) const {
    return std::min(ticks_per_chunk_, ticks_ - first_tick(chunk));
  }
  std::int64_t max_ticks() const { return ticks_per_chunk_; }
  std::int64_t max_samples() const { return ticks_per_chunk_ * streams_; }

  MatrixRef<const T> samples(std::int64_t chunk) const {
    return {rows_ + first_tick(chunk) * streams_ * row_stride_, ticks(chunk) * streams_, inputs_,
            row_stride_};
  }

  /// x_s . x_u for the samples s, u of a chunk, at [s * max_samples() + u].
  const T* gram(std::int64_t chunk) const {
    return gram_.data() + chunk * max_samples() * max_samples();
  }

 private:
  void pack(const Samples<T>& x) {
    packed_.resize(static_cast<std::size_t>(ticks_ * streams_ * inputs_));
    parallel_for(ticks_, [&](std::int64_t t) {
      for (std::int64_t b = 0; b < streams_; ++b) {
        std::copy_n(x.row(b, t), inputs_, packed_.data() + (t * streams_ + b) * inputs_);
      }
    });
    rows_ = packed_.data();
    row_stride_ = inputs_;
  }

  void multiply() {
    const std::int64_t stride = max_samples();
    gram_.resize(static_cast<std::size_t>(count() * stride * stride));
    parallel_for(count(), [&](std::int64_t chunk) {
      const MatrixRef<const T> x = samples(chunk);
      gemm<T>(x, x.transposed(), {gram_.data() + chunk * stride * stride, x.rows, x.rows, stride});
    });
  }

  std::int64_t streams_;
  std::int64_t inputs_;
  std::int64_t ticks_;
  std::int64_t ticks_per_chunk_;
  const T* rows_;
  std::int64_t row_stride_;
  std::vector<T> packed_;
  std::vector<T> gram_;
};

}  // namespace gaia::cpu
