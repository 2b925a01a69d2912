// SPDX-License-Identifier: MIT
/// \file
/// Sums of products of vectors in one pass: the update of a rule weight by weight, as
/// ../equation_products.h finds it.
#pragma once

#include <cstdint>

#include "../instruction_set.h"

namespace gaia::cpu {

/// share times some vectors, number by number.
template <class T>
struct VectorProduct {
  static constexpr int kMost = 2;  // other vectors than the row

  T share;
  bool has_row = false;   ///< Times the row itself,
  bool has_left = false;  ///< times centre less the row.
  T centre;
  int vectors = 0;
  const T* vector[kMost];
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// to += the sum of `count` products, of n numbers; `to` may be the row.  Returns dot(to,
    /// along) of what it is then, 0 where along is null.
    template <class T> T add_vector_products(const VectorProduct<T>* products, std::int64_t count,
                                             const T* row, T* to, std::int64_t n, const T* along);)

}  // namespace gaia::cpu
