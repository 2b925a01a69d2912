// SPDX-License-Identifier: MIT
#include "differences.h"

#include "../array/create.h"
#include "../array/differences_steps.h"
#include "../array/ops.h"
#include "function.h"
#include "joining.h"

namespace gaia {

Tensor diff(const Tensor& x, std::int64_t n, std::int64_t axis,
            const std::optional<Tensor>& prepend, const std::optional<Tensor>& append) {
  return detail::diff_of(x, n, axis, prepend, append, [](const Tensor& from, int along) {
    return record("diff", {from}, diff(from.value(), 1, along),
                  [shape = from.shape(), along](GradientFlow& flow) {
                    const Array& dy = flow.gradient();
                    const Array dx = zeros(shape, dy.dtype());
                    dx.slice(along, 1).assign(dy);
                    dx.slice(along, 0, -1) -= dy;
                    flow.give(0, dx);
                  });
  });
}

}  // namespace gaia
