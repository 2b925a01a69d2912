// SPDX-License-Identifier: MIT
#include "quantile_method.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "../core/message.h"

namespace gaia {
namespace {

constexpr std::array<std::string_view, 13> kMethodNames = {"inverted_cdf",
                                                           "averaged_inverted_cdf",
                                                           "closest_observation",
                                                           "interpolated_inverted_cdf",
                                                           "hazen",
                                                           "weibull",
                                                           "linear",
                                                           "median_unbiased",
                                                           "normal_unbiased",
                                                           "lower",
                                                           "higher",
                                                           "midpoint",
                                                           "nearest"};

/// The position of a straight line between elements, with the parameters of Hyndman and Fan.
double line_position(double q, double n, double alpha, double beta) {
  return n * q + (alpha + q * (1.0 - alpha - beta)) - 1.0;
}

}  // namespace

QuantileMethod quantile_method_from_name(std::string_view name) {
  const auto* const found = std::find(kMethodNames.begin(), kMethodNames.end(), name);
  if (found == kMethodNames.end()) {
    std::string list;
    for (const std::string_view one : kMethodNames) {
      list += (list.empty() ? "" : ", ") + std::string(one);
    }
    fail<ArgumentError>("[quantile] expected a method of {}, got '{}'", list, std::string(name));
  }
  return static_cast<QuantileMethod>(found - kMethodNames.begin());
}

QuantilePlace quantile_place(QuantileMethod method, double q, std::int64_t n) {
  const auto count = static_cast<double>(n);
  const double last = count - 1.0;
  double position = last * q;
  double share = -1.0;  // below 0: what is left of the position
  switch (method) {
    case QuantileMethod::inverted_cdf:
      position = std::ceil(count * q - 1.0);
      break;
    case QuantileMethod::averaged_inverted_cdf:
      position = count * q - 1.0;
      share = position == std::floor(position) ? 0.5 : 1.0;
      break;
    case QuantileMethod::closest_observation: {
      const double exact = count * q - 1.0 - 0.5;
      const double before = std::floor(exact);
      const bool stays = exact == before && std::fmod(std::abs(before), 2.0) == 1.0;
      position = stays ? before : before + 1.0;
      break;
    }
    case QuantileMethod::interpolated_inverted_cdf:
      position = line_position(q, count, 0.0, 1.0);
      break;
    case QuantileMethod::hazen:
      position = line_position(q, count, 0.5, 0.5);
      break;
    case QuantileMethod::weibull:
      position = line_position(q, count, 0.0, 0.0);
      break;
    case QuantileMethod::linear:
      break;
    case QuantileMethod::median_unbiased:
      position = line_position(q, count, 1.0 / 3.0, 1.0 / 3.0);
      break;
    case QuantileMethod::normal_unbiased:
      position = line_position(q, count, 3.0 / 8.0, 3.0 / 8.0);
      break;
    case QuantileMethod::lower:
      position = std::floor(position);
      break;
    case QuantileMethod::higher:
      position = std::ceil(position);
      break;
    case QuantileMethod::midpoint:
      position = 0.5 * (std::floor(position) + std::ceil(position));
      break;
    case QuantileMethod::nearest:
      position = std::nearbyint(position);
      break;
  }
  if (position < 0.0) return {0, 0, 0.0};
  if (position >= last) return {n - 1, n - 1, 0.0};
  const double before = std::floor(position);
  const auto below = static_cast<std::int64_t>(before);
  return {below, below + 1, share < 0.0 ? position - before : share};
}

}  // namespace gaia
