// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text on the emulated GPU, beside loops in float64 that were written
/// from their equations.
#include "../../cuda/equation_form.h"
#include "../emulator/schedules.h"
#include "../learning/equation_runs.h"
#include "../support/emulated_device.h"

namespace gaia::test {
namespace {

using cuda::emulated::EquationKind;

/// How layers are shared among blocks, for a scope.
class Forced {
 public:
  explicit Forced(EquationKind kind) { cuda::emulated::forced_equation_kind() = kind; }
  ~Forced() { cuda::emulated::forced_equation_kind().reset(); }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;
};

constexpr EquationKind kKinds[] = {EquationKind::owners, EquationKind::one_block,
                                   EquationKind::ticks};

RuleOutcome on_device(const RuleCase& rule, const RuleSetting& setting, const RuleMaterial& data) {
  const EmulatedDevice emulated;
  const GPUContext scope(EmulatedDevice::device());
  return by_gaia(rule, setting, data, {setting.ticks - 5, 5});
}

void compare(const RuleCase& rule, const RuleSetting& setting, double tolerance) {
  const RuleMaterial data = material(rule, setting);
  INFO(rule.name << ", " << setting.neurons << " neurons, " << setting.inputs << " inputs, "
                 << setting.streams << " streams, " << to_string(setting.dtype));
  CHECK(distance(on_device(rule, setting, data), by_reference(rule, setting, data)) < tolerance);
}

}  // namespace

TEST_CASE("Rules as text on a GPU do what loops written from their equations do") {
  for (const EquationKind kind : kKinds) {
    const Forced forced(kind);
    INFO("kind " << static_cast<int>(kind));
    for (const RuleCase& rule : rule_cases(11)) {
      for (const int streams : {1, 3}) {
        RuleSetting setting{.neurons = 11, .inputs = 37, .streams = streams, .ticks = 17};
        compare(rule, setting, 1e-12);
        setting.dtype = DType::float32;
        compare(rule, setting, 2e-5);
      }
    }
  }
}

}  // namespace gaia::test
