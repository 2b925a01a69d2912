// SPDX-License-Identifier: MIT
/// \file
/// The steps of a rule's program (src/formulas/equations/program.h) on rows of numbers.
#pragma once

#include <cstdint>

#include "../../src/formulas/equations/code.h"
#include "../../src/formulas/synapse_chain.h"
#include "../instruction_set.h"

namespace gaia::cpu {

/// The numbers of a place: side by side, as many as the table says (stride 1), or one that stands
/// for all, written a whole vector's worth of times (stride 0).
template <class T>
struct EquationCell {
  T* numbers = nullptr;
  std::int64_t stride = 1;
};

/// Steps that ask for an order among neurons: to[i] from a[0 .. neurons) and b[i b_stride]
/// (../equation_orders.h).
template <class T>
using AcrossNeurons = void (*)(EquationOp op, T* to, const T* a, const T* b, std::int64_t b_stride,
                               std::int64_t neurons);

template <class T>
struct EquationSteps {
  const EquationCode* codes;
  std::int64_t count;
  const EquationCell<T>* cells;
  std::int64_t numbers;  ///< Numbers of a row: a multiple of a vector's.
  std::int64_t neurons;  ///< Count of neurons in a row: what lies behind is padding.
  AcrossNeurons<T> across;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// Takes the steps one after another.
    template <class T> void run_equation_steps(const EquationSteps<T>& steps);
    /// row += keep row + sum over k of factors[k] vectors[k], of n numbers; keep may be null.
    template <class T>
    void update_equation_row(T* row, const T* keep, const T* const* vectors, const T* factors,
                             std::int64_t count, std::int64_t n);
    /// A tick of chains of synapses, n of them, from w and behind[k], u_(k+2): those move, w stays
    /// and `pull` is what it changes by.
    template <class T> void move_chains(const T* w, T* const* behind, const ChainPulls<T>& pulls,
                                        T* pull, std::int64_t n);
    /// Moves what lies outside [low, high] to the nearer of the two.  NaN stays.
    template <class T> void bound_row(T* row, T low, T high, std::int64_t n);
    /// row += share a b, of n numbers.
    template <class T>
    void add_products(T* row, T share, EquationCell<T> a, EquationCell<T> b, std::int64_t n);)

/// Numbers that a row is a multiple of, whatever the instruction set.
template <class T>
constexpr std::int64_t kEquationUnit = 64 / static_cast<std::int64_t>(sizeof(T));

}  // namespace gaia::cpu
