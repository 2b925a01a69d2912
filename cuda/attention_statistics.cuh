// SPDX-License-Identifier: MIT
/// \file
/// What gradients of attention need of each query, computed before them.
#pragma once

#include "../src/array/backend_fused.h"
#include "attention_tiles.cuh"
#include "memory.h"
#include "row_group.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

struct AsItIs {
  template <class T>
  __device__ double operator()(T x) const {
    return static_cast<double>(x);
  }
};

/// products = read(dy) y, row by row, in double, and shares = 1 / sums.
template <class Slope, class T, class Read>
__global__ void attention_statistics_kernel(std::int64_t rows, std::int64_t width, Read read,
                                            const Slope* dy, const T* y, const T* sums, T* products,
                                            T* shares) {
  using Row = RowGroup<kWarp>;
  for (std::int64_t row = Row::first_row(); row < rows; row += Row::row_step()) {
    const Slope* const a = dy + row * width;
    const T* const b = y + row * width;
    const double sum =
        Row::sum(width, [=](std::int64_t i) { return read(a[i]) * static_cast<double>(b[i]); });
    if (Row::lane() == 0) {
      products[row] = static_cast<T>(sum);
      shares[row] = T(1) / sums[row];
    }
  }
}

/// The statistics, in memory of their own for the duration of one operation.
template <class T>
class StatisticsOfQueries {
 public:
  /// `read` makes a double of a number of dy, which has the dtype Slope; y is T.
  template <class Slope, class Read>
  StatisticsOfQueries(const AttentionBackwardRun& run, const Slope* dy, const Read& read,
                      Memory& memory, cudaStream_t stream)
      : largest_(run.largest.as<T>()),
        products_(memory, run.sum.count() * static_cast<std::int64_t>(sizeof(T)), stream),
        shares_(memory, run.sum.count() * static_cast<std::int64_t>(sizeof(T)), stream) {
    const std::int64_t queries = run.sum.count();
    if (queries == 0) return;
    launch("attention_backward", attention_statistics_kernel<Slope, T, Read>,
           {.grid = blocks_for(queries, RowGroup<kWarp>::kRows), .block = kThreads}, stream,
           queries, run.v.shape.back(), read, dy, run.y.as<T>(), run.sum.as<T>(),
           products_.template as<T>(), shares_.template as<T>());
  }

  QueryStatistics<T> numbers() const {
    return {largest_, shares_.template as<T>(), products_.template as<T>()};
  }

 private:
  const T* largest_;
  Scratch products_;
  Scratch shares_;
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
