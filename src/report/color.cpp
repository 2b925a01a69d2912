// SPDX-License-Identifier: MIT
#include "color.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gaia::report {
namespace {

constexpr Rgba kNotFinite{230, 0, 120, 255};

/// Eleven colours of viridis at equal distances.
constexpr std::array<Rgba, 11> kViridis = {{{68, 1, 84},
                                            {72, 37, 118},
                                            {65, 68, 135},
                                            {53, 96, 141},
                                            {42, 120, 142},
                                            {33, 144, 140},
                                            {34, 168, 132},
                                            {67, 191, 113},
                                            {122, 209, 81},
                                            {187, 223, 39},
                                            {253, 231, 37}}};

Rgba viridis(double position) {
  const double at = std::clamp(position, 0.0, 1.0) * static_cast<double>(kViridis.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), kViridis.size() - 2);
  const double share = at - static_cast<double>(i);
  const auto mix = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + share * (b - a)));
  };
  const Rgba& a = kViridis[i];
  const Rgba& b = kViridis[i + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

}  // namespace

const Palette& sequential_palette() {
  static const Palette palette = [] {
    Palette made;
    made[0] = kNotFinite;
    for (std::size_t i = 1; i < made.size(); ++i) {
      made[i] = viridis(static_cast<double>(i - 1) / 254.0);
    }
    return made;
  }();
  return palette;
}

const Palette& diverging_palette() {
  static const Palette palette = [] {
    Palette made;
    made[0] = kNotFinite;
    for (std::size_t i = 1; i < made.size(); ++i) {
      const double value = (static_cast<double>(i) - 128.0) / 127.0;  // -1 ... 1
      const Rgba hue = value < 0.0 ? Rgba{33, 110, 190} : Rgba{222, 98, 20};
      const double alpha = std::min(1.0, std::abs(value));
      made[i] = {hue.red, hue.green, hue.blue, static_cast<std::uint8_t>(std::lround(255 * alpha))};
    }
    return made;
  }();
  return palette;
}

std::uint8_t palette_index(double position) {
  if (!std::isfinite(position)) return 0;
  return static_cast<std::uint8_t>(1 + std::lround(std::clamp(position, 0.0, 1.0) * 254.0));
}

std::string line_color(double position) {
  const Rgba color = viridis(0.15 + 0.65 * std::clamp(position, 0.0, 1.0));
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

}  // namespace gaia::report
