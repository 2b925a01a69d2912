// SPDX-License-Identifier: MIT
/// \file
/// The stepwise executor: plasticity as it is defined, one sample at a time.
#include <algorithm>

#include "../src/core/parallel.h"
#include "plastic.h"
#include "rows.h"

namespace gaia::cpu {
namespace {

/// Neurons per task.  They do not see each other, so each task runs through the whole block alone.
constexpr std::int64_t kNeuronsPerTask = 16;

/// y_b = f(w . x_b) for the neurons [first, last), answered into the rows of `answers`.
template <class T>
void answer(const PlasticRun& run, const Samples<T>& x, const Answers<T>& answers,
            std::int64_t tick, std::int64_t first, std::int64_t last) {
  const T* const weights = run.weights.as<T>();
  for (std::int64_t b = 0; b < x.streams; ++b) {
    T* const y = answers.row(b, tick);
    for (std::int64_t i = first; i < last; ++i) {
      y[i] = dot(weights + i * x.inputs, x.row(b, tick), x.inputs);
    }
    activate_row(run.activation, y + first, last - first);
  }
}

/// One neuron after it has answered: rule, homeostasis, normalisation.
template <class T, class R>
void learn(const R& rule, const PlasticRun& run, const Samples<T>& x, const Answers<T>& answers,
           std::int64_t tick, std::int64_t neuron) {
  T* const w = run.weights.as<T>() + neuron * x.inputs;
  T& memory = run.memory.as<T>()[neuron];
  const T share = T(1) / static_cast<T>(x.streams);
  T loss = 0;
  T mean_answer = 0;
  T memory_after = memory;
  // Losses first, so that the old weights shrink once and every gain adds to what is left.
  for (std::int64_t b = 0; b < x.streams; ++b) {
    const T y = answers.row(b, tick)[neuron];
    T own_memory = memory;
    loss += rule(y, own_memory).loss * share;
    mean_answer += y * share;
    memory_after += (own_memory - memory) * share;
  }
  add_scaled(w, -loss, w, x.inputs);
  for (std::int64_t b = 0; b < x.streams; ++b) {
    T unused = memory;
    const T gain = rule(answers.row(b, tick)[neuron], unused).gain * share;
    add_scaled(w, gain, x.row(b, tick), x.inputs);
  }
  memory = memory_after;
  control_weights(ControlFactors<T>(run.control), mean_answer, w, x.inputs);
}

}  // namespace

template <class T>
void run_stepwise(const PlasticRun& run) {
  const Samples<T> x(run.samples);
  const Answers<T> answers(run.outputs);
  const std::int64_t neurons = run.weights.shape[0];
  // Under softmax a neuron's answer depends on all others, so the whole layer is one task.
  const std::int64_t per_task = run.activation == Activation::softmax ? neurons : kNeuronsPerTask;
  std::visit(
      [&](const auto& rule) {
        parallel_for((neurons + per_task - 1) / per_task, [&](std::int64_t task) {
          const std::int64_t first = task * per_task;
          const std::int64_t last = std::min(neurons, first + per_task);
          for (std::int64_t t = 0; t < x.ticks; ++t) {
            answer(run, x, answers, t, first, last);
            for (std::int64_t i = first; i < last; ++i) learn(rule, run, x, answers, t, i);
          }
        });
      },
      run.rule);
}

template void run_stepwise<float>(const PlasticRun&);
template void run_stepwise<double>(const PlasticRun&);

}  // namespace gaia::cpu
