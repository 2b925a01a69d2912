// SPDX-License-Identifier: MIT
/// \file
/// A series to train on and to apply to.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../../src/core/random.h"
#include "../../src/core/text.h"

namespace gaia::test {

constexpr std::int64_t kRows = 400;

/// Three channels of noise and a wave, which scaling and names tell apart.
inline std::vector<std::vector<double>> rows(std::int64_t count) {
  const RandomStream random = RandomStream::named(11, "applied");
  std::vector<double> noise(static_cast<std::size_t>(2 * count));
  random.normals(0, noise);
  std::vector<std::vector<double>> all;
  for (std::int64_t t = 0; t < count; ++t) {
    const auto i = static_cast<std::size_t>(t);
    all.push_back({5.0 + 2.0 * noise[2 * i], std::sin(0.1 * static_cast<double>(t)),
                   -3.0 + noise[2 * i + 1]});
  }
  return all;
}

/// Some of these columns as CSV, under these names; without names if these are empty.
inline std::string csv(const std::vector<std::vector<double>>& all, const std::vector<int>& columns,
                       const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ",") + names[i];
  if (!names.empty()) text += "\n";
  for (const std::vector<double>& row : all) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += (i == 0 ? "" : ",") + number_text(row[static_cast<std::size_t>(columns[i])]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace gaia::test
