// SPDX-License-Identifier: MIT
/// \file
/// Two plasticity rules of a program's own, which the library knows nothing of, and what they do to
/// a layer as plain loops in long double.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "../../src/learning/custom_rule.h"

namespace gaia::test {

/// Oja's rule about a moving mean of the drive, to which a neuron becomes used:
/// d = y - habit, dw = rate d (x - d w) - decay w, habit += (z - habit) / recovery.
struct HabituatingRule {
  static constexpr const char* name = "habituating";
  static constexpr const char* look_for = "A habit is near the mean drive.";
  double learning_rate = 0.01;
  double decay = 0.0;
  double habit = 0.25;
  double recovery = 20.0;

  template <class Visitor>
  void keys(Visitor& v) {
    v.number({"recovery", "time constant of the habit, in ticks of the level"}, recovery,
             {1.0, 1e6});
    v.number({"habit", "initial habit"}, habit, {-2.0, 2.0, true});
  }

  std::array<RuleMemory, 1> memories() const { return {{{"habit", "mean drive", habit}}}; }

  template <class T>
  PlasticStep<T> operator()(T z, T y, T* memory) const {
    const T d = y - memory[0];
    memory[0] += (z - memory[0]) * T(1.0 / recovery);
    return {T(decay) + T(learning_rate) * d * d, T(learning_rate) * d};
  }
};

/// Neurons share what there is to learn: of neuron i p_i = z_i^2 / sum of all z^2,
/// dw = rate p y (x - y w) - decay w; and remember how much they took (taken, a mean over `span`
/// ticks), and that of a second span, which the first fills.
struct SharingRule {
  static constexpr const char* name = "sharing";
  double learning_rate = 0.01;
  double decay = 0.0;
  std::int64_t span = 10;

  template <class Visitor>
  void keys(Visitor& v) {
    v.integer({"span", "ticks of the mean"}, span, {2, 1000});
  }

  std::array<RuleMemory, 2> memories() const {
    return {{{"taken", "share taken", 0.5}, {"taken_before", "share taken before", 0.0}}};
  }

  template <class T>
  void operator()(const LayerTick<T>& tick) const {
    T total = 0;
    for (std::int64_t i = 0; i < tick.neurons; ++i) total += tick.z[i] * tick.z[i];
    T* const taken = tick.memory;
    T* const before = tick.memory + tick.neurons;
    for (std::int64_t i = 0; i < tick.neurons; ++i) {
      const T share = total > 0 ? tick.z[i] * tick.z[i] / total : T(0);
      const T rate = T(learning_rate) * share * (T(1) + taken[i]);
      tick.loss[i] = T(decay) + rate * tick.y[i] * tick.y[i];
      tick.gain[i] = rate * tick.y[i];
      before[i] += (taken[i] - before[i]) / static_cast<T>(span);
      taken[i] += (share - taken[i]) / static_cast<T>(span);
    }
  }
};

using Real = long double;
using Reals = std::vector<Real>;

/// A layer y = tanh(W x) under one of the rules above.
struct LayerByHand {
  std::size_t outputs;
  std::size_t inputs;
  Reals weights;  ///< [outputs, inputs]
  Reals memory;   ///< [memories, outputs]

  /// One tick of streams x [streams, inputs]; y [streams, outputs].
  template <class Rule>
  Reals tick(const Rule& rule, const Reals& x, std::size_t streams) {
    Reals z(streams * outputs);
    Reals y(streams * outputs);
    for (std::size_t k = 0; k < z.size(); ++k) {
      for (std::size_t j = 0; j < inputs; ++j) {
        z[k] += weights[k % outputs * inputs + j] * x[k / outputs * inputs + j];
      }
      y[k] = std::tanh(z[k]);
    }
    const Reals old_weights = weights;
    const Reals old_memory = memory;
    for (std::size_t b = 0; b < streams; ++b) {
      const Reals rates = rates_of(rule, old_memory, z, b);
      for (std::size_t i = 0; i < outputs; ++i) {
        const Real from = centre_of(rule, old_memory, i);
        const Real d = y[b * outputs + i] - from;
        for (std::size_t j = 0; j < inputs; ++j) {
          const Real w = old_weights[i * inputs + j];
          weights[i * inputs + j] +=
              (rates[i] * d * (x[b * inputs + j] - d * w) - Real(rule.decay) * w) /
              static_cast<Real>(streams);
        }
      }
      remember(rule, old_memory, z, b, streams);
    }
    return y;
  }

 private:
  Reals rates_of(const HabituatingRule& rule, const Reals&, const Reals&, std::size_t) const {
    return Reals(outputs, Real(rule.learning_rate));
  }
  static Real centre_of(const HabituatingRule&, const Reals& old, std::size_t i) { return old[i]; }
  void remember(const HabituatingRule& rule, const Reals& old, const Reals& z, std::size_t b,
                std::size_t streams) {
    for (std::size_t i = 0; i < outputs; ++i) {
      memory[i] += (z[b * outputs + i] - old[i]) / Real(rule.recovery) / static_cast<Real>(streams);
    }
  }

  Real share_of(const Reals& z, std::size_t b, std::size_t i) const {
    Real total = 0;
    for (std::size_t k = 0; k < outputs; ++k) total += z[b * outputs + k] * z[b * outputs + k];
    return z[b * outputs + i] * z[b * outputs + i] / total;
  }
  Reals rates_of(const SharingRule& rule, const Reals& old, const Reals& z, std::size_t b) const {
    Reals rates;
    for (std::size_t i = 0; i < outputs; ++i) {
      rates.push_back(Real(rule.learning_rate) * share_of(z, b, i) * (1 + old[i]));
    }
    return rates;
  }
  static Real centre_of(const SharingRule&, const Reals&, std::size_t) { return 0; }
  void remember(const SharingRule& rule, const Reals& old, const Reals& z, std::size_t b,
                std::size_t streams) {
    const Real part = Real(1) / static_cast<Real>(rule.span) / static_cast<Real>(streams);
    for (std::size_t i = 0; i < outputs; ++i) {
      memory[outputs + i] += (old[i] - old[outputs + i]) * part;
      memory[i] += (share_of(z, b, i) - old[i]) * part;
    }
  }
};

}  // namespace gaia::test
