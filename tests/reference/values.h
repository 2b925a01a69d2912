// SPDX-License-Identifier: MIT
/// \file
/// Arrays for references: doubles in row-major order, and loops that a reader checks at a glance.
#pragma once

#include <cstdint>
#include <vector>

#include "../../src/formulas/shape.h"

namespace gaia::test {

/// Calls f(index) for every index of a shape, last axis fastest.
template <class F>
void for_each_index(const Shape& shape, const F& f) {
  for (const std::int64_t length : shape) {
    if (length == 0) return;
  }
  Dims index = Dims::filled(shape.rank(), 0);
  for (;;) {
    f(index);
    int axis = shape.rank() - 1;
    while (axis >= 0 && ++index[axis] == shape[axis]) index[axis--] = 0;
    if (axis < 0) return;
  }
}

struct Values {
  Shape shape;
  std::vector<double> numbers;

  Values() : shape({0}) {}
  explicit Values(const Shape& of_shape, double value = 0.0) : shape(of_shape) {
    std::size_t count = 1;
    for (const std::int64_t length : shape) count *= static_cast<std::size_t>(length);
    numbers.assign(count, value);
  }

  double& operator[](const Dims& index) { return numbers[position(index)]; }
  double operator[](const Dims& index) const { return numbers[position(index)]; }

  /// The element that broadcasting puts at `index` of a larger shape.
  double spread(const Dims& index) const {
    Dims mine;
    const int offset = index.rank() - shape.rank();
    for (int axis = 0; axis < shape.rank(); ++axis) {
      mine.push_back(shape[axis] == 1 ? 0 : index[axis + offset]);
    }
    return (*this)[mine];
  }

 private:
  std::size_t position(const Dims& index) const {
    std::int64_t at = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) at = at * shape[axis] + index[axis];
    return static_cast<std::size_t>(at);
  }
};

/// f of every element.
template <class F>
Values map(const Values& x, const F& f) {
  Values y = x;
  for (double& number : y.numbers) number = f(number);
  return y;
}

/// f of every pair, broadcast to `shape`.
template <class F>
Values map(const Values& a, const Values& b, const Shape& shape, const F& f) {
  Values y(shape);
  for_each_index(shape, [&](const Dims& at) { y[at] = f(a.spread(at), b.spread(at)); });
  return y;
}

}  // namespace gaia::test
