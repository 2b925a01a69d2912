// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers with their weights in registers: a few lanes of a warp own a neuron and walk
/// through all samples of a block, which come by through shared memory.  Nothing but samples and
/// outputs touches memory, and neurons never wait for each other.
#pragma once

#include "../src/array/backend.h"
#include "../src/formulas/rules_control.h"
#include "async_copy.cuh"
#include "map.cuh"
#include "rows.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// A plastic layer over a block of ticks.
template <class T>
struct PlasticLayer {
  Activation activation;
  ControlFactors<T> control;
  Ticks<T> x;
  Ticks<T> y;
  std::int64_t neurons;
  T* weights;           ///< [neurons, x.n]
  T* memory = nullptr;  ///< [memories, neurons]
  T* drives = nullptr;  ///< [streams, neurons], where phases follow on each other

  explicit PlasticLayer(const PlasticBlock& block)
      : activation(block.activation),
        control(block.control),
        x(block.samples),
        y(block.outputs),
        neurons(block.weights.shape[0]),
        weights(block.weights.as<T>()) {}

  __device__ std::int64_t samples() const { return x.ticks * x.streams; }
};

/// What replicas of a layer do not share.
template <class T, class R>
struct PlasticReplica {
  ControlFactors<T> control;
  R rule;
  T* x;
  T* y;
  T* weights;
  T* memory;
};

/// Replicas of a layer, one for each blockIdx.y.
template <class T, class R>
struct PlasticReplicas {
  PlasticLayer<T> layer;  ///< The first of them, and what all share.
  R rule;
  const PlasticReplica<T, R>* table = nullptr;  ///< In the device's memory; null: there is one.

  __device__ PlasticReplica<T, R> replica(std::int64_t number) const {
    if (table != nullptr) return table[number];
    return {layer.control, rule, layer.x.data, layer.y.data, layer.weights, layer.memory};
  }
  __device__ PlasticLayer<T> layer_of(const PlasticReplica<T, R>& own) const {
    PlasticLayer<T> mine = layer;
    mine.control = own.control;
    mine.x.data = own.x;
    mine.y.data = own.y;
    mine.weights = own.weights;
    mine.memory = own.memory;
    return mine;
  }
};

/// How the kernel below shares a layer among threads.
struct Owners {
  int lanes;   ///< Lanes of a neuron: 1, 2, 4, ... 32.
  int rows;    ///< Samples in shared memory at a time, of which there are two sets.
  bool packs;  ///< Whether samples can be copied 16 bytes at a time.
};

constexpr int kOwnerThreads = 128;

/// Whether what the streams of a tick add to weights has room in registers beside K of these.
template <class T, int K>
constexpr bool kSumsInRegisters = K * sizeof(T) <= 64;

/// Blocks of a multiprocessor that registers are to leave room for; where weights are few, samples
/// in shared memory seldom leave room for more.
template <class T, int K>
constexpr int kOwnerBlocks = K * sizeof(T) <= 128 ? 4
                             : sizeof(T) == 4     ? 3
                                                  : 2;

/// Scales of weights between this and its inverse are carried beside them.
template <class T>
constexpr T kLeastScale = T(1.0 / 65536);

/// Starts copying the samples [first, first + owners.rows), tick by tick and stream by stream, to
/// `tile` [owners.rows, width].
template <class T>
__device__ void stage(const Ticks<T>& x, const Owners& owners, std::int64_t first, int width,
                      T* tile) {
  using Quad = Pack<T, 16 / sizeof(T)>;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (int row = static_cast<int>(threadIdx.x) / kWarp; row < owners.rows;
       row += kOwnerThreads / kWarp) {
    const std::int64_t sample = first + row;
    if (sample >= x.ticks * x.streams) break;
    const std::int64_t tick = quotient(sample, x.streams);
    const T* const from = x.row(sample - tick * x.streams, tick);
    T* const to = tile + row * width;
    if (owners.packs) {
      const int packs = static_cast<int>(x.n) / static_cast<int>(16 / sizeof(T));
      for (int j = lane; j < packs; j += kWarp) {
        copy_async(reinterpret_cast<Quad*>(to) + j, reinterpret_cast<const Quad*>(from) + j);
      }
    } else {
      for (int j = lane; j < x.n; j += kWarp) copy_async(to + j, from + j);
    }
  }
}

/// One neuron after another tick: w <- (1 - loss) w + sum of gain x; homeostasis; normalisation.
/// A lane holds packs of neighbouring weights, every `lanes`-th of them; x.n <= lanes K.  Shared:
/// two sets of owners.rows samples, each lanes K numbers, and for several streams, unless their
/// sums are in registers, K numbers of each thread.  A row of the grid for each replica.
template <class T, class R, int K>
__global__ void __launch_bounds__(kOwnerThreads, (kOwnerBlocks<T, K>))
    plastic_kernel(const __grid_constant__ PlasticReplicas<T, R> replicas, Owners owners) {
  constexpr int pack = 16 / sizeof(T);
  static_assert(K % 4 == 0);
  GAIA_SHARED_DYNAMIC(T, shared);
  // Out of the registers, which weights need; but for the rule, whose numbers every sample takes.
  GAIA_SHARED(std::int64_t, of_replica, [sizeof(PlasticReplica<T, R>) / sizeof(std::int64_t)]);
  auto& own = *reinterpret_cast<PlasticReplica<T, R>*>(of_replica);
  if (threadIdx.x == 0) own = replicas.replica(blockIdx.y);
  __syncthreads();
  const R rule = own.rule;
  const PlasticLayer<T>& layer = replicas.layer;
  const auto samples_from = [&](std::int64_t first, T* tile) {
    Ticks<T> x = layer.x;
    x.data = own.x;
    stage(x, owners, first, owners.lanes * K, tile);
  };
  const int width = owners.lanes * K;
  const int lane = static_cast<int>(threadIdx.x) & (owners.lanes - 1);
  const std::int64_t neuron = first_of_grid() / owners.lanes;
  const bool lives = neuron < layer.neurons;  // the others keep the warp whole
  const auto place = [&](int k) { return (k / pack * owners.lanes + lane) * pack + k % pack; };
  const auto joined = [](const T(&of)[4]) { return (of[0] + of[1]) + (of[2] + of[3]); };
  // Each of `sums` over the lanes of a neuron: side by side, so that one does not wait for another.
  const auto sum_over_lanes = [&](auto&... sums) {
#pragma unroll
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
      if (distance < owners.lanes) {
        ((sums += __shfl_xor_sync(kWholeWarp, sums, distance)), ...);
      }
    }
  };

  const std::int64_t first_weight = (lives ? neuron : 0) * layer.x.n;
  // The weights are scale w: what makes all of them smaller or longer is one number, not K.
  T w[K];
  T scale = 1;
  T x[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    w[k] = lives && place(k) < layer.x.n ? own.weights[first_weight + place(k)] : T(0);
  }
  // gain x of the tick's earlier streams: a number at every kOwnerThreads-th place from here.
  T* const in_shared = shared + 2 * owners.rows * width + threadIdx.x;
  T in_registers[kSumsInRegisters<T, K> ? K : 1];
  const auto of_others = [&](int k) -> T& {
    if constexpr (kSumsInRegisters<T, K>) return in_registers[k];
    return in_shared[k * kOwnerThreads];
  };
  NeuronMemory<R, T> memory{};
  if (lives) memory.load(own.memory + neuron, layer.neurons);

  // What samples leave free stays zero.
  for (int i = static_cast<int>(threadIdx.x); i < 2 * owners.rows * width; i += kOwnerThreads) {
    shared[i] = T(0);
  }
  __syncthreads();
  samples_from(0, shared);
  wait_for_copies();
  __syncthreads();

  const bool is_batch = layer.x.streams > 1;
  const bool is_linear = layer.activation == Activation::linear;
  const ControlFactors<T> control = own.control;
  const T share = T(1) / static_cast<T>(layer.x.streams);
  // The place for a sample's answer, and what leads from a tick's last stream to the next tick.
  T* answer = own.y + neuron;
  const std::int64_t to_next_tick = layer.y.offset(1 - layer.x.streams, 1);
  std::int64_t stream = 0;
  T loss = 0;
  T mean_answer = 0;
  T factor = 1;  // factor of homeostasis
  // Whether the last tick's weights are still to be normalised.  Their length is summed up along
  // with the next drive, which needs the same weights.
  bool is_owed = false;
  const auto normalize = [&](T square) {
    const T length = factor * scale;
    scale *= factor * control.normalizing(length * length * square);
    is_owed = false;
  };
  const auto square_of_lane = [&] {
    T square[4] = {};
#pragma unroll
    for (int k = 0; k < K; ++k) square[k % 4] += w[k] * w[k];
    return joined(square);
  };
  int set = 0;
  for (std::int64_t first = 0; first < layer.samples(); first += owners.rows, set ^= 1) {
    const T* const tile = shared + set * owners.rows * width;
    samples_from(first + owners.rows, shared + (set ^ 1) * owners.rows * width);
    const std::int64_t left = layer.samples() - first;
    const int rows = left < owners.rows ? static_cast<int>(left) : owners.rows;
    for (int i = 0; i < rows; ++i) {
      T part[4] = {};
#pragma unroll
      for (int k = 0; k < K; k += pack) {
        const auto some = *as_packs<const Pack<T, pack>>(tile + i * width + place(k));
#pragma unroll
        for (int p = 0; p < pack; ++p) {
          x[k + p] = some.lane[p];
          part[(k + p) % 4] += w[k + p] * x[k + p];
        }
      }
      T drive = joined(part);
      if (is_owed) {
        T square = square_of_lane();
        sum_over_lanes(drive, square);
        normalize(square);
      } else {
        sum_over_lanes(drive);
      }
      const T z = scale * drive;
      const T y = is_linear ? z : activate(layer.activation, z);
      if (lives && lane == 0) *answer = y;
      const PlasticStep<T> step = memory.ask(rule, z, y, share);
      loss += step.loss * share;
      mean_answer += y * share;
      const T gain = step.gain * share;
      if (is_batch && stream < layer.x.streams - 1) {
#pragma unroll
        for (int k = 0; k < K; ++k) {
          T& sum = of_others(k);
          sum = stream == 0 ? gain * x[k] : sum + gain * x[k];
        }
        ++stream;
        answer += layer.y.stream_stride;
        continue;
      }

      scale *= T(1) - loss;
      if (!(scale > kLeastScale<T> && scale < T(1) / kLeastScale<T>)) {  // not for 0 and NaN either
#pragma unroll
        for (int k = 0; k < K; ++k) w[k] *= scale;
        scale = 1;
      }
      const T unscaled = T(1) / scale;
      const T added = unscaled * gain;
#pragma unroll
      for (int k = 0; k < K; ++k) w[k] += added * x[k];
      if (is_batch) {
#pragma unroll
        for (int k = 0; k < K; ++k) w[k] += unscaled * of_others(k);
      }
      if (control.homeostatic) factor = control.homeostatic_factor(mean_answer);
      if (control.normalizes()) {
        is_owed = true;
      } else {
        scale *= factor;
      }
      memory.settle();
      loss = 0;
      mean_answer = 0;
      stream = 0;
      answer += to_next_tick;
    }
    wait_for_copies();
    __syncthreads();
  }

  if (is_owed) {
    T square = square_of_lane();
    sum_over_lanes(square);
    normalize(square);
  }
  if (lives) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if (place(k) < layer.x.n) own.weights[first_weight + place(k)] = scale * w[k];
    }
    if (lane == 0) memory.store(own.memory + neuron, layer.neurons);
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
