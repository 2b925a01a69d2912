// SPDX-License-Identifier: MIT
#include "space.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "../core/message.h"

namespace gaia {
namespace {

/// 0 to 1 and back again, for ever.
double mirrored(double u) {
  const double turn = std::abs(std::remainder(u, 2.0));
  return std::min(turn, 1.0);
}

bool is_whole(double value) { return std::abs(value) < 0x1p53 && std::floor(value) == value; }

void check(const SearchParameter& one) {
  const auto refuse = [&](const std::string& expected) {
    fail<ArgumentError>("[search] parameter '{}': expected {}, got {} to {}", one.name, expected,
                        one.low, one.high);
  };
  const bool is_finite =
      std::isfinite(one.low) && std::isfinite(one.high) && std::isfinite(one.high - one.low);
  if (!is_finite || one.low > one.high) refuse("finite bounds, the lower one first");
  if (one.is_log && !(one.low > 0)) refuse("bounds above 0 for a logarithmic scale");
  if (one.is_integer && !(is_whole(one.low) && is_whole(one.high))) refuse("whole numbers");
}

/// The ends of the scale: those of whole numbers lie half a number outside of them.
std::pair<double, double> ends(const SearchParameter& one) {
  const double half = one.is_integer ? 0.5 : 0.0;
  if (one.is_log) return {std::log(one.low - half), std::log(one.high + half)};
  return {one.low - half, one.high + half};
}

}  // namespace

SearchParameter SearchParameter::real(std::string name, double low, double high) {
  return {.name = std::move(name), .low = low, .high = high};
}

SearchParameter SearchParameter::log(std::string name, double low, double high) {
  return {.name = std::move(name), .low = low, .high = high, .is_log = true};
}

SearchParameter SearchParameter::integer(std::string name, std::int64_t low, std::int64_t high) {
  return {.name = std::move(name),
          .low = static_cast<double>(low),
          .high = static_cast<double>(high),
          .is_integer = true};
}

SearchParameter SearchParameter::choice(std::string name, std::int64_t count) {
  return integer(std::move(name), 0, count - 1);
}

SearchSpace::SearchSpace(std::vector<SearchParameter> parameters)
    : parameters_(std::move(parameters)) {
  if (parameters_.empty()) {
    throw ArgumentError("[search] expected at least one parameter, got none");
  }
  std::set<std::string> names;
  for (const SearchParameter& one : parameters_) {
    if (!names.insert(one.name).second) {
      throw ArgumentError("[search] two parameters are named '" + one.name + "'");
    }
    check(one);
  }
}

std::vector<double> SearchSpace::values(std::span<const double> point) const {
  if (point.size() != parameters_.size()) {
    fail<ArgumentError>("[search] expected a point of {} coordinates, got {}", parameters_.size(),
                        point.size());
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const SearchParameter& one = parameters_[i];
    const auto [first, last] = ends(one);
    const double at = first + mirrored(point[i]) * (last - first);
    double value = one.is_log ? std::exp(at) : at;
    if (one.is_integer) value = std::round(value);
    values.push_back(std::clamp(value, one.low, one.high));
  }
  return values;
}

std::vector<double> SearchSpace::point(std::span<const double> values) const {
  if (values.size() != parameters_.size()) {
    fail<ArgumentError>("[search] expected {} values, got {}", parameters_.size(), values.size());
  }
  std::vector<double> point;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const SearchParameter& one = parameters_[i];
    if (!(values[i] >= one.low && values[i] <= one.high)) {
      fail<ArgumentError>("[search] parameter '{}': expected a value from {} to {}, got {}",
                          one.name, one.low, one.high, values[i]);
    }
    const auto [first, last] = ends(one);
    const double at = one.is_log ? std::log(values[i]) : values[i];
    point.push_back(last > first ? (at - first) / (last - first) : 0.5);
  }
  return point;
}

}  // namespace gaia
