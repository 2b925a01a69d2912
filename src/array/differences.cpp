// SPDX-License-Identifier: MIT
#include "differences.h"

#include "differences_steps.h"
#include "joining.h"
#include "ops.h"

namespace gaia {

Array diff(const Array& x, std::int64_t n, std::int64_t axis, const std::optional<Array>& prepend,
           const std::optional<Array>& append) {
  return detail::diff_of(x, n, axis, prepend, append, [](const Array& from, int along) {
    const Array next = from.slice(along, 1);
    const Array before = from.slice(along, 0, -1);
    return from.dtype() == DType::boolean ? not_equal(next, before) : subtract(next, before);
  });
}

}  // namespace gaia
