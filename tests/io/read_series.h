// SPDX-License-Identifier: MIT
/// \file
/// Series as vectors, whole and in pieces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "../../src/io/series.h"
#include "../support/catch.h"

namespace gaia::test {

using SeriesMaker = std::function<std::unique_ptr<Series>()>;

inline std::vector<double> read_rows(Series& series, std::int64_t first, std::int64_t count) {
  std::vector<double> block(static_cast<std::size_t>(count * series.channels()));
  series.read(first, count, block);
  return block;
}

inline std::vector<double> read_all(Series& series) { return read_rows(series, 0, series.rows()); }

inline std::vector<double> read_all_latents(Series& series) {
  std::vector<double> block(static_cast<std::size_t>(series.rows() * series.latents()));
  series.read_latents(0, series.rows(), block);
  return block;
}

/// Column c of a [rows, width] block.
inline std::vector<double> column(const std::vector<double>& block, std::size_t width,
                                  std::size_t c) {
  std::vector<double> values;
  for (std::size_t i = c; i < block.size(); i += width) values.push_back(block[i]);
  return values;
}

/// Checks that blocks of several sizes, read forwards, backwards, overlapping and in turn with the
/// latents, hold the bits that one read of the whole gives.
inline void check_any_cut(const SeriesMaker& make) {
  const auto whole_series = make();
  const std::vector<double> whole = read_all(*whole_series);
  const std::int64_t rows = whole_series->rows();
  const std::int64_t channels = whole_series->channels();
  const std::int64_t latents = whole_series->latents();
  const std::vector<double> whole_latents =
      latents > 0 ? read_all_latents(*whole_series) : std::vector<double>();
  CHECK(read_all(*whole_series) == whole);  // once more

  struct Cut {
    std::int64_t size;
    std::int64_t stride;
  };
  for (const Cut cut : {Cut{1, 1}, Cut{2, 2}, Cut{7, 7}, Cut{64, 64}, Cut{7, 3}, Cut{3, 20}}) {
    for (const bool is_forward : {true, false}) {
      INFO("blocks of " << cut.size << " every " << cut.stride
                        << (is_forward ? "" : ", backwards"));
      const auto series = make();
      bool is_same = true;
      std::vector<std::int64_t> starts;
      for (std::int64_t first = 0; first < rows; first += cut.stride) starts.push_back(first);
      if (!is_forward) std::reverse(starts.begin(), starts.end());
      for (const std::int64_t first : starts) {
        const std::int64_t count = std::min(cut.size, rows - first);
        std::vector<double> block(static_cast<std::size_t>(count * channels));
        series->read(first, count, block);
        is_same =
            is_same && std::equal(block.begin(), block.end(), whole.begin() + first * channels);
        if (latents == 0) continue;
        block.resize(static_cast<std::size_t>(count * latents));
        series->read_latents(first, count, block);
        is_same = is_same &&
                  std::equal(block.begin(), block.end(), whole_latents.begin() + first * latents);
      }
      CHECK(is_same);
    }
  }
}

}  // namespace gaia::test
