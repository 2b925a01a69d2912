// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text, sample by sample, with one kernel for all of them.
///
/// Where neurons do not see each other, each block of threads takes a few and goes through all
/// ticks with their weights in its shared memory, in one launch.  Where they do, one block goes
/// through all ticks with the whole layer while that is small, else a tick is a few launches.
#pragma once

#include "equation_form.h"
#include "equation_update.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Bits of a set: what is done at a tick, each for all neurons of a block before the next.
enum EquationPhases : unsigned {
  kDrivePhase = 1,    ///< Traces, z.
  kNumbersPhase = 2,  ///< The steps on numbers, y.
  kRowsPhase = 4,     ///< dw and de, neuron by neuron.
  kColumnsPhase = 8,  ///< The same input by input, where something goes back.
  kFinishPhase = 16,  ///< Homeostasis, normalisation, bounds; memories.
};

/// How a launch shares the layer among its blocks.
struct EquationShare {
  EquationForm form;
  bool by_streams = false;  ///< A block has all neurons, of some streams.
  bool by_inputs = false;   ///< The threads of all blocks share the inputs.
};

/// The part of this thread's block, with what of it is in shared memory.
template <class T>
__device__ EquationPart<T> this_part(const EquationLayer<T>& layer, const EquationShare& share,
                                     T* shared) {
  const EquationForm& form = share.form;
  const std::int64_t block = share.by_streams ? 0 : blockIdx.x;
  EquationPart<T> part;
  part.first = block * form.neurons_of_block;
  part.count = layer.neurons - part.first;
  if (!share.by_streams && part.count > form.neurons_of_block) part.count = form.neurons_of_block;
  part.first_stream = share.by_streams ? blockIdx.x : 0;
  part.stream_step = share.by_streams ? gridDim.x : 1;
  part.first_input = share.by_inputs ? first_of_grid() : threadIdx.x;
  part.input_step = share.by_inputs ? threads_of_grid() : kThreads;
  const auto take = [&](bool held, std::int64_t count, T* elsewhere) {
    T* const found = held ? shared : elsewhere;
    if (held) shared += count;
    return found;
  };
  const std::int64_t n = layer.x.n;
  const std::int64_t weights = form.neurons_of_block * n;
  part.traces = take(form.holds_traces, layer.x.streams * layer.tables.traces * n, layer.traces);
  part.temporaries =
      take(form.holds_temporaries, layer.tables.temporaries() * kThreads, layer.temporaries);
  part.first_temporary = form.holds_temporaries ? threadIdx.x : first_of_grid();
  part.temporary_step = form.holds_temporaries ? kThreads : threads_of_grid();
  part.weights = take(form.holds_weights, weights, layer.weights + part.first * n);
  part.eligibility =
      take(form.holds_eligibility, layer.x.streams * weights,
           layer.eligibility == nullptr ? nullptr : layer.eligibility + part.first * n);
  part.held = form.holds_eligibility ? form.neurons_of_block : layer.neurons;
  return part;
}

/// Copies `count` numbers by all threads of a block.
template <class T>
__device__ void copy_numbers(const T* from, T* to, std::int64_t count) {
  for (std::int64_t i = threadIdx.x; i < count; i += kThreads) to[i] = from[i];
}

/// What a block holds, on its way in or out.
template <class T>
__device__ void move_held(const EquationLayer<T>& layer, const EquationForm& form,
                          const EquationPart<T>& part, bool in) {
  const auto move = [&](T* there, T* here, std::int64_t count) {
    copy_numbers(in ? there : here, in ? here : there, count);
  };
  const std::int64_t n = layer.x.n;
  if (form.holds_weights) move(layer.weights + part.first * n, part.weights, part.count * n);
  for (std::int64_t b = 0; form.holds_eligibility && b < layer.x.streams; ++b) {
    move(layer.eligibility + (b * layer.neurons + part.first) * n,
         part.eligibility + b * part.held * n, part.count * n);
  }
  if (!form.holds_traces) return;
  const std::int64_t traces = layer.x.streams * layer.tables.traces * n;
  if (in) copy_numbers(layer.traces_before, part.traces, traces);
  if (!in && blockIdx.x == 0) copy_numbers<T>(part.traces, layer.traces, traces);
}

/// The phases of the ticks [first, last).  More than one phase where a block has all that it reads.
template <class T>
__global__ void __launch_bounds__(kThreads)
    equations_kernel(const __grid_constant__ EquationLayer<T> layer, EquationShare share,
                     unsigned phases, std::int64_t first, std::int64_t last) {
  GAIA_SHARED_DYNAMIC(T, shared);
  const EquationPart<T> part = this_part(layer, share, shared);
  move_held(layer, share.form, part, true);
  __syncthreads();  // what the block holds is there
  for (std::int64_t tick = first; tick < last; ++tick) {
    if ((phases & kDrivePhase) != 0) {
      advance_traces(layer, part, tick);
      drive_neurons(layer, part, tick);
    }
    __syncthreads();  // traces and drives are there
    if ((phases & kNumbersPhase) != 0) compute_numbers(layer, part, tick);
    __syncthreads();  // numbers are there
    if ((phases & kRowsPhase) != 0) learn_rows(layer, part, tick);
    if ((phases & kColumnsPhase) != 0) learn_columns(layer, part, tick);
    __syncthreads();  // weights are there
    if ((phases & kFinishPhase) != 0) finish_neurons(layer, part, tick);
    __syncthreads();  // what the next tick begins with is there
  }
  move_held(layer, share.form, part, false);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
