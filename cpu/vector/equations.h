// SPDX-License-Identifier: MIT
/// \file
/// The steps of a rule's program (src/formulas/equations/program.h) on rows of numbers.
#pragma once

#include <cstdint>

#include "../../src/formulas/equations/program.h"
#include "../instruction_set.h"

namespace gaia::cpu {

/// A step whose places have been looked up in a table of cells.
struct EquationCode {
  EquationOp op;
  bool is_single;  ///< The result is one number for all.
  std::uint16_t to, a, b, c;
  bool by_rank = false;  ///< A comparison, of rank(a) with the single number b.
};

/// Where the numbers of a place lie: side by side, as many as the table says (stride 1), or one
/// that stands for all, written a whole vector's worth of times (stride 0).
template <class T>
struct EquationCell {
  T* numbers = nullptr;
  std::int64_t stride = 1;
};

/// Steps that ask for an order among neurons: to[i] from a[0 .. neurons) and b
/// (../equation_orders.h).
template <class T>
using AcrossNeurons = void (*)(EquationOp op, T* to, const T* a, T b, std::int64_t neurons);

template <class T>
struct EquationSteps {
  const EquationCode* codes;
  std::int64_t count;
  const EquationCell<T>* cells;
  std::int64_t numbers;  ///< Of a row: a multiple of a vector's.
  std::int64_t neurons;  ///< Of them there are so many: what lies behind is padding.
  AcrossNeurons<T> across;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// Takes the steps one after another.
    template <class T> void run_equation_steps(const EquationSteps<T>& steps);
    /// row += keep row + sum over k of factors[k] vectors[k], of n numbers; keep may be null.
    template <class T>
    void update_equation_row(T* row, const T* keep, const T* const* vectors, const T* factors,
                             std::int64_t count, std::int64_t n);)

/// Numbers that a row is a multiple of, whatever the instruction set.
template <class T>
constexpr std::int64_t kEquationUnit = 64 / static_cast<std::int64_t>(sizeof(T));

}  // namespace gaia::cpu
