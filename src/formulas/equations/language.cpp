// SPDX-License-Identifier: MIT
#include "language.h"

#include <algorithm>
#include <array>

namespace gaia::equation_language {
namespace {

using Form = Function::Form;
using Of = EquationPlace::Of;
using Program = EquationProgram;

constexpr std::array kFunctions = {
    Function{"exp", "exp(a)", 1, Form::plain, EquationOp::exp},
    Function{"log", "log(a)", 1, Form::plain, EquationOp::log},
    Function{"sqrt", "sqrt(a)", 1, Form::plain, EquationOp::sqrt},
    Function{"abs", "abs(a)", 1, Form::plain, EquationOp::abs},
    Function{"sign", "sign(a)", 1, Form::plain, EquationOp::sign},
    Function{"tanh", "tanh(a)", 1, Form::plain, EquationOp::tanh},
    Function{"sigmoid", "sigmoid(a)", 1, Form::plain, EquationOp::sigmoid},
    Function{"relu", "relu(a)", 1, Form::plain, EquationOp::relu},
    Function{"floor", "floor(a)", 1, Form::plain, EquationOp::floor},
    Function{"sin", "sin(a)", 1, Form::plain, EquationOp::sin},
    Function{"cos", "cos(a)", 1, Form::plain, EquationOp::cos},
    Function{"min", "min(a, b)", 2, Form::plain, EquationOp::minimum},
    Function{"max", "max(a, b)", 2, Form::plain, EquationOp::maximum},
    Function{"where", "where(c, a, b)", 3, Form::plain, EquationOp::where},
    Function{"sum", "sum(a)", 1, Form::summary, EquationOp::layer_sum},
    Function{"mean", "mean(a)", 1, Form::summary, EquationOp::layer_mean},
    Function{"largest", "largest(a)", 1, Form::summary, EquationOp::layer_largest},
    Function{"smallest", "smallest(a)", 1, Form::summary, EquationOp::layer_smallest},
    Function{"softmax", "softmax(a)", 1, Form::contest, EquationOp::softmax},
    Function{"rank", "rank(a)", 1, Form::contest, EquationOp::rank},
    Function{"kwta", "kwta(a, k)", 2, Form::contest, EquationOp::kwta},
    Function{"winner", "winner(a)", 1, Form::contest, EquationOp::winner},
    Function{"back", "back(a)", 1, Form::back},
    Function{"back_upto", "back_upto(a)", 1, Form::back},
    Function{"uniform", "uniform()", 0, Form::draw},
    Function{"normal", "normal()", 0, Form::draw},
};

constexpr std::array kQuantities = {
    Quantity{"w",
             Kind::vector,
             {Of::vector, Program::kWeights},
             "the weights change by dw; write dw = what w changes by"},
    Quantity{"x",
             Kind::vector,
             {Of::vector, Program::kSample},
             "it is the sample; give the result a name of its own"},
    Quantity{"e",
             Kind::vector,
             {Of::vector, Program::kEligibility},
             "it changes by de; write de = what e changes by"},
    Quantity{"z",
             Kind::of_neurons,
             {Of::neuron, Program::kDrive},
             "it is w·x; assign y, or give the result a name of its own"},
    Quantity{"ww",
             Kind::of_neurons,
             {Of::neuron, Program::kWeightSquare},
             "it is the sum of w^2; give the result a name of its own"},
    Quantity{"t",
             Kind::of_layer,
             {Of::layer, Program::kTick},
             "it is the index of the tick; give the result a name of its own"},
    Quantity{"xx",
             Kind::of_layer,
             {Of::layer, Program::kSquare},
             "it is the sum of x^2; give the result a name of its own"},
    Quantity{"n_in",
             Kind::of_layer,
             {Of::constant, Program::kInputs},
             "it is the number of inputs; give the result a name of its own"},
    Quantity{"n_out",
             Kind::of_layer,
             {Of::constant, Program::kOutputs},
             "it is the number of neurons; give the result a name of its own"},
    Quantity{"learning",
             Kind::of_layer,
             {Of::constant, Program::kLearning},
             "it is 1 where the tick learns, else 0; give the result a name of its own"},
};

template <class Entries>
auto entry_named(const Entries& entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return name == entry.name; });
  return found == entries.end() ? nullptr : &*found;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

const char* kind_text(Kind kind) {
  switch (kind) {
    case Kind::of_layer:
      return "a number of the layer";
    case Kind::of_neurons:
      return "a number of neurons";
    case Kind::vector:
      return "a vector";
  }
  return "";
}

const Function* function_named(std::string_view name) { return entry_named(kFunctions, name); }

const Quantity* quantity_named(std::string_view name) { return entry_named(kQuantities, name); }

bool is_operator_word(std::string_view name) {
  return name == "and" || name == "or" || name == "not";
}

bool is_heard(std::string_view name) { return name == kFromAbove || name == kPlainAnswer; }

std::optional<std::string> own_meaning(std::string_view name) {
  if (function_named(name) != nullptr) return "a function";
  if (const Quantity* quantity = quantity_named(name)) return kind_text(quantity->kind);
  if (name == "y") return "the neurons' answer";
  if (name == "dw") return "what w changes by";
  if (name == "de") return "what e changes by";
  if (is_operator_word(name)) return "an operator";
  if (name == kFromAbove) return "what comes from a level above";
  return std::nullopt;
}

bool is_name(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& function : kFunctions) names.emplace_back(function.name);
  return names;
}

std::vector<std::string> quantity_names() {
  std::vector<std::string> names = {"y"};
  for (const Quantity& quantity : kQuantities) names.emplace_back(quantity.name);
  return names;
}

}  // namespace gaia::equation_language
