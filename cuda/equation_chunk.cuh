// SPDX-License-Identifier: MIT
/// \file
/// A chunk of ticks under a rule that is text, as its kernels see it, and what they share.
#pragma once

#include "equation_chunk_form.h"
#include "equation_layer.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// A chunk of a block of ticks.  Arrays are those of the first replica, and by so many elements
/// further on those of the next.
template <class T>
struct EquationChunk {
  EquationChunkForm form;
  std::int64_t first_tick = 0;
  int ticks = 0;                                ///< Ticks of this chunk; the last may have fewer.
  const InterpretedLayer<T>* layers = nullptr;  ///< One for each replica; null for a single one.
  const T* known = nullptr;  ///< [known rows, inputs]; rows behind the last tick are 0.
  std::int64_t next_known = 0;
  const T* gram = nullptr;  ///< Samples by known vectors, [samples, known rows]
  std::int64_t next_gram = 0;
  T* rows = nullptr;     ///< [replicas, total rows, stack, neurons]
  T* factors = nullptr;  ///< [replicas, ticks or 1, factor rows, neurons]
  T* square = nullptr;   ///< |w|^2, [replicas, neurons], of true weights
  int* done = nullptr;   ///< Ticks that each block of the scan has done, [replicas, blocks]
  T* numbers = nullptr;  ///< W, then eligibility or chain, [stack, neurons, inputs] where there
  std::int64_t next_numbers = 0;  ///< are replicas, else W alone:
  T* behind = nullptr;            ///< [stack - 1, neurons, inputs]

  __device__ T* number(std::int64_t k, std::int64_t count) const {
    if (layers != nullptr) return numbers + blockIdx.y * next_numbers + k * count;
    return k == 0 ? numbers : behind + (k - 1) * count;
  }
  __device__ T* rows_of_replica(std::int64_t neurons) const {
    return rows + blockIdx.y * form.total_rows * form.stack * neurons;
  }
  __device__ T* factors_of_replica(std::int64_t neurons) const {
    const std::int64_t ticks_there = form.backs > 0 ? form.ticks : 1;
    return factors + blockIdx.y * ticks_there * form.factor_rows * neurons;
  }
  __device__ const InterpretedLayer<T>& layer(const InterpretedLayer<T>& only) const {
    return layers == nullptr ? only : layers[blockIdx.y];
  }
  // Rows behind those of known vectors: what is left of W, less one, as a stack for each number of
  // one; of a weight alone also without the one, then |w|^2, and how far that may be off.
  __device__ std::int64_t left_row() const { return form.known_rows; }
  __device__ std::int64_t share_row() const { return form.known_rows + 1; }
  __device__ std::int64_t square_row() const { return form.known_rows + 2; }
  __device__ std::int64_t drift_row() const { return form.known_rows + 3; }
};

/// Rows in which the factors of a neuron and tick stand.
struct EquationFactorRows {
  std::int64_t streams, slots, sets;

  __device__ explicit EquationFactorRows(const EquationChunkForm& form, std::int64_t of_streams)
      : streams(of_streams), slots(form.slots), sets(form.sets) {}
  /// Row of a known vector: slot 0 is x, the last one ones, the others traces.
  __device__ std::int64_t known(std::int64_t set, std::int64_t slot, std::int64_t stream) const {
    return (set * slots + slot) * streams + stream;
  }
  /// By what w changes of w and of e, and e of w and of e; of a weight alone the second is what is
  /// left of it.
  __device__ std::int64_t change(std::int64_t which) const {
    return sets * slots * streams + which;
  }
  /// What a neuron feeds back, and what it takes of the sum.
  __device__ std::int64_t fed(std::int64_t back) const { return change(4) + 2 * back; }
  __device__ std::int64_t taken(std::int64_t back) const { return fed(back) + 1; }
};

/// x and what a tick changes it by in proportion: exact where that is little, and where little is
/// left.
template <class T>
__device__ T kept_of(T x, T change, T left) {
  return change > T(-0.5) && change < T(0.5) ? x + change * x : left * x;
}

/// A row over all neurons, one column of W or the drives of a sample, through a tick in which
/// something goes back, by one warp.  `factors` are the tick's; the known vectors' numbers of the
/// column lie at known[row * apart].
template <class T>
__device__ void map_row(const EquationTables<T>& tables, const EquationChunkForm& form, int tick,
                        int lane, T* row, std::int64_t neurons, const T* factors, const T* known,
                        std::int64_t apart) {
  const EquationFactorRows at(form, 1);
  const auto factor = [&](std::int64_t which, std::int64_t i) {
    return factors[which * neurons + i];
  };
  T sums[kMostBacks] = {};  // sums of all neurons, or of those before the lanes' next ones
#pragma unroll
  for (int b = 0; b < kMostBacks; ++b) {
    if (b >= form.backs || tables.back(b).upto != 0) continue;
    for (std::int64_t i = lane; i < neurons; i += kWarp) sums[b] += factor(at.fed(b), i) * row[i];
    sums[b] = warp_reduce(sums[b], Plus{});
  }
  for (std::int64_t first = 0; first < neurons; first += kWarp) {
    const bool lives = first + lane < neurons;  // the others keep the warp whole
    const std::int64_t i = lives ? first + lane : first;
    const T before = lives ? row[i] : T(0);
    T after = kept_of(before, factor(at.change(0), i), factor(at.change(1), i));
    for (std::int64_t slot = 0; slot < form.slots; ++slot) {
      const bool is_ones = slot == form.slots - 1;
      if (is_ones ? !form.has_ones : slot == 0 && !form.has_x) continue;
      const std::int64_t place = is_ones ? form.known_rows - 1 : slot * form.samples + tick;
      after += factor(at.known(0, slot, 0), i) * known[place * apart];
    }
#pragma unroll
    for (int b = 0; b < kMostBacks; ++b) {
      if (b >= form.backs) continue;
      T sum = sums[b];
      if (tables.back(b).upto != 0) {
        T up = lives ? factor(at.fed(b), i) * before : T(0);
        for (int distance = 1; distance < kWarp; distance *= 2) {
          const T ahead = __shfl_sync(kWholeWarp, up, lane >= distance ? lane - distance : lane);
          if (lane >= distance) up += ahead;
        }
        sum += up;
        sums[b] = __shfl_sync(kWholeWarp, sum, kWarp - 1);
      }
      after += factor(at.taken(b), i) * sum;
    }
    if (lives) row[i] = after;
  }
}

/// Memories of the part's neurons, from the layer to where the steps read them, or back.
template <class T>
__device__ void move_memories(const InterpretedLayer<T>& layer, const EquationPart<T>& part,
                              bool in) {
  const int first = layer.program.first_neuron + EquationPlaces::kFirstMemory;
  for (std::int64_t own = threadIdx.x; own < part.count; own += kThreads) {
    for (std::int64_t b = 0; b < layer.x.streams; ++b) {
      const EquationNumbers<T, EquationTables<T>> numbers(layer, part, b, own);
      for (int m = 0; m < layer.memories; ++m) {
        T& memory = layer.memory[(b * layer.memories + m) * layer.neurons + part.first + own];
        if (in) {
          numbers.set(first + m, memory);
        } else {
          memory = numbers[first + m];
        }
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
