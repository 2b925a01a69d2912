// SPDX-License-Identifier: MIT
#include "decimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gaia::report {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

Envelope::Envelope(std::int64_t rows, std::int64_t bins)
    : rows_(rows), bins_(std::max<std::int64_t>(1, bins)), is_whole_(rows <= 2 * bins_) {
  kept_.resize(static_cast<std::size_t>(is_whole_ ? std::max<std::int64_t>(0, rows) : bins_));
}

void Envelope::add(std::int64_t row, double value) {
  const std::int64_t index =
      is_whole_ ? row
                : static_cast<std::int64_t>(static_cast<double>(row) / static_cast<double>(rows_) *
                                            static_cast<double>(bins_));
  Bin& bin = kept_[static_cast<std::size_t>(std::min(index, std::ssize(kept_) - 1))];
  bin.is_seen = true;
  bin.last_row = row;
  if (!std::isfinite(value)) return;
  const Point point{static_cast<double>(row), value};
  if (bin.is_empty || value < bin.least.y) bin.least = point;
  if (bin.is_empty || value > bin.greatest.y) bin.greatest = point;
  bin.is_empty = false;
}

std::vector<Point> Envelope::points() const {
  std::vector<Point> points;
  for (const Bin& bin : kept_) {
    if (!bin.is_seen) continue;
    if (bin.is_empty) {
      points.push_back({static_cast<double>(bin.last_row), kNaN});
      continue;
    }
    const bool least_first = bin.least.x <= bin.greatest.x;
    points.push_back(least_first ? bin.least : bin.greatest);
    if (bin.least.x != bin.greatest.x) points.push_back(least_first ? bin.greatest : bin.least);
  }
  return points;
}

MeanPool::MeanPool(std::int64_t rows, std::int64_t columns, std::int64_t most_rows,
                   std::int64_t most_columns)
    : columns_(columns),
      bin_rows_(std::max<std::int64_t>(1, ceil_divide(rows, most_rows))),
      bin_columns_(std::max<std::int64_t>(1, ceil_divide(columns, most_columns))) {
  sums_.rows = ceil_divide(rows, bin_rows_);
  sums_.columns = ceil_divide(columns, bin_columns_);
  sums_.values.resize(static_cast<std::size_t>(sums_.rows * sums_.columns), 0.0);
  counts_.resize(sums_.values.size(), 0);
}

void MeanPool::add(std::int64_t first, std::int64_t count, const double* values) {
  for (std::int64_t r = 0; r < count; ++r) {
    const std::int64_t row = (first + r) / bin_rows_;
    for (std::int64_t c = 0; c < columns_; ++c) {
      const auto at = static_cast<std::size_t>(row * sums_.columns + c / bin_columns_);
      sums_.values[at] += values[r * columns_ + c];
      ++counts_[at];
    }
  }
}

Matrix MeanPool::means() const {
  Matrix means = sums_;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    means.values[i] = counts_[i] > 0 ? sums_.values[i] / static_cast<double>(counts_[i]) : kNaN;
  }
  return means;
}

double quantile(std::vector<double> values, double share) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return kNaN;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace gaia::report
