// SPDX-License-Identifier: MIT
/// \file
/// Errors in units in the last place.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace gaia {

/// Distance of `got` from the exact answer in units in the last place of that.
template <class T>
double ulps(T got, long double exact) {
  const T nearest = static_cast<T>(exact);
  if (std::isnan(nearest) || std::isnan(got))
    return std::isnan(nearest) == std::isnan(got) ? 0 : 1e9;
  if (std::isinf(nearest) || std::isinf(got)) return nearest == got ? 0 : 1e9;
  const T size = std::max(std::abs(nearest), std::numeric_limits<T>::min());
  const T unit = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) /
                             static_cast<long double>(unit));
}

/// Whether two answers are one: also in the sign of zero, and NaN is NaN.
template <class T>
bool same_answer(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

}  // namespace gaia
