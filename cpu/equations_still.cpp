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
constexpr std::int64_t kTicksPerPart = 64;

}  // namespace

template <class T>
void run_equations_still(const EquationRun& run) {
  const Samples<T> x(run.samples);
  const Answers<T> answers(run.outputs);
  const std::int64_t neurons = run.weights.shape[0];
  const std::int64_t per_task = crosses_layer(run) ? neurons : kNeuronsPerTask;
  const std::int64_t tasks = (neurons + per_task - 1) / per_task;
  const std::int64_t most = std::min(x.ticks, kTicksPerPart);
  EquationInputs<T> inputs(run, most);
  std::vector<EquationMachine<T>> machines;  // of tasks
  for (std::int64_t first = 0; first < neurons; first += per_task) {
    const std::int64_t size = std::min(per_task, neurons - first);
    machines.emplace_back(run, 0, first, size);
    for (std::int64_t i = 0; run.program->reads_weight_square && i < size; ++i) {
      const T* const w = run.weights.as<T>() + (first + i) * x.inputs;
      machines.back().weight_squares()[i] = dot(w, w, x.inputs);
    }
  }
  std::vector<T> drives(static_cast<std::size_t>(x.streams * most * neurons));
  for (std::int64_t first = 0; first < x.ticks; first += most) {
    const std::int64_t count = std::min(most, x.ticks - first);
    inputs.read(first, count);
    parallel_for(tasks, [&](std::int64_t task) {
      const FlushDenormals flush;
      const std::int64_t from = task * per_task;
      const std::int64_t size = std::min(per_task, neurons - from);
      const MatrixRef<const T> weights{run.weights.as<T>() + from * x.inputs, size, x.inputs,
                                       x.inputs};
      for (std::int64_t b = 0; b < x.streams; ++b) {
        T* const z = drives.data() + (b * most) * neurons + from;
        gemm(MatrixRef<const T>{x.row(b, first), count, x.inputs, x.tick_stride},
             weights.transposed(), MatrixRef<T>{z, count, size, neurons});
        EquationMachine<T>& machine = machines[static_cast<std::size_t>(task)];
        machine.turn_to(b);
        for (std::int64_t t = 0; t < count; ++t) {
          std::copy_n(z + t * neurons, size, machine.drives());
          machine.step(first + t, inputs.square(b, first + t));
          machine.write_output(answers.row(b, first + t) + from);
          machine.settle();
        }
      }
    });
  }
  for (EquationMachine<T>& machine : machines) machine.write_back();
}

template void run_equations_still<float>(const EquationRun&);
template void run_equations_still<double>(const EquationRun&);

}  // namespace gaia::cpu
