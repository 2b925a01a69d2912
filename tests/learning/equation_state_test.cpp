// SPDX-License-Identifier: MIT
/// Layers under rules that are text, compared with loops that were written from their equations.
#include "../../src/learning/equation_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../../src/core/parallel.h"
#include "../../src/formulas/equations/how_it_runs.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/log_capture.h"
#include "../support/long_tests.h"
#include "equation_runs.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("Rules as text do what loops written from their equations do") {
  for (const int neurons : {11, 61}) {
    for (const RuleCase& rule : rule_cases(neurons)) {
      for (const int streams : {1, 3}) {
        for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
          RuleSetting setting{.neurons = neurons, .streams = streams, .executor = executor};
          compare(rule, setting, 1e-12);
          setting.chunk = 7;
          compare(rule, setting, 1e-12);
          setting.dtype = DType::float32;
          compare(rule, setting, 2e-5);
        }
      }
      // Rows that are long enough to be vectors of their own.
      compare(rule, {.neurons = neurons, .inputs = 70, .executor = Executor::stepwise}, 1e-12);
    }
  }
}

DEVICE_TEST_CASE("Rules as text do on each device what loops written from their equations do") {
  EveryNth second(2);
  for (const RuleCase& rule : rule_cases(11)) {
    for (const int streams : {1, 3}) {
      if (!second.takes_next()) continue;
      compare(rule, {.neurons = 11, .streams = streams, .ticks = 35}, 1e-12);
    }
    if (!second.takes_next()) continue;
    compare(rule, {.neurons = 11, .ticks = 35, .dtype = DType::float32}, 2e-5);
  }
  // More than one processor of a GPU takes where neurons see each other.
  EveryNth third(3);
  for (const RuleCase& rule : rule_cases(61)) {
    const EquationRule text(rule.equations, rule.options);
    if (!sees_layer(text.program(), Activation::linear) || !third.takes_next()) continue;
    compare(rule, {.neurons = 61, .streams = 30, .ticks = 31}, 1e-12);
  }
}

TEST_CASE("Rules as text do the same where a tick has more samples than a chunk") {
  // Groups of streams that are full, one that is not, and a block of a single tick in two halves.
  for (const RuleCase& rule : rule_cases(21)) {
    for (const int streams : {33, 130}) {
      RuleSetting setting{.neurons = 21, .inputs = 13, .streams = streams, .ticks = 31};
      compare(rule, setting, 1e-12);
      if (streams == 33) {
        under_each_control(setting, [&](const RuleSetting& each) { compare(rule, each, 1e-11); });
      }
      setting.dtype = DType::float32;
      compare(rule, setting, 2e-5);
    }
    compare(rule, {.neurons = 21, .inputs = 13, .streams = 2, .ticks = 30, .chunk = 1}, 1e-12);
  }
}

TEST_CASE("Rules as text learn from events among zeros as from any samples") {
  for (const RuleCase& rule : rule_cases(61)) {
    for (const int streams : {1, 3}) {
      // Chunks with many events and with few.
      RuleSetting setting{
          .neurons = 61, .inputs = few_or_many(130, 400), .streams = streams, .chunk = 16};
      setting.events = rule.spikes ? 0.2 : 0.04;
      compare(rule, setting, 1e-12);
      setting.dtype = DType::float32;
      compare(rule, setting, 2e-5);
      setting.control.homeostasis = Homeostasis{.target = 0.2, .strength = 0.01};
      setting.dtype = DType::float64;
      compare(rule, setting, 1e-11);
    }
  }
}

TEST_CASE("Rules as text leave weights alone where nothing learns, and what y depends on goes on") {
  for (const RuleCase& rule : rule_cases(61)) {
    for (const int streams : {1, 2}) {
      const RuleSetting setting{.neurons = 61, .streams = streams, .learns = false};
      const RuleMaterial data = material(rule, setting);
      RuleOutcome expected = by_reference(rule, setting, data);
      RuleOutcome found = by_gaia(rule, setting, data, {41, 29});
      // Memories on which y does not depend, and the eligibility, are not as in the loops.
      for (const std::string name : {"eligibility", "theta", "y_mean", "post", "g"}) {
        expected.erase(name);
        found.erase(name);
      }
      Numbers w;
      for (const Numbers& row : data.w) w.insert(w.end(), row.begin(), row.end());
      expected["weights"] = w;
      INFO(rule.name << ", " << streams << " streams");
      CHECK(distance(found, expected) < 1e-12);
    }
  }
}

TEST_CASE("Rules as text under homeostasis, normalisation and bounds") {
  EveryNth third(3);
  for (const RuleCase& rule : rule_cases(61)) {
    for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
      for (const int streams : {1, 2}) {
        if (!third.takes_next()) continue;
        under_each_control({.neurons = 61, .streams = streams, .executor = executor},
                           [&](const RuleSetting& setting) { compare(rule, setting, 1e-11); });
      }
    }
  }
}

TEST_CASE("Memories that are kept go on where a trial begins, the others begin anew") {
  const MemoriesKept slow(std::vector<std::string>{"slow"});
  for (const auto& [kept, expected] :
       {std::pair(MemoriesKept(false), 104.0), {MemoriesKept(true), 306.0}, {slow, 304.0}}) {
    HebbianLayer layer(
        1, 1,
        {.rule = EquationRule("fast = fast + 1\nslow = slow + 1\n"
                              "y = fast + 100*slow\ndw = 0*x",
                              {.memory = {{"fast", 3.0}}, .memory_across_trials = kept})});
    layer.process(zeros({1, 2, 1}), true);
    layer.reset_state();
    CHECK(layer.process(zeros({1, 1, 1}), true).item() == expected);
  }
  CHECK_THROWS_WITH(
      EquationRule("fast = z\ndw = 0*x",
                   {.memory_across_trials = MemoriesKept(std::vector<std::string>{"fats"})}),
      Catch::Matchers::ContainsSubstring(
          "memory_across_trials: 'fats' is no memory of the equations (did you mean "
          "'fast'?); known: fast"));
  // The catalogue decides if nothing is said.
  CHECK(EquationRule("dw = 0*x", {.neuron = "lif_adaptive"}).memories_kept().names ==
        std::vector<std::string>{"raised"});
  CHECK(EquationRule("dw = 0*x", {.memory_across_trials = false, .neuron = "lif_adaptive"})
            .memories_kept() == MemoriesKept(false));
  const auto kept_of = [](const PlasticityRule& rule) {
    return std::get<EquationRule>(rule).memories_kept();
  };
  CHECK(kept_of(rule_from_name("reward_stdp_expected", "lif_adaptive")).names ==
        std::vector<std::string>{"raised", "expected"});
  CHECK(kept_of(rule_from_name("law_cooper")) == MemoriesKept(true));
}

TEST_CASE("Lengths that are carried along do not drift in float32") {
  const RuleCase rule = [] {
    for (const RuleCase& one : rule_cases(11)) {
      if (one.name == "lengths of neurons that do not see each other") return one;
    }
    throw InternalError("no such rule");
  }();
  for (const int chunk : {1, 32, 1000}) {
    RuleSetting setting{.ticks = 30'999, .dtype = DType::float32, .chunk = chunk};
    RuleMaterial data = material(rule, setting);
    const RuleOutcome last = by_gaia(rule, setting, data, {setting.ticks});
    --setting.ticks;
    const RuleOutcome before = by_gaia(rule, setting, data, {setting.ticks});
    for (std::size_t i = 0; i < 11; ++i) {
      double square = 0;
      for (std::size_t j = 0; j < 37; ++j) square += std::pow(before.at("weights")[i * 37 + j], 2);
      INFO("chunk " << chunk << ", neuron " << i);
      CHECK(last.at("g")[i] == Approx(square).epsilon(1e-5));
    }
  }
}

TEST_CASE("A text that reads t is warned of ticks that float32 does not count") {
  const auto warned = [](const std::string& equations, DType dtype, double first) {
    const LogCapture log;
    const EquationRule rule(equations);
    EquationState state(rule, 2, 3, dtype, {});
    Array tick = state.tick();
    tick.fill(first);
    const Array weights = zeros({3, 2}, dtype);
    const Array y = zeros({1, 4, 3}, dtype);
    for (int i = 0; i < 2; ++i) {
      state.process(rule, {}, weights, zeros({1, 4, 2}, dtype), true, TickSignals{}, y);
    }
    return log.count(LogLevel::warning, "t, which float32 rounds beyond 16 777 216");
  };
  const double last = std::ldexp(1.0, 24);
  CHECK(warned("dw = t*x", DType::float32, last - 8) == 0);
  CHECK(warned("dw = t*x", DType::float32, last - 7) == 1);
  CHECK(warned("dw = t*x", DType::float32, last + 100) == 1);
  CHECK(warned("dw = t*x", DType::float64, last) == 0);
  CHECK(warned("dw = y*x", DType::float32, last) == 0);
}

TEST_CASE("Rules as text give the same bits on any number of threads") {
  const bool many = GENERATE(false, true);
  for (const RuleCase& rule : rule_cases(300)) {
    // A chunk's products are large enough to be shared, and so are those of a tick of many samples;
    // with larger samples three of the rules diverge, in the loops too.
    const RuleSetting setting{.neurons = 300,
                              .inputs = 250,
                              .streams = many ? 130 : 1,
                              .ticks = many ? 2 : 70,
                              .dtype = DType::float32,
                              .spread = 0.1};
    const RuleMaterial data = material(rule, setting);
    const auto run = [&](int threads) {
      const Threads these(threads);
      return by_gaia(rule, setting, data, {setting.ticks});
    };
    const RuleOutcome one = run(1);
    const RuleOutcome three = run(3);
    INFO(rule.name << ", " << setting.streams << " streams");
    for (const auto& [name, values] : one) {
      INFO(name);
      // Bits are compared, and finite numbers alone: all that has diverged would be alike.
      const Numbers& others = three.at(name);
      REQUIRE(values.size() == others.size());
      CHECK(std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }));
      CHECK(std::memcmp(values.data(), others.data(), values.size() * sizeof(double)) == 0);
    }
  }
}

TEST_CASE("A rule runs through products where its class says so") {
  const auto why = [](const std::string& equations, const EquationSetting& setting = {},
                      EquationRuleOptions options = {}) {
    return why_stepwise(EquationRule(equations, std::move(options)).program(), setting);
  };
  CHECK(why("dw = 0.1*y*x").empty());
  CHECK(why("dw = 0.1*y*x*w") != "");
  CHECK(why("dw = 0.1*y*x", {.is_bounded = true}) == "bounds act on each weight by itself");
  CHECK(why("dw = 0.1*y*(x - back_upto(y))").empty());
  CHECK(why("dw = 0.1*y*(x - back_upto(y))", {.streams = 2}) ==
        "back is another sum for each stream of a batch");
  CHECK(why("de = y*x - e\ndw = 0.1*e - back_upto(y)") ==
        "an eligibility beside back is not carried along");
  CHECK(why("de = y*x - e\ndw = 0.1*e").empty());
  CHECK(why("de = y*x - e\ndw = 0.1*e", {.streams = 2}) ==
        "each stream of a batch has an eligibility of its own");
  CHECK(why("dw = 0.1*y*x + 0.01", {.control = {.normalization = Normalization::l2}}) ==
        "the length of weights that learn from more than samples is not carried along");
}
