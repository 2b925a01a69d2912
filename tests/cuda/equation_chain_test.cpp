// SPDX-License-Identifier: MIT
/// \file
/// Chains of slower numbers behind weights on the emulated GPU, compared with loops in float64.
#include "../../cuda/equation_form.h"
#include "../emulator/schedules.h"
#include "../learning/equation_runs.h"
#include "../support/emulated_device.h"
#include "../support/long_tests.h"

namespace gaia::test {
namespace {

using cuda::emulated::EquationKind;

constexpr SynapseChain kChainOnGPU{.length = 5, .ratio = 1.7, .rate = 0.3};

/// Layers shared among blocks in each way, with rules of each kind of update.
template <class Test>
void for_each_chained(int neurons, const Test& test) {
  EveryNth third(3);
  for (const EquationKind kind :
       {EquationKind::owners, EquationKind::one_block, EquationKind::ticks}) {
    cuda::emulated::forced_equation_kind() = kind;
    INFO("kind " << static_cast<int>(kind));
    for (const RuleCase& rule : rule_cases(neurons)) {
      if (!EquationRule(rule.equations, rule.options).program().dw) continue;
      INFO(rule.name);
      if (third.takes_next()) test(rule);
    }
    cuda::emulated::forced_equation_kind().reset();
  }
}

RuleOutcome chained_on_device(const RuleCase& rule, const RuleSetting& setting,
                              const RuleMaterial& data) {
  const OnEmulatedDevice emulated;
  return by_gaia(rule, setting, data, {setting.ticks - 2, 2});
}

}  // namespace

TEST_CASE("Chains behind weights on a GPU do what loops do, at sizes around those of warps") {
  for (const auto& [neurons, inputs] : {std::pair{11, 37}, {8, 1}, {5, 32}, {3, 300}}) {
    for_each_chained(neurons, [&](const RuleCase& rule) {
      for (const int streams : {1, 2}) {
        RuleSetting setting{.neurons = neurons, .inputs = inputs, .streams = streams, .ticks = 9};
        setting.chain = kChainOnGPU;
        const RuleMaterial data = material(rule, setting);
        const RuleOutcome expected = by_reference(rule, setting, data);
        CHECK(distance(chained_on_device(rule, setting, data), expected) < 1e-12);
      }
    });
  }
}

TEST_CASE("Chains behind weights on a GPU are those of the CPU where something goes back") {
  for (const char* const text : {"dw = 0.02*y*(x - back(y))", "dw = 0.02*y*(x - back_upto(y))"}) {
    for (const int neurons : {7, 300}) {  // in one block, and in several launches
      INFO(text << ", " << neurons);
      RuleSetting setting{.neurons = neurons, .inputs = 300, .streams = 2, .ticks = 3};
      setting.spread = 0.05;
      setting.chain = kChainOnGPU;
      const RuleCase rule{text, text, {}, {}};
      const RuleMaterial data = material(rule, setting);
      CHECK(distance(chained_on_device(rule, setting, data), by_gaia(rule, setting, data, {3})) <
            1e-12);
    }
  }
}

TEST_CASE("Chains behind weights on a GPU give the same bits whatever thread is ahead") {
  for_each_chained(10, [](const RuleCase& rule) {
    RuleSetting setting{
        .neurons = 10, .inputs = 40, .streams = 2, .ticks = 8, .dtype = DType::float32};
    setting.chain = kChainOnGPU;
    const RuleMaterial data = material(rule, setting);
    RuleOutcome first;
    for_each_schedule([&](const char* schedule) {
      const RuleOutcome found = chained_on_device(rule, setting, data);
      if (first.empty()) first = found;
      INFO(schedule);
      CHECK(found == first);
    });
  });
}

}  // namespace gaia::test
