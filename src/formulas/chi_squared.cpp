// SPDX-License-Identifier: MIT
#include "chi_squared.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "../core/message.h"

namespace gaia {
namespace {

void check_degrees(const char* function, double degrees) {
  require(std::isfinite(degrees) && degrees > 0.0,
          "[{}] expected degrees of freedom above 0, got {}", function, degrees);
}

// log Γ(a + 1) less Stirling's (a + 1/2) log a - a + log sqrt(2 pi), for a >= 16: the rest of the
// series is then below 1e-17.
double stirling_error(double a) {
  const double s = 1.0 / (a * a);
  return (1.0 / 12 -
          s * (1.0 / 360 -
               s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * 691 / 360360))))) /
         a;
}

// z - a - a log(z / a) without the loss of digits where z is close to a (Loader, 2000, "Fast and
// accurate computation of binomial probabilities").
double deviance(double a, double z) {
  if (std::abs(a - z) >= 0.1 * (a + z)) return a * std::log(a / z) + z - a;
  const double v = (a - z) / (a + z);
  double sum = (a - z) * v;
  double term = 2.0 * a * v;
  for (int j = 1;; ++j) {
    term *= v * v;
    const double next = sum + term / (2 * j + 1);
    if (next == sum) return sum;
    sum = next;
  }
}

// z^a exp(-z) / Γ(a + 1).
double power_term(double a, double z) {
  if (a < 16.0) return std::exp(a * std::log(z) - z) / std::tgamma(a + 1.0);
  return std::exp(-stirling_error(a) - deviance(a, z)) / std::sqrt(2.0 * std::numbers::pi * a);
}

struct Parts {
  double below = 0.0;  // Probability up to z,
  double above = 0.0;  // and beyond it, each to its own last digits where it is the smaller.
};

Parts regularised_gamma(double a, double z) {
  const double power = power_term(a, z);
  if (z < a + 1.0) {
    double term = 1.0;
    double sum = 1.0;
    for (double n = 1.0; term > sum * 1e-17; ++n) {
      term *= z / (a + n);
      sum += term;
    }
    const double below = std::min(1.0, power * sum);
    return {below, 1.0 - below};
  }
  // The continued fraction of the part above, by Lentz's method; nothing in it comes near 0, since
  // z > a + 1.
  double b = z + 1.0 - a;
  double c = std::numeric_limits<double>::infinity();
  double d = 1.0 / b;
  double fraction = d;
  for (double n = 1.0; n < 1e9; ++n) {
    const double numerator = n * (a - n);
    b += 2.0;
    d = 1.0 / (b + numerator * d);
    c = b + numerator / c;
    const double factor = c * d;
    fraction *= factor;
    if (std::abs(factor - 1.0) < 1e-16) break;
  }
  const double above = std::min(1.0, a * power * fraction);
  return {1.0 - above, above};
}

}  // namespace

double chi_squared_cdf(double x, double degrees) {
  check_degrees("chi_squared_cdf", degrees);
  require(!std::isnan(x), "[chi_squared_cdf] expected a number, got {}", x);
  if (x <= 0.0) return 0.0;
  if (std::isinf(x)) return 1.0;
  return regularised_gamma(degrees / 2.0, x / 2.0).below;
}

double chi_squared_quantile(double probability, double degrees) {
  check_degrees("chi_squared_quantile", degrees);
  require(probability >= 0.0 && probability <= 1.0,
          "[chi_squared_quantile] expected a probability in [0, 1], got {}", probability);
  if (probability == 0.0) return 0.0;
  if (probability == 1.0) return std::numeric_limits<double>::infinity();
  const double a = degrees / 2.0;
  const bool upper = probability > 0.5;
  const double wanted = std::log(upper ? 1.0 - probability : probability);
  // Newton's method for the logarithm of the smaller part as a function of log z, in which both
  // tails are close to straight lines or bent downwards; between bounds, so that no start is a bad
  // one.
  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
  double z = std::max(a, 1e-3);
  for (int step = 0; step < 500; ++step) {
    const Parts parts = regularised_gamma(a, z);
    const double part = upper ? parts.above : parts.below;
    const double error = std::log(part) - wanted;
    const bool too_large = upper ? error < 0.0 : error > 0.0;
    (too_large ? high : low) = z;
    const double slope = a * power_term(a, z) / (upper ? -part : part);
    const double next = z * std::exp(-error / slope);
    // The error of the next one is about the square of this.
    if (std::abs(next - z) <= 1e-9 * z) return 2.0 * next;
    if (next > low && next < high) {
      z = next;
    } else {
      z = std::isinf(high) ? 2.0 * z : (low == 0.0 ? high / 1e3 : 0.5 * (low + high));
    }
  }
  return 2.0 * z;
}

}  // namespace gaia
