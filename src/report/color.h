// SPDX-License-Identifier: MIT
/// \file
/// Colours of heat maps, told apart by readers with any kind of colour vision, on light and on dark
/// paper.  Lines get theirs from the style sheet (assets/page.css).
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace gaia::report {

struct Rgba {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  std::uint8_t alpha = 255;
};

/// What the 256 values of an image look like: 0 is a number that is not finite, 1 to 255 go from
/// the low end to the high one.
using Palette = std::array<Rgba, 256>;

/// From dark violet to yellow: viridis, by van der Walt & Smith (2015).
const Palette& sequential_palette();

/// From blue through nothing to orange: what is near 0 lets the paper show through.
const Palette& diverging_palette();

/// The index in a palette of a number whose place between the ends of a scale is `position`.
std::uint8_t palette_index(double position);

/// A colour of the sequential palette that can be told from light and from dark paper, as
/// "#2a788e".
std::string line_color(double position);

}  // namespace gaia::report
