// SPDX-License-Identifier: MIT
/// \file
/// Batches of matrix products: of floating numbers by gemm, in as few calls as the strides allow;
/// of integers and bool, and what cuBLASLt does not take, by a kernel that reads any strides.
#include "matmul.cuh"

#include <algorithm>
#include <atomic>
#include <optional>

#include "../src/core/log.h"
#include "backend.h"
#include "gemm.h"
#include "repack.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

Dims without_last_two(const Dims& dims) {
  Dims leading = dims;
  leading.erase(leading.rank() - 1);
  leading.erase(leading.rank() - 1);
  return leading;
}

/// The last two axes as gemm takes them, if it can.
std::optional<GemmMatrix> gemm_matrix(const View& x) {
  const std::int64_t rows = x.shape[x.rank() - 2];
  const std::int64_t columns = x.shape.back();
  const std::int64_t row_stride = x.strides[x.rank() - 2];
  const std::int64_t column_stride = x.strides.back();
  // Where there is a single row, or column, its stride may be anything.
  if ((columns == 1 || column_stride == 1) && (rows == 1 || row_stride >= columns)) {
    return GemmMatrix{x.data, rows == 1 ? columns : row_stride, false};
  }
  if ((rows == 1 || row_stride == 1) && (columns == 1 || column_stride >= rows)) {
    return GemmMatrix{x.data, columns == 1 ? rows : column_stride, true};
  }
  return std::nullopt;
}

/// A factor as it lies, or a copy.
class Factor {
 public:
  Factor(CudaBackend& backend, Memory& memory, const View& x, cudaStream_t stream)
      : lies_(gemm_matrix(x) ? Repacked(x) : Repacked(backend, memory, x, x.dtype, stream)),
        matrix_(*gemm_matrix(lies_.view())) {}

  const GemmMatrix& matrix() const { return matrix_; }
  Strides batch_strides() const { return without_last_two(lies_.view().strides); }

 private:
  Repacked lies_;
  GemmMatrix matrix_;
};

void* advance(const void* data, std::int64_t elements, DType dtype) {
  return const_cast<char*>(static_cast<const char*>(data) + elements * size_of(dtype));
}

/// All products of a batch whose matrices begin at `batch` in y, a and b.
void multiply_batch(const Gemm& single, const SharedWalk<3>& batch, Memory& memory,
                    cudaStream_t stream) {
  // One axis goes into each call; the others are walked.
  int together = 0;
  for (int axis = 1; axis < batch.shape.rank(); ++axis) {
    if (batch.shape[axis] > batch.shape[together]) together = axis;
  }
  Gemm product = single;
  product.batch = batch.shape[together];
  product.y_batch_stride = batch.strides[0][together];
  product.a.batch_stride = batch.strides[1][together];
  product.b.batch_stride = batch.strides[2][together];
  if (product.m == 1 && !product.a.transposed && product.b.batch_stride == 0) {
    // Single rows become those of one product.
    product.a.leading = std::max(product.a.batch_stride, product.a.leading);
    product.y_leading = std::max(product.y_batch_stride, product.y_leading);
  }
  const bool one_below_another = !product.a.transposed && product.b.batch_stride == 0 &&
                                 product.a.batch_stride == product.m * product.a.leading &&
                                 product.y_batch_stride == product.m * product.y_leading;
  if (one_below_another) {
    product.m *= product.batch;
    product.batch = 1;
  }
  const std::int64_t calls = count_elements(batch.shape) / batch.shape[together];
  for (std::int64_t call = 0; call < calls; ++call) {
    std::int64_t rest = call;
    std::int64_t at[3] = {};
    for (int axis = batch.shape.rank() - 1; axis >= 0; --axis) {
      if (axis == together) continue;
      const std::int64_t position = rest % batch.shape[axis];
      rest /= batch.shape[axis];
      for (std::size_t i = 0; i < 3; ++i) at[i] += position * batch.strides[i][axis];
    }
    product.y = advance(single.y, at[0], single.y_dtype());
    product.a.data = advance(single.a.data, at[1], single.dtype);
    product.b.data = advance(single.b.data, at[2], single.dtype);
    gemm(product, memory, stream);
  }
}

template <class T>
StridedMatrix<T> strided_matrix(const View& x) {
  return {x.as<T>(), x.strides[x.rank() - 2], x.strides.back()};
}

template <class T>
void multiply_by_tiles(const View& a, const View& b, const View& y, cudaStream_t stream) {
  const std::int64_t m = y.shape[y.rank() - 2];
  const std::int64_t n = y.shape.back();
  const Walk<3> walk = make_walk<3>(
      without_last_two(y.shape),
      {without_last_two(y.strides), without_last_two(a.strides), without_last_two(b.strides)});
  const std::int64_t tiles = ceil_div(m, kMatmulTile) * ceil_div(n, kMatmulTile) * walk.count;
  launch("matmul", matmul_kernel<T, T, false>,
         {.grid = blocks_for(tiles, 1), .block = kMatmulThreads}, stream, m, n, a.shape.back(),
         walk, strided_matrix<T>(y), strided_matrix<const T>(a), strided_matrix<const T>(b));
}

template <class From>
StridedMatrix<const From> strided_matrix(const GemmMatrix& x) {
  return {static_cast<const From*>(x.data), x.transposed ? 1 : x.leading,
          x.transposed ? x.leading : 1};
}

template <class T, class From>
void multiply_floats(const Gemm& product, cudaStream_t stream) {
  const std::int64_t tiles =
      ceil_div(product.m, kMatmulTile) * ceil_div(product.n, kMatmulTile) * product.batch;
  const Walk<3> walk = make_walk<3>(
      {product.batch}, {Strides{product.y_batch_stride}, Strides{product.a.batch_stride},
                        Strides{product.b.batch_stride}});
  const auto kernel =
      product.accumulate ? matmul_kernel<T, From, true> : matmul_kernel<T, From, false>;
  launch("gemm_by_tiles", kernel, {.grid = blocks_for(tiles, 1), .block = kMatmulThreads}, stream,
         product.m, product.n, product.k, walk,
         StridedMatrix<T>{static_cast<T*>(product.y), product.y_leading, 1},
         strided_matrix<From>(product.a), strided_matrix<From>(product.b));
}

std::atomic<std::int64_t> g_products_by_tiles{0};
std::atomic<std::int64_t> g_epilogues_by_pass{0};

}  // namespace

void gemm_by_tiles(const Gemm& product, cudaStream_t stream) {
  switch (product.dtype) {
    case DType::bfloat16:
      return multiply_floats<float, bfloat16>(product, stream);
    case DType::float64:
      return multiply_floats<double, double>(product, stream);
    default:
      return multiply_floats<float, float>(product, stream);
  }
}

GemmFallbacks gemm_fallbacks() { return {g_products_by_tiles, g_epilogues_by_pass}; }

void note_product_by_tiles(const Gemm& product, const std::string& why) {
  ++g_products_by_tiles;
  log_once(LogLevel::warning, "gemm_by_tiles " + why,
           "[cuda] cuBLASLt does not take a product of " + to_string(product.dtype) + " [" +
               std::to_string(product.m) + ", " + std::to_string(product.k) + "] with [" +
               std::to_string(product.k) + ", " + std::to_string(product.n) + "] (" + why +
               "); gaia's own kernel computes it and its like, more slowly");
}

void note_epilogue_by_pass(const std::string& why) {
  ++g_epilogues_by_pass;
  log_once(LogLevel::info, "linear_gelu by a pass " + why,
           "[cuda] linear_gelu takes a product and a pass in place of one call of cuBLASLt (" +
               why + ")");
}

void CudaBackend::matmul(const View& a, const View& b, const View& y, MatmulPrecision precision) {
  const Call stream = begin({&a, &b, &y});
  if (y.count() == 0) return;
  if (a.shape.back() == 0) return fill(0.0, y);
  switch (y.dtype) {
    case DType::boolean:
      return multiply_by_tiles<bool>(a, b, y, stream);
    case DType::int32:
      return multiply_by_tiles<std::int32_t>(a, b, y, stream);
    case DType::int64:
      return multiply_by_tiles<std::int64_t>(a, b, y, stream);
    case DType::bfloat16:
      unexpected("matmul into", y.dtype);
    case DType::float32:
    case DType::float64:
      break;
  }
  const Factor left(*this, memory_, a, stream);
  const Factor right(*this, memory_, b, stream);
  const Gemm single{.dtype = a.dtype,
                    .precision = precision,
                    .m = y.shape[y.rank() - 2],
                    .n = y.shape.back(),
                    .k = a.shape.back(),
                    .a = left.matrix(),
                    .b = right.matrix(),
                    .y = y.data,
                    .y_leading = y.shape.back()};
  multiply_batch(
      single,
      merge_axes<3>(without_last_two(y.shape),
                    {without_last_two(y.strides), left.batch_strides(), right.batch_strides()}),
      memory_, stream);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
