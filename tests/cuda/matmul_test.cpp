// SPDX-License-Identifier: MIT
/// \file
/// Products of integers by tiles, and how products of floating numbers are cut into calls.
#include "../../src/array/backend.h"
#include "as_on_cpu.h"

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
  const EmulatedDevice emulated;
  const GPUContext scope(EmulatedDevice::device());
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

}  // namespace

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
