// SPDX-License-Identifier: MIT
/// \file
/// Functions and comparisons of two numbers, and the choice between them.
#include "../src/formulas/operand_types.h"
#include "backend.h"
#include "map.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class F>
struct Value {
  F function;
  template <class T>
  __device__ auto operator()(T a, T b) const {
    return function.value(a, b);
  }
};

struct Choose {
  template <class T>
  __device__ T operator()(bool holds, T a, T b) const {
    return holds ? a : b;
  }
};

}  // namespace

void CudaBackend::binary(const Binary& f, const View& a, const View& b, const View& y) {
  const Call stream = begin({&a, &b, &y});
  std::visit(
      [&](const auto& function) {
        dispatch(y.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          if constexpr (kBinaryTakes<F, T>) {
            map<T, T, T>("binary", stream, Value<F>{function}, y, a, b);
          } else {
            unexpected("binary", y.dtype);
          }
        });
      },
      f);
}

void CudaBackend::compare(const Comparison& f, const View& a, const View& b, const View& y) {
  const Call stream = begin({&a, &b, &y});
  std::visit(
      [&](const auto& function) {
        dispatch(a.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          if constexpr (std::is_same_v<T, bfloat16>) {
            unexpected("compare", a.dtype);
          } else {
            map<bool, T, T>("compare", stream, Value<F>{function}, y, a, b);
          }
        });
      },
      f);
}

void CudaBackend::select(const View& condition, const View& a, const View& b, const View& y) {
  const Call stream = begin({&condition, &a, &b, &y});
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map<T, bool, T, T>("select", stream, Choose{}, y, condition, a, b);
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
