// SPDX-License-Identifier: MIT
/// \file
/// Numbers joined by vectors, compared with one after the other.
#include "../../cpu/vector/reduce.h"
#include "../../cpu/vector/rows.h"

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/reductions.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

/// Small whole numbers, of which every sum and short product is exact.
template <class T>
T* fill(T* x, std::int64_t n) {
  std::mt19937 random(5);
  for (std::int64_t i = 0; i < n; ++i) x[i] = static_cast<T>(static_cast<int>(random() % 5) - 2);
  return x;
}

template <class R, class T>
void check_joins() {
  using Value = typename R::Value;
  static T x[40 * 60];
  fill(x, 40 * 60);
  for (const std::int64_t rows : {0, 1, 3, 4, 5, 8, 11}) {
    for (const std::int64_t n : {0, 1, 7, 8, 37, 55}) {
      std::vector<Value> joined(static_cast<std::size_t>(n) + 1, Value(1));
      GAIA_VECTOR_KERNEL(join_rows<R, T>)(x, 60, rows, joined.data(), n);
      bool right = joined.back() == Value(1);
      for (std::int64_t i = 0; i < n; ++i) {
        Value wanted = 1;
        for (std::int64_t r = 0; r < rows; ++r) {
          wanted = R::join(wanted, static_cast<Value>(read(x[r * 60 + i])));
        }
        right = right && joined[static_cast<std::size_t>(i)] == wanted;
      }
      CHECK(right);
    }
  }
  bool right = true;
  for (std::int64_t n = 0; n <= 600; ++n) {
    Value wanted = R::start();
    for (std::int64_t i = 0; i < n; ++i) wanted = R::join(wanted, static_cast<Value>(read(x[i])));
    right = right && GAIA_VECTOR_KERNEL(join_row<R, T>)(x, n) == wanted;
  }
  CHECK(right);
}

}  // namespace

TEMPLATE_TEST_CASE("Numbers of every type are joined in rows and across them", "", bool,
                   std::int32_t, std::int64_t, float, double) {
  using T = TestType;
  check_joins<Sum<Carried<T>>, T>();
  check_joins<Product<Carried<T>>, T>();
  check_joins<Largest<Read<T>>, T>();
  check_joins<Smallest<Read<T>>, T>();
}

FLOAT_TEST_CASE("NaN is the extreme of every column and row that holds it") {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (std::size_t at = 0; at < 9; ++at) {
    std::vector<T> x(9 * 40, T(1));
    x[at * 40 + 33] = nan;
    std::vector<T> largest(40, T(0));
    std::vector<T> smallest(40, T(2));
    GAIA_VECTOR_KERNEL(join_rows<Largest<T>, T>)(x.data(), 40, 9, largest.data(), 40);
    GAIA_VECTOR_KERNEL(join_rows<Smallest<T>, T>)(x.data(), 40, 9, smallest.data(), 40);
    for (std::size_t i = 0; i < 40; ++i) {
      CHECK((i == 33 ? std::isnan(largest[i]) && std::isnan(smallest[i])
                     : largest[i] == T(1) && smallest[i] == T(1)));
    }
  }
}

FLOAT_TEST_CASE("Squares of distances across rows") {
  static T x[20 * 60];
  fill(x, 20 * 60);
  for (const std::int64_t rows : {0, 1, 3, 4, 5, 8, 19}) {
    for (const std::int64_t n : {0, 1, 7, 8, 37, 55}) {
      std::vector<double> sums(static_cast<std::size_t>(n) + 1, 0.5);
      std::vector<double> centers;
      for (std::int64_t i = 0; i <= n; ++i) centers.push_back(static_cast<double>(i % 4) * 0.25);
      GAIA_VECTOR_KERNEL(join_square_distances<T>)
      (x, 60, rows, centers.data(), sums.data(), n);
      bool right = sums.back() == 0.5;
      for (std::int64_t i = 0; i < n; ++i) {
        double wanted = 0.5;
        for (std::int64_t r = 0; r < rows; ++r) {
          const double away =
              static_cast<double>(x[r * 60 + i]) - centers[static_cast<std::size_t>(i)];
          wanted += away * away;  // exactly
        }
        right = right && sums[static_cast<std::size_t>(i)] == wanted;
      }
      CHECK(right);
    }
  }
}

TEST_CASE("More of a column of a mask hold than a byte can count") {
  constexpr std::int64_t rows = 600;
  constexpr std::int64_t columns = 1100;
  static bool mask[rows * columns];
  for (std::int64_t i = 0; i < rows * columns; ++i) mask[i] = i % columns % 3 != 0 || i % 7 == 0;
  std::vector<std::int64_t> counts(columns, 5);
  GAIA_VECTOR_KERNEL(join_rows<Sum<std::int64_t>, bool>)
  (mask, columns, rows, counts.data(), columns);
  bool right = true;
  for (std::int64_t c = 0; c < columns; ++c) {
    std::int64_t wanted = 5;
    for (std::int64_t r = 0; r < rows; ++r) wanted += mask[r * columns + c] ? 1 : 0;
    right = right && counts[static_cast<std::size_t>(c)] == wanted;
  }
  CHECK(right);
}

TEMPLATE_TEST_CASE("Long runs of whole numbers are summed exactly", "", std::int32_t, std::int64_t,
                   float, double) {
  using T = TestType;
  std::vector<T> x(300001);
  fill(x.data(), std::ssize(x));
  const Array all = from_values(x, {std::ssize(x)});
  for (const std::int64_t n : {1023, 1024, 2047, 2048, 5000, 65535, 65536, 65537, 300000}) {
    const Array some = all.slice(0, 1, n + 1);
    std::int64_t wanted = 0;
    double squares = 0.0;
    for (std::int64_t i = 1; i <= n; ++i) {
      const auto one = static_cast<std::int64_t>(x[static_cast<std::size_t>(i)]);
      wanted += one;
      squares += static_cast<double>(one * one);
    }
    CHECK(sum(some).item() == static_cast<double>(wanted));
    // In three runs each, whose lengths no task divides.
    const Array rows = all.slice(0, 0, n / 3 * 3).reshape({3, n / 3});
    CHECK(sum(sum(rows, {1})).item() == sum(rows.reshape({-1})).item());
    if constexpr (std::is_same_v<T, double>) {
      CHECK(norm(some).item() == Approx(std::sqrt(squares)).epsilon(1e-14));
    }
  }
}

TEST_CASE("Sums and products of integers wrap") {
  std::vector<std::int64_t> x(1000, std::numeric_limits<std::int64_t>::max());
  CHECK(sum(from_values(x, {1000})).to_vector<std::int64_t>().front() == -1000);
  CHECK(prod(from_values(x, {1000})).to_vector<std::int64_t>().front() == 1);
  x.front() = 3;
  CHECK(prod(from_values(x, {1000})).to_vector<std::int64_t>().front() ==
        std::numeric_limits<std::int64_t>::max() - 2);
}

FLOAT_TEST_CASE("Extremes of long rows with infinities and NaN") {
  const T infinity = std::numeric_limits<T>::infinity();
  for (const std::size_t at : {0U, 4095U, 4096U, 9000U, 9999U}) {
    std::vector<T> x(10000, T(1));
    x[5000] = T(-3);
    x[at] = -infinity;
    x[9999 - at] = infinity;
    CHECK(GAIA_VECTOR_KERNEL(largest_of_row<T>)(x.data(), 10000) == infinity);
    CHECK(GAIA_VECTOR_KERNEL(smallest_of_row<T>)(x.data(), 10000) == -infinity);
    x[at] = std::numeric_limits<T>::quiet_NaN();
    CHECK(std::isnan(GAIA_VECTOR_KERNEL(largest_of_row<T>)(x.data(), 10000)));
    CHECK(std::isnan(GAIA_VECTOR_KERNEL(smallest_of_row<T>)(x.data(), 10000)));
  }
  const std::vector<T> low(10000, -infinity);
  CHECK(GAIA_VECTOR_KERNEL(largest_of_row<T>)(low.data(), 10000) == -infinity);
}

TEST_CASE("any and all find one element of a long mask") {
  for (const std::int64_t n : {1, 63, 1024, 1025, 70000}) {
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      const Array one = zeros({n}, DType::boolean);
      one.slice(0, at, at + 1).fill(1.0);
      CHECK(any(one).item() == 1.0);
      CHECK(all(one).item() == (n == 1 ? 1.0 : 0.0));
      const Array all_but_one = ones({n}, DType::boolean);
      all_but_one.slice(0, at, at + 1).fill(0.0);
      CHECK(all(all_but_one).item() == 0.0);
      CHECK(any(all_but_one).item() == (n == 1 ? 0.0 : 1.0));
    }
    CHECK(any(zeros({n}, DType::boolean)).item() == 0.0);
    CHECK(all(ones({n}, DType::boolean)).item() == 1.0);
  }
}

TEST_CASE("Reductions across the rows of a tall matrix are those along the rows of its transpose") {
  // More rows than a block of them has, and columns than one has.
  std::vector<double> numbers(1300 * 300);
  fill(numbers.data(), std::ssize(numbers));
  for (const DType dtype : {DType::int64, DType::float32, DType::float64}) {
    const Array x = from_values(numbers, {1300, 300}).astype(dtype);
    const Array turned = x.transpose().copy();
    CHECK(sum(x, {0}).to_vector<double>() == sum(turned, {1}).to_vector<double>());
    CHECK(max(x, {0}).to_vector<double>() == max(turned, {1}).to_vector<double>());
    CHECK(min(x, {0}).to_vector<double>() == min(turned, {1}).to_vector<double>());
  }
}

TEMPLATE_TEST_CASE("The first extremes of columns side by side", "", std::int32_t, std::int64_t,
                   float, double) {
  using T = TestType;
  std::mt19937 random(9);
  bool right = true;
  for (const std::int64_t columns : {16, 17, 300, 1100, 2100}) {
    for (const std::int64_t rows : {1, 2, 33}) {
      std::vector<T> x(static_cast<std::size_t>(2 * rows * columns));
      for (T& one : x) {
        one = static_cast<T>(static_cast<int>(random() % 7) - 3);
        if constexpr (std::is_floating_point_v<T>) {
          if (random() % 40 == 0) one = std::numeric_limits<T>::quiet_NaN();
          if (random() % 10 == 0) one = -T(0);
        }
      }
      const Array array = from_values(x, {2, rows, columns});
      for (const bool largest : {false, true}) {
        const auto got = (largest ? argmax(array, 1) : argmin(array, 1)).to_vector<std::int64_t>();
        for (std::int64_t i = 0; i < 2 * columns; ++i) {
          const T* const column = x.data() + i / columns * rows * columns + i % columns;
          std::int64_t wanted = 0;
          for (std::int64_t r = 1; r < rows; ++r) {
            const T best = column[wanted * columns];
            const T next = column[r * columns];
            if (best == best && (next != next || (largest ? next > best : next < best))) wanted = r;
          }
          right = right && got[static_cast<std::size_t>(i)] == wanted;
        }
      }
    }
  }
  CHECK(right);
}
