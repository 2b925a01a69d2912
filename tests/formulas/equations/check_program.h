// SPDX-License-Identifier: MIT
/// \file
/// What every program promises its executors (src/formulas/equations/program.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../../src/formulas/equations/evaluate.h"
#include "../../../src/formulas/equations/program.h"

namespace gaia::test {

/// Goes through a program with the set of places that hold something.
class ProgramCheck {
 public:
  explicit ProgramCheck(const EquationProgram& program) : program_(program) {}

  /// What does not hold, or nothing.
  std::string run() {
    constants();
    tick(program_.still);
    tick(program_.learning);
    update();
    for (std::size_t i = 0; i < program_.memories.size(); ++i) {
      const EquationPlace old = neuron(EquationProgram::kFirstMemory + i);
      expect(program_.still.memory[i] == old || program_.learning.memory[i] != old,
             "a memory that stays when learning stays when still");
    }
    return wrong_;
  }

 private:
  using Of = EquationPlace::Of;

  void expect(bool holds, const char* what) {
    if (!holds && wrong_.empty()) wrong_ = what;
  }

  static EquationPlace neuron(std::size_t index) {
    return {Of::neuron, static_cast<std::uint16_t>(index)};
  }

  std::size_t count(Of of) const {
    if (of == Of::constant) return program_.constants.size();
    if (of == Of::layer) return program_.layer_places;
    return of == Of::neuron ? program_.neuron_places : program_.vector_places;
  }

  std::size_t inputs(Of of) const {
    std::size_t of_neurons = 0;
    for (const EquationSignal& signal : program_.signals) of_neurons += signal.of_neurons;
    const std::size_t of_layer = program_.signals.size() - of_neurons;
    if (of == Of::layer) return EquationProgram::kFirstLayerSignal + of_layer;
    if (of == Of::neuron) {
      return program_.first_neuron_signal() + of_neurons + program_.draws.size();
    }
    return EquationProgram::kFirstTrace + program_.traces.size() + program_.backs.size();
  }

  bool is_set(const EquationPlace& place) const {
    return place.index < count(place.of) &&
           (place.of == Of::constant || place.index < inputs(place.of) ||
            set_.count({place.of, place.index}) != 0);
  }

  void step(const EquationStep& step) {
    const EquationPlace operands[] = {step.a, step.b, step.c};
    for (int i = 0; i < operand_count(step.op); ++i) {
      expect(is_set(operands[i]), "a place is written before it is read");
      expect(operands[i] != step.result, "no step writes where it reads");
      expect(operands[i].of <= step.result.of || crosses_layer(step.op),
             "an operand is not of more than the result");
    }
    expect(step.result.index < count(step.result.of), "a place is one of those that there are");
    expect(step.result.index >= inputs(step.result.of), "no step writes to an input");
    set_.insert({step.result.of, step.result.index});
  }

  void constants() {
    const std::vector<double> parameters(program_.parameters.size(), 1.0);
    std::size_t known = program_.constants.size() - program_.constant_steps.size();
    expect(known >= EquationProgram::kFirstParameter + parameters.size(),
           "there are constants for the parameters");
    for (const EquationStep& step : program_.constant_steps) {
      const EquationPlace operands[] = {step.a, step.b, step.c};
      for (int i = 0; i < operand_count(step.op); ++i) {
        expect(operands[i].of == Of::constant && operands[i].index < known,
               "constants are made of constants before them");
      }
      expect(step.result.of == Of::constant && step.result.index == known++,
             "constants are made in order");
    }
    expect(program_.bound_constants(parameters, 3, 2, true).size() == program_.constants.size(),
           "all constants have values");
  }

  void tick(const EquationTick& tick) {
    set_.clear();
    for (const EquationStep& one : tick.steps) {
      expect(one.result.of == Of::layer || one.result.of == Of::neuron,
             "steps of a tick are numbers");
      const bool to_neurons = crosses_layer(one.op) && one.result.of == Of::neuron;
      expect(!to_neurons || one.a.of == Of::neuron, "what crosses the layer reads neurons");
      step(one);
    }
    const EquationPlace activated = neuron(EquationProgram::kActivated);
    expect(tick.output.of == Of::neuron && is_set(tick.output), "the output is of neurons");
    expect(tick.output == activated || tick.output.index >= inputs(Of::neuron),
           "the output lies in no input but f(z)");
    expect(tick.memory.size() == program_.memories.size(), "every memory has a new value");
    for (std::size_t i = 0; i < tick.memory.size(); ++i) {
      const EquationPlace place = tick.memory[i];
      expect(place.of == Of::neuron && is_set(place), "memories are of neurons");
      expect(
          place == neuron(EquationProgram::kFirstMemory + i) || place.index >= inputs(Of::neuron),
          "the new value of a memory lies in no input but its old one");
    }
  }

  void terms(const std::vector<EquationTerm>& terms) {
    std::set<std::pair<EquationVector::Kind, std::uint16_t>> seen;
    for (const EquationTerm& term : terms) {
      expect(is_set(term.factor) && term.factor.of != Of::vector, "factors are numbers");
      expect(seen.insert({term.vector.kind, term.vector.index}).second,
             "each vector is there once");
      const bool trace = term.vector.kind == EquationVector::Kind::trace;
      const bool back = term.vector.kind == EquationVector::Kind::back;
      const std::size_t most = trace ? program_.traces.size() : back ? program_.backs.size() : 1;
      expect(term.vector.index < most, "a vector is one of those that there are");
    }
  }

  /// With the places of the tick that learns.
  void update() {
    for (const EquationBack& back : program_.backs) {
      expect(back.factors.of == Of::neuron && is_set(back.factors),
             "factors of a back are of neurons");
    }
    const bool is_matrix = program_.rule_class == EquationProgram::Class::matrix;
    expect(is_matrix || (program_.dw_terms.empty() && program_.de_terms.empty()),
           "there are sums of class matrix alone");
    expect(!is_matrix || program_.dw_terms.empty() == !program_.dw, "a sum for every dw");
    expect(!is_matrix || program_.de_terms.empty() == !program_.de, "a sum for every de");
    expect(program_.has_eligibility == program_.de.has_value(), "eligibility is what de changes");
    expect(!program_.why.empty(), "the class has a reason");
    terms(program_.dw_terms);
    terms(program_.de_terms);
    for (const EquationStep& one : program_.vector_steps) {
      expect(one.result.of == Of::vector && !crosses_layer(one.op), "vector steps make vectors");
      step(one);
    }
    if (program_.dw) expect(is_set(*program_.dw), "dw is made");
    if (program_.de) expect(is_set(*program_.de), "de is made");
  }

  const EquationProgram& program_;
  std::set<std::pair<Of, std::uint16_t>> set_;
  std::string wrong_;
};

/// What a program does not keep of what it promises, or nothing.
inline std::string broken_promise(const EquationProgram& program) {
  return ProgramCheck(program).run();
}

}  // namespace gaia::test
