// SPDX-License-Identifier: MIT
#include "text_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "../core/message.h"
#include "../formulas/elementwise.h"
#include "../formulas/equations/evaluate.h"
#include "../formulas/equations/known_names.h"
#include "../formulas/equations/language.h"
#include "../formulas/equations/problem_list.h"
#include "../formulas/equations/syntax.h"

namespace gaia {
namespace text_model {

/// A number that a text makes: one that is there before, or op of others.
struct TextStep {
  EquationOp op = EquationOp::copy;
  std::array<std::uint32_t, 3> operands = {};  // places
};

/// Numbers lie in places: states, t, parameters, literals, then one for each step.
struct TextProgram {
  std::vector<double> constants;       // literals behind states, t and parameters
  std::vector<TextStep> steps;         // to the places behind these
  std::vector<std::string> targets;    // in the order of their first assignments
  std::vector<std::uint32_t> results;  // places of their last values
};

}  // namespace text_model

namespace {

using namespace equation_language;
using text_model::TextProgram;
using text_model::TextStep;

/// Derivatives by a, b and c of op(a, b, c), which is y.
std::array<double, 3> slopes(EquationOp op, double a, double b, double y) {
  switch (op) {
    case EquationOp::copy:
      return {1.0, 0.0, 0.0};
    case EquationOp::negate:
      return {-1.0, 0.0, 0.0};
    case EquationOp::add:
      return {1.0, 1.0, 0.0};
    case EquationOp::subtract:
      return {1.0, -1.0, 0.0};
    case EquationOp::multiply:
      return {b, a, 0.0};
    case EquationOp::divide:
      return {1.0 / b, -a / (b * b), 0.0};
    case EquationOp::power:
      return {b == 0.0 ? 0.0 : b * std::pow(a, b - 1.0), a == 0.0 ? 0.0 : y * std::log(a), 0.0};
    case EquationOp::where:
      return a != 0.0 ? std::array{0.0, 1.0, 0.0} : std::array{0.0, 0.0, 1.0};
    case EquationOp::exp:
      return {Exp{}.slope(a, y), 0.0, 0.0};
    case EquationOp::log:
      return {Log{}.slope(a, y), 0.0, 0.0};
    case EquationOp::sqrt:
      return {Sqrt{}.slope(a, y), 0.0, 0.0};
    case EquationOp::abs:
      return {Abs{}.slope(a, y), 0.0, 0.0};
    case EquationOp::tanh:
      return {Tanh{}.slope(a, y), 0.0, 0.0};
    case EquationOp::sigmoid:
      return {Sigmoid{}.slope(a, y), 0.0, 0.0};
    case EquationOp::relu:
      return {Relu{}.slope(a, y), 0.0, 0.0};
    case EquationOp::sin:
      return {Sin{}.slope(a, y), 0.0, 0.0};
    case EquationOp::cos:
      return {Cos{}.slope(a, y), 0.0, 0.0};
    case EquationOp::minimum:
    case EquationOp::maximum: {
      const double first = a == b ? 0.5 : (a == y ? 1.0 : 0.0);
      return {first, 1.0 - first, 0.0};
    }
    default:  // signs, roundings and comparisons, which stay as they are nearly everywhere
      return {0.0, 0.0, 0.0};
  }
}

/// What one text comes to.
class Reader {
 public:
  /// `states` may be read from the start; a text that has none makes them by its assignments.
  Reader(const std::string& key, const std::string& text, const std::vector<std::string>* states,
         const std::vector<std::pair<std::string, double>>& parameters,
         std::vector<bool>& parameters_read)
      : parameters_(parameters),
        parameters_read_(parameters_read),
        problems_(text, key, "[text model] " + key) {
    const SyntaxTree tree = parse_equations(text, problems_);
    if (tree.statements.empty() && problems_.empty()) {
      problems_.at(0, "expected one assignment a line, such as x = 0.9*x, got a text without any");
    }
    find_targets(tree);
    const std::vector<std::string>& known = states == nullptr ? program_.targets : *states;
    if (states != nullptr) {
      for (const std::string& name : program_.targets) {
        if (std::find(known.begin(), known.end(), name) == known.end()) continue;
        problems_.at(offset_of(tree, name),
                     message("'{}' is a state; give what is observed a name of its own", name));
      }
    }
    places_ = 0;
    for (const std::string& name : known) place_of_[name] = places_++;
    place_of_["t"] = places_++;
    for (const auto& [name, value] : parameters_) {
      if (states != nullptr) {
        // The other text has complained of them already.
      } else if (!is_name(name)) {
        problems_.of_key("parameters." + name, "is not a name");
      } else if (name == "t" || function_named(name) != nullptr || is_operator_word(name) ||
                 std::find(known.begin(), known.end(), name) != known.end()) {
        problems_.of_key("parameters." + name,
                         message("'{}' is a name of the text already; choose another", name));
      }
      place_of_.emplace(name, places_++);
    }
    for (const SyntaxNode& node : tree.nodes) {
      if (node.kind == SyntaxNode::Kind::number) program_.constants.push_back(node.value);
    }
    first_literal_ = places_;
    places_ += static_cast<std::uint32_t>(program_.constants.size());
    for (const SyntaxStatement& statement : tree.statements) read(tree, statement);
    if (!problems_.empty()) return;
    for (const std::string& name : program_.targets) {
      program_.results.push_back(place_of_.at(name));
    }
  }

  const std::vector<std::string>& targets() const { return program_.targets; }
  TextProgram program() { return std::move(program_); }
  /// What is wrong with the text.
  std::optional<EquationError> error() const {
    try {
      problems_.throw_if_any();
    } catch (const EquationError& error) {
      return error;
    }
    return std::nullopt;
  }

 private:
  void find_targets(const SyntaxTree& tree) {
    for (const SyntaxStatement& statement : tree.statements) {
      const std::string name(statement.target);
      std::vector<std::string>& targets = program_.targets;
      if (std::find(targets.begin(), targets.end(), name) != targets.end()) continue;
      targets.push_back(name);
      const bool is_parameter =
          std::any_of(parameters_.begin(), parameters_.end(),
                      [&](const auto& parameter) { return parameter.first == name; });
      if (is_parameter || name == "t" || function_named(name) != nullptr ||
          is_operator_word(name)) {
        problems_.at(statement.target_span.begin,
                     message("'{}' is {} and cannot be assigned; choose another name", name,
                             is_parameter  ? "a parameter"
                             : name == "t" ? "the index of the tick"
                                           : "a word of the language"));
      }
    }
  }

  static std::size_t offset_of(const SyntaxTree& tree, const std::string& target) {
    for (const SyntaxStatement& statement : tree.statements) {
      if (statement.target == target) return statement.target_span.begin;
    }
    return 0;
  }

  void read(const SyntaxTree& tree, const SyntaxStatement& statement) {
    if (!statement.whole()) return;
    place_of_node_.resize(tree.nodes.size());
    for (std::uint32_t i = statement.first; i < statement.end; ++i) {
      place_of_node_[i] = place_of(tree.nodes[i]);
    }
    place_of_[std::string(statement.target)] = place_of_node_[statement.end - 1];
  }

  std::uint32_t place_of(const SyntaxNode& node) {
    switch (node.kind) {
      case SyntaxNode::Kind::number:
        return first_literal_ + literals_++;
      case SyntaxNode::Kind::name:
        return named(node);
      case SyntaxNode::Kind::call:
        return call(node);
      case SyntaxNode::Kind::operation:
        break;
    }
    return step(node, node.op);
  }

  std::uint32_t named(const SyntaxNode& node) {
    const std::string name(node.name);
    const auto found = place_of_.find(name);
    if (found == place_of_.end()) {
      std::vector<std::string> known;
      for (const auto& [other, place] : place_of_) known.push_back(other);
      problems_.at(node.span.begin,
                   message("unknown name '{}'{}", name, nearest_and_known(name, known)));
      return 0;
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].first == name) parameters_read_[i] = true;
    }
    return found->second;
  }

  std::uint32_t call(const SyntaxNode& node) {
    const std::string name(node.name);
    const Function* const function = function_named(name);
    if (function == nullptr) {
      problems_.at(node.span.begin, message("unknown function '{}'{}", name,
                                            nearest_and_known(name, function_names())));
      return 0;
    }
    if (function->form != Function::Form::plain) {
      problems_.at(node.span.begin,
                   message("{} goes over the neurons of a layer or draws; a model of a state has "
                           "functions of its numbers alone",
                           function->usage));
      return 0;
    }
    if (node.argument_count != static_cast<std::uint32_t>(function->arguments)) {
      problems_.at(node.span.begin, message("{} takes {} arguments, but {} come", function->usage,
                                            function->arguments, node.argument_count));
      return 0;
    }
    return step(node, function->op);
  }

  std::uint32_t step(const SyntaxNode& node, EquationOp op) {
    TextStep made{op, {}};
    for (int i = 0; i < operand_count(op); ++i) {
      const auto at = static_cast<std::size_t>(i);
      made.operands[at] = place_of_node_[node.operands[at]];
    }
    program_.steps.push_back(made);
    return places_++;
  }

  const std::vector<std::pair<std::string, double>>& parameters_;
  std::vector<bool>& parameters_read_;
  ProblemList problems_;
  TextProgram program_;
  std::map<std::string, std::uint32_t> place_of_;
  std::vector<std::uint32_t> place_of_node_;
  std::uint32_t places_ = 0;
  std::uint32_t first_literal_ = 0;
  std::uint32_t literals_ = 0;
};

/// What a program comes to for states x: values, and their derivatives by x where `jacobian` is not
/// empty.
void evaluate_program(const TextProgram& program, std::span<const double> x, double t,
                      std::span<const double> parameters, std::span<double> results,
                      std::span<double> jacobian) {
  const std::size_t n = x.size();
  // Room for one state after the other: filters ask for thousands of them at a tick.
  thread_local std::vector<double> values;
  thread_local std::vector<double> slopes_of;
  values.assign(x.begin(), x.end());
  values.push_back(t);
  values.insert(values.end(), parameters.begin(), parameters.end());
  values.insert(values.end(), program.constants.begin(), program.constants.end());
  const std::size_t first = values.size();
  values.resize(first + program.steps.size());
  const bool derives = !jacobian.empty();
  slopes_of.assign(derives ? values.size() * n : 0, 0.0);
  for (std::size_t i = 0; derives && i < n; ++i) slopes_of[i * n + i] = 1.0;
  for (std::size_t k = 0; k < program.steps.size(); ++k) {
    const TextStep& step = program.steps[k];
    const double a = values[step.operands[0]];
    const double b = values[step.operands[1]];
    const double c = values[step.operands[2]];
    const double y = evaluate(step.op, a, b, c);
    values[first + k] = y;
    if (!derives) continue;
    const std::array<double, 3> by = slopes(step.op, a, b, y);
    double* const to = slopes_of.data() + (first + k) * n;
    for (int operand = 0; operand < operand_count(step.op); ++operand) {
      const auto at = static_cast<std::size_t>(operand);
      const double* const from = slopes_of.data() + step.operands[at] * n;
      // A slope that is not finite does no harm where nothing moves.
      for (std::size_t i = 0; i < n; ++i) {
        if (from[i] != 0.0) to[i] += by[at] * from[i];
      }
    }
  }
  for (std::size_t r = 0; r < program.results.size(); ++r) {
    results[r] = values[program.results[r]];
    if (!derives) continue;
    std::copy_n(slopes_of.data() + program.results[r] * n, n, jacobian.data() + r * n);
  }
}

}  // namespace

struct TextModel::Compiled {
  text_model::TextProgram state;
  text_model::TextProgram observation;
  std::vector<double> parameters;
};

TextModel::TextModel(const TextModelOptions& options) : compiled_(std::make_unique<Compiled>()) {
  std::vector<bool> read(options.parameters.size());
  Reader state("state", options.state, nullptr, options.parameters, read);
  Reader observation("observation", options.observation, &state.targets(), options.parameters,
                     read);
  std::string all;
  std::vector<EquationProblem> problems;
  const auto add = [&](const std::string& what, const std::vector<EquationProblem>& more) {
    all += (all.empty() ? "" : "\n") + what;
    problems.insert(problems.end(), more.begin(), more.end());
  };
  for (const Reader* const reader : {&state, &observation}) {
    if (const auto error = reader->error()) add(error->what(), error->problems());
  }
  const bool are_whole = problems.empty();  // else what is wrong may be the name that is read
  for (std::size_t i = 0; i < read.size(); ++i) {
    const auto& [name, value] = options.parameters[i];
    const auto refuse = [&](const std::string& why) {
      add(message("[text model] parameters.{}: {}", name, why),
          {{"parameters." + name, 0, 0, why}});
    };
    if (are_whole && !read[i]) {
      refuse("expected a name that a text reads, got one that neither does");
    }
    if (!std::isfinite(value)) refuse(message("expected a finite number, got {}", value));
    compiled_->parameters.push_back(value);
  }
  if (!problems.empty()) throw EquationError(all, std::move(problems));
  compiled_->state = state.program();
  compiled_->observation = observation.program();
}

TextModel::TextModel(const TextModel& other)
    : compiled_(std::make_unique<Compiled>(*other.compiled_)) {}

TextModel::~TextModel() = default;

std::int64_t TextModel::states() const { return std::ssize(compiled_->state.targets); }
std::int64_t TextModel::observed() const { return std::ssize(compiled_->observation.targets); }
const std::vector<std::string>& TextModel::observation_names() const {
  return compiled_->observation.targets;
}

void TextModel::step(std::span<double> x, double t, std::span<double> jacobian) const {
  // What is written is read no more: the values of x are copied first.
  evaluate_program(compiled_->state, x, t, compiled_->parameters, x, jacobian);
}

void TextModel::observe(std::span<const double> x, double t, std::span<double> y,
                        std::span<double> jacobian) const {
  evaluate_program(compiled_->observation, x, t, compiled_->parameters, y, jacobian);
}

}  // namespace gaia
