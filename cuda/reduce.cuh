// SPDX-License-Identifier: MIT
/// \file
/// Joining elements along axes in a fixed order, which only the views' shapes and strides decide.
///
/// One kernel for all shapes.  A block takes some outputs with some threads each, and neighbours
/// among its threads take neighbours in memory, be these elements of one output (rows) or of
/// several (columns).  Where outputs are few, several blocks share each, and what they find is
/// joined by the same kernel.
#pragma once

#include "../src/formulas/cast.h"
#include "../src/formulas/reducers.h"
#include "../src/formulas/view.h"
#include "block_reduce.cuh"
#include "map.cuh"
#include "memory.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Axes of a view that stay and axes that are reduced.
struct ReducedAxes {
  Shape kept;
  Strides kept_x;
  Strides kept_y;
  Shape reduced;
  Strides reduced_x;
};

/// What a kernel joins, and with how many threads.
struct ReduceShape {
  Walk<2> kept;             ///< x and y
  Walk<1> runs;             ///< Starts, relative to an output's first element, of runs:
  std::int64_t run_length;  ///< the innermost reduced axis.
  std::int64_t run_stride;
  std::int64_t reduced;    ///< Elements joined for an output.
  std::int64_t per_split;  ///< Elements of these that one block takes; blockIdx.y says which.
  int threads_per_output;  ///< A power of two.
  bool outputs_side_by_side;
};

/// An element and its number along the reduced axis.
template <class V>
struct Candidate {
  V value;
  std::int64_t index;
};

/// What a joined value is returned as.
template <class V>
__device__ V answer(V value) {
  return value;
}
template <class V>
__device__ std::int64_t answer(Candidate<V> found) {
  return found.index;
}

/// The place for results: elements of any type, or, where an output is shared by several blocks, to
/// [splits, outputs] of the type they are carried in.
struct ReduceTarget {
  void* data;
  DType dtype;
  bool is_partial = false;
  double divisor = 1.0;  ///< Divisor of results carried in double.
  bool by_root = false;  ///< Whether of these the root is taken.

  template <class V>
  __device__ void store(std::int64_t at, V value) const {
    if constexpr (std::is_same_v<V, double>) {
      value /= divisor;
      if (by_root) value = sqrt(value);
    }
    switch (dtype) {
      case DType::boolean:
        static_cast<bool*>(data)[at] = cast<bool>(value);
        break;
      case DType::int32:
        static_cast<std::int32_t*>(data)[at] = cast<std::int32_t>(value);
        break;
      case DType::int64:
        static_cast<std::int64_t*>(data)[at] = cast<std::int64_t>(value);
        break;
      case DType::bfloat16:
        static_cast<bfloat16*>(data)[at] = cast<bfloat16>(value);
        break;
      case DType::float32:
        static_cast<float*>(data)[at] = cast<float>(value);
        break;
      case DType::float64:
        static_cast<double*>(data)[at] = cast<double>(value);
        break;
    }
  }
};

/// Terms that are the elements themselves.
struct Elements {
  struct Term {
    template <class T>
    __device__ auto operator()(T x, std::int64_t) const {
      return read(x);
    }
  };
  __device__ Term at(std::int64_t) const { return {}; }
};

/// Squares of distances from a center for each output.
struct SquaredDistances {
  struct Term {
    SquaredDistance distance;
    template <class T>
    __device__ double operator()(T x, std::int64_t) const {
      return distance(x);
    }
  };
  const double* centers;  ///< Centers in the outputs' layout; null where all are 0.
  __device__ Term at(std::int64_t output) const {
    return {{centers == nullptr ? 0.0 : centers[output]}};
  }
};

/// The join of terms number first, ..., end - 1 of one output, which are neighbours: the packs of
/// thread number `slot` of so many.  Which terms a lane joins in which order does not depend on
/// whether x lies on the border of a pack.
template <class R, class T, class Term>
__device__ typename R::Value join_packs(const T* x, const Term& term, std::int64_t first,
                                        std::int64_t end, int slot, int threads) {
  using V = typename R::Value;
  constexpr int width = kPackWidth<T>;
  constexpr int lanes = 4;
  constexpr int ahead = width == 8 ? 2 : 4;  // so many packs at a time are on their way
  V lane[lanes];
#pragma unroll
  for (int j = 0; j < lanes; ++j) lane[j] = R::start();
  std::int64_t i = first + slot * width;
  const int apart = threads * width;
  if (reinterpret_cast<std::uintptr_t>(x + first) % sizeof(Pack<T, width>) == 0) {
    for (; i + (ahead - 1) * apart + width <= end; i += ahead * apart) {
      Pack<T, width> loaded[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k)
        loaded[k] = *as_packs<const Pack<T, width>>(x + i + k * apart);
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
#pragma unroll
        for (int j = 0; j < width; ++j) {
          V& own = lane[j % lanes];
          own = R::join(own, static_cast<V>(term(loaded[k].lane[j], i + k * apart + j)));
        }
      }
    }
  }
  // Off the borders of packs, and where they end, element by element.
#pragma unroll 1
  for (; i < end; i += apart) {
    const int left = end - i < width ? static_cast<int>(end - i) : width;
    T loaded[width];
#pragma unroll
    for (int j = 0; j < width; ++j) loaded[j] = x[i + (j < left ? j : 0)];
#pragma unroll
    for (int j = 0; j < width; ++j) {
      V& own = lane[j % lanes];
      // Joined whatever it is: a branch would have each element loaded when it is its turn.
      const V joined = R::join(own, static_cast<V>(term(loaded[j], i + j)));
      own = j < left ? joined : own;
    }
  }
  return R::join(R::join(lane[0], lane[1]), R::join(lane[2], lane[3]));
}

/// The join of terms number first, first + step, ... below `end` of one output.
template <class R, class T, class Term>
__device__ typename R::Value join_terms(const ReduceShape& shape, const T* x, const Term& term,
                                        std::int64_t first, std::int64_t end, int step) {
  using V = typename R::Value;
  constexpr int lanes = 4;
  constexpr int ahead = 8;  // so many loads at a time are on their way
  V lane[lanes];
#pragma unroll
  for (int j = 0; j < lanes; ++j) lane[j] = R::start();
  std::int64_t i = first;
  if (shape.run_length == shape.reduced) {
    const T* p = x + first * shape.run_stride;
    const std::int64_t apart = step * shape.run_stride;
    for (; i + (ahead - 1) * step < end; i += ahead * step) {
      T loaded[ahead];
#pragma unroll
      for (int j = 0; j < ahead; ++j) loaded[j] = p[j * apart];
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        V& own = lane[j % lanes];
        own = R::join(own, static_cast<V>(term(loaded[j], i + j * step)));
      }
      p += ahead * apart;
    }
    for (; i < end; i += step, p += apart) {
      lane[0] = R::join(lane[0], static_cast<V>(term(*p, i)));
    }
  } else if (i < end) {
    const std::int64_t runs_per_step = step / shape.run_length;
    const std::int64_t rest_of_step = step - runs_per_step * shape.run_length;
    std::int64_t run = i / shape.run_length;
    std::int64_t within = i - run * shape.run_length;
    while (i < end) {
      std::int64_t offset[lanes];
#pragma unroll
      for (int j = 0; j < lanes; ++j) {
        const std::int64_t start =
            shape.runs.rank == 1 ? run * shape.runs.strides[0][0] : shape.runs(run).at[0];
        offset[j] = start + within * shape.run_stride;
        if (i + (j + 1) * step >= end) continue;
        run += runs_per_step;
        within += rest_of_step;
        if (within >= shape.run_length) {
          within -= shape.run_length;
          ++run;
        }
      }
#pragma unroll
      for (int j = 0; j < lanes; ++j) {
        const T loaded = x[offset[j]];
        const std::int64_t at = i + j * step;
        if (at < end) lane[j] = R::join(lane[j], static_cast<V>(term(loaded, at)));
      }
      i += lanes * step;
    }
  }
  return R::join(R::join(lane[0], lane[1]), R::join(lane[2], lane[3]));
}

/// In what way the terms of an output lie.
enum class TermsLie {
  side_by_side,  ///< Neighbours, with a pack at least for every thread.
  anyhow,
};

template <class R, class T, class Terms, TermsLie Lie>
__global__ void __launch_bounds__(kThreads, Lie == TermsLie::side_by_side ? 4 : 3)
    reduce_kernel(const __grid_constant__ ReduceShape shape, Terms terms, const T* x,
                  ReduceTarget target) {
  using V = typename R::Value;
  GAIA_SHARED(V, parts, [kThreads]);
  const int threads = shape.threads_per_output;
  const int outputs = kThreads / threads;
  const int thread = static_cast<int>(threadIdx.x);
  const int slot = shape.outputs_side_by_side ? thread / outputs : thread % threads;
  const int place = shape.outputs_side_by_side ? thread % outputs : thread / threads;
  const std::int64_t output = std::int64_t{blockIdx.x} * outputs + place;
  const std::int64_t split = blockIdx.y;
  Offsets<2> at{};
  V value = R::start();
  if (output < shape.kept.count) {
    at = shape.kept(output);
    const std::int64_t first = split * shape.per_split;
    const std::int64_t behind = first + shape.per_split;
    const std::int64_t end = behind < shape.reduced ? behind : shape.reduced;
    const auto term = terms.at(at.at[1]);
    if constexpr (Lie == TermsLie::side_by_side) {
      value = join_packs<R>(x + at.at[0], term, first, end, slot, threads);
    } else {
      value = join_terms<R>(shape, x + at.at[0], term, first + slot, end, threads);
    }
  }
  for (int width = threads / 2; width > 0; width /= 2) {
    parts[slot * outputs + place] = value;
    __syncthreads();
    if (slot < width) value = R::join(value, parts[(slot + width) * outputs + place]);
    __syncthreads();
  }
  if (slot != 0 || output >= shape.kept.count) return;
  if (target.is_partial) {
    static_cast<V*>(target.data)[split * shape.kept.count + output] = value;
  } else {
    target.store(at.at[1], answer(value));
  }
}

/// How many blocks fill the largest chips, and how many do so several times over.
constexpr std::int64_t kFullGrid = 1024;
constexpr std::int64_t kSeveralGrids = 4 * kFullGrid;

/// How to reduce those axes, with the number of blocks that share an output.
struct ReducePlan {
  ReduceShape shape;
  std::int64_t splits;
};
ReducePlan plan_reduction(const ReducedAxes& axes);

/// R's join of the terms along the reduced axes of x, for every output.
template <class R, class T, class Terms>
void reduce_axes(const char* name, cudaStream_t stream, Memory& memory, const ReducedAxes& axes,
                 const Terms& terms, const T* x, const ReduceTarget& target) {
  using V = typename R::Value;
  const ReducePlan plan = plan_reduction(axes);
  const std::int64_t outputs = plan.shape.kept.count;
  if (outputs == 0) return;
  const std::int64_t blocks = ceil_div(outputs, kThreads / plan.shape.threads_per_output);
  const LaunchShape grid{
      .grid = dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(plan.splits)),
      .block = kThreads};
  const bool side_by_side = plan.shape.run_stride == 1 &&
                            plan.shape.run_length == plan.shape.reduced &&
                            plan.shape.per_split >= kPackWidth<T> * plan.shape.threads_per_output;
  const auto kernel = side_by_side ? reduce_kernel<R, T, Terms, TermsLie::side_by_side>
                                   : reduce_kernel<R, T, Terms, TermsLie::anyhow>;
  if (plan.splits == 1) {
    launch(name, kernel, grid, stream, plan.shape, terms, x, target);
    return;
  }
  const Scratch parts(memory, plan.splits * outputs * static_cast<std::int64_t>(sizeof(V)), stream);
  launch(name, kernel, grid, stream, plan.shape, terms, x,
         ReduceTarget{.data = parts.as<V>(), .dtype = target.dtype, .is_partial = true});
  // The same outputs of [splits, outputs].
  const Walk<2>& kept = plan.shape.kept;
  ReducedAxes rest;
  for (int axis = 0; axis < kept.rank; ++axis) {
    rest.kept.push_back(kept.lengths[axis]);
    rest.kept_y.push_back(kept.strides[1][axis]);
  }
  rest.kept_x = row_major_strides(rest.kept);
  rest.reduced = {plan.splits};
  rest.reduced_x = {outputs};
  using Joined = std::conditional_t<std::is_arithmetic_v<V>, Elements, Terms>;
  reduce_axes<R, V>(name, stream, memory, rest, Joined{}, parts.as<const V>(), target);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
