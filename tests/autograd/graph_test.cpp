// SPDX-License-Identifier: MIT
/// \file
/// The history of tensors: how long it may be, how long it lives, and what it notices.
#include <thread>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/autograd/function.h"
#include "../../src/autograd/grad_mode.h"
#include "../../src/autograd/ops.h"
#include "../../src/autograd/tensor.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

TEST_CASE("A chain of a million operations goes forwards, backwards and away") {
  const Tensor x(full({}, 1.0, DType::float64), true);
  {
    Tensor y = x;
    for (int i = 0; i < 500000; ++i) y = (y + 1e-6) * 1.0;
    CHECK(y.item() == Approx(1.5));
    y.backward({.retain_graph = true});
  }
  CHECK(x.grad().item() == 1.0);
}

TEST_CASE("A chain through functions that hold tensors goes away without recursion") {
  Tensor y(full({}, 1.0), true);
  for (int i = 0; i < 200000; ++i) {
    y = record("hold", {y}, y.value(),
               [held = y](GradientFlow& flow) { flow.give(0, flow.gradient()); });
  }
  CHECK(y.requires_grad());
}

TEST_CASE("Nothing is kept where no gradient is required") {
  const std::int64_t before = memory_stats().arrays;
  Tensor x(ones({10}));
  for (int i = 0; i < 100; ++i) x = exp(x * 0.5);
  CHECK(memory_stats().arrays == before + 1);
  CHECK(x.is_leaf());
  Tensor y(ones({10}), true);
  {
    const NoGrad no_grad;
    for (int i = 0; i < 100; ++i) y = exp(y * 0.5);
  }
  CHECK(memory_stats().arrays == before + 2);
  CHECK(y.is_leaf());
  CHECK_FALSE(y.requires_grad());
}

TEST_CASE("Values are kept only for the gradients that are required") {
  const Tensor w(ones({10}), true);
  const std::int64_t before = memory_stats().arrays;
  const Tensor y = w * Tensor(ones({10}));  // the constant for dw; not w for the constant
  CHECK(memory_stats().arrays == before + 2);
  const Tensor z = (w + 1.0) + 1.0;  // no value at all
  CHECK(memory_stats().arrays == before + 3);
  const Tensor e = exp(w + 2.0);  // the result, not the argument
  CHECK(memory_stats().arrays == before + 4);
}

TEST_CASE("A sweep drops what it has walked") {
  Tensor x(ones({10}), true);
  const std::int64_t before = memory_stats().arrays;
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = sin(y);
  CHECK(memory_stats().arrays == before + 10);
  y.backward({.gradient = ones({}), .retain_graph = true});
  x.zero_grad();
  CHECK(memory_stats().arrays == before + 10);
  y.backward({.gradient = ones({})});
  x.zero_grad();
  CHECK(memory_stats().arrays == before + 1);  // y itself
}

TEST_CASE("A leaf that nobody else holds is no trouble") {
  Tensor y;
  {
    const Tensor x(ones({3}), true);
    y = sum(square(x));
  }
  y.backward();
  SUCCEED();
}

DEVICE_TEST_CASE("A value that changes before its gradient is needed is noticed") {
  const Tensor x(array({1, 2}), true);
  const Tensor y = sum(x * x);
  x.value().assign(array({3, 4}));
  CHECK_THROWS_WITH_TEXT(y.backward({.retain_graph = true}), ArgumentError,
                         "[backward] of multiply needs a value of shape [2]");
  CHECK_FALSE(x.has_grad());

  const Tensor result = exp(x);
  result.value().fill(0.0);
  CHECK_THROWS_WITH_TEXT(sum(result).backward(), ArgumentError, "changed in place");

  // A view shares the numbers, and so the changes.
  const Tensor z = square(x);
  x.value().slice(0, 0, 1).fill(9.0);
  CHECK_THROWS_AS(sum(z).backward(), ArgumentError);
}

TEST_CASE("A value that no gradient needs may change") {
  const Tensor x(array({1, 2}), true);
  const Tensor w(array({3, 4}));
  const Tensor sums = x + w;
  const Tensor product = x * w;
  const Tensor root = exp(x);
  x.value().fill(0.0);
  sum(sums).backward();
  sum(product).backward();
  sum(root).backward();
  check_near(
      x.grad(),
      [] {
        Values expected(Shape{2});
        expected.numbers = {4.0 + std::exp(1.0), 5.0 + std::exp(2.0)};
        return expected;
      }(),
      4.0);
}

TEST_CASE("Training changes leaves in place between sweeps") {
  Tensor w(array({5.0}, DType::float64), true);
  for (int step = 0; step < 100; ++step) {
    w.zero_grad();
    square(w - 1.0).backward();
    w.value().assign(w.value() - 0.1 * w.grad());
  }
  CHECK(w.value().item() == Approx(1.0).margin(1e-8));
}

TEST_CASE("NoGrad and EnableGrad nest, restore and stay on their thread") {
  const Tensor x(ones({2}), true);
  CHECK(grad_enabled());
  {
    const NoGrad outer;
    CHECK_FALSE(grad_enabled());
    CHECK_FALSE((x * 2.0).requires_grad());
    {
      const EnableGrad enabled;
      CHECK((x * 2.0).requires_grad());
      {
        const NoGrad inner;
        CHECK_FALSE(grad_enabled());
      }
      CHECK(grad_enabled());
    }
    CHECK_FALSE(grad_enabled());
    bool elsewhere = false;
    std::thread([&] { elsewhere = grad_enabled() && (x * 2.0).requires_grad(); }).join();
    CHECK(elsewhere);
    // A leaf is built as the caller asks.
    CHECK(Tensor(ones({2}), true).requires_grad());
  }
  CHECK(grad_enabled());
  try {
    const NoGrad no_grad;
    throw 1;
  } catch (int) {
    CHECK(grad_enabled());
  }
  std::thread([] { const NoGrad no_grad; }).join();
  CHECK(grad_enabled());
}

TEST_CASE("Sweeps on several threads add to the leaves they share") {
  const Tensor w(full({64}, 1.0, DType::float64), true);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&w] {
      for (int i = 0; i < 50; ++i) sum(w * 2.0).backward();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(w.grad().item({0}) == 400.0);
  CHECK(w.grad().item({63}) == 400.0);
}

}  // namespace
}  // namespace gaia::test
