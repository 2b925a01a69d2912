// SPDX-License-Identifier: MIT
/// \file
/// Functions of one or two numbers, written once for every device.
///
/// Each is a functor whose `value` is the formula; those of one number have beside it their
/// `slope(x, y)` = dy/dx, given the argument and the value, and their facts.  A backend visits the
/// variant and runs its loop or kernel for whatever it holds.  To add a function, write it in one
/// of the headers below and name it in the list there.
#pragma once

#include <variant>

#include "activation.h"
#include "elementwise_binary.h"
#include "elementwise_math.h"
#include "elementwise_trigonometric.h"

namespace gaia {

using UnaryFunctions = decltype(MathFunctions{} + TrigonometricFunctions{} + ActivationFunctions{});
using Unary = UnaryFunctions::Variant;

using Binary = std::variant<Add, Subtract, Multiply, Divide, Maximum, Minimum, Power, FloorDivide,
                            Remainder, Fmod, Arctan2, Hypot, LogAddExp, WeightedSum>;

using Comparison =
    std::variant<Equal, NotEqual, Less, LessEqual, LogicalAnd, LogicalOr, LogicalXor>;

/// The facts of the function that f holds.
template <class... Fs>
const auto& facts_of(const std::variant<Fs...>& f) {
  return *std::visit([](const auto& held) { return &held.facts; }, f);
}

}  // namespace gaia
