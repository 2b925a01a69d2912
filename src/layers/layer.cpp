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

Array Layer::process_replicas(std::span<Layer* const> replicas, const Array& x, bool learn) {
  const auto count = static_cast<std::int64_t>(replicas.size());
  if (count == 0 || x.rank() != 3 || x.shape(2) != input_size_ || x.shape(0) % count != 0) {
    throw ShapeError("[" + type() + " layer] expected samples [" + std::to_string(count) +
                     " replicas x streams, ticks, " + std::to_string(input_size_) + "], got " +
                     to_string(x.shape()));
  }
  for (Layer* const replica : replicas) replica->move_to_current_device();
  return process_replica_blocks(replicas, on_current_device(x, "layer").astype(dtype_), learn);
}

Array Layer::process_replica_blocks(std::span<Layer* const> replicas, const Array& x, bool learn) {
  const std::int64_t streams = x.shape(0) / static_cast<std::int64_t>(replicas.size());
  const Array y = Array::uninitialized({x.shape(0), x.shape(1), output_size_}, dtype_);
  std::int64_t first = 0;
  for (Layer* const replica : replicas) {
    y.slice(0, first, first + streams)
        .assign(replica->process_block(x.slice(0, first, first + streams), learn));
    first += streams;
  }
  return y;
}

std::string Layer::why_not_replica(const Layer& other) const {
  const auto is_not = [](const std::string& theirs, const std::string& mine) {
    return "is " + theirs + ", not " + mine;
  };
  if (other.type() != type()) return is_not(other.type(), type());
  const auto sizes = [](const Layer& layer) {
    return std::to_string(layer.input_size_) + " to " + std::to_string(layer.output_size_);
  };
  if (sizes(other) != sizes(*this)) return is_not(sizes(other), sizes(*this));
  if (other.dtype_ != dtype_) return is_not(to_string(other.dtype_), to_string(dtype_));
  return "";
}

Array linear(const Array& x, const Array& weights, const Array& bias) {
  const Array drive = matmul(x, weights.transpose());
  return bias.size() == 0 ? drive : add(drive, bias);
}

}  // namespace gaia
