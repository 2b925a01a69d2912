// SPDX-License-Identifier: MIT
#include "ternary_product.h"

#include "../core/message.h"
#include "backend.h"
#include "kernel_families.h"

namespace gaia {

Array ternary_product(const Array& x, const Array& packed) {
  const auto words = [](std::int64_t columns) { return (columns + 15) / 16; };
  if (packed.dtype() != DType::int32 ||
      (x.dtype() != DType::float32 && x.dtype() != DType::float64)) {
    fail<DTypeError>(
        "[ternary_product] expected x of float32 or float64 and codes in int32, got {} and {}",
        x.dtype(), packed.dtype());
  }
  if (x.rank() < 1 || packed.rank() != 2 || packed.shape(1) != words(x.shape(-1))) {
    fail<ShapeError>(
        "[ternary_product] expected x [..., columns] and codes [outputs, ceil(columns / 16)], got "
        "shapes {} and {}",
        x.shape(), packed.shape());
  }
  Shape shape = x.shape();
  const std::int64_t columns = shape.back();
  const std::int64_t rows = columns == 0
                                ? count_elements(Shape(std::span(shape.begin(), shape.end() - 1)))
                                : x.size() / columns;
  shape.back() = packed.shape(0);
  const Array in = on_current_device(x, "ternary_product").contiguous().reshape({rows, columns});
  const Array codes = on_current_device(packed, "ternary_product").contiguous();
  const Array y = Array::uninitialized({rows, packed.shape(0)}, x.dtype());
  backend_for(KernelFamily::ternary_product).ternary_product({in.view(), codes.view(), y.view()});
  return y.reshape(shape);
}

}  // namespace gaia
