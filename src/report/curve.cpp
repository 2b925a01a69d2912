// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "sections.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kCurveBins = 1000;
constexpr std::int64_t kCurveNumbersAtOnce = 1 << 18;

}  // namespace

std::string line_class(std::size_t index) {
  const std::string color = "c" + std::to_string(index % kLineColors);
  return index < kLineColors ? color : color + " dashed";
}

std::vector<Point> curve(const Result& result, const std::string& coordinate,
                         const std::string& values, std::int64_t column) {
  const std::vector<std::int64_t> shape = result.shape(values);
  const std::vector<std::int64_t> places = result.shape(coordinate);
  if (shape.empty() || shape.size() > 2 || places.size() != 1) return {};
  const std::int64_t width = shape.size() == 2 ? shape[1] : 1;
  if (width < 1 || width > kWidestRow || column >= width) return {};
  const std::int64_t rows = std::min(shape[0], places[0]);
  Envelope envelope(rows, kCurveBins);
  const std::int64_t at_once = std::max<std::int64_t>(1, kCurveNumbersAtOnce / width);
  std::vector<double> block;
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t count = std::min(at_once, rows - first);
    block.resize(static_cast<std::size_t>(count * width));
    result.read_rows(values, first, count, block.data());
    for (std::int64_t r = 0; r < count; ++r) {
      envelope.add(first + r, block[static_cast<std::size_t>(r * width + column)]);
    }
  }
  std::vector<Point> points = envelope.points();
  std::erase_if(points, [](const Point& point) { return !std::isfinite(point.y); });
  const std::vector<double> known = result.read(coordinate);
  for (Point& point : points) {
    const auto row = static_cast<std::int64_t>(point.x);
    if (known.empty()) {
      result.read_rows(coordinate, row, 1, &point.x);
    } else {
      point.x = known[static_cast<std::size_t>(row)];
    }
  }
  std::erase_if(points, [](const Point& point) { return !std::isfinite(point.x); });
  return points;
}

}  // namespace gaia::report
