// SPDX-License-Identifier: MIT
#include "nan_functions.h"

#include "../array/nan_steps.h"
#include "indexing.h"
#include "joining.h"
#include "linear.h"
#include "pointwise.h"
#include "reduce.h"
#include "sorting.h"

namespace gaia {

Tensor nansum(const Tensor& x, const Axes& axes, bool keep_dims) {
  return sum(detail::without_nan(x, 0.0), axes, keep_dims);
}

Tensor nanmean(const Tensor& x, const Axes& axes, bool keep_dims) {
  return detail::nanmean_of(x, axes, keep_dims);
}

Tensor nanvar(const Tensor& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  return detail::nanvar_of(x, axes, ddof, keep_dims);
}

Tensor nanstd(const Tensor& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  return detail::nanstd_of(x, axes, ddof, keep_dims);
}

Tensor nanmedian(const Tensor& x, const Axes& axes, bool keep_dims) {
  return detail::nanquantiles_of(x, {0.5}, axes, keep_dims, "nanmedian", QuantileMethod::linear)
      .front();
}

Tensor nanquantile(const Tensor& x, double q, const Axes& axes, bool keep_dims,
                   QuantileMethod method) {
  return detail::nanquantiles_of(x, {q}, axes, keep_dims, "nanquantile", method).front();
}

}  // namespace gaia
