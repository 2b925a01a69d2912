// SPDX-License-Identifier: MIT
/// \file
/// std::visit for files that are compiled once per instruction set: that of the library would put
/// functions compiled for the newest processor into the program that every processor shares.
#pragma once

#include <cstddef>
#include <variant>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// Calls f with what `variant` holds.
template <std::size_t I = 0, class Variant, class F>
GAIA_INLINE void with_alternative(const Variant& variant, const F& f) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (variant.index() == I) return f(*std::get_if<I>(&variant));
    with_alternative<I + 1>(variant, f);
  }
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
