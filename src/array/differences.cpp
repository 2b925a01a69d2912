// SPDX-License-Identifier: MIT
#include "differences.h"

#include "differences_steps.h"
#include "joining.h"
#include "ops.h"

namespace gaia {

Array diff(const Array& x, std::int64_t n, std::int64_t axis, const std::optional<Array>& prepend,
           const std::optional<Array>& append) {
  const auto neighbours = [](const Array& from, int along) {
    const Array next = from.slice(along, 1);
    const Array before = from.slice(along, 0, -1);
    return from.dtype() == DType::boolean ? not_equal(next, before) : subtract(next, before);
  };
  return detail::diff_of(on_current_device(x, "diff"), n, axis, prepend, append, neighbours);
}

}  // namespace gaia
