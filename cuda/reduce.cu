// SPDX-License-Identifier: MIT
/// \file
/// Sums, products, means and extremes along axes.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "backend.h"
#include "reduce.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

ReducedAxes split_axes(const View& x, const View& y) {
  ReducedAxes axes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (y.shape[axis] == 1 && x.shape[axis] != 1) {
      axes.reduced.push_back(x.shape[axis]);
      axes.reduced_x.push_back(x.strides[axis]);
    } else {
      axes.kept.push_back(x.shape[axis]);
      axes.kept_x.push_back(x.strides[axis]);
      axes.kept_y.push_back(y.strides[axis]);
    }
  }
  return axes;
}

/// What is nearest in memory comes last; what repeats, first.
std::int64_t distance(std::int64_t stride) {
  return stride == 0 ? std::numeric_limits<std::int64_t>::max() : std::abs(stride);
}

/// The axes of `strides`, the farthest apart in memory first.
std::array<int, kMaxRank> farthest_first(const Strides& strides) {
  std::array<int, kMaxRank> order{};
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.begin() + strides.rank(),
                   [&](int a, int b) { return distance(strides[a]) > distance(strides[b]); });
  return order;
}

Dims reordered(const Dims& dims, const std::array<int, kMaxRank>& order) {
  Dims result;
  for (int axis = 0; axis < dims.rank(); ++axis) {
    result.push_back(dims[order[static_cast<std::size_t>(axis)]]);
  }
  return result;
}

/// The least power of two that is not below n >= 1.
std::int64_t power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

template <class T>
void reduce_from(Reduction kind, cudaStream_t stream, Memory& memory, const View& x, const View& y,
                 const ReduceTarget& target) {
  const ReducedAxes axes = split_axes(x, y);
  const auto with = [&]<class R>(TypeTag<R>) {
    reduce_axes<R>("reduce", stream, memory, axes, Elements{}, x.as<const T>(), target);
  };
  switch (kind) {
    case Reduction::sum:
      return with(TypeTag<Sum<Carried<T>>>{});
    case Reduction::mean:
      return with(TypeTag<Sum<double>>{});  // throughout, for a sum of int64 may wrap
    case Reduction::prod:
      return with(TypeTag<Product<Carried<T>>>{});
    case Reduction::max:
      return with(TypeTag<Largest<Read<T>>>{});
    case Reduction::min:
      return with(TypeTag<Smallest<Read<T>>>{});
    case Reduction::norm:
      return reduce_axes<Sum<double>>("reduce", stream, memory, axes, SquaredDistances{nullptr},
                                      x.as<const T>(), target);
  }
}

}  // namespace

ReducePlan plan_reduction(const ReducedAxes& axes) {
  ReducePlan plan{};
  ReduceShape& shape = plan.shape;
  const auto kept_order = farthest_first(axes.kept_x);
  shape.kept = make_walk<2>(reordered(axes.kept, kept_order), {reordered(axes.kept_x, kept_order),
                                                               reordered(axes.kept_y, kept_order)});
  const auto reduced_order = farthest_first(axes.reduced_x);
  const Shape lengths = reordered(axes.reduced, reduced_order);
  const SharedWalk<1> reduced = merge_axes<1>(lengths, {reordered(axes.reduced_x, reduced_order)});
  shape.reduced = count_elements(lengths);
  shape.run_length = reduced.shape.back();
  shape.run_stride = reduced.strides[0].back();
  Shape outer = reduced.shape;
  Strides outer_strides = reduced.strides[0];
  outer.erase(outer.rank() - 1);
  outer_strides.erase(outer_strides.rank() - 1);
  shape.runs = make_walk<1>(outer, {outer_strides});

  const std::int64_t n = std::max<std::int64_t>(1, shape.reduced);
  const std::int64_t outputs = shape.kept.count;
  const std::int64_t row_of_outputs = shape.kept.lengths[shape.kept.rank - 1];
  shape.outputs_side_by_side =
      row_of_outputs > 1 &&
      (n == 1 || distance(shape.kept.strides[0][shape.kept.rank - 1]) < distance(shape.run_stride));
  // A warp reads neighbours; beyond that, a thread has some elements to itself before it meets
  // others, unless that would leave most of the chip idle.
  constexpr std::int64_t own = 8;
  std::int64_t least = 1;
  std::int64_t most = kThreads;
  if (shape.outputs_side_by_side) {
    most = kThreads / std::min<std::int64_t>(power_of_two(row_of_outputs), kWarp);
  } else {
    least = std::min<std::int64_t>(power_of_two(n), kWarp);
  }
  std::int64_t threads = least;
  const auto blocks = [&] { return ceil_div(outputs, kThreads / threads); };
  while (threads < most && threads * own < n &&
         (blocks() < kFullGrid || (!shape.outputs_side_by_side && threads * own * 16 < n))) {
    threads *= 2;
  }
  shape.threads_per_output = static_cast<int>(threads);
  // Per thread of a split, so many elements or several times as many.
  const std::int64_t least_split = 16 * threads;
  plan.splits = std::clamp<std::int64_t>(
      std::min(ceil_div(n, least_split), kSeveralGrids / std::max<std::int64_t>(1, blocks())), 1,
      kSeveralGrids);
  shape.per_split = n;
  if (plan.splits > 1)
    shape.per_split = ceil_div(ceil_div(n, plan.splits), least_split) * least_split;
  plan.splits = ceil_div(n, shape.per_split);
  return plan;
}

void CudaBackend::reduce(Reduction kind, const View& x, const View& y) {
  const Call stream = begin({&x, &y});
  ReduceTarget target{.data = y.data, .dtype = y.dtype};
  target.by_root = kind == Reduction::norm;
  if (kind == Reduction::mean) {
    target.divisor = static_cast<double>(x.count() / std::max<std::int64_t>(1, y.count()));
  }
  dispatch(x.dtype, [&](auto tag) {
    reduce_from<typename decltype(tag)::type>(kind, stream, memory_, x, y, target);
  });
}

void CudaBackend::squares(const View& x, const View& center, const View& y) {
  const Call stream = begin({&x, &center, &y});
  dispatch(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    reduce_axes<Sum<double>>("squares", stream, memory_, split_axes(x, y),
                             SquaredDistances{center.as<double>()}, x.as<const T>(),
                             {.data = y.data, .dtype = y.dtype});
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
