// SPDX-License-Identifier: MIT
#include "series.h"

#include <algorithm>

#include "../core/error.h"

namespace gaia {

const std::vector<std::string>& Series::latent_names() const {
  static const std::vector<std::string> none;
  return none;
}

void Series::read_latents(std::int64_t /*first*/, std::int64_t /*count*/,
                          std::span<double> /*out*/) {
  throw ArgumentError("[read_latents] this series has no latents");
}

std::vector<SideColumn> Series::side_columns() const {
  std::vector<SideColumn> columns;
  for (const std::string& name : latent_names()) {
    columns.push_back({SideColumn::Role::latent, name});
  }
  return columns;
}

void Series::read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                            std::span<const std::size_t> wanted, std::span<SideValues> side) {
  read(first, count, out);
  if (wanted.empty()) return;
  const auto width = static_cast<std::size_t>(latents());
  std::vector<double> block(static_cast<std::size_t>(count) * width);
  read_latents(first, count, block);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::vector<double> column(static_cast<std::size_t>(count));
    for (std::size_t r = 0; r < column.size(); ++r) column[r] = block[r * width + wanted[i]];
    side[i] = std::move(column);
  }
}

const std::vector<std::int64_t>& Series::trial_starts() const {
  static const std::vector<std::int64_t> one = {0};
  return one;
}

const std::vector<std::string>& Series::classes() const {
  static const std::vector<std::string> none;
  return none;
}

std::optional<std::int64_t> Series::training_rows() const { return std::nullopt; }

std::vector<std::int64_t> Series::picture_shape() const { return {}; }

const std::vector<Moments>& Series::moments(std::span<const RowRange> rows) {
  if (std::ranges::equal(rows, measured_)) return moments_;
  constexpr std::int64_t piece = 1 << 14;
  const auto width = static_cast<std::size_t>(channels());
  std::vector<Moments> moments(width);
  std::vector<double> block;
  for (const RowRange& range : rows) {
    for (std::int64_t first = range.begin; first < range.end; first += piece) {
      const std::int64_t count = std::min(piece, range.end - first);
      block.resize(static_cast<std::size_t>(count) * width);
      read(first, count, block);
      for (std::size_t i = 0; i < block.size(); ++i) moments[i % width].add(block[i]);
    }
  }
  measured_.assign(rows.begin(), rows.end());
  moments_ = std::move(moments);
  return moments_;
}

const std::vector<Moments>& Series::moments(std::int64_t rows) {
  const RowRange first{0, rows};
  return rows == 0 ? moments(std::span<const RowRange>()) : moments({&first, 1});
}

void Series::keep_moments(std::int64_t rows, std::vector<Moments> moments) {
  measured_ = rows == 0 ? std::vector<RowRange>() : std::vector<RowRange>{{0, rows}};
  moments_ = std::move(moments);
}

std::string Series::sha256() { return {}; }

std::vector<std::string> Series::hashes() {
  std::string own = sha256();
  if (own.empty()) return {};
  return {std::move(own)};
}

void Series::check_range(std::int64_t first, std::int64_t count, std::size_t room,
                         std::int64_t width) const {
  if (first < 0 || count < 0 || count > rows() - first) {
    throw ArgumentError("[read] " + std::to_string(count) + " rows from " + std::to_string(first) +
                        " on, of a series of " + std::to_string(rows()) + " rows");
  }
  if (room < static_cast<std::size_t>(count * width)) {
    throw ArgumentError("[read] room for " + std::to_string(room) + " numbers, needed " +
                        std::to_string(count * width));
  }
}

}  // namespace gaia
