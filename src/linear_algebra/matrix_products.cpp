// SPDX-License-Identifier: MIT
/// \file
/// Products that are made of reshaping and one multiplication, of arrays and tensors alike.
#include <algorithm>
#include <numeric>
#include <vector>

#include "../core/message.h"
#include "linear_algebra.h"

namespace gaia {
namespace {

template <class T>
T kron_of(const T& a, const T& b) {
  const int rank = std::max(a.rank(), b.rank());
  if (2 * rank > kMaxRank) {
    fail<ShapeError>("[kron] expected at most {} axes, got {}", kMaxRank / 2, rank);
  }
  // a0, 1, a1, 1, ... times 1, b0, 1, b1, ...
  Shape wide_a;
  Shape wide_b;
  Shape result;
  for (int axis = -rank; axis < 0; ++axis) {
    const std::int64_t from_a = -axis > a.rank() ? 1 : a.shape()[a.rank() + axis];
    const std::int64_t from_b = -axis > b.rank() ? 1 : b.shape()[b.rank() + axis];
    wide_a.push_back(from_a);
    wide_a.push_back(1);
    wide_b.push_back(1);
    wide_b.push_back(from_b);
    result.push_back(from_a * from_b);
  }
  return multiply(a.reshape(wide_a), b.reshape(wide_b)).reshape(result);
}

/// x with the axes `summed` behind the others (or before them), as a matrix; the lengths of the
/// others are added to `kept`.
template <class T>
T as_matrix(const T& x, const std::vector<int>& summed, bool behind, Shape& kept) {
  std::vector<std::int64_t> order;
  std::int64_t others = 1;
  std::int64_t length = 1;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (std::find(summed.begin(), summed.end(), axis) != summed.end()) continue;
    order.push_back(axis);
    kept.push_back(x.shape()[axis]);
    others *= x.shape()[axis];
  }
  for (const int axis : summed) length *= x.shape()[axis];
  order.insert(behind ? order.end() : order.begin(), summed.begin(), summed.end());
  Axes axes;
  for (const std::int64_t axis : order) axes.push_back(axis);
  const Shape matrix = behind ? Shape{others, length} : Shape{length, others};
  return (x.rank() < 2 ? x : x.transpose(axes)).reshape(matrix);
}

template <class T>
T tensordot_of(const T& a, const T& b, const std::vector<int>& of_a, const std::vector<int>& of_b) {
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (a.shape()[of_a[i]] != b.shape()[of_b[i]]) {
      fail<ShapeError>("[tensordot] expected axes of one length, got {} and {} in shapes {} and {}",
                       a.shape()[of_a[i]], b.shape()[of_b[i]], a.shape(), b.shape());
    }
  }
  Shape shape;
  const T left = as_matrix(a, of_a, true, shape);
  const T right = as_matrix(b, of_b, false, shape);
  return matmul(left, right).reshape(shape);
}

template <class T>
T tensordot_of(const T& a, const T& b, int axes) {
  if (axes < 0 || axes > a.rank() || axes > b.rank()) {
    fail<ShapeError>(
        "[tensordot] expected a number of axes that both have, got {} for shapes {} "
        "and {}",
        axes, a.shape(), b.shape());
  }
  std::vector<int> of_a(static_cast<std::size_t>(axes));
  std::vector<int> of_b(static_cast<std::size_t>(axes));
  std::iota(of_a.begin(), of_a.end(), a.rank() - axes);
  std::iota(of_b.begin(), of_b.end(), 0);
  return tensordot_of(a, b, of_a, of_b);
}

/// Axes as positions, in their order.
std::vector<int> positions(const Axes& axes, int rank) {
  std::vector<int> found;
  for (const std::int64_t axis : axes) {
    const int place = normalize_axis(axis, rank, "tensordot");
    if (std::find(found.begin(), found.end(), place) != found.end()) {
      fail<ShapeError>("[tensordot] expected axes that differ, got {} twice", axis);
    }
    found.push_back(place);
  }
  return found;
}

template <class T>
T tensordot_of(const T& a, const T& b, const Axes& of_a, const Axes& of_b) {
  if (of_a.rank() != of_b.rank()) {
    fail<ShapeError>("[tensordot] expected as many axes of each, got {} and {}", of_a.rank(),
                     of_b.rank());
  }
  return tensordot_of(a, b, positions(of_a, a.rank()), positions(of_b, b.rank()));
}

}  // namespace

Array kron(const Array& a, const Array& b) { return kron_of(a, b); }
Tensor kron(const Tensor& a, const Tensor& b) { return kron_of(a, b); }

Array tensordot(const Array& a, const Array& b, int axes) { return tensordot_of(a, b, axes); }
Tensor tensordot(const Tensor& a, const Tensor& b, int axes) { return tensordot_of(a, b, axes); }

Array tensordot(const Array& a, const Array& b, const Axes& of_a, const Axes& of_b) {
  return tensordot_of(a, b, of_a, of_b);
}
Tensor tensordot(const Tensor& a, const Tensor& b, const Axes& of_a, const Axes& of_b) {
  return tensordot_of(a, b, of_a, of_b);
}

}  // namespace gaia
