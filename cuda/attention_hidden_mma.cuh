// SPDX-License-Identifier: MIT
/// \file
/// The same as attention_hidden_panels.cuh for tiles of tensor cores: values or keys that are not
/// finite where some queries of a block do not see them.
///
/// Only tiles that causal queries see in part can hide rows.  There the block puts zeros in the
/// place of what is not finite, and behind the product adds it to the queries that see it.
#pragma once

#include "mma_rows.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Clears the numbers of a word that tensor cores would not take as finite.  \return whether there
/// was one.
template <class T>
__device__ int clear_word(std::uint32_t& word) {
  constexpr std::uint32_t infinite = 0x7f800000u;
  if constexpr (sizeof(T) == 2) {
    int found = 0;
    if ((word & infinite) == infinite) {
      word &= 0xffffu;
      found = 1;
    }
    if ((word << 16 & infinite) == infinite) {
      word &= 0xffff0000u;
      found = 1;
    }
    return found;
  } else {
    if ((as_operand<T>(word) & infinite) != infinite) return 0;
    word = 0;
    return 1;
  }
}

/// The same of a tile of `Others` rows of `Size` numbers, of which `first_query` is the block's
/// first query.  \return whether there was such a number.  Contains barriers where rows may be
/// hidden.
template <class T, int Size, int Others>
__device__ bool clear_hidden(const AttentionProblem<T>& problem, std::int64_t first_query,
                             std::int64_t first_key, Chunk* rows) {
  if (!may_hide(problem, first_query, first_key + Others)) return false;
  int found = 0;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < Others * MmaRow<T, Size>::kChunks;
       i += kMmaThreads) {
#pragma unroll
    for (int word = 0; word < 4; ++word) found |= clear_word<T>(rows[i].words[word]);
  }
  return block_reduce<kMmaThreads>(found, Either{}) != 0;
}

/// What a number that was cleared adds to a value: itself, as its weight is above 0.
struct HiddenValue {
  __device__ float operator()(float x) const { return x; }
};
/// What it adds to the gradient of a query, whose slope it has made NaN or 0.
struct HiddenKey {
  __device__ float operator()(float x) const { return x - x; }
};

/// Adds what was cleared in a tile of `rows` to the sums of a warp's queries that see it.
template <int Others, class T, int Size, int Bands, class What>
__device__ void add_hidden(const AttentionProblem<T>& problem, const Rows<T>& rows,
                           std::int64_t first_query, std::int64_t first_key, const What& what,
                           MmaSums<Bands, Size>& sums) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll 1
  for (std::int64_t key = first_key; key < first_key + Others && key < rows.count; ++key) {
#pragma unroll
    for (int n = 0; n < Size / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const T number = rows.data[key * rows.step + 8 * n + lane % 4 * 2 + i];
        const auto x = static_cast<float>(AsOperand{}(number));
        if (std::isfinite(x)) continue;
#pragma unroll
        for (int band = 0; band < Bands; ++band) {
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const std::int64_t query = first_query + band * kMmaRows + lane / 4 + 8 * half;
            if (key < problem.seen_by(query)) sums.at[band][n][2 * half + i] += what(x);
          }
        }
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
