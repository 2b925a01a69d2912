// SPDX-License-Identifier: MIT
/// \file
/// Copies and casts.
#include "../src/formulas/cast.h"
#include "backend.h"
#include "map.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class To>
struct Cast {
  template <class From>
  __device__ To operator()(From x) const {
    return cast<To>(x);
  }
};

template <class T>
struct Constant {
  T value;
  __device__ T operator()() const { return value; }
};

}  // namespace

void CudaBackend::copy(const View& x, const View& y) {
  const Call stream = begin({&x, &y});
  if (x.dtype == y.dtype && x.is_contiguous() && y.is_contiguous()) {
    const std::int64_t bytes = y.count() * size_of(y.dtype);
    check(cudaMemcpyAsync(y.data, x.data, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice,
                          stream),
          "copy");
    return;
  }
  dispatch(x.dtype, [&](auto from) {
    dispatch(y.dtype, [&](auto to) {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      map<To, From>("copy", stream, Cast<To>{}, y, x);
    });
  });
}

void CudaBackend::fill(double value, const View& y) {
  const Call stream = begin({&y});
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map<T>("fill", stream, Constant<T>{cast<T>(value)}, y);
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
