// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers with their weights in memory, for what plastic.cuh cannot have: neurons that see
/// each other (softmax), and neurons with more weights than registers hold.
///
/// A tick has up to three phases, each for all neurons before the next.  Small layers go through
/// all of a block's ticks in one launch of one block of threads, large ones take a launch per
/// phase.
#pragma once

#include <type_traits>

#include "plastic.cuh"
#include "weight_control.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

constexpr int kPhaseThreads = 512;

/// Bits of a set.
enum Phases : unsigned {
  kAnswer = 1,  ///< y = f(W x); under an activation of rows y = W x
  kRow = 2,     ///< y = f(y)
  kLearn = 4,   ///< The rule, homeostasis and normalisation.
};

/// This thread among those of the launch, of which warps take neurons in turn.
struct Worker {
  int lane;
  std::int64_t warp;
  std::int64_t warps;
};

__device__ inline Worker this_worker() {
  const std::int64_t thread = first_of_grid();
  return {static_cast<int>(thread % kWarp), thread / kWarp, threads_of_grid() / kWarp};
}

template <class T>
__device__ void answer(const PlasticLayer<T>& layer, const Worker& worker, std::int64_t tick) {
  for (std::int64_t i = worker.warp; i < layer.neurons; i += worker.warps) {
    for (std::int64_t b = 0; b < layer.x.streams; ++b) {
      const T z =
          warp_dot(worker.lane, layer.weights + i * layer.x.n, layer.x.row(b, tick), layer.x.n);
      if (worker.lane == 0) {
        layer.y.row(b, tick)[i] = activate(layer.activation, z);
        layer.drives[b * layer.neurons + i] = z;
      }
    }
  }
}

template <class T>
__device__ void normalise_answers(const PlasticLayer<T>& layer, const Worker& worker,
                                  std::int64_t tick) {
  for (std::int64_t b = worker.warp; b < layer.x.streams; b += worker.warps) {
    warp_activate_row(worker.lane, layer.activation, layer.y.row(b, tick), layer.neurons);
  }
}

/// The rule with what follows it: a warp for each neuron.
template <class T, class R>
__device__ void learn(const PlasticLayer<T>& layer, const R& rule, const Worker& worker,
                      std::int64_t tick) {
  const T share = T(1) / static_cast<T>(layer.x.streams);
  for (std::int64_t i = worker.warp; i < layer.neurons; i += worker.warps) {
    NeuronMemory<R, T> memory;
    memory.load(layer.memory + i, layer.neurons);
    T loss = 0;
    T mean_answer = 0;
    for (std::int64_t b = 0; b < layer.x.streams; ++b) {
      const T y = layer.y.row(b, tick)[i];
      loss += memory.ask(rule, layer.drives[b * layer.neurons + i], y, share).loss * share;
      mean_answer += y * share;
    }
    T* const w = layer.weights + i * layer.x.n;
    for (std::int64_t j = worker.lane; j < layer.x.n; j += kWarp) {
      T weight = w[j];
      weight -= loss * weight;
      for (std::int64_t b = 0; b < layer.x.streams; ++b) {
        const T z = layer.drives[b * layer.neurons + i];
        const T gain = memory.ask_again(rule, z, layer.y.row(b, tick)[i]).gain * share;
        weight += gain * layer.x.row(b, tick)[j];
      }
      w[j] = weight;
    }
    __syncwarp();  // all lanes have read the memory
    memory.settle();
    if (worker.lane == 0) memory.store(layer.memory + i, layer.neurons);
    control_weights(layer.control, worker.lane, mean_answer, w, layer.x.n);
  }
}

/// The phases of the ticks [first, last).  More than one phase: in a single block of threads, or
/// for neurons that do not see each other, which stay with their warps.
template <class T, class R>
__global__ void __launch_bounds__(kPhaseThreads)
    phases_kernel(const __grid_constant__ PlasticLayer<T> layer, R rule, unsigned phases,
                  std::int64_t first, std::int64_t last) {
  const Worker worker = this_worker();
  for (std::int64_t tick = first; tick < last; ++tick) {
    if ((phases & kAnswer) != 0) answer(layer, worker, tick);
    __syncthreads();
    if ((phases & kRow) != 0) {
      normalise_answers(layer, worker, tick);
      __syncthreads();
    }
    if ((phases & kLearn) != 0) learn(layer, rule, worker, tick);
    __syncthreads();
  }
}

/// Runs a block of ticks.
template <class T, class R>
void run_phases(const char* name, cudaStream_t stream, const PlasticLayer<T>& layer,
                const R& rule) {
  constexpr int warps_of_block = kPhaseThreads / kWarp;
  /// Multiplications of a tick that one multiprocessor does in about the time of three launches.
  constexpr std::int64_t small = 1 << 16;
  const bool is_row = is_of_row(layer.activation);
  const unsigned phases = kAnswer | kLearn | (is_row ? kRow : 0u);
  const unsigned by_neuron = blocks_for(layer.neurons, warps_of_block);
  const auto start = [&](unsigned which, unsigned blocks, std::int64_t first, std::int64_t last) {
    launch(name, phases_kernel<T, R>, {.grid = blocks, .block = kPhaseThreads}, stream, layer, rule,
           which, first, last);
  };
  if (!is_row) return start(phases, by_neuron, 0, layer.x.ticks);
  if (layer.x.streams * layer.x.n * layer.neurons <= small) {
    return start(phases, 1, 0, layer.x.ticks);
  }
  const unsigned by_stream = blocks_for(layer.x.streams, warps_of_block);
  for (std::int64_t tick = 0; tick < layer.x.ticks; ++tick) {
    start(kAnswer, by_neuron, tick, tick + 1);
    start(kRow, by_stream, tick, tick + 1);
    start(kLearn, by_neuron, tick, tick + 1);
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
