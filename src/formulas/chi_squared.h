// SPDX-License-Identifier: MIT
/// \file
/// The distribution of a sum of squares of independent standard normal numbers.
#pragma once

namespace gaia {

/// The probability that a sum of `degrees` squares is at most `x`: P(degrees / 2, x / 2), the
/// regularised incomplete gamma function.  `degrees` need not be whole; 0 for x <= 0.
/// \throws ArgumentError unless degrees is finite and above 0, and for an x that is NaN.
double chi_squared_cdf(double x, double degrees);

/// The x at which chi_squared_cdf(x, degrees) = `probability`; 0 for 0 and infinity for 1.
/// \throws ArgumentError unless degrees is finite and above 0 and probability in [0, 1].
double chi_squared_quantile(double probability, double degrees);

}  // namespace gaia
