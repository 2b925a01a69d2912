// SPDX-License-Identifier: MIT
/// \file
/// Between the matrix products of the chunkwise executor: the recurrence of scalars that takes a
/// neuron through a chunk, and what happens to its weights at the chunk's ends.
///
/// Within a chunk of samples x_1 ... x_S a neuron's weights stay in the span of what they were and
/// of the samples seen so far, w_t = P_t w_0 + sum_{s < t} c_{s,t} x_s.  Each tick multiplies P and
/// all c by its factor and adds c_{t,t+1} = gain_t.  A thread carries P and c of its neuron in
/// registers, so that its drive is z_t = P_t (w_0 . x_t) + sum_s c_{s,t} (x_s . x_t), of numbers
/// that two products have computed; a third computes W = P W_0 + C^T X.  |w|^2, which normalisation
/// needs, obeys a scalar recurrence too (cpu/plastic_chunkwise.cpp has all the reasons).
///
/// Where that scalar |w|^2 and the weights behind the drives are about to drift apart visibly, a
/// neuron stops at that tick, and goes through the rest of the chunk step by step with true
/// weights.
#pragma once

#include <type_traits>

#include "layer_phases.cuh"
#include "plastic_form.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

constexpr int kScanThreads = 64;

/// How many roundings the carried |w|^2 may be off by.  A chunk under a gentle rule collects one a
/// tick.
constexpr int kMostDrift = 128;

/// A chunk of a block.  Arrays are those of the first replica, and by so many elements further on
/// those of the next.
template <class T>
struct ProductChunk {
  std::int64_t first_tick;
  int ticks;
  int stride;              ///< Samples of a whole chunk.
  const T* gram;           ///< x_s . x_u, [samples, stride]; null for chunks of one tick
  std::int64_t next_gram;  ///< 0: samples are shared.
  T* drive;                ///< W_0 x, [samples, neurons]; the scan puts C in its place.
  T* factor;               ///< P, [neurons]
  T* deficit;              ///< 1 - P, [neurons]
  T* square;               ///< |w|^2, [neurons], of true weights where that is needed
  int* stopped;            ///< Ticks of the chunk that the scan has done, [neurons]
  T* weights;              ///< [neurons, inputs]
  bool carries_square;     ///< Whether the scan normalises; else weights are normalised at its end.
};

/// x <- (1 - loss) x: exact where the loss is small, and where the factor is.
template <class T>
struct Shrinkage {
  T stays;
  T change;
  __device__ Shrinkage(T loss, T keep)
      : stays(loss < T(0.5) && loss > T(-0.5) ? T(1) : T(0)),
        change(stays == T(1) ? loss : -keep) {}
  __device__ T operator()(T x) const { return stays * x - change * x; }
};

/// P x, given P and 1 - P: each is the more exact one where the other rounds.
template <class T>
__device__ T shrunk(T x, T factor, T deficit) {
  return factor > T(0.5) ? x - deficit * x : factor * x;
}

/// A thread for each neuron, a row of the grid for each replica.
template <class T, class R>
__global__ void __launch_bounds__(kScanThreads)
    scan_chunk_kernel(const __grid_constant__ PlasticReplicas<T, R> replicas,
                      const __grid_constant__ ProductChunk<T> chunk) {
  // Overlaps of a sample with those of earlier ticks, and with earlier ones of its own tick.  The
  // others stay out: what is not seen yet may not be finite.
  GAIA_SHARED(T, before, [kChunkSamples][kChunkSamples]);
  GAIA_SHARED(T, beside, [kChunkSamples][kChunkSamples]);
  GAIA_SHARED(T, length, [kChunkSamples]);
  const PlasticReplica<T, R> own = replicas.replica(blockIdx.y);
  const PlasticLayer<T> layer = replicas.layer_of(own);
  const int streams = static_cast<int>(layer.x.streams);
  const int samples = chunk.ticks * streams;
  const T* const gram = chunk.gram + blockIdx.y * chunk.next_gram;
  for (int i = static_cast<int>(threadIdx.x); i < kChunkSamples * kChunkSamples;
       i += kScanThreads) {
    const int row = i / kChunkSamples;
    const int column = i % kChunkSamples;
    const bool is_there = chunk.gram != nullptr && row < samples && column <= row;
    const T overlap = is_there ? gram[row * chunk.stride + column] : T(0);
    const bool is_before = column / streams < row / streams;
    before[row][column] = is_before ? overlap : T(0);
    beside[row][column] = !is_before && column < row ? overlap : T(0);
    if (row == column) length[row] = overlap;
  }
  __syncthreads();
  const std::int64_t neuron = first_of_grid();
  if (neuron >= layer.neurons) return;
  const std::int64_t place = blockIdx.y * layer.neurons + neuron;
  T* const drive = chunk.drive + blockIdx.y * (chunk.stride * layer.neurons) + neuron;

  const T share = T(1) / static_cast<T>(streams);
  T c[kChunkSamples] = {};
  T factor = 1;
  T deficit = 0;
  T square = chunk.carries_square ? chunk.square[place] : T(0);
  T drift = 0;
  NeuronMemory<R, T> memory;
  memory.load(layer.memory + neuron, layer.neurons);
  int tick = 0;
  bool stops = false;
  // Ticks after which at most Reach coefficients are not zero.
  const auto go_on = [&](auto reach) {
    constexpr int Reach = decltype(reach)::value;
    const int end = Reach / streams < chunk.ticks ? Reach / streams : chunk.ticks;
    for (; tick < end && !stops; ++tick) {
      const int first = tick * streams;
      T loss = 0;
      T mean_answer = 0;
      T along = 0;   // sum of gain z
      T across = 0;  // |sum of gain x|^2
      for (int b = 0; b < streams; ++b) {
        const int row = first + b;
        T part[4] = {};
#pragma unroll
        for (int s = 0; s < Reach; ++s) part[s % 4] += c[s] * before[row][s];
        const T z = shrunk(drive[row * layer.neurons], factor, deficit) +
                    ((part[0] + part[1]) + (part[2] + part[3]));
        const T y = activate(layer.activation, z);
        layer.y.row(b, chunk.first_tick + tick)[neuron] = y;
        const PlasticStep<T> step = memory.ask(own.rule, z, y, share);
        loss += step.loss * share;
        mean_answer += y * share;
        const T gain = step.gain * share;
        if (chunk.carries_square) {
          T others = 0;
          if (b > 0) {
#pragma unroll
            for (int s = 0; s < Reach; ++s) others += c[s] * beside[row][s];
          }
          along += gain * z;
          across += gain * (gain * length[row] + T(2) * others);
        }
#pragma unroll
        for (int s = 0; s < Reach; ++s) c[s] = s == row ? gain : c[s];
      }
      memory.settle();
      // Homeostasis and normalisation only scale the new weights.
      T keep = T(1) - loss;
      T scale = 1;
      const auto scale_new = [&](T by, T excess) {  // which is by - 1
        const bool is_small = loss > T(-0.5) && loss < T(0.5);
        keep *= by;
        scale *= by;
        // A large loss, which a bound takes back, would swallow the digits of a small one.
        loss = is_small ? loss + excess * loss - excess : T(1) - keep;
      };
      if (layer.control.homeostatic) {
        scale_new(layer.control.homeostatic_factor(mean_answer),
                  layer.control.homeostatic_excess(mean_answer));
      }
      if (chunk.carries_square) {
        const T kept = keep * keep * square;
        T after = kept + scale * (T(2) * keep * along + scale * across);
        after = after < T(0) ? T(0) : after;
        const T swell = kept > T(0) ? kept / after : T(0);
        drift = drift * swell + (swell > T(1) ? swell : T(1));
        const T norm = layer.control.normalizing(after);
        if (norm != T(1)) scale_new(norm, norm - T(1));
        square = after * norm * norm;
        stops = !(drift <= T(kMostDrift));
      }
      const Shrinkage<T> shrinks(loss, keep);
#pragma unroll
      for (int s = 0; s < Reach; ++s) c[s] = s < first ? shrinks(c[s]) : scale * c[s];
      factor = shrinks(factor);
      // A deficit far from zero has lost the digits that it would need near zero again.
      deficit =
          deficit > T(-0.5) && deficit < T(0.5) ? deficit + (loss - loss * deficit) : T(1) - factor;
    }
  };
  go_on(std::integral_constant<int, kChunkSamples / 4>{});
  go_on(std::integral_constant<int, kChunkSamples / 2>{});
  go_on(std::integral_constant<int, kChunkSamples / 4 * 3>{});
  go_on(std::integral_constant<int, kChunkSamples>{});

#pragma unroll
  for (int s = 0; s < kChunkSamples; ++s) {
    if (s < samples) drive[s * layer.neurons] = c[s];
  }
  chunk.factor[place] = factor;
  chunk.deficit[place] = deficit;
  chunk.stopped[place] = tick;
  memory.store(layer.memory + neuron, layer.neurons);
}

/// W <- P W_0: a warp for each neuron.
template <class T, class R>
__global__ void __launch_bounds__(kThreads)
    shrink_weights_kernel(const __grid_constant__ PlasticReplicas<T, R> replicas,
                          const __grid_constant__ ProductChunk<T> chunk) {
  const Worker worker = this_worker();
  const std::int64_t neurons = replicas.layer.neurons;
  const std::int64_t inputs = replicas.layer.x.n;
  for (std::int64_t i = worker.warp; i < neurons; i += worker.warps) {
    const std::int64_t place = blockIdx.y * neurons + i;
    const T factor = chunk.factor[place];
    const T deficit = chunk.deficit[place];
    if (factor == T(1) && deficit == T(0)) continue;
    T* const w = chunk.weights + place * inputs;
    for (std::int64_t j = worker.lane; j < inputs; j += kWarp) {
      w[j] = shrunk(w[j], factor, deficit);
    }
  }
}

/// At the end of a chunk: makes the norms true again, and takes the neurons that have stopped
/// through what is left of it.  Before the first one (`begins`): measures the norms.
template <class T, class R>
__global__ void __launch_bounds__(kThreads)
    settle_weights_kernel(const __grid_constant__ PlasticReplicas<T, R> replicas,
                          const __grid_constant__ ProductChunk<T> chunk, bool begins) {
  const PlasticReplica<T, R> own = replicas.replica(blockIdx.y);
  PlasticLayer<T> layer = replicas.layer_of(own);
  Worker worker = this_worker();
  const std::int64_t warps = worker.warps;
  worker.warps = layer.neurons;  // to the phases of a tick this warp is there for one neuron
  layer.weights = chunk.weights + blockIdx.y * (layer.neurons * layer.x.n);
  // The coefficients there are in the weights already.
  layer.drives = chunk.drive + blockIdx.y * (chunk.stride * layer.neurons);
  for (; worker.warp < layer.neurons; worker.warp += warps) {
    const std::int64_t place = blockIdx.y * layer.neurons + worker.warp;
    T* const w = layer.weights + worker.warp * layer.x.n;
    T square = warp_dot(worker.lane, w, w, layer.x.n);
    if (!begins) {
      const T norm = layer.control.normalizing(square);
      if (norm != T(1)) {
        for (std::int64_t j = worker.lane; j < layer.x.n; j += kWarp) w[j] *= norm;
      }
      square *= norm * norm;
      const int stopped = chunk.stopped[place];
      for (int tick = stopped; tick < chunk.ticks; ++tick) {
        answer(layer, worker, chunk.first_tick + tick);
        __syncwarp();  // all lanes read the result
        learn(layer, own.rule, worker, chunk.first_tick + tick);
        __syncwarp();
      }
      if (stopped < chunk.ticks) square = warp_dot(worker.lane, w, w, layer.x.n);
    }
    if (worker.lane == 0) chunk.square[place] = square;
  }
}

/// The samples of all replicas as rows of matrices, tick by tick and stream by stream: a warp for
/// each row, a row of the grid for each matrix.
template <class T, class R>
__global__ void __launch_bounds__(kThreads)
    pack_samples_kernel(const __grid_constant__ PlasticReplicas<T, R> replicas, T* packed) {
  const PlasticReplica<T, R> own = replicas.replica(blockIdx.y);
  const PlasticLayer<T> layer = replicas.layer_of(own);
  const Worker worker = this_worker();
  for (std::int64_t row = worker.warp; row < layer.samples(); row += worker.warps) {
    const std::int64_t tick = quotient(row, layer.x.streams);
    const T* const from = layer.x.row(row - tick * layer.x.streams, tick);
    T* const to = packed + (blockIdx.y * layer.samples() + row) * layer.x.n;
    for (std::int64_t j = worker.lane; j < layer.x.n; j += kWarp) to[j] = from[j];
  }
}

/// The weights of all replicas one after another, or back from there.
template <class T, class R>
__global__ void __launch_bounds__(kThreads)
    stack_weights_kernel(const __grid_constant__ PlasticReplicas<T, R> replicas, T* stack,
                         bool back) {
  const PlasticReplica<T, R> own = replicas.replica(blockIdx.y);
  const std::int64_t count = replicas.layer.neurons * replicas.layer.x.n;
  T* const mine = stack + blockIdx.y * count;
  for (std::int64_t i = first_of_grid(); i < count; i += threads_of_grid()) {
    if (back) {
      own.weights[i] = mine[i];
    } else {
      mine[i] = own.weights[i];
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
