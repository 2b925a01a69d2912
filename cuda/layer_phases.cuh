// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers with their weights in memory, for what plastic.cuh cannot have: neurons that see
/// each other (coupled rules, softmax), and neurons with more weights than registers hold.
///
/// A tick has up to four phases, each for all neurons before the next.  Small layers go through all
/// of a block's ticks in one launch of one block of threads, large ones take a launch per phase.
#pragma once

#include <type_traits>

#include "plastic.cuh"
#include "weight_control.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

constexpr int kPhaseThreads = 512;

/// Bits of a set.
enum Phases : unsigned {
  kAnswer = 1,   ///< y = f(W x); under softmax y = W x
  kSoftmax = 2,  ///< y = softmax(y)
  kLearn = 4,    ///< The rule; for rules of single neurons, homeostasis and normalisation too.
  kControl = 8,  ///< Homeostasis and normalisation, after coupled rules.
  kAllPhases = 15,
};

/// This thread among those of the launch.  Warps and threads take neurons and columns in turn.
struct Worker {
  int lane;
  std::int64_t warp;
  std::int64_t warps;
  std::int64_t thread;
  std::int64_t threads;
};

__device__ inline Worker this_worker() {
  const std::int64_t thread = first_of_grid();
  return {static_cast<int>(thread % kWarp), thread / kWarp, threads_of_grid() / kWarp, thread,
          threads_of_grid()};
}

template <class T>
__device__ void answer(const PlasticLayer<T>& layer, const Worker& worker, std::int64_t tick) {
  for (std::int64_t i = worker.warp; i < layer.neurons; i += worker.warps) {
    for (std::int64_t b = 0; b < layer.x.streams; ++b) {
      const T z =
          warp_dot(worker.lane, layer.weights + i * layer.x.n, layer.x.row(b, tick), layer.x.n);
      if (worker.lane == 0) {
        layer.y.row(b, tick)[i] = activate(layer.activation, z);
        if (layer.drives != nullptr) layer.drives[b * layer.neurons + i] = z;
      }
    }
  }
}

template <class T>
__device__ void normalise_answers(const PlasticLayer<T>& layer, const Worker& worker,
                                  std::int64_t tick) {
  for (std::int64_t b = worker.warp; b < layer.x.streams; b += worker.warps) {
    warp_softmax(worker.lane, layer.y.row(b, tick), layer.neurons);
  }
}

/// Rules of single neurons, with what follows them: a warp for each neuron.
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

/// A column of the weights under a coupled rule: what is left of input j for each stream.
template <class T>
class Residual {
 public:
  __device__ Residual(const PlasticLayer<T>& layer, std::int64_t tick, std::int64_t j)
      : layer_(layer), tick_(tick), j_(j), single_(layer.x.row(0, tick)[j]) {
    if (layer.x.streams == 1) return;
    for (std::int64_t b = 0; b < layer.x.streams; ++b) of(b) = layer.x.row(b, tick)[j];
  }
  __device__ T& of(std::int64_t stream) {
    return layer_.x.streams == 1 ? single_ : layer_.residuals[stream * layer_.x.n + j_];
  }
  __device__ T answer(std::int64_t stream, std::int64_t neuron) const {
    return layer_.y.row(stream, tick_)[neuron];
  }
  /// r_b -= y_bi w_i.
  __device__ void subtract(std::int64_t neuron, T weight) {
    for (std::int64_t b = 0; b < layer_.x.streams; ++b) of(b) -= answer(b, neuron) * weight;
  }
  /// (1 - decay) w_i + rate sum of y_bi r_b.
  __device__ T taught(std::int64_t neuron, T weight, T rate, T decay) {
    weight -= decay * weight;
    for (std::int64_t b = 0; b < layer_.x.streams; ++b) {
      weight += rate * answer(b, neuron) * of(b);
    }
    return weight;
  }

 private:
  const PlasticLayer<T>& layer_;
  std::int64_t tick_;
  std::int64_t j_;
  T single_;
};

/// Coupled rules: given the outputs, no column of W depends on another; a thread for each.
template <class T, class Coupled>
__device__ void learn_coupled(const PlasticLayer<T>& layer, const Coupled& rule,
                              const Worker& worker, std::int64_t tick) {
  constexpr bool is_sanger = std::is_same_v<Coupled, SangerRule>;
  constexpr int ahead = 8;  // weights on their way from memory at a time
  const T rate = T(rule.learning_rate) / static_cast<T>(layer.x.streams);
  const T decay = T(rule.decay);
  for (std::int64_t j = worker.thread; j < layer.x.n; j += worker.threads) {
    Residual<T> residual(layer, tick, j);
    T* const column = layer.weights + j;
    const auto each_weight = [&](const auto& f) {
      for (std::int64_t first = 0; first < layer.neurons; first += ahead) {
        T some[ahead];
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
          if (first + k < layer.neurons) some[k] = column[(first + k) * layer.x.n];
        }
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
          if (first + k < layer.neurons) f(first + k, some[k]);
        }
      }
    };
    if constexpr (!is_sanger) {
      each_weight([&](std::int64_t i, T weight) { residual.subtract(i, weight); });
    }
    each_weight([&](std::int64_t i, T weight) {
      if constexpr (is_sanger) residual.subtract(i, weight);
      column[i * layer.x.n] = residual.taught(i, weight, rate, decay);
    });
  }
}

template <class T>
__device__ void learn(const PlasticLayer<T>& layer, const SangerRule& rule, const Worker& worker,
                      std::int64_t tick) {
  learn_coupled(layer, rule, worker, tick);
}
template <class T>
__device__ void learn(const PlasticLayer<T>& layer, const OjaSubspaceRule& rule,
                      const Worker& worker, std::int64_t tick) {
  learn_coupled(layer, rule, worker, tick);
}

template <class T>
__device__ void control(const PlasticLayer<T>& layer, const Worker& worker, std::int64_t tick) {
  for (std::int64_t i = worker.warp; i < layer.neurons; i += worker.warps) {
    T mean_answer = 0;
    for (std::int64_t b = 0; b < layer.x.streams; ++b) mean_answer += layer.y.row(b, tick)[i];
    mean_answer /= static_cast<T>(layer.x.streams);
    control_weights(layer.control, worker.lane, mean_answer, layer.weights + i * layer.x.n,
                    layer.x.n);
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
    if ((phases & kSoftmax) != 0) {
      normalise_answers(layer, worker, tick);
      __syncthreads();
    }
    if ((phases & kLearn) != 0) learn(layer, rule, worker, tick);
    __syncthreads();
    if ((phases & kControl) != 0) {
      control(layer, worker, tick);
      __syncthreads();
    }
  }
}

/// Runs a block of ticks.
template <class T, class R>
void run_phases(const char* name, cudaStream_t stream, const PlasticLayer<T>& layer,
                const R& rule) {
  constexpr bool is_coupled = std::is_same_v<R, SangerRule> || std::is_same_v<R, OjaSubspaceRule>;
  constexpr int warps_of_block = kPhaseThreads / kWarp;
  /// Multiplications of a tick that one multiprocessor does in about the time of three launches.
  constexpr std::int64_t small = 1 << 16;
  const bool is_softmax = layer.activation == Activation::softmax;
  const bool controls = layer.control.homeostatic || layer.control.normalizes();
  const unsigned phases =
      kAnswer | kLearn | (is_softmax ? kSoftmax : 0u) | (is_coupled && controls ? kControl : 0u);
  const unsigned by_neuron = blocks_for(layer.neurons, warps_of_block);
  const auto start = [&](unsigned which, unsigned blocks, std::int64_t first, std::int64_t last) {
    launch(name, phases_kernel<T, R>, {.grid = blocks, .block = kPhaseThreads}, stream, layer, rule,
           which, first, last);
  };
  if (!is_coupled && !is_softmax) return start(phases, by_neuron, 0, layer.x.ticks);
  if (layer.x.streams * layer.x.n * layer.neurons <= small) {
    return start(phases, 1, 0, layer.x.ticks);
  }
  const unsigned by_stream = blocks_for(layer.x.streams, warps_of_block);
  const unsigned by_input = blocks_for(layer.x.n, kPhaseThreads);
  for (std::int64_t tick = 0; tick < layer.x.ticks; ++tick) {
    start(kAnswer, by_neuron, tick, tick + 1);
    if ((phases & kSoftmax) != 0) start(kSoftmax, by_stream, tick, tick + 1);
    start(kLearn, is_coupled ? by_input : by_neuron, tick, tick + 1);
    if ((phases & kControl) != 0) start(kControl, by_neuron, tick, tick + 1);
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
