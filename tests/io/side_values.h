// SPDX-License-Identifier: MIT
/// \file
/// Side columns of series as vectors.
#pragma once

#include <cstdint>
#include <vector>

#include "../../src/io/series.h"

namespace gaia::test {

/// Side column i of rows [first, first + count).
template <class T>
std::vector<T> side_of(Series& series, std::size_t i, std::int64_t first, std::int64_t count) {
  std::vector<double> rows(static_cast<std::size_t>(count * series.channels()));
  const std::vector<std::size_t> wanted = {i};
  std::vector<SideValues> side(1);
  series.read_with_side(first, count, rows, wanted, side);
  return std::get<std::vector<T>>(side.front());
}

template <class T>
std::vector<T> side_of(Series& series, std::size_t i) {
  return side_of<T>(series, i, 0, series.rows());
}

}  // namespace gaia::test
