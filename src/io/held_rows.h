// SPDX-License-Identifier: MIT
/// \file
/// The first rows of a file, held from the pass in which it is opened so that they need not be
/// parsed again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gaia {

class HeldRows {
 public:
  /// Most numbers that are held: 128 MiB.
  static constexpr std::int64_t kMostHeld = std::int64_t{1} << 24;

  /// `width`: numbers of a row; of none, nothing is held.
  explicit HeldRows(std::int64_t width = 0) : width_(width) {}

  /// Takes the next number, and after it those of its row, as long as there is room.
  void add(double value);
  /// Takes the next rows, [count, width], as long as there is room; a row that was begun is whole.
  void add(std::unique_ptr<double[]> values, std::int64_t count);

  /// Number of rows that are held as a whole.
  std::int64_t rows() const { return width_ == 0 ? 0 : numbers_ / width_; }
  /// Writes the numbers at `places` of rows [first, first + count), which are held.
  void read(std::int64_t first, std::int64_t count, std::span<const std::int64_t> places,
            double* out) const;

 private:
  /// Rows that lie together.
  struct Piece {
    std::int64_t first;
    std::unique_ptr<double[]> values;
  };

  std::int64_t width_;
  std::int64_t numbers_ = 0;
  std::int64_t room_ = 0;  // numbers that the last piece may still take
  bool is_full_ = false;
  std::vector<Piece> pieces_;
};

}  // namespace gaia
