// SPDX-License-Identifier: MIT
#include "dtype.h"

#include <algorithm>
#include <array>

#include "../core/message.h"

namespace gaia {
namespace {

constexpr std::array kAll = {DType::boolean,  DType::int32,   DType::int64,
                             DType::bfloat16, DType::float32, DType::float64};

}  // namespace

std::string to_string(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return "bool";
    case DType::int32:
      return "int32";
    case DType::int64:
      return "int64";
    case DType::bfloat16:
      return "bfloat16";
    case DType::float32:
      return "float32";
    case DType::float64:
      break;
  }
  return "float64";
}

DType dtype_from_name(std::string_view name) {
  std::string known;
  for (const DType dtype : kAll) {
    if (to_string(dtype) == name) return dtype;
    known += (known.empty() ? "" : ", ") + to_string(dtype);
  }
  fail<DTypeError>("[dtype] unknown dtype '{}'; known: {}", name, known);
}

DType promote(DType a, DType b) {
  if (a == b && a != DType::bfloat16) return a;
  if (a == DType::bfloat16) a = DType::float32;
  if (b == DType::bfloat16) b = DType::float32;
  const DType wide = std::max(a, b);
  const DType narrow = std::min(a, b);
  // A float32 has 24 bits for an integer, a float64 has 53.
  return wide == DType::float32 && is_integer(narrow) ? DType::float64 : wide;
}

DType floating_result(DType dtype) {
  if (dtype == DType::bfloat16) return DType::float32;
  return is_floating(dtype) ? dtype : DType::float64;
}

}  // namespace gaia
