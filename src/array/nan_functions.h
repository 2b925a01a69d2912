// SPDX-License-Identifier: MIT
/// \file
/// Reductions that leave out NaN, under NumPy's names.
///
/// Axes, dtypes and what comes of no elements are those of the functions without `nan`; integers
/// hold no NaN, and give what these give.  Where there is nothing but NaN, a sum is 0, a product 1,
/// and all else NaN.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "array.h"
#include "quantile_method.h"

namespace gaia {

Array nansum(const Array& x, const Axes& axes = {}, bool keep_dims = false);
Array nanprod(const Array& x, const Axes& axes = {}, bool keep_dims = false);
Array nanmean(const Array& x, const Axes& axes = {}, bool keep_dims = false);
/// sum (x - mean)^2 / (n - ddof) over the n elements that are numbers; NaN for n <= ddof.
Array nanvar(const Array& x, const Axes& axes = {}, std::int64_t ddof = 0, bool keep_dims = false);
/// sqrt(nanvar).
Array nanstd(const Array& x, const Axes& axes = {}, std::int64_t ddof = 0, bool keep_dims = false);

/// \throws ShapeError for the extreme of nothing.
Array nanmax(const Array& x, const Axes& axes = {}, bool keep_dims = false);
Array nanmin(const Array& x, const Axes& axes = {}, bool keep_dims = false);
/// Position of the first largest (smallest) number: int64, as argmax.
/// \throws ArgumentError where there is nothing but NaN.
Array nanargmax(const Array& x, std::optional<std::int64_t> axis = {}, bool keep_dims = false);
Array nanargmin(const Array& x, std::optional<std::int64_t> axis = {}, bool keep_dims = false);

/// Running totals in which NaN counts as 0 (as 1 in a product).
Array nancumsum(const Array& x, std::optional<std::int64_t> axis = {});
Array nancumprod(const Array& x, std::optional<std::int64_t> axis = {});

/// Among the numbers of each lane, as median and quantile.
Array nanmedian(const Array& x, const Axes& axes = {}, bool keep_dims = false);
Array nanquantile(const Array& x, double q, const Axes& axes = {}, bool keep_dims = false,
                  QuantileMethod method = QuantileMethod::linear);
/// Several quantiles at once, along a new first axis.  \throws ArgumentError if `q` is empty.
Array nanquantile(const Array& x, const std::vector<double>& q, const Axes& axes = {},
                  bool keep_dims = false, QuantileMethod method = QuantileMethod::linear);

}  // namespace gaia
