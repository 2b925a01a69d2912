// SPDX-License-Identifier: MIT
/// \file
/// What ticks of a rule with back or back_upto do to columns of numbers of neurons: the inner loop
/// of ../equations_map.cpp.
#pragma once

#include <cstdint>

#include "../instruction_set.h"

namespace gaia::cpu {

/// Some ticks, one after another.  Each makes, of a column m of numbers, one a neuron,
///
///     m_i <- m_i + keep_i m_i + sum_q g_qi v_q + sum_b to_bi S_bi,
///
/// where v_q is the column's number of a known vector and S_bi the sum of from_bj m_j before the
/// tick, over j up to i, or over all.
template <class T>
struct EquationMap {
  std::int64_t neurons;
  /// Borders, from and to: [backs, 2, neurons] of a single tick, [neurons, ticks, 2] of several.
  const T* pairs;
  /// [ticks, numbers, neurons]: g of every known vector, keep where there is one.
  const T* others;
  std::int64_t numbers;
  bool keeps;
  const bool* upto;  ///< [backs]
  std::int64_t backs;
  /// The number of known vector q and tick k for column c at [q known_stride + k tick_stride + c].
  const T* known;
  std::int64_t knowns;
  std::int64_t known_stride;
  std::int64_t tick_stride;
  /// With a single back: whether g of the last known vector is -to at every neuron and tick.  Then
  /// that vector is taken from the sum at its beginning, which spares its products with g: as
  /// Sanger's rule learns from what is left of a sample.
  bool last_rides;
  /// Share of itself by which every number changes once the ticks are over, m_i <- m_i + share m_i,
  /// where several ticks have a single back_upto; else 0.
  T share_after = T(0);
};

/// What the registers hold at a time.
struct EquationMapShape {
  std::int64_t lanes;    ///< Numbers of a vector.
  std::int64_t vectors;  ///< Vectors side by side: their number is best a multiple of it.
  /// Ticks that go down the neurons together, so that a number is read and written once for all.
  std::int64_t ticks;
};

GAIA_FOR_EACH_INSTRUCTION_SET(template <class T> EquationMapShape equation_map_shape();
                              /// Takes `vectors` vectors of columns, from `from` to `to` [neurons,
                              /// columns], which may be the same, through a single tick, or through
                              /// as many as the shape has where there is a single back_upto.
                              template <class T>
                              void map_columns(const EquationMap<T>& map, std::int64_t ticks,
                                               std::int64_t vectors, const T* from,
                                               std::int64_t from_stride, T* to,
                                               std::int64_t to_stride);)

}  // namespace gaia::cpu
