// SPDX-License-Identifier: MIT
#include "held_rows.h"

#include <algorithm>

namespace gaia {

void HeldRows::add(double value) {
  constexpr std::int64_t kTogether = std::int64_t{1} << 17;
  if (width_ == 0 || is_full_) return;
  if (room_ == 0) {
    is_full_ = numbers_ >= kMostHeld;
    if (is_full_) return;
    room_ = std::max<std::int64_t>(1, kTogether / width_) * width_;
    pieces_.push_back({numbers_ / width_,
                       std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(room_))});
  }
  const Piece& last = pieces_.back();
  last.values[static_cast<std::size_t>(numbers_ - last.first * width_)] = value;
  ++numbers_;
  --room_;
}

void HeldRows::add(std::unique_ptr<double[]> values, std::int64_t count) {
  is_full_ = is_full_ || width_ == 0 || numbers_ + count * width_ > kMostHeld;
  if (is_full_) return;
  pieces_.push_back({numbers_ / width_, std::move(values)});
  numbers_ += count * width_;
  room_ = 0;
}

void HeldRows::read(std::int64_t first, std::int64_t count, std::span<const std::int64_t> places,
                    double* out) const {
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), first,
                                [](std::int64_t row, const Piece& p) { return row < p.first; });
  for (std::int64_t row = first; row < first + count; ++row) {
    if (piece != pieces_.end() && row == piece->first) ++piece;
    const Piece& held = *(piece - 1);
    const double* const from = held.values.get() + (row - held.first) * width_;
    for (const std::int64_t place : places) *out++ = from[place];
  }
}

}  // namespace gaia
