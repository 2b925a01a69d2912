// SPDX-License-Identifier: MIT
#include <random>

#include "../../../src/formulas/equations/equations.h"
#include "../../support/catch.h"
#include "check_program.h"
#include "rules.h"

namespace gaia::test {
namespace {

bool is_near(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(a) + std::abs(b));
}

void check_near(const Numbers& got, const Numbers& expected, const std::string& what, int tick) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (is_near(got[i], expected[i])) continue;
    FAIL_CHECK(what << "[" << i << "] at tick " << tick << ": " << got[i] << ", not "
                    << expected[i]);
    return;
  }
}

Layer first_layer(const Rule& rule, const EquationProgram& program, std::mt19937& random) {
  std::uniform_real_distribution<double> weight(-0.7, 0.9);
  Layer layer;
  const std::size_t size = Layer::kNeurons * Layer::kInputs;
  for (std::size_t k = 0; k < size; ++k) layer.weights.push_back(weight(random));
  layer.eligibility.assign(size, 0.0);
  for (const EquationMemory& memory : program.memories) {
    layer.memory[memory.name].assign(Layer::kNeurons, 0.0);
  }
  for (const auto& [name, initial] : rule.memory) {
    layer.memory.at(name).assign(Layer::kNeurons, initial);
  }
  for (const auto& trace : rule.traces) layer.traces[trace.first].assign(Layer::kInputs, 0.0);
  return layer;
}

void next_input(Layer& layer, const Rule& rule, int tick, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  layer.in.x.clear();
  layer.in.signals.clear();
  for (std::size_t j = 0; j < Layer::kInputs; ++j) layer.in.x.push_back(number(random));
  for (const EquationText::Signal& signal : rule.signals) {
    Numbers values(signal.of_neurons ? Layer::kNeurons : 1);
    for (double& value : values) value = number(random);
    layer.in.signals.push_back(values);
  }
  layer.in.draws.assign(4, Numbers(Layer::kNeurons));
  for (Numbers& draw : layer.in.draws) {
    for (double& value : draw) value = number(random);
  }
  layer.in.t = tick;
  layer.in.learns = tick % 4 != 2;
}

/// A tick of the rule in C++, with what is the same for all rules.
void tick_by_function(Layer& layer, const Rule& rule) {
  for (const auto& [name, tau] : rule.traces) {
    const double ticks = std::holds_alternative<double>(tau) ? std::get<double>(tau)
                                                             : layer.p(std::get<std::string>(tau));
    for (std::size_t j = 0; j < Layer::kInputs; ++j) {
      double& trace = layer.traces.at(name)[j];
      trace = std::exp(-1 / ticks) * trace + layer.x(j);
    }
  }
  layer.y.assign(Layer::kNeurons, 0.0);
  layer.change.assign(layer.weights.size(), 0.0);
  layer.eligibility_change.assign(layer.weights.size(), 0.0);
  std::map<std::string, Numbers> before = layer.memory;
  rule.tick(layer);
  if (!layer.in.learns) {
    for (const std::string& name : rule.goes_on) before.at(name) = layer.memory.at(name);
    layer.memory = before;
    return;
  }
  for (std::size_t k = 0; k < layer.weights.size(); ++k) {
    layer.weights[k] += layer.change[k];
    layer.eligibility[k] += layer.eligibility_change[k];
  }
}

void check(const Rule& rule) {
  INFO(rule.equations);
  const EquationProgram program = compile_equations(text_of(rule));
  CHECK(broken_promise(program) == "");
  CHECK((program.rule_class == EquationProgram::Class::matrix) == rule.is_matrix);
  std::mt19937 random(7);
  Layer layer = first_layer(rule, program, random);
  Numbers parameters;
  for (const std::string& name : rule.parameters) parameters.push_back(layer.p(name));
  std::vector<Interpreter> runs = {
      {program, parameters, Layer::kInputs, layer.weights, Interpreter::Update::vector_steps}};
  if (rule.is_matrix) {
    runs.emplace_back(program, parameters, Layer::kInputs, layer.weights,
                      Interpreter::Update::sums);
  }
  for (Interpreter& run : runs) {
    for (std::size_t i = 0; i < program.memories.size(); ++i) {
      run.memory[i] = layer.memory.at(program.memories[i].name);
    }
  }
  for (int tick = 0; tick < 9; ++tick) {
    next_input(layer, rule, tick, random);
    tick_by_function(layer, rule);
    for (Interpreter& run : runs) {
      run.tick(layer.in);
      check_near(run.y, layer.y, "y", tick);
      check_near(run.w, layer.weights, "w", tick);
      check_near(run.e, layer.eligibility, "e", tick);
      for (std::size_t i = 0; i < program.memories.size(); ++i) {
        const std::string& name = program.memories[i].name;
        check_near(run.memory[i], layer.memory.at(name), name, tick);
      }
    }
  }
}

TEST_CASE("Lines, names and vectors of a rule mean what the design says") {
  for (const Rule& rule : rules_of_lines()) check(rule);
}

TEST_CASE("Operators and functions of a rule mean what the design says") {
  for (const Rule& rule : rules_of_functions()) check(rule);
}

TEST_CASE("Rules of the literature, written as text, are these rules") {
  for (const Rule& rule : rules_of_papers()) check(rule);
}

}  // namespace
}  // namespace gaia::test
