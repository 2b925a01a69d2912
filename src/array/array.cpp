// SPDX-License-Identifier: MIT
#include "array.h"

#include <algorithm>
#include <utility>

#include "../core/checked.h"
#include "../core/message.h"
#include "backend.h"
#include "operands.h"
#include "storage.h"
#include "transfer.h"

namespace gaia {
namespace {

/// Number of elements, whose bytes can be counted too.
std::int64_t checked_size(const Shape& shape, DType dtype) {
  const std::int64_t size = count_elements(shape);
  if (!checked_multiply(size, size_of(dtype))) {
    fail<ShapeError>("[array] {} of {} has more than 2^63 bytes", shape, dtype);
  }
  return size;
}

}  // namespace

Array Array::uninitialized(const Shape& shape, DType dtype) {
  const std::int64_t size = checked_size(shape, dtype);
  Array array;
  array.storage_ = std::make_shared<Storage>(current_device(), size * size_of(dtype));
  array.shape_ = shape;
  array.strides_ = row_major_strides(shape);
  array.size_ = size;
  array.dtype_ = dtype;
  return array;
}

Array Array::borrowed(void* elements, const Shape& shape, const Strides& strides, DType dtype,
                      Device device, std::shared_ptr<const void> owner) {
  const std::int64_t size = checked_size(shape, dtype);
  if (strides.rank() != shape.rank()) {
    fail<ShapeError>("[array] expected a stride for each axis of {}, got {}", shape, strides);
  }
  Array array;
  array.storage_ =
      std::make_shared<Storage>(device, elements, size * size_of(dtype), std::move(owner));
  array.shape_ = shape;
  array.strides_ = strides;
  array.size_ = size;
  array.dtype_ = dtype;
  return array;
}

std::int64_t Array::shape(int axis) const { return shape_[normalize_axis(axis, rank(), "shape")]; }

Device Array::device() const { return storage_ ? storage_->device() : Device::cpu(); }

std::int64_t Array::version() const { return storage_ ? storage_->version() : 0; }

void Array::count_change() const {
  if (storage_) storage_->count_change();
}

View Array::view() const {
  if (!storage_) return {nullptr, dtype_, shape_, strides_};
  return {static_cast<char*>(storage_->data()) + offset_ * size_of(dtype_), dtype_, shape_,
          strides_};
}

Array Array::with_layout(const Shape& shape, const Strides& strides, std::int64_t offset) const {
  Array result = *this;
  result.shape_ = shape;
  result.strides_ = strides;
  result.offset_ = offset;
  result.size_ = checked_size(shape, dtype_);
  return result;
}

double Array::item() const {
  if (size_ != 1) fail<ShapeError>("[item] expected one element, got shape {}", shape_);
  return item(Dims::filled(rank(), 0));
}

double Array::item(const Dims& index) const {
  if (index.rank() != rank()) fail<ShapeError>("[item] expected {} indices, got {}", rank(), index);
  Array element = *this;
  for (int axis = 0; axis < index.rank(); ++axis) element = element.select(0, index[axis]);
  return element.to_vector<double>().front();
}

template <class T>
std::vector<T> Array::to_vector() const {
  const Array host = to(Device::cpu());
  // Bits of std::vector<bool> have no addresses, so bool goes through bytes.
  using Element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  std::vector<Element> values(static_cast<std::size_t>(size_));
  const View target{values.data(), dtype_of<T>(), shape_, row_major_strides(shape_)};
  if (size_ > 0) backend(Device::cpu()).copy(host.view(), target);
  if constexpr (std::is_same_v<T, bool>) {
    return std::vector<bool>(values.begin(), values.end());
  } else {
    return values;
  }
}

template <class T>
std::span<T> Array::elements() const {
  if (!device().is_cpu()) {
    fail<DeviceError>("[elements] expected an array on the CPU, got one on {}; use to_cpu first",
                      device());
  }
  if (dtype_ != dtype_of<T>()) {
    fail<DTypeError>("[elements] expected {}, got {}; use astype first", dtype_of<T>(), dtype_);
  }
  if (!is_contiguous()) {
    throw ShapeError("[elements] expected a contiguous array; use contiguous() first");
  }
  return {view().as<T>(), static_cast<std::size_t>(size_)};
}

#define GAIA_INSTANTIATE(T)                         \
  template std::vector<T> Array::to_vector() const; \
  template std::span<T> Array::elements() const;
GAIA_INSTANTIATE(bool)
GAIA_INSTANTIATE(std::int32_t)
GAIA_INSTANTIATE(std::int64_t)
GAIA_INSTANTIATE(bfloat16)
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

Array Array::copy() const {
  const GPUContext here(device());
  Array result = uninitialized(shape_, dtype_);
  if (size_ > 0) backend(device()).copy(view(), result.view());
  return result;
}

Array Array::contiguous() const { return is_contiguous() ? *this : copy(); }

Array Array::astype(DType dtype) const {
  if (dtype == dtype_) return *this;
  const GPUContext here(device());
  Array result = uninitialized(shape_, dtype);
  if (size_ > 0) backend(device()).copy(view(), result.view());
  return result;
}

Array Array::to(Device target) const {
  if (target == device()) return *this;
  Array result = copy_to(target);
  note_explicit_transfer(bytes());
  return result;
}

Array Array::copy_to(Device target) const {
  const Array source = contiguous();
  const GPUContext there(target);
  Array result = uninitialized(shape_, dtype_);
  if (size_ == 0) return result;
  if (target.is_cpu()) {
    backend(device()).download(source.view().data, result.view().data, bytes());
  } else if (device().is_cpu()) {
    backend(target).upload(source.view().data, result.view().data, bytes());
  } else if (!backend(target).copy_from(backend(device()), source.view().data, result.view().data,
                                        bytes())) {
    std::vector<char> staging(static_cast<std::size_t>(bytes()));
    backend(device()).download(source.view().data, staging.data(), bytes());
    backend(target).upload(staging.data(), result.view().data, bytes());
  }
  return result;
}

void Array::assign(const Array& values) const {
  // Checked first, so that values that do not fit are not moved between devices.
  broadcast_strides(values.shape_, values.strides_, shape_, "assign");
  if (size_ == 0) return;
  check_writable(*this, "assign");
  const GPUContext here(device());
  backend(device()).copy(source(values, "assign").view(), view());
  count_change();
}

void Array::update(const Binary& f, const Array& values, const char* function) const {
  broadcast_strides(values.shape_, values.strides_, shape_, function);
  if (size_ == 0) return;
  check_writable(*this, function);
  const GPUContext here(device());
  backend(device()).binary(f, view(), source(values.astype(dtype_), function).view(), view());
  count_change();
}

Array Array::source(const Array& values, const char* function) const {
  const Array here = on_current_device(values, function);
  const bool shares = here.storage_ == storage_;
  return (shares ? here.copy() : here).broadcast_to(shape_);
}

void Array::fill(double value) const {
  if (size_ == 0) return;
  check_writable(*this, "fill");
  backend(device()).fill(value, view());
  count_change();
}

Array to_cpu(const Array& x) { return x.to(Device::cpu()); }
Array to_gpu(const Array& x) { return x.to(Device::cuda(0)); }

Array on_current_device(const Array& x, const char* function) {
  const Device here = current_device();
  if (x.device() == here) return x;
  if (x.size() > 0) note_implicit_transfer(x.device(), here, x.bytes(), function);
  return x.copy_to(here);
}

}  // namespace gaia
