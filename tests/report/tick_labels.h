// SPDX-License-Identifier: MIT
/// \file
/// Labels of an axis.
#pragma once

#include <string>
#include <vector>

#include "../../src/report/axis.h"

namespace gaia::test {

using Texts = std::vector<std::string>;

inline std::vector<std::string> labels(const std::vector<report::Tick>& ticks) {
  std::vector<std::string> texts;
  for (const report::Tick& tick : ticks) texts.push_back(tick.label);
  return texts;
}

}  // namespace gaia::test
