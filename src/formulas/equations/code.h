// SPDX-License-Identifier: MIT
/// \file
/// A step of a program by numbers alone, which kernels of every device read.
#pragma once

#include <cstdint>

#include "operations.h"

namespace gaia {

/// to = op(a, b, c), of places as EquationNumbering numbers them.
struct EquationCode {
  EquationOp op;
  bool is_single;  ///< The result is one number for all.
  std::uint16_t to, a, b, c;
  bool by_rank = false;  ///< A comparison of rank(a) with the single number b, on the CPU.
};

}  // namespace gaia
