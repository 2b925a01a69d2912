// SPDX-License-Identifier: MIT
#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "../core/checked.h"
#include "../core/error.h"
#include "hdf5_calls.h"

namespace gaia::hdf5 {
namespace {

std::vector<hsize_t> to_hsize(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

std::int64_t size_of(Type type) {
  switch (type) {
    case Type::uint8:
      return 1;
    case Type::int32:
    case Type::float32:
      return 4;
    case Type::int64:
    case Type::float64:
    case Type::other:
      break;
  }
  return 8;
}

namespace {

/// A chunk that does not fit into the cache is read and compressed anew at every write.
void cache_chunks(const Handle& access, const std::vector<hsize_t>& chunk, std::size_t element,
                  const Place& at) {
  std::size_t bytes = element;
  for (const hsize_t length : chunk) bytes *= length;
  const std::size_t cache = std::max<std::size_t>(2 * bytes, 1 << 20);
  check(H5Pset_chunk_cache(access.id(), 521, cache, 1.0), at, "lay out");
}

}  // namespace

Dataset Group::create_dataset(const std::string& name, const Layout& layout) {
  const Place at = below(place_, name);
  const auto rank = static_cast<int>(layout.shape.size());
  std::vector<hsize_t> shape = to_hsize(layout.shape);
  std::vector<hsize_t> limits = shape;
  if (layout.can_grow) limits.front() = H5S_UNLIMITED;
  const Handle space =
      own(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape.data(), limits.data()),
          at, "lay out");
  const Handle creation = own(H5Pcreate(H5P_DATASET_CREATE), at, "lay out");
  const Handle access = own(H5Pcreate(H5P_DATASET_ACCESS), at, "lay out");
  if (!layout.chunk.empty()) {
    const std::vector<hsize_t> chunk = to_hsize(layout.chunk);
    check(H5Pset_chunk(creation.id(), rank, chunk.data()), at, "lay out");
    cache_chunks(access, chunk, static_cast<std::size_t>(size_of(layout.type)), at);
    if (layout.deflate > 0) {
      check(H5Pset_shuffle(creation.id()), at, "lay out");
      check(H5Pset_deflate(creation.id(), static_cast<unsigned>(layout.deflate)), at, "lay out");
    }
  } else {
    // In place from the start, so that SWMR writes only fill it.
    check(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), at, "lay out");
  }
  const double nan = std::nan("");
  if (layout.type == Type::float32 || layout.type == Type::float64) {
    check(H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &nan), at, "lay out");
  }
  check(H5Pset_attr_phase_change(creation.id(), 64, 0), at, "lay out");
  return {own(H5Dcreate2(handle_.id(), name.c_str(), file_type(layout.type), space.id(),
                         H5P_DEFAULT, creation.id(), access.id()),
              at, "create"),
          at};
}

Dataset Group::create_like(const std::string& name, const Dataset& model) {
  const Place at = below(place_, name);
  const Place& from = model.place_;
  const std::string foreign = model.foreign_storage();
  if (!foreign.empty() || model.type() == Type::other) {
    throw DataError(from.file + ": " + from.path + " is not an array of numbers in this file");
  }
  const Handle type = own(H5Dget_type(model.id()), from, "read the type of");
  const Handle creation = own(H5Dget_create_plist(model.id()), from, "look at");
  const Handle access = own(H5Pcreate(H5P_DATASET_ACCESS), at, "lay out");
  std::vector<hsize_t> shape = to_hsize(model.shape());
  std::vector<hsize_t> limits = shape;
  if (model.can_grow()) {
    shape.front() = 0;
    limits.front() = H5S_UNLIMITED;
  }
  const auto rank = static_cast<int>(shape.size());
  if (H5Pget_layout(creation.id()) == H5D_CHUNKED) {
    std::vector<hsize_t> chunk(shape.size());
    check(H5Pget_chunk(creation.id(), rank, chunk.data()), from, "look at");
    cache_chunks(access, chunk, static_cast<std::size_t>(size_of(model.type())), at);
  }
  const Handle space =
      own(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape.data(), limits.data()),
          at, "lay out");
  return {own(H5Dcreate2(handle_.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                         creation.id(), access.id()),
              at, "create"),
          at};
}

Dataset::Dataset(Handle handle, Place place) : Object(std::move(handle), std::move(place)) {
  const Handle stored = own(H5Dget_type(handle_.id()), place_, "read the type of");
  type_ = type_of(stored.id());
}

std::vector<std::int64_t> Dataset::shape() const {
  if (!place_.writing) check(H5Drefresh(handle_.id()), place_, "look at");
  const Handle space = own(H5Dget_space(handle_.id()), place_, "look at");
  const int rank = check(H5Sget_simple_extent_ndims(space.id()), place_, "look at");
  std::vector<hsize_t> lengths(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.id(), lengths.data(), nullptr), place_, "look at");
  std::vector<std::int64_t> shape;
  for (const hsize_t length : lengths) {
    if (length > static_cast<hsize_t>(std::numeric_limits<std::int64_t>::max())) {
      fail(place_, "use the size of");
    }
    shape.push_back(static_cast<std::int64_t>(length));
  }
  return shape;
}

std::int64_t Dataset::stored_bytes() const {
  return static_cast<std::int64_t>(H5Dget_storage_size(handle_.id()));
}

void Dataset::resize(std::int64_t length) {
  std::vector<hsize_t> lengths = to_hsize(shape());
  lengths.front() = static_cast<hsize_t>(length);
  check(H5Dset_extent(handle_.id(), lengths.data()), place_, "resize");
}

namespace {

/// The rows [first, first + rows) of a dataset, selected in its space, and a space for them in
/// memory.
struct RowSelection {
  Handle stored;
  Handle memory;

  RowSelection(std::int64_t dataset, const Place& place, std::int64_t first, std::int64_t rows) {
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
};

}  // namespace

template <class T>
void Dataset::write_rows(std::int64_t first, std::int64_t rows, const T* values) {
  if (rows == 0) return;
  const RowSelection rows_of(handle_.id(), place_, first, rows);
  check(H5Dwrite(handle_.id(), memory_type<T>(), rows_of.memory.id(), rows_of.stored.id(),
                 H5P_DEFAULT, values),
        place_, "write to");
}

template <class T>
void Dataset::write(std::span<const T> values) {
  if (values.empty()) return;
  check(H5Dwrite(handle_.id(), memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
        place_, "write to");
}

template <class T>
void Dataset::read_rows(std::int64_t first, std::int64_t rows, T* values) const {
  if (rows == 0) return;
  const RowSelection rows_of(handle_.id(), place_, first, rows);
  check(H5Dread(handle_.id(), memory_type<T>(), rows_of.memory.id(), rows_of.stored.id(),
                H5P_DEFAULT, values),
        place_, "read from");
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
    check(H5Dread(handle_.id(), memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          place_, "read from");
  }
  return values;
}

#define GAIA_INSTANTIATE(T)                                                \
  template void Dataset::write_rows(std::int64_t, std::int64_t, const T*); \
  template void Dataset::write(std::span<const T>);                        \
  template void Dataset::read_rows(std::int64_t, std::int64_t, T*) const;  \
  template std::vector<T> Dataset::read() const;
GAIA_INSTANTIATE(std::int32_t)
GAIA_INSTANTIATE(std::int64_t)
GAIA_INSTANTIATE(std::uint8_t)
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

void Dataset::flush() { check(H5Dflush(handle_.id()), place_, "flush"); }

void Dataset::make_scale(const std::string& name) {
  check(H5DSset_scale(handle_.id(), name.c_str()), place_, "make a coordinate of");
}

void Dataset::attach_scale(int axis, const Dataset& scale) {
  check(H5DSattach_scale(handle_.id(), scale.handle_.id(), static_cast<unsigned>(axis)), place_,
        "attach a coordinate to");
}

std::vector<std::string> Dataset::scale_paths() const {
  const std::size_t rank = shape().size();
  std::vector<std::string> paths(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    H5DSiterate_scales(
        handle_.id(), static_cast<unsigned>(axis), nullptr,
        [](hid_t, unsigned, hid_t scale, void* data) -> herr_t {
          char name[256] = "";
          if (H5Iget_name(scale, name, sizeof name) > 0) *static_cast<std::string*>(data) = name;
          return 1;
        },
        &paths[axis]);
  }
  H5Eclear2(H5E_DEFAULT);
  return paths;
}

std::vector<std::string> Dataset::scales() const {
  std::vector<std::string> names = scale_paths();
  for (std::string& name : names) name.erase(0, name.rfind('/') + 1);
  return names;
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

}  // namespace gaia::hdf5
