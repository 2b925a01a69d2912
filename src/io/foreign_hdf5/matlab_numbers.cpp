// SPDX-License-Identifier: MIT
#include "matlab_numbers.h"

#include <limits>
#include <type_traits>
#include <utility>

#include "../../core/text.h"

namespace gaia::hdf5::matlab {
namespace {

/// The nearest number that `To` has, as HDF5 converts.
template <class To, class From>
To converted(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    if (!(value > static_cast<From>(std::numeric_limits<To>::lowest()))) {
      return std::numeric_limits<To>::lowest();
    }
    if (value >= static_cast<From>(std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
  } else {
    if (std::cmp_less(value, std::numeric_limits<To>::lowest())) {
      return std::numeric_limits<To>::lowest();
    }
    if (std::cmp_greater(value, std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
  }
}

/// to[i * stride] = number i, for `count` of them.
template <class To, class From>
void convert_run(const char* from, std::int64_t count, bool is_swapped, char* to,
                 std::int64_t stride) {
  for (std::int64_t i = 0; i < count; ++i) {
    const To value =
        converted<To>(load<From>(from + i * static_cast<std::int64_t>(sizeof(From)), is_swapped));
    std::memcpy(to + i * stride * static_cast<std::int64_t>(sizeof(To)), &value, sizeof value);
  }
}

template <class To>
void convert_stored(int stored, const char* from, std::int64_t count, bool is_swapped, char* to,
                    std::int64_t stride) {
  const auto as = [&]<class From>(From /*type*/) {
    convert_run<To, From>(from, count, is_swapped, to, stride);
  };
  switch (stored) {
    case kInt8:
      return as(std::int8_t{});
    case kUint8:
      return as(std::uint8_t{});
    case kInt16:
      return as(std::int16_t{});
    case kUint16:
      return as(std::uint16_t{});
    case kInt32:
      return as(std::int32_t{});
    case kUint32:
      return as(std::uint32_t{});
    case kSingle:
      return as(float{});
    case kInt64:
      return as(std::int64_t{});
    case kUint64:
      return as(std::uint64_t{});
    default:
      return as(double{});
  }
}

}  // namespace

const char* class_name(int kind) {
  constexpr const char* names[] = {"",       "cell",   "struct", "object", "char",     "sparse",
                                   "double", "single", "int8",   "uint8",  "int16",    "uint16",
                                   "int32",  "uint32", "int64",  "uint64", "function", "object"};
  return kind >= 1 && kind <= kOpaqueClass ? names[kind] : "an unknown class";
}

std::int64_t stored_size(int type) {
  switch (type) {
    case kInt8:
    case kUint8:
      return 1;
    case kInt16:
    case kUint16:
      return 2;
    case kInt32:
    case kUint32:
    case kSingle:
      return 4;
    case kDouble:
    case kInt64:
    case kUint64:
      return 8;
    default:
      return 0;
  }
}

Type type_of_class(int kind) {
  constexpr Type types[] = {Type::float64, Type::float32, Type::int32, Type::uint8, Type::int32,
                            Type::int32,   Type::int32,   Type::int64, Type::int64, Type::int64};
  return kind >= kDoubleClass && kind <= kUint64Class ? types[kind - kDoubleClass] : Type::other;
}

void convert(int stored, const char* from, std::int64_t count, bool is_swapped, Type type, char* to,
             std::int64_t stride) {
  switch (type) {
    case Type::int32:
      return convert_stored<std::int32_t>(stored, from, count, is_swapped, to, stride);
    case Type::int64:
      return convert_stored<std::int64_t>(stored, from, count, is_swapped, to, stride);
    case Type::uint8:
      return convert_stored<std::uint8_t>(stored, from, count, is_swapped, to, stride);
    case Type::float32:
      return convert_stored<float>(stored, from, count, is_swapped, to, stride);
    default:
      return convert_stored<double>(stored, from, count, is_swapped, to, stride);
  }
}

std::string in_quotes(const std::string& name) { return "'" + printable(name) + "'"; }

}  // namespace gaia::hdf5::matlab
