// SPDX-License-Identifier: MIT
/// \file
/// Cases as rows of tables: what goes in, what gaia does with it, and what should come out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../src/array/array.h"
#include "cases.h"
#include "reference.h"

namespace gaia::bench {

/// An operand: numbers of [low, high), each equally likely.  Of bool: true with the probability
/// (low + high) / 2.
struct Input {
  Shape shape;
  DType dtype = DType::float32;
  double low = -2.0;
  double high = 2.0;
  bool is_normal = false;  ///< Standard normal numbers in place of those.
};

inline Input normals(const Shape& shape, DType dtype = DType::float32) {
  return {.shape = shape, .dtype = dtype, .is_normal = true};
}

/// All that there is to say of a case.
struct CaseRow {
  std::string operation;
  std::vector<std::int64_t> sizes;
  DType dtype;
  std::vector<Input> inputs;
  std::function<Array(const Arrays&)> function = {};
  /// Answers to the inputs, by rows.
  std::function<Doubles(const std::vector<Doubles>&)> reference = {};
  double written = 0.0;    ///< Bytes of the answer; those of the inputs are counted as well.
  double tolerance = 0.0;  ///< Largest allowed error, relative to the answer's largest number.
  double flops = 0.0;
  /// Puts the inputs into the state that the function wants, before anything is compared.
  std::function<void(Arrays&)> arrange = {};
  /// The error of an answer to the inputs, where not all of it is compared with `reference`.
  std::function<double(const Array& answer, const Arrays& inputs)> error = {};
  bool names_dtype = true;
  std::string what = {};  ///< In words, for gpu_benchmark.
};

/// The case OPERATION/SIZES/DTYPE, or OPERATION/SIZES.
Case make_case(const CaseRow& row);

/// Bytes of so many numbers.
double bytes_of(std::int64_t count, DType dtype);

/// 1e-6 for float32, 1e-14 for float64, none for the rest, times `factor`.
double rounding(DType dtype, double factor = 1.0);

// Functions of lanes: of one long lane, of the rows or of the columns of a matrix.

struct LaneFunction {
  std::string operation;
  std::function<Array(const Array&, std::int64_t axis)> function;
  std::function<Doubles(const Doubles&)> reference;  ///< Function of one lane, in double.
  double low = 0.5;                                  ///< Least number of the operand.
  double high = 1.5;
  double factor = 1.0;               ///< Second argument of `rounding`, which gives the tolerance.
  std::optional<DType> answer = {};  ///< Its dtype, where that is not the operand's.
  bool reduces = true;               ///< A lane gives one number, or as many as it has.
};

enum class Lanes : std::uint8_t { one, rows, columns };

/// Sizes of the cases.
struct Extent {
  std::int64_t side;                                  ///< Rows of a square matrix, and its columns.
  std::int64_t count() const { return side * side; }  ///< Length of what is long.
  explicit Extent(bool quick) : side(quick ? 100 : 1000) {}
};

/// OPERATION, OPERATION_rows or OPERATION_columns.
Case lane_case(const LaneFunction& lane, Lanes lanes, DType dtype, const Extent& extent);

}  // namespace gaia::bench
