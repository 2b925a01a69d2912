// SPDX-License-Identifier: MIT
#include "../../src/learning/assignment.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

double worth(const std::vector<double>& values, std::int64_t columns,
             const std::vector<std::int64_t>& matched) {
  double sum = 0.0;
  for (std::size_t i = 0; i < matched.size(); ++i) {
    if (matched[i] >= 0)
      sum += values[i * static_cast<std::size_t>(columns) + static_cast<std::size_t>(matched[i])];
  }
  return sum;
}

/// The largest sum, by trying all ways to match the rows with columns or with nothing.
double best_of_all(const std::vector<double>& values, std::int64_t rows, std::int64_t columns) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(std::max(rows, columns)));
  std::iota(order.begin(), order.end(), 0);
  double best = -std::numeric_limits<double>::infinity();
  do {
    double sum = 0.0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t j = order[static_cast<std::size_t>(i)];
      if (j < columns) sum += values[static_cast<std::size_t>(i * columns + j)];
    }
    best = std::max(best, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

}  // namespace

TEST_CASE("an assignment is worth as much as the best of all that there are") {
  std::uint64_t drawn = 0;
  for (std::int64_t rows = 1; rows <= 6; ++rows) {
    for (std::int64_t columns = 1; columns <= 6; ++columns) {
      for (int again = 0; again < 4; ++again) {
        std::vector<double> values(static_cast<std::size_t>(rows * columns));
        RandomStream{5, drawn++}.uniforms(0, values);
        if (again == 1) {  // many ties
          for (double& value : values) value = static_cast<double>(static_cast<int>(3 * value));
        }
        const std::vector<std::int64_t> matched = best_assignment(values, rows, columns);
        REQUIRE(std::ssize(matched) == rows);
        std::set<std::int64_t> taken(matched.begin(), matched.end());
        taken.erase(-1);
        CHECK(std::ssize(taken) == std::min(rows, columns));
        CHECK(std::count(matched.begin(), matched.end(), -1) ==
              std::max<std::int64_t>(0, rows - columns));
        CHECK(worth(values, columns, matched) == Approx(best_of_all(values, rows, columns)));
      }
    }
  }
}

TEST_CASE("an assignment of hundreds finds pairs that stand out") {
  // Each row has one column that is worth more than all chance, in an order of its own.
  constexpr std::int64_t n = 300;
  std::vector<double> values(n * n);
  RandomStream{6, 0}.uniforms(0, values);
  for (std::int64_t i = 0; i < n; ++i) {
    values[static_cast<std::size_t>(i * n + i * 77 % n)] += 1.0;
  }
  const std::vector<std::int64_t> matched = best_assignment(values, n, n);
  for (std::int64_t i = 0; i < n; ++i) CHECK(matched[static_cast<std::size_t>(i)] == i * 77 % n);
}

TEST_CASE("an assignment of what it cannot be is refused") {
  CHECK_THROWS_AS(best_assignment(std::vector<double>{1, 2, 3}, 2, 2), ShapeError);
  CHECK_THROWS_AS(best_assignment(std::vector<double>{1, std::nan("")}, 1, 2), ArgumentError);
  CHECK(best_assignment({}, 0, 3).empty());
  CHECK(best_assignment({}, 2, 0) == std::vector<std::int64_t>{-1, -1});
}
