// SPDX-License-Identifier: MIT
/// \file
/// Shapes, strides and axes: short lists of integers, and the rules of broadcasting.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace gaia {

/// Arrays have at most this many axes.
constexpr int kMaxRank = 8;

/// Up to kMaxRank integers, held in place.
class Dims {
 public:
  using value_type = std::int64_t;

  Dims() = default;
  Dims(std::initializer_list<std::int64_t> values)
      : Dims(std::span(values.begin(), values.size())) {}
  /// \throws ShapeError for more than kMaxRank values.
  explicit Dims(std::span<const std::int64_t> values);
  /// `rank` times `value`.
  static Dims filled(int rank, std::int64_t value);

  int rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  std::int64_t operator[](int axis) const { return values_[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) { return values_[static_cast<std::size_t>(axis)]; }
  std::int64_t back() const { return (*this)[rank_ - 1]; }
  std::int64_t& back() { return (*this)[rank_ - 1]; }

  const std::int64_t* begin() const { return values_.data(); }
  const std::int64_t* end() const { return values_.data() + rank_; }

  /// \throws ShapeError when there is no room left.
  void push_back(std::int64_t value);
  void insert(int position, std::int64_t value);
  void erase(int position);

  friend bool operator==(const Dims& a, const Dims& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<std::int64_t, kMaxRank> values_{};
  int rank_ = 0;
};

using Shape = Dims;    ///< Lengths of the axes.
using Strides = Dims;  ///< Distance between neighbours along each axis, in elements.
using Axes = Dims;     ///< Numbers of axes; negative ones count from the end.

/// "[2, 3]".
std::string to_string(const Dims& dims);

/// Number of elements.  \throws ShapeError for a negative length or a product beyond 2^63 - 1.
std::int64_t count_elements(const Shape& shape);

/// Strides of an array whose last axis varies fastest.
Strides row_major_strides(const Shape& shape);

/// `axis` counted from the front.  \throws ShapeError if there is no such axis.
int normalize_axis(std::int64_t axis, int rank, const char* function);

/// `axes` counted from the front, all of them if empty.  \throws ShapeError on a repeat.
Axes normalize_axes(const Axes& axes, int rank, const char* function);

/// Shape that both broadcast to.  \throws ShapeError if there is none.
Shape broadcast_shapes(const Shape& a, const Shape& b, const char* function);

/// Strides that read an array of `shape` and `strides` as one of shape `target`: 0 along axes that
/// repeat.  \throws ShapeError if `shape` does not broadcast to `target`.
Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target,
                          const char* function);

}  // namespace gaia
