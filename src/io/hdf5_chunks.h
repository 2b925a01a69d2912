// SPDX-License-Identifier: MIT
/// \file
/// Writes whole chunks of a packed dataset, packed by all threads.
///
/// HDF5 shuffles and deflates on the calling thread, which takes longer than most runs take to
/// compute what they write.  It also takes chunks that are packed already.
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

  /// Of rows, the first axis, that are the numbers of one chunk.
  std::int64_t rows() const { return chunk.front(); }
  std::int64_t bytes() const;
};

/// Nothing if a dataset is packed in another way or not at all, if a chunk does not hold whole
/// rows, or if it stores another type than `memory_type`.
std::optional<Packing> packing_of(const Dataset& dataset, std::int64_t memory_type);

/// Writes `count` chunks from row `first` on, both of whole chunks.
void write_chunks(const Dataset& dataset, const Packing& packing, std::int64_t first,
                  std::int64_t count, const void* values);

}  // namespace gaia::hdf5
