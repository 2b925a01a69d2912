// SPDX-License-Identifier: MIT
#include "differentiable_plasticity.h"

#include <cmath>

#include "../../array/create.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
#include "../../core/names.h"
#include "dense.h"
#include "recorded_equations.h"

namespace gaia {
namespace {

constexpr const char* kType = "differentiable_plasticity";
constexpr double kRate = 0.1;

std::vector<std::string> names_of(const std::variant<DifferentiableRule, EquationRule>& rule) {
  if (const auto* const named = std::get_if<DifferentiableRule>(&rule)) {
    return parameter_names(*named);
  }
  return std::get<EquationRule>(rule).program().parameters;
}

/// The value at which a parameter starts if nothing else is said.
double start_of(const std::variant<DifferentiableRule, EquationRule>& rule,
                const std::string& name) {
  if (const auto* const equations = std::get_if<EquationRule>(&rule)) {
    return *equations->parameter(name);
  }
  return name == "rate" ? kRate : name == "a" ? 1.0 : 0.0;
}

Shape shape_of(PlasticSharing sharing, std::int64_t inputs, std::int64_t outputs) {
  switch (sharing) {
    case PlasticSharing::layer:
      return {};
    case PlasticSharing::neuron:
      return {outputs, 1};
    case PlasticSharing::connection:
      break;
  }
  return {outputs, inputs};
}

}  // namespace

void DifferentiablePlasticity::add_number(const std::string& name, const PlasticNumber& number,
                                          double start, DType dtype, Number& member) {
  const double value = number.start.value_or(start);
  if (!std::isfinite(value)) {
    fail<ArgumentError>("[{}] {}: expected a finite start, got {}", kType, name,
                        std::to_string(value));
  }
  const Array filled = full(shape_of(number.sharing, inputs_, outputs_), value, dtype);
  member.is_trained = number.trained;
  if (number.trained) {
    member.trained = Tensor(filled, true);
    add(name, member.trained);
  } else {
    member.kept = filled;
    add(name, member.kept);
  }
}

DifferentiablePlasticity::DifferentiablePlasticity(std::int64_t inputs, std::int64_t outputs,
                                                   const DifferentiablePlasticityOptions& options)
    : rule_(options.rule),
      activation_(options.activation),
      answer_(options.answer),
      inputs_(inputs),
      outputs_(outputs),
      names_(names_of(options.rule)) {
  check_size(kType, "inputs", inputs);
  check_size(kType, "outputs", outputs);
  check_trainable(kType, options.dtype);
  if (const auto* const equations = std::get_if<EquationRule>(&rule_)) {
    if (const std::string why = why_not_recorded(*equations); !why.empty()) {
      fail<ArgumentError>(
          "[{}] expected a rule that can be recorded, got one that {}; leave that out of its "
          "equations",
          kType, why);
    }
  }
  for (const auto& [name, number] : options.parameters) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
      fail<ArgumentError>("[{}] the rule has no parameter '{}'{}; known: {}", kType, name,
                          did_you_mean(name, names_), join(names_));
    }
  }
  const Fan fan = {inputs, outputs};
  weights_ = Tensor(
      initial_weights(options.init, {outputs, inputs}, fan, options.dtype, options.random), true);
  add("weights", weights_);
  if (options.bias) {
    bias_ = Tensor(initial_bias(options.init, outputs, fan, options.dtype, options.random), true);
    add("bias", bias_);
  }
  add_number("alpha", options.alpha, 0.01, options.dtype, alpha_);
  numbers_.resize(names_.size());
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const auto named = options.parameters.find(names_[k]);
    add_number("rule." + names_[k],
               named == options.parameters.end() ? PlasticNumber{} : named->second,
               start_of(rule_, names_[k]), options.dtype, numbers_[k]);
  }
}

const Array& DifferentiablePlasticity::parameter(const std::string& name) const {
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (names_[k] == name) return numbers_[k].value();
  }
  fail<ArgumentError>("[{}] the rule has no parameter '{}'{}; known: {}", kType, name,
                      did_you_mean(name, names_), join(names_));
}

PlasticWindowResult DifferentiablePlasticity::run(const Tensor& x,
                                                  const PlasticWindow& window) const {
  const std::string where = message("[{}] ", kType);
  if (x.rank() != 3 || x.shape(2) != inputs_) {
    fail<ShapeError>("{}expected [batch, steps, {}], got shape {}", where, inputs_, x.shape());
  }
  const DType dtype = weights_.dtype();
  const auto given = [&](const Tensor& tensor, const Shape& shape, const char* what) {
    if (!(tensor.shape() == shape)) {
      fail<ShapeError>("{}{}: expected {}, got {}", where, what, shape, tensor.shape());
    }
    return tensor.dtype() == dtype ? tensor : astype(tensor, dtype);
  };
  const Tensor in_time = transpose(given(x, x.shape(), "x"), {1, 0, 2});
  Tensor drive = bias_.size() > 0 ? linear(in_time, weights_, bias_) : linear(in_time, weights_);
  if (window.drive) {
    const Tensor taught = given(*window.drive, {x.shape(0), x.shape(1), outputs_}, "drive");
    drive = drive + transpose(taught, {1, 0, 2});
  }
  const Shape shape = {x.shape(0), outputs_, inputs_};
  const Tensor plastic =
      window.plastic ? given(*window.plastic, shape, "plastic") : Tensor(zeros(shape, dtype));
  std::vector<Tensor> parameters;
  for (const Number& number : numbers_) parameters.push_back(number.tensor());
  const PlasticSequence sequence = std::visit(
      [&](const auto& rule) {
        return plastic_sequence(rule, activation_, in_time, drive, plastic, alpha_.tensor(),
                                parameters);
      },
      rule_);
  return {transpose(sequence.answers, {1, 0, 2}), sequence.plastic};
}

Tensor DifferentiablePlasticity::forward(const Tensor& x) {
  const Tensor sequence = run(x).sequence;
  if (answer_ == RecurrentAnswer::sequence) return sequence;
  if (sequence.shape(1) == 0) {
    fail<ShapeError>("[{}] expected at least one step for the last answer, got shape {}", kType,
                     x.shape());
  }
  return select(sequence, 1, -1);
}

void DifferentiablePlasticityKind::keys(ConfigVisitor& v) {
  v.integer(kSizeKey, size, kNeurons);
  v.choice({"rule", "how plastic weights change at a tick"},
           choice_of({"hebbian", "oja", "abcd"}, rule, differentiable_rule_from_name));
  v.number({"alpha", "share of the plastic weights that each connection begins with"}, alpha,
           {-1e6, 1e6});
  v.flag({"plasticity", "whether it is plastic; without, alpha is 0 and is not trained"},
         plasticity);
  v.number({"rate", "rate of the rule that training begins with"}, rate, {-1e6, 1e6});
  v.choice({"activation", "what a neuron makes of its drive"}, activations(options.activation));
  v.choice(kAnswerKey, recurrent_answers(options.answer));
}

void DifferentiablePlasticityKind::add_to(const ModulePlace& place) const {
  place.expect_axes(2, "[steps, features]");
  DifferentiablePlasticityOptions here = placed(options, place);
  here.rule = rule;
  here.alpha.start = plasticity ? alpha : 0.0;
  here.alpha.trained = plasticity;
  here.parameters["rate"].start = rate;
  place.net.add<DifferentiablePlasticity>(place.features(), size, here);
}

}  // namespace gaia
