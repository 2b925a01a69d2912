// SPDX-License-Identifier: MIT
/// \file
/// Functions of one number.
#include "../src/formulas/operand_types.h"
#include "backend.h"
#include "map.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class F>
struct Value {
  F function;
  template <class T>
  __device__ T operator()(T x) const {
    return function.value(x);
  }
};

}  // namespace

void CudaBackend::unary(const Unary& f, const View& x, const View& y) {
  const Call stream = begin({&x, &y});
  std::visit(
      [&](const auto& function) {
        dispatch(x.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          if constexpr (kUnaryTakes<F, T>) {
            map<T, T>("unary", stream, Value<F>{function}, y, x);
          } else {
            unexpected("unary", x.dtype);
          }
        });
      },
      f);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
