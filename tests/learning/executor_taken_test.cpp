// SPDX-License-Identifier: MIT
/// \file
/// Which executor a rule that is text really runs by: counted by how often all weights are gone
/// over, once a tick and stream stepwise, once a chunk chunkwise.
#include "../../cpu/equations.h"
#include "../../src/array/create.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/learning/rule_execution.h"
#include "../support/catch.h"
#include "equation_rules.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kNeurons = 6;
constexpr std::int64_t kInputs = 9;
constexpr std::int64_t kTicks = 70;

struct Sweeps {
  std::int64_t stepwise;
  std::int64_t chunkwise;
};

Sweeps sweeps_of(HebbianLayer& layer, std::int64_t streams, bool learns = true) {
  TickSignals signals;
  for (const std::string& column : layer.signal_columns()) {
    signals[column] = zeros({streams, kTicks}, DType::float64);
  }
  layer.read_signals(signals);
  const cpu::EquationSweeps& count = cpu::equation_sweeps();
  const Sweeps before{count.stepwise, count.chunkwise};
  layer.process(random_normal({streams, kTicks, kInputs}, 0.0, 0.3, DType::float64, {3, 1}),
                learns);
  return {count.stepwise - before.stepwise, count.chunkwise - before.chunkwise};
}

/// Rules of every kind, those that go back to the inputs among them.
std::vector<RuleCase> all_cases() {
  std::vector<RuleCase> cases = rule_cases(static_cast<int>(kNeurons));
  for (const char* const text : {"dw = 0.01*y*(x - back(y))", "dw = 0.01*y*(x - back_upto(y))",
                                 "dw = 0.01*y*x*w*(1 - w)", "dw = 0.01*exp(-w)"}) {
    cases.push_back({.name = text, .equations = text, .options = {}, .rule = {}});
  }
  return cases;
}

}  // namespace

TEST_CASE("weights are gone over once a chunk where a rule is told to run chunkwise") {
  std::int64_t chunkwise = 0;
  std::int64_t stepwise = 0;
  for (const RuleCase& rule : all_cases()) {
    for (const Executor asked : {Executor::chunkwise, Executor::stepwise}) {
      for (const Normalization normalization : {Normalization::none, Normalization::l2}) {
        for (const bool bounded : {false, true}) {
          for (const std::int64_t streams : {1, 3}) {
            for (const std::int64_t chunk : {32, 7}) {
              const HebbianOptions options{
                  .rule = EquationRule(rule.equations, rule.options),
                  .control = {.normalization = normalization},
                  .bounds = bounded ? std::optional(WeightBounds{-1.0, 1.0}) : std::nullopt,
                  .executor = asked,
                  .chunk = chunk,
                  .dtype = DType::float64,
                  .random = {3, 2}};
              HebbianLayer layer(kInputs, kNeurons, options);
              const Sweeps made = sweeps_of(layer, streams);
              const RuleExecution told = execution_of(
                  {.plasticity = layer.plasticity(), .is_bounded = bounded, .streams = streams});
              const bool goes_back = rule.equations.find("back") != std::string::npos;
              INFO(rule.name << ": " << told.text() << ", " << streams << " streams, chunk "
                             << chunk);
              if (told.executor == "chunkwise") {
                ++chunkwise;
                CHECK(made.stepwise == 0);
                const std::int64_t length = std::max<std::int64_t>(1, chunk / streams);
                const std::int64_t chunks = (kTicks + length - 1) / length;
                // Where something goes back, chunks may be longer than asked for.
                CHECK(made.chunkwise >= (goes_back ? 1 : chunks));
                CHECK(made.chunkwise <= chunks);
              } else {
                ++stepwise;
                CHECK(made.chunkwise == 0);
                CHECK(made.stepwise == streams * kTicks);
              }
              // What is reported is what docs/rules.md says of the class.
              CHECK((told.executor == "stepwise") == !told.executor_why.empty());
              if (told.rule_class == "weights" || bounded || asked == Executor::stepwise) {
                CHECK(told.executor == "stepwise");
              }
              const bool is_plain = !bounded && normalization == Normalization::none &&
                                    streams == 1 && asked == Executor::chunkwise;
              const bool learns = rule.equations.find("dw") != std::string::npos;
              const bool remembers_all =
                  rule.equations.find("de =") != std::string::npos && goes_back;
              if (is_plain && told.rule_class == "matrix" && learns && !remembers_all) {
                CHECK((told.executor == "chunkwise") == rule.chunkwise);
              }
            }
          }
        }
      }
    }
  }
  CHECK(chunkwise > 50);
  CHECK(stepwise > 50);
}

TEST_CASE("where nothing learns no executor goes over the weights to change them") {
  HebbianLayer layer(kInputs, kNeurons,
                     {.rule = EquationRule("dw = 0.01*y*(x - y*w)"), .dtype = DType::float64});
  const Sweeps made = sweeps_of(layer, 1, false);
  CHECK(made.chunkwise == 0);
  CHECK(made.stepwise == 0);
}
