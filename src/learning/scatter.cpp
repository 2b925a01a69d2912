// SPDX-License-Identifier: MIT
#include "scatter.h"

#include <algorithm>

#include "../array/array.h"
#include "../array/device.h"
#include "../array/ops.h"
#include "../core/parallel.h"

namespace gaia {
namespace {

constexpr std::int64_t kPanel = 96;  // rows of the scatter that one task adds to

/// Columns [first, last) of a matrix [rows, columns] in memory, which is not copied and only read.
template <class T>
Array columns_of(std::span<const T> matrix, std::int64_t columns, std::int64_t first,
                 std::int64_t last) {
  const std::int64_t rows = std::ssize(matrix) / columns;
  return Array::borrowed(const_cast<T*>(matrix.data()) + first, {rows, last - first}, {columns, 1},
                         dtype_of<T>(), Device::cpu(), nullptr);
}

template <class T>
void add_to(const Array& block, double* to, std::int64_t stride) {
  const T* from = block.elements<T>().data();
  const std::int64_t rows = block.shape(0);
  const std::int64_t columns = block.shape(1);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      to[row * stride + column] += static_cast<double>(*from++);
    }
  }
}

template <class T>
void add_scatter_of(std::span<const T> rows, std::int64_t features, std::span<double> scatter) {
  parallel_for((features + kPanel - 1) / kPanel, [&](std::int64_t panel) {
    const GPUContext on_host(Device::cpu());
    const std::int64_t first = panel * kPanel;
    const std::int64_t last = std::min(features, first + kPanel);
    const Array own = columns_of(rows, features, first, last);
    add_to<T>(matmul(own.swapaxes(0, 1), columns_of(rows, features, 0, last)),
              scatter.data() + first * features, features);
  });
}

}  // namespace

void add_scatter(std::span<const double> rows, std::int64_t features, std::span<double> scatter) {
  add_scatter_of(rows, features, scatter);
}

void add_scatter(std::span<const float> rows, std::int64_t features, std::span<double> scatter) {
  add_scatter_of(rows, features, scatter);
}

void add_cross(std::span<const double> targets, std::int64_t outputs, std::span<const double> rows,
               std::int64_t features, std::span<double> cross) {
  const GPUContext on_host(Device::cpu());
  const Array y = columns_of(targets, outputs, 0, outputs);
  add_to<double>(matmul(y.swapaxes(0, 1), columns_of(rows, features, 0, features)), cross.data(),
                 features);
}

}  // namespace gaia
