// SPDX-License-Identifier: MIT
/// \file
/// Arrays of random numbers in every layout that memory allows, each with its numbers as a
/// reference.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../reference/values.h"

namespace gaia::test {

/// How elements lie in memory.
enum class Layout { contiguous, transposed, sliced, reversed, broadcast };

inline const std::vector<Layout>& all_layouts() {
  static const std::vector<Layout> layouts = {Layout::contiguous, Layout::transposed,
                                              Layout::sliced, Layout::reversed, Layout::broadcast};
  return layouts;
}

inline std::string to_string(Layout layout) {
  static const char* const names[] = {"contiguous", "transposed", "sliced", "reversed",
                                      "broadcast"};
  return names[static_cast<std::size_t>(layout)];
}

struct Operand {
  Array array;
  Values values;
};

/// The double that is left of `number` when it is stored in `dtype`.
inline double stored(double number, DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return number != 0.0 ? 1.0 : 0.0;
    case DType::int32:
    case DType::int64:
      return std::trunc(number);
    case DType::bfloat16:
      return static_cast<float>(bfloat16(static_cast<float>(number)));
    case DType::float32:
      return static_cast<float>(number);
    case DType::float64:
      break;
  }
  return number;
}

/// `values` on the current device, in memory as `layout` says.  For `broadcast` the values must not
/// change along the first axis.
inline Array laid_out(const Values& values, DType dtype, Layout layout) {
  const Shape& shape = values.shape;
  const Array plain = from_values(values.numbers, shape).astype(dtype);
  const bool is_empty = values.numbers.empty();
  if (layout == Layout::contiguous || shape.empty()) return plain;
  if (layout == Layout::transposed) {
    const Array mirrored = Array::uninitialized(plain.transpose().shape(), dtype);
    mirrored.assign(plain.transpose());
    return mirrored.transpose();
  }
  if (layout == Layout::broadcast) {
    return is_empty ? plain : plain.slice(0, 0, 1).copy().broadcast_to(shape);
  }
  // Every second element of a larger array of NaN (bool and integers: of ones).
  const std::int64_t step = layout == Layout::sliced ? 2 : -2;
  Shape larger;
  for (const std::int64_t length : shape) larger.push_back(2 * length + 1);
  Array view = full(larger, is_floating(dtype) ? std::nan("") : 1.0, dtype);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    view = step > 0 ? view.slice(axis, 1, {}, step) : view.slice(axis, -2, {}, step);
  }
  view.assign(plain);
  return view;
}

/// Random numbers of [low, high) as `dtype` stores them.
inline Operand random_operand(std::mt19937_64& engine, const Shape& shape, DType dtype,
                              Layout layout = Layout::contiguous, double low = -4.0,
                              double high = 4.0) {
  std::uniform_real_distribution<double> draw(low, high);
  Values values(shape);
  for (double& number : values.numbers) {
    number =
        dtype == DType::boolean ? static_cast<double>(engine() % 2) : stored(draw(engine), dtype);
  }
  if (layout == Layout::broadcast && !shape.empty() && shape[0] > 0) {
    for_each_index(shape, [&](const Dims& at) {
      Dims first = at;
      first[0] = 0;
      values[at] = values[first];
    });
  }
  return {laid_out(values, dtype, layout), values};
}

}  // namespace gaia::test
