// SPDX-License-Identifier: MIT
/// \file
/// Whether a rule that is text can run through matrix products.
#pragma once

#include <cstdint>
#include <string>

#include "../rules_control.h"
#include "program.h"

namespace gaia {

/// What a layer does beside its rule, as far as it decides about the executor.
struct EquationSetting {
  WeightControl control = {};
  bool is_bounded = false;
  std::int64_t streams = 1;
};

/// Why a layer runs tick by tick, to follow "stepwise, since "; empty where it runs chunkwise.
std::string why_stepwise(const EquationProgram& program, const EquationSetting& setting);

}  // namespace gaia
