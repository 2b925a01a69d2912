// SPDX-License-Identifier: MIT
/// \file
/// Functions along axes of tensors: all of them if `axes` is empty; negative ones count from the
/// end.  With keep_dims the reduced axes stay, with length 1.
#pragma once

#include <optional>

#include "../array/ops.h"
#include "tensor.h"

namespace gaia {

Tensor sum(const Tensor& x, const Axes& axes = {}, bool keep_dims = false);
Tensor mean(const Tensor& x, const Axes& axes = {}, bool keep_dims = false);
/// Mean square distance from the mean, over n - ddof.
Tensor var(const Tensor& x, const Axes& axes = {}, std::int64_t ddof = 0, bool keep_dims = false);
/// sqrt(var); gradient 0 where it is 0.  After `using namespace gaia`: gaia::std(x), or
/// standard_deviation(x).
Tensor std(const Tensor& x, const Axes& axes = {}, std::int64_t ddof = 0, bool keep_dims = false);
inline Tensor standard_deviation(const Tensor& x, const Axes& axes = {}, std::int64_t ddof = 0,
                                 bool keep_dims = false) {
  return gaia::std(x, axes, ddof, keep_dims);
}
Tensor prod(const Tensor& x, const Axes& axes = {}, bool keep_dims = false);
/// Elements that share the maximum (minimum) share its gradient equally.
Tensor max(const Tensor& x, const Axes& axes = {}, bool keep_dims = false);
Tensor min(const Tensor& x, const Axes& axes = {}, bool keep_dims = false);
Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keep_dims = false);
/// (sum |x|^order)^(1/order), as for arrays; gradient 0 where it is 0.
Tensor norm(const Tensor& x, const Axes& axes = {}, bool keep_dims = false, double order = 2.0);
/// Along `axis`, or in row-major order over all, 1-d.
Tensor cumsum(const Tensor& x, std::optional<std::int64_t> axis = {});
Tensor cumprod(const Tensor& x, std::optional<std::int64_t> axis = {});
Tensor softmax(const Tensor& x, std::int64_t axis = -1);
Tensor log_softmax(const Tensor& x, std::int64_t axis = -1);

}  // namespace gaia
