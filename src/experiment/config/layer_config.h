// SPDX-License-Identifier: MIT
/// \file
/// Layers of a hierarchy, as typed values.
#pragma once

#include <cstdint>

#include "../../layers/hierarchy/layer_kind.h"

namespace gaia {

struct LayerConfig {
  std::int64_t size = 0;
  bool learn = true;  ///< Plastic layers: whether this one learns where its level does.
  Kind<LayerKind> kind;
};

}  // namespace gaia
