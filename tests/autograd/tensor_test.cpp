// SPDX-License-Identifier: MIT
/// \file
/// What a tensor is, and what backward leaves in leaves.
#include "../../src/autograd/tensor.h"

#include <vector>

#include "../../src/array/create.h"
#include "../../src/autograd/function.h"
#include "../../src/autograd/grad_mode.h"
#include "../../src/autograd/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

Tensor leaf(const NestedList& numbers, DType dtype = DType::float32) {
  return Tensor(array(numbers, dtype), true);
}

TEST_CASE("A tensor has the properties of its value") {
  const Tensor nothing;
  CHECK(nothing.size() == 0);
  CHECK(nothing.is_leaf());
  CHECK_FALSE(nothing.requires_grad());
  const Tensor x(zeros({2, 3}, DType::float64));
  CHECK(x.shape() == Shape{2, 3});
  CHECK(x.shape(-1) == 3);
  CHECK(x.rank() == 2);
  CHECK(x.size() == 6);
  CHECK(x.dtype() == DType::float64);
  CHECK(x.device() == current_device());
  CHECK(Tensor(full({}, 2.5)).item() == 2.5);
  CHECK_THROWS_AS(x.item(), ShapeError);
}

TEST_CASE("Only float32 and float64 can require a gradient") {
  for (const DType dtype : {DType::boolean, DType::int32, DType::int64, DType::bfloat16}) {
    CHECK_THROWS_WITH_TEXT(Tensor(zeros({2}, dtype), true), DTypeError,
                           "[Tensor] expected float32");
    Tensor x(zeros({2}, dtype));
    CHECK_THROWS_WITH_TEXT(x.set_requires_grad(true), DTypeError, "astype");
    x.set_requires_grad(false);
  }
}

TEST_CASE("Copies of a tensor share its gradient") {
  Tensor x = leaf({1, 2});
  const Tensor same = x;
  sum(x * 3.0).backward();
  check_equal(same.grad(), DType::float32, {2}, {3, 3});
  x.zero_grad();
  CHECK_FALSE(same.has_grad());
}

DEVICE_TEST_CASE("backward leaves gradients of the dtype, the shape and the device of each value") {
  const Tensor x = leaf({1, 2, 3});
  const Tensor w(array({{1, 2, 3}, {4, 5, 6}}, DType::float64), true);
  const Tensor y = sum(w * x);
  CHECK(y.dtype() == DType::float64);
  CHECK(y.requires_grad());
  CHECK_FALSE(y.is_leaf());
  y.backward();
  check_equal(x.grad(), DType::float32, {3}, {5, 7, 9});
  check_equal(w.grad(), DType::float64, {2, 3}, {1, 2, 3, 1, 2, 3});
  CHECK(x.grad().device() == current_device());
  CHECK(w.grad().is_contiguous());
}

TEST_CASE("Gradients add up until they are dropped") {
  Tensor x = leaf({2});
  square(x).backward();
  square(x).backward();
  check_equal(x.grad(), DType::float32, {1}, {8});
  x.zero_grad();
  CHECK_FALSE(x.has_grad());
  CHECK_THROWS_WITH_TEXT(x.grad(), ArgumentError, "[grad] there is no gradient");
  square(x).backward();
  check_equal(x.grad(), DType::float32, {1}, {4});
}

TEST_CASE("A value used several times gets the sum of its gradients") {
  const Tensor x = leaf({3}, DType::float64);
  const Tensor a = x * 2.0;
  const Tensor b = square(a);  // 4 x^2
  const Tensor c = a + b;      // 2 x + 4 x^2
  const Tensor y = b * c + a;  // 8 x^3 + 16 x^4 + 2 x
  y.backward();
  check_equal(x.grad(), DType::float64, {1}, {24.0 * 9 + 64.0 * 27 + 2});
}

TEST_CASE("A ladder of diamonds is walked once, not once per path") {
  const Tensor x = leaf({1}, DType::float64);
  Tensor y = x;
  for (int i = 0; i < 60; ++i) y = y + y;  // 2^60 paths
  y.backward();
  CHECK(x.grad().item() == 0x1p60);
}

TEST_CASE("Gradients of two leaves never share memory") {
  const Tensor a = leaf({1, 2});
  const Tensor b = leaf({3, 4});
  const Array seed = array({1, 1});
  (a + b).backward({.gradient = seed});
  a.grad().fill(7.0);
  check_equal(b.grad(), DType::float32, {2}, {1, 1});
  check_equal(seed, DType::float32, {2}, {1, 1});
  const Tensor c = leaf({5, 6});
  sum(c).backward();
  c.grad().assign(array({1, 2}));  // elements of its own, not one number repeated
  check_equal(c.grad(), DType::float32, {2}, {1, 2});
}

DEVICE_TEST_CASE("A tensor of several elements needs a gradient to begin with") {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = x * x;
  CHECK_THROWS_WITH_TEXT(y.backward(), ArgumentError, "got shape [3] and no gradient");
  CHECK_THROWS_AS(y.backward({.gradient = zeros({2})}), ShapeError);
  CHECK_THROWS_AS(y.backward({.gradient = zeros({2, 3})}), ShapeError);
  y.backward({.gradient = array({1, 10, 100}, DType::float64), .retain_graph = true});
  check_equal(x.grad(), DType::float32, {3}, {2, 40, 600});
  y.backward({.gradient = full({}, 2.0)});
  check_equal(x.grad(), DType::float32, {3}, {6, 48, 612});
}

TEST_CASE("A leaf is its own result") {
  const Tensor x = leaf({5});
  x.backward();
  check_equal(x.grad(), DType::float32, {1}, {1});
}

TEST_CASE("backward refuses where there is nothing to walk") {
  CHECK_THROWS_WITH_TEXT(Tensor(zeros({1})).backward(), ArgumentError,
                         "[backward] expected a tensor that requires a gradient");
  CHECK_THROWS_AS((Tensor(zeros({1})) * 2.0).backward(), ArgumentError);
}

TEST_CASE("A second sweep needs retain_graph") {
  const Tensor x = leaf({3});
  const Tensor y = square(x) * 2.0;
  y.backward({.retain_graph = true});
  y.backward();
  check_equal(x.grad(), DType::float32, {1}, {24});
  CHECK_THROWS_WITH_TEXT(y.backward(), ArgumentError, "retain_graph");
  check_equal(x.grad(), DType::float32, {1}, {24});
}

TEST_CASE("A history that was dropped in part is not walked at all") {
  const Tensor x = leaf({3});
  const Tensor w = leaf({2});
  const Tensor shared = square(x);
  const Tensor first = shared * w;
  const Tensor second = shared + w;
  first.backward();
  CHECK_THROWS_WITH_TEXT(second.backward(), ArgumentError, "retain_graph");
  check_equal(x.grad(), DType::float32, {1}, {12});
  check_equal(w.grad(), DType::float32, {1}, {9});
}

TEST_CASE("Leaves change only when the whole sweep succeeds") {
  const Tensor x = leaf({3});
  const Tensor w = leaf({2});
  const Tensor bad = record("bad", {x}, x.value().copy(),
                            [](GradientFlow&) { throw ArgumentError("[bad] no gradient today"); });
  CHECK_THROWS_WITH_TEXT((bad * w).backward(), ArgumentError, "no gradient today");
  CHECK_FALSE(w.has_grad());
  CHECK_FALSE(x.has_grad());
}

TEST_CASE("A detached tensor shares numbers and nothing else") {
  const Tensor x = leaf({3});
  const Tensor y = square(x);
  const Tensor constant = y.detach();
  CHECK_FALSE(constant.requires_grad());
  CHECK(constant.is_leaf());
  CHECK(constant.value().view().data == y.value().view().data);
  (y * constant).backward();
  check_equal(x.grad(), DType::float32, {1}, {54});
}

TEST_CASE("Only a leaf can be told to require a gradient") {
  Tensor x(array({1, 2}));
  CHECK_FALSE((x * 2.0).requires_grad());
  x.set_requires_grad(true);
  Tensor y = x * 2.0;
  CHECK(y.requires_grad());
  CHECK_THROWS_WITH_TEXT(y.set_requires_grad(false), ArgumentError, "detach");
}

TEST_CASE("A gradient can be set, in the shape and the dtype of the value") {
  Tensor x = leaf({1, 2});
  x.set_grad(array({5, 6}));
  sum(x).backward();
  check_equal(x.grad(), DType::float32, {2}, {6, 7});
  CHECK_THROWS_AS(x.set_grad(zeros({3})), ShapeError);
  CHECK_THROWS_AS(x.set_grad(zeros({2}, DType::float64)), DTypeError);
}

TEST_CASE("Arrays and numbers beside a tensor are constants") {
  const Tensor x = leaf({1, 2});
  const Array a = array({3, 4});
  const Tensor y = (x * a + a / x - 1 + 2.5) * (a - x) - (-x) + 3 / x;
  CHECK(y.requires_grad());
  const std::vector<Tensor> sides = {x + a, a + x, x - a, a - x, x * a, a * x, x / a, a / x};
  for (const Tensor& side : sides) CHECK(side.requires_grad());
  CHECK_FALSE((Tensor(a) + a).requires_grad());
}

TEST_CASE("Written lists of arrays and of tensors are told apart") {
  const Array a = array({1, 2});
  const Tensor x = leaf({3, 4});
  const Array arrays = concatenate({a, a});
  const Tensor tensors = concatenate({x, x});
  CHECK(arrays.shape() == Shape{4});
  CHECK(tensors.requires_grad());
  const Array rows = stack({a, a}, 1);
  CHECK(rows.shape() == Shape{2, 2});
  CHECK(stack({x, Tensor(a)}).requires_grad());
}

TEST_CASE("Integers carry no gradient") {
  const Tensor x = leaf({1.5f, 2.5f});
  const Tensor whole = x.astype(DType::int64);
  CHECK_FALSE(whole.requires_grad());
  CHECK_FALSE((whole * 2).requires_grad());
  const Tensor mixed = whole * x;
  CHECK(mixed.requires_grad());
  sum(mixed).backward();
  check_equal(x.grad(), DType::float32, {2}, {1, 2});
}

TEST_CASE("Gradients pass through casts, bfloat16 included") {
  const Tensor x = leaf({1, 2}, DType::float64);
  const Tensor y = square(x.astype(DType::bfloat16)) * x.astype(DType::float32);
  CHECK(y.dtype() == DType::float32);
  sum(y).backward();
  check_equal(x.grad(), DType::float64, {2}, {3, 12});
}

}  // namespace
}  // namespace gaia::test
