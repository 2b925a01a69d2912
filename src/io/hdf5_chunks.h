// SPDX-License-Identifier: MIT
/// \file
/// Writes chunks of a packed dataset past HDF5's filters.
///
/// HDF5 shuffles and deflates on the calling thread, which takes longer than most runs take to
/// compute what they write.  It also takes chunks that are packed already, by all threads.
///
/// What is no shorter packed is written as it is.  HDF5 notes that with a chunk in the file, but
/// not with a dataset that it has open: one that is read again must be opened anew.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hdf5.h"

namespace gaia::hdf5 {

/// How the chunks of a dataset are packed: shuffled, then deflated, as Group::create_dataset asks.
struct Packing {
  std::vector<std::int64_t> chunk;
  std::int64_t element_bytes = 0;
  int deflate = 0;

  /// Rows of one chunk, along the first axis.
  std::int64_t rows() const { return chunk.front(); }
  std::int64_t bytes() const;
};

/// Nothing if a dataset is packed in another way or not at all, if a chunk does not hold whole
/// rows, or if it stores another type than `memory_type`.
std::optional<Packing> packing_of(const Dataset& dataset, std::int64_t memory_type);

/// Writes `count` chunks from row `first` on, both of whole chunks.  Returns whether all were
/// packed.
bool write_chunks(const Dataset& dataset, const Packing& packing, std::int64_t first,
                  std::int64_t count, const void* values);

/// The chunk that rows of a dataset were last written to, until it is full or rows go elsewhere.
///
/// A chunk that is packed anew whenever it holds more takes new room each time, and while readers
/// may look on HDF5 gives none back: 64 KiB that fill within hours and are committed four times a
/// second would take hundreds of MiB.  So a chunk that has taken as much room packed as it takes
/// unpacked is unpacked from then on, and overwritten in its place.  The rows that it held before
/// stay the same bytes there, whenever the program is killed.
class OpenChunk final : public HeldRows {
 public:
  /// With `rows` that the dataset has of it.
  OpenChunk(const Dataset& dataset, const Packing& packing, std::int64_t first, std::int64_t rows);
  ~OpenChunk() override;
  OpenChunk(const OpenChunk&) = delete;
  OpenChunk& operator=(const OpenChunk&) = delete;

  std::int64_t first() const { return first_; }
  bool is_packed() const { return is_packed_; }
  bool has_new_rows() const { return has_new_rows_; }

  void put(std::int64_t row, std::int64_t rows, const void* values);
  /// Writes the chunk if it has new rows.
  void write() override;
  /// Its dataset was opened anew.
  void belongs_to(std::int64_t dataset) { dataset_ = dataset; }

 private:
  std::int64_t dataset_;
  Place place_;
  Packing packing_;
  std::int64_t first_;
  std::vector<std::uint8_t> numbers_;
  std::int64_t last_ = 0;   // bytes that it was packed into last
  std::int64_t spent_ = 0;  // and in all
  bool is_packed_ = true;
  bool has_new_rows_ = false;
};

}  // namespace gaia::hdf5
