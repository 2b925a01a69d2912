// SPDX-License-Identifier: MIT
#include "representable.h"

#include <cmath>

#include "../core/message.h"

namespace gaia {

std::string why_not_representable(double value, DType dtype) {
  const bool in_single = dtype == DType::float32 || dtype == DType::bfloat16;
  if (!in_single || value == 0.0 || !std::isfinite(value)) return "";
  const auto rounded = static_cast<float>(value);
  if (rounded != 0.0F && std::isfinite(rounded)) return "";
  return message(
      "expected a number that float32 can hold (0, or in size 1.4e-45 to 3.4e+38), got {}, which "
      "it rounds to {}; float64 holds it",
      value, rounded == 0.0F ? "0" : "infinity");
}

void check_representable(const std::string& what, double value, DType dtype) {
  const std::string why_not = why_not_representable(value, dtype);
  if (!why_not.empty()) fail<ArgumentError>("{}: {}", what, why_not);
}

}  // namespace gaia
