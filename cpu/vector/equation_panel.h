// SPDX-License-Identifier: MIT
/// \file
/// The inner part of the chunkwise executor of rules that are text: a panel of neighbouring neurons
/// with its weights packed for vectors (../equations_chunkwise.cpp).
#pragma once

#include <cstdint>

#include "../../src/formulas/equations/program.h"
#include "equations.h"
#include "plastic.h"

namespace gaia::cpu {

/// What the update of a neuron is made of: a share of every known vector, or null where the rule
/// has none.  One set for w, one for e.
template <class T>
struct EquationShares {
  EquationCell<T> w, e, x, ones;  ///< numbers is null where there is no such term
  const EquationCell<T>* traces;  ///< [traces]
};

/// What chunks hold beside zeros, where that is little.
template <class T>
struct SampleEvents {
  const bool* by_events = nullptr;       ///< [chunks]: whether a chunk is listed; null: none is.
  const std::int64_t* starts = nullptr;  ///< [samples + 1], in the two that follow.
  const std::int32_t* inputs = nullptr;
  const T* values = nullptr;
};

/// A layer over a block of ticks, as PlasticChunks, and what its rule reads beside samples.
template <class T>
struct EquationChunks {
  PlasticChunks<T> block;
  int traces;
  const T* trace_keeps;  ///< [traces]
  /// trace of stream b after sample s . x_t, at [trace, chunk, t, s], laid out as the Gram
  /// matrices.
  const T* trace_overlaps;
  std::int64_t gram_numbers;  ///< Numbers of all Gram matrices of a block.
  /// Per chunk the traces before it, [streams, traces], and ones: rows of `inputs` numbers.
  const T* extra_rows;
  const T* sums;         ///< 1 . x_t, [samples]
  bool has_x, has_ones;  ///< Whether dw, or de, has a term of x, of ones.
  bool reads_weight_square;
  bool has_eligibility;
  T* eligibility;  ///< [outputs, inputs] of the single stream
  SampleEvents<T> events;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// Neurons of a panel of a layer of so many.
    template <class T> std::int64_t equation_panel_width(std::int64_t outputs);
    /// Numbers that a panel needs room for; the room lies on a vector's border.
    template <class T> std::int64_t equation_panel_numbers(const EquationChunks<T>& run);
    /// Packs the neurons [first, first + count) into `room`: where they are fewer than a panel's
    /// width, as a narrower one.
    template <class T> void enter_equation_panel(const EquationChunks<T>& run, std::int64_t first,
                                                 std::int64_t count, T* room);

    // From here on `room` holds a panel.  Chunk by chunk:

    /// Drives of the ticks [begin, end) of a chunk with the weights as they are.
    template <class T>
    void start_equation_panel(T* room, std::int64_t chunk, std::int64_t begin, std::int64_t end);
    /// z at a tick of the chunk and a stream, to `drives` [width], and where the rule reads it ww,
    /// to `squares` [width].
    template <class T> void drive_equation_panel(T* room, std::int64_t tick, std::int64_t stream,
                                                 T* drives, T* squares);
    /// What a stream's tick asks for; `column` is the panel's place in the cells' rows.
    template <class T>
    void take_equation_shares(T* room, std::int64_t tick, std::int64_t stream,
                              const EquationShares<T>& dw, const EquationShares<T>& de,
                              const EquationCell<T>& answer, std::int64_t column);
    /// The tick is over; returns whether the stretch should end with it.
    template <class T> bool settle_equation_panel(T* room, std::int64_t tick);
    /// Makes the weights true after the ticks before `end`.
    template <class T> void finish_equation_panel(T* room, std::int64_t chunk, std::int64_t end);

    /// Writes weights and eligibility back.
    template <class T> void leave_equation_panel(T* room);)

}  // namespace gaia::cpu
