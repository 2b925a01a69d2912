// SPDX-License-Identifier: MIT
/// \file
/// Elements of MAT files of level 5, and the numbers in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "../hdf5.h"

namespace gaia::hdf5::matlab {

/// Bytes of a tag: type and length of what follows.
inline constexpr std::int64_t kTag = 8;
/// What an array tells of itself before its numbers is no longer.
inline constexpr std::int64_t kMostHead = 4096;

// Types of elements.
inline constexpr int kInt8 = 1;
inline constexpr int kUint8 = 2;
inline constexpr int kInt16 = 3;
inline constexpr int kUint16 = 4;
inline constexpr int kInt32 = 5;
inline constexpr int kUint32 = 6;
inline constexpr int kSingle = 7;
inline constexpr int kDouble = 9;
inline constexpr int kInt64 = 12;
inline constexpr int kUint64 = 13;
inline constexpr int kMatrix = 14;
inline constexpr int kPacked = 15;
inline constexpr int kUtf8 = 16;

// Classes of arrays.
inline constexpr int kDoubleClass = 6;
inline constexpr int kUint64Class = 15;
inline constexpr int kOpaqueClass = 17;

/// "double"; "an unknown class".
const char* class_name(int kind);
/// Bytes of a number that is stored so; 0 for what is none.
std::int64_t stored_size(int type);
/// The type as which numbers of a class are passed on.
Type type_of_class(int kind);

template <class T>
T swapped_if(T value, bool is_swapped) {
  if (!is_swapped || sizeof(T) == 1) return value;
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::reverse(bytes, bytes + sizeof(T));
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <class T>
T load(const char* from, bool is_swapped) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return swapped_if(value, is_swapped);
}

/// to[i * stride] = number i as `type`, for `count` of them: the nearest that it has, as HDF5
/// converts.
void convert(int stored, const char* from, std::int64_t count, bool is_swapped, Type type, char* to,
             std::int64_t stride);

std::string in_quotes(const std::string& name);

}  // namespace gaia::hdf5::matlab
