// SPDX-License-Identifier: MIT
/// \file
/// A dense layer with gelu: by one call of cuBLASLt where it can, else the product, and one pass
/// for all that follows it.
#include "linear_gelu.cuh"

#include "backend.h"
#include "gemm.h"
#include "map.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class F>
void with_gelu(GeluForm form, const F& f) {
  if (form == GeluForm::exact) return f(GeluExact{});
  f(GeluTanh{});
}

/// dz = dy gelu'(z).
template <class Gelu>
struct GeluSlope {
  Gelu gelu;
  template <class T>
  __device__ T operator()(T dy, T z) const {
    return dy * gelu.slope(z, T(0));
  }
};

/// A contiguous matrix.
GemmMatrix matrix(const View& x, bool transposed = false) {
  return {.data = x.data, .leading = x.shape[1], .transposed = transposed};
}

}  // namespace

void CudaBackend::linear_gelu(const LinearGeluRun& run) {
  const Call stream = begin({&run.x, &run.weights, if_any(run.bias), if_any(run.z), &run.y});
  const std::int64_t rows = run.x.shape[0];
  const std::int64_t in = run.x.shape[1];
  const std::int64_t out = run.weights.shape[0];
  if (run.y.count() == 0) return;
  Gemm product{.dtype = run.x.dtype,
               .precision = run.precision,
               .m = rows,
               .n = out,
               .k = in,
               .a = matrix(run.x),
               .b = matrix(run.weights, true),
               .y = run.y.data,
               .y_leading = out};
  const GeluEpilogue epilogue{run.bias ? run.bias->data : nullptr, run.z ? run.z->data : nullptr};
  if (run.form == GeluForm::tanh && in > 0 && gemm_gelu(product, epilogue, memory_, stream)) return;
  const View& drive = run.z ? *run.z : run.y;
  if (in == 0) {
    fill(0.0, drive);
  } else {
    product.y = drive.data;
    gemm(product, memory_, stream);
  }
  dispatch_floating(run.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_gelu(run.form, [&](const auto& gelu) {
      using Gelu = std::decay_t<decltype(gelu)>;
      const std::int64_t count = rows * out;
      launch("linear_gelu", bias_gelu_kernel<T, Gelu>,
             {.grid = blocks_for(count, kThreads), .block = kThreads}, stream, gelu, count, out,
             run.bias ? run.bias->as<T>() : nullptr, run.z ? run.z->as<T>() : nullptr,
             run.y.as<T>());
    });
  });
}

void CudaBackend::linear_gelu_backward(const LinearGeluBackwardRun& run) {
  const Call stream = begin({&run.dy, &run.x, &run.weights, &run.z, &run.dz, if_any(run.dx),
                             if_any(run.dweights), if_any(run.dbias)});
  const std::int64_t rows = run.x.shape[0];
  const std::int64_t out = run.weights.shape[0];
  dispatch_floating(run.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_gelu(run.form, [&](const auto& gelu) {
      map<T, T, T>("linear_gelu_backward", stream, GeluSlope<std::decay_t<decltype(gelu)>>{gelu},
                   run.dz, run.dy, run.z);
    });
    if (run.dbias) {
      column_sums<T, 1>("linear_gelu_backward", memory_, stream, SlopeTerm<T>{run.dz.as<T>(), out},
                        rows, out, {{run.dbias->as<T>()}});
    }
  });
  const auto multiply = [&](const View& y, std::int64_t k, const GemmMatrix& a,
                            const GemmMatrix& b) {
    if (y.count() == 0) return;
    if (k == 0) return fill(0.0, y);
    gemm({.dtype = y.dtype,
          .precision = run.precision,
          .m = y.shape[0],
          .n = y.shape[1],
          .k = k,
          .a = a,
          .b = b,
          .y = y.data,
          .y_leading = y.shape[1]},
         memory_, stream);
  };
  if (run.dx) multiply(*run.dx, out, matrix(run.dz), matrix(run.weights));
  if (run.dweights) multiply(*run.dweights, rows, matrix(run.dz, true), matrix(run.x));
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
