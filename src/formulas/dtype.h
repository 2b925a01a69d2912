// SPDX-License-Identifier: MIT
/// \file
/// Element types of arrays, and how two of them combine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "../core/error.h"
#include "../core/host_device.h"

namespace gaia {

/// bfloat16 is a storage type: arithmetic on it is carried out in float32, which is also the dtype
/// of its result.
enum class DType : std::uint8_t { boolean, int32, int64, bfloat16, float32, float64 };

/// The upper half of a float32, rounded to nearest even.
struct bfloat16 {
  std::uint16_t bits = 0;

  bfloat16() = default;
  GAIA_HOST_DEVICE explicit bfloat16(float value) {
    std::uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    const bool is_nan = (word & 0x7fffffffu) > 0x7f800000u;
    word = is_nan ? word | 0x00400000u : word + 0x7fffu + ((word >> 16) & 1u);
    bits = static_cast<std::uint16_t>(word >> 16);
  }
  GAIA_HOST_DEVICE explicit operator float() const {
    const std::uint32_t word = static_cast<std::uint32_t>(bits) << 16;
    float value = 0;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }
};

constexpr std::int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return 1;
    case DType::bfloat16:
      return 2;
    case DType::int32:
    case DType::float32:
      return 4;
    case DType::int64:
    case DType::float64:
      break;
  }
  return 8;
}

constexpr bool is_floating(DType dtype) {
  return dtype == DType::bfloat16 || dtype == DType::float32 || dtype == DType::float64;
}

constexpr bool is_integer(DType dtype) { return dtype == DType::int32 || dtype == DType::int64; }

/// "float32" and so on; "bool" for boolean.
std::string to_string(DType dtype);

/// \throws DTypeError for a name that is none, listing the known ones.
DType dtype_from_name(std::string_view name);

/// NumPy's promotion: the smallest type that holds both, so int32 with float32 gives float64.
/// bfloat16 counts as float32.
DType promote(DType a, DType b);

/// The type in which `exp` and its like return: floating types stay, integers and bool give
/// float64.
DType floating_result(DType dtype);

/// Marks a type in a generic lambda: `dispatch(dtype, [&](auto tag) { using T = typename
/// decltype(tag)::type; ... })`.
template <class T>
struct TypeTag {
  using type = T;
};

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return DType::boolean;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return DType::int64;
  if constexpr (std::is_same_v<T, bfloat16>) return DType::bfloat16;
  if constexpr (std::is_same_v<T, float>) return DType::float32;
  if constexpr (std::is_same_v<T, double>) return DType::float64;
}

/// Calls `f` with the TypeTag of `dtype`.
template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::boolean:
      return f(TypeTag<bool>{});
    case DType::int32:
      return f(TypeTag<std::int32_t>{});
    case DType::int64:
      return f(TypeTag<std::int64_t>{});
    case DType::bfloat16:
      return f(TypeTag<bfloat16>{});
    case DType::float32:
      return f(TypeTag<float>{});
    case DType::float64:
      break;
  }
  return f(TypeTag<double>{});
}

/// Calls `f` with the TypeTag of float or double.  \throws InternalError for another dtype.
template <class F>
decltype(auto) dispatch_floating(DType dtype, F&& f) {
  if (dtype == DType::float32) return f(TypeTag<float>{});
  if (dtype == DType::float64) return f(TypeTag<double>{});
  throw InternalError("[dispatch_floating] got " + to_string(dtype));
}

}  // namespace gaia
