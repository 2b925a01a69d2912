// SPDX-License-Identifier: MIT
#include "layer.h"

#include "../../array/backend.h"
#include "../../array/functions.h"
#include "../../array/kernel_families.h"
#include "../../array/ops.h"
#include "../../array/precision.h"
#include "../../core/message.h"

namespace gaia {

Layer::Layer(std::int64_t input_size, std::int64_t output_size, DType dtype)
    : input_size_(input_size), output_size_(output_size), dtype_(dtype) {
  if (input_size < 1 || output_size < 1) {
    fail<ArgumentError>("[layer] sizes must be at least 1, got {} inputs and {} outputs",
                        input_size, output_size);
  }
  if (dtype != DType::float32 && dtype != DType::float64) {
    fail<DTypeError>("[layer] expected float32 or float64, got {}", dtype);
  }
}

void Layer::check_samples(const Array& x, std::int64_t replicas) const {
  const bool fits =
      replicas > 0 && x.rank() == 3 && x.shape(2) == input_size_ && x.shape(0) % replicas == 0;
  if (fits) return;
  fail<ShapeError>("[{} layer] expected samples [{}streams, ticks, {}], got {}", type(),
                   replicas == 1 ? "" : std::to_string(replicas) + " replicas x ", input_size_,
                   x.shape());
}

void Layer::check_room(const Array& x, const Array& y) const {
  const auto expected = [this] { return "[" + type() + " layer] expected room for answers "; };
  const Shape shape = {x.shape(0), x.shape(1), output_size_};
  if (!(y.shape() == shape) || (output_size_ > 1 && y.strides()[2] != 1)) {
    fail<ShapeError>("{}{}, the last axis contiguous, got {}", expected(), shape, y.shape());
  }
  if (y.dtype() != dtype_) fail<DTypeError>("{}of {}, got {}", expected(), dtype_, y.dtype());
  if (y.device() != current_device()) {
    fail<DeviceError>("{}on the current device {}, got {}", expected(), current_device(),
                      y.device());
  }
}

void Layer::keep(ArrayUndo& undo, bool learn) {
  using Role = NamedArray::Role;
  bool has_state = true;
  for (const NamedArray& array : arrays()) {
    const bool is_weights = array.role == Role::weights;
    if (!is_weights && array.value.size() == 0) has_state = false;
    if (!is_weights || learn) undo.keep_elements(array.value);
  }
  // What there is no room for yet is created anew.
  if (!has_state) undo.before_put_back([this] { reset_state(); });
}

Array Layer::process_with_drive(const Array&, bool, const Array&) {
  throw InternalError("[" + type() + " layer] has no connection from above");
}

Array Layer::process(const Array& x, bool learn) {
  check_samples(x, 1);
  const Array y = Array::uninitialized({x.shape(0), x.shape(1), output_size_}, dtype_);
  process(x, learn, y);
  return y;
}

void Layer::process(const Array& x, bool learn, const Array& y) {
  if (!current_device().is_cpu()) return process_unguarded(x, learn, y);
  ArrayUndo undo;
  keep(undo, learn);
  try {
    process_unguarded(x, learn, y);
    if (!undo.all_finite()) check_finite(x);
  } catch (...) {
    undo.put_back();
    throw;
  }
}

void Layer::check_finite(const Array& x) const {
  const Array samples = x.astype(dtype_);
  const std::int64_t at = first_not_finite(samples);
  if (at < 0) return;
  const std::int64_t row = at / input_size_;
  const Dims place = {row / x.shape(1), row % x.shape(1), at % input_size_};
  fail<ArgumentError>(
      "[{} layer] expected samples that are finite in {}, got {} at stream {}, tick {}, input {}; "
      "the layer is as it was before",
      type(), dtype_, x.item(place), place[0], place[1], place[2]);
}

Array Layer::process_unguarded(const Array& x, bool learn) {
  check_samples(x, 1);
  const Array y = Array::uninitialized({x.shape(0), x.shape(1), output_size_}, dtype_);
  process_unguarded(x, learn, y);
  return y;
}

void Layer::process_unguarded(const Array& x, bool learn, const Array& y) {
  check_samples(x, 1);
  check_room(x, y);
  if (y.size() == 0) return;
  move_to_current_device();
  answer(on_current_device(x, "layer").astype(dtype_), learn, y);
  y.count_change();
}

Array Layer::process_replicas(std::span<Layer* const> replicas, const Array& x, bool learn) {
  check_samples(x, static_cast<std::int64_t>(replicas.size()));
  const Array y = Array::uninitialized({x.shape(0), x.shape(1), output_size_}, dtype_);
  process_replicas(replicas, x, learn, y);
  return y;
}

void Layer::process_replicas(std::span<Layer* const> replicas, const Array& x, bool learn,
                             const Array& y) {
  check_samples(x, static_cast<std::int64_t>(replicas.size()));
  check_room(x, y);
  if (y.size() == 0) return;
  for (Layer* const replica : replicas) replica->move_to_current_device();
  answer_replicas(replicas, on_current_device(x, "layer").astype(dtype_), learn, y);
  y.count_change();
}

void Layer::answer_replicas(std::span<Layer* const> replicas, const Array& x, bool learn,
                            const Array& y) {
  const std::int64_t streams = x.shape(0) / static_cast<std::int64_t>(replicas.size());
  std::int64_t first = 0;
  for (Layer* const replica : replicas) {
    replica->answer(x.slice(0, first, first + streams), learn, y.slice(0, first, first + streams));
    first += streams;
  }
}

std::string Layer::why_not_replica(const Layer& other) const {
  const auto is_not = [](const std::string& theirs, const std::string& mine) {
    return message("is {}, not {}", theirs, mine);
  };
  if (other.type() != type()) return is_not(other.type(), type());
  const auto sizes = [](const Layer& layer) {
    return message("{} to {}", layer.input_size_, layer.output_size_);
  };
  if (sizes(other) != sizes(*this)) return is_not(sizes(other), sizes(*this));
  if (other.dtype_ != dtype_) return is_not(to_string(other.dtype_), to_string(dtype_));
  return "";
}

void assign_finite(const char* function, Array& array, const Array& values) {
  if (!(values.shape() == array.shape())) {
    fail<ShapeError>("[{}] expected {}, got {}", function, array.shape(), values.shape());
  }
  const Array fitting = values.astype(array.dtype());
  if (std::int64_t at = first_not_finite(fitting); at >= 0) {
    const double found = values.contiguous().reshape({values.size()}).item({at});
    Shape place = array.shape();
    for (int axis = place.rank() - 1; axis >= 0; --axis) {
      const std::int64_t length = place[axis];
      place[axis] = at % length;
      at /= length;
    }
    fail<ArgumentError>("[{}] expected {} that are finite in {}, got {} at {}", function,
                        array.rank() == 2 ? "weights" : "numbers", array.dtype(), found, place);
  }
  array.assign(fitting);
}

void answer_linearly(Activation f, const Array& x, const Array& weights, const Array& bias,
                     const Array& y) {
  // Products want contiguous outputs.  What follows changes them in place.
  const Array z = y.is_contiguous() ? y : Array::uninitialized(y.shape(), y.dtype());
  const Array turned = weights.transpose();
  backend_for(KernelFamily::matmul)
      .matmul(x.view(), turned.broadcast_to({x.shape(0), turned.shape(0), turned.shape(1)}).view(),
              z.view(), matmul_precision());
  if (bias.size() > 0) z += bias;
  activate(f, z, y);
}

}  // namespace gaia
