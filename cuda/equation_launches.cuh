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

/// Of one in which they share the inputs.
inline unsigned blocks_of_inputs(const EquationForm& form, std::int64_t inputs) {
  /// Where what goes back has to lie in the device's memory, for each thread: about a chip full.
  constexpr std::int64_t few = 128;
  const unsigned blocks = blocks_for(inputs, kColumnsOfBlock);
  return form.holds_temporaries ? blocks
                                : static_cast<unsigned>(std::min<std::int64_t>(blocks, few));
}

/// Whether weights learn in launches in which blocks share the inputs.
template <class T>
bool learns_by_inputs(const EquationForm& form, const EquationLayer<T>& layer) {
  return form.kind == EquationKind::ticks && layer.learns && layer.tables.backs.count > 0;
}

template <class T>
class EquationLauncher {
 public:
  EquationLauncher(const EquationForm& form, const EquationLayer<T>& layer, cudaStream_t stream)
      : form_(form), layer_(layer), stream_(stream) {}

  /// All ticks in one launch.
  void run_at_once() { launch_up_to(layer_.x.ticks, kDriveStage, EquationsBy::neurons); }

  /// A launch wherever a stage needs what other blocks have done before it.
  void run_by_ticks() {
    const bool by_inputs = learns_by_inputs(form_, layer_);
    for (std::int64_t tick = 0; tick < layer_.x.ticks; ++tick) {
      if (layer_.crosses) {
        launch_up_to(tick, kNumbersStage, EquationsBy::neurons);
        launch_up_to(tick, kLearnStage, EquationsBy::streams);
      } else if (!by_inputs) {  // traces that blocks share
        launch_up_to(tick, kNumbersStage, EquationsBy::neurons);
        launch_up_to(tick + 1, kDriveStage, EquationsBy::neurons);
      }
      if (by_inputs) {
        launch_up_to(tick, kLearnStage, EquationsBy::neurons);
        launch_up_to(tick, kFinishStage, EquationsBy::inputs);
      }
    }
    launch_up_to(layer_.x.ticks, kDriveStage, EquationsBy::neurons);
  }

 private:
  /// Of what there has been no launch of yet, the stages before this one of this tick.
  void launch_up_to(std::int64_t tick, EquationStage stage, EquationsBy by) {
    const std::int64_t end = tick * kEquationStages + stage;
    if (end == next_) return;
    unsigned blocks = blocks_of_neurons(form_, layer_.neurons);
    if (by == EquationsBy::streams) blocks = blocks_for(layer_.x.streams, 1);
    if (by == EquationsBy::inputs) blocks = blocks_of_inputs(form_, layer_.x.n);
    const std::int64_t numbers =
        by == EquationsBy::streams ? form_.shared_numbers_of_stream : form_.shared_numbers;
    launch("equations", equations_kernel<T>,
           {.grid = blocks,
            .block = kThreads,
            .shared_bytes = static_cast<std::size_t>(numbers) * sizeof(T)},
           stream_, layer_, form_, by, next_, end);
    next_ = end;
  }

  const EquationForm& form_;
  const EquationLayer<T>& layer_;
  cudaStream_t stream_;
  std::int64_t next_ = 0;
};

/// Runs a block of ticks.
template <class T>
void run_equations(const EquationRun& run, Memory& memory, Staging& staging, cudaStream_t stream) {
  const DeviceEquations<T> program(run, memory, staging, stream);
  const bool crosses = crosses_layer(*run.program, run.activation);
  EquationLayer<T> layer(run, crosses, program.tables());
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t vectors =
      layer.tables.temporaries() + layer.x.streams * layer.tables.backs.count;
  const EquationForm form = equation_form({.neurons = layer.neurons,
                                           .inputs = layer.x.n,
                                           .streams = layer.x.streams,
                                           .traces = layer.tables.traces,
                                           .numbers = layer.tables.numbers(),
                                           .sums = layer.tables.sums(),
                                           .temporaries = vectors,
                                           .has_eligibility = layer.eligibility != nullptr,
                                           .sees_layer = crosses || layer.tables.backs.count > 0,
                                           .number_bytes = size});
  const Scratch numbers(
      memory, form.holds_numbers ? 0 : layer.x.streams * form.number_rows * layer.neurons * size,
      stream);
  layer.numbers = numbers.as<T>();
  const std::int64_t threads =
      std::int64_t{kThreads} * (learns_by_inputs(form, layer)
                                    ? blocks_of_inputs(form, layer.x.n)
                                    : blocks_of_neurons(form, layer.neurons));
  const Scratch of_threads(
      memory, form.holds_temporaries ? 0 : vectors * form.strip * threads * size, stream);
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
  EquationLauncher<T> launcher(form, layer, stream);
  if (form.kind == EquationKind::ticks) return launcher.run_by_ticks();
  launcher.run_at_once();
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
