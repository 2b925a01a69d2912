// SPDX-License-Identifier: MIT
#include "precision.h"

#include <array>

#include "../core/message.h"

namespace gaia {
namespace {

constexpr std::array kAll = {MatmulPrecision::full, MatmulPrecision::tf32,
                             MatmulPrecision::bfloat16};

thread_local MatmulPrecision t_precision = MatmulPrecision::full;

}  // namespace

std::string to_string(MatmulPrecision precision) {
  switch (precision) {
    case MatmulPrecision::full:
      return "full";
    case MatmulPrecision::tf32:
      return "tf32";
    case MatmulPrecision::bfloat16:
      break;
  }
  return "bfloat16";
}

MatmulPrecision matmul_precision_from_name(std::string_view name) {
  std::string known;
  for (const MatmulPrecision precision : kAll) {
    if (to_string(precision) == name) return precision;
    known += (known.empty() ? "" : ", ") + to_string(precision);
  }
  fail<ArgumentError>("[matmul_precision] unknown precision '{}'; known: {}", name, known);
}

void set_matmul_precision(MatmulPrecision precision) { t_precision = precision; }
MatmulPrecision matmul_precision() { return t_precision; }

MatmulPrecisionScope::MatmulPrecisionScope(MatmulPrecision precision) : before_(t_precision) {
  t_precision = precision;
}
MatmulPrecisionScope::~MatmulPrecisionScope() { t_precision = before_; }

}  // namespace gaia
