// SPDX-License-Identifier: MIT
#include "assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/message.h"

namespace gaia {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

/// Costs of the pairs of rows and of at least as many columns, and prices of both: no pair costs
/// less than the prices of its two, and those that are matched cost just that.
class Matching {
 public:
  template <class Cost>
  Matching(std::size_t rows, std::size_t columns, const Cost& cost)
      : rows_(rows),
        columns_(columns),
        row_price_(rows),
        column_price_(columns),
        owner_(columns, kNobody) {
    costs_.reserve(rows * columns);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) costs_.push_back(cost(i, j));
    }
    for (std::size_t i = 0; i < rows; ++i) add(i);
  }

  /// Row of each column; kNobody where it has none.
  const std::vector<std::size_t>& owners() const { return owner_; }

 private:
  /// Matches row `first` too: along the cheapest way from it, over rows that take another column,
  /// to a column that is free.
  void add(std::size_t first) {
    std::vector<double> distance(columns_, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> before(columns_, kNobody);  // column on the way to a column
    std::vector<bool> is_done(columns_);
    std::size_t row = first;
    std::size_t last = kNobody;
    double way = 0.0;
    while (row != kNobody) {
      std::size_t next = kNobody;
      for (std::size_t j = 0; j < columns_; ++j) {
        if (is_done[j]) continue;
        const double to = way + costs_[row * columns_ + j] - row_price_[row] - column_price_[j];
        if (to < distance[j]) {
          distance[j] = to;
          before[j] = last;
        }
        if (next == kNobody || distance[j] < distance[next]) next = j;
      }
      is_done[next] = true;
      way = distance[next];
      last = next;
      row = owner_[next];
    }
    row_price_[first] += way;
    for (std::size_t j = 0; j < columns_; ++j) {
      if (!is_done[j] || j == last) continue;
      row_price_[owner_[j]] += way - distance[j];
      column_price_[j] -= way - distance[j];
    }
    for (std::size_t j = last; j != kNobody; j = before[j]) {
      owner_[j] = before[j] == kNobody ? first : owner_[before[j]];
    }
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> costs_;
  std::vector<double> row_price_;
  std::vector<double> column_price_;
  std::vector<std::size_t> owner_;
};

}  // namespace

std::vector<std::int64_t> best_assignment(std::span<const double> values, std::int64_t rows,
                                          std::int64_t columns) {
  if (rows < 0 || columns < 0 || std::ssize(values) != rows * columns) {
    fail<ShapeError>("[best_assignment] expected {} x {} values, got {}", rows, columns,
                     values.size());
  }
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
    throw ArgumentError("[best_assignment] expected finite values");
  }
  const auto n = static_cast<std::size_t>(rows);
  const auto m = static_cast<std::size_t>(columns);
  std::vector<std::int64_t> matched(n, -1);
  const auto cost = [&](std::size_t row, std::size_t column) { return -values[row * m + column]; };
  if (n <= m) {
    const Matching found(n, m, cost);
    for (std::size_t j = 0; j < m; ++j) {
      const std::size_t owner = found.owners()[j];
      if (owner != kNobody) matched[owner] = static_cast<std::int64_t>(j);
    }
  } else {
    const Matching found(m, n, [&](std::size_t i, std::size_t j) { return cost(j, i); });
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t owner = found.owners()[i];
      if (owner != kNobody) matched[i] = static_cast<std::int64_t>(owner);
    }
  }
  return matched;
}

}  // namespace gaia
