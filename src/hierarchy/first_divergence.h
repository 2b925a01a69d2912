// SPDX-License-Identifier: MIT
/// \file
/// At which step of a block a hierarchy came to NaN or Inf.
#pragma once

#include "../core/error.h"
#include "manager.h"

namespace gaia {

/// The error of the first step of x [streams, steps, features] after which an output or a weight of
/// `before`, which stands as the hierarchy stood before it read x with these options, is not
/// finite. What is found after a whole block may tell of its last step: weights that are NaN from
/// its first step on need not show in any answer before.  It halves the block, and so reads it
/// about twice. `found`, the error after the whole block, is given where step by step all is
/// finite.
DivergedError first_divergence(HierarchyManager before, const Array& x,
                               const ProcessOptions& options, const DivergedError& found);

}  // namespace gaia
