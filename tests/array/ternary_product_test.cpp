// SPDX-License-Identifier: MIT
#include "../../src/array/ternary_product.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Codes [outputs, columns] of a counter, and their words: digit by digit, as the header says.
struct Codes {
  std::int64_t outputs;
  std::int64_t columns;
  std::vector<int> codes;
  std::vector<std::int32_t> words;

  Codes(std::int64_t o, std::int64_t c) : outputs(o), columns(c) {
    const std::int64_t per_row = (c + 15) / 16;
    std::uint32_t state = 12345;
    for (std::int64_t row = 0; row < o; ++row) {
      std::vector<std::int64_t> sums(static_cast<std::size_t>(per_row), -2147483648LL);
      for (std::int64_t i = 0; i < c; ++i) {
        state = state * 1664525U + 1013904223U;
        const int code = static_cast<int>((state >> 24) % 3) - 1;
        codes.push_back(code);
        std::int64_t place = code + 1;
        for (std::int64_t digit = 0; digit < i % 16; ++digit) place *= 4;
        sums[static_cast<std::size_t>(i / 16)] += place;
      }
      for (const std::int64_t sum : sums) words.push_back(static_cast<std::int32_t>(sum));
    }
  }
  Array packed() const { return from_values(words, {outputs, (columns + 15) / 16}); }
};

}  // namespace

DEVICE_TEST_CASE(
    "Products with packed codes are those of loops, for any number of rows and columns") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const std::int64_t columns : {1, 7, 15, 16, 17, 33, 70}) {
      for (const std::int64_t rows : {1, 2, 3, 4, 7, 9}) {
        for (const std::int64_t outputs : {1, 3, 5}) {
          INFO(rows << " x " << columns << " -> " << outputs << " " << to_string(dtype));
          const Codes codes(outputs, columns);
          const Array x = random_normal({rows, columns}, 0.0, 1.0, dtype, {91, 1});
          const Array y = ternary_product(x, codes.packed());
          REQUIRE(y.shape() == Shape{rows, outputs});
          CHECK(y.dtype() == dtype);
          const std::vector<double> in = x.to_vector<double>();
          const std::vector<double> got = y.to_vector<double>();
          double worst = 0.0;
          for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t o = 0; o < outputs; ++o) {
              double wanted = 0.0;
              for (std::int64_t i = 0; i < columns; ++i) {
                wanted += codes.codes[static_cast<std::size_t>(o * columns + i)] *
                          in[static_cast<std::size_t>(r * columns + i)];
              }
              worst = std::max(worst,
                               std::abs(got[static_cast<std::size_t>(r * outputs + o)] - wanted));
            }
          }
          CHECK(worst < (dtype == DType::float32 ? 1e-5 : 1e-13));
        }
      }
    }
  }
}

TEST_CASE("A product with packed codes does not depend on what is computed beside it") {
  on_each_device([] {
    const Codes codes(37, 130);
    const Array x = random_normal({11, 130}, 0.0, 1.0, DType::float32, {91, 2});
    const std::vector<float> all = ternary_product(x, codes.packed()).to_vector<float>();
    for (std::int64_t row = 0; row < 11; ++row) {
      const std::vector<float> one = ternary_product(x[row], codes.packed()).to_vector<float>();
      REQUIRE(one.size() == 37);
      CHECK(std::equal(one.begin(), one.end(), all.begin() + row * 37));
    }
  });
  const Codes large(600, 1100);
  const Array x = random_normal({9, 1100}, 0.0, 1.0, DType::float32, {91, 3});
  std::vector<float> by_threads[2];
  for (const int threads : {1, 2}) {
    const Threads scope(threads);
    by_threads[threads - 1] = ternary_product(x, large.packed()).to_vector<float>();
  }
  CHECK(by_threads[0] == by_threads[1]);
}

DEVICE_TEST_CASE("Products with packed codes of views, of nothing, and of what is not finite") {
  const Codes codes(3, 20);
  const Array x = random_normal({20, 2, 2}, 0.0, 1.0, DType::float64, {91, 4});
  const Array turned = x.transpose();  // [2, 2, 20], strided
  CHECK(ternary_product(turned, codes.packed()).shape() == Shape{2, 2, 3});
  CHECK(all_close(ternary_product(turned, codes.packed()),
                  ternary_product(turned.copy(), codes.packed()), 0.0, 0.0));
  CHECK(ternary_product(zeros({0, 20}), codes.packed()).shape() == Shape{0, 3});
  const Array nothing = ternary_product(zeros({2, 0}), zeros({3, 0}, DType::int32));
  CHECK(nothing.to_vector<double>() == std::vector<double>(6));
  const Array odd = zeros({1, 20});
  odd.slice(1, 3, 4).fill(std::numeric_limits<double>::infinity());
  for (const double one : ternary_product(odd, codes.packed()).to_vector<double>()) {
    CHECK_FALSE(std::isfinite(one));  // 0 times infinity is NaN, as in any product
  }
}

TEST_CASE("Products with packed codes refuse what does not fit") {
  const Array packed = zeros({3, 2}, DType::int32);
  CHECK_THROWS_AS(ternary_product(zeros({2, 33}), packed), ShapeError);
  CHECK_THROWS_AS(ternary_product(zeros({2, 16}), packed), ShapeError);
  CHECK_THROWS_AS(ternary_product(zeros({}), packed), ShapeError);
  CHECK_THROWS_AS(ternary_product(zeros({2, 32}), zeros({2}, DType::int32)), ShapeError);
  CHECK_THROWS_AS(ternary_product(zeros({2, 32}), zeros({3, 2})), DTypeError);
  CHECK_THROWS_AS(ternary_product(zeros({2, 32}, DType::int64), packed), DTypeError);
}
