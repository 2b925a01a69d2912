// SPDX-License-Identifier: MIT
/// \file
/// grad(): gradients as results.
#include <vector>

#include "../../src/array/create.h"
#include "../../src/autograd/function.h"
#include "../../src/autograd/ops.h"
#include "../../src/autograd/tensor.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("grad answers gradients and leaves those of the leaves alone") {
  const Tensor x(array({1, 2}, DType::float64), true);
  const Tensor w(array({3, 4}, DType::float64), true);
  const std::vector<Array> gradients = grad({sum(x * w)}, {w, x});
  REQUIRE(gradients.size() == 2);
  check_equal(gradients[0], DType::float64, {2}, {1, 2});
  check_equal(gradients[1], DType::float64, {2}, {3, 4});
  CHECK_FALSE(x.has_grad());
  CHECK_FALSE(w.has_grad());
}

TEST_CASE("grad answers the gradient of what lies between too") {
  const Tensor x(array({2}, DType::float64), true);
  const Tensor h = square(x);
  const Tensor y = h * h * x;  // h^2 x
  const std::vector<Array> gradients = grad({y}, {h, x}, {.retain_graph = true});
  CHECK(gradients[0].item() == 2 * 4 * 2);
  CHECK(gradients[1].item() == 5 * 16);
  CHECK(grad({y}, {y})[0].item() == 1.0);
}

TEST_CASE("grad sums over its outputs, each with its seed") {
  const Tensor x(array({1, 2}), true);
  const std::vector<Tensor> outputs = {x * 2.0, sum(x)};
  const std::vector<Array> gradients =
      grad(outputs, {x}, {.seeds = {array({1, 10}), full({}, 100.0)}});
  check_equal(gradients[0], DType::float32, {2}, {102, 120});
  CHECK_THROWS_WITH_TEXT(grad({x * 2.0}, {x}), ArgumentError, "[grad] expected a tensor of one");
  CHECK_THROWS_WITH_TEXT(grad({sum(x)}, {x}, {.seeds = {ones({}), ones({})}}), ArgumentError,
                         "a seed for each of 1 outputs, got 2");
}

TEST_CASE("grad refuses inputs that nothing depends on, or answers zeros") {
  const Tensor x(array({1, 2}), true);
  const Tensor other(array({1, 2, 3}), true);
  const Tensor made = other * 2.0;
  CHECK_THROWS_WITH_TEXT(grad({sum(x)}, {x, other}), ArgumentError, "do not depend on input 1");
  CHECK_THROWS_WITH_TEXT(grad({sum(x)}, {made}), ArgumentError, "allow_unused");
  const std::vector<Array> gradients = grad({sum(x)}, {other, made, x}, {.allow_unused = true});
  check_equal(gradients[0], DType::float32, {3}, {0, 0, 0});
  check_equal(gradients[1], DType::float32, {3}, {0, 0, 0});
  check_equal(gradients[2], DType::float32, {2}, {1, 1});
  CHECK_THROWS_WITH_TEXT(grad({sum(x)}, {Tensor(array({1, 2}))}), ArgumentError,
                         "set_requires_grad");
}

TEST_CASE("An input that is depended on without a slope has gradient 0") {
  const Tensor x(array({1, 2}), true);
  const std::vector<Array> gradients = grad({sum(sign(x))}, {x});
  check_equal(gradients[0], DType::float32, {2}, {0, 0});
  const Tensor silent = record("silent", {x}, zeros({}), [](GradientFlow&) {});
  check_equal(grad({silent}, {x})[0], DType::float32, {2}, {0, 0});
}

TEST_CASE("grad walks, and drops, only the history between") {
  int undone = 0;
  const Tensor x(array({2}), true);
  const Tensor before = record("before", {x}, x.value() * 3.0, [&undone](GradientFlow& flow) {
    ++undone;
    flow.give(0, 3.0 * flow.gradient());
  });
  const Tensor y = square(before);
  CHECK(grad({y}, {before})[0].item() == 12.0);
  CHECK(undone == 0);
  CHECK_THROWS_WITH_TEXT(y.backward(), ArgumentError, "[backward] part of the history was dropped");
  square(before).backward();
  CHECK(undone == 1);
  CHECK(x.grad().item() == 36.0);
}

TEST_CASE("An input asked for twice is answered twice, in memory of their own") {
  const Tensor x(array({2, 3}), true);
  const std::vector<Array> gradients = grad({sum(square(x))}, {x, x});
  gradients[0].fill(0.0);
  check_equal(gradients[1], DType::float32, {2}, {4, 6});
}

}  // namespace
}  // namespace gaia::test
