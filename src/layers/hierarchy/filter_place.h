// SPDX-License-Identifier: MIT
/// \file
/// What a layer that filters is told of its filter.
#pragma once

#include <cstdint>
#include <vector>

#include "../../formulas/dtype.h"

namespace gaia {

/// Which noise a filter adapts while it learns.
enum class AdaptedNoise : std::uint8_t {
  none,
  state,        ///< Q.
  observation,  ///< R.
};

struct FilterPlace {
  std::vector<std::int64_t> observes = {};  ///< Inputs that are observed, from 0; empty: all.
  AdaptedNoise adapts = AdaptedNoise::none;
  bool learn = true;        ///< false: noise stays as it is, whatever learns around the layer.
  bool covariance = false;  ///< Whether the covariance of each tick is reported.
  bool smooth = false;      ///< Whether what a smoother needs of each tick is reported.
  DType dtype = DType::float32;
};

}  // namespace gaia
