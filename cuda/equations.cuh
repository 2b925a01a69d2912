// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text, sample by sample, with one kernel for all of them.
///
/// Where neurons do not see each other, each block of threads takes a few and goes through all
/// ticks with their weights in its shared memory, in one launch.  Where they do, one block goes
/// through all ticks with the whole layer while that is small, else a tick is a few launches.
#pragma once

#include "async_copy.cuh"
#include "equation_form.h"
#include "equation_update.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// What a tick goes through, each for all neurons of a block before the next.  A launch goes
/// through some stages, numbered through all ticks.
enum EquationStage : int {
  kDriveStage,    ///< Traces, what z is the sum of.
  kNumbersStage,  ///< z, the steps on numbers, y.  Across the layer: traces too.
  kLearnStage,    ///< dw and de: neuron by neuron, or where something goes back, input by input.
  kFinishStage,   ///< Homeostasis, normalisation, bounds; memories.
  kEquationStages,
};

/// What the blocks of a launch share among themselves.
enum class EquationsBy : std::uint8_t {
  neurons,
  streams,  ///< A block has all neurons, of some streams.
  inputs,   ///< The same, of some inputs.
};

/// The part of this thread's block, with what of it is in shared memory.
template <class T, class Program>
__device__ EquationPart<T> this_part(const EquationLayer<T, Program>& layer,
                                     const EquationForm& form, EquationsBy by, T* shared) {
  const bool by_neurons = by == EquationsBy::neurons;
  const bool by_streams = by == EquationsBy::streams;
  const bool by_grid = by_neurons && form.kind == EquationKind::ticks;  // which has one of traces
  const std::int64_t n = layer.x.n;
  EquationPart<T> part;
  part.first = by_neurons ? blockIdx.x * form.neurons_of_block : 0;
  part.count = layer.neurons - part.first;
  if (by_neurons && part.count > form.neurons_of_block) part.count = form.neurons_of_block;
  part.first_stream = by_streams ? blockIdx.x : 0;
  part.stream_step = by_streams ? gridDim.x : 1;
  part.first_input = by_grid ? first_of_grid() : threadIdx.x;
  part.input_step = by_grid ? threads_of_grid() : kThreads;
  part.number_rows = form.number_rows;
  part.warps_of_neuron = form.warps_of_neuron;
  part.strip = form.strip;
  const auto take = [&](bool held, std::int64_t count, T* elsewhere) {
    T* const found = held ? shared : elsewhere;
    if (held) shared += count;
    return found;
  };
  const std::int64_t weights = form.neurons_of_block * n;
  part.traces = take(form.holds_traces, layer.x.streams * layer.program.traces * n, layer.traces);
  const bool of_stream = by_streams && form.shared_numbers_of_stream > 0;
  part.number_step = form.holds_numbers ? form.neurons_of_block : layer.neurons;
  part.numbers_of_stream = of_stream ? 0 : form.number_rows * part.number_step;
  part.numbers = take(form.holds_numbers || of_stream, layer.x.streams * part.numbers_of_stream,
                      layer.numbers + part.first);
  const std::int64_t vectors =
      layer.program.temporaries() + layer.x.streams * layer.program.backs();
  const std::int64_t of_block = std::int64_t{form.strip} * kThreads;
  part.temporaries =
      take(form.holds_temporaries, vectors * of_block, layer.temporaries + blockIdx.x * of_block);
  part.temporaries_apart = form.holds_temporaries ? of_block : gridDim.x * of_block;
  part.weights = take(form.holds_weights, weights, layer.weights + part.first * n);
  part.eligibility =
      take(form.holds_eligibility, layer.x.streams * weights,
           layer.eligibility == nullptr ? nullptr : layer.eligibility + part.first * n);
  part.held = form.holds_eligibility ? form.neurons_of_block : layer.neurons;
  part.samples = take(form.holds_samples, 2 * layer.x.streams * n, nullptr);
  return part;
}

/// What a block holds, on its way in or out.
template <class T, class Program>
__device__ void move_held(const EquationLayer<T, Program>& layer, const EquationForm& form,
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
  const std::int64_t traces = layer.x.streams * layer.program.traces * n;
  if (in) copy_numbers(layer.traces_before, part.traces, traces);
  if (!in && blockIdx.x == 0) copy_numbers<T>(part.traces, layer.traces, traces);
}

/// Begins to copy the samples of a tick to where the part holds them.
template <class T, class Program>
__device__ void begin_samples(const EquationLayer<T, Program>& layer, const EquationPart<T>& part,
                              std::int64_t tick) {
  if (part.samples == nullptr || tick >= layer.x.ticks) return;
  for (std::int64_t b = 0; b < layer.x.streams; ++b) {
    const T* const from = layer.x.row(b, tick);
    T* const to = part.samples + (tick % 2 * layer.x.streams + b) * layer.x.n;
    for (std::int64_t j = threadIdx.x; j < layer.x.n; j += kThreads) copy_async(to + j, from + j);
  }
}

/// The stages [first, last).  More than one where a block has all that they read.
template <class T, class Program>
__device__ void run_stages(const EquationLayer<T, Program>& layer, const EquationForm& form,
                           EquationsBy by, std::int64_t first, std::int64_t last) {
  GAIA_SHARED_DYNAMIC(T, shared);
  const EquationPart<T> part = this_part(layer, form, by, shared);
  move_held(layer, form, part, true);
  begin_samples(layer, part, first / kEquationStages);
  wait_for_copies();
  __syncthreads();  // what the block holds is there
  for (std::int64_t tick = first / kEquationStages; tick * kEquationStages < last; ++tick) {
    const auto runs = [&](EquationStage stage) {
      const std::int64_t number = tick * kEquationStages + stage;
      return first <= number && number < last;
    };
    begin_samples(layer, part, tick + 1);
    if (runs(kDriveStage)) {
      if (!layer.crosses) advance_traces(layer, part, tick);
      drive_neurons(layer, part, tick);
    }
    __syncthreads();  // traces and drives are there
    if (runs(kNumbersStage)) {
      if (layer.crosses) advance_traces(layer, part, tick);
      compute_numbers(layer, part, tick);
    }
    __syncthreads();  // numbers are there
    if constexpr (Program::kMayLearn) {
      if (runs(kLearnStage) && layer.learns) {
        if constexpr (Program::kMayGoBack) {
          if (layer.program.backs() > 0) learn_columns(layer, part, tick);
        }
        if constexpr (Program::kMayNotGoBack) {
          if (layer.program.backs() == 0) learn_rows(layer, part, tick);
        }
      }
    }
    if (layer.finishes) {
      __syncthreads();  // weights are there
      if (runs(kFinishStage)) finish_neurons(layer, part, tick);
    }
    wait_for_copies();
    __syncthreads();  // what the next tick begins with is there
  }
  move_held(layer, form, part, false);
}

/// The same of a program that is interpreted.
template <class T>
__global__ void __launch_bounds__(kThreads, 2)
    equations_kernel(const __grid_constant__ EquationLayer<T, EquationTables<T>> layer,
                     const __grid_constant__ EquationForm form, EquationsBy by, std::int64_t first,
                     std::int64_t last) {
  run_stages(layer, form, by, first, last);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
