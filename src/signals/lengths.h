// SPDX-License-Identifier: MIT
/// \file
/// Arrays and tensors cut, or filled up with zeros, along their last axis; not for users.
#pragma once

#include <cstdint>

#include "../array/create.h"
#include "../array/joining.h"
#include "../autograd/joining.h"
#include "../autograd/tensor.h"

namespace gaia {

/// `count` zeros along the last axis, for x to be joined with.
template <class T>
T zeros_beside(const T& x, std::int64_t count) {
  Shape shape = x.shape();
  shape.back() = count;
  return T(zeros(shape, x.dtype()));
}

/// x with `before` and `after` zeros around its numbers along the last axis.
template <class T>
T with_zeros(const T& x, std::int64_t before, std::int64_t after) {
  if (before == 0 && after == 0) return x;
  return concatenate({zeros_beside(x, before), x, zeros_beside(x, after)}, -1);
}

/// The first n numbers along the last axis; zeros stand for those that x has not.
template <class T>
T with_length(const T& x, std::int64_t n) {
  const std::int64_t length = x.shape(-1);
  if (n < length) return x.slice(-1, 0, n);
  return with_zeros(x, 0, n - length);
}

}  // namespace gaia
