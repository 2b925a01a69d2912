// SPDX-License-Identifier: MIT
#include "histograms.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../core/message.h"
#include "create.h"
#include "indexing.h"
#include "joining.h"
#include "operands.h"
#include "ops.h"
#include "sorting.h"
#include "statistics.h"

namespace gaia {
namespace {

/// Edges of the bins.
HistogramRange outer_edges(const Array& x, const std::optional<HistogramRange>& wanted) {
  HistogramRange range;
  if (wanted) {
    range = *wanted;
    if (!(range.low <= range.high)) {
      fail<ArgumentError>("[histogram] expected a range that ascends, got {} to {}", range.low,
                          range.high);
    }
  } else if (x.size() > 0) {
    range = {min(x).item(), max(x).item()};
  }
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
    fail<ArgumentError>(
        "[histogram] expected a finite range, got {} to {}; give one, or leave out "
        "what is not finite",
        range.low, range.high);
  }
  if (range.low == range.high) {
    range.low -= 0.5;
    range.high += 0.5;
  }
  return range;
}

Array equal_edges(const HistogramRange& range, std::int64_t bins, DType dtype) {
  if (bins < 1) fail<ArgumentError>("[histogram] expected at least 1 bin, got {}", bins);
  std::vector<double> edges(static_cast<std::size_t>(bins) + 1);
  const double step = (range.high - range.low) / static_cast<double>(bins);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i] = static_cast<double>(i) * step + range.low;
  }
  edges.back() = range.high;
  return from_values(edges, {bins + 1}).astype(floating_result(dtype));
}

double interquartile(const Array& x) {
  const Array two = quantile(x, {0.25, 0.75});
  return two.item({1}) - two.item({0});
}

/// Stone's loss of a number of bins (1984), as NumPy writes it.
double stone_loss(const Array& x, const HistogramRange& range, double width, std::int64_t bins) {
  const Array counts = histogram(x, bins, {.range = range}).counts.astype(DType::float64);
  const auto n = static_cast<double>(x.size());
  const double hits = sum(square(counts / n)).item();
  return (2.0 - (n + 1.0) * hits) / (width / static_cast<double>(bins));
}

/// The width of a bin by a rule; 0 where it has none.  x: the elements within the range.
double width_by_rule(const Array& x, const std::string& rule, const HistogramRange& range) {
  const auto n = static_cast<double>(x.size());
  const double extent = max(x).item() - min(x).item();
  const auto spread = [&] { return gaia::std(x.astype(DType::float64)).item(); };
  const auto freedman = [&] {
    return 2.0 * interquartile(x.astype(DType::float64)) * std::pow(n, -1.0 / 3.0);
  };
  if (rule == "sqrt") return extent / std::sqrt(n);
  if (rule == "sturges") return extent / (std::log2(n) + 1.0);
  if (rule == "rice") return extent / (2.0 * std::pow(n, 1.0 / 3.0));
  if (rule == "scott") return std::pow(24.0 * std::sqrt(M_PI) / n, 1.0 / 3.0) * spread();
  if (rule == "fd") return freedman();
  if (rule == "auto") {
    const double sturges = extent / (std::log2(n) + 1.0);
    const double width = freedman();
    const double root = extent / std::sqrt(n) / 2.0;
    return width == 0.0 ? sturges : std::min(std::max(width, root), sturges);
  }
  if (rule == "doane") {
    const double sigma = spread();
    if (n <= 2.0 || !(sigma > 0.0)) return 0.0;
    const Array numbers = x.astype(DType::float64);
    const double skew = mean(power((numbers - mean(numbers)) / sigma, 3.0)).item();
    const double expected = std::sqrt(6.0 * (n - 2.0) / ((n + 1.0) * (n + 3.0)));
    return extent / (1.0 + std::log2(n) + std::log2(1.0 + std::abs(skew) / expected));
  }
  if (extent == 0.0 || n <= 1.0) return 0.0;  // stone
  const std::int64_t most = std::max<std::int64_t>(100, static_cast<std::int64_t>(std::sqrt(n)));
  std::int64_t best = 1;
  double least = stone_loss(x, range, extent, 1);
  for (std::int64_t bins = 2; bins <= most; ++bins) {
    const double loss = stone_loss(x, range, extent, bins);
    if (loss < least) {
      least = loss;
      best = bins;
    }
  }
  return extent / static_cast<double>(best);
}

std::int64_t bins_by_rule(const Array& x, const std::string& rule,
                          const std::optional<HistogramRange>& wanted) {
  static const std::vector<std::string> rules = {"auto",  "doane", "fd",    "rice",
                                                 "scott", "sqrt",  "stone", "sturges"};
  if (std::find(rules.begin(), rules.end(), rule) == rules.end()) {
    fail<ArgumentError>(
        "[histogram] expected a rule of auto, doane, fd, rice, scott, sqrt, stone, "
        "sturges, got '{}'",
        rule);
  }
  const HistogramRange range = outer_edges(x, wanted);
  Array inside = x;
  if (wanted) {
    const Array flat = x.reshape({-1});
    inside = masked_select(
        flat, logical_and(greater_equal(flat, range.low), less_equal(flat, range.high)));
  }
  if (inside.size() == 0) return 1;
  double width = width_by_rule(inside, rule, range);
  // Bins of whole numbers are not narrower than 1.
  if (width > 0.0 && !is_floating(x.dtype()) && width < 1.0) width = 1.0;
  if (!(width > 0.0)) return 1;
  return static_cast<std::int64_t>(std::ceil((range.high - range.low) / width));
}

/// Sums over places [0, bins); `bins` itself is the place of what is not counted.
Array sums_by_place(const Array& places, const Array& values, std::int64_t bins) {
  const Array sums = zeros({bins + 1}, values.dtype());
  index_add(sums, places, values);
  return sums.slice(0, 0, bins);
}

}  // namespace

Array histogram_bin_edges(const Array& x, std::int64_t bins,
                          const std::optional<HistogramRange>& range) {
  return equal_edges(outer_edges(x, range), bins, x.dtype());
}

Array histogram_bin_edges(const Array& x, const std::string& rule,
                          const std::optional<HistogramRange>& range) {
  return histogram_bin_edges(x, bins_by_rule(x, rule, range), range);
}

Histogram histogram(const Array& x, std::int64_t bins, const HistogramOptions& options) {
  return histogram(x, histogram_bin_edges(x, bins, options.range), options);
}

Histogram histogram(const Array& x, const std::string& rule, const HistogramOptions& options) {
  if (options.weights) {
    fail<ArgumentError>(
        "[histogram] expected a number of bins or their edges beside weights, got "
        "the rule '{}'",
        rule);
  }
  return histogram(x, histogram_bin_edges(x, rule, options.range), options);
}

Histogram histogram(const Array& x, const Array& edges, const HistogramOptions& options) {
  if (edges.rank() != 1 || edges.size() < 1) {
    fail<ShapeError>("[histogram] expected edges of a 1-d array, got shape {}", edges.shape());
  }
  if (any(greater(edges.slice(0, 0, -1), edges.slice(0, 1))).item() != 0.0) {
    throw ArgumentError("[histogram] expected edges in ascending order");
  }
  if (options.weights && options.weights->shape() != x.shape()) {
    fail<ShapeError>("[histogram] expected weights of shape {}, got {}", x.shape(),
                     options.weights->shape());
  }
  const std::int64_t bins = edges.size() - 1;
  const Array flat = on_current_device(x, "histogram").reshape({-1});
  const Array here = on_current_device(edges, "histogram");
  Array counts = zeros({bins}, DType::int64);
  if (bins > 0) {
    const Array first = here.select(0, 0);
    const Array last = here.select(0, bins);
    // The last bin has its right edge too.
    Array places = minimum(searchsorted(here, flat, Side::right) - 1, bins - 1);
    const Array inside = logical_and(greater_equal(flat, first), less_equal(flat, last));
    places = where(inside, places, bins);
    if (options.weights) {
      const DType dtype = options.weights->dtype();
      const DType carried = is_floating(dtype) ? DType::float64 : DType::int64;
      const Array weights = options.weights->reshape({-1}).astype(carried);
      counts = sums_by_place(places, weights, bins);
      if (is_floating(dtype)) counts = counts.astype(computing(dtype));
    } else {
      counts = sums_by_place(places, ones({1}, DType::int64), bins);
    }
  } else if (options.weights) {
    counts = zeros({0}, options.weights->dtype());
  }
  if (options.density) {
    const Array exact = here.astype(DType::float64);
    const Array widths = exact.slice(0, 1) - exact.slice(0, 0, -1);
    const Array numbers = counts.astype(DType::float64);
    counts = numbers / widths / sum(numbers);
  }
  return {counts, edges};
}

namespace {

std::int64_t places_of(const Array& x, std::int64_t minimum) {
  if (x.rank() != 1) fail<ShapeError>("[bincount] expected a 1-d array, got shape {}", x.shape());
  if (is_floating(x.dtype()) && x.size() > 0) {
    fail<DTypeError>("[bincount] expected whole numbers, got {}", x.dtype());
  }
  if (minimum < 0)
    fail<ArgumentError>("[bincount] expected a minimum of 0 or more, got {}", minimum);
  if (x.size() == 0) return minimum;
  const double least = min(x).item();
  if (least < 0.0) fail<ArgumentError>("[bincount] expected no negative number, got {}", least);
  return std::max(minimum, static_cast<std::int64_t>(max(x).item()) + 1);
}

}  // namespace

Array bincount(const Array& x, std::int64_t minimum) {
  const std::int64_t length = places_of(x, minimum);
  if (x.size() == 0) return zeros({length}, DType::int64);
  return sums_by_place(x.astype(DType::int64), ones({1}, DType::int64), length);
}

Array bincount(const Array& x, const Array& weights, std::int64_t minimum) {
  const std::int64_t length = places_of(x, minimum);
  if (weights.shape() != x.shape()) {
    fail<ShapeError>("[bincount] expected weights of shape {}, got {}", x.shape(), weights.shape());
  }
  if (x.size() == 0) return zeros({length}, DType::float64);
  return sums_by_place(x.astype(DType::int64), weights.astype(DType::float64), length);
}

Array digitize(const Array& x, const Array& bins, bool right) {
  if (bins.rank() != 1) {
    fail<ShapeError>("[digitize] expected bins of a 1-d array, got shape {}", bins.shape());
  }
  const Side side = right ? Side::left : Side::right;
  const Array before = bins.slice(0, 0, -1);
  const Array behind = bins.slice(0, 1);
  if (all(less_equal(before, behind)).item() != 0.0) return searchsorted(bins, x, side);
  if (all(greater_equal(before, behind)).item() == 0.0) {
    throw ArgumentError("[digitize] expected bins that ascend or descend throughout");
  }
  return subtract(Scalar(bins.size()), searchsorted(flip(bins).copy(), x, side));
}

}  // namespace gaia
