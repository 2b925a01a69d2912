// SPDX-License-Identifier: MIT
/// \file
/// Einstein's sum as diagonals, sums, transpositions and matrix products: written once, for arrays
/// and for tensors, whose gradients are then those of the steps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops.h"

namespace gaia::detail {

/// An equation read beside the shapes of its operands: a letter for each axis, the axes that an
/// ellipsis stands for having letters of their own.
struct EinsumEquation {
  std::vector<std::string> terms;
  std::string result;
};

/// \throws ArgumentError for an equation of another number of terms, or that cannot be read,
///         ShapeError where axes and letters, or the lengths of a letter, do not fit.
EinsumEquation read_einsum(std::string_view equation, const std::vector<Shape>& shapes);

/// How the letters of two terms meet, once those that stand in one alone and are not kept are
/// summed over.
struct EinsumProduct {
  EinsumProduct(const std::string& a, const std::string& b, const std::string& keep);

  std::string batch;    ///< In both terms, and kept.
  std::string inner;    ///< In both, summed over.
  std::string rows;     ///< In the first alone.
  std::string columns;  ///< In the second alone.
};

/// Product of the lengths of axes [first, last).
std::int64_t count_between(const Shape& shape, std::size_t first, std::size_t last);

/// x with one axis for each letter: the diagonal of those that stand twice.
template <class T>
T take_diagonals(T x, std::string& letters) {
  for (std::size_t i = 0; i < letters.size();) {
    const std::size_t again = letters.find(letters[i], i + 1);
    if (again == std::string::npos) {
      ++i;
      continue;
    }
    x = x.diagonal(0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(again));
    letters += letters[i];  // the diagonal is the last axis
    letters.erase(again, 1);
    letters.erase(i, 1);
  }
  return x;
}

/// x without axes of length 1 whose letters are longer in `others`: these repeat it.
template <class T>
T drop_repeated(const T& x, std::string& letters, const std::vector<std::string>& terms,
                const std::vector<Shape>& shapes) {
  Axes ones;
  std::string kept;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    bool is_longer = false;
    for (std::size_t n = 0; n < terms.size(); ++n) {
      const std::size_t at = terms[n].find(letters[i]);
      is_longer |= at != std::string::npos && shapes[n][static_cast<int>(at)] != 1;
    }
    if (is_longer && x.shape(static_cast<int>(i)) == 1) {
      ones.push_back(static_cast<std::int64_t>(i));
    } else {
      kept += letters[i];
    }
  }
  letters = kept;
  return ones.empty() ? x : x.squeeze(ones);
}

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

/// The sum of a b over the letters that `keep` does not name, as [batch, rows, inner] by [batch,
/// inner, columns]; `a_letters` become those of the result.
template <class T>
T multiply_terms(const T& a, std::string& a_letters, const T& b, std::string b_letters,
                 const std::string& keep) {
  const EinsumProduct product(a_letters, b_letters, keep);
  T left = sum_others(a, a_letters, b_letters + keep);
  T right = sum_others(b, b_letters, a_letters + keep);
  left = reorder(left, a_letters, product.batch + product.rows + product.inner);
  right = reorder(right, b_letters, product.batch + product.inner + product.columns);
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
  a_letters = product.batch + product.rows + product.columns;
  return y.reshape(shape);
}

/// einsum of operands from the first to the last.
template <class T>
T einsum_of(std::string_view equation, std::vector<T> operands) {
  std::vector<Shape> shapes;
  for (const T& x : operands) shapes.push_back(x.shape());
  EinsumEquation read = read_einsum(equation, shapes);
  for (std::size_t n = 0; n < operands.size(); ++n) {
    operands[n] = take_diagonals(operands[n], read.terms[n]);
    shapes[n] = operands[n].shape();
  }
  const std::vector<std::string> terms = read.terms;
  for (std::size_t n = 0; n < operands.size(); ++n) {
    operands[n] = drop_repeated(operands[n], read.terms[n], terms, shapes);
  }
  T total = operands.front();
  std::string letters = read.terms.front();
  for (std::size_t n = 1; n < operands.size(); ++n) {
    std::string keep = read.result;
    for (std::size_t later = n + 1; later < operands.size(); ++later) keep += read.terms[later];
    total = multiply_terms(total, letters, operands[n], read.terms[n], keep);
  }
  total = sum_others(total, letters, read.result);
  return reorder(total, letters, read.result);
}

}  // namespace gaia::detail
