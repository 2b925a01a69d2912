// SPDX-License-Identifier: MIT
/// \file
/// Array: numbers of one type in up to eight dimensions, on a device.
///
/// An Array is a handle: copying it shares the elements, and so do the views that `transpose`,
/// `slice`, `reshape` and `broadcast_to` return.  `copy()` makes elements of one's own.  Names,
/// broadcasting and promotion are NumPy's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../formulas/dtype.h"
#include "../formulas/elementwise.h"
#include "../formulas/shape.h"
#include "../formulas/view.h"
#include "array_methods.h"
#include "device.h"

namespace gaia {

class Storage;

class Array : public Methods<Array> {
 public:
  /// No elements: shape [0], float32.
  Array() = default;

  /// Elements that are not set, on the current device.
  /// \throws ShapeError for a negative or overflowing shape, OutOfMemory.
  static Array uninitialized(const Shape& shape, DType dtype);

  /// Elements in memory of someone else's on `device`, which is not copied; `strides` are in
  /// elements and may be negative.  `owner` is held as long as an array uses them.
  /// \throws ShapeError for a negative or overflowing shape, or strides of another rank.
  static Array borrowed(void* elements, const Shape& shape, const Strides& strides, DType dtype,
                        Device device, std::shared_ptr<const void> owner);

  // What it is

  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }  ///< In elements.
  std::int64_t shape(int axis) const;                  ///< Negative axes count from the end.
  int rank() const { return shape_.rank(); }
  std::int64_t size() const { return size_; }  ///< Number of elements.
  std::int64_t bytes() const { return size_ * size_of(dtype_); }
  DType dtype() const { return dtype_; }
  Device device() const;
  bool is_contiguous() const { return view().is_contiguous(); }
  /// How often the elements, which views share, were changed through an Array: by `assign`, `fill`,
  /// operators in place and whatever else calls `count_change`.  (Writes through `elements` and
  /// `view` are not seen.)
  std::int64_t version() const;

  // Elements, on the host

  /// The only element, as a double.  \throws ShapeError if there is not exactly one.
  double item() const;
  /// The element at `index`, one number per axis; negative ones count from the end.
  double item(const Dims& index) const;
  /// All elements in row-major order, cast to T (one of the dtypes' types).
  template <class T>
  std::vector<T> to_vector() const;
  /// The elements in place.  \throws DeviceError unless on the CPU, ShapeError unless contiguous,
  /// DTypeError unless T is the dtype.
  template <class T>
  std::span<T> elements() const;

  // Copies.  `assign` and `fill` change elements, not the handle, hence const (as in std::span);
  // they throw ArgumentError for a broadcast view, which shows one element in several places.

  Array copy() const;                      ///< Contiguous, same device.
  Array contiguous() const;                ///< This array if it is contiguous, else a copy.
  Array astype(DType dtype) const;         ///< This array if it has the dtype, else a cast copy.
  Array to(Device device) const;           ///< This array if it lives there, else a copy there.
  void assign(const Array& values) const;  ///< Sets the elements; `values` broadcasts and is cast.
  void fill(double value) const;           ///< Sets every element.

  // Views

  /// Axes in the order given; without one, reversed.
  Array transpose(const Axes& axes = {}) const;
  Array swapaxes(std::int64_t a, std::int64_t b) const;
  /// Same elements in another shape; one length may be -1.  A view where strides allow, else a
  /// copy.
  Array reshape(const Shape& shape) const;
  /// Along `axis`, elements start, start + step, ... before stop, as Python's start:stop:step.
  /// Negative positions count from the end; without start or stop, from or to the end.
  Array slice(std::int64_t axis, std::optional<std::int64_t> start,
              std::optional<std::int64_t> stop = {}, std::int64_t step = 1) const;
  /// Position `index` along the first axis, which disappears.
  Array operator[](std::int64_t index) const;
  Array select(std::int64_t axis, std::int64_t index) const;
  Array broadcast_to(const Shape& shape) const;
  /// Elements (i, i + offset) of the two axes, which disappear; the diagonal becomes the last axis.
  Array diagonal(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1) const;
  Array expand_dims(std::int64_t axis) const;
  /// Without the axes given (all of length 1 if none is).
  Array squeeze(const Axes& axes = {}) const;
  /// Same elements, read with other strides: row i of [rows, columns] starts `row_stride` elements
  /// after row i - 1.  For overlapping windows of a contiguous 1-d array.
  Array windows(std::int64_t rows, std::int64_t columns, std::int64_t row_stride) const;

  /// For backends: where the elements lie.  Valid while this array, or one that shares with it,
  /// lives.
  View view() const;

  /// For functions that write to the elements through `view`: counts one change.
  void count_change() const;
  /// For operators in place: every element becomes f(element, value) on this array's device.
  /// `values` broadcasts and is cast; `function` is named in errors, which are those of `assign`.
  void update(const Binary& f, const Array& values, const char* function) const;

 private:
  friend Array on_current_device(const Array& x, const char* function);

  /// `values` on this device, which is current, broadcast to this shape, and apart from this
  /// array's memory: where they share it, they may overlap.
  Array source(const Array& values, const char* function) const;
  Array copy_to(Device device) const;
  Array with_layout(const Shape& shape, const Strides& strides, std::int64_t offset) const;

  std::shared_ptr<Storage> storage_;  // null: no elements, on the CPU
  Shape shape_ = {0};
  Strides strides_ = {1};
  std::int64_t offset_ = 0;  // place of the first element, in elements
  std::int64_t size_ = 0;
  DType dtype_ = DType::float32;
};

/// Copies to the CPU or to the first GPU; the array itself if it is there already.
Array to_cpu(const Array& x);
Array to_gpu(const Array& x);

/// `x` on the calling thread's current device: itself, or a copy that counts as implicit.
/// `function` is named if the transfer policy forbids it.
Array on_current_device(const Array& x, const char* function);

}  // namespace gaia
