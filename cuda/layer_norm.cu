// SPDX-License-Identifier: MIT
/// \file
/// Layer normalisation and its gradients.
#include "backend.h"
#include "layer_norm.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class T>
T* data_of(const std::optional<View>& view) {
  return view ? view->as<T>() : nullptr;
}

/// Calls f(group, packs), as integral constants, with threads for rows of n and packs for each: a
/// warp, or a block where rows are long, or so few that warps leave most of a chip idle.
template <class T, class F>
void with_row_threads(std::int64_t rows, std::int64_t n, const F& f) {
  constexpr std::int64_t width = kPackWidth<T>;
  constexpr std::int64_t few = 2048;
  using Warp = std::integral_constant<int, kWarp>;
  using Block = std::integral_constant<int, kThreads>;
  using One = std::integral_constant<int, 1>;
  using Eight = std::integral_constant<int, 8>;
  if (n <= kWarp * width) return f(Warp{}, One{});
  if (n <= kWarp * 8 * width && rows >= few) return f(Warp{}, Eight{});
  if (n <= kThreads * width) return f(Block{}, One{});
  f(Block{}, Eight{});
}

/// dx, dweight and dbias of rows that a block's threads can hold.
template <class T, int Packs, int Rows>
void launch_gradients(Memory& memory, cudaStream_t stream, const LayerNormBackwardArguments<T>& p,
                      const SumTargets<T, 2>& sums) {
  constexpr std::int64_t width = kPackWidth<T>;
  constexpr std::int64_t most_blocks = 396;  // 3 for each of 132 multiprocessors
  int group = Packs == 1 ? kWarp : kThreads;
  while (group * Packs * width < p.n) group *= 2;
  const std::int64_t at_a_time = Rows * (kThreads / group);
  const std::int64_t per_block = ceil_div(ceil_div(p.rows, most_blocks), at_a_time) * at_a_time;
  const std::int64_t blocks = ceil_div(p.rows, per_block);
  const Scratch partial(memory, blocks * 2 * p.n * size_of(DType::float64), stream);
  with_lie_of_rows(
      [&](auto lie) {
        launch("layer_norm_backward", layer_norm_gradients_kernel<T, Packs, Rows, lie()>,
               {.grid = static_cast<unsigned>(blocks), .block = kThreads}, stream, p, group,
               per_block, partial.as<double>());
      },
      p.n, p.x, p.dy, p.weight, p.dx);
  join_slabs("layer_norm_backward", stream, partial.as<const double>(), blocks, p.n, sums);
}

}  // namespace

void CudaBackend::layer_norm(const LayerNormRun& run) {
  const Call stream =
      begin({&run.x, if_any(run.weight), if_any(run.bias), &run.y, &run.mean, &run.rstd});
  const std::int64_t rows = run.x.shape[0];
  const std::int64_t n = run.x.shape[1];
  if (rows == 0) return;
  dispatch_floating(run.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const LayerNormArguments<T> arguments{.epsilon = run.epsilon,
                                          .rows = rows,
                                          .n = n,
                                          .x = run.x.as<T>(),
                                          .weight = data_of<T>(run.weight),
                                          .bias = data_of<T>(run.bias),
                                          .y = run.y.as<T>(),
                                          .mean = run.mean.as<T>(),
                                          .rstd = run.rstd.as<T>()};
    with_row_threads<T>(rows, n, [&](auto group, auto packs) {
      with_lie_of_rows(
          [&](auto lie) {
            launch("layer_norm", layer_norm_kernel<T, group(), packs(), lie()>,
                   {.grid = blocks_for(rows, RowGroup<group()>::kRows), .block = kThreads}, stream,
                   arguments);
          },
          n, arguments.x, arguments.weight, arguments.bias, arguments.y);
    });
  });
}

void CudaBackend::layer_norm_backward(const LayerNormBackwardRun& run) {
  const Call stream = begin({&run.dy, &run.x, if_any(run.weight), &run.mean, &run.rstd, &run.dx,
                             &run.dweight, &run.dbias});
  const std::int64_t rows = run.x.shape[0];
  const std::int64_t n = run.x.shape[1];
  dispatch_floating(run.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const LayerNormBackwardArguments<T> arguments{.rows = rows,
                                                  .n = n,
                                                  .dy = run.dy.as<T>(),
                                                  .x = run.x.as<T>(),
                                                  .weight = data_of<T>(run.weight),
                                                  .mean = run.mean.as<T>(),
                                                  .rstd = run.rstd.as<T>(),
                                                  .dx = run.dx.as<T>()};
    const SumTargets<T, 2> sums{{run.dweight.as<T>(), run.dbias.as<T>()}};
    constexpr std::int64_t of_block = kThreads * kPackWidth<T>;
    if (rows > 0 && n <= of_block) {
      return launch_gradients<T, 1, kGradientRows>(memory_, stream, arguments, sums);
    }
    if (rows > 0 && n <= of_block * kGradientPacks) {
      return launch_gradients<T, kGradientPacks, 1>(memory_, stream, arguments, sums);
    }
    if (rows > 0) {
      launch("layer_norm_backward", layer_norm_backward_kernel<T>,
             {.grid = blocks_for(rows, 1), .block = kThreads}, stream, arguments);
    }
    column_sums<T, 2>("layer_norm_backward", memory_, stream, LayerNormTerms<T>{arguments}, rows, n,
                      sums);
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
