// SPDX-License-Identifier: MIT
#include "layer.h"

#include "../array/ops.h"

namespace gaia {

Layer::Layer(std::int64_t input_size, std::int64_t output_size, DType dtype)
    : input_size_(input_size), output_size_(output_size), dtype_(dtype) {
  if (input_size < 1 || output_size < 1) {
    throw ArgumentError("[layer] sizes must be at least 1, got " + std::to_string(input_size) +
                        " inputs and " + std::to_string(output_size) + " outputs");
  }
  if (dtype != DType::float32 && dtype != DType::float64) {
    throw DTypeError("[layer] expected float32 or float64, got " + to_string(dtype));
  }
}

Array Layer::process(const Array& x, bool learn) {
  if (x.rank() != 3 || x.shape(2) != input_size_) {
    throw ShapeError("[" + type() + " layer] expected samples [streams, ticks, " +
                     std::to_string(input_size_) + "], got " + to_string(x.shape()));
  }
  move_to_current_device();
  return process_block(on_current_device(x, "layer").astype(dtype_), learn);
}

Array linear(const Array& x, const Array& weights, const Array& bias) {
  const Array drive = matmul(x, weights.transpose());
  return bias.size() == 0 ? drive : add(drive, bias);
}

}  // namespace gaia
