// SPDX-License-Identifier: MIT
#include "reference.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace gaia::bench {

double dot(const double* a, std::int64_t a_step, const double* b, std::int64_t b_step,
           std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < n; ++k) sum += a[k * a_step] * b[k * b_step];
  return sum;
}

template <class Formula>
Doubles ReferenceLayer::learn_by(const Formula& formula, const Doubles& x, std::int64_t ticks) {
  Doubles y(static_cast<std::size_t>(ticks * outputs));
  for (std::int64_t neuron = 0; neuron < outputs; ++neuron) {
    double* const w = weights.data() + neuron * inputs;
    NeuronMemory<Formula, double> memory;
    if constexpr (memory_count<Formula>() > 0) {
      for (int m = 0; m < memory.count; ++m) {
        memory.now[m] = memory.after[m] = formula.memories()[static_cast<std::size_t>(m)].initial;
      }
    }
    for (std::int64_t t = 0; t < ticks; ++t) {
      const double* const sample = x.data() + t * inputs;
      const double answer = dot(w, 1, sample, 1, inputs);
      y[static_cast<std::size_t>(t * outputs + neuron)] = answer;
      const PlasticStep<double> step = memory.ask(formula, answer, answer, 1.0);
      memory.settle();
      for (std::int64_t k = 0; k < inputs; ++k) {
        w[k] = (1.0 - step.loss) * w[k] + step.gain * sample[k];
      }
      const double norm = std::sqrt(dot(w, 1, w, 1, inputs));
      double factor = 1.0;
      if (normalization == Normalization::l2 && norm > 0.0) factor = 1.0 / norm;
      if (normalization == Normalization::max_norm) factor = std::min(1.0, bound / norm);
      if (factor != 1.0) {
        for (std::int64_t k = 0; k < inputs; ++k) w[k] *= factor;
      }
    }
  }
  return y;
}

Doubles ReferenceLayer::learn(const Doubles& x, std::int64_t ticks) {
  return std::visit(
      [&](const auto& formula) {
        if constexpr (is_neuron_rule<std::decay_t<decltype(formula)>>) {
          return learn_by(formula, x, ticks);
        } else {
          return Doubles();
        }
      },
      rule);
}

Doubles rectified(const Doubles& x, const Doubles& weights, std::int64_t rows, std::int64_t inputs,
                  std::int64_t outputs) {
  Doubles y;
  y.reserve(static_cast<std::size_t>(rows * outputs));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t neuron = 0; neuron < outputs; ++neuron) {
      y.push_back(std::max(
          0.0, dot(x.data() + row * inputs, 1, weights.data() + neuron * inputs, 1, inputs)));
    }
  }
  return y;
}

Doubles every(std::int64_t step, const Doubles& x, std::int64_t columns) {
  Doubles kept;
  const auto rows = std::ssize(x) / columns;
  for (std::int64_t row = 0; row < rows; row += step) {
    kept.insert(kept.end(), x.begin() + row * columns, x.begin() + (row + 1) * columns);
  }
  return kept;
}

}  // namespace gaia::bench
