// SPDX-License-Identifier: MIT
#include "nan_functions.h"

#include "joining.h"
#include "nan_steps.h"

namespace gaia {
namespace {

constexpr double kAboveAll = std::numeric_limits<double>::infinity();

/// NaN where there is nothing else, and `extreme`, of x with `worst` for NaN, elsewhere.
Array or_nan(const Array& extreme, double worst, const Array& x, const Axes& axes, bool keep_dims) {
  if (!is_floating(x.dtype()) || any(equal(extreme, worst)).item() == 0.0) return extreme;
  return where(all(isnan(x), axes, keep_dims), std::numeric_limits<double>::quiet_NaN(), extreme);
}

/// x with `value` for NaN, for the position of an extreme.
Array for_position(const Array& x, std::optional<std::int64_t> axis, double value,
                   const char* function) {
  if (!is_floating(x.dtype())) return x;
  const Array none = isnan(x);
  const bool empty = any(axis ? all(none, {*axis}) : all(none)).item() != 0.0;
  if (empty && x.size() > 0) {
    fail<ArgumentError>("[{}] expected a number in each lane, got nothing but NaN", function);
  }
  return where(none, value, x);
}

}  // namespace

Array nansum(const Array& x, const Axes& axes, bool keep_dims) {
  return sum(detail::without_nan(on_current_device(x, "nansum"), 0.0), axes, keep_dims);
}

Array nanprod(const Array& x, const Axes& axes, bool keep_dims) {
  return prod(detail::without_nan(on_current_device(x, "nanprod"), 1.0), axes, keep_dims);
}

Array nanmean(const Array& x, const Axes& axes, bool keep_dims) {
  return detail::nanmean_of(on_current_device(x, "nanmean"), axes, keep_dims);
}

Array nanvar(const Array& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  return detail::nanvar_of(on_current_device(x, "nanvar"), axes, ddof, keep_dims);
}

Array nanstd(const Array& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  return detail::nanstd_of(on_current_device(x, "nanstd"), axes, ddof, keep_dims);
}

Array nanmax(const Array& x, const Axes& axes, bool keep_dims) {
  const Array here = on_current_device(x, "nanmax");
  return or_nan(max(detail::without_nan(here, -kAboveAll), axes, keep_dims), -kAboveAll, here, axes,
                keep_dims);
}

Array nanmin(const Array& x, const Axes& axes, bool keep_dims) {
  const Array here = on_current_device(x, "nanmin");
  return or_nan(min(detail::without_nan(here, kAboveAll), axes, keep_dims), kAboveAll, here, axes,
                keep_dims);
}

Array nanargmax(const Array& x, std::optional<std::int64_t> axis, bool keep_dims) {
  const Array here = on_current_device(x, "nanargmax");
  return argmax(for_position(here, axis, -kAboveAll, "nanargmax"), axis, keep_dims);
}

Array nanargmin(const Array& x, std::optional<std::int64_t> axis, bool keep_dims) {
  const Array here = on_current_device(x, "nanargmin");
  return argmin(for_position(here, axis, kAboveAll, "nanargmin"), axis, keep_dims);
}

Array nancumsum(const Array& x, std::optional<std::int64_t> axis) {
  return cumsum(detail::without_nan(on_current_device(x, "nancumsum"), 0.0), axis);
}

Array nancumprod(const Array& x, std::optional<std::int64_t> axis) {
  return cumprod(detail::without_nan(on_current_device(x, "nancumprod"), 1.0), axis);
}

Array nanmedian(const Array& x, const Axes& axes, bool keep_dims) {
  const Array here = on_current_device(x, "nanmedian");
  return detail::nanquantiles_of(here, {0.5}, axes, keep_dims, "nanmedian", QuantileMethod::linear)
      .front();
}

Array nanquantile(const Array& x, double q, const Axes& axes, bool keep_dims,
                  QuantileMethod method) {
  const Array here = on_current_device(x, "nanquantile");
  return detail::nanquantiles_of(here, {q}, axes, keep_dims, "nanquantile", method).front();
}

Array nanquantile(const Array& x, const std::vector<double>& q, const Axes& axes, bool keep_dims,
                  QuantileMethod method) {
  if (q.empty()) throw ArgumentError("[nanquantile] expected at least one quantile, got none");
  const Array here = on_current_device(x, "nanquantile");
  return stack(detail::nanquantiles_of(here, q, axes, keep_dims, "nanquantile", method), 0);
}

}  // namespace gaia
