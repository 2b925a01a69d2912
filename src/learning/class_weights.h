// SPDX-License-Identifier: MIT
/// \file
/// How much the samples of a class count, where some classes are rare.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gaia {

enum class ClassWeight : std::uint8_t {
  none,      ///< Each sample counts once.
  balanced,  ///< Each class counts as much as any other: n / (K n_c) for each sample of class c.
};

/// "none", "balanced".
std::string to_string(ClassWeight weight);
/// \throws ArgumentError for a name that is none, listing the known ones.
ClassWeight class_weight_from_name(std::string_view name);

/// w_c = n / (K n_c) of the classes 0 to `classes` - 1, with n samples of which n_c are of class c,
/// and K classes that have one; 0 for a class without a sample.  The mean of w over the samples is
/// 1.  These are scikit-learn's class_weight="balanced" (King and Zeng 2001, Political Analysis 9,
/// 137-163).  \throws ArgumentError for a class out of range.
std::vector<double> balanced_class_weights(std::span<const std::int64_t> samples,
                                           std::int64_t classes);

}  // namespace gaia
