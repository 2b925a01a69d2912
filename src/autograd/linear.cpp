// SPDX-License-Identifier: MIT
#include "linear.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "../array/einsum_steps.h"
#include "../core/message.h"
#include "function.h"
#include "pointwise.h"
#include "reduce.h"
#include "views.h"

namespace gaia {
namespace {

template <class T>
T as_matrix_left(const T& a) {
  return a.rank() == 1 ? a.expand_dims(0) : a;
}
template <class T>
T as_matrix_right(const T& b) {
  return b.rank() == 1 ? b.expand_dims(1) : b;
}

/// The matrices of a stack one below the other.
template <class T>
T tall(const T& x) {
  return x.reshape({-1, x.shape(-1)});
}

/// d/da of a b, for dy [..., m, n] and b [..., k, n]^T: [..., m, k].
template <class T>
T left_gradient(const T& dy, const T& b) {
  if (b.rank() == 2 && dy.rank() > 2 && dy.size() > 0) {
    Shape shape = dy.shape();
    shape.back() = b.shape(0);
    return matmul(tall(dy), b.transpose()).reshape(shape);
  }
  return matmul(dy, b.swapaxes(-1, -2));
}

/// d/db of a b, for a [..., m, k] and dy [..., m, n]: [..., k, n].  With one matrix b for a whole
/// stack, the sum over the stack is part of the product.
template <class T>
T right_gradient(const T& a, const T& dy, bool is_shared) {
  if (is_shared && a.rank() == dy.rank() && a.rank() > 2 && a.size() > 0 && dy.size() > 0) {
    return matmul(tall(a).transpose(), tall(dy));
  }
  return matmul(a.swapaxes(-1, -2), dy);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  return record_twice(
      "matmul", {a, b}, matmul(a.value(), b.value()),
      [a = saved_for(b, a), b = saved_for(a, b), a_rank = a.rank(), b_rank = b.rank()](auto& flow) {
        using T = std::decay_t<decltype(flow.gradient())>;
        T dy = flow.gradient();
        if (b_rank == 1) dy = dy.expand_dims(-1);
        if (a_rank == 1) dy = dy.expand_dims(-2);
        if (flow.needs(0)) {
          const T da = left_gradient(dy, as_matrix_right(flow.saved(b)));
          flow.give(0, a_rank == 1 ? da.squeeze({-2}) : da);
        }
        if (flow.needs(1)) {
          const T left = as_matrix_left(flow.saved(a));
          const T db = right_gradient(left, dy, b_rank <= 2);
          flow.give(1, b_rank == 1 ? db.squeeze({-1}) : db);
        }
      });
}

Tensor dot(const Tensor& a, const Tensor& b) {
  if (a.rank() == 0 || b.rank() == 0) return multiply(a, b);
  if (a.rank() <= 2 && b.rank() <= 2) return matmul(a, b);
  // The summed axis of b comes to the front, and all others become one.
  const int summed = b.rank() == 1 ? 0 : b.rank() - 2;
  const std::int64_t length = b.shape(summed);
  if (a.shape(-1) != length) {
    fail<ShapeError>("[dot] expected axes of one length to sum over, got shapes {} and {}",
                     a.shape(), b.shape());
  }
  Axes order = {summed};
  Shape shape = a.shape();
  shape.erase(a.rank() - 1);
  std::int64_t columns = 1;
  for (int axis = 0; axis < b.rank(); ++axis) {
    if (axis == summed) continue;
    order.push_back(axis);
    shape.push_back(b.shape(axis));
    columns *= b.shape(axis);
  }
  const std::int64_t rows =
      length > 0 ? a.size() / length : count_elements(shape) / std::max(columns, std::int64_t{1});
  return matmul(a.reshape({rows, length}), b.transpose(order).reshape({length, columns}))
      .reshape(shape);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  return multiply(a.reshape({a.size(), 1}), b.reshape({1, b.size()}));
}

Tensor trace(const Tensor& x, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
  return sum(diagonal(x, offset, axis1, axis2), {-1});
}

Tensor einsum(std::string_view equation, std::span<const Tensor> operands) {
  return detail::einsum_of(equation, std::vector(operands.begin(), operands.end()));
}

Tensor einsum(std::string_view equation, const Tensor& a) {
  return einsum(equation, std::span(&a, 1));
}

Tensor einsum(std::string_view equation, const Tensor& a, const Tensor& b) {
  return einsum(equation, {a, b});
}

}  // namespace gaia
