// SPDX-License-Identifier: MIT
/// \file
/// Weights that are pictures, side by side: as many in a line as the page is wide, so that their
/// pixels can be told apart on a telephone too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decimate.h"
#include "figure.h"

namespace gaia::report {

/// How the numbers that a neuron reads are a picture.
struct PictureShape {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t colours = 1;  ///< Innermost.

  std::int64_t numbers() const { return height * width * colours; }
};

/// The shape that the attribute /data shape, "[28, 28]" or "[32, 32, 3]", says; nothing if it says
/// none.
std::optional<PictureShape> picture_shape_of(const std::string& text);

/// The weights of neurons, [neurons, shape.numbers()], each row as a picture with the number of its
/// neuron, or as `names` calls it, and the scale that all have; colours of one picture stand side
/// by side.
std::string pictures_markup(const Matrix& weights, const PictureShape& shape,
                            const ColorScale& colors, const std::vector<std::string>& names = {});

}  // namespace gaia::report
