// SPDX-License-Identifier: MIT
// Random rules, each built as a text and, for comparison, as functions that compute the same.
#include <functional>

#include "../../../src/formulas/equations/equations.h"
#include "../../support/catch.h"
#include "check_program.h"
#include "interpreter.h"
#include "random_expressions.h"

namespace gaia::test {
namespace {

/// Lines with what each sets.
struct RandomRule {
  std::string text;
  std::vector<std::function<void(RandomWorld&)>> lines;
  std::size_t memories = 0;
};

RandomRule random_rule(ExpressionMaker& maker) {
  RandomRule rule;
  maker.memories = rule.memories = 1 + maker.below(3);
  maker.has_de = maker.below(2) == 0;
  std::vector<std::string> targets;
  for (std::size_t k = 0; k < rule.memories; ++k) targets.push_back("m" + std::to_string(k));
  targets.insert(targets.end(), {"y", "m0", "dw"});
  if (maker.has_de) targets.emplace_back("de");
  for (std::size_t i = targets.size(); i-- > 1;) std::swap(targets[i], targets[maker.below(i + 1)]);
  // Every name is read somewhere.
  rule.text = "used = p0 + p1 + p2 + reward + target\nanother = 0*used\n";
  for (const std::string& target : targets) {
    const bool changes = target[0] == 'd';
    RandomExpression made = maker.expression(3, changes);
    if (target == "dw") {
      made.text = "0*pre + (" + made.text + ")";
      made.binding = 5;
    }
    rule.text += target + " = " + made.text + "\n";
    rule.lines.push_back([=, value = made.value](RandomWorld& s) {
      Numbers result(kNeurons * kInputs);
      for (std::size_t i = 0; i < kNeurons; ++i) {
        for (std::size_t j = 0; j < kInputs; ++j) result[i * kInputs + j] = value(s, i, j);
      }
      if (target == "dw") {
        s.w.insert(s.w.end(), result.begin(), result.end());  // added when all lines are done
      } else if (target == "de") {
        for (std::size_t k = 0; k < result.size(); ++k) s.e[k] += result[k];
      } else {
        Numbers& numbers =
            target == "y" ? s.y : s.memory[static_cast<std::size_t>(target[1] - '0')];
        for (std::size_t i = 0; i < kNeurons; ++i) numbers[i] = result[i * kInputs];
      }
    });
  }
  return rule;
}

/// Whether `a` and `b` are the same but for rounding, which numbers as large as `scale` have had.
bool is_same(const Numbers& a, const Numbers& b, double scale) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= 1e-9 * (1 + scale))) return false;
  }
  return true;
}

enum class Outcome { same, different, undecided };

Outcome compare(const RandomRule& rule, const EquationProgram& program, ExpressionMaker& maker) {
  RandomWorld world;
  const auto fill = [&](std::size_t count) {
    Numbers numbers(count);
    for (double& one : numbers) one = maker.number(-1.5, 1.5);
    return numbers;
  };
  world.x = fill(kInputs);
  world.w = fill(kNeurons * kInputs);
  world.e = fill(kNeurons * kInputs);
  world.pre = fill(kInputs);
  world.target = fill(kNeurons);
  world.reward = maker.number(-1, 1);
  world.t = 3;
  for (std::size_t k = 0; k < rule.memories; ++k) world.memory.push_back(fill(kNeurons));
  TickInput in{.x = world.x, .signals = {{world.reward}, world.target}, .learns = true, .t = 3};
  std::vector<Interpreter> runs;
  for (const auto update : {Interpreter::Update::vector_steps, Interpreter::Update::sums}) {
    if (update == Interpreter::Update::sums && program.rule_class != EquationProgram::Class::matrix)
      break;
    Interpreter run(program, kParameters, kInputs, world.w, update);
    run.e = world.e;
    run.traces = {world.pre};
    for (std::size_t k = 0; k < program.memories.size(); ++k) {
      const std::string& name = program.memories[k].name;
      if (name[0] == 'm') run.memory[k] = world.memory[static_cast<std::size_t>(name[1] - '0')];
    }
    run.tick(in);
    runs.push_back(std::move(run));
  }
  for (double& trace : world.pre) trace *= std::exp(-1 / 3.0);
  for (std::size_t j = 0; j < kInputs; ++j) world.pre[j] += world.x[j];
  for (std::size_t i = 0; i < kNeurons; ++i) {
    double z = 0;
    double square = 0;
    for (std::size_t j = 0; j < kInputs; ++j) {
      const double w = world.w[i * kInputs + j];
      z += w * world.x[j];
      square += w * w;
    }
    world.z.push_back(z);
    world.ww.push_back(square);
    world.y.push_back(std::tanh(z));
  }
  for (const auto& line : rule.lines) line(world);
  const std::size_t size = kNeurons * kInputs;
  for (std::size_t k = 0; k < size; ++k) world.w[k] += world.w[size + k];
  world.w.resize(size);
  const double scale = world.largest;
  if (!(scale < 1e3) || world.margin < 1e-4) return Outcome::undecided;
  for (const Interpreter& run : runs) {
    bool same = is_same(run.w, world.w, scale) && is_same(run.e, world.e, scale) &&
                is_same(run.y, world.y, scale);
    for (std::size_t k = 0; k < program.memories.size(); ++k) {
      const std::string& name = program.memories[k].name;
      if (name[0] != 'm') continue;
      same = same &&
             is_same(run.memory[k], world.memory[static_cast<std::size_t>(name[1] - '0')], scale);
    }
    if (!same) return Outcome::different;
  }
  return Outcome::same;
}

TEST_CASE("Random rules mean what the functions beside their text compute") {
  int decided = 0;
  int matrix = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    ExpressionMaker maker(seed);
    const RandomRule rule = random_rule(maker);
    const EquationProgram program = compile_equations(
        {.equations = rule.text,
         .parameters = {{"p0", kParameters[0]}, {"p1", kParameters[1]}, {"p2", kParameters[2]}},
         .traces = {{"pre", 3.0}},
         .signals = {{"reward", false}, {"target", true}}});
    INFO(seed << "\n" << rule.text);
    REQUIRE(broken_promise(program) == "");
    const Outcome outcome = compare(rule, program, maker);
    CHECK(outcome != Outcome::different);
    decided += outcome == Outcome::same;
    matrix += outcome == Outcome::same && program.rule_class == EquationProgram::Class::matrix;
  }
  // Enough of them are compared, of either class.
  CHECK(decided > 1000);
  CHECK(matrix > 200);
  CHECK(decided - matrix > 200);
}

}  // namespace
}  // namespace gaia::test
