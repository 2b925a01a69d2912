// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers as they are defined, as a plain loop in long double: what the executors are held
/// to. It shares no formula with the library, so that a slip in one is not repeated in the other.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "../../src/learning/plasticity.h"
#include "ops.h"

namespace gaia::test {

using Real = long double;
using Row = std::vector<Real>;

/// The elements of an array, in long double.
inline Row to_row(const Array& x) {
  const std::vector<double> values = x.to_vector<double>();
  return Row(values.begin(), values.end());
}

/// f(z) for all neurons of a layer.
inline Row reference_activation(Activation f, Row z) {
  const Real pi = std::acos(Real(-1));
  Real total = 0;
  for (Real& v : z) {
    switch (f) {
      case Activation::linear:
        break;
      case Activation::relu:
        v = v > 0 ? v : 0;
        break;
      case Activation::leaky_relu:
        v = v > 0 ? v : v / 100;
        break;
      case Activation::tanh:
        v = std::tanh(v);
        break;
      case Activation::sigmoid:
        v = 1 / (1 + std::exp(-v));
        break;
      case Activation::softmax:
        total += v = std::exp(v);
        break;
      case Activation::coates:
        total += v;
        break;
      case Activation::gelu:
        v = v / 2 * (1 + std::tanh(std::sqrt(2 / pi) * (v + Real(0.044715L) * v * v * v)));
        break;
      default:
        v = unary_op(to_string(f))(static_cast<double>(v));
    }
  }
  if (f == Activation::softmax) {
    for (Real& v : z) v /= total;
  }
  if (f == Activation::coates) {
    const Real mean = total / static_cast<Real>(z.size());
    for (Real& v : z) v = v > mean ? v - mean : Real(0);
  }
  return z;
}

/// A plastic layer, one tick at a time.
class PlasticityReference {
 public:
  PlasticityReference(const Plasticity& plasticity, const Array& initial_weights,
                      const Array& initial_memory)
      : weights(to_row(initial_weights)),
        memory(to_row(initial_memory)),
        plasticity_(plasticity),
        rule_(rule_name(plasticity.rule)),
        outputs_(static_cast<std::size_t>(initial_weights.shape(0))),
        inputs_(static_cast<std::size_t>(initial_weights.shape(1))) {
    PlasticityRule rule = plasticity.rule;
    rate_ = learning_rate_of(rule);
    decay_ = decay_of(rule);
    const auto* single = std::get_if<Rule>(&rule);
    const auto* bcm = single == nullptr ? nullptr : std::get_if<BcmRule>(single);
    if (bcm != nullptr) tau_ = bcm->tau;
  }

  /// Answers the samples of all streams with the weights as they are; then the weights take the
  /// mean of the streams' updates.
  std::vector<Row> tick(const std::vector<Row>& samples, bool learn = true) {
    std::vector<Row> answers;
    for (const Row& x : samples) {
      Row z(outputs_);
      for (std::size_t i = 0; i < outputs_; ++i) {
        z[i] = std::inner_product(x.begin(), x.end(), row(i), Real(0));
      }
      answers.push_back(reference_activation(plasticity_.activation, z));
    }
    if (learn) update(samples, answers);
    return answers;
  }

  Row weights;  ///< [outputs, inputs]
  Row memory;   ///< [outputs], of rules with one

 private:
  Row::iterator row(std::size_t i) {
    return weights.begin() + static_cast<std::ptrdiff_t>(i * inputs_);
  }

  void update(const std::vector<Row>& samples, const std::vector<Row>& answers) {
    const Real share = Real(1) / static_cast<Real>(samples.size());
    Row step(weights.size());
    Row memory_step(outputs_);
    Row mean_answer(outputs_);
    for (std::size_t b = 0; b < samples.size(); ++b) {
      add_rule(samples[b], answers[b], share, step);
      for (std::size_t i = 0; i < outputs_; ++i) {
        const Real y = answers[b][i];
        mean_answer[i] += share * y;
        if (rule_ == "bcm") memory_step[i] += share * (y * y - memory[i]) / tau_;
      }
    }
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += step[k];
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] += memory_step[i];
    for (std::size_t i = 0; i < outputs_; ++i) control(i, mean_answer[i]);
  }

  /// step += share * (what the rule with decay makes of one sample).
  void add_rule(const Row& x, const Row& y, Real share, Row& step) {
    Row explained(inputs_);  // sum of y_k w_k over the neurons that a residual leaves out
    if (rule_ == "oja_subspace") {
      for (std::size_t k = 0; k < outputs_; ++k) add_explained(k, y[k], explained);
    }
    for (std::size_t i = 0; i < outputs_; ++i) {
      if (rule_ == "sanger") add_explained(i, y[i], explained);
      const Real gain = rule_ == "bcm" ? y[i] * (y[i] - memory[i]) : y[i];
      const Real own = rule_ == "oja" ? y[i] * y[i] : 0;  // of the weights themselves
      for (std::size_t j = 0; j < inputs_; ++j) {
        const Real w = weights[i * inputs_ + j];
        const Real change = gain * (x[j] - explained[j]) - own * w;
        step[i * inputs_ + j] += share * (rate_ * change - decay_ * w);
      }
    }
  }

  void add_explained(std::size_t k, Real y, Row& explained) {
    for (std::size_t j = 0; j < inputs_; ++j) explained[j] += y * weights[k * inputs_ + j];
  }

  /// Homeostasis, then normalisation.
  void control(std::size_t i, Real mean_answer) {
    const WeightControl& control = plasticity_.control;
    if (control.homeostasis) {
      scale(i, std::exp(Real(control.homeostasis->strength) *
                        (Real(control.homeostasis->target) - mean_answer)));
    }
    const auto length_of = [&] {
      return std::sqrt(std::inner_product(row(i), row(i) + static_cast<std::ptrdiff_t>(inputs_),
                                          row(i), Real(0)));
    };
    if (control.normalization == Normalization::l2) {
      if (const Real length = length_of(); length > 0) scale(i, 1 / length);
    }
    if (control.normalization == Normalization::max_norm) {
      if (const Real length = length_of(); length > control.bound) {
        scale(i, Real(control.bound) / length);
      }
    }
  }

  void scale(std::size_t i, Real factor) {
    for (std::size_t j = 0; j < inputs_; ++j) weights[i * inputs_ + j] *= factor;
  }

  Plasticity plasticity_;
  std::string rule_;
  std::size_t outputs_;
  std::size_t inputs_;
  Real rate_ = 0;
  Real decay_ = 0;
  Real tau_ = 1;
};

}  // namespace gaia::test
