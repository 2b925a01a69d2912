// SPDX-License-Identifier: MIT
/// \file
/// Rules that are text where nothing learns: drives by matrix products, then the numbers of neurons
/// tick by tick, since y may depend on memories, which go on.
#include <algorithm>
#include <vector>

#include "../src/core/parallel.h"
#include "denormals.h"
#include "equation_inputs.h"
#include "equation_machine.h"
#include "equations.h"
#include "gemm.h"
#include "plastic.h"

namespace gaia::cpu {
namespace {

constexpr std::int64_t kNeuronsPerTask = 256;
constexpr std::int64_t kStreamsPerTask = 64;
constexpr std::int64_t kTicksPerPart = 64;

/// Some neurons of some streams.
template <class T>
struct StillTask {
  std::int64_t first_neuron, neurons;
  std::int64_t first_stream, last_stream;
  EquationMachine<T> machine;
};

template <class T>
std::vector<StillTask<T>> tasks_of(const EquationRun& run) {
  const Samples<T> x(run.samples);
  const std::int64_t all = run.weights.shape[0];
  const std::int64_t most = crosses_layer(run) ? all : kNeuronsPerTask;
  // Lateral connections take the streams of a tick in their order.
  const std::int64_t streams = run.lateral != nullptr ? x.streams : kStreamsPerTask;
  std::vector<StillTask<T>> tasks;
  for (std::int64_t first = 0; first < all; first += most) {
    const std::int64_t neurons = std::min(most, all - first);
    for (std::int64_t b = 0; b < x.streams; b += streams) {
      tasks.push_back({first, neurons, b, std::min(x.streams, b + streams),
                       EquationMachine<T>(run, b, first, neurons)});
      for (std::int64_t i = 0; run.program->reads_weight_square && i < neurons; ++i) {
        const T* const w = run.weights.as<T>() + (first + i) * x.inputs;
        tasks.back().machine.weight_squares()[i] = dot(w, w, x.inputs);
      }
    }
  }
  return tasks;
}

/// z of a task's neurons at `count` ticks from `first` on, to [streams, most, all neurons].
template <class T>
void drive(const EquationRun& run, const StillTask<T>& task, std::int64_t first, std::int64_t count,
           std::int64_t most, T* to) {
  const Samples<T> x(run.samples);
  const std::int64_t all = run.weights.shape[0];
  const MatrixRef<const T> weights =
      MatrixRef<const T>{run.weights.as<T>() + task.first_neuron * x.inputs, task.neurons, x.inputs,
                         x.inputs}
          .transposed();
  const auto multiply = [&](std::int64_t stream, std::int64_t rows, std::int64_t stride,
                            std::int64_t row_of_z) {
    gemm(MatrixRef<const T>{x.row(stream, first), rows, x.inputs, stride}, weights,
         MatrixRef<T>{to + stream * most * all + task.first_neuron, rows, task.neurons, row_of_z});
  };
  if (count == 1) {
    return multiply(task.first_stream, task.last_stream - task.first_stream, x.stream_stride,
                    most * all);
  }
  for (std::int64_t b = task.first_stream; b < task.last_stream; ++b) {
    multiply(b, count, x.tick_stride, all);
  }
}

}  // namespace

template <class T>
void run_equations_still(const EquationRun& run) {
  const Samples<T> x(run.samples);
  const Answers<T> answers(run.outputs);
  const std::int64_t neurons = run.weights.shape[0];
  const std::int64_t most = std::min(x.ticks, kTicksPerPart);
  EquationInputs<T> inputs(run, most);
  std::vector<StillTask<T>> tasks = tasks_of<T>(run);
  std::vector<T> drives(static_cast<std::size_t>(x.streams * most * neurons));
  for (std::int64_t first = 0; first < x.ticks; first += most) {
    const std::int64_t count = std::min(most, x.ticks - first);
    inputs.read(first, count);
    parallel_for(std::ssize(tasks), [&](std::int64_t index) {
      const FlushDenormals flush;
      StillTask<T>& task = tasks[static_cast<std::size_t>(index)];
      drive(run, task, first, count, most, drives.data());
      for (std::int64_t b = task.first_stream; b < task.last_stream; ++b) {
        task.machine.turn_to(b);
        for (std::int64_t t = 0; t < count; ++t) {
          std::copy_n(drives.data() + (b * most + t) * neurons + task.first_neuron, task.neurons,
                      task.machine.drives());
          task.machine.step(first + t, inputs.square(b, first + t));
          task.machine.write_output(answers.row(b, first + t) + task.first_neuron);
          task.machine.settle();
        }
      }
    });
  }
  for (StillTask<T>& task : tasks) task.machine.write_back();
}

template void run_equations_still<float>(const EquationRun&);
template void run_equations_still<double>(const EquationRun&);

}  // namespace gaia::cpu
