// SPDX-License-Identifier: MIT
/// \file
/// Rules that are text through matrix products on the emulated GPU, compared with loops in float64
/// that were written from their equations, and with the CPU.
#include "../../cuda/equation_chunk_form.h"
#include "../../src/array/ops.h"
#include "../../src/array/precision.h"
#include "../emulator/blocks.h"
#include "../emulator/schedules.h"
#include "../learning/equation_draws.h"
#include "../learning/equation_runs.h"
#include "../support/emulated_device.h"
#include "../support/long_tests.h"

namespace gaia::test {
namespace {

namespace on_gpu = cuda::emulated;

/// Products wherever they can be, for a scope.
class ByProducts {
 public:
  explicit ByProducts(bool taken = true) { on_gpu::forced_equation_chunks() = taken; }
  ~ByProducts() { on_gpu::forced_equation_chunks().reset(); }
  ByProducts(const ByProducts&) = delete;
  ByProducts& operator=(const ByProducts&) = delete;
};

RuleOutcome by_products(const RuleCase& rule, const RuleSetting& setting, const RuleMaterial& data,
                        std::vector<int> pieces) {
  const ByProducts forced;
  const OnEmulatedDevice emulated;
  return by_gaia(rule, setting, data, std::move(pieces));
}

std::string told(const RuleCase& rule, const RuleSetting& setting) {
  return rule.name + ", " + std::to_string(setting.neurons) + " neurons, " +
         std::to_string(setting.inputs) + " inputs, " + std::to_string(setting.streams) +
         " streams, chunk " + std::to_string(setting.chunk);
}

void compare_chunks(const RuleCase& rule, const RuleSetting& setting, double tolerance) {
  const RuleMaterial data = material(rule, setting);
  INFO(told(rule, setting));
  const RuleOutcome expected = by_reference(rule, setting, data);
  const int first = setting.ticks * 2 / 3;
  CHECK(distance(by_products(rule, setting, data, {first, setting.ticks - first}), expected) <
        tolerance);
}

/// Whether a GPU takes this rule through products where that is forced.
bool goes_chunkwise(const RuleCase& rule, const RuleSetting& setting) {
  const EquationRule compiled(rule.equations, rule.options);
  return why_stepwise(compiled.program(), {.control = setting.control,
                                           .is_bounded = setting.bounds.has_value(),
                                           .streams = setting.streams,
                                           .has_chain = setting.chain.has_value()})
      .empty();
}

/// Rules by which something goes back, which have no loops of their own.
std::vector<RuleCase> back_cases() {
  std::vector<RuleCase> cases;
  for (const char* const text :
       {"dw = 0.02*y*(x - back(y))", "dw = 0.02*y*(x - back_upto(y))",
        "dw = 0.02*y*(x - back(y)) + 0.01*z*back_upto(0.5*y) - 0.01*w + 0.001",
        "m = 0.9*m + y\ny = tanh(z)\ndw = 0.02*m*(pre - back(y)) + 0.01*back(1)/n_out",
        "y = softmax(4*z)\ndw = 0.05*y*(x - back_upto(y))"}) {
    cases.push_back({.name = text, .equations = text, .options = {}, .rule = {}});
    if (cases.back().equations.find("pre") != std::string::npos) {
      cases.back().options.traces.emplace_back("pre", 4.0);
    }
  }
  return cases;
}

}  // namespace

TEST_CASE("Rules as text through products on a GPU do what loops do, over 200 ticks") {
  EveryNth some(3);
  int chunkwise = 0;
  for (const RuleCase& rule : rule_cases(11)) {
    for (const int streams : {1, 3}) {
      RuleSetting setting{.neurons = 11, .inputs = 13, .streams = streams, .ticks = 200};
      if (!goes_chunkwise(rule, setting)) continue;
      ++chunkwise;
      if (some.takes_next()) compare_chunks(rule, setting, 1e-12);
    }
  }
  CHECK(chunkwise > 20);
}

TEST_CASE("Rules as text through products on a GPU of sizes around those of warps and blocks") {
  EveryNth some(7);
  for (const auto& [neurons, inputs] : {std::pair{1, 1}, {8, 1}, {33, 32}, {65, 5}, {300, 2}}) {
    for (const RuleCase& rule : rule_cases(neurons)) {
      for (const int chunk : {1, 5, 8}) {
        if (!some.takes_next()) continue;
        compare_chunks(
            rule, {.neurons = neurons, .inputs = inputs, .streams = 2, .ticks = 9, .chunk = chunk},
            1e-12);
      }
    }
  }
}

TEST_CASE("Rules as text through products on a GPU under homeostasis and normalisation") {
  EveryNth some(7);
  for (const RuleCase& rule : rule_cases(11)) {
    for (const int streams : {1, 2}) {
      under_each_control({.neurons = 11, .inputs = 13, .streams = streams, .ticks = 70},
                         [&](const RuleSetting& setting) {
                           if (!goes_chunkwise(rule, setting)) return;
                           if (some.takes_next()) compare_chunks(rule, setting, 1e-11);
                         });
    }
  }
}

TEST_CASE("What goes back to the inputs goes through columns on a GPU as on the CPU") {
  EveryNth some(3);
  for (const RuleCase& rule : back_cases()) {
    for (const int neurons : {1, 31, 70, 33}) {
      for (const int inputs : {3, 37}) {
        if (!some.takes_next()) continue;
        RuleSetting setting{.neurons = neurons, .inputs = inputs, .ticks = 70, .spread = 0.2};
        INFO(told(rule, setting));
        REQUIRE(goes_chunkwise(rule, setting));
        const RuleMaterial data = material(rule, setting);
        setting.executor = Executor::stepwise;
        const RuleOutcome expected = by_gaia(rule, setting, data, {70});
        setting.executor = Executor::chunkwise;
        CHECK(distance(by_products(rule, setting, data, {50, 20}), expected) < 1e-12);
      }
    }
  }
}

TEST_CASE("Chains behind weights go through products on a GPU") {
  EveryNth some(3);
  for (const RuleCase& rule : rule_cases(11)) {
    if (!EquationRule(rule.equations, rule.options).program().dw) continue;
    for (const int streams : {1, 3}) {
      RuleSetting setting{.neurons = 11, .inputs = 13, .streams = streams, .ticks = 40};
      setting.chain = SynapseChain{.length = 5, .ratio = 1.7, .rate = 0.3};
      if (some.takes_next()) compare_chunks(rule, setting, 1e-12);
    }
  }
}

TEST_CASE("Rules as text through products on a GPU draw the CPU's numbers") {
  RuleSetting setting{.neurons = 11, .inputs = 13, .streams = 2, .ticks = 40};
  for (const RuleCase& rule : drawing_cases(setting.random)) compare_chunks(rule, setting, 1e-12);
}

TEST_CASE("A chunk ends where a length has lost its digits, and the rest goes step by step") {
  // What is taken away of weights along x leaves little of them, which unit length blows up.
  RuleSetting setting{.neurons = 37, .inputs = 3, .ticks = 50};
  setting.control.normalization = Normalization::l2;
  for (const char* const text :
       {"dw = -0.97*y*x/xx",
        "y = tanh(z)\nm = 0.9*m + y + 0.1*mean(y)\ndw = -0.99*z*x/xx + 0.1*m*x"}) {
    const RuleCase rule{text, text, {}, {}};
    INFO(text);
    const RuleMaterial data = material(rule, setting);
    setting.executor = Executor::stepwise;
    const RuleOutcome expected = by_gaia(rule, setting, data, {50});
    setting.executor = Executor::chunkwise;
    CHECK(distance(by_products(rule, setting, data, {40, 10}), expected) < 1e-9);
  }
}

TEST_CASE("Rules as text through products in float32, and the same bits whatever thread is ahead") {
  EveryNth some(3);
  std::vector<RuleCase> rules = rule_cases(40);
  for (const RuleCase& rule : back_cases()) rules.push_back(rule);
  for (const RuleCase& rule : rules) {
    if (!some.takes_next()) continue;
    const RuleSetting setting{.neurons = 40, .inputs = 13, .ticks = 20, .dtype = DType::float32};
    const RuleMaterial data = material(rule, setting);
    RuleOutcome first;
    for_each_schedule([&](const char* schedule) {
      const RuleOutcome found = by_products(rule, setting, data, {20});
      if (first.empty()) first = found;
      INFO(rule.name << ", " << schedule);
      CHECK(found == first);
    });
    INFO(rule.name);
    CHECK(distance(first, by_gaia(rule, setting, data, {20})) < 2e-5);
  }
}

TEST_CASE("Replicas under one text go through products at once, and each does what it does alone") {
  const ByProducts forced;
  const OnEmulatedDevice emulated;
  constexpr std::int64_t neurons = 9, inputs = 7, ticks = 20;
  for (const auto& [text, chain] : std::vector<std::pair<std::string, std::int64_t>>{
           {"m = 0.9*m + uniform()\ny = softmax(z)\ndw = rate*y*(x - w) + 0.001*m*pre", 0},
           {"de = y*pre - e/3\ndw = rate*e", 0},
           {"dw = rate*y*(x - back_upto(y)) + 0.001*pre", 0},
           {"dw = rate*y*x + 0.001*pre", 4}}) {
    INFO(text);
    std::vector<HebbianLayer> alone, together;
    for (std::uint64_t r = 0; r < 3; ++r) {
      HebbianOptions options{
          .rule = EquationRule(text, {.parameters = {{"rate", 0.01 * static_cast<double>(r + 1)}},
                                      .traces = {{"pre", 2.0 + static_cast<double>(r)}}}),
          .dtype = DType::float64,
          .random = {7, r}};
      if (chain > 0) options.chain = SynapseChain{.length = chain};
      alone.emplace_back(inputs, neurons, options);
      together.emplace_back(inputs, neurons, options);
    }
    const Array x = random_normal({3, ticks, inputs}, 0.0, 0.3, DType::float64, {3, 1});
    std::vector<Layer*> replicas;
    for (HebbianLayer& layer : together) replicas.push_back(&layer);
    const Array y = Array::uninitialized({3, ticks, neurons}, DType::float64);
    together[0].process_replicas(replicas, x, true, y);
    for (std::size_t r = 0; r < alone.size(); ++r) {
      const auto row = static_cast<std::int64_t>(r);
      CHECK(alone[r].process(x.slice(0, row, row + 1), true).to_vector<double>() ==
            y.slice(0, row, row + 1).to_vector<double>());
      const std::vector<NamedArray> expected = alone[r].arrays();
      const std::vector<NamedArray> found = together[r].arrays();
      for (std::size_t k = 0; k < expected.size(); ++k) {
        INFO(expected[k].name);
        CHECK(found[k].value.astype(DType::float64).to_vector<double>() ==
              expected[k].value.astype(DType::float64).to_vector<double>());
      }
    }
  }
}

TEST_CASE("A sample with NaN changes no answer before it through products on a GPU") {
  for (const char* const text : {"y = softmax(z)\ndw = 0.01*y*(x - w)", "dw = 0.01*y*(x - back(y))",
                                 "de = y*x - e/3\ndw = 0.1*e"}) {
    const ByProducts forced;
    const OnEmulatedDevice emulated;
    HebbianLayer layer(7, 5, {.rule = EquationRule(text), .dtype = DType::float64});
    const Array x = random_normal({1, 40, 7}, 0.0, 0.3, DType::float64, {3, 1});
    x.slice(1, 20, 21).fill(std::numeric_limits<double>::quiet_NaN());
    INFO(text);
    CHECK(first_not_finite(layer.process_unguarded(x, true)) == 20 * 5);
  }
}

TEST_CASE("A table of sizes says which layers go through products on a GPU") {
  const auto takes = [](const char* text, std::int64_t neurons, std::int64_t inputs,
                        std::int64_t replicas = 1, std::int64_t streams = 1,
                        std::int64_t ticks = 1000) {
    const EquationRule rule(text);
    EquationRun run;
    run.program = &rule.program();
    run.weights.dtype = DType::float32;
    run.weights.shape = {neurons, inputs};
    run.samples.shape = {streams, ticks, inputs};
    return on_gpu::takes_equation_chunks(run, replicas, {90, 132});
  };
  const char* const oja = "dw = 0.01*y*(x - y*w)";
  const char* const softhebb = "y = softmax(z)\ndw = 0.01*y*(x - w)";
  const char* const subspace = "dw = 0.01*y*(x - back(y))";
  CHECK_FALSE(takes(oja, 400, 784));
  CHECK(takes(oja, 400, 4096));      // a row is more than a warp holds
  CHECK(takes(oja, 8192, 2048));     // more than the chip holds
  CHECK(takes(oja, 400, 784, 300));  // arithmetic binds
  CHECK(takes(softhebb, 400, 784));
  CHECK(takes(subspace, 400, 784));
  CHECK_FALSE(takes(softhebb, 20, 60));
  CHECK_FALSE(takes(softhebb, 400, 784, 1, 1, 8));    // too few ticks
  CHECK_FALSE(takes(softhebb, 400, 784, 1, 64));      // too many streams
  CHECK_FALSE(takes(softhebb, 20000, 784));           // no block holds their numbers
  CHECK_FALSE(takes("dw = 0.01*y*x*w", 8192, 8192));  // class weights
  CHECK(takes(softhebb, 20, 60, 64));                 // replicas together
}

TEST_CASE("Attributes of a layer on a GPU say whether it goes through products") {
  const OnEmulatedDevice emulated;
  const auto told = [](const char* text, std::int64_t inputs, const char* asked) {
    const HebbianLayer layer(inputs, 150, {.rule = EquationRule(text)});
    for (const auto& [name, value] : layer.attributes()) {
      if (name == asked) return value;
    }
    return std::string();
  };
  const char* const softhebb = "y = softmax(z)\ndw = 0.01*y*(x - w)";
  CHECK(told(softhebb, 200, "executor") == "chunkwise");
  CHECK(told(softhebb, 200, "executor_why").empty());
  CHECK(told(softhebb, 20, "executor") == "stepwise");
  CHECK(
      told(softhebb, 20, "executor_why") ==
      "a GPU takes a layer of this size sample after sample, by a kernel that interprets the rule");
  CHECK(told("dw = 0.01*tanh(w)*y*x", 200, "executor_why").find("a GPU") == std::string::npos);
}

TEST_CASE("Products of rules as text are rounded where that is allowed and no length is carried") {
  const ByProducts forced;
  const OnEmulatedDevice emulated;
  const auto rounded = [](MatmulPrecision precision, Normalization normalization) {
    const MatmulPrecisionScope allowed(precision);
    HebbianLayer layer(7, 5,
                       {.rule = EquationRule("y = softmax(z)\ndw = 0.01*y*(x - w)"),
                        .control = {.normalization = normalization}});
    const std::int64_t before = emulator::rounded_products();
    layer.process(random_normal({1, 20, 7}, 0.0, 0.3, DType::float32, {3, 1}), true);
    return emulator::rounded_products() - before;
  };
  CHECK(rounded(MatmulPrecision::tf32, Normalization::none) > 0);
  CHECK(rounded(MatmulPrecision::full, Normalization::none) == 0);
  CHECK(rounded(MatmulPrecision::tf32, Normalization::l2) == 0);
}

}  // namespace gaia::test
