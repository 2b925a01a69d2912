// SPDX-License-Identifier: MIT
#include "../../src/report/decimate.h"

#include <algorithm>
#include <cmath>

#include "../support/catch.h"

using namespace gaia::report;

TEST_CASE("a short series is kept whole") {
  Envelope envelope(5, 3);
  for (int row = 0; row < 5; ++row) envelope.add(row, row * row);
  const std::vector<Point> points = envelope.points();
  REQUIRE(points.size() == 5);
  for (std::size_t row = 0; row < 5; ++row) {
    CHECK(points[row].x == static_cast<double>(row));
    CHECK(points[row].y == static_cast<double>(row * row));
  }
}

TEST_CASE("a long series keeps its extremes, where they are and in order") {
  constexpr int rows = 10000;
  Envelope envelope(rows, 50);
  for (int row = 0; row < rows; ++row) {
    const double spike = row == 7777 ? 100.0 : row == 7779 ? -100.0 : 0.0;
    envelope.add(row, std::sin(row * 0.1) + spike);
  }
  const std::vector<Point> points = envelope.points();
  CHECK(points.size() <= 100);
  CHECK(std::is_sorted(points.begin(), points.end(),
                       [](const Point& a, const Point& b) { return a.x < b.x; }));
  const auto has = [&](double x) {
    return std::any_of(points.begin(), points.end(), [&](const Point& p) { return p.x == x; });
  };
  CHECK(has(7777.0));
  CHECK(has(7779.0));
  // Every bin of 200 rows goes through more than a period of the sine.
  for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
    CHECK(std::max(points[i].y, points[i + 1].y) > 0.99);
    CHECK(std::min(points[i].y, points[i + 1].y) < -0.99);
  }
}

TEST_CASE("what is not finite leaves a gap, and hides nothing beside it") {
  Envelope envelope(1000, 10);
  for (int row = 0; row < 1000; ++row) {
    const bool is_bad = (row >= 300 && row < 400) || row == 50;
    envelope.add(row, is_bad ? NAN : 1.0);
  }
  const std::vector<Point> points = envelope.points();
  CHECK(std::count_if(points.begin(), points.end(),
                      [](const Point& point) { return std::isnan(point.y); }) == 1);
  CHECK(std::count_if(points.begin(), points.end(),
                      [](const Point& point) { return point.y == 1.0; }) == 9);
}

TEST_CASE("means over bins are those of the numbers in them") {
  MeanPool pool(5, 4, 3, 2);  // bins of 2 x 2, the last row of bins half filled
  CHECK(pool.bin_rows() == 2);
  CHECK(pool.bin_columns() == 2);
  const std::vector<double> rows = {1, 3, 10, 20, 5, 7, 30, 40, 0,  0,
                                    1, 1, 2,  2,  3, 3, 8,  10, -1, -3};
  pool.add(0, 2, rows.data());
  pool.add(2, 3, rows.data() + 8);
  const Matrix means = pool.means();
  REQUIRE(means.rows == 3);
  REQUIRE(means.columns == 2);
  CHECK(means.values == std::vector<double>{4, 25, 1, 2, 9, -2});
}

TEST_CASE("bins that nothing fell into are NaN, and NaN spoils only its own bin") {
  MeanPool pool(4, 2, 2, 2);
  const double row[] = {1.0, NAN};
  pool.add(0, 1, row);
  const Matrix means = pool.means();
  CHECK(means.at(0, 0) == 1.0);
  CHECK(std::isnan(means.at(0, 1)));
  CHECK(std::isnan(means.at(1, 0)));
}

TEST_CASE("a quantile counts the finite numbers") {
  CHECK(quantile({5, 1, NAN, 4, 2, 3, INFINITY}, 0.5) == 3.0);
  CHECK(quantile({5, 1, 4, 2, 3}, 0.0) == 1.0);
  CHECK(quantile({5, 1, 4, 2, 3}, 1.0) == 5.0);
  CHECK(std::isnan(quantile({NAN}, 0.5)));
}
