// SPDX-License-Identifier: MIT
#include "series.h"

#include <algorithm>

#include "../core/message.h"

namespace gaia {
namespace {

/// Reads these rows of a series piece by piece: visit(rows of the piece, their values [rows,
/// channels]).
template <class Visit>
void read_pieces(Series& series, std::span<const RowRange> rows, const Visit& visit) {
  constexpr std::int64_t most = 1 << 14;
  std::vector<double> block;
  for (const RowRange& range : rows) {
    for (std::int64_t first = range.begin; first < range.end; first += most) {
      const RowRange piece{first, std::min(range.end, first + most)};
      block.resize(static_cast<std::size_t>((piece.end - piece.begin) * series.channels()));
      series.read(piece.begin, piece.end - piece.begin, block);
      visit(piece, block);
    }
  }
}

}  // namespace

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

const RowRuns& Series::groups() const {
  static const RowRuns none;
  return none;
}

const std::vector<std::string>& Series::classes() const {
  static const std::vector<std::string> none;
  return none;
}

std::optional<double> Series::sample_rate() const { return std::nullopt; }

std::optional<std::int64_t> Series::training_rows() const { return std::nullopt; }

std::vector<std::int64_t> Series::picture_shape() const { return {}; }

const std::vector<Moments>& Series::moments(std::span<const RowRange> rows) {
  if (std::ranges::equal(rows, measured_)) return moments_;
  const auto width = static_cast<std::size_t>(channels());
  std::vector<Moments> moments(width);
  read_pieces(*this, rows, [&](const RowRange& /*piece*/, std::span<const double> block) {
    for (std::size_t i = 0; i < block.size(); ++i) moments[i % width].add(block[i]);
  });
  measured_.assign(rows.begin(), rows.end());
  moments_ = std::move(moments);
  return moments_;
}

const std::vector<Moments>& Series::moments(std::int64_t rows) {
  const RowRange first{0, rows};
  return rows == 0 ? moments(std::span<const RowRange>()) : moments({&first, 1});
}

std::vector<RowRange> Series::filled(std::int64_t /*channel*/, std::int64_t /*first*/,
                                     std::int64_t /*count*/) const {
  return {};
}

void Series::set_fill(std::vector<double> fill) {
  if (fill == fill_) return;
  fill_ = std::move(fill);
  take_fill(fill_);
  if (needs_fill()) keep_moments(0, {});  // those of before are of other values
}

void Series::ensure_fill() {
  if (!needs_fill() || !fill_.empty()) return;
  const RowRange all{0, rows()};
  std::vector<double> means;
  for (const Moments& present : moments_of_present({&all, 1})) means.push_back(present.mean());
  set_fill(std::move(means));
}

const std::vector<Moments>& Series::moments_of_present(std::span<const RowRange> rows) {
  if (!present_.empty() && std::ranges::equal(rows, present_rows_)) return present_;
  const auto width = static_cast<std::size_t>(channels());
  // What is filled is left out, whatever it is.
  if (needs_fill() && fill_.empty()) set_fill(std::vector<double>(width));
  std::vector<Moments> moments(width);
  read_pieces(*this, rows, [&](const RowRange& piece, std::span<const double> block) {
    for (std::size_t c = 0; c < width; ++c) {
      std::int64_t row = piece.begin;
      const auto add_until = [&](std::int64_t end) {
        for (; row < end; ++row) {
          moments[c].add(block[static_cast<std::size_t>(row - piece.begin) * width + c]);
        }
      };
      const std::int64_t count = piece.end - piece.begin;
      for (const RowRange& gap : filled(static_cast<std::int64_t>(c), piece.begin, count)) {
        add_until(gap.begin);
        row = gap.end;
      }
      add_until(piece.end);
    }
  });
  present_rows_.assign(rows.begin(), rows.end());
  present_ = std::move(moments);
  return present_;
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
    fail<ArgumentError>("[read] {} rows from {} on, of a series of {} rows", count, first, rows());
  }
  if (room < static_cast<std::size_t>(count * width)) {
    fail<ArgumentError>("[read] room for {} numbers, needed {}", room, count * width);
  }
}

}  // namespace gaia
