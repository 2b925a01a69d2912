// SPDX-License-Identifier: MIT
/// \file
/// What all kernels of attention and its gradients share: their operands, and which keys a query
/// sees.
#pragma once

#include "block_reduce.cuh"
#include "instructions.cuh"
#include "walk.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Bytes of shared memory that a block has on every chip from sm_80 on.
constexpr std::size_t kMostSharedBytes = 99 * 1024;

/// How far a score lies below the largest of its query, which rounding does not turn into above.
template <class T>
__device__ T below(T score, T largest) {
  const T away = score - largest;
  return away > T(0) ? T(0) : away;
}

/// What gradients need of each query, beside its row: [batches, queries].
template <class T>
struct QueryStatistics {
  const T* largest;   ///< Score.
  const T* shares;    ///< 1 / sum of exp(scale (score - largest)).
  const T* products;  ///< dy y.
};

/// Rows of contiguous numbers, `step` apart.
template <class T>
struct Rows {
  const T* data;
  std::int64_t step;
  std::int64_t count;
  std::int64_t width;
};

/// One matrix of each input.
template <class T>
struct AttentionProblem {
  Rows<T> q;
  Rows<T> k;  ///< Keys that are there and that some query sees, and so for v.
  Rows<T> v;
  bool causal;

  /// How many keys a query sees: these are the first.
  __device__ std::int64_t seen_by(std::int64_t query) const {
    return causal && query + 1 < k.count ? query + 1 : k.count;
  }
};

/// Whether a query of the block whose first is `first_query` may not see one of the keys before
/// `end`, which a tile has.
template <class T>
__device__ bool may_hide(const AttentionProblem<T>& problem, std::int64_t first_query,
                         std::int64_t end) {
  return problem.causal && problem.seen_by(first_query) < end;
}

struct Either {
  __device__ int operator()(int a, int b) const { return a | b; }
};

/// Whose tile a block makes the gradients of, by meeting all rows of the other.
enum class TileOwner { queries, keys };

/// Which other rows an own row meets, as numbers in a tile.
struct Seen {
  int begin;
  int end;

  __device__ bool has(int other) const { return begin <= other && other < end; }
};

/// The ones of the `Others` other rows from `first` on that meet the own row `own`.
template <TileOwner owner, int Others, class T>
__device__ Seen seen_of(const AttentionProblem<T>& problem, std::int64_t own, std::int64_t first) {
  const auto within = [first](std::int64_t row) {
    const std::int64_t ahead = row - first;
    return static_cast<int>(ahead < 0 ? 0 : ahead < Others ? ahead : Others);
  };
  if constexpr (owner == TileOwner::queries) {
    return {0, within(problem.seen_by(own))};
  } else {
    if (own >= problem.k.count) return {0, 0};
    return {within(problem.causal ? own : 0), within(problem.q.count)};
  }
}

template <class T>
struct AttentionArguments {
  T scale;
  bool causal;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t size;   ///< Numbers of a query or a key.
  std::int64_t width;  ///< Numbers of a value.
  Walk<4> batch;       ///< In q, k, v and key_lengths.
  std::int64_t q_step;
  std::int64_t k_step;
  std::int64_t v_step;
  const T* q;
  const T* k;
  const T* v;
  const std::int64_t* key_lengths;  ///< May be null.

  __device__ AttentionProblem<T> problem(std::int64_t index) const {
    const Offsets<4> at = batch(index);
    std::int64_t there = causal && queries < keys ? queries : keys;
    if (key_lengths != nullptr) {
      const std::int64_t length = key_lengths[at.at[3]];
      there = length < 0 ? 0 : length < there ? length : there;
    }
    return {{q + at.at[0], q_step, queries, size},
            {k + at.at[1], k_step, there, size},
            {v + at.at[2], v_step, there, width},
            causal};
  }
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
