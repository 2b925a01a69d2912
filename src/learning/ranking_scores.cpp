// SPDX-License-Identifier: MIT
#include "ranking_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../core/message.h"

namespace gaia::scores {
namespace {

constexpr double kNoRanking = std::numeric_limits<double>::quiet_NaN();

/// How many rows of the class, and how many others, have a value at or above a threshold.
struct Above {
  double positives = 0.0;
  double others = 0.0;
  double threshold = std::numeric_limits<double>::infinity();
};

/// For no row, and then for each value that occurs, falling.  Rows have `stride` values each.
std::vector<Above> thresholds(Codes truth, std::int64_t positive, const double* values,
                              std::size_t stride = 1) {
  std::vector<std::size_t> order(truth.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a * stride] > values[b * stride]; });
  std::vector<Above> result(1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double value = values[order[i] * stride];
    if (i == 0 || value != result.back().threshold) {
      result.push_back(result.back());
      result.back().threshold = value;
    }
    (truth[order[i]] == positive ? result.back().positives : result.back().others) += 1.0;
  }
  return result;
}

/// The area under the curve through these points.
double area(const std::vector<Above>& points) {
  double sum = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    sum += (points[i].others - points[i - 1].others) *
           (points[i].positives + points[i - 1].positives) / 2.0;
  }
  return sum / (points.back().positives * points.back().others);
}

void expect_values(const char* function, std::size_t got, std::size_t expected) {
  if (got == expected) return;
  fail<ShapeError>("[{}] expected {} values, got {}", function, expected, got);
}

bool any_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

/// Whether b lies on the line from a to c.
bool straight(const Above& a, const Above& b, const Above& c) {
  // Counts are whole numbers, so that this is exact.
  return (b.positives - a.positives) * (c.others - b.others) ==
         (c.positives - b.positives) * (b.others - a.others);
}

}  // namespace

std::string undefined_ranking(Codes truth, std::int64_t positive, std::span<const double> values,
                              bool others) {
  if (truth.empty()) return "there are no rows";
  const auto count = std::count(truth.begin(), truth.end(), positive);
  if (count == 0) return "no row is of the class";
  if (others && count == std::ssize(truth)) return "all rows are of the class";
  return any_nan(values) ? "a value is NaN" : "";
}

double roc_auc(Codes truth, std::int64_t positive, std::span<const double> values) {
  expect_values("roc_auc", values.size(), truth.size());
  if (!undefined_ranking(truth, positive, values).empty()) return kNoRanking;
  return area(thresholds(truth, positive, values.data()));
}

double average_precision(Codes truth, std::int64_t positive, std::span<const double> values) {
  expect_values("average_precision", values.size(), truth.size());
  if (!undefined_ranking(truth, positive, values, false).empty()) return kNoRanking;
  const std::vector<Above> points = thresholds(truth, positive, values.data());
  double sum = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Above& now = points[i];
    sum += (now.positives - points[i - 1].positives) * now.positives / (now.positives + now.others);
  }
  return sum / points.back().positives;
}

std::string undefined_mean_auc(Codes truth, std::span<const double> values) {
  if (truth.empty()) return "there are no rows";
  if (std::all_of(truth.begin(), truth.end(),
                  [&](std::int64_t code) { return code == truth.front(); })) {
    return "all rows are of one class";
  }
  return any_nan(values) ? "a value is NaN" : "";
}

double mean_roc_auc(Codes truth, std::span<const double> values, Codes classes) {
  expect_values("mean_roc_auc", values.size(), truth.size() * classes.size());
  if (!undefined_mean_auc(truth, values).empty()) return kNoRanking;
  const std::vector<std::int64_t> present = classes_of(truth);
  if (classes.size() == 2 &&
      std::equal(present.begin(), present.end(), classes.begin(), classes.end())) {
    // Both columns rank alike but for rounding.
    return area(thresholds(truth, classes[1], values.data() + 1, 2));
  }
  double sum = 0.0;
  for (const std::int64_t code : present) {
    const auto place = std::find(classes.begin(), classes.end(), code) - classes.begin();
    sum += place == std::ssize(classes)
               ? 0.5
               : area(thresholds(truth, code, values.data() + place, classes.size()));
  }
  return sum / static_cast<double>(present.size());
}

std::vector<RocPoint> roc_curve(Codes truth, std::int64_t positive, std::span<const double> values,
                                std::int64_t most) {
  expect_values("roc_curve", values.size(), truth.size());
  if (most < 2) fail<ArgumentError>("[roc_curve] expected 2 points or more, got {}", most);
  if (!undefined_ranking(truth, positive, values).empty()) return {};
  std::vector<Above> corners;
  for (const Above& point : thresholds(truth, positive, values.data())) {
    while (corners.size() > 1 && straight(corners[corners.size() - 2], corners.back(), point)) {
      corners.pop_back();
    }
    corners.push_back(point);
  }
  const Above all = corners.back();
  std::vector<RocPoint> curve;
  double next = 0.0;  // the length along the curve, which is 2 in all, from which a point is taken
  const double step = 2.0 / static_cast<double>(most - 1);
  for (const Above& point : corners) {
    const RocPoint share{point.others / all.others, point.positives / all.positives,
                         point.threshold};
    const double length = share.false_positives + share.true_positives;
    const bool end = &point == &corners.back();
    if (std::ssize(corners) > most && !end) {
      // The last place is the end's.
      if (length < next || std::ssize(curve) == most - 1) continue;
      next = (std::floor(length / step) + 1.0) * step;
    }
    curve.push_back(share);
  }
  return curve;
}

}  // namespace gaia::scores
