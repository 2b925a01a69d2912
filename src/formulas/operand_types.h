// SPDX-License-Identifier: MIT
/// \file
/// Which functions take which element types, for backends, which instantiate them for those alone.
#pragma once

#include <type_traits>

#include "elementwise.h"

namespace gaia {

template <class T>
constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// Whether the functor F of `Unary` is defined for T.
template <class F, class T>
constexpr bool kUnaryTakes =
    std::is_floating_point_v<T> || (kIsInteger<T> && F::facts.whole == Whole::computed);

/// Whether the functor F of `Binary` is defined for T.
template <class F, class T>
constexpr bool kBinaryTakes =
    std::is_floating_point_v<T> ||
    (kIsInteger<T> && !std::is_same_v<F, Divide> && !std::is_same_v<F, Arctan2> &&
     !std::is_same_v<F, Hypot> && !std::is_same_v<F, LogAddExp>) ||
    (std::is_same_v<T, bool> && (std::is_same_v<F, Maximum> || std::is_same_v<F, Minimum>));

}  // namespace gaia
