// SPDX-License-Identifier: MIT
/// \file
/// What moves numbers about: copies, casts, joining, taking and writing by positions, masks, and
/// sums that broadcast.
#include <algorithm>
#include <cmath>

#include "../src/array/create.h"
#include "../src/array/indexing.h"
#include "../src/array/joining.h"
#include "../src/array/ops.h"
#include "../src/array/random_arrays.h"
#include "case_rows.h"

namespace gaia::bench {
namespace {

using Inputs = std::vector<Doubles>;

std::size_t place(double number) { return static_cast<std::size_t>(number); }

/// x[from(0)], x[from(1)], ...
template <class From>
Doubles picked(const Doubles& x, std::int64_t count, const From& from) {
  Doubles y;
  y.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) y.push_back(x[static_cast<std::size_t>(from(i))]);
  return y;
}

/// The positions where a mask holds.
Doubles places_of(const Doubles& mask) {
  Doubles places;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0.0) places.push_back(static_cast<double>(i));
  }
  return places;
}

double float_bytes(std::int64_t count) { return bytes_of(count, DType::float32); }

/// Copies of one long array.
std::vector<CaseRow> line_rows(std::int64_t n) {
  const Input x = {{n}};
  const Input mask = {{n}, DType::boolean, 0.0, 1.0};
  const Input places = {{n}, DType::int64, 0.0, static_cast<double>(n)};
  const auto row = [=](const char* operation, std::vector<Input> inputs, auto function,
                       auto reference, double written) {
    return CaseRow{.operation = operation,
                   .sizes = {n},
                   .dtype = DType::float32,
                   .inputs = std::move(inputs),
                   .function = function,
                   .reference = reference,
                   .written = written};
  };
  std::vector<CaseRow> rows = {
      row(
          "copy", {x}, [](const Arrays& a) { return a[0].copy(); },
          [](const Inputs& a) { return a[0]; }, float_bytes(n)),
      row(
          "fill", {}, [=](const Arrays&) { return full({n}, 2.0); },
          [=](const Inputs&) { return Doubles(static_cast<std::size_t>(n), 2.0); }, float_bytes(n)),
      row(
          "copy_reversed", {x}, [](const Arrays& a) { return flip(a[0]).copy(); },
          [](const Inputs& a) { return Doubles(a[0].rbegin(), a[0].rend()); }, float_bytes(n)),
      row(
          "copy_every_second", {x}, [](const Arrays& a) { return a[0].slice(0, 0, {}, 2).copy(); },
          [=](const Inputs& a) {
            return picked(a[0], n / 2, [](std::int64_t i) { return 2 * i; });
          },
          float_bytes(n / 2)),
      row(
          "roll", {x}, [=](const Arrays& a) { return roll(a[0], n / 3); },
          [=](const Inputs& a) {
            return picked(a[0], n, [=](std::int64_t i) { return (i + n - n / 3) % n; });
          },
          float_bytes(n)),
      row(
          "stack", {{{n / 2}}, {{n / 2}}}, [](const Arrays& a) { return stack(a); },
          [](const Inputs& a) {
            Doubles y = a[0];
            y.insert(y.end(), a[1].begin(), a[1].end());
            return y;
          },
          float_bytes(n)),
      row(
          "repeat", {{{n / 4}}}, [](const Arrays& a) { return repeat(a[0], 4); },
          [=](const Inputs& a) { return picked(a[0], n, [](std::int64_t i) { return i / 4; }); },
          float_bytes(n)),
      row(
          "tile", {{{n / 4}}}, [](const Arrays& a) { return tile(a[0], {4}); },
          [=](const Inputs& a) {
            return picked(a[0], n, [=](std::int64_t i) { return i % (n / 4); });
          },
          float_bytes(n)),
      row(
          "take", {x, places}, [](const Arrays& a) { return take(a[0], a[1]); },
          [=](const Inputs& a) {
            return picked(a[0], n,
                          [&](std::int64_t i) { return a[1][static_cast<std::size_t>(i)]; });
          },
          float_bytes(n)),
      row(
          "masked_select", {x, mask}, [](const Arrays& a) { return masked_select(a[0], a[1]); },
          [](const Inputs& a) {
            const Doubles from = places_of(a[1]);
            return picked(a[0], std::ssize(from),
                          [&](std::int64_t i) { return from[static_cast<std::size_t>(i)]; });
          },
          float_bytes(n / 2)),
      row(
          "masked_fill", {x, mask},
          [](const Arrays& a) {
            masked_fill(a[0], a[1], 3.0);
            return a[0];
          },
          [](const Inputs& a) {
            Doubles y = a[0];
            for (std::size_t i = 0; i < y.size(); ++i) y[i] = a[1][i] != 0.0 ? 3.0 : y[i];
            return y;
          },
          float_bytes(n / 2))};
  rows.push_back(row(
      "nonzero", {mask}, [](const Arrays& a) { return flatnonzero(a[0]); },
      [](const Inputs& a) { return places_of(a[0]); }, bytes_of(n / 2, DType::int64)));
  rows.back().dtype = DType::boolean;
  rows.push_back(row(
      "index_assign", {x, places, x},
      [](const Arrays& a) {
        index_assign(a[0], a[1], a[2]);
        return a[0];
      },
      [](const Inputs& a) {
        Doubles y = a[0];
        for (std::size_t i = 0; i < y.size(); ++i) y[place(a[1][i])] = a[2][i];
        return y;
      },
      float_bytes(n)));
  // Each place once: of one that came twice, libraries keep different values.
  rows.back().arrange = [=](Arrays& a) { a[1] = permutation(n, {3, 2}); };
  return rows;
}

/// Copies of matrices.
std::vector<CaseRow> matrix_rows(std::int64_t side) {
  const std::int64_t n = side * side;
  const Input x = {{side, side}};
  const Input half_high = {{side / 2, side}};
  const Input half_wide = {{side, side / 2}};
  const Input row_places = {{side}, DType::int64, 0.0, static_cast<double>(side)};
  const Input places = {{side, side}, DType::int64, 0.0, static_cast<double>(side)};
  const auto row = [=](const char* operation, std::vector<Input> inputs, auto function,
                       auto reference) {
    return CaseRow{.operation = operation,
                   .sizes = {side, side},
                   .dtype = DType::float32,
                   .inputs = std::move(inputs),
                   .function = function,
                   .reference = reference,
                   .written = float_bytes(n)};
  };
  // Reference of y[i, j] = from(inputs, i, j).
  const auto each = [=](auto from) {
    return [=](const Inputs& a) {
      Doubles y;
      for (std::int64_t i = 0; i < side; ++i) {
        for (std::int64_t j = 0; j < side; ++j) y.push_back(from(a, i, j));
      }
      return y;
    };
  };
  const auto at = [](const Doubles& numbers, std::int64_t i) {
    return numbers[static_cast<std::size_t>(i)];
  };
  const auto index = [](double number) { return static_cast<std::int64_t>(number); };
  const std::int64_t half = side / 2;
  std::vector<CaseRow> rows = {
      row(
          "concatenate_rows", {half_high, half_high},
          [](const Arrays& a) { return concatenate(a, 0); },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return i < half ? at(a[0], i * side + j) : at(a[1], (i - half) * side + j);
          })),
      row(
          "concatenate_columns", {half_wide, half_wide},
          [](const Arrays& a) { return concatenate(a, 1); },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return j < half ? at(a[0], i * half + j) : at(a[1], i * half + j - half);
          })),
      row(
          "stack_columns", {{{side, half}}, {{side, half}}},
          [=](const Arrays& a) { return stack(a, 2).reshape({side, side}); },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return at(a[static_cast<std::size_t>(j % 2)], i * half + j / 2);
          })),
      row(
          "take_rows", {x, row_places}, [](const Arrays& a) { return take(a[0], a[1], 0); },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return at(a[0], index(at(a[1], i)) * side + j);
          })),
      row(
          "take_columns", {x, row_places}, [](const Arrays& a) { return take(a[0], a[1], 1); },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return at(a[0], i * side + index(at(a[1], j)));
          })),
      row(
          "take_along_rows", {x, places},
          [](const Arrays& a) { return take_along_axis(a[0], a[1], 1); },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return at(a[0], i * side + index(at(a[1], i * side + j)));
          })),
      row(
          "take_along_columns", {x, places},
          [](const Arrays& a) { return take_along_axis(a[0], a[1], 0); },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return at(a[0], index(at(a[1], i * side + j)) * side + j);
          })),
      row(
          "add_row", {x, {{side}}}, [](const Arrays& a) { return a[0] + a[1]; },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return at(a[0], i * side + j) + at(a[1], j);
          })),
      row(
          "add_column", {x, {{side, 1}}}, [](const Arrays& a) { return a[0] + a[1]; },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return at(a[0], i * side + j) + at(a[1], i);
          })),
      row(
          "add_transposed", {x, x}, [](const Arrays& a) { return a[0] + a[1].transpose(); },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return at(a[0], i * side + j) + at(a[1], j * side + i);
          })),
      row(
          "tril", {x}, [](const Arrays& a) { return tril(a[0]); },
          each([=](const Inputs& a, std::int64_t i, std::int64_t j) {
            return j <= i ? at(a[0], i * side + j) : 0.0;
          })),
      row(
          "index_add", {x, row_places, x},
          [](const Arrays& a) {
            index_add(a[0], a[1], a[2]);
            return a[0];
          },
          [=](const Inputs& a) {
            Doubles y = a[0];
            for (std::int64_t i = 0; i < n; ++i) {
              const std::int64_t into = index(at(a[1], i / side)) * side + i % side;
              y[static_cast<std::size_t>(into)] += at(a[2], i);
            }
            return y;
          }),
      row(
          "scatter_add", {x, places, x},
          [](const Arrays& a) {
            scatter_add(a[0], a[1], a[2], 1);
            return a[0];
          },
          [=](const Inputs& a) {
            Doubles y = a[0];
            for (std::int64_t i = 0; i < n; ++i) {
              const std::int64_t into = i / side * side + index(at(a[1], i));
              y[static_cast<std::size_t>(into)] += at(a[2], i);
            }
            return y;
          })};
  for (CaseRow& one : rows) one.tolerance = rounding(DType::float32);
  return rows;
}

CaseRow cast_row(DType from, DType to, std::int64_t n) {
  return {.operation = "astype_" + to_string(to),
          .sizes = {n},
          .dtype = from,
          .inputs = {{{n},
                      from,
                      from == DType::boolean ? 0.0 : -1000.0,
                      from == DType::boolean ? 1.0 : 1000.0}},
          .function = [=](const Arrays& x) { return x[0].astype(to); },
          .reference =
              [=](const Inputs& x) {
                Doubles y = x[0];
                if (to == DType::int64) {
                  for (double& one : y) one = std::trunc(one);
                }
                return y;
              },
          .written = bytes_of(n, to),
          .tolerance = to == DType::float32 ? rounding(to) : 0.0};
}

}  // namespace

std::vector<Case> copy_cases(bool quick) {
  const Extent extent(quick);
  const std::int64_t n = extent.count();
  std::vector<Case> cases;
  for (const CaseRow& row : line_rows(n)) cases.push_back(make_case(row));
  for (const CaseRow& row : matrix_rows(extent.side)) cases.push_back(make_case(row));
  for (const auto& [from, to] : {std::pair{DType::float32, DType::float64},
                                 {DType::float64, DType::float32},
                                 {DType::float32, DType::int64},
                                 {DType::int64, DType::float32},
                                 {DType::boolean, DType::float32}}) {
    cases.push_back(make_case(cast_row(from, to, n)));
  }
  return cases;
}

}  // namespace gaia::bench
