// SPDX-License-Identifier: MIT
/// \file
/// What stands in a row of a readout beside the numbers that levels show (ReadoutFeatures).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "../config/readout_features.h"

namespace gaia {

/// Squares the numbers 1, 3, 5 ... of what a level shows.  Odd and even terms of the neurons tell a
/// series from its mirror image, which tanh neurons without biases cannot (Lu et al. 2017, Chaos
/// 27, 041102; Pathak et al. 2018, Phys. Rev. Lett. 120, 024102).
inline void square_every_second(std::span<double> shown) {
  for (std::size_t i = 1; i < shown.size(); i += 2) shown[i] *= shown[i];
}

/// Writes what comes behind the numbers of the levels, [features.beside()]; `sample` is read where
/// the features ask for it.
inline void write_beside(const ReadoutFeatures& features, std::span<const double> sample,
                         std::span<double> to) {
  auto next = to.begin();
  if (features.input) next = std::copy(sample.begin(), sample.end(), next);
  if (features.bias) *next = 1.0;
}

}  // namespace gaia
