// SPDX-License-Identifier: MIT
/// \file
/// What happens before and behind the scan of a chunk under a rule that is text: known vectors, the
/// weights that it leaves, and what is left of the chunk.
#pragma once

#include "equation_chunk.cuh"
#include "equation_update.cuh"
#include "plastic_products.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// The known vectors of some chunks, [chunks, known rows, inputs] of each replica: samples and
/// ones; rows of ticks that are not there are 0.  Traces come behind.  A warp for each row.
template <class T>
__global__ void __launch_bounds__(kThreads)
    gather_known_kernel(const __grid_constant__ InterpretedLayer<T> only,
                        const __grid_constant__ EquationChunk<T> chunk, T* known,
                        std::int64_t chunks) {
  const InterpretedLayer<T>& layer = chunk.layer(only);
  const EquationChunkForm& form = chunk.form;
  const Worker worker = this_worker();
  const std::int64_t rows = chunks * form.known_rows;
  for (std::int64_t r = worker.warp; r < rows; r += worker.warps) {
    const std::int64_t c = quotient(r, form.known_rows);
    const std::int64_t vector = r - c * form.known_rows;
    const std::int64_t in_chunk = quotient(vector, layer.x.streams);
    const std::int64_t tick = chunk.first_tick + c * form.ticks + in_chunk;
    const bool is_sample = vector < form.samples && tick < layer.x.ticks;
    const bool is_one = form.has_ones && vector == form.known_rows - 1;
    const T* const from =
        is_sample ? layer.x.row(vector - in_chunk * layer.x.streams, tick) : nullptr;
    T* const to = known + (blockIdx.y * rows + r) * layer.x.n;
    for (std::int64_t j = worker.lane; j < layer.x.n; j += kWarp) {
      to[j] = is_sample ? from[j] : (is_one ? T(1) : T(0));
    }
  }
}

/// The traces of these chunks, which go on.  A thread for each input and stream.
template <class T>
__global__ void __launch_bounds__(kThreads)
    follow_traces_kernel(const __grid_constant__ InterpretedLayer<T> only,
                         const __grid_constant__ EquationChunk<T> chunk, T* known,
                         std::int64_t chunks) {
  const InterpretedLayer<T>& layer = chunk.layer(only);
  const EquationChunkForm& form = chunk.form;
  const std::int64_t n = layer.x.n;
  const int traces = layer.program.traces;
  const std::int64_t there = layer.x.ticks - chunk.first_tick;
  const std::int64_t ticks = std::min(there, chunks * form.ticks);
  T* const own = known + blockIdx.y * chunks * form.known_rows * n;
  for (std::int64_t item = first_of_grid(); item < layer.x.streams * traces * n;
       item += threads_of_grid()) {
    const std::int64_t which = quotient(item, n);
    const std::int64_t j = item - which * n;
    const std::int64_t b = quotient(which, traces);
    const std::int64_t k = which - b * traces;
    const T keep = layer.program.trace_keep(static_cast<int>(k));
    T trace = layer.traces[item];
    std::int64_t c = 0;
    std::int64_t in_chunk = 0;
    for (std::int64_t t = 0; t < ticks; ++t) {
      trace = keep * trace + layer.x.row(b, chunk.first_tick + t)[j];
      const std::int64_t row =
          c * form.known_rows + (1 + k) * form.samples + in_chunk * layer.x.streams + b;
      own[row * n + j] = trace;
      if (++in_chunk == form.ticks) {
        in_chunk = 0;
        ++c;
      }
    }
    layer.traces[item] = trace;
  }
}

/// Copies W, eligibility and chains of all replicas into one array, one after another, or back from
/// it.
template <class T>
__global__ void __launch_bounds__(kThreads)
    stack_equations_kernel(const __grid_constant__ InterpretedLayer<T> only,
                           const __grid_constant__ EquationChunk<T> chunk, bool back) {
  const InterpretedLayer<T>& layer = chunk.layer(only);
  const std::int64_t count = layer.neurons * layer.x.n;
  T* const behind = layer.eligibility != nullptr ? layer.eligibility : layer.chained;
  for (std::int64_t i = first_of_grid(); i < chunk.form.stack * count; i += threads_of_grid()) {
    T& there = i < count ? layer.weights[i] : behind[i - count];
    T& here = chunk.numbers[blockIdx.y * chunk.next_numbers + i];
    if (back) {
      there = here;
    } else {
      here = there;
    }
  }
}

/// What a chunk leaves of W, and of what stands beside it: a thread for each weight in turn.
template <class T, int Stack>
__global__ void __launch_bounds__(kThreads)
    mix_equations_kernel(const __grid_constant__ InterpretedLayer<T> only,
                         const __grid_constant__ EquationChunk<T> chunk) {
  constexpr int most = Stack > 0 ? Stack : static_cast<int>(SynapseChain::kLongest);
  const std::int64_t stack = Stack > 0 ? Stack : chunk.form.stack;
  const std::int64_t neurons = only.neurons;
  const std::int64_t count = neurons * only.x.n;
  const T* const rows = chunk.rows_of_replica(neurons);
  const auto left = [&](std::int64_t of, std::int64_t k, std::int64_t i) {
    return rows[((chunk.left_row() + of) * stack + k) * neurons + i];
  };
  for (std::int64_t w = first_of_grid(); w < count; w += threads_of_grid()) {
    const std::int64_t i = quotient(w, only.x.n);
    if constexpr (Stack == 1) {
      const T of_start = left(0, 0, i);
      const T share = rows[chunk.share_row() * neurons + i];
      if (of_start == T(0) && share == T(1)) continue;
      T& weight = chunk.number(0, count)[w];
      weight = share > T(0.5) ? weight + of_start * weight : share * weight;
    } else {
      T before[most];
      for (std::int64_t k = 0; k < stack; ++k) before[k] = chunk.number(k, count)[w];
      for (std::int64_t k = 0; k < stack; ++k) {
        T sum = before[k];
        for (std::int64_t of = 0; of < stack; ++of) sum += left(of, k, i) * before[of];
        chunk.number(k, count)[w] = sum;
      }
    }
  }
}

/// Columns of W that a block takes through the ticks of a chunk at a time, of so many neurons.
template <class T>
__host__ __device__ int columns_of_map(std::int64_t neurons) {
  int columns = kThreads / kWarp;
  while (columns > 1 &&
         columns * neurons * static_cast<std::int64_t>(sizeof(T)) > kSharedOfEquations) {
    columns /= 2;
  }
  return columns;
}

/// All ticks of a chunk done to each column of W, where something goes back, by a warp that has it
/// in shared memory, or in `room` [replicas, blocks, neurons].
template <class T>
__global__ void __launch_bounds__(kThreads)
    map_columns_kernel(const __grid_constant__ InterpretedLayer<T> only,
                       const __grid_constant__ EquationChunk<T> chunk, int columns, T* room) {
  GAIA_SHARED_DYNAMIC(T, shared);
  const InterpretedLayer<T>& layer = chunk.layer(only);
  const std::int64_t neurons = layer.neurons;
  const std::int64_t n = layer.x.n;
  T* const weights = chunk.number(0, neurons * n);
  T* const held = room == nullptr ? shared
                                  : room + std::int64_t{blockIdx.y * gridDim.x + blockIdx.x} *
                                               columns * neurons;
  const T* const known = chunk.known + blockIdx.y * chunk.next_known;
  const T* const factors = chunk.factors_of_replica(neurons);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (std::int64_t first = std::int64_t{blockIdx.x} * columns; first < n;
       first += std::int64_t{gridDim.x} * columns) {
    const auto move = [&](bool in) {
      for (std::int64_t item = threadIdx.x; item < columns * neurons; item += kThreads) {
        const std::int64_t i = quotient(item, columns);
        const std::int64_t c = item - i * columns;
        if (first + c >= n) continue;
        T& there = weights[i * n + first + c];
        T& here = held[c * neurons + i];
        if (in) {
          here = there;
        } else {
          there = here;
        }
      }
    };
    move(true);
    __syncthreads();  // columns are there
    if (warp < columns && first + warp < n) {
      for (int tick = 0; tick < chunk.ticks; ++tick) {
        map_row(layer.program, chunk.form, tick, lane, held + warp * neurons, neurons,
                factors + tick * chunk.form.factor_rows * neurons, known + first + warp, n);
      }
    }
    __syncthreads();  // columns have learnt
    move(false);
    __syncthreads();  // the next columns may take their place
  }
}

/// At the end of a chunk: makes the norms true again, a warp for each neuron.  Before the first one
/// (`begins`): measures them.
template <class T>
__global__ void __launch_bounds__(kThreads)
    settle_equations_kernel(const __grid_constant__ InterpretedLayer<T> only,
                            const __grid_constant__ EquationChunk<T> chunk, bool begins) {
  const InterpretedLayer<T>& layer = chunk.layer(only);
  const Worker worker = this_worker();
  const std::int64_t n = layer.x.n;
  for (std::int64_t i = worker.warp; i < layer.neurons; i += worker.warps) {
    T* const w = chunk.number(0, layer.neurons * n) + i * n;
    T square = warp_dot(worker.lane, w, w, n);
    const T norm = begins ? T(1) : layer.control.normalizing(square);
    if (norm != T(1)) {
      for (std::int64_t j = worker.lane; j < n; j += kWarp) w[j] *= norm;
      square *= norm * norm;
    }
    if (worker.lane == 0) chunk.square[blockIdx.y * layer.neurons + i] = square;
  }
}

/// The ticks of a chunk before which the scan has stopped, step by step with true weights: the
/// blocks of the scan with the neurons that they had.
template <class T>
__global__ void __launch_bounds__(kThreads, 1)
    finish_equations_kernel(const __grid_constant__ InterpretedLayer<T> only,
                            const __grid_constant__ EquationChunk<T> chunk) {
  const InterpretedLayer<T>& layer = chunk.layer(only);
  const EquationChunkForm& form = chunk.form;
  const int done = chunk.done[blockIdx.y * gridDim.x + blockIdx.x];
  if (done == chunk.ticks) return;  // all threads of the block
  const std::int64_t n = layer.x.n;
  EquationPart<T> part{};
  part.first = blockIdx.x * form.neurons_of_block;
  part.count = std::min(layer.neurons - part.first, form.neurons_of_block);
  part.first_stream = 0;
  part.stream_step = 1;
  part.first_input = threadIdx.x;
  part.input_step = kThreads;
  part.number_rows = form.number_rows;
  part.warps_of_neuron = 1;
  part.strip = kEquationStrip<T>;
  part.numbers = layer.numbers + part.first;
  part.number_step = layer.neurons;
  part.numbers_of_stream = form.number_rows * layer.neurons;
  part.weights = chunk.number(0, layer.neurons * n) + part.first * n;
  part.held = layer.neurons;
  move_memories(layer, part, true);
  __syncthreads();  // memories are there
  for (int t = done; t < chunk.ticks; ++t) {
    const std::int64_t tick = chunk.first_tick + t;
    drive_neurons(layer, part, tick);
    __syncthreads();  // drives are there
    compute_numbers(layer, part, tick);
    __syncthreads();  // numbers are there
    learn_rows(layer, part, tick);
    __syncthreads();  // weights are there
    finish_neurons(layer, part, tick);
    __syncthreads();  // what the next tick begins with is there
  }
  move_memories(layer, part, false);
  for (std::int64_t own = static_cast<int>(threadIdx.x) / kWarp; own < part.count;
       own += kThreads / kWarp) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const T* const w = part.weights + own * n;
    const T square = warp_dot(lane, w, w, n);
    if (lane == 0) chunk.square[blockIdx.y * layer.neurons + part.first + own] = square;
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
