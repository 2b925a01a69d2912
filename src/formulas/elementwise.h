// SPDX-License-Identifier: MIT
/// \file
/// Functions of one or two numbers, written once for every device.
///
/// Each is a functor whose `value` is the formula; those of one number have beside it their
/// `slope(x, y)` = dy/dx, given the argument and the value.  A backend visits the variant and runs
/// its loop or kernel for whatever it holds.  To add a function, write it in one of the headers
/// below and name it here.
#pragma once

#include <variant>

#include "elementwise_activation.h"
#include "elementwise_binary.h"
#include "elementwise_math.h"
#include "elementwise_trigonometric.h"

namespace gaia {

using Unary =
    std::variant<Negate, Abs, Sign, Square, Sqrt, Rsqrt, Reciprocal, Exp, Exp2, Expm1, Log, Log2,
                 Log10, Log1p, Floor, Ceil, Round, Trunc, Clip, Sin, Cos, Tan, Arcsin, Arccos,
                 Arctan, Sinh, Cosh, Tanh, Arcsinh, Arccosh, Arctanh, Erf, Erfc, Sigmoid,
                 LogSigmoid, Relu, LeakyRelu, Elu, Selu, Softplus, Silu, GeluTanh, GeluExact>;

using Binary = std::variant<Add, Subtract, Multiply, Divide, Maximum, Minimum, Power, FloorDivide,
                            Remainder, Fmod, Arctan2, Hypot, LogAddExp, WeightedSum>;

using Comparison =
    std::variant<Equal, NotEqual, Less, LessEqual, LogicalAnd, LogicalOr, LogicalXor>;

}  // namespace gaia
