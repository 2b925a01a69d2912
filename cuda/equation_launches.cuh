// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text: how many launches a block of ticks takes, and the memory that
/// they need to work in.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>

#include "../src/formulas/equations/how_it_runs.h"
#include "device_equations.h"
#include "equations.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Blocks of a launch in which each has neurons of its own.
inline unsigned blocks_of_neurons(const EquationForm& form, std::int64_t neurons) {
  return static_cast<unsigned>(ceil_div(neurons, form.neurons_of_block));
}

/// Blocks of a launch in which they share the inputs.
inline unsigned blocks_of_inputs(const EquationForm& form, std::int64_t inputs) {
  /// Blocks where what goes back has to lie in the device's memory, for each thread: about a chip
  /// full.
  constexpr std::int64_t few = 128;
  const unsigned blocks = blocks_for(inputs, kColumnsOfBlock);
  return form.holds_temporaries ? blocks
                                : static_cast<unsigned>(std::min<std::int64_t>(blocks, few));
}

/// Whether weights learn in launches in which blocks share the inputs.
inline bool learns_by_inputs(const EquationForm& form, const EquationRun& run) {
  return form.kind == EquationKind::ticks && run.learns && !run.program->backs.empty();
}

/// All but the program, of a block of ticks.
template <class T>
EquationArrays<T> arrays_of(const EquationRun& run, bool crosses) {
  const bool chains = run.chain.has_value();
  EquationArrays<T> layer{
      .activation = run.activation,
      .is_bounded = run.bounds.has_value(),
      .learns = run.learns,
      .crosses = crosses,
      .control = ControlFactors<T>(run.control),
      .low = static_cast<T>(run.bounds.value_or(WeightBounds{}).low),
      .high = static_cast<T>(run.bounds.value_or(WeightBounds{}).high),
      .x = Ticks<T>(run.samples),
      .y = Ticks<T>(run.outputs),
      .neurons = run.weights.shape[0],
      .memories = std::ssize(run.program->memories),
      .first_tick = run.first_tick,
      .random = run.random,
      .first_draw = run.ticks_before + run.first_tick,
      .weights = run.weights.as<T>(),
      .eligibility = run.program->has_eligibility ? run.eligibility.as<T>() : nullptr,
      .chained = chains ? run.chained.as<T>() : nullptr,
      .pulls = chains ? ChainPulls<T>(*run.chain) : ChainPulls<T>(),
      .memory = run.memory.as<T>(),
      .traces = run.traces.as<T>(),
      .traces_before = run.traces.as<T>(),
      .layer_signals = run.layer_signals.as<T>(),
      .neuron_signals = run.neuron_signals.as<T>()};
  layer.finishes = layer.memories > 0 ||
                   (layer.learns &&
                    (layer.is_bounded || layer.control.homeostatic || layer.control.normalizes()));
  return layer;
}

/// Launches of a block of ticks, each of the stages that no other block has to end first.
/// `start(shape, by, first, last)` launches a kernel over the stages [first, last).
template <class T, class Start>
class EquationLauncher {
 public:
  EquationLauncher(const EquationForm& form, const EquationRun& run, bool crosses,
                   const Start& start)
      : form_(form),
        neurons_(run.weights.shape[0]),
        inputs_(run.weights.shape[1]),
        streams_(run.samples.shape[0]),
        ticks_(run.samples.shape[1]),
        crosses_(crosses),
        by_inputs_(learns_by_inputs(form, run)),
        start_(start) {}

  void run() {
    if (form_.kind == EquationKind::ticks) run_by_ticks();
    launch_up_to(ticks_, kDriveStage, EquationsBy::neurons);
  }

 private:
  /// A launch wherever a stage needs what other blocks have done before it.
  void run_by_ticks() {
    for (std::int64_t tick = 0; tick < ticks_; ++tick) {
      if (crosses_) {
        launch_up_to(tick, kNumbersStage, EquationsBy::neurons);
        launch_up_to(tick, kLearnStage, EquationsBy::streams);
      } else if (!by_inputs_) {  // traces that blocks share
        launch_up_to(tick, kNumbersStage, EquationsBy::neurons);
        launch_up_to(tick + 1, kDriveStage, EquationsBy::neurons);
      }
      if (by_inputs_) {
        launch_up_to(tick, kLearnStage, EquationsBy::neurons);
        launch_up_to(tick, kFinishStage, EquationsBy::inputs);
      }
    }
  }

  /// Launches the stages before this one of this tick that have not been launched yet.
  void launch_up_to(std::int64_t tick, EquationStage stage, EquationsBy by) {
    const std::int64_t end = tick * kEquationStages + stage;
    if (end == next_) return;
    unsigned blocks = blocks_of_neurons(form_, neurons_);
    if (by == EquationsBy::streams) blocks = blocks_for(streams_, 1);
    if (by == EquationsBy::inputs) blocks = blocks_of_inputs(form_, inputs_);
    const std::int64_t numbers =
        by == EquationsBy::streams ? form_.shared_numbers_of_stream : form_.shared_numbers;
    start_(LaunchShape{.grid = blocks,
                       .block = kThreads,
                       .shared_bytes = static_cast<std::size_t>(numbers) * sizeof(T)},
           by, next_, end);
    next_ = end;
  }

  const EquationForm& form_;
  std::int64_t neurons_, inputs_, streams_, ticks_;
  bool crosses_, by_inputs_;
  const Start& start_;
  std::int64_t next_ = 0;
};

/// What a layer under a rule has beside the program: what its blocks work in.
template <class T>
class EquationRoom {
 public:
  /// `temporaries`: vectors that the program's steps write, of a thread; `in_registers`: all but
  /// the traces before the block of ticks is there.
  EquationRoom(const EquationRun& run, int temporaries, Memory& memory, cudaStream_t stream,
               bool in_registers = false)
      : crosses_(crosses_layer(*run.program, run.activation)), layer_(arrays_of<T>(run, crosses_)) {
    const EquationProgram& program = *run.program;
    const EquationNumbering numbering(program);
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t streams = layer_.x.streams;
    const std::int64_t inputs = layer_.x.n;
    const std::int64_t backs = run.learns ? std::ssize(program.backs) : 0;
    const std::int64_t vectors = temporaries + streams * backs;
    form_ = equation_form(
        {.neurons = layer_.neurons,
         .inputs = inputs,
         .streams = streams,
         .traces = std::ssize(program.traces),
         .numbers = static_cast<std::int64_t>(numbering.vector() - numbering.layer()),
         .sums = 1 + (program.reads_square ? 1 : 0) + (program.reads_weight_square ? 1 : 0),
         .temporaries = vectors,
         .has_eligibility = layer_.eligibility != nullptr,
         .sees_layer = crosses_ || backs > 0,
         .number_bytes = size});
    const std::int64_t of_traces = streams * std::ssize(program.traces) * inputs * size;
    if (in_registers || form_.holds_traces) copy_traces(of_traces, memory, stream);
    if (in_registers) return;
    const std::int64_t numbers =
        form_.holds_numbers ? 0 : streams * form_.number_rows * layer_.neurons;
    layer_.numbers = numbers_.emplace(memory, numbers * size, stream).template as<T>();
    const std::int64_t threads =
        std::int64_t{kThreads} * (learns_by_inputs(form_, run)
                                      ? blocks_of_inputs(form_, inputs)
                                      : blocks_of_neurons(form_, layer_.neurons));
    const std::int64_t kept = form_.holds_temporaries ? 0 : vectors * form_.strip * threads;
    layer_.temporaries = temporaries_.emplace(memory, kept * size, stream).template as<T>();
  }

  /// Traces as they are before the block of ticks, where each block of threads has its own.
  void copy_traces(std::int64_t bytes, Memory& memory, cudaStream_t stream) {
    if (bytes == 0) return;
    before_.emplace(memory, bytes, stream);
    check(cudaMemcpyAsync(before_->template as<T>(), layer_.traces, static_cast<std::size_t>(bytes),
                          cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
    layer_.traces_before = before_->template as<T>();
  }

  bool crosses() const { return crosses_; }
  const EquationForm& form() const { return form_; }
  const EquationArrays<T>& layer() const { return layer_; }

 private:
  bool crosses_;
  EquationArrays<T> layer_;
  EquationForm form_;
  std::optional<Scratch> numbers_, temporaries_, before_;
};

/// Interprets a block of ticks.
template <class T>
void interpret_equations(const EquationRun& run, Memory& memory, Staging& staging,
                         cudaStream_t stream) {
  const DeviceEquations<T> program(run, memory, staging, stream);
  const EquationRoom<T> room(run, program.tables().temporaries(), memory, stream);
  const EquationLayer<T, EquationTables<T>> layer{room.layer(), program.tables()};
  const auto start = [&](const LaunchShape& shape, EquationsBy by, std::int64_t first,
                         std::int64_t last) {
    launch("equations", equations_kernel<T>, shape, stream, layer, room.form(), by, first, last);
  };
  EquationLauncher<T, decltype(start)>(room.form(), run, room.crosses(), start).run();
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
