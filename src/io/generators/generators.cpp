// SPDX-License-Identifier: MIT
// The bodies of all generators are compiled here and nowhere else: without contraction into fused
// multiply-adds, so that a series has the same bits on every machine.
#define GAIA_GENERATOR_BODIES
#include "associations.h"
#include "bars.h"
#include "context.h"
#include "gaussian.h"
#include "lorenz.h"
#include "mackey_glass.h"
#include "narma10.h"
#include "ornstein_uhlenbeck.h"
#include "patterns.h"
#include "poisson.h"
#include "sines.h"
#include "switching_ar.h"
#include "turning_subspace.h"
#include "voices.h"

namespace gaia {

KindList<GeneratorKind>& GeneratorKind::list() {
  static auto kinds =
      kinds_of<GeneratorKind, SinesOptions, OrnsteinUhlenbeckOptions, MackeyGlassOptions,
               LorenzOptions, Narma10Options, GaussianOptions, PatternsOptions, PoissonOptions,
               AssociationsOptions, TurningSubspaceOptions, VoicesOptions, ContextValuesOptions,
               ContextPatternsOptions, BarsOptions, SwitchingArOptions>();
  return kinds;
}

}  // namespace gaia
