// SPDX-License-Identifier: MIT
#include "../../src/formulas/dtype.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../src/array/create.h"
#include "../support/catch.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

const std::vector<DType> kAll = {b1, i4, i8, bf, f4, f8};

TEST_CASE("Two dtypes promote as in NumPy, with bfloat16 as float32") {
  const DType table[6][6] = {
      // bool int32 int64 bfloat16 float32 float64
      {b1, i4, i8, f4, f4, f8},  // bool
      {i4, i4, i8, f8, f8, f8},  // int32
      {i8, i8, i8, f8, f8, f8},  // int64
      {f4, f8, f8, f4, f4, f8},  // bfloat16
      {f4, f8, f8, f4, f4, f8},  // float32
      {f8, f8, f8, f8, f8, f8},  // float64
  };
  for (std::size_t a = 0; a < 6; ++a) {
    for (std::size_t b = 0; b < 6; ++b) {
      INFO(to_string(kAll[a]) << " and " << to_string(kAll[b]));
      CHECK(promote(kAll[a], kAll[b]) == table[a][b]);
    }
  }
}

TEST_CASE("Functions of real numbers answer integers in float64") {
  CHECK(floating_result(b1) == f8);
  CHECK(floating_result(i4) == f8);
  CHECK(floating_result(i8) == f8);
  CHECK(floating_result(bf) == f4);
  CHECK(floating_result(f4) == f4);
  CHECK(floating_result(f8) == f8);
}

TEST_CASE("dtypes have names, sizes and kinds") {
  const std::vector<std::string> names = {"bool",     "int32",   "int64",
                                          "bfloat16", "float32", "float64"};
  const std::vector<std::int64_t> sizes = {1, 4, 8, 2, 4, 8};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(to_string(kAll[i]) == names[i]);
    CHECK(dtype_from_name(names[i]) == kAll[i]);
    CHECK(size_of(kAll[i]) == sizes[i]);
    CHECK(is_integer(kAll[i]) == (i == 1 || i == 2));
    CHECK(is_floating(kAll[i]) == (i >= 3));
  }
  CHECK_THROWS_AS(dtype_from_name("float16"), DTypeError);
  CHECK_THROWS_WITH(
      dtype_from_name("float16"),
      "[dtype] unknown dtype 'float16'; known: bool, int32, int64, bfloat16, float32, float64");
}

TEST_CASE("dispatch finds the type of a dtype") {
  for (const DType dtype : kAll) {
    const DType found =
        dispatch(dtype, [](auto tag) { return dtype_of<typename decltype(tag)::type>(); });
    CHECK(found == dtype);
    const auto bytes = dispatch(dtype, [](auto tag) {
      return static_cast<std::int64_t>(sizeof(typename decltype(tag)::type));
    });
    CHECK(bytes == size_of(dtype));
  }
  CHECK(dispatch_floating(f4, [](auto tag) { return sizeof(typename decltype(tag)::type); }) == 4);
  CHECK_THROWS_AS(dispatch_floating(i4, [](auto) {}), InternalError);
  CHECK_THROWS_AS(dispatch_floating(bf, [](auto) {}), InternalError);
}

float through_bfloat16(float x) { return static_cast<float>(bfloat16(x)); }

TEST_CASE("bfloat16 rounds to the nearest number of 8 bits, halves to even") {
  CHECK(through_bfloat16(1.0f) == 1.0f);
  CHECK(through_bfloat16(-2.5f) == -2.5f);
  CHECK(through_bfloat16(1.0f + 0x1p-8f) == 1.0f);                // half: to even, down
  CHECK(through_bfloat16(1.0f + 3 * 0x1p-8f) == 1.0f + 0x1p-6f);  // half: to even, up
  CHECK(through_bfloat16(1.0f + 0x1p-8f + 0x1p-23f) == 1.0f + 0x1p-7f);
  CHECK(through_bfloat16(0.1f) == 0.10009765625f);
  CHECK(std::signbit(through_bfloat16(-0.0f)));
  CHECK(bfloat16(1.0f).bits == 0x3f80);
}

TEST_CASE("bfloat16 keeps infinities and NaN, and overflows to infinity") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(through_bfloat16(infinity) == infinity);
  CHECK(through_bfloat16(-infinity) == -infinity);
  CHECK(through_bfloat16(std::numeric_limits<float>::max()) == infinity);
  CHECK(std::isnan(through_bfloat16(std::numeric_limits<float>::quiet_NaN())));
  // A NaN whose payload lies in the lower half only.
  const std::uint32_t bits = 0x7f800001u;
  float nan = 0;
  std::memcpy(&nan, &bits, sizeof nan);
  CHECK(std::isnan(through_bfloat16(nan)));
  CHECK(through_bfloat16(std::numeric_limits<float>::denorm_min()) == 0.0f);
}

TEST_CASE("bfloat16 is never further away than half a step") {
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> draw(-100.0f, 100.0f);
  for (int i = 0; i < 10000; ++i) {
    const float x = draw(engine);
    const float step = std::ldexp(1.0f, std::ilogb(x) - 7);
    if (std::abs(through_bfloat16(x) - x) > step / 2) FAIL(x);
  }
}

TEST_CASE("Casts to integers truncate and stay within range") {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const Array x = array({1.9, -1.9, 0.5, 3e9, -3e9, nan, infinity, -infinity}, f8);
  check_equal(x.astype(i4), i4, {8},
              {1, -1, 0, 2147483647.0, -2147483648.0, 0, 2147483647.0, -2147483648.0});
  const std::vector<std::int64_t> wide =
      array({1e19, -1e19, -0x1p63, 0x1p62, nan}, f8).astype(i8).to_vector<std::int64_t>();
  CHECK(wide == std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max(),
                                          std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::int64_t>::min(),
                                          std::int64_t(1) << 62, 0});
  // From float32, whose nearest number to 2^31 - 1 is 2^31.
  check_equal(array({2147483647.0, -2147483648.0, 2147483520.0}, f4).astype(i4), i4, {3},
              {2147483647.0, -2147483648.0, 2147483520.0});
}

TEST_CASE("Casts between integers wrap around, as in NumPy") {
  const std::vector<std::int64_t> wide = {(std::int64_t(1) << 32) + 5, -1, std::int64_t(1) << 31};
  check_equal(from_values(wide, {3}).astype(i4), i4, {3}, {5, -1, -2147483648.0});
}

TEST_CASE("Casts to bool ask whether a number is not zero, and from bool give 0 and 1") {
  const Array x = array({0.0, -0.0, 0.5, -3.0, std::nan("")}, f8);
  for (const DType from : {f8, f4, bf}) {
    check_equal(x.astype(from).astype(b1), b1, {5}, {0, 0, 1, 1, 1});
  }
  check_equal(array({0, 7, -1}, i4).astype(b1), b1, {3}, {0, 1, 1});
  for (const DType to : kAll) check_equal(array({0, 1}, b1).astype(to), to, {2}, {0, 1});
}

TEST_CASE("Every dtype casts to every other and back, for small integers") {
  for (const DType from : kAll) {
    for (const DType to : kAll) {
      INFO(to_string(from) << " to " << to_string(to));
      const Array x = array({0, 1, 1, 0}, from);
      check_equal(x.astype(to), to, {4}, {0, 1, 1, 0});
      check_equal(x.astype(to).astype(from), from, {4}, {0, 1, 1, 0});
    }
  }
  for (const DType from : {i4, i8, bf, f4, f8}) {
    for (const DType to : {i4, i8, bf, f4, f8}) {
      check_equal(array({-128, 0, 3, 100}, from).astype(to), to, {4}, {-128, 0, 3, 100});
    }
  }
}

TEST_CASE("A cast to float32 overflows to infinity") {
  const double infinity = std::numeric_limits<double>::infinity();
  check_equal(array({1e300, -1e300, 1e-300}, f8).astype(f4), f4, {3}, {infinity, -infinity, 0});
}

}  // namespace
}  // namespace gaia::test
