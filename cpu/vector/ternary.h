// SPDX-License-Identifier: MIT
/// \file
/// Products of rows with codes -1, 0 and 1 of two bits each.
#pragma once

#include <cstdint>

#include "../instruction_set.h"

namespace gaia::cpu {

/// y [rows, outputs] = x [rows, columns] times the codes [outputs, columns], as TernaryRun has
/// them.
template <class T>
struct TernaryRows {
  const T* x;
  const std::int32_t* packed;  ///< [outputs, words]
  T* y;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t words;
  std::int64_t outputs;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// The outputs [first, last) of all rows.
    template <class T>
    void ternary_outputs(const TernaryRows<T>& of, std::int64_t first, std::int64_t last);)

}  // namespace gaia::cpu
