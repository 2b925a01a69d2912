// SPDX-License-Identifier: MIT
/// \file
/// What the files behind hdf5.h share: checked calls, places, types.
#pragma once

#include <cstdint>
#include <string>

#include "hdf5.h"

namespace gaia::hdf5 {

/// \throws OutputError or DataError: "FILE: cannot WHAT PATH (HDF5: reason)".
[[noreturn]] void fail(const Place& place, const std::string& what);

/// Keeps the failure for File::close(), where it cannot be thrown.
void note_failure(const Place& place, const char* what) noexcept;

/// A negative result of any HDF5 call becomes an error.
template <class T>
T check(T result, const Place& place, const char* what) {
  if (result < 0) fail(place, what);
  return result;
}

inline Handle own(std::int64_t id, const Place& place, const char* what) {
  return Handle(check(id, place, what));
}

/// HDF5 crashes or ends the program where it is refused memory for its own small needs, so a
/// shortage is met here, before it is called.  \throws std::bad_alloc unless there is room for such
/// needs.
void require_room();

/// The place of an object's child, or of an absolute path.
Place below(const Place& place, const std::string& name);

/// The rows [first, first + rows) of a dataset, selected in its space, and a space for them in
/// memory.
struct RowSelection {
  Handle stored;
  Handle memory;

  RowSelection(std::int64_t dataset, const Place& place, std::int64_t first, std::int64_t rows);
};

/// HDF5's identifier of a type as it is stored, little-endian.
std::int64_t file_type(Type type);

/// HDF5's identifier of T in memory, for the types of Type.
template <class T>
std::int64_t memory_type();
template <>
std::int64_t memory_type<std::int32_t>();
template <>
std::int64_t memory_type<std::int64_t>();
template <>
std::int64_t memory_type<std::uint8_t>();
template <>
std::int64_t memory_type<float>();
template <>
std::int64_t memory_type<double>();

/// Our name for a stored type; integers and floats that convert without loss have the next larger
/// one, truth values are bytes.
Type type_of(std::int64_t id);

}  // namespace gaia::hdf5
