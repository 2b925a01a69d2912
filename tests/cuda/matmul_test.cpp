// SPDX-License-Identifier: MIT
/// \file
/// Products of integers by tiles, and how products of floating numbers are cut into calls.
#include <array>
#include <cmath>
#include <vector>

#include "../../cuda/gemm.h"
#include "../../cuda/streams.h"
#include "../../src/array/backend.h"
#include "../../src/array/create.h"
#include "../../src/array/fused.h"
#include "../../src/array/ops.h"
#include "../../src/core/log.h"
#include "../support/log_capture.h"
#include "as_on_cpu.h"
#include "hardware.h"

namespace gaia::test {
namespace {

/// The product of integers, by a plain loop.
template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, std::int64_t batches,
                       std::int64_t m, std::int64_t k, std::int64_t n) {
  std::vector<T> y(static_cast<std::size_t>(batches * m * n));
  for (std::int64_t i = 0; i < batches * m * n; ++i) {
    const std::int64_t row = i / n;
    std::uint64_t sum = 0;
    for (std::int64_t l = 0; l < k; ++l) {
      sum += static_cast<std::uint64_t>(a[static_cast<std::size_t>(row * k + l)]) *
             static_cast<std::uint64_t>(b[static_cast<std::size_t>((row / m * k + l) * n + i % n)]);
    }
    y[static_cast<std::size_t>(i)] = static_cast<T>(sum);
  }
  return y;
}

template <class T>
void check_integers(const Shape& bmkn, Layout layout) {
  const std::int64_t batches = bmkn[0];
  const std::int64_t m = bmkn[1];
  const std::int64_t k = bmkn[2];
  const std::int64_t n = bmkn[3];
  INFO(to_string(bmkn) << " " << to_string(dtype_of<T>()) << " " << to_string(layout));
  std::mt19937_64 engine(3);
  const OnEmulatedDevice emulated;
  const double most = dtype_of<T>() == DType::boolean ? 1 : 1e6;  // products wrap around
  const Array a = random_operand(engine, {batches, m, k}, dtype_of<T>(), layout, -most, most).array;
  const Array b = random_operand(engine, {batches, k, n}, dtype_of<T>(), layout, -most, most).array;
  using Whole = std::conditional_t<std::is_same_v<T, bool>, std::int64_t, T>;
  std::vector<Whole> expected =
      product(a.to_vector<Whole>(), b.to_vector<Whole>(), batches, m, k, n);
  if (std::is_same_v<T, bool>) {
    for (Whole& number : expected) number = number != 0;
  }
  for_each_schedule([&](const std::string& schedule) {
    INFO(schedule);
    const Array y = Array::uninitialized({batches, m, n}, dtype_of<T>());
    backend(EmulatedDevice::device()).matmul(a.view(), b.view(), y.view(), MatmulPrecision::full);
    CHECK((y.to_vector<Whole>() == expected));
  });
}

void synchronize_emulated() {
  REQUIRE(cudaStreamSynchronize(cuda::emulated::stream_of_thread(0)) == cudaSuccess);
}

/// y = a b, or y += a b, of matrices that lie as `product` says, in double.
template <class From>
std::vector<double> looped(const cuda::emulated::Gemm& product, const std::vector<From>& a,
                           const std::vector<From>& b, std::vector<double> y) {
  const auto at = [](const cuda::emulated::GemmMatrix& x, std::int64_t matrix, std::int64_t i,
                     std::int64_t j) {
    return static_cast<std::size_t>(matrix * x.batch_stride +
                                    (x.transposed ? j * x.leading + i : i * x.leading + j));
  };
  for (std::int64_t matrix = 0; matrix < product.batch; ++matrix) {
    for (std::int64_t i = 0; i < product.m; ++i) {
      for (std::int64_t j = 0; j < product.n; ++j) {
        double sum = 0.0;
        for (std::int64_t l = 0; l < product.k; ++l) {
          sum += static_cast<double>(static_cast<float>(a[at(product.a, matrix, i, l)])) *
                 static_cast<double>(static_cast<float>(b[at(product.b, matrix, l, j)]));
        }
        double& to = y[static_cast<std::size_t>(matrix * product.y_batch_stride +
                                                i * product.y_leading + j)];
        to = product.accumulate ? to + sum : sum;
      }
    }
  }
  return y;
}

/// gemm_by_tiles on matrices with gaps between their rows and between them, of numbers whose
/// products and sums are exact in float32.
template <class From, class T>
void check_tiles(cuda::emulated::Gemm product) {
  INFO(to_string(product.dtype) << " " << product.m << " " << product.n << " " << product.k << " "
                                << product.a.transposed << product.b.transposed
                                << product.accumulate << " " << product.batch);
  std::mt19937_64 engine(5);
  const auto matrix = [&](cuda::emulated::GemmMatrix& x, std::int64_t rows, std::int64_t columns) {
    x.leading = (x.transposed ? rows : columns) + 3;
    const std::int64_t lines = x.transposed ? columns : rows;
    x.batch_stride = lines * x.leading + 5;
    std::vector<From> numbers(static_cast<std::size_t>(product.batch * x.batch_stride));
    for (From& number : numbers) {
      number = static_cast<From>(static_cast<float>(static_cast<int>(engine() % 17) - 8));
    }
    return numbers;
  };
  const std::vector<From> a = matrix(product.a, product.m, product.k);
  const std::vector<From> b = matrix(product.b, product.k, product.n);
  product.y_leading = product.n + 2;
  product.y_batch_stride = product.m * product.y_leading + 7;
  std::vector<T> before(static_cast<std::size_t>(product.batch * product.y_batch_stride));
  for (T& number : before) number = static_cast<T>(static_cast<int>(engine() % 9));
  const std::vector<double> expected =
      looped(product, a, b, std::vector<double>(before.begin(), before.end()));
  for_each_schedule([&](const std::string& schedule) {
    INFO(schedule);
    std::vector<T> y = before;
    product.a.data = a.data();
    product.b.data = b.data();
    product.y = y.data();
    cuda::emulated::gemm_by_tiles(product, cuda::emulated::stream_of_thread(0));
    synchronize_emulated();
    CHECK((std::vector<double>(y.begin(), y.end()) == expected));
  });
}

}  // namespace

TEST_CASE("Products that cuBLASLt does not take are the same by tiles") {
  using cuda::emulated::Gemm;
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1}, {65, 63, 17}, {3, 70, 33}}) {
    for (int bits = 0; bits < 8; ++bits) {
      Gemm product;
      product.m = m;
      product.n = n;
      product.k = k;
      product.a.transposed = (bits & 1) != 0;
      product.b.transposed = (bits & 2) != 0;
      product.accumulate = (bits & 4) != 0;
      product.batch = bits % 3 + 1;
      check_tiles<float, float>(product);
      product.dtype = DType::float64;
      check_tiles<double, double>(product);
      product.dtype = DType::bfloat16;
      check_tiles<bfloat16, float>(product);
    }
  }
}

TEST_CASE("Where cuBLASLt has no kernel, products go by tiles, which is counted and told once") {
  const WithHardware poor({.has_gemm = false, .has_gelu_epilogue = false});
  reset_log_once();
  const LogCapture log;
  const OnEmulatedDevice emulated;
  const cuda::emulated::GemmFallbacks before = cuda::emulated::gemm_fallbacks();
  const Array a = full({2, 3, 5}, 2.0);
  CHECK((matmul(a, full({5, 4}, 3.0)).to_vector<float>() == std::vector<float>(24, 30.0f)));
  const Array half = full({3, 3}, 1.5, DType::bfloat16);
  CHECK((matmul(half, half).to_vector<float>() == std::vector<float>(9, 6.75f)));
  const Array y = linear_gelu(full({4, 8}, 0.5), full({8, 8}, 0.25));
  CHECK(std::abs(y.to_vector<double>()[5] - 0.8411919906082768) < 1e-6);
  CHECK(cuda::emulated::gemm_fallbacks().products == before.products + 3);
  CHECK(cuda::emulated::gemm_fallbacks().epilogues > before.epilogues);
  CHECK(log.count(LogLevel::warning,
                  "[cuda] cuBLASLt does not take a product of float32 [6, 5] with [5, 4] "
                  "(emulated); gaia's own kernel computes it and its like, more slowly") == 1);
  CHECK(log.count(LogLevel::info,
                  "[cuda] linear_gelu takes a product and a pass in place of one call of cuBLASLt "
                  "(emulated)") == 1);
}

TEST_CASE("Products of integers and bool are exact and wrap around") {
  for (const Shape& bmkn : {Shape{1, 1, 1, 1}, Shape{1, 64, 16, 64}, Shape{2, 65, 17, 63},
                            Shape{3, 5, 40, 2}, Shape{1, 3, 0, 4}, Shape{2, 0, 3, 3}}) {
    for (const Layout layout : all_layouts()) {
      check_integers<std::int32_t>(bmkn, layout);
      check_integers<std::int64_t>(bmkn, layout);
      check_integers<bool>(bmkn, layout);
    }
  }
}

TEST_CASE("Batches of products agree with the CPU whichever axes repeat or turn") {
  for (const std::int64_t m : {1, 3}) {
    for (const std::int64_t k : {1, 4}) {
      for (int repeats = 0; repeats < 16; ++repeats) {
        for (const Layout layout : all_layouts()) {
          INFO(m << " " << k << " " << repeats << " " << to_string(layout));
          check_as_on_cpu(
              [&](std::mt19937_64& engine) -> std::vector<Array> {
                const auto length = [&](int bit, std::int64_t full) {
                  return (repeats >> bit & 1) != 0 ? 1 : full;
                };
                const Array a =
                    some(engine, {length(0, 2), length(1, 3), m, k}, DType::float64, layout);
                const Array b =
                    some(engine, {length(2, 2), length(3, 3), k, 5}, DType::float64, layout);
                const Array y = Array::uninitialized({2, 3, m, 5}, DType::float64);
                backend(current_device())
                    .matmul(a.broadcast_to({2, 3, m, k}).view(),
                            b.broadcast_to({2, 3, k, 5}).view(), y.view(), MatmulPrecision::full);
                return {y};
              },
              8, 16);
        }
      }
    }
  }
}

}  // namespace gaia::test
