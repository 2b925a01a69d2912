// SPDX-License-Identifier: MIT
/// \file
/// Panels of values or keys that are not finite where some queries of a block do not see them: a
/// weight of zero times such a number would not be zero.
///
/// Only tiles that causal queries see in part can hide rows.  There the block puts zeros in the
/// place of what is not finite, and behind the product adds it to the queries that see it.
#pragma once

#include "attention_panels.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Rows of a panel, and the queries of a lane.
template <class T>
struct HiddenOfPanel {
  using P = Panel<T>;
  const AttentionProblem<T>& problem;
  const Rows<T>& rows;       ///< Rows of v or k.
  std::int64_t first_query;  ///< First own row of the block.
  std::int64_t first_key;    ///< First row of the panel.

  /// Puts zeros in the place of what is not finite in a panel that all threads see.  \return
  /// whether there was such.  Contains barriers where rows may be hidden.
  __device__ bool clear(PanelPack<T>* panel) const {
    if (!may_hide(problem, first_query, first_key + P::kSide)) return false;
    int found = 0;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < P::kSide * P::kPacks; i += kPanelThreads) {
      PanelPack<T>& pack = panel[i / P::kPacks * P::kStep + i % P::kPacks];
#pragma unroll
      for (int l = 0; l < kPackWidth<T>; ++l) {
        if (std::isfinite(pack.lane[l])) continue;
        pack.lane[l] = T(0);
        found = 1;
      }
    }
    return block_reduce<kPanelThreads>(found, Either{}) != 0;
  }

  /// Adds what was cleared in the panel of columns from `column` on, times the lane's weights, to
  /// the sums of the queries that see it.
  __device__ void add(const PanelPlace& place, std::int64_t column, const T* weights,
                      PanelSums<T>& sums) const {
#pragma unroll 1
    for (int n = 0; n < P::kSide; ++n) {
#pragma unroll
      for (int j = 0; j < P::kColumnsEach; ++j) {
        const std::int64_t at = summed_column<T>(place, column, j);
        if (at >= rows.width || first_key + n >= rows.count) continue;
        const T x = rows.data[(first_key + n) * rows.step + at];
        if (std::isfinite(x)) continue;
#pragma unroll
        for (int i = 0; i < kRowsEach; ++i) {
          const bool sees = first_key + n < problem.seen_by(first_query + place.row(i));
          if (sees) sums.at[i][j] += weights[place.row(i) * P::kWeightsStep + n] * x;
        }
      }
    }
  }
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
