// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text on the emulated GPU, compared with loops in float64 that were
/// written from their equations, and with the CPU.
#include "../../cuda/equation_form.h"
#include "../emulator/schedules.h"
#include "../learning/equation_draws.h"
#include "../learning/equation_runs.h"
#include "../support/emulated_device.h"

namespace gaia::test {
namespace {

using cuda::emulated::EquationKind;

/// How layers are shared among blocks, for a scope; where neurons see each other, owners are not
/// possible and the natural kind is taken.
class Forced {
 public:
  explicit Forced(EquationKind kind) { cuda::emulated::forced_equation_kind() = kind; }
  ~Forced() { cuda::emulated::forced_equation_kind().reset(); }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;
};

template <class Test>
void for_each_kind(const Test& test) {
  for (const EquationKind kind :
       {EquationKind::owners, EquationKind::one_block, EquationKind::ticks}) {
    const Forced forced(kind);
    INFO("kind " << static_cast<int>(kind));
    test();
  }
}

RuleOutcome on_device(const RuleCase& rule, const RuleSetting& setting, const RuleMaterial& data) {
  const OnEmulatedDevice emulated;
  return by_gaia(rule, setting, data, {setting.ticks - 5, 5});
}

void compare_on_device(const RuleCase& rule, const RuleSetting& setting, double tolerance) {
  const RuleMaterial data = material(rule, setting);
  INFO(rule.name << ", " << setting.neurons << " neurons, " << setting.inputs << " inputs, "
                 << setting.streams << " streams, " << to_string(setting.dtype));
  CHECK(distance(on_device(rule, setting, data), by_reference(rule, setting, data)) < tolerance);
}

RuleCase case_named(const std::string& name, int neurons) {
  for (const RuleCase& rule : rule_cases(neurons)) {
    if (rule.name == name) return rule;
  }
  FAIL("no rule " << name);
  return {};
}

}  // namespace

TEST_CASE("Rules as text on a GPU do what loops written from their equations do") {
  for_each_kind([] {
    for (const RuleCase& rule : rule_cases(11)) {
      for (const int streams : {1, 3}) {
        RuleSetting setting{.neurons = 11, .inputs = 37, .streams = streams, .ticks = 17};
        compare_on_device(rule, setting, 1e-12);
        setting.dtype = DType::float32;
        compare_on_device(rule, setting, 2e-5);
      }
    }
  });
}

TEST_CASE("Rules as text on a GPU draw what docs/rules.md says, the CPU's numbers") {
  for_each_kind([] {
    for (const int streams : {1, 3}) {
      RuleSetting setting{.neurons = 11, .inputs = 13, .streams = streams, .ticks = 17};
      for (const RuleCase& rule : drawing_cases(setting.random)) {
        setting.dtype = DType::float64;
        compare_on_device(rule, setting, 1e-12);
        setting.learns = false;
        const RuleMaterial data = material(rule, setting);
        CHECK(distance(on_device(rule, setting, data), by_gaia(rule, setting, data, {17})) < 1e-12);
        setting.learns = true;
        setting.dtype = DType::float32;
        compare_on_device(rule, setting, 2e-5);
      }
      // To the bit; of normal numbers too, since the emulator rounds as the CPU does.
      for (const char* const text : {"y = uniform()", "y = normal()"}) {
        for (const DType dtype : {DType::float64, DType::float32}) {
          setting.dtype = dtype;
          const RuleCase draw{text, text, {}, {}};
          const RuleMaterial data = material(draw, setting);
          INFO(text);
          CHECK(on_device(draw, setting, data) == by_gaia(draw, setting, data, {17}));
        }
      }
    }
  });
}

TEST_CASE("Rules as text on a GPU of sizes around those of warps and blocks") {
  // 300 neurons are more than a block has threads, 300 inputs too.
  for_each_kind([] {
    for (const auto& [neurons, inputs] : {std::pair{8, 1}, {5, 32}, {9, 33}, {300, 2}, {6, 300}}) {
      for (const RuleCase& rule : rule_cases(neurons)) {
        compare_on_device(rule, {.neurons = neurons, .inputs = inputs, .streams = 2, .ticks = 8},
                          1e-12);
      }
    }
  });
}

TEST_CASE("Rules as text on a GPU give the same bits whatever thread is ahead") {
  for_each_kind([] {
    for (const RuleCase& rule : rule_cases(10)) {
      const RuleSetting setting{
          .neurons = 10, .inputs = 40, .streams = 2, .ticks = 8, .dtype = DType::float32};
      const RuleMaterial data = material(rule, setting);
      RuleOutcome first;
      for_each_schedule([&](const char* schedule) {
        const RuleOutcome found = on_device(rule, setting, data);
        if (first.empty()) first = found;
        INFO(rule.name << ", " << schedule);
        CHECK(found == first);
      });
    }
  });
}

TEST_CASE("Rules as text on a GPU under homeostasis, normalisation and bounds") {
  for_each_kind([] {
    for (const RuleCase& rule : rule_cases(11)) {
      under_each_control(
          {.neurons = 11, .inputs = 37, .streams = 2, .ticks = 12},
          [&](const RuleSetting& setting) { compare_on_device(rule, setting, 1e-11); });
    }
  });
}

TEST_CASE("Rules as text on a GPU leave weights alone where nothing learns") {
  for_each_kind([] {
    for (const RuleCase& rule : rule_cases(11)) {
      const RuleSetting setting{.neurons = 11, .streams = 2, .ticks = 12, .learns = false};
      const RuleMaterial data = material(rule, setting);
      const RuleOutcome on_cpu = by_gaia(rule, setting, data, {setting.ticks});
      const RuleOutcome found = on_device(rule, setting, data);
      INFO(rule.name);
      CHECK(distance(found, on_cpu) < 1e-12);
      CHECK(found.at("weights") == on_cpu.at("weights"));
    }
  });
}

TEST_CASE("Rules as text on a GPU with rows and vectors for which a block has no room") {
  // Weights in the device's memory: a row of 26 000 numbers is more than 96 KB.
  for (const char* const name : {"oja", "soft bounds", "three factors"}) {
    compare_on_device(case_named(name, 2),
                      {.neurons = 2, .inputs = 26000, .ticks = 6, .dtype = DType::float32}, 1e-4);
  }
  // 60 vectors on the way at the same time, of which each thread has a number.
  constexpr int kDeep = 60;
  RuleCase deep{"deep", "", {}, [](TickOfStream& s) {
                  s.y = s.z;
                  s.each([&](std::size_t i, std::size_t j) {
                    double inner = s.x[j];
                    for (int k = kDeep; k > 0; --k) {
                      inner = std::tanh((*s.w)[i][j] * k) * (0.5 + 0.1 * inner);
                    }
                    s.dw[i][j] = 0.1 * inner;
                  });
                }};
  deep.equations = "dw = 0.1*";
  for (int k = 1; k <= kDeep; ++k) {
    deep.equations += "tanh(w*" + std::to_string(k) + ")*(0.5 + 0.1*" + (k == kDeep ? "x" : "");
  }
  deep.equations += std::string(kDeep, ')');
  for_each_kind([&] { compare_on_device(deep, {.neurons = 11, .ticks = 8}, 1e-12); });
}

TEST_CASE("Layers under rules as text are shared among blocks as fits them") {
  using cuda::emulated::equation_form;
  using cuda::emulated::EquationForm;
  const EquationForm natural =
      equation_form({.neurons = 400, .inputs = 784, .has_eligibility = true});
  CHECK(natural.kind == EquationKind::owners);
  CHECK(natural.warps_of_neuron == 4);
  CHECK(natural.strip == 8);
  CHECK(natural.neurons_of_block == 2);
  CHECK(natural.holds_weights);
  CHECK(natural.holds_eligibility);
  CHECK(natural.holds_samples);
  CHECK(natural.number_rows == 2 + 4);
  CHECK(natural.shared_numbers == 2 * 2 * 784 + 2 * 784 + 2 * 6);
  CHECK(equation_form({.neurons = 400, .inputs = 256}).neurons_of_block == 8);
  CHECK(equation_form({.neurons = 400, .inputs = 257}).neurons_of_block == 4);
  const EquationForm longer = equation_form({.neurons = 400, .inputs = 9000});
  CHECK(longer.neurons_of_block == 1);
  CHECK(longer.holds_weights);
  CHECK_FALSE(longer.holds_samples);
  CHECK_FALSE(equation_form({.neurons = 400, .inputs = 26000}).holds_weights);
  // Many vectors at a time: fewer weights of each.
  CHECK(equation_form({.inputs = 784, .temporaries = 6}).strip == 8);
  CHECK(equation_form({.inputs = 784, .temporaries = 7}).strip == 4);
  const EquationForm deepest = equation_form({.inputs = 784, .temporaries = 100});
  CHECK(deepest.strip == 1);
  CHECK_FALSE(deepest.holds_temporaries);
  // Blocks share traces where they cannot have their own.
  CHECK(equation_form({.neurons = 4, .inputs = 784, .streams = 64, .traces = 1}).kind ==
        EquationKind::ticks);
  CHECK(equation_form({.neurons = 60, .inputs = 784, .sees_layer = true}).kind ==
        EquationKind::one_block);
  const EquationForm large = equation_form({.neurons = 400, .inputs = 784, .sees_layer = true});
  CHECK(large.kind == EquationKind::ticks);
  CHECK(large.shared_numbers == 0);
  CHECK(large.shared_numbers_of_stream == 400 * 6);
  CHECK(equation_form({.neurons = 9000, .inputs = 784, .sees_layer = true})
            .shared_numbers_of_stream == 0);
}

}  // namespace gaia::test
