// SPDX-License-Identifier: MIT
/// \file
/// Many arrays in one launch: each is cut into tiles of its own, so that what becomes of it does
/// not depend on what else the launch takes.
#pragma once

#include <utility>

#include "grid.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// The arrays that a launch takes by value.  A `Part` says where one lies, how many elements it
/// has (`count`), and the tiles of the parts before it (`tiles_before`, which the table sets).
template <class Part>
struct PartTable {
  static constexpr int kMost = static_cast<int>(3072 / sizeof(Part));
  int parts;
  std::int64_t tiles;
  Part part[kMost];

  /// By tiles of `tile` elements.
  void append(Part one, std::int64_t tile) {
    one.tiles_before = tiles;
    part[parts++] = one;
    tiles += ceil_div(one.count, tile);
  }
};

/// The part that `tile` is of, if that is part `number` or a later one; sets `number` to it.
template <class Part>
__device__ const Part& part_of_tile(const PartTable<Part>& table, std::int64_t tile, int& number) {
  while (number + 1 < table.parts && table.part[number + 1].tiles_before <= tile) ++number;
  return table.part[number];
}

/// Collects parts, cut into tiles of `tile` elements, and calls start(table) for as many at a time
/// as a launch takes.
template <class Part, class Start>
class PartCollector {
 public:
  PartCollector(std::int64_t tile, Start start) : tile_(tile), start_(std::move(start)) {}

  void add(const Part& part) {
    if (table_.parts == PartTable<Part>::kMost) finish();
    table_.append(part, tile_);
  }

  /// Starts what has been collected.
  void finish() {
    if (table_.parts > 0) start_(table_);
    table_ = {};
  }

 private:
  std::int64_t tile_;
  Start start_;
  PartTable<Part> table_{};
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
