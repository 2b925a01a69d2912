// SPDX-License-Identifier: MIT
/// \file
/// Rules that couple the neurons of a layer (Sanger, Oja's subspace rule): by their equations, as
/// every other rule of that kind.  Batches, normalisation and homeostasis run stepwise there
/// (src/formulas/equations/how_it_runs.cpp tells why).
#include "../src/formulas/equations/equations.h"
#include "backend.h"

namespace gaia::cpu {
namespace {

template <class Coupled>
const EquationProgram& program_of() {
  static const EquationProgram program =
      compile_equations({Coupled::equations, {{"rate", 0.0}, {"decay", 0.0}}, {}, {}, {}});
  return program;
}

}  // namespace

void CpuBackend::coupled(const CoupledRun& run) {
  std::visit(
      [&]<class Coupled>(const Coupled& rule) {
        EquationRun by_equations;
        static_cast<PlasticBlock&>(by_equations) = run;
        by_equations.program = &program_of<Coupled>();
        by_equations.parameters = {rule.learning_rate, rule.decay};
        by_equations.executor = run.executor;
        by_equations.chunk = run.chunk;
        equations(by_equations);
      },
      run.rule);
}

}  // namespace gaia::cpu
