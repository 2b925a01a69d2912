// SPDX-License-Identifier: MIT
/// \file
/// Layer normalisation by rows, which threads hold in registers, with sums in double.
#pragma once

#include "column_sums.cuh"
#include "row_group.cuh"
#include "row_packs.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

template <class T>
struct LayerNormArguments {
  double epsilon;
  std::int64_t rows;
  std::int64_t n;
  const T* x;
  const T* weight;  ///< May be null, and so may be bias.
  const T* bias;
  T* y;
  T* mean;
  T* rstd;
};

/// y = (x - mean) rstd weight + bias.  A row is read once if its threads hold it, else three times.
template <class T, int Group, int Packs, Lie lie>
__global__ void __launch_bounds__(kThreads)
    layer_norm_kernel(const __grid_constant__ LayerNormArguments<T> p) {
  using Row = RowGroup<Group>;
  using Part = RowPacks<T, Packs, lie>;
  const Part part{.n = p.n, .group = Group, .lane = Row::lane()};
  const auto count = static_cast<double>(p.n);
  typename Part::Held x;
  for (std::int64_t row = Row::first_row(); row < p.rows; row += Row::row_step()) {
    const T* const from = p.x + row * p.n;
    // f(first, left) for each tile of the row, which is in x then.
    const auto for_each_tile = [&](bool is_there, const auto& f) {
      for (std::int64_t first = 0; first < p.n; first += part.numbers_of_tile()) {
        if (!is_there) part.load(from, first, x);
        f(first, part.left(first));
      }
    };
    // The mean of term(x) over the row, in double, for each of its threads.
    const auto mean_of = [&](bool is_there, const auto& term) {
      double total = 0.0;
      for_each_tile(is_there, [&](std::int64_t, int left) {
#pragma unroll
        for (int k = 0; k < Packs; ++k) {
#pragma unroll
          for (int i = 0; i < Part::kWidth; ++i) {
            if (part.is_there(k, i, left)) total += term(static_cast<double>(x[k].lane[i]));
          }
        }
      });
      return Row::join(total) / count;
    };
    double mean = mean_of(false, [](double of) { return of; });
    if constexpr (std::is_same_v<T, double>) {  // take back what rounding left
      mean += mean_of(part.is_held(), [mean](double of) { return of - mean; });
    }
    const double variance =
        mean_of(part.is_held(), [mean](double of) { return (of - mean) * (of - mean); });
    const double rstd = 1.0 / std::sqrt(variance + p.epsilon);
    if (part.lane == 0) {
      p.mean[row] = static_cast<T>(mean);
      p.rstd[row] = static_cast<T>(rstd);
    }
    // The mean in two numbers: what is left of x near a large mean keeps its digits.
    const T high = static_cast<T>(mean);
    const T low = static_cast<T>(mean - static_cast<double>(high));
    const T factor = static_cast<T>(rstd);
    for_each_tile(part.is_held(), [&](std::int64_t first, int left) {
#pragma unroll
      for (int k = 0; k < Packs; ++k) {
        if (!part.is_there(k, 0, left)) continue;
        typename Part::Packed weight;
        typename Part::Packed bias;
        if (p.weight != nullptr) weight = part.load_pack(p.weight, first, k);
        if (p.bias != nullptr) bias = part.load_pack(p.bias, first, k);
        typename Part::Packed y;
#pragma unroll
        for (int i = 0; i < Part::kWidth; ++i) {
          y.lane[i] = ((x[k].lane[i] - high) - low) * factor;
          if (p.weight != nullptr) y.lane[i] *= weight.lane[i];
          if (p.bias != nullptr) y.lane[i] += bias.lane[i];
        }
        part.store_pack(p.y + row * p.n, first, k, y);
      }
    });
  }
}

template <class T>
struct LayerNormBackwardArguments {
  std::int64_t rows;
  std::int64_t n;
  const T* dy;
  const T* x;
  const T* weight;  ///< May be null.
  const T* mean;
  const T* rstd;
  T* dx;

  /// h = (x - mean) rstd.
  __device__ T normalised(std::int64_t row, std::int64_t i) const {
    return (x[row * n + i] - mean[row]) * rstd[row];
  }
  /// g = dy weight.
  __device__ T slope(std::int64_t row, std::int64_t i) const {
    const T slope = dy[row * n + i];
    return weight == nullptr ? slope : slope * weight[i];
  }
};

/// Packs of a thread, and rows that it works on at a time, where dx, dweight and dbias are computed
/// together: sums over rows take 16 bytes of its registers for each column.
constexpr int kGradientPacks = 4;
constexpr int kGradientRows = 2;

/// dx = rstd (g - mean(g) - h mean(g h)), and partial [gridDim.x, 2, n] = the sums of dy h and of
/// dy over the `per_block` rows of each block, in double, from one look at x and dy.  A row is
/// held by 32, 64, 128 or 256 threads; with several packs each, by all 256.
template <class T, int Packs, int Rows, Lie lie>
__global__ void __launch_bounds__(kThreads, Packs == 1 ? 3 : 2)
    layer_norm_gradients_kernel(const __grid_constant__ LayerNormBackwardArguments<T> p,
                                int threads_of_row, std::int64_t per_block, double* partial) {
  using Part = RowPacks<T, Packs, lie>;
  constexpr int width = Part::kWidth;
  constexpr int warps = kThreads / kWarp;
  using Means = double[Rows][2];
  GAIA_SHARED(Means, of_warps, [2][warps]);
  const int thread = static_cast<int>(threadIdx.x);
  const int group = Packs == 1 ? threads_of_row : kThreads;
  const int line = thread / group;
  const int lines = kThreads / group;
  const Part part{.n = p.n, .group = group, .lane = thread - line * group};
  const int left = part.left(0);
  const auto count = static_cast<double>(p.n);
  typename Part::Held weight;
  if (p.weight != nullptr) part.load(p.weight, 0, weight);
  const auto slope = [&](T dy, int k, int i) {
    return p.weight == nullptr ? dy : dy * weight[k].lane[i];
  };
  double dweight[Packs][width] = {};
  double dbias[Packs][width] = {};
  const std::int64_t begin = blockIdx.x * per_block;
  const std::int64_t end = begin + per_block < p.rows ? begin + per_block : p.rows;
  int set = 0;
  for (std::int64_t first = begin; first < end; first += Rows * lines, set ^= 1) {
    typename Part::Held dy[Rows];
    typename Part::Held h[Rows];  // x at first
    T mean[Rows];
    T rstd[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const std::int64_t row = first + r * lines + line;
      if (row < end) {
        part.load(p.dy + row * p.n, 0, dy[r]);
        part.load(p.x + row * p.n, 0, h[r]);
        mean[r] = p.mean[row];
        rstd[r] = p.rstd[row];
      } else {
        for (int k = 0; k < Packs; ++k) dy[r][k] = h[r][k] = {};
        mean[r] = rstd[r] = T(0);
      }
    }
    Means of_row;  // means of g and of g h
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      double level = 0.0;
      double tilt = 0.0;
#pragma unroll
      for (int k = 0; k < Packs; ++k) {
#pragma unroll
        for (int i = 0; i < width; ++i) {
          T& at = h[r][k].lane[i];
          at = part.is_there(k, i, left) ? (at - mean[r]) * rstd[r] : T(0);
          const auto wide_h = static_cast<double>(at);
          const auto wide_dy = static_cast<double>(dy[r][k].lane[i]);
          const auto g = static_cast<double>(slope(dy[r][k].lane[i], k, i));
          dweight[k][i] += wide_dy * wide_h;
          dbias[k][i] += wide_dy;
          level += g;
          tilt += g * wide_h;
        }
      }
      of_row[r][0] = warp_reduce(level, Plus{});
      of_row[r][1] = warp_reduce(tilt, Plus{});
    }
    if (group > kWarp) {
      // Two sets, so that one barrier is enough: who writes a set again has passed the barrier
      // behind which all have read it.
      if (thread % kWarp == 0) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
          of_warps[set][thread / kWarp][r][0] = of_row[r][0];
          of_warps[set][thread / kWarp][r][1] = of_row[r][1];
        }
      }
      __syncthreads();
#pragma unroll
      for (int r = 0; r < Rows; ++r) of_row[r][0] = of_row[r][1] = 0.0;
      for (int warp = line * group / kWarp; warp < (line + 1) * group / kWarp; ++warp) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
          of_row[r][0] += of_warps[set][warp][r][0];
          of_row[r][1] += of_warps[set][warp][r][1];
        }
      }
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const std::int64_t row = first + r * lines + line;
      if (row >= end) continue;
      const T level = static_cast<T>(of_row[r][0] / count);
      const T tilt = static_cast<T>(of_row[r][1] / count);
#pragma unroll
      for (int k = 0; k < Packs; ++k) {
        typename Part::Packed dx;
#pragma unroll
        for (int i = 0; i < width; ++i) {
          const T g = slope(dy[r][k].lane[i], k, i);
          dx.lane[i] = rstd[r] * (g - level - h[r][k].lane[i] * tilt);
        }
        part.store_pack(p.dx + row * p.n, 0, k, dx);
      }
    }
  }
  if constexpr (Packs == 1) {  // then a block may have several lines of rows
    using Sums = double[2][width];
    GAIA_SHARED(Sums, of_threads, [kThreads]);
    for (int i = 0; i < width; ++i) {
      of_threads[thread][0][i] = dweight[0][i];
      of_threads[thread][1][i] = dbias[0][i];
    }
    __syncthreads();
    if (line > 0) return;
    for (int other = 1; other < lines; ++other) {
      for (int i = 0; i < width; ++i) {
        dweight[0][i] += of_threads[other * group + thread][0][i];
        dbias[0][i] += of_threads[other * group + thread][1][i];
      }
    }
  }
  double* const sums = partial + blockIdx.x * 2 * p.n;
#pragma unroll
  for (int k = 0; k < Packs; ++k) {
#pragma unroll
    for (int i = 0; i < width; ++i) {
      if (!part.is_there(k, i, left)) continue;
      sums[part.number(k, i)] = dweight[k][i];
      sums[p.n + part.number(k, i)] = dbias[k][i];
    }
  }
}

/// dx = rstd (g - mean(g) - h mean(g h)) of rows that threads cannot hold: a block for each.
template <class T>
__global__ void layer_norm_backward_kernel(
    const __grid_constant__ LayerNormBackwardArguments<T> p) {
  using Row = RowGroup<kThreads>;
  for (std::int64_t row = Row::first_row(); row < p.rows; row += Row::row_step()) {
    const auto count = static_cast<double>(p.n);
    const T level = static_cast<T>(
        Row::sum(p.n, [&p, row](std::int64_t i) { return static_cast<double>(p.slope(row, i)); }) /
        count);
    const T tilt = static_cast<T>(Row::sum(p.n,
                                           [&p, row](std::int64_t i) {
                                             return static_cast<double>(p.slope(row, i)) *
                                                    static_cast<double>(p.normalised(row, i));
                                           }) /
                                  count);
    const T rstd = p.rstd[row];
#pragma unroll 4
    for (std::int64_t i = Row::lane(); i < p.n; i += kThreads) {
      p.dx[row * p.n + i] = rstd * (p.slope(row, i) - level - p.normalised(row, i) * tilt);
    }
  }
}

/// What a row adds to dweight and to dbias: dy h and dy.
template <class T>
struct LayerNormTerms {
  LayerNormBackwardArguments<T> p;
  __device__ Terms<2> operator()(std::int64_t row, std::int64_t i) const {
    const auto dy = static_cast<double>(p.dy[row * p.n + i]);
    return {{dy * static_cast<double>(p.normalised(row, i)), dy}};
  }
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
