// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text: which executor runs them.
#include "equations.h"

#include "backend.h"

namespace gaia::cpu {

EquationSweeps& equation_sweeps() {
  static EquationSweeps sweeps;
  return sweeps;
}

void CpuBackend::equations(const EquationRun& run) {
  if (run.weights.shape[0] == 0 || run.samples.shape[0] == 0) return;
  dispatch_floating(run.weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (!run.learns) return run_equations_still<T>(run);
    const EquationSetting setting{.control = run.control,
                                  .is_bounded = run.bounds.has_value(),
                                  .streams = run.samples.shape[0],
                                  .has_chain = run.chain.has_value()};
    if (run.executor == Executor::chunkwise && why_stepwise(*run.program, setting).empty()) {
      run_equations_chunkwise<T>(run, *this);
    } else {
      equation_sweeps().stepwise += run.samples.shape[0] * run.samples.shape[1];
      run_equations_stepwise<T>(run);
    }
  });
}

}  // namespace gaia::cpu
