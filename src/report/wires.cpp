// SPDX-License-Identifier: MIT
#include "wires.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "../experiment/data/drift.h"

namespace gaia::report {

std::vector<std::int64_t> wires_at_end(const Result& result, std::int64_t inputs) {
  std::vector<std::int64_t> wires;
  for (int n = 0; result.has_group("data/drift", std::to_string(n)); ++n) {
    const std::string group = fmt::format("data/drift/{}", n);
    if (result.text(group, "kind") != "swap") continue;
    const auto whole = [&](const char* name, double end) {
      std::vector<std::int64_t> numbers;
      for (const double value : result.read(group + "/" + name)) {
        if (!(value >= 0.0 && value < end)) return std::vector<std::int64_t>();
        numbers.push_back(static_cast<std::int64_t>(value));
      }
      return numbers;
    };
    const std::vector<std::int64_t> steps = whole("step", 9e15);
    const std::vector<std::int64_t> a = whole("a", static_cast<double>(inputs));
    const std::vector<std::int64_t> b = whole("b", static_cast<double>(inputs));
    if (steps.empty() || a.size() != steps.size() || b.size() != steps.size()) return {};
    std::vector<std::int64_t> own =
        swapped_wires(steps, a, b, static_cast<std::size_t>(inputs), result.done());
    for (std::int64_t& wire : own) {
      if (!wires.empty()) wire = wires[static_cast<std::size_t>(wire)];
    }
    wires = std::move(own);
  }
  return wires;
}

Matrix with_wires_put_back(const Matrix& weights, const std::vector<std::int64_t>& wires) {
  Matrix back = weights;
  const auto width = static_cast<std::size_t>(weights.columns);
  for (std::size_t i = 0; i < weights.values.size(); ++i) {
    const std::size_t row = i / width;
    back.values[row * width + static_cast<std::size_t>(wires[i % width])] = weights.values[i];
  }
  return back;
}

}  // namespace gaia::report
