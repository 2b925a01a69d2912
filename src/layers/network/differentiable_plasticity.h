// SPDX-License-Identifier: MIT
/// \file
/// A layer that learns by a rule of plasticity while it runs, and whose rule is itself trained by
/// gradients.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../learning/equation_rule.h"
#include "plastic_sequence.h"
#include "recurrent.h"

namespace gaia {

/// What has a number of its own.
enum class PlasticSharing : std::uint8_t {
  layer,       ///< One number, [].
  neuron,      ///< One for each neuron, [outputs, 1].
  connection,  ///< One for each weight, [outputs, inputs].
};

/// A number of the rule, which gradients may train.
struct PlasticNumber {
  std::optional<double> start = {};  ///< Nothing: what the rule says.
  PlasticSharing sharing = PlasticSharing::layer;
  bool trained = true;  ///< Else a buffer, which stays as it is.
};

struct DifferentiablePlasticityOptions {
  /// How H changes.  One that has a name of its own is faster than the same as equations.
  std::variant<DifferentiableRule, EquationRule> rule = DifferentiableRule::hebbian;
  /// How much of H a connection feels.
  PlasticNumber alpha = {.start = 0.01, .sharing = PlasticSharing::connection};
  /// Parameters of the rule, by name; those that are not named are one for the layer, trained, and
  /// start as the rule says.  The rules with names have a "rate" of 0.1, and abcd has
  /// a = 1, b = c = d = 0.
  std::map<std::string, PlasticNumber> parameters = {};
  Activation activation = Activation::tanh;
  bool bias = true;
  RecurrentAnswer answer = RecurrentAnswer::sequence;
  Init init = Init::pytorch;  ///< Initial values of the weights W, and of the bias as for Dense.
  DType dtype = DType::float32;
  RandomStream random = next_stream();
};

/// The state at which a window begins.
struct PlasticWindow {
  /// H [batch, outputs, inputs] before the first tick; nothing: zeros.
  std::optional<Tensor> plastic = {};
  /// Added to what reaches the neurons, [batch, steps, outputs]: an input that teaches.
  std::optional<Tensor> drive = {};
};

struct PlasticWindowResult {
  Tensor sequence;  ///< y at each tick, [batch, steps, outputs].
  Tensor plastic;   ///< H after the last tick, [batch, outputs, inputs].
};

/// Differentiable plasticity: every stream of a batch has plastic weights H of its own, which begin
/// at 0 and change at each tick by a rule,
///
///     y = f((W + alpha * H) x + b),    H <- H + dH(x, y, H),
///
/// with `*` element by element and y computed before the update.  All updates of a window are
/// recorded, so that backward trains the parameters "weights" W [outputs, inputs], "bias"
/// [outputs], "alpha", and "rule.NAME" for each number of the rule, by what the layer has learnt
/// within the window. Miconi, Clune & Stanley (2018), "Differentiable plasticity: training plastic
/// neural networks with backpropagation", arXiv:1804.02464.
///
/// The layer keeps no H: forward begins each sample with 0, and `run` takes and returns it.  Hand
/// the result of a window on to go on with it; hand its detach() on to go on without gradients
/// across the border, and nothing to begin anew.  Rates are taken as they are: nothing holds a
/// trained one between 0 and 1.
///
/// Unlike PlasticModule, whose weights all streams share and keep from batch to batch, it changes H
/// in evaluation mode too: what is learnt within a window is its answer to it.
class DifferentiablePlasticity final : public Module {
 public:
  /// \throws ArgumentError for a size below 1, a start that is not finite, a name that is none of
  ///         the rule's parameters, or a rule that cannot be recorded; DTypeError unless float32 or
  ///         float64.
  DifferentiablePlasticity(std::int64_t inputs, std::int64_t outputs,
                           const DifferentiablePlasticityOptions& options = {});

  std::string type() const override { return "differentiable_plasticity"; }

  /// Runs over x [batch, steps, inputs].  \throws ShapeError if something does not fit.
  PlasticWindowResult run(const Tensor& x, const PlasticWindow& window = {}) const;

  /// x [batch, steps, inputs] from H = 0: all answers [batch, steps, outputs], or the last
  /// [batch, outputs].  \throws ShapeError, also for the last answer of no steps.
  Tensor forward(const Tensor& x) override;

  const Tensor& weights() const { return weights_; }
  const Tensor& bias() const { return bias_; }  ///< Without elements if there is none.
  /// The value of "alpha".
  const Array& alpha() const { return alpha_.value(); }
  /// The value of a number of the rule, by its name.  \throws ArgumentError, listing the known.
  const Array& parameter(const std::string& name) const;

 private:
  /// A parameter, or a buffer where it is not trained.
  struct Number {
    Tensor trained;
    Array kept;
    bool is_trained = true;
    const Array& value() const { return is_trained ? trained.value() : kept; }
    Tensor tensor() const { return is_trained ? trained : Tensor(kept); }
  };
  void add_number(const std::string& name, const PlasticNumber& number, double start, DType dtype,
                  Number& member);

  std::variant<DifferentiableRule, EquationRule> rule_;
  Activation activation_;
  RecurrentAnswer answer_;
  std::int64_t inputs_;
  std::int64_t outputs_;
  Tensor weights_;
  Tensor bias_;
  Number alpha_;
  std::vector<std::string> names_;  // names of the rule's parameters
  std::vector<Number> numbers_;     // the same order; parameters keep their address
};

/// Keys in an experiment: type: differentiable_plasticity.  Every sample [steps, features] is a
/// window of its own.
struct DifferentiablePlasticityKind {
  std::int64_t size = 0;
  DifferentiableRule rule = DifferentiableRule::hebbian;
  double alpha = 0.01;
  bool plasticity = true;
  double rate = 0.1;
  DifferentiablePlasticityOptions options = {.answer = RecurrentAnswer::last, .random = {}};

  static constexpr const char* name = "differentiable_plasticity";
  void keys(ConfigVisitor& v);
  void add_to(const ModulePlace& place) const;
};

}  // namespace gaia
