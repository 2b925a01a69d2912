// SPDX-License-Identifier: MIT
#include "ordered_series.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gaia {

OrderedSeries::OrderedSeries(std::unique_ptr<Series> series, std::vector<std::int64_t> order,
                             std::optional<std::int64_t> training)
    : ForwardingSeries(std::move(series)), order_(std::move(order)), training_(training) {}

void OrderedSeries::hold() {
  if (holds_) return;
  constexpr std::int64_t most = 1 << 14;  // rows that are read at a time
  const std::int64_t all = within().rows();
  const bool holds_values = !within().reads_at_random();
  std::vector<std::size_t> columns(within().side_columns().size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::vector<double> block;
  std::vector<SideValues> side(columns.size());
  for (std::int64_t first = 0; first < all; first += most) {
    const std::int64_t count = std::min(most, all - first);
    block.resize(static_cast<std::size_t>(count * channels()));
    std::vector<SideValues> piece(columns.size());
    within().read_with_side(first, count, block, columns, piece);
    if (holds_values) values_.insert(values_.end(), block.begin(), block.end());
    for (std::size_t k = 0; k < piece.size(); ++k) {
      if (first == 0) {
        side[k] = std::move(piece[k]);
        continue;
      }
      std::visit(
          [&]<class T>(std::vector<T>& held) {
            const auto& more = std::get<std::vector<T>>(piece[k]);
            held.insert(held.end(), more.begin(), more.end());
          },
          side[k]);
    }
  }
  side_ = std::move(side);
  holds_ = true;
}

void OrderedSeries::read(std::int64_t first, std::int64_t count, std::span<double> out) {
  check_range(first, count, out.size(), channels());
  const auto width = static_cast<std::size_t>(channels());
  const bool at_random = within().reads_at_random();
  if (!at_random) hold();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::int64_t row = order_[static_cast<std::size_t>(first) + i];
    if (at_random) {
      within().read(row, 1, out.subspan(i * width, width));
    } else {
      const auto from = values_.begin() + row * static_cast<std::int64_t>(width);
      std::copy_n(from, width, out.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
  }
}

void OrderedSeries::read_latents(std::int64_t first, std::int64_t count, std::span<double> out) {
  check_range(first, count, out.size(), latents());
  hold();
  const std::vector<SideColumn> columns = side_columns();
  std::size_t latent = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].role != SideColumn::Role::latent) continue;
    const auto& values = std::get<std::vector<double>>(side_[k]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const std::int64_t from = order_[static_cast<std::size_t>(first) + i];
      out[i * static_cast<std::size_t>(latents()) + latent] =
          values[static_cast<std::size_t>(from)];
    }
    ++latent;
  }
}

void OrderedSeries::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                                   std::span<const std::size_t> wanted,
                                   std::span<SideValues> side) {
  read(first, count, out);
  if (wanted.empty()) return;
  hold();
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    std::visit(
        [&]<class T>(const std::vector<T>& held) {
          std::vector<T> values(static_cast<std::size_t>(count));
          for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = held[static_cast<std::size_t>(order_[static_cast<std::size_t>(first) + i])];
          }
          side[k] = std::move(values);
        },
        side_[wanted[k]]);
  }
}

}  // namespace gaia
