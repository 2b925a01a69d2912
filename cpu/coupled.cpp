// SPDX-License-Identifier: MIT
/// \file
/// Rules that couple the neurons of a layer (Sanger, Oja's subspace rule), one sample at a time.
///
/// Both subtract from the sample what neurons already explain: neuron i learns from the residual
/// r_i = x - sum_k y_k w_k, over k <= i (Sanger) or over all k (subspace).  Given the outputs, no
/// column of W depends on another, so threads share the columns.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "../src/core/parallel.h"
#include "backend.h"
#include "plastic.h"
#include "rows.h"

namespace gaia::cpu {
namespace {

constexpr std::int64_t kColumnsPerTask = 64;
constexpr std::int64_t kNeuronsPerTask = 32;
/// Multiplications a tick must have before waking other threads pays.
constexpr std::int64_t kWorthwhile = 1 << 18;

template <class T>
class CoupledLayer {
 public:
  explicit CoupledLayer(const CoupledRun& run)
      : run_(run),
        x_(run.samples),
        answers_(run.outputs),
        weights_(run.weights.as<T>()),
        neurons_(run.weights.shape[0]),
        in_parallel_(x_.streams * x_.inputs * neurons_ >= kWorthwhile) {}

  template <class Coupled>
  void run(const Coupled& rule) {
    for (std::int64_t t = 0; t < x_.ticks; ++t) {
      answer(t);
      in_blocks(x_.inputs, kColumnsPerTask,
                [&](std::int64_t first, std::int64_t last) { learn(rule, t, first, last); });
      control(t);
    }
  }

 private:
  template <class F>
  void in_blocks(std::int64_t n, std::int64_t block, const F& f) const {
    const auto task = [&](std::int64_t i) { f(i * block, std::min(n, (i + 1) * block)); };
    const std::int64_t tasks = (n + block - 1) / block;
    if (in_parallel_) return parallel_for(tasks, task);
    for (std::int64_t i = 0; i < tasks; ++i) task(i);
  }

  void answer(std::int64_t tick) const {
    in_blocks(neurons_, kNeuronsPerTask, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t b = 0; b < x_.streams; ++b) {
        T* const y = answers_.row(b, tick);
        for (std::int64_t i = first; i < last; ++i) {
          y[i] = dot(weights_ + i * x_.inputs, x_.row(b, tick), x_.inputs);
        }
      }
    });
    for (std::int64_t b = 0; b < x_.streams; ++b) {
      activate_row(run_.activation, answers_.row(b, tick), neurons_);
    }
  }

  /// The columns [first, last) of all weights.
  template <class Coupled>
  void learn(const Coupled& rule, std::int64_t tick, std::int64_t first, std::int64_t last) const {
    const std::int64_t n = last - first;
    const T rate = T(rule.learning_rate) / static_cast<T>(x_.streams);
    const T decay = T(rule.decay);
    T residual[static_cast<std::size_t>(kColumnsPerTask)];
    std::vector<T> residuals;  // one row per stream where there are several
    T* r = residual;
    if (x_.streams > 1) {
      residuals.resize(static_cast<std::size_t>(x_.streams * n));
      r = residuals.data();
    }
    for (std::int64_t b = 0; b < x_.streams; ++b) {
      std::copy_n(x_.row(b, tick) + first, n, r + b * n);
    }
    if constexpr (std::is_same_v<Coupled, OjaSubspaceRule>) {
      for (std::int64_t i = 0; i < neurons_; ++i) subtract(tick, i, first, n, r);
    }
    for (std::int64_t i = 0; i < neurons_; ++i) {
      if constexpr (std::is_same_v<Coupled, SangerRule>) subtract(tick, i, first, n, r);
      T* const w = weights_ + i * x_.inputs + first;
      add_scaled(w, -decay, w, n);
      for (std::int64_t b = 0; b < x_.streams; ++b) {
        add_scaled(w, rate * answers_.row(b, tick)[i], r + b * n, n);
      }
    }
  }

  /// r_b -= y_bi w_i, for every stream b.
  void subtract(std::int64_t tick, std::int64_t i, std::int64_t first, std::int64_t n, T* r) const {
    const T* const w = weights_ + i * x_.inputs + first;
    for (std::int64_t b = 0; b < x_.streams; ++b) {
      add_scaled(r + b * n, -answers_.row(b, tick)[i], w, n);
    }
  }

  void control(std::int64_t tick) const {
    const ControlFactors<T> control(run_.control);
    if (!control.homeostatic && !control.normalizes()) return;
    in_blocks(neurons_, kNeuronsPerTask, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        T mean = 0;
        for (std::int64_t b = 0; b < x_.streams; ++b) mean += answers_.row(b, tick)[i];
        mean /= static_cast<T>(x_.streams);
        control_weights(control, mean, weights_ + i * x_.inputs, x_.inputs);
      }
    });
  }

  const CoupledRun& run_;
  Samples<T> x_;
  Answers<T> answers_;
  T* weights_;
  std::int64_t neurons_;
  bool in_parallel_;
};

}  // namespace

void CpuBackend::coupled(const CoupledRun& run) {
  dispatch_floating(run.weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::visit([&](const auto& rule) { CoupledLayer<T>(run).run(rule); }, run.rule);
  });
}

}  // namespace gaia::cpu
