// SPDX-License-Identifier: MIT
#include "class_weights.h"

#include <algorithm>

#include "../core/message.h"
#include "../core/names.h"

namespace gaia {
namespace {

constexpr NameTable<ClassWeight, 2> kClassWeights = {
    {{"none", ClassWeight::none}, {"balanced", ClassWeight::balanced}}};

}  // namespace

std::string to_string(ClassWeight weight) { return name_of(kClassWeights, weight); }
ClassWeight class_weight_from_name(std::string_view name) {
  return from_name(kClassWeights, name, "class weight");
}

std::vector<double> balanced_class_weights(std::span<const std::int64_t> samples,
                                           std::int64_t classes) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(std::max<std::int64_t>(classes, 0)));
  for (const std::int64_t one : samples) {
    if (one < 0 || one >= classes) {
      fail<ArgumentError>("[balanced_class_weights] expected classes from 0 to {}, got {}",
                          classes - 1, one);
    }
    ++counts[static_cast<std::size_t>(one)];
  }
  const auto there = static_cast<double>(
      std::count_if(counts.begin(), counts.end(), [](std::int64_t count) { return count > 0; }));
  std::vector<double> weights;
  for (const std::int64_t count : counts) {
    weights.push_back(count == 0 ? 0.0
                                 : static_cast<double>(samples.size()) /
                                       (there * static_cast<double>(count)));
  }
  return weights;
}

}  // namespace gaia
