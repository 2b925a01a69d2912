// SPDX-License-Identifier: MIT
#include "hdf5_calls.h"

#include <hdf5.h>
#include <sys/mman.h>

#include <new>
#include <utility>

#include "../core/error.h"
#include "../core/text.h"

namespace gaia::hdf5 {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

/// The innermost entry of HDF5's error stack, which is where something went wrong.
std::string reason() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* entry, void* data) -> herr_t {
        auto& first = *static_cast<std::string*>(data);
        if (first.empty() && entry->desc != nullptr) first = entry->desc;
        return 0;
      },
      &text);
  H5Eclear2(H5E_DEFAULT);
  return printable(text.empty() ? "unknown reason" : text);
}

std::string message_of(const Place& place, const std::string& what) {
  std::string message = place.file + ": cannot " + what;
  if (!place.path.empty() && place.path != "/") message += " " + place.path;
  message += " (HDF5: " + reason() + ")";
  if (place.file.ends_with(".yaml") || place.file.ends_with(".yml")) {
    message +=
        "; expected a result, which is an HDF5 file, got the name of an experiment, which "
        "`gaia run` and `gaia check` take";
  }
  return message;
}

}  // namespace

void fail(const Place& place, const std::string& what) {
  if (place.writing == nullptr) throw DataError(message_of(place, what));
  const bool is_first = !std::exchange(place.writing->has_failed, true);
  const std::string message = message_of(place, what);
  if (is_first) place.writing->failure = message;
  throw OutputError(message);
}

void note_failure(const Place& place, const char* what) noexcept {
  if (std::exchange(place.writing->has_failed, true)) return;
  try {
    place.writing->failure = message_of(place, what);
  } catch (const std::bad_alloc&) {
    H5Eclear2(H5E_DEFAULT);
  }
}

void require_room() {
  constexpr std::size_t needs = std::size_t{32} << 20;
  void* const room =
      ::mmap(nullptr, needs, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  ::munmap(room, needs);
}

Place below(const Place& place, const std::string& name) {
  Place child = place;
  if (!name.empty() && name.front() == '/') {
    child.path = name;
  } else {
    child.path = (place.path == "/" ? "" : place.path) + "/" + name;
  }
  return child;
}

std::int64_t file_type(Type type) {
  switch (type) {
    case Type::int32:
      return H5T_STD_I32LE;
    case Type::int64:
      return H5T_STD_I64LE;
    case Type::uint8:
      return H5T_STD_U8LE;
    case Type::float32:
      return H5T_IEEE_F32LE;
    case Type::float64:
      return H5T_IEEE_F64LE;
    case Type::other:
    case Type::text:
      break;
  }
  return -1;
}

template <>
std::int64_t memory_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
std::int64_t memory_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
std::int64_t memory_type<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}
template <>
std::int64_t memory_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
std::int64_t memory_type<double>() {
  return H5T_NATIVE_DOUBLE;
}

namespace {

/// Whether it is a truth value as h5py stores them: an enumeration of FALSE = 0 and TRUE = 1 in one
/// byte.
bool is_truth_value(std::int64_t id) {
  if (H5Tget_class(id) != H5T_ENUM || H5Tget_size(id) != 1 || H5Tget_nmembers(id) != 2)
    return false;
  for (const auto& [name, value] : {std::pair("FALSE", 0), std::pair("TRUE", 1)}) {
    std::int8_t found = -1;
    if (H5Tenum_valueof(id, name, &found) < 0 || found != value) {
      H5Eclear2(H5E_DEFAULT);
      return false;
    }
  }
  return true;
}

}  // namespace

Type type_of(std::int64_t id) {
  if (is_truth_value(id)) return Type::uint8;
  const H5T_class_t kind = H5Tget_class(id);
  const std::size_t size = H5Tget_size(id);
  if (kind == H5T_FLOAT && size <= 8) return size <= 4 ? Type::float32 : Type::float64;
  if (kind == H5T_INTEGER && size <= 8) {
    const bool is_signed = H5Tget_sign(id) == H5T_SGN_2;
    if (size == 1 && !is_signed) return Type::uint8;
    return size < 4 || (size == 4 && is_signed) ? Type::int32 : Type::int64;
  }
  return Type::other;
}

RowSelection::RowSelection(std::int64_t dataset, const Place& place, std::int64_t first,
                           std::int64_t rows) {
  require_room();
  stored = own(H5Dget_space(dataset), place, "select from");
  const int rank = H5Sget_simple_extent_ndims(stored.id());
  if (rank == 0) {
    memory = own(H5Screate(H5S_SCALAR), place, "select from");
    return;
  }
  std::vector<hsize_t> count(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(stored.id(), count.data(), nullptr), place, "select from");
  std::vector<hsize_t> start(count.size(), 0);
  start.front() = static_cast<hsize_t>(first);
  count.front() = static_cast<hsize_t>(rows);
  check(H5Sselect_hyperslab(stored.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                            nullptr),
        place, "select from");
  memory = own(H5Screate_simple(rank, count.data(), nullptr), place, "select from");
}

}  // namespace gaia::hdf5
