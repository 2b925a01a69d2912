// SPDX-License-Identifier: MIT
/// \file
/// Einstein's sum as sums, transpositions and one matrix product: written once, for arrays and for
/// tensors, whose gradients are then those of the steps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ops.h"

namespace gaia::detail {

/// The letters of an equation: of the first term, of the second if there is one, and of the result.
struct EinsumEquation {
  std::string a;
  std::string b;
  std::string result;
};

/// \throws ArgumentError for an equation of another number of terms, or that cannot be read.
EinsumEquation read_einsum(std::string_view equation, int terms);

/// How the letters of an equation meet, once those that stand in one term alone and not in the
/// result are summed over.
struct EinsumProduct {
  explicit EinsumProduct(const EinsumEquation& read);

  std::string batch;    ///< In both terms and in the result.
  std::string inner;    ///< In both, summed over.
  std::string rows;     ///< In the first alone.
  std::string columns;  ///< In the second alone.
};

/// \throws ShapeError unless an operand has the axes of its term.
void check_einsum_rank(std::string_view equation, const std::string& letters, const Shape& shape);

/// \throws ShapeError unless each letter that both terms have is of one length.
void check_einsum_lengths(std::string_view equation, const EinsumEquation& read, const Shape& a,
                          const Shape& b);

/// Product of the lengths of axes [first, last).
std::int64_t count_between(const Shape& shape, std::size_t first, std::size_t last);

/// x without the axes whose letters `keep` does not name, and its letters accordingly.
template <class T>
T sum_others(const T& x, std::string& letters, const std::string& keep) {
  Axes others;
  std::string kept;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (keep.find(letters[i]) == std::string::npos) {
      others.push_back(static_cast<std::int64_t>(i));
    } else {
      kept += letters[i];
    }
  }
  letters = kept;
  if (others.empty()) return x;
  const T total = sum(x, others);
  return is_floating(x.dtype()) ? total : total.astype(x.dtype());
}

/// x with axes `letters` in the order `wanted`, which has the same letters.
template <class T>
T reorder(const T& x, const std::string& letters, const std::string& wanted) {
  Axes axes;
  for (const char letter : wanted) {
    axes.push_back(static_cast<std::int64_t>(letters.find(letter)));
  }
  return axes.empty() ? x : x.transpose(axes);
}

/// einsum of one operand.
template <class T>
T einsum_of(std::string_view equation, const T& a) {
  EinsumEquation read = read_einsum(equation, 1);
  check_einsum_rank(equation, read.a, a.shape());
  const T kept = sum_others(a, read.a, read.result);
  return reorder(kept, read.a, read.result);
}

/// einsum of two operands: [batch, rows, inner] by [batch, inner, columns].
template <class T>
T einsum_of(std::string_view equation, const T& a, const T& b) {
  EinsumEquation read = read_einsum(equation, 2);
  check_einsum_rank(equation, read.a, a.shape());
  check_einsum_rank(equation, read.b, b.shape());
  check_einsum_lengths(equation, read, a.shape(), b.shape());
  const EinsumProduct product(read);
  T left = sum_others(a, read.a, read.b + read.result);
  T right = sum_others(b, read.b, read.a + read.result);
  left = reorder(left, read.a, product.batch + product.rows + product.inner);
  right = reorder(right, read.b, product.batch + product.inner + product.columns);
  const std::size_t batches = product.batch.size();
  const std::size_t rows = batches + product.rows.size();
  const std::size_t inner = batches + product.inner.size();
  const std::size_t columns = inner + product.columns.size();
  Shape shape;
  for (std::size_t k = 0; k < rows; ++k) shape.push_back(left.shape(static_cast<int>(k)));
  for (std::size_t k = inner; k < columns; ++k) shape.push_back(right.shape(static_cast<int>(k)));
  const std::int64_t count = count_between(left.shape(), 0, batches);
  const std::int64_t summed = count_between(right.shape(), batches, inner);
  const T y = matmul(left.reshape({count, count_between(left.shape(), batches, rows), summed}),
                     right.reshape({count, summed, count_between(right.shape(), inner, columns)}));
  return reorder(y.reshape(shape), product.batch + product.rows + product.columns, read.result);
}

}  // namespace gaia::detail
