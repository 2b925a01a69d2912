// SPDX-License-Identifier: MIT
/// \file
/// Reading and writing by positions along every axis, from the front and from the back, of views of
/// many layouts, compared with one element after the other.
#include <cstdint>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/indexing.h"
#include "../../src/array/joining.h"
#include "../../src/array/random_arrays.h"
#include "../../src/core/parallel.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

using Numbers = std::vector<double>;

/// Numbers of a few values, which float32 adds exactly.
Array numbers_of(const Shape& shape, DType dtype, std::uint64_t seed) {
  return randint(-50, 50, shape, DType::int64, {seed, 1}).astype(dtype);
}

Numbers numbers_of(const Array& x) { return x.astype(DType::float64).to_vector<double>(); }

std::vector<std::int64_t> places_of(const Array& indices, std::int64_t length) {
  auto places = indices.to_vector<std::int64_t>();
  for (std::int64_t& place : places) place += place < 0 ? length : 0;
  return places;
}

/// Element [i, j] of rows of so many numbers.
std::size_t at(std::int64_t i, std::int64_t j, std::int64_t columns) {
  return static_cast<std::size_t>(i * columns + j);
}

struct Sizes {
  std::int64_t rows;
  std::int64_t columns;
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("Elements are taken along both axes of every layout", "", ((DType D), D),
                       DType::boolean, DType::bfloat16, DType::int32, DType::int64, DType::float32,
                       DType::float64) {
  for (const auto [rows, columns] : {Sizes{1, 1}, {3, 2}, {5, 7}, {40, 33}, {2, 70}, {70, 2}}) {
    const Array own = numbers_of({rows, columns}, D, 5);
    const Array turned = numbers_of({columns, rows}, D, 6).transpose();
    const Array thinned = numbers_of({rows, 2 * columns}, D, 7).slice(1, 0, {}, 2);
    for (const Array& x : {own, turned, thinned, flip(own)}) {
      const Numbers numbers = numbers_of(x);
      for (const std::int64_t count : {0, 1, 3, 4, 5, 90}) {
        const Array across = randint(-columns, columns, {rows, count}, DType::int64, {8, 1});
        const Array down = randint(-rows, rows, {count, columns}, DType::int64, {9, 1});
        const auto j_of = places_of(across, columns);
        const auto i_of = places_of(down, rows);
        const Numbers along_rows = numbers_of(take_along_axis(x, across, 1));
        const Numbers along_columns = numbers_of(take_along_axis(x, down, 0));
        bool right = true;
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t k = 0; k < count; ++k) {
            right = right &&
                    along_rows[at(i, k, count)] == numbers[at(i, j_of[at(i, k, count)], columns)];
          }
        }
        for (std::int64_t k = 0; k < count; ++k) {
          for (std::int64_t j = 0; j < columns; ++j) {
            right = right && along_columns[at(k, j, columns)] ==
                                 numbers[at(i_of[at(k, j, columns)], j, columns)];
          }
        }
        // The same places for all rows, and for all columns.
        const Numbers of_row = numbers_of(take(x, across.slice(0, 0, 1).reshape({-1}), 1));
        const Numbers of_column = numbers_of(take(x, down.slice(1, 0, 1).reshape({-1}), 0));
        for (std::int64_t k = 0; k < count; ++k) {
          for (std::int64_t i = 0; i < rows; ++i) {
            right = right && of_row[at(i, k, count)] ==
                                 numbers[at(i, j_of[static_cast<std::size_t>(k)], columns)];
          }
          for (std::int64_t j = 0; j < columns; ++j) {
            right = right && of_column[at(k, j, columns)] ==
                                 numbers[at(i_of[at(k, 0, columns)], j, columns)];
          }
        }
        CHECK(right);
      }
    }
  }
}

TEMPLATE_TEST_CASE_SIG("Elements are written and added in order along both axes", "",
                       ((DType D), D), DType::int32, DType::int64, DType::float32, DType::float64) {
  const int threads = num_threads();
  for (const int some : {1, 3}) {
    set_num_threads(some);
    for (const auto [rows, columns] :
         {Sizes{1, 1}, {3, 2}, {5, 7}, {40, 133}, {2, 700}, {700, 2}}) {
      for (const std::int64_t count : {0, 1, 3, 4, 5, 90}) {
        for (const bool turned : {false, true}) {
          const auto fresh = [&](std::uint64_t seed) {
            return turned ? numbers_of({columns, rows}, D, seed).transpose()
                          : numbers_of({rows, columns}, D, seed);
          };
          bool right = true;
          const Array across = randint(-columns, columns, {rows, count}, DType::int64, {8, 1});
          const Array down = randint(-rows, rows, {count, columns}, DType::int64, {9, 1});
          const auto j_of = places_of(across, columns);
          const auto i_of = places_of(down, rows);
          const Array to_rows = numbers_of({rows, count}, D, 3);
          const Array to_columns = numbers_of({count, columns}, D, 4);
          const Numbers values = numbers_of(to_rows);
          const Numbers others = numbers_of(to_columns);

          const Array sums = fresh(1);
          Numbers wanted = numbers_of(sums);
          scatter_add(sums, across, to_rows, 1);
          scatter_add(sums, down, to_columns, 0);
          for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t k = 0; k < count; ++k) {
              wanted[at(i, j_of[at(i, k, count)], columns)] += values[at(i, k, count)];
            }
          }
          for (std::int64_t k = 0; k < count; ++k) {
            for (std::int64_t j = 0; j < columns; ++j) {
              wanted[at(i_of[at(k, j, columns)], j, columns)] += others[at(k, j, columns)];
            }
          }
          right = right && numbers_of(sums) == wanted;

          // The same places for all: of those that come twice the last is kept.
          const Array row = down.slice(1, 0, 1).reshape({-1});
          const Array column = across.slice(0, 0, 1).reshape({-1});
          const Array target = fresh(2);
          wanted = numbers_of(target);
          index_assign(target, row, to_columns, 0);
          index_add(target, row, to_columns, 0);
          index_assign(target, column, to_rows, 1);
          for (std::int64_t k = 0; k < count; ++k) {
            for (std::int64_t j = 0; j < columns; ++j) {
              wanted[at(i_of[at(k, 0, columns)], j, columns)] = others[at(k, j, columns)];
            }
          }
          for (std::int64_t k = 0; k < count; ++k) {
            for (std::int64_t j = 0; j < columns; ++j) {
              wanted[at(i_of[at(k, 0, columns)], j, columns)] += others[at(k, j, columns)];
            }
          }
          for (std::int64_t k = 0; k < count; ++k) {
            for (std::int64_t i = 0; i < rows; ++i) {
              wanted[at(i, j_of[static_cast<std::size_t>(k)], columns)] = values[at(i, k, count)];
            }
          }
          right = right && numbers_of(target) == wanted;
          CHECK(right);
        }
      }
    }
  }
  set_num_threads(threads);
}

TEST_CASE("An index outside of an axis changes nothing") {
  const Array x = arange(40).astype(DType::float32);
  const Numbers before = numbers_of(x);
  const Array places = concatenate({arange(30), array({40.0}).astype(DType::int64)}, 0);
  CHECK_THROWS(index_assign(x, places.astype(DType::int64), zeros({31})));
  CHECK_THROWS(index_add(x, places.astype(DType::int64), ones({31})));
  CHECK(numbers_of(x) == before);
}
