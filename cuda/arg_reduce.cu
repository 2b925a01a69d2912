// SPDX-License-Identifier: MIT
/// \file
/// Positions of the extremes along the last axis.

#include "backend.h"
#include "reduce.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// The first of two candidates in place that is NaN, or else extreme.  Whichever order they are
/// joined in, the result is the same.
template <ArgReduction Kind, class V>
struct FirstExtreme {
  using Value = Candidate<V>;
  __device__ static Value start() { return {V(0), -1}; }
  __device__ static Value join(Value a, Value b) {
    if (a.index < 0 || b.index < 0) return a.index < 0 ? b : a;
    const bool nan_a = a.value != a.value;
    const bool nan_b = b.value != b.value;
    if (nan_a != nan_b) return nan_a ? a : b;
    if (nan_a || a.value == b.value) return a.index < b.index ? a : b;
    return (a.value > b.value) == (Kind == ArgReduction::max) ? a : b;
  }
};

/// Terms that are the elements, and where they are; or candidates as they are.
struct Candidates {
  struct Term {
    template <class T>
    __device__ auto operator()(T x, std::int64_t index) const {
      return Candidate<Read<T>>{read(x), index};
    }
    template <class V>
    __device__ Candidate<V> operator()(Candidate<V> x, std::int64_t) const {
      return x;
    }
  };
  __device__ Term at(std::int64_t) const { return {}; }
};

}  // namespace

void CudaBackend::arg_reduce(ArgReduction kind, const View& x, const View& y) {
  const Call stream = begin({&x, &y});
  ReducedAxes axes{.kept = x.shape,
                   .kept_x = x.strides,
                   .kept_y = y.strides,
                   .reduced = {x.shape.back()},
                   .reduced_x = {x.strides.back()}};
  for (Dims* dims : {&axes.kept, &axes.kept_x, &axes.kept_y}) dims->erase(dims->rank() - 1);
  const ReduceTarget target{.data = y.data, .dtype = y.dtype};
  dispatch(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (kind == ArgReduction::max) {
      reduce_axes<FirstExtreme<ArgReduction::max, Read<T>>>("arg_reduce", stream, memory_, axes,
                                                            Candidates{}, x.as<const T>(), target);
    } else {
      reduce_axes<FirstExtreme<ArgReduction::min, Read<T>>>("arg_reduce", stream, memory_, axes,
                                                            Candidates{}, x.as<const T>(), target);
    }
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
