// SPDX-License-Identifier: MIT
/// \file
/// What stands for cuBLASLt on the emulator: plain loops, with sums in double.  Operands are
/// rounded as far as the precision allows, so that a test sees whether it was used.
#include "../../cuda/gemm.h"

#include <atomic>
#include <vector>

#include "../../cuda/mma.cuh"
#include "../../src/formulas/activation.h"
#include "blocks.h"

namespace {

std::atomic<std::int64_t> products_that_round{0};

}  // namespace

std::int64_t gaia::emulator::rounded_products() { return products_that_round; }

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// The distances between the rows of a matrix and between its columns.
struct Steps {
  std::int64_t row;
  std::int64_t column;
  explicit Steps(const GemmMatrix& x)
      : row(x.transposed ? 1 : x.leading), column(x.transposed ? x.leading : 1) {}
};

double operand(MatmulPrecision precision, float x) {
  if (precision == MatmulPrecision::bfloat16) return static_cast<float>(bfloat16(x));
  if (precision == MatmulPrecision::full) return x;
  const std::uint32_t bits = tf32_bits(x);
  float result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}
double operand(MatmulPrecision, double x) { return x; }
double operand(MatmulPrecision, bfloat16 x) { return static_cast<float>(x); }

/// y, of T, from operands of From.
template <class From, class T>
void multiply(const Gemm& product) {
  const Steps of_a(product.a);
  const Steps of_b(product.b);
  std::vector<double> sums(static_cast<std::size_t>(product.n));
  const auto read = [&](const From* x) { return operand(product.precision, *x); };
  for (std::int64_t matrix = 0; matrix < product.batch; ++matrix) {
    const From* const a =
        static_cast<const From*>(product.a.data) + matrix * product.a.batch_stride;
    const From* const b =
        static_cast<const From*>(product.b.data) + matrix * product.b.batch_stride;
    T* const y = static_cast<T*>(product.y) + matrix * product.y_batch_stride;
    for (std::int64_t i = 0; i < product.m; ++i) {
      T* const row = y + i * product.y_leading;
      for (std::int64_t j = 0; j < product.n; ++j) {
        sums[static_cast<std::size_t>(j)] = product.accumulate ? static_cast<double>(row[j]) : 0.0;
      }
      for (std::int64_t l = 0; l < product.k; ++l) {
        const double factor = read(a + i * of_a.row + l * of_a.column);
        const From* const from = b + l * of_b.row;
        for (std::int64_t j = 0; j < product.n; ++j) {
          sums[static_cast<std::size_t>(j)] += factor * read(from + j * of_b.column);
        }
      }
      for (std::int64_t j = 0; j < product.n; ++j) {
        row[j] = static_cast<T>(sums[static_cast<std::size_t>(j)]);
      }
    }
  }
}

}  // namespace

void gemm(const Gemm& product, Memory&, cudaStream_t stream) {
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
  if (!emulator::hardware().has_gemm) {
    note_product_by_tiles(product, "emulated");
    return gemm_by_tiles(product, stream);
  }
  if (product.dtype == DType::float32 && product.precision != MatmulPrecision::full) {
    ++products_that_round;
  }
  if (product.dtype == DType::bfloat16) {
    emulator::enqueue(stream, [product] { multiply<bfloat16, float>(product); });
    return;
  }
  dispatch_floating(product.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    emulator::enqueue(stream, [product] { multiply<T, T>(product); });
  });
}

bool gemm_gelu(const Gemm& product, const GeluEpilogue& epilogue, Memory& memory,
               cudaStream_t stream) {
  if (!fits_gelu(product, epilogue)) return false;
  if (!emulator::hardware().has_gelu_epilogue) {
    note_epilogue_by_pass("emulated");
    return false;
  }
  gemm(product, memory, stream);
  const float error = emulator::hardware().gelu_epilogue_error;
  emulator::enqueue(stream, [product, epilogue, error] {
    const auto* const bias = static_cast<const float*>(epilogue.bias);
    auto* const y = static_cast<float*>(product.y);
    auto* const z = static_cast<float*>(epilogue.z);
    for (std::int64_t i = 0; i < product.m; ++i) {
      for (std::int64_t j = 0; j < product.n; ++j) {
        const std::int64_t at = i * product.y_leading + j;
        if (bias != nullptr) y[at] += bias[j];
        if (z != nullptr) z[at] = y[at];
        y[at] = GeluTanh{}.value(y[at]) + error;
      }
    }
  });
  return true;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
