// SPDX-License-Identifier: MIT
/// \file
/// Functions of the user's own.
#include "../../src/autograd/function.h"

#include <vector>

#include "../../src/array/create.h"
#include "../../src/autograd/grad_mode.h"
#include "../../src/autograd/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

Tensor cube(const Tensor& x) {
  const Array value = x.value() * x.value() * x.value();
  return record("cube", {x}, value, [x = SavedArray(x.value())](GradientFlow& flow) {
    flow.give(0, 3.0 * flow.gradient() * square(flow.saved(x)));
  });
}

DEVICE_TEST_CASE("A function of one's own takes part like any other") {
  const Tensor x(array({1, 2}, DType::float64), true);
  sum(cube(x) * 2.0).backward();
  check_equal(x.grad(), DType::float64, {2}, {6, 24});
  const Tensor y = cube(x);
  x.value().fill(0.0);
  CHECK_THROWS_WITH_TEXT(sum(y).backward(), ArgumentError, "[backward] of cube needs");
  CHECK_FALSE(cube(Tensor(ones({2}))).requires_grad());
  const NoGrad no_grad;
  CHECK_FALSE(cube(x).requires_grad());
}

TEST_CASE("A function may have several inputs, and is told which gradients are needed") {
  const Tensor a(array({1, 2}), true);
  const Tensor b(array({3, 4}));
  bool needs_b = true;
  const Tensor y = record("f", {a, b}, a.value() + b.value(), [&needs_b](GradientFlow& flow) {
    CHECK(flow.needs(0));
    needs_b = flow.needs(1);
    flow.give(0, flow.gradient());
    flow.give(0, flow.gradient());  // adds up
    flow.give(1, flow.gradient());  // ignored
  });
  sum(y).backward();
  CHECK_FALSE(needs_b);
  check_equal(a.grad(), DType::float32, {2}, {2, 2});
  CHECK_FALSE(b.has_grad());
}

TEST_CASE("A function may have several results, of which not all are used") {
  const Tensor x(array({1, 2}), true);
  const auto both = [&x] {
    return record("both", {x}, {x.value() * 2.0, sum(x.value()), zeros({2}, DType::int64)},
                  [](GradientFlow& flow) {
                    flow.give(0, 2.0 * flow.gradient(0));
                    flow.give(0, flow.gradient(1).broadcast_to({2}));
                  });
  };
  std::vector<Tensor> y = both();
  REQUIRE(y.size() == 3);
  CHECK(y[1].requires_grad());
  CHECK_FALSE(y[2].requires_grad());  // integers
  sum(y[0] * y[1]).backward();
  check_equal(x.grad(), DType::float32, {2}, {2 * 3 + 6, 2 * 3 + 6});
  Tensor(x).zero_grad();
  y = both();
  y[1].backward();
  check_equal(x.grad(), DType::float32, {2}, {1, 1});
  CHECK_THROWS_WITH_TEXT(sum(y[0]).backward(), ArgumentError, "retain_graph");
}

TEST_CASE("A gradient that does not fit its input is refused by name") {
  const Tensor x(zeros({2, 3}), true);
  const auto giving = [&x](const Array& gradient) {
    return record("f", {x}, zeros({}), [gradient](GradientFlow& flow) { flow.give(0, gradient); });
  };
  CHECK_THROWS_WITH_TEXT(
      giving(ones({3, 2})).backward(), ShapeError,
      "[backward] of f: expected a gradient of shape [2, 3] for input 0, got [3, 2]");
  CHECK_THROWS_AS(giving(ones({3})).backward(), ShapeError);
  giving(ones({4, 2, 3}, DType::float64)).backward();
  check_equal(x.grad(), DType::float32, {2, 3}, {4, 4, 4, 4, 4, 4});
}

TEST_CASE("sum_to_shape undoes broadcasting") {
  const Array x = arange(0.0, 24.0).reshape({2, 3, 4});
  CHECK(sum_to_shape(x, {2, 3, 4}).view().data == x.view().data);
  check_equal(sum_to_shape(x, {}), DType::float32, {}, {276});
  check_equal(sum_to_shape(x, {1, 1}), DType::float32, {1, 1}, {276});
  check_equal(sum_to_shape(x, {4}), DType::float32, {4}, {60, 66, 72, 78});
  check_equal(sum_to_shape(x, {2, 1, 1}), DType::float32, {2, 1, 1}, {66, 210});
  check_equal(sum_to_shape(zeros({0, 3}), {1, 3}), DType::float32, {1, 3}, {0, 0, 0});
  for (const Shape& shape : {Shape{3}, Shape{2, 3}, Shape{1, 2, 3, 4}, Shape{0}}) {
    CHECK_THROWS_AS(sum_to_shape(x, shape), ShapeError);
  }
}

TEST_CASE("Each operation is undone on the device that it ran on") {
  const Array on_host = array({1, 2});
  const FakeDevice fake;
  const Tensor x(on_host, true);
  {
    Tensor y;
    {
      const GPUContext scope(fake.device());
      y = sum(x * 3.0);
      CHECK(y.device() == fake.device());
    }
    const std::int64_t before = fake.backend().calls();
    y.backward();
    CHECK(fake.backend().calls() > before);
  }
  CHECK(x.grad().device() == Device::cpu());
  check_equal(x.grad(), DType::float32, {2}, {3, 3});

  Tensor(x).zero_grad();
  set_transfer_policy(TransferPolicy::forbid);  // of copies that nobody asked for
  sum(square(x.to(fake.device()).to(Device::cpu()))).backward();
  set_transfer_policy(TransferPolicy::allow);
  check_equal(x.grad(), DType::float32, {2}, {2, 4});
}

}  // namespace
}  // namespace gaia::test
