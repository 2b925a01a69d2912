// SPDX-License-Identifier: MIT
#include "array.h"

#include <algorithm>
#include <string>

#include "../core/checked.h"
#include "backend.h"
#include "operands.h"
#include "storage.h"
#include "transfer.h"

namespace gaia {
namespace {

/// Position on an axis of `length`, counted from the front and clamped to [low, high], as Python
/// does.
std::int64_t clamp_position(std::int64_t position, std::int64_t length, std::int64_t low,
                            std::int64_t high) {
  if (position < 0) position += length;
  return std::clamp(position, low, high);
}

/// Strides that read the same elements, in the same order, in another shape; none where there are
/// no such strides.
std::optional<Strides> strides_after_reshape(const Shape& from, const Strides& strides,
                                             const Shape& to) {
  Shape lengths;
  Strides steps;
  for (int axis = 0; axis < from.rank(); ++axis) {
    if (from[axis] == 1) continue;
    const bool joins = !lengths.empty() && steps.back() == strides[axis] * from[axis];
    if (joins) {
      lengths.back() *= from[axis];
      steps.back() = strides[axis];
    } else {
      lengths.push_back(from[axis]);
      steps.push_back(strides[axis]);
    }
  }
  Strides result = Strides::filled(to.rank(), 1);
  int block = lengths.rank() - 1;
  std::int64_t done = 1;  // elements of the block that the axes so far cover
  for (int axis = to.rank() - 1; axis >= 0; --axis) {
    if (to[axis] == 1) continue;
    if (block < 0 || lengths[block] % (done * to[axis]) != 0) return std::nullopt;
    result[axis] = steps[block] * done;
    done *= to[axis];
    if (done == lengths[block]) {
      --block;
      done = 1;
    }
  }
  return result;
}

/// Number of elements, whose bytes can be counted too.
std::int64_t checked_size(const Shape& shape, DType dtype) {
  const std::int64_t size = count_elements(shape);
  if (!checked_multiply(size, size_of(dtype))) {
    throw ShapeError("[array] " + to_string(shape) + " of " + to_string(dtype) +
                     " has more than 2^63 bytes");
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
  if (size_ != 1) {
    throw ShapeError("[item] expected one element, got shape " + to_string(shape_));
  }
  return item(Dims::filled(rank(), 0));
}

double Array::item(const Dims& index) const {
  if (index.rank() != rank()) {
    throw ShapeError("[item] expected " + std::to_string(rank()) + " indices, got " +
                     to_string(index));
  }
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
    throw DeviceError("[elements] expected an array on the CPU, got one on " +
                      gaia::to_string(device()) + "; use to_cpu first");
  }
  if (dtype_ != dtype_of<T>()) {
    throw DTypeError("[elements] expected " + gaia::to_string(dtype_of<T>()) + ", got " +
                     gaia::to_string(dtype_) + "; use astype first");
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
  } else {
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
  const Array others = source(values, function).astype(dtype_).broadcast_to(shape_);
  backend(device()).binary(f, view(), others.view(), view());
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

Array Array::transpose(const Axes& axes) const {
  Axes order;
  if (axes.empty()) {
    for (int axis = rank() - 1; axis >= 0; --axis) order.push_back(axis);
  } else {
    order = normalize_axes(axes, rank(), "transpose");
    if (order.rank() != rank()) {
      throw ShapeError("[transpose] expected " + std::to_string(rank()) + " axes, got " +
                       to_string(axes));
    }
  }
  Shape shape;
  Strides strides;
  for (const std::int64_t axis : order) {
    shape.push_back(shape_[static_cast<int>(axis)]);
    strides.push_back(strides_[static_cast<int>(axis)]);
  }
  return with_layout(shape, strides, offset_);
}

Array Array::swapaxes(std::int64_t a, std::int64_t b) const {
  const int first = normalize_axis(a, rank(), "swapaxes");
  const int second = normalize_axis(b, rank(), "swapaxes");
  Shape shape = shape_;
  Strides strides = strides_;
  std::swap(shape[first], shape[second]);
  std::swap(strides[first], strides[second]);
  return with_layout(shape, strides, offset_);
}

Array Array::reshape(const Shape& wanted) const {
  Shape shape = wanted;
  int unknown = -1;
  std::int64_t known = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == -1 && unknown < 0) {
      unknown = axis;
    } else {
      known = checked_multiply(known, shape[axis]).value_or(-1);
    }
  }
  if (unknown >= 0) shape[unknown] = known > 0 && size_ % known == 0 ? size_ / known : -1;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 0; }) ||
      count_elements(shape) != size_) {
    throw ShapeError("[reshape] " + std::to_string(size_) + " elements of shape " +
                     to_string(shape_) + " do not fit into " + to_string(wanted));
  }
  if (size_ == 0) return with_layout(shape, row_major_strides(shape), offset_);
  if (const auto strides = strides_after_reshape(shape_, strides_, shape)) {
    return with_layout(shape, *strides, offset_);
  }
  return copy().with_layout(shape, row_major_strides(shape), 0);
}

Array Array::slice(std::int64_t axis, std::optional<std::int64_t> start,
                   std::optional<std::int64_t> stop, std::int64_t step) const {
  if (step == 0) throw ArgumentError("[slice] step must not be 0");
  const int which = normalize_axis(axis, rank(), "slice");
  const std::int64_t length = shape_[which];
  std::int64_t first = 0;
  std::int64_t count = 0;
  if (step > 0) {
    first = clamp_position(start.value_or(0), length, 0, length);
    const std::int64_t end = clamp_position(stop.value_or(length), length, 0, length);
    count = end > first ? (end - first - 1) / step + 1 : 0;
  } else {
    first = start ? clamp_position(*start, length, -1, length - 1) : length - 1;
    const std::int64_t end = stop ? clamp_position(*stop, length, -1, length - 1) : -1;
    count = first > end ? (end - first + 1) / step + 1 : 0;
  }
  Shape shape = shape_;
  Strides strides = strides_;
  shape[which] = count;
  strides[which] *= count > 1 ? step : 1;
  return with_layout(shape, strides, count > 0 ? offset_ + first * strides_[which] : offset_);
}

Array Array::operator[](std::int64_t index) const { return select(0, index); }

Array Array::select(std::int64_t axis, std::int64_t index) const {
  const int which = normalize_axis(axis, rank(), "select");
  const std::int64_t length = shape_[which];
  const std::int64_t position = index < 0 ? index + length : index;
  if (position < 0 || position >= length) {
    throw ShapeError("[select] index " + std::to_string(index) + " is out of range for axis " +
                     std::to_string(which) + " of length " + std::to_string(length));
  }
  Shape shape = shape_;
  Strides strides = strides_;
  shape.erase(which);
  strides.erase(which);
  return with_layout(shape, strides, offset_ + position * strides_[which]);
}

Array Array::broadcast_to(const Shape& shape) const {
  return with_layout(shape, broadcast_strides(shape_, strides_, shape, "broadcast_to"), offset_);
}

Array Array::diagonal(std::int64_t offset, std::int64_t axis1, std::int64_t axis2) const {
  const int rows = normalize_axis(axis1, rank(), "diagonal");
  const int columns = normalize_axis(axis2, rank(), "diagonal");
  if (rows == columns) {
    throw ShapeError("[diagonal] expected two axes, got " + std::to_string(axis1) + " and " +
                     std::to_string(axis2));
  }
  // -offset itself may not exist.
  const Array from = offset < 0 ? slice(rows, std::min(-(offset + 1), shape_[rows] - 1) + 1)
                                : slice(columns, std::min(offset, shape_[columns]));
  Shape shape = shape_;
  Strides strides = strides_;
  for (const int axis : {std::max(rows, columns), std::min(rows, columns)}) {
    shape.erase(axis);
    strides.erase(axis);
  }
  shape.push_back(std::min(from.shape_[rows], from.shape_[columns]));
  strides.push_back(strides_[rows] + strides_[columns]);
  return with_layout(shape, strides, from.offset_);
}

Array Array::expand_dims(std::int64_t axis) const {
  const int which = normalize_axis(axis, rank() + 1, "expand_dims");
  Shape shape = shape_;
  Strides strides = strides_;
  shape.insert(which, 1);
  strides.insert(which, 1);
  return with_layout(shape, strides, offset_);
}

Array Array::squeeze(const Axes& axes) const {
  Axes drop;
  if (axes.empty()) {
    for (int axis = 0; axis < rank(); ++axis) {
      if (shape_[axis] == 1) drop.push_back(axis);
    }
  } else {
    drop = normalize_axes(axes, rank(), "squeeze");
  }
  Shape shape;
  Strides strides;
  for (int axis = 0; axis < rank(); ++axis) {
    if (std::find(drop.begin(), drop.end(), axis) == drop.end()) {
      shape.push_back(shape_[axis]);
      strides.push_back(strides_[axis]);
    } else if (shape_[axis] != 1) {
      throw ShapeError("[squeeze] axis " + std::to_string(axis) + " of shape " + to_string(shape_) +
                       " is not of length 1");
    }
  }
  return with_layout(shape, strides, offset_);
}

Array Array::windows(std::int64_t rows, std::int64_t columns, std::int64_t row_stride) const {
  const bool fits = rank() == 1 && is_contiguous() && rows >= 0 && columns >= 1 &&
                    row_stride >= 1 && (rows == 0 || columns <= size_) &&
                    (rows <= 1 || (size_ - columns) / row_stride >= rows - 1);
  if (!fits) {
    throw ShapeError("[windows] " + std::to_string(rows) + " rows of " + std::to_string(columns) +
                     " at distance " + std::to_string(row_stride) +
                     " do not fit into a contiguous 1-d array; got shape " + to_string(shape_));
  }
  return with_layout({rows, columns}, {row_stride, 1}, offset_);
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
