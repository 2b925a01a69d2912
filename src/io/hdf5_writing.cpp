// SPDX-License-Identifier: MIT
/// \file
/// Datasets of hdf5.h as they are laid out and filled.
#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"
#include "hdf5_calls.h"
#include "hdf5_chunks.h"

namespace gaia::hdf5 {
namespace {

std::vector<hsize_t> to_hsize(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

/// A chunk that does not fit into the cache is read and compressed anew at every write.  Rows are
/// written one after another, so the chunk that they go to and the one before are enough.
void cache_chunks(const Handle& access, const std::vector<hsize_t>& chunk, std::size_t element,
                  const Place& at) {
  std::size_t bytes = element;
  for (const hsize_t length : chunk) bytes *= length;
  check(H5Pset_chunk_cache(access.id(), 521, 2 * bytes, 1.0), at, "lay out");
}

}  // namespace

Dataset Group::create_dataset(const std::string& name, const Layout& layout) {
  require_room();
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
  require_room();
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

OpenChunk* Dataset::open_chunk() const { return static_cast<OpenChunk*>(held_.get()); }

void Dataset::flush() {
  require_room();
  write_open_chunk();
  check(H5Dflush(handle_.id()), place_, "flush");
}

void Dataset::write_open_chunk() {
  if (held_ == nullptr || !open_chunk()->has_new_rows()) return;
  held_->write();
  has_unpacked_chunks_ = has_unpacked_chunks_ || !open_chunk()->is_packed();
}

void Dataset::reopen() {
  const Handle access = own(H5Pcreate(H5P_DATASET_ACCESS), place_, "open");
  cache_chunks(access, to_hsize(chunk()), static_cast<std::size_t>(size_of(type_)), place_);
  const Handle file = own(H5Iget_file_id(handle_.id()), place_, "open");
  close_object();
  handle_ = own(H5Dopen2(file.id(), place_.path.c_str(), access.id()), place_, "open");
  if (held_ != nullptr) open_chunk()->belongs_to(handle_.id());
  has_unpacked_chunks_ = false;
}

void Dataset::limit_cache() {
  if (chunk().empty()) return;
  flush();
  reopen();
}

void Dataset::resize(std::int64_t length) {
  require_room();
  std::vector<hsize_t> lengths = to_hsize(shape());
  if (static_cast<hsize_t>(length) < lengths.front()) {
    throw InternalError("[resize] " + place_.path + " of " + std::to_string(lengths.front()) +
                        " rows to " + std::to_string(length) + "; datasets only grow");
  }
  lengths.front() = static_cast<hsize_t>(length);
  check(H5Dset_extent(handle_.id(), lengths.data()), place_, "resize");
}

OpenChunk& Dataset::open_chunk(const Packing& packing, std::int64_t first, std::int64_t rows) {
  if (held_ == nullptr || open_chunk()->first() != first) {
    write_open_chunk();
    if (rows > 0 && has_unpacked_chunks_) reopen();
    held_ = std::make_unique<OpenChunk>(*this, packing, first, rows);
  }
  return *open_chunk();
}

template <class T>
void Dataset::write_rows(std::int64_t first, std::int64_t rows, const T* values) {
  require_room();
  if (rows == 0) return;
  const std::optional<Packing> packing = packing_of(*this, memory_type<T>());
  if (!packing || place_.writing == nullptr) {
    const RowSelection rows_of(handle_.id(), place_, first, rows);
    check(H5Dwrite(handle_.id(), memory_type<T>(), rows_of.memory.id(), rows_of.stored.id(),
                   H5P_DEFAULT, values),
          place_, "write to");
    return;
  }
  const std::int64_t length = packing->rows();
  const std::int64_t row = packing->bytes() / packing->element_bytes / length;
  const auto write_part = [&](std::int64_t from, std::int64_t count, const T* numbers) {
    if (count == 0) return;
    const std::int64_t chunk = from / length * length;
    const std::int64_t there = std::min(length, shape().front() - chunk);
    const bool all_are_new = from == chunk && count == there;
    open_chunk(*packing, chunk, all_are_new ? 0 : there).put(from, count, numbers);
    if ((from + count) % length == 0) write_open_chunk();
  };
  const std::int64_t head = std::min(rows, (length - first % length) % length);
  const std::int64_t whole = (rows - head) / length;
  const std::int64_t written = head + whole * length;
  write_part(first, head, values);
  if (whole > 0) {
    write_open_chunk();
    held_.reset();
    has_unpacked_chunks_ =
        !write_chunks(*this, *packing, first + head, whole, values + head * row) ||
        has_unpacked_chunks_;
  }
  write_part(first + written, rows - written, values + written * row);
}

template <class T>
void Dataset::write(std::span<const T> values) {
  if (values.empty()) return;
  require_room();
  check(H5Dwrite(handle_.id(), memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
        place_, "write to");
}

#define GAIA_INSTANTIATE(T)                                                \
  template void Dataset::write_rows(std::int64_t, std::int64_t, const T*); \
  template void Dataset::write(std::span<const T>);
GAIA_INSTANTIATE(std::int32_t)
GAIA_INSTANTIATE(std::int64_t)
GAIA_INSTANTIATE(std::uint8_t)
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

void Dataset::make_scale(const std::string& name) {
  check(H5DSset_scale(handle_.id(), name.c_str()), place_, "make a coordinate of");
}

void Dataset::attach_scale(int axis, const Dataset& scale) {
  require_room();
  check(H5DSattach_scale(handle_.id(), scale.handle_.id(), static_cast<unsigned>(axis)), place_,
        "attach a coordinate to");
}

}  // namespace gaia::hdf5
