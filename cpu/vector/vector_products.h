// SPDX-License-Identifier: MIT
/// \file
/// Sums of products of vectors in one pass: the update of a rule weight by weight, as
/// ../equation_products.h finds it.
#pragma once

#include <cstdint>

#include "../instruction_set.h"

namespace gaia::cpu {

/// share times some vectors, number by number, and times what is left of numbers when vectors are
/// taken from them.  At least one vector is there.
template <class T>
struct VectorProduct {
  static constexpr int kMost = 2;  // other vectors than the row

  T share;
  bool has_row = false;   ///< Times the row itself,
  bool has_left = false;  ///< times centre_of_row less the row.
  T centre_of_row;
  int vectors = 0;  ///< Times these,
  const T* vector[kMost];
  bool has_mirror = false;  ///< times centre less this one.
  T centre;
  const T* mirror;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// to += the sum of `count` products, of n numbers; `to` may be the row.
    template <class T>
    void add_vector_products(const VectorProduct<T>* products, std::int64_t count, const T* row,
                             T* to, std::int64_t n);)

}  // namespace gaia::cpu
