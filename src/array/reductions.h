// SPDX-License-Identifier: MIT
/// \file
/// Many elements into one, and what is carried along an axis.
///
/// Functions with `axes` run over these, or over all if there are none; negative ones count from
/// the end.  The axes disappear, or stay with length 1 under `keep_dims`; axis 0 or -1 of a 0-d
/// array is none, and the array of one element stays.  Sums and products of
/// floating arrays are carried in double; those of integers and bool are int64 and wrap around.
#pragma once

#include <cstdint>
#include <optional>

#include "array.h"

namespace gaia {

// Sums.  Of nothing, a sum is 0, a product 1, a mean NaN.

Array sum(const Array& x, const Axes& axes = {}, bool keep_dims = false);
Array prod(const Array& x, const Axes& axes = {}, bool keep_dims = false);
Array mean(const Array& x, const Axes& axes = {}, bool keep_dims = false);  ///< Integers: float64.
/// sum (x - mean)^2 / (n - ddof), in two passes, in double; NaN or infinity for n <= ddof.
Array var(const Array& x, const Axes& axes = {}, std::int64_t ddof = 0, bool keep_dims = false);
/// sqrt(var), by NumPy's name.  After `using namespace gaia` the compiler takes `std` for the
/// standard library: write gaia::std(x), or standard_deviation(x).
Array std(const Array& x, const Axes& axes = {}, std::int64_t ddof = 0, bool keep_dims = false);
inline Array standard_deviation(const Array& x, const Axes& axes = {}, std::int64_t ddof = 0,
                                bool keep_dims = false) {
  return gaia::std(x, axes, ddof, keep_dims);
}
/// What var is computed from, with the reduced axes kept: both in float64, whose range holds the
/// squares of float32.
struct MeanAndVariance {
  Array mean;
  Array variance;
};
MeanAndVariance mean_and_variance(const Array& x, const Axes& axes = {}, std::int64_t ddof = 0);
/// The norm of the elements as a vector: (sum |x|^order)^(1/order); the largest |x| for order
/// infinity, the smallest for -infinity, the number of elements that are not 0 for order 0.
Array norm(const Array& x, const Axes& axes = {}, bool keep_dims = false, double order = 2.0);
/// log(sum exp(x)), without overflow; -infinity of nothing and of -infinity throughout.
Array logsumexp(const Array& x, const Axes& axes = {}, bool keep_dims = false);

// Extremes: NaN if any element is.  \throws ShapeError for the extreme of nothing.

Array max(const Array& x, const Axes& axes = {}, bool keep_dims = false);
Array min(const Array& x, const Axes& axes = {}, bool keep_dims = false);
/// Position of the first largest (smallest) element, or of the first NaN: int64.  Along `axis`, or
/// in row-major order over all.
Array argmax(const Array& x, std::optional<std::int64_t> axis = {}, bool keep_dims = false);
Array argmin(const Array& x, std::optional<std::int64_t> axis = {}, bool keep_dims = false);

// Questions.  What is not 0 counts as true, NaN included.

/// False for no elements.
Array any(const Array& x, const Axes& axes = {}, bool keep_dims = false);
/// True for no elements.
Array all(const Array& x, const Axes& axes = {}, bool keep_dims = false);
Array count_nonzero(const Array& x, const Axes& axes = {}, bool keep_dims = false);  ///< int64.

// Running totals: y[i] = x[0] + ... + x[i] along `axis`, or in row-major order over all, 1-d.

Array cumsum(const Array& x, std::optional<std::int64_t> axis = {});
Array cumprod(const Array& x, std::optional<std::int64_t> axis = {});

}  // namespace gaia
