// SPDX-License-Identifier: MIT
#include "representable.h"

#include <cmath>
#include <limits>

#include "../core/text.h"

namespace gaia {

std::string why_not_representable(double value, DType dtype) {
  const bool in_single = dtype == DType::float32 || dtype == DType::bfloat16;
  if (!in_single || value == 0.0 || !std::isfinite(value)) return "";
  const auto rounded = static_cast<float>(value);
  if (rounded != 0.0F && std::isfinite(rounded)) return "";
  using Limits = std::numeric_limits<float>;
  return "expected a number that float32 can hold (0, or in size " +
         number_text(static_cast<double>(Limits::denorm_min())) + " to " +
         number_text(static_cast<double>(Limits::max())) + "), got " + number_text(value) +
         ", which it rounds to " + (rounded == 0.0F ? "0" : "infinity") + "; float64 holds it";
}

void check_representable(const std::string& what, double value, DType dtype) {
  const std::string why_not = why_not_representable(value, dtype);
  if (!why_not.empty()) throw ArgumentError(what + ": " + why_not);
}

}  // namespace gaia
