// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text: how many launches a block of ticks takes, and the memory that
/// they need to work in.
#pragma once

#include <algorithm>

#include "../src/formulas/equations/how_it_runs.h"
#include "equations.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Of a launch in which blocks have neurons each.
inline unsigned blocks_of_neurons(const EquationForm& form, std::int64_t neurons) {
  return static_cast<unsigned>(ceil_div(neurons, form.neurons_of_block));
}

/// Of one in which their threads share the inputs.
inline unsigned blocks_of_inputs(std::int64_t inputs) { return blocks_for(inputs, kThreads); }

template <class T>
class EquationLauncher {
 public:
  EquationLauncher(const EquationForm& form, const EquationLayer<T>& layer, cudaStream_t stream)
      : form_(form), layer_(layer), stream_(stream) {}

  /// All ticks in one launch.
  void run_at_once() const {
    start(blocks_of_neurons(form_, layer_.neurons), {form_},
          kDrivePhase | kNumbersPhase | learning() | kFinishPhase, 0, layer_.x.ticks);
  }

  /// Each phase of each tick for itself, but for those of which a block has all that they read.
  void run_by_ticks() const {
    const EquationShare of_neurons{form_};
    const EquationShare of_streams{form_, true, false};
    const EquationShare of_inputs{form_, true, true};
    const unsigned by_neuron = blocks_of_neurons(form_, layer_.neurons);
    const unsigned columns = learning() & kColumnsPhase;
    const unsigned rows = learning() & kRowsPhase;
    for (std::int64_t tick = 0; tick < layer_.x.ticks; ++tick) {
      const auto phase = [&](unsigned blocks, const EquationShare& share, unsigned phases) {
        start(blocks, share, phases, tick, tick + 1);
      };
      EquationShare driving = of_neurons;
      driving.by_inputs = true;
      phase(by_neuron, driving, kDrivePhase | (layer_.crosses ? 0u : unsigned{kNumbersPhase}));
      if (layer_.crosses) phase(blocks_for(layer_.x.streams, 1), of_streams, kNumbersPhase);
      if (columns != 0) phase(blocks_of_inputs(layer_.x.n), of_inputs, columns);
      phase(by_neuron, of_neurons, rows | kFinishPhase);
    }
  }

 private:
  unsigned learning() const {
    if (!layer_.learns) return 0;
    return layer_.tables.backs.count > 0 ? kColumnsPhase : kRowsPhase;
  }
  void start(unsigned blocks, const EquationShare& share, unsigned phases, std::int64_t first,
             std::int64_t last) const {
    launch("equations", equations_kernel<T>,
           {.grid = blocks,
            .block = kThreads,
            .shared_bytes = static_cast<std::size_t>(form_.shared_numbers) * sizeof(T)},
           stream_, layer_, share, phases, first, last);
  }

  const EquationForm& form_;
  const EquationLayer<T>& layer_;
  cudaStream_t stream_;
};

/// Runs a block of ticks.
template <class T>
void run_equations(const EquationRun& run, Memory& memory, Staging& staging, cudaStream_t stream) {
  const DeviceEquations<T> program(run, memory, staging, stream);
  const bool crosses = crosses_layer(*run.program, run.activation);
  EquationLayer<T> layer(run, crosses, program.tables());
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t backs = layer.tables.backs.count;
  const EquationForm form = equation_form({.neurons = layer.neurons,
                                           .inputs = layer.x.n,
                                           .streams = layer.x.streams,
                                           .traces = layer.tables.traces,
                                           .temporaries = layer.tables.temporaries(),
                                           .has_eligibility = layer.eligibility != nullptr,
                                           .sees_layer = crosses || backs > 0,
                                           .number_bytes = size});
  const Scratch numbers(memory, layer.x.streams * layer.tables.numbers() * layer.neurons * size,
                        stream);
  layer.numbers = numbers.as<T>();
  const Scratch backs_of_inputs(memory, layer.x.streams * backs * layer.x.n * size, stream);
  layer.backs = backs_of_inputs.as<T>();
  const std::int64_t threads =
      std::int64_t{kThreads} *
      std::max(blocks_of_neurons(form, layer.neurons), blocks_of_inputs(layer.x.n));
  const Scratch of_threads(
      memory, form.holds_temporaries ? 0 : layer.tables.temporaries() * threads * size, stream);
  layer.temporaries = of_threads.as<T>();
  const std::int64_t traces =
      form.holds_traces ? layer.x.streams * layer.tables.traces * layer.x.n * size : 0;
  const Scratch before(memory, traces, stream);
  if (traces > 0) {
    check(cudaMemcpyAsync(before.as<T>(), layer.traces, static_cast<std::size_t>(traces),
                          cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
    layer.traces_before = before.as<T>();
  }
  const EquationLauncher<T> launcher(form, layer, stream);
  if (form.kind == EquationKind::ticks) return launcher.run_by_ticks();
  launcher.run_at_once();
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
