// SPDX-License-Identifier: MIT
/// \file
/// What is searched: named parameters between bounds, on linear or logarithmic scales, whole
/// numbers, and choices.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gaia {

struct SearchParameter {
  std::string name;
  double low = 0.0, high = 1.0;  ///< The bounds, both included.
  bool is_log = false;           ///< Equal steps are equal ratios.
  bool is_integer = false;       ///< Whole numbers, each with an equal share of the scale.

  static SearchParameter real(std::string name, double low, double high);
  static SearchParameter log(std::string name, double low, double high);
  static SearchParameter integer(std::string name, std::int64_t low, std::int64_t high);
  /// Parameter with `count` choices: a value is the place of one, 0 to count - 1.
  static SearchParameter choice(std::string name, std::int64_t count);
};

/// Parameters and their scales.  A point has a coordinate for each, 0 at the lower bound and 1 at
/// the upper one; outside of these the scale is mirrored, so every point has values.
class SearchSpace {
 public:
  /// \throws ArgumentError without parameters, for two of one name, bounds that are not finite or
  /// not in their order, a logarithmic scale that reaches 0, or whole numbers between bounds that
  /// are none.
  explicit SearchSpace(std::vector<SearchParameter> parameters);

  const std::vector<SearchParameter>& parameters() const { return parameters_; }
  std::int64_t size() const { return static_cast<std::int64_t>(parameters_.size()); }

  /// The values of a point, in the order of the parameters.
  std::vector<double> values(std::span<const double> point) const;

  /// The point between 0 and 1 whose values these are.
  /// \throws ArgumentError if one is outside its bounds.
  std::vector<double> point(std::span<const double> values) const;

 private:
  std::vector<SearchParameter> parameters_;
};

}  // namespace gaia
