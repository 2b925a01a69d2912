// SPDX-License-Identifier: MIT
/// \file
/// The stepwise executor: plasticity as it is defined, one sample at a time.
#include <algorithm>
#include <vector>

#include "../src/core/parallel.h"
#include "layer_steps.h"
#include "plastic.h"
#include "rows.h"

namespace gaia::cpu {
namespace {

/// Neurons per task.  They do not see each other, so each task runs through the whole block alone.
constexpr std::int64_t kNeuronsPerTask = 16;

/// Some neighbouring neurons of a layer on their way through a block.
template <class T>
class Stepwise {
 public:
  Stepwise(const PlasticRun& run, std::int64_t first, std::int64_t last)
      : run_(run),
        x_(run.samples),
        answers_(run.outputs),
        control_(run.control),
        first_(first),
        last_(last),
        drives_(static_cast<std::size_t>(x_.streams * (last - first))) {}

  template <class R>
  void go(const R& rule) {
    if constexpr (is_neuron_rule<R>) {
      go_by(rule);
    } else {
      LayerSteps<T> steps(*rule, run_.memory, x_.streams);
      go_by(steps);
    }
  }

 private:
  template <class Steps>
  void go_by(Steps& steps) {
    for (std::int64_t t = 0; t < x_.ticks; ++t) {
      answer(t);
      learn(steps, t);
    }
  }

  T* weights_of(std::int64_t neuron) const { return run_.weights.as<T>() + neuron * x_.inputs; }
  T* drives_of(std::int64_t stream) { return drives_.data() + stream * (last_ - first_) - first_; }

  /// z_b = w . x_b, and y_b = f(z_b) into the rows of the outputs.
  void answer(std::int64_t tick) {
    for (std::int64_t b = 0; b < x_.streams; ++b) {
      T* const z = drives_of(b);
      T* const y = answers_.row(b, tick);
      for (std::int64_t i = first_; i < last_; ++i) {
        z[i] = dot(weights_of(i), x_.row(b, tick), x_.inputs);
      }
      std::copy(z + first_, z + last_, y + first_);
      activate_row(run_.activation, y + first_, last_ - first_);
    }
  }

  /// Rule, homeostasis, normalisation.
  template <class R>
  void learn(const R& rule, std::int64_t tick) {
    const T share = T(1) / static_cast<T>(x_.streams);
    T* const memories = run_.memory.as<T>();
    const std::int64_t neurons = run_.weights.shape[0];
    for (std::int64_t i = first_; i < last_; ++i) {
      T* const w = weights_of(i);
      NeuronMemory<R, T> memory;
      memory.load(memories + i, neurons);
      T loss = 0;
      T mean_answer = 0;
      // Losses first, so that the old weights shrink once and every gain adds to what is left.
      for (std::int64_t b = 0; b < x_.streams; ++b) {
        const T y = answers_.row(b, tick)[i];
        loss += memory.ask(rule, drives_of(b)[i], y, share).loss * share;
        mean_answer += y * share;
      }
      add_scaled(w, -loss, w, x_.inputs);
      for (std::int64_t b = 0; b < x_.streams; ++b) {
        const T y = answers_.row(b, tick)[i];
        const T gain = memory.ask_again(rule, drives_of(b)[i], y).gain * share;
        add_scaled(w, gain, x_.row(b, tick), x_.inputs);
      }
      memory.settle();
      memory.store(memories + i, neurons);
      control_weights(control_, mean_answer, w, x_.inputs);
    }
  }

  /// The same of all neurons, of which the rule makes one call.
  void learn(LayerSteps<T>& steps, std::int64_t tick) {
    steps.ask([&](std::int64_t b) { return drives_of(b); },
              [&](std::int64_t b) { return answers_.row(b, tick); });
    const T share = T(1) / static_cast<T>(x_.streams);
    for (std::int64_t i = first_; i < last_; ++i) {
      T* const w = weights_of(i);
      T mean_answer = 0;
      add_scaled(w, -steps.loss(i), w, x_.inputs);
      for (std::int64_t b = 0; b < x_.streams; ++b) {
        mean_answer += answers_.row(b, tick)[i] * share;
        add_scaled(w, steps.gain(b, i), x_.row(b, tick), x_.inputs);
      }
      control_weights(control_, mean_answer, w, x_.inputs);
    }
  }

  const PlasticRun& run_;
  Samples<T> x_;
  Answers<T> answers_;
  ControlFactors<T> control_;
  std::int64_t first_;
  std::int64_t last_;
  std::vector<T> drives_;  // [streams, neurons]
};

}  // namespace

template <class T>
void run_stepwise(const PlasticRun& run) {
  const std::int64_t neurons = run.weights.shape[0];
  // Where neurons see each other the whole layer is one task.
  const std::int64_t per_task = is_layer_wide(run) ? neurons : kNeuronsPerTask;
  std::visit(
      [&](const auto& rule) {
        parallel_for((neurons + per_task - 1) / per_task, [&](std::int64_t task) {
          const std::int64_t first = task * per_task;
          Stepwise<T>(run, first, std::min(neurons, first + per_task)).go(rule);
        });
      },
      run.rule);
}

template void run_stepwise<float>(const PlasticRun&);
template void run_stepwise<double>(const PlasticRun&);

}  // namespace gaia::cpu
