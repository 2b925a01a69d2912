// SPDX-License-Identifier: MIT
/// \file
/// Whether a rule that is text can run through matrix products.
#pragma once

#include <cstdint>
#include <string>

#include "../activation.h"
#include "../rules_control.h"
#include "program.h"

namespace gaia {

/// What a layer does beside its rule, as far as it decides about the executor.
struct EquationSetting {
  WeightControl control = {};
  bool is_bounded = false;
  std::int64_t streams = 1;
  bool has_chain = false;  ///< Behind each weight (SynapseChain).
};

/// Whether a neuron needs others at a tick: for its numbers, or for what goes back to the inputs.
bool sees_layer(const EquationProgram& program, Activation activation);

/// Whether it needs them for its numbers.
bool crosses_layer(const EquationProgram& program, Activation activation);

/// Why a layer runs tick by tick, to follow "stepwise, since "; empty where it runs chunkwise.
std::string why_stepwise(const EquationProgram& program, const EquationSetting& setting);

}  // namespace gaia
