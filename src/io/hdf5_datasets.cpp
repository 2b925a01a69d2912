// SPDX-License-Identifier: MIT
/// \file
/// Datasets of hdf5.h as they are looked at and read.
#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "../core/checked.h"
#include "../core/error.h"
#include "hdf5_calls.h"

namespace gaia::hdf5 {

std::int64_t size_of(Type type) {
  switch (type) {
    case Type::uint8:
      return 1;
    case Type::int32:
    case Type::float32:
      return 4;
    case Type::text:
      return static_cast<std::int64_t>(kTextCell);
    case Type::int64:
    case Type::float64:
    case Type::other:
      break;
  }
  return 8;
}

Dataset::Dataset(Handle handle, Place place) : Object(std::move(handle), std::move(place)) {
  const Handle stored = own(H5Dget_type(handle_.id()), place_, "read the type of");
  type_ = type_of(stored.id());
}

Dataset::Dataset(Dataset&& other) noexcept = default;

Dataset& Dataset::operator=(Dataset&& other) noexcept {
  Object::operator=(std::move(other));
  std::swap(type_, other.type_);
  std::swap(held_, other.held_);
  std::swap(has_unpacked_chunks_, other.has_unpacked_chunks_);
  return *this;
}

Dataset::~Dataset() {
  if (held_ == nullptr || place_.writing->has_failed) return;
  try {
    held_->write();
  } catch (...) {
    note_failure(place_, "write");
  }
}

namespace {

/// Whether another process may be writing the file that a dataset is read from.
bool may_grow(const Handle& dataset, const Place& place) {
  const Handle file = own(H5Iget_file_id(dataset.id()), place, "look at");
  unsigned intent = 0;
  check(H5Fget_intent(file.id(), &intent), place, "look at");
  return (intent & H5F_ACC_SWMR_READ) != 0;
}

/// The shape that HDF5 has in memory.
std::vector<std::int64_t> known_shape(const Handle& dataset, const Place& place) {
  const Handle space = own(H5Dget_space(dataset.id()), place, "look at");
  const int rank = check(H5Sget_simple_extent_ndims(space.id()), place, "look at");
  std::vector<hsize_t> lengths(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.id(), lengths.data(), nullptr), place, "look at");
  std::vector<std::int64_t> shape;
  for (const hsize_t length : lengths) {
    if (length > static_cast<hsize_t>(std::numeric_limits<std::int64_t>::max())) {
      fail(place, "use the size of");
    }
    shape.push_back(static_cast<std::int64_t>(length));
  }
  return shape;
}

}  // namespace

std::vector<std::int64_t> Dataset::shape() const {
  // It goes through all that HDF5 keeps of the file in memory.
  const bool is_stale = !place_.writing && may_grow(handle_, place_);
  if (is_stale) check(H5Drefresh(handle_.id()), place_, "look at");
  return known_shape(handle_, place_);
}

std::int64_t Dataset::element_bytes() const {
  const Handle stored = own(H5Dget_type(handle_.id()), place_, "read the type of");
  return static_cast<std::int64_t>(H5Tget_size(stored.id()));
}

std::int64_t Dataset::stored_bytes() const {
  return static_cast<std::int64_t>(H5Dget_storage_size(handle_.id()));
}

template <class T>
void Dataset::read_rows(std::int64_t first, std::int64_t rows, T* values) const {
  if (rows == 0) return;
  const RowSelection rows_of(handle_.id(), place_, first, rows);
  check(H5Dread(handle_.id(), memory_type<T>(), rows_of.memory.id(), rows_of.stored.id(),
                H5P_DEFAULT, values),
        place_, "read from");
}

void Dataset::read_rows(Type type, std::int64_t first, std::int64_t rows, void* values) const {
  switch (type) {
    case Type::int32:
      return read_rows(first, rows, static_cast<std::int32_t*>(values));
    case Type::int64:
      return read_rows(first, rows, static_cast<std::int64_t*>(values));
    case Type::uint8:
      return read_rows(first, rows, static_cast<std::uint8_t*>(values));
    case Type::float32:
      return read_rows(first, rows, static_cast<float*>(values));
    case Type::float64:
    case Type::other:
      return read_rows(first, rows, static_cast<double*>(values));
    case Type::text:
      return read_texts(first, rows, static_cast<char*>(values));
  }
}

template <class T>
std::vector<T> Dataset::read() const {
  std::int64_t count = 1;
  for (const std::int64_t length : shape()) {
    const auto product = checked_multiply(count, length);
    // What is claimed must be there: an array in memory has at most 2^40 bytes.
    if (!product || *product > (std::int64_t{1} << 40) / static_cast<std::int64_t>(sizeof(T))) {
      throw DataError(place_.file + ": " + place_.path + " claims more numbers than can be read");
    }
    count = *product;
  }
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0) {
    require_room();
    check(H5Dread(handle_.id(), memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          place_, "read from");
  }
  return values;
}

#define GAIA_INSTANTIATE(T)                                               \
  template void Dataset::read_rows(std::int64_t, std::int64_t, T*) const; \
  template std::vector<T> Dataset::read() const;
GAIA_INSTANTIATE(std::int32_t)
GAIA_INSTANTIATE(std::int64_t)
GAIA_INSTANTIATE(std::uint8_t)
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

bool Dataset::is_scale() const { return H5DSis_scale(handle_.id()) > 0; }

namespace {

/// What `look` says of the first coordinate of each axis; T() where an axis has none.
template <class T>
std::vector<T> look_at_scales(const Handle& dataset, const Place& place, T (*look)(hid_t scale)) {
  const Handle space = own(H5Dget_space(dataset.id()), place, "look at");
  const int rank = check(H5Sget_simple_extent_ndims(space.id()), place, "look at");
  struct Looking {
    T (*look)(hid_t scale);
    T seen;
  };
  std::vector<T> all;
  for (int axis = 0; axis < rank; ++axis) {
    Looking looking{look, T()};
    H5DSiterate_scales(
        dataset.id(), static_cast<unsigned>(axis), nullptr,
        [](hid_t, unsigned, hid_t scale, void* data) -> herr_t {
          auto& now = *static_cast<Looking*>(data);
          now.seen = now.look(scale);
          return 1;
        },
        &looking);
    all.push_back(std::move(looking.seen));
  }
  H5Eclear2(H5E_DEFAULT);
  return all;
}

}  // namespace

std::vector<std::string> Dataset::scales() const {
  return look_at_scales<std::string>(handle_, place_, [](hid_t scale) {
    char name[256] = "";
    return std::string(H5DSget_scale_name(scale, name, sizeof name) > 0 ? name : "");
  });
}

std::vector<std::optional<std::uint64_t>> Dataset::scale_addresses() const {
  using Address = std::optional<std::uint64_t>;
  return look_at_scales<Address>(handle_, place_, [](hid_t scale) {
    H5O_info_t info;
    const bool known = H5Oget_info2(scale, &info, H5O_INFO_BASIC) >= 0;
    return known ? Address(info.addr) : std::nullopt;
  });
}

std::optional<std::string> Dataset::scale_name() const {
  if (text_attribute("CLASS") != "DIMENSION_SCALE") return std::nullopt;
  return text_attribute("NAME").value_or("");
}

bool Dataset::can_grow() const {
  const Handle space = own(H5Dget_space(handle_.id()), place_, "look at");
  const int rank = check(H5Sget_simple_extent_ndims(space.id()), place_, "look at");
  std::vector<hsize_t> limits(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.id(), nullptr, limits.data()), place_, "look at");
  return rank > 0 && limits.front() == H5S_UNLIMITED;
}

std::string Dataset::foreign_storage() const {
  const Handle properties = own(H5Dget_create_plist(handle_.id()), place_, "look at");
  if (H5Pget_external_count(properties.id()) > 0) return "external files";
  if (H5Pget_layout(properties.id()) == H5D_VIRTUAL) return "other files (a virtual dataset)";
  return {};
}

std::string Dataset::other_filter() const {
  const Handle properties = own(H5Dget_create_plist(handle_.id()), place_, "look at");
  const int count = check(H5Pget_nfilters(properties.id()), place_, "look at");
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t filter =
        check(H5Pget_filter2(properties.id(), static_cast<unsigned>(i), &flags, &values, nullptr,
                             name.size(), name.data(), nullptr),
              place_, "look at");
    const bool known = filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE ||
                       filter == H5Z_FILTER_FLETCHER32;
    if (!known) return std::to_string(filter) + " '" + std::string(name.data()) + "'";
  }
  return {};
}

std::vector<std::int64_t> Dataset::chunk() const {
  const Handle properties = own(H5Dget_create_plist(handle_.id()), place_, "look at");
  if (H5Pget_layout(properties.id()) != H5D_CHUNKED) return {};
  std::array<hsize_t, H5S_MAX_RANK> lengths{};
  const int rank =
      check(H5Pget_chunk(properties.id(), H5S_MAX_RANK, lengths.data()), place_, "look at");
  return {lengths.begin(), lengths.begin() + rank};
}

std::int64_t Dataset::stored_bytes_of(const std::vector<std::int64_t>& lengths) const {
  const Handle stored = own(H5Dget_type(handle_.id()), place_, "look at");
  std::optional<std::int64_t> bytes = static_cast<std::int64_t>(H5Tget_size(stored.id()));
  for (const std::int64_t length : lengths) {
    if (bytes) bytes = checked_multiply(*bytes, length);
  }
  return bytes.value_or(std::numeric_limits<std::int64_t>::max());
}

std::int64_t Dataset::chunk_bytes() const {
  const std::vector<std::int64_t> lengths = chunk();
  return lengths.empty() ? 0 : stored_bytes_of(lengths);
}

std::int64_t Dataset::chunk_row_bytes() const {
  std::vector<std::int64_t> lengths = chunk();
  if (lengths.empty()) return 0;
  const std::vector<std::int64_t> whole = known_shape(handle_, place_);
  for (std::size_t axis = 1; axis < lengths.size() && axis < whole.size(); ++axis) {
    lengths[axis] = std::max(lengths[axis], whole[axis]);
  }
  return stored_bytes_of(lengths);
}

}  // namespace gaia::hdf5
