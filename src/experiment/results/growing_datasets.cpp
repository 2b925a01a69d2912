// SPDX-License-Identifier: MIT
#include "growing_datasets.h"

#include <algorithm>

#include "results_parts.h"

namespace gaia {
namespace {

constexpr std::int64_t kLeastChunk = 64 << 10;   // bytes
constexpr std::int64_t kUsualChunk = 256 << 10;  // bytes
constexpr std::int64_t kMostChunk = 1 << 20;     // bytes

/// Rows per chunk: whole blocks where they are large enough, so that no chunk is written twice.
std::int64_t chunk_rows(std::int64_t row_bytes, std::int64_t all_rows, std::int64_t block_rows) {
  const std::int64_t block_bytes = std::max<std::int64_t>(1, block_rows * row_bytes);
  std::int64_t rows = 0;
  if (block_bytes >= kLeastChunk) {
    const std::int64_t parts = std::max<std::int64_t>(1, block_bytes / kUsualChunk);
    rows = (block_rows + parts - 1) / parts;
  } else {
    rows = (kLeastChunk + row_bytes - 1) / row_bytes;
  }
  rows = std::min(rows, std::max<std::int64_t>(1, kMostChunk / row_bytes));
  return std::clamp<std::int64_t>(rows, 1, std::max<std::int64_t>(1, all_rows));
}

}  // namespace

hdf5::Dataset GrowingDatasets::dataset(hdf5::Group& group, const std::string& name, hdf5::Type type,
                                       const std::vector<std::int64_t>& row_shape,
                                       std::int64_t all_rows, std::int64_t block_rows) const {
  const std::int64_t size = hdf5::size_of(type);
  std::int64_t row_bytes = size;
  hdf5::Layout as{.type = type, .shape = {0}, .chunk = {1}, .can_grow = true};
  for (const std::int64_t length : row_shape) {
    as.shape.push_back(length);
    as.chunk.push_back(std::min(length, kMostChunk / row_bytes + 1));
    row_bytes *= length;
  }
  as.chunk.front() = chunk_rows(row_bytes, all_rows, block_rows);
  as.deflate = compression_;
  return group.create_dataset(name, as);
}

std::optional<hdf5::Dataset> GrowingDatasets::times(hdf5::Group& group, std::int64_t rows,
                                                    std::int64_t block_rows,
                                                    const hdf5::Dataset& step,
                                                    const char* meaning) const {
  using Kind = SampleReader::TimeKind;
  if (times_ == Kind::none && !has_rate_) return {};
  const bool are_dates = times_ == Kind::dates;
  const bool are_whole = are_dates || times_ == Kind::counts;
  hdf5::Dataset time = dataset(group, "time", are_whole ? hdf5::Type::int64 : hdf5::Type::float64,
                               {}, rows, block_rows);
  // Times of a file that are no dates have the unit that they have there.
  describe(time, meaning,
           are_dates              ? "nanoseconds since 1970-01-01"
           : times_ != Kind::none ? "1"
                                  : "s");
  if (are_dates) time.set_attribute("calendar", "proleptic_gregorian");
  time.attach_scale(0, step);
  return time;
}

}  // namespace gaia
