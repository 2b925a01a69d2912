// SPDX-License-Identifier: MIT
/// \file
/// Position of a quantile among elements in ascending order: the methods of Hyndman and Fan
/// (1996), and four more, under NumPy's names.
#pragma once

#include <cstdint>
#include <string_view>

namespace gaia {

/// How a quantile q of n elements is read.  The first nine are types 1 to 9 of Hyndman and Fan
/// (1996); their order is the paper's, `linear` being type 7.
enum class QuantileMethod : std::uint8_t {
  inverted_cdf,               ///< The first element that a share q reaches.
  averaged_inverted_cdf,      ///< The same, but the mean of two where q n is whole.
  closest_observation,        ///< The element nearest to q n, of two the even one.
  interpolated_inverted_cdf,  ///< At q n - 1, between elements on a straight line.
  hazen,                      ///< At q n - 1/2.
  weibull,                    ///< At q (n + 1) - 1.
  linear,                     ///< At q (n - 1).
  median_unbiased,            ///< At q (n + 1/3) - 2/3.
  normal_unbiased,            ///< At q (n + 1/4) - 5/8.
  lower,                      ///< The element at or before q (n - 1).
  higher,                     ///< The element at or behind q (n - 1).
  midpoint,                   ///< The mean of these two.
  nearest,                    ///< The nearer of these two, of equally near ones the even one.
};

/// \throws ArgumentError for a name that is none, with the list.
QuantileMethod quantile_method_from_name(std::string_view name);

/// A quantile as (1 - share) x[below] + share x[above].
struct QuantilePlace {
  std::int64_t below = 0;
  std::int64_t above = 0;
  double share = 0.0;
};

/// The place of quantile q, of [0, 1], among n >= 1 elements.
QuantilePlace quantile_place(QuantileMethod method, double q, std::int64_t n);

}  // namespace gaia
