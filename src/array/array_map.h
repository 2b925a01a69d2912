// SPDX-License-Identifier: MIT
/// \file
/// Arrays by name: what networks and optimisers hand out as their state and files hold.
#pragma once

#include <map>
#include <string>

#include "array.h"

namespace gaia {

/// Names have parts, joined by '.': "0.weights", "encoder.2.bias".
using ArrayMap = std::map<std::string, Array>;

/// The arrays whose names begin with `prefix`, by the rest of their names.
ArrayMap arrays_below(const ArrayMap& arrays, const std::string& prefix);

/// The array of a state that `who` takes over.
/// \throws ArgumentError unless there is one of this name, ShapeError unless it has this shape.
const Array& array_of_state(const char* who, const ArrayMap& state, const std::string& name);
const Array& array_of_state(const char* who, const ArrayMap& state, const std::string& name,
                            const Shape& shape);

}  // namespace gaia
