// SPDX-License-Identifier: MIT
/// \file
/// A dense layer with gelu: by one call of cuBLASLt where it can, else the product, and one pass
/// for all that follows it.
#include "linear_gelu.cuh"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

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

/// What tests allow float32, of the largest of a number and 1.
constexpr double kEpilogueTolerance = 1e-5;

/// The largest error of cuBLASLt's gelu against its formula in double, at numbers from -9 to 9 that
/// a product makes of one term each; nothing where it has no kernel for it.
std::optional<double> error_of_epilogue(Memory& memory, cudaStream_t stream) {
  constexpr std::int64_t rows = 64;
  constexpr std::int64_t out = 64;
  constexpr std::int64_t in = 8;
  std::array<float, rows * in> x{};
  std::array<float, out * in> weights{};
  std::array<float, rows * out> y{};
  for (std::int64_t i = 0; i < rows; ++i) {
    x[static_cast<std::size_t>(i * in)] = static_cast<float>(2 * i + 1 - rows) / float{rows};
  }
  for (std::int64_t j = 0; j < out; ++j) {
    weights[static_cast<std::size_t>(j * in)] = 9.0f * static_cast<float>(j + 1) / float{out};
  }
  const Scratch x_there(memory, sizeof x, stream);
  const Scratch weights_there(memory, sizeof weights, stream);
  const Scratch y_there(memory, sizeof y, stream);
  check(cudaMemcpyAsync(x_there.as<void>(), x.data(), sizeof x, cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
  check(cudaMemcpyAsync(weights_there.as<void>(), weights.data(), sizeof weights,
                        cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
  const bool is_done =
      gemm_gelu({.m = rows,
                 .n = out,
                 .k = in,
                 .a = {.data = x_there.as<void>(), .leading = in},
                 .b = {.data = weights_there.as<void>(), .leading = in, .transposed = true},
                 .y = y_there.as<void>(),
                 .y_leading = out},
                {}, memory, stream);
  check(cudaMemcpyAsync(y.data(), y_there.as<void>(), sizeof y, cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  if (!is_done) return std::nullopt;
  double error = 0.0;
  for (std::int64_t i = 0; i < rows * out; ++i) {
    const float z =
        x[static_cast<std::size_t>(i / out * in)] * weights[static_cast<std::size_t>(i % out * in)];
    const double right = GeluTanh{}.value(static_cast<double>(z));
    const double off = std::abs(static_cast<double>(y[static_cast<std::size_t>(i)]) - right);
    if (!(off <= error * std::max(1.0, std::abs(right)))) {
      error = off / std::max(1.0, std::abs(right));
    }
  }
  return error;
}

}  // namespace

bool CudaBackend::is_epilogue_exact(cudaStream_t stream) {
  if (of_epilogue_ == Exactness::unknown) {
    // Threads that come here together find the same.
    const std::optional<double> error = error_of_epilogue(memory_, stream);
    if (!error) return false;  // asked again: the kernel may lack for this stream alone
    of_epilogue_ = *error <= kEpilogueTolerance ? Exactness::enough : Exactness::too_little;
    if (of_epilogue_ == Exactness::too_little) {
      std::array<char, 64> text{};
      std::snprintf(text.data(), text.size(), "its gelu is off by %.1e", *error);
      note_epilogue_by_pass(text.data());
    }
  }
  return of_epilogue_ == Exactness::enough;
}

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
  const bool may_end_so = run.form == GeluForm::tanh && in > 0 && fits_gelu(product, epilogue) &&
                          (run.precision != MatmulPrecision::full || is_epilogue_exact(stream));
  if (may_end_so && gemm_gelu(product, epilogue, memory_, stream)) return;
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
