// SPDX-License-Identifier: MIT
/// \file
/// Sophisticated inference: plans that take into account what will be believed after each outcome.
#pragma once

#include <cstdint>

#include "expected_free_energy.h"

namespace gaia::agents {

struct TreeOptions {
  std::int64_t depth = 2;  ///< Steps that are looked ahead.
  /// Actions whose probability, by the next step alone, is below this are followed no further and
  /// not chosen; SPM has 1/16.  0: all are followed.
  double action_threshold = 0.0;
  /// Outcomes whose probability is below this are left out, and the others weighted to 1; SPM has
  /// 1/16.  Where none is that probable it is halved until some are.  0: all that are possible are
  /// followed.
  double outcome_threshold = 0.0;
};

/// \throws ArgumentError for a depth below 1, and thresholds outside [0, 1).
void check_tree(const TreeOptions& options);

/// The plan over the actions of the next step, in the order of `all_policies(model, 1)`:
///
///     G(u) = G of the next step + E_Q(o | u)[ sum over u' of Q(u' | o) G(u' | o) ]
///     Q(u' | o) = softmax(-gamma G(u' | o))
///
/// where beliefs are updated by each outcome o that is possible.  The parts of G are means over the
/// same tree.  Friston, Da Costa, Hafner, Hesp & Parr 2021, "Sophisticated inference", Neural
/// Computation 33.
/// \throws ArgumentError for beliefs or habits that do not fit the model, and as `check_tree` does.
Plan search_tree(const GenerativeModel& model, const Beliefs& beliefs, const TreeOptions& tree = {},
                 const PlanningOptions& options = {}, const InferenceOptions& inference = {},
                 const Concentrations& concentrations = {});

}  // namespace gaia::agents
