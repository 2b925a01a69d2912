// SPDX-License-Identifier: MIT
/// \file
/// How often: histograms, whole numbers counted, and the bins of numbers.  Names and edge cases are
/// NumPy's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "array.h"

namespace gaia {

/// From where to where bins of equal width go; without one, from the smallest element to the
/// largest.
struct HistogramRange {
  double low = 0.0;
  double high = 1.0;
};

struct Histogram {
  Array counts;  ///< [bins]: int64, the dtype of the weights, or float64 of a density.
  Array edges;   ///< [bins + 1], ascending.
};

struct HistogramOptions {
  std::optional<HistogramRange> range = {};  ///< Left aside where edges are given.
  bool density = false;               ///< Counts over the width of their bin and over all counts.
  std::optional<Array> weights = {};  ///< How much each element counts: in the shape of x.
};

/// The edges of `bins` bins of equal width, in the floating dtype of x.  A range of no width is
/// made 1 wide; that of no elements is [0, 1].
/// \throws ArgumentError for bins < 1, and for a range that is not finite or runs backwards.
Array histogram_bin_edges(const Array& x, std::int64_t bins,
                          const std::optional<HistogramRange>& range = {});
/// The same with a number of bins by rule: auto, doane, fd (Freedman and Diaconis 1981), rice,
/// scott (1979), sqrt, stone (1984) or sturges (1926).  \throws ArgumentError for another.
Array histogram_bin_edges(const Array& x, const std::string& rule,
                          const std::optional<HistogramRange>& range = {});

/// How many elements lie in each bin, which has its left edge but not its right one; the last has
/// both.  What lies outside, and NaN, is not counted.
/// \throws ArgumentError for edges that descend, ShapeError for weights of another shape.
Histogram histogram(const Array& x, std::int64_t bins = 10, const HistogramOptions& options = {});
Histogram histogram(const Array& x, const std::string& rule, const HistogramOptions& options = {});
Histogram histogram(const Array& x, const Array& edges, const HistogramOptions& options = {});

/// How often each whole number from 0 on occurs in the 1-d x: int64 [max(x) + 1, or `minimum`
/// where that is more].
/// \throws DTypeError unless x is of integers or bool, ShapeError unless it is 1-d, ArgumentError
///         for a negative element or minimum.
Array bincount(const Array& x, std::int64_t minimum = 0);
/// The sums of the weights of each whole number, added in order: float64.
/// \throws ShapeError unless the weights have x's shape.
Array bincount(const Array& x, const Array& weights, std::int64_t minimum = 0);

/// The number i of the bin in which each element lies: bins[i - 1] <= x < bins[i], or with `right`
/// bins[i - 1] < x <= bins[i]; of descending bins the reverse.  0 before the first, the number of
/// bins behind the last; int64, in the shape of x.
/// \throws ShapeError unless `bins` is 1-d, ArgumentError unless it ascends or descends.
Array digitize(const Array& x, const Array& bins, bool right = false);

}  // namespace gaia
