// SPDX-License-Identifier: MIT
/// \file
/// Optimisers: what gradients make of parameters.
///
///     Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 1e-3});
///     loss(net(x), y).backward();
///     optimiser.step();
///     optimiser.zero_grad();
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../array/array_map.h"
#include "../autograd/tensor.h"
#include "../formulas/optimiser_rules.h"

namespace gaia {

/// "sgd", "adam", "adamw", "rmsprop" or "lion".
std::string optimiser_name(const OptimiserRule& rule);
std::vector<std::string> optimiser_names();

/// The rule of that name with default parameters.
/// \throws ArgumentError for a name that is none, listing the known ones.
OptimiserRule optimiser_from_name(std::string_view name);

/// \throws ArgumentError for a parameter out of its range: learning_rate, weight_decay >= 0,
///         epsilon > 0, momentum, betas and alpha in [0, 1), Nesterov's form only with momentum;
///         and for one that `dtype` rounds to 0 or infinity.
void check(const OptimiserRule& rule, DType dtype = DType::float64);

class Optimiser {
 public:
  /// \throws ArgumentError if there are no parameters, if one is no leaf that requires a gradient
  /// or
  ///         comes twice, or if the rule's parameters are out of range.
  Optimiser(std::vector<Tensor> parameters, const OptimiserRule& rule);

  /// One step for every parameter that has a gradient.  Its count of steps is its own.
  void step();
  void zero_grad();  ///< Drops the gradients.

  const OptimiserRule& rule() const { return rule_; }
  const std::vector<Tensor>& parameters() const { return parameters_; }
  /// The rate of the next step.
  double learning_rate() const;
  /// \throws ArgumentError for a negative rate.
  void set_learning_rate(double rate);
  /// The rate that was set last times `factor`, as a schedule wants it: the state keeps the rate
  /// without the factor.  \throws ArgumentError for a negative factor.
  void scale_learning_rate(double factor);

  /// Multiplies what the rule remembers of parameter `number` by `kept`, 1 and 0 of its shape:
  /// weights at 0 begin anew.  Its count of steps goes on.  \throws ArgumentError for a number that
  /// there is not, ShapeError for another shape.
  void forget(std::size_t number, const Array& kept);

  /// What is needed to go on as if nothing had been between: "learning_rate", and for parameter i
  /// "i.steps" and the rule's memory "i.first", "i.second".
  ArrayMap state() const;
  /// \throws ArgumentError or ShapeError unless it is the state of such an optimiser; nothing has
  ///         changed then.
  void set_state(const ArrayMap& state);

 private:
  struct Memory {
    std::int64_t steps = 0;
    Array first;
    Array second;
  };
  /// Zeros where the rule needs memory of a parameter.
  Memory fresh_memory(const Tensor& parameter) const;
  void use_rate(double rate);

  std::vector<Tensor> parameters_;
  OptimiserRule rule_;
  std::vector<Memory> memory_;
  double unscaled_rate_ = 0.0;
};

/// Scales all gradients by max_norm / (norm + 1e-6) where that is below 1, the norm being that of
/// all of them together, which is returned.  \throws ArgumentError unless max_norm >= 0.
double clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm);

/// Limits every number of every gradient to [-limit, limit].  \throws ArgumentError unless
/// limit >= 0.
void clip_grad_value(const std::vector<Tensor>& parameters, double limit);

}  // namespace gaia
