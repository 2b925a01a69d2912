// SPDX-License-Identifier: MIT
/// \file
/// What stands for cuBLASLt on the emulator: plain loops, with sums in double.
#include "../../cuda/gemm.h"

#include <vector>

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// The distances between the rows of a matrix and between its columns.
struct Steps {
  std::int64_t row;
  std::int64_t column;
  explicit Steps(const GemmMatrix& x)
      : row(x.transposed ? 1 : x.leading), column(x.transposed ? x.leading : 1) {}
};

template <class T>
void multiply(const Gemm& product) {
  const Steps of_a(product.a);
  const Steps of_b(product.b);
  std::vector<double> sums(static_cast<std::size_t>(product.n));
  for (std::int64_t matrix = 0; matrix < product.batch; ++matrix) {
    const T* const a = static_cast<const T*>(product.a.data) + matrix * product.a.batch_stride;
    const T* const b = static_cast<const T*>(product.b.data) + matrix * product.b.batch_stride;
    T* const y = static_cast<T*>(product.y) + matrix * product.y_batch_stride;
    for (std::int64_t i = 0; i < product.m; ++i) {
      T* const row = y + i * product.y_leading;
      for (std::int64_t j = 0; j < product.n; ++j) {
        sums[static_cast<std::size_t>(j)] = product.accumulate ? static_cast<double>(row[j]) : 0.0;
      }
      for (std::int64_t l = 0; l < product.k; ++l) {
        const auto factor = static_cast<double>(a[i * of_a.row + l * of_a.column]);
        const T* const from = b + l * of_b.row;
        for (std::int64_t j = 0; j < product.n; ++j) {
          sums[static_cast<std::size_t>(j)] += factor * static_cast<double>(from[j * of_b.column]);
        }
      }
      for (std::int64_t j = 0; j < product.n; ++j) {
        row[j] = static_cast<T>(sums[static_cast<std::size_t>(j)]);
      }
    }
  }
}

}  // namespace

void gemm(const Gemm& product, cudaStream_t stream) {
  if (product.m < 1 || product.n < 1 || product.k < 1 || product.batch < 1) {
    throw InternalError("[cuda::gemm] empty");
  }
  const auto lies_well = [](const GemmMatrix& x, std::int64_t rows, std::int64_t columns) {
    return x.leading >= (x.transposed ? rows : columns);
  };
  if (!lies_well(product.a, product.m, product.k) || !lies_well(product.b, product.k, product.n) ||
      product.y_leading < product.n) {
    throw InternalError("[cuda::gemm] rows overlap");
  }
  dispatch_floating(product.dtype, [&](auto tag) {
    emulator::enqueue(stream, [product] { multiply<typename decltype(tag)::type>(product); });
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
