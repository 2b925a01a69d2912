// SPDX-License-Identifier: MIT
/// \file
/// Long series shortened enough for a page, without hiding what stands out.
#pragma once

#include <cstdint>
#include <vector>

namespace gaia::report {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// Keeps the least and the greatest value of every bin of a series, at the places where they are.
class Envelope {
 public:
  /// For rows 0 to rows - 1 in at most `bins` bins; a series of up to 2 bins rows is kept whole.
  Envelope(std::int64_t rows, std::int64_t bins);

  /// Takes the value of a row; rows come in increasing order, and may be left out.
  void add(std::int64_t row, double value);

  /// Rows and values in order, two for each bin.  A bin without a finite value is a gap: NaN.
  std::vector<Point> points() const;

 private:
  struct Bin {
    Point least;
    Point greatest;
    bool is_empty = true;
    bool is_seen = false;
    std::int64_t last_row = 0;
  };

  std::int64_t rows_;
  std::int64_t bins_;
  bool is_whole_;
  std::vector<Bin> kept_;
};

/// A matrix of numbers, row by row.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;

  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

/// Means over the bins of a matrix that comes row by row.
class MeanPool {
 public:
  /// For a matrix [rows, columns], of which at most [most_rows, most_columns] means are kept.
  MeanPool(std::int64_t rows, std::int64_t columns, std::int64_t most_rows,
           std::int64_t most_columns);

  /// Takes `count` rows [count, columns] from row `first` on.
  void add(std::int64_t first, std::int64_t count, const double* values);

  /// The means; NaN where nothing came, or something that is not finite.
  Matrix means() const;

  std::int64_t bin_rows() const { return bin_rows_; }
  std::int64_t bin_columns() const { return bin_columns_; }

 private:
  std::int64_t columns_;
  std::int64_t bin_rows_;     // rows that become one
  std::int64_t bin_columns_;  // columns that become one
  Matrix sums_;
  std::vector<std::int64_t> counts_;
};

/// The value below which a share of the finite ones lies; NaN if there are none.
double quantile(std::vector<double> values, double share);

}  // namespace gaia::report
