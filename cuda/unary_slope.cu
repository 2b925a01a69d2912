// SPDX-License-Identifier: MIT
/// \file
/// Slopes of functions of one number.
#include "backend.h"
#include "map.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class F>
struct Slope {
  F function;
  template <class T>
  __device__ T operator()(T x, T y, T dy) const {
    return dy * function.slope(x, y);
  }
};

}  // namespace

void CudaBackend::unary_slope(const Unary& f, const View& x, const View& y, const View& dy,
                              const View& dx) {
  const Call stream = begin({&x, &y, &dy, &dx});
  std::visit(
      [&](const auto& function) {
        dispatch_floating(dx.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          map<T, T, T, T>("unary_slope", stream, Slope<F>{function}, dx, x, y, dy);
        });
      },
      f);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
