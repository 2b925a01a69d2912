// SPDX-License-Identifier: MIT
#include "../../src/autograd/checkpoint.h"

#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/random_arrays.h"
#include "../../src/autograd/grad_mode.h"
#include "../../src/autograd/ops.h"
#include "../../src/autograd/parallel_map.h"
#include "../../src/autograd/trace_guard.h"
#include "../../src/core/error.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "gradient_check.h"

namespace gaia::test {
namespace {

using List = std::vector<Tensor>;

Array normal(const Shape& shape, std::uint64_t stream, DType dtype = DType::float64) {
  return random_normal(shape, 0.0, 1.0, dtype, {41, stream});
}

bool same_bits(const Array& a, const Array& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         a.to_vector<double>() == b.to_vector<double>();
}

DEVICE_TEST_CASE(
    "A part that is computed again has the gradients that it has without, bit for bit") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Tensor w(normal({4, 3}, 1, dtype), true);
    const Tensor b(normal({3}, 2, dtype), true);
    const auto part = [&](const List& x) { return tanh(matmul(x[0], w) + b) * x[1]; };
    const Array x0 = normal({5, 4}, 3, dtype);
    const Array x1 = normal({5, 3}, 4, dtype);
    const auto gradients = [&](bool again) {
      Tensor(w).zero_grad();
      Tensor(b).zero_grad();
      const Tensor x(x0, true);
      const List inputs = {square(x), Tensor(x1)};  // computed before, and a constant
      const Tensor y = again ? checkpoint(part, inputs) : part(inputs);
      sum(square(y)).backward();
      return std::vector<Array>{y.value(), x.grad(), w.grad(), b.grad()};
    };
    const std::vector<Array> plain = gradients(false);
    const std::vector<Array> again = gradients(true);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      INFO(i);
      CHECK(same_bits(plain[i], again[i]));
      CHECK(again[i].device() == plain[i].device());
    }
  }
}

TEST_CASE("Gradients of a checkpoint, and of one within another, agree with differences") {
  Draw draw(19);
  const auto inner = [](const List& x) { return exp(x[0] * 0.3) * x[1]; };
  const auto outer = [&](const List& x) {
    return sin(checkpoint(inner, {x[0] * x[1], x[0]})) + x[1];
  };
  CHECK(gradient_complaint({"checkpoint", {draw({3, 4}), draw({4})}, [&](const Inputs& x) {
                              return checkpoint(outer, x);
                            }}) == "");
}

TEST_CASE("Between forward and backward a checkpoint keeps its inputs alone") {
  const Tensor x(normal({64}, 5), true);
  const auto part = [](const Tensor& h) { return tanh(exp(sin(square(h)))); };
  const std::int64_t before = memory_stats().arrays;
  const Tensor plain = part(x);
  const std::int64_t by_history = memory_stats().arrays - before;
  CHECK(by_history > 2);
  const std::int64_t then = memory_stats().arrays;
  const Tensor y = checkpoint(part, x);
  CHECK(memory_stats().arrays == then + 1);  // y
}

TEST_CASE("A chain of checkpoints has the peak of one part, not of all") {
  const auto part = [](const Tensor& h) {
    Tensor y = h;
    for (int i = 0; i < 16; ++i) y = tanh(y);
    return y;
  };
  const auto peak = [&](bool again) {
    const Tensor x(normal({1 << 14}, 6), true);
    const std::int64_t used = memory_stats().used;
    reset_peak_memory();
    Tensor y = x;
    for (int k = 0; k < 16; ++k) y = again ? checkpoint(part, y) : part(y);
    sum(y).backward();
    return static_cast<double>(memory_stats().peak - used);
  };
  CHECK(peak(true) < 0.25 * peak(false));
}

DEVICE_TEST_CASE("A part is computed again with the streams of its first time, on one thread too") {
  set_seed(3);
  const Tensor x(normal({6}, 7), true);
  std::vector<std::vector<double>> masks;
  const auto noisy = [&](const Tensor& h) {
    const std::vector<int> items = {0, 1, 2, 3};
    const auto drawn = parallel_map(items, [](int) { return next_stream().stream; });
    Array mask = random_normal({6}, 0.0, 1.0, DType::float64);
    for (const std::uint64_t one : drawn) mask = mask + static_cast<double>(one);
    masks.push_back(mask.to_vector<double>());
    return h * Tensor(mask);
  };
  const Tensor y = checkpoint(noisy, x);
  const RandomStream next = next_stream();
  sum(y).backward({.retain_graph = true});
  CHECK(x.grad().to_vector<double>() == masks[0]);
  sum(y).backward();
  REQUIRE(masks.size() == 3);
  CHECK(masks[1] == masks[0]);
  CHECK(masks[2] == masks[0]);
  CHECK(next_stream().stream == next.stream + 1);
  set_seed(0);
}

TEST_CASE("A part may have several results, some of them constants, and no input with gradient") {
  const Tensor w(normal({3}, 8), true);
  const auto part = [&](const List& x) {
    return List{x[0] * w, Tensor(x[0].value() * 2.0), sum(square(w)), Tensor(arange(3))};
  };
  const Tensor x(normal({3}, 9));
  const List y = checkpoint(part, {x});
  REQUIRE(y.size() == 4);
  CHECK(y[0].requires_grad());
  CHECK_FALSE(y[1].requires_grad());
  CHECK(y[2].requires_grad());
  CHECK_FALSE(y[3].requires_grad());
  const std::vector<Array> slopes = grad({y[2]}, {w}, {.retain_graph = true});
  CHECK(all_close(slopes[0], 2.0 * w.value(), 1e-14, 0.0));
  CHECK_FALSE(w.has_grad());  // grad leaves the sums of leaves alone
  (sum(y[0]) + y[2]).backward();
  CHECK(all_close(w.grad(), x.value() + 2.0 * w.value(), 1e-14, 0.0));

  const List constants = checkpoint([](const List& in) { return List{in[0] * 2.0}; }, {x});
  CHECK_FALSE(constants[0].requires_grad());
  const NoGrad no_grad;
  CHECK_FALSE(checkpoint(part, {x})[0].requires_grad());
}

TEST_CASE("A part is computed again under a trace guard, and with recording on") {
  std::vector<bool> writable;
  const Tensor x(normal({3}, 10), true);
  const Tensor y = checkpoint(
      [&](const Tensor& h) {
        writable.push_back(traces_writable());
        return exp(h);
      },
      x);
  {
    const NoGrad no_grad;
    y.backward({.gradient = ones({3})});
  }
  CHECK(writable == std::vector<bool>{true, false});
  CHECK(traces_writable());
  CHECK(same_bits(x.grad(), exp(x.value())));
}

TEST_CASE("A part is computed again on the device of its first time") {
  const FakeDevice fake;
  const Tensor x(normal({3}, 11), true);
  std::vector<Device> devices;
  Tensor y;
  {
    const GPUContext scope(fake.device());
    y = checkpoint(
        [&](const Tensor& h) {
          devices.push_back(current_device());
          return sum(exp(h));
        },
        x);
  }
  y.backward();
  CHECK(devices == std::vector<Device>{fake.device(), fake.device()});
  CHECK(x.grad().device() == Device::cpu());
  CHECK(all_close(x.grad(), exp(x.value()), 1e-14, 0.0));
}

TEST_CASE("What cannot be computed again as it was is refused") {
  const Tensor x(array({1, 2}), true);
  const Tensor before = exp(x);
  const auto reads = [&](const Tensor& h) { return h * before; };
  CHECK_THROWS_WITH_TEXT(checkpoint(reads, x), ArgumentError, "computed before, by exp");

  const Tensor w(array({3, 4}), true);
  const Tensor y = checkpoint([&](const Tensor& h) { return h * w; }, x);
  w.value().fill(0.0);
  CHECK_THROWS_WITH_TEXT(sum(y).backward(), ArgumentError, "[backward] of checkpoint needs");
  const Tensor z(array({1, 2}), true);
  const Tensor of_z = checkpoint([](const Tensor& h) { return h + 1.0; }, z);
  z.value().fill(0.0);
  CHECK_THROWS_WITH_TEXT(sum(of_z).backward(), ArgumentError, "[backward] of checkpoint needs");

  int calls = 0;  // every second one is the rerun
  const auto other_shape = [&](const Tensor& h) {
    return calls++ % 2 == 0 ? exp(h) : concatenate({exp(h), exp(h)}, 0);
  };
  CHECK_THROWS_WITH_TEXT(sum(checkpoint(other_shape, x)).backward(), ArgumentError,
                         "to be of shape [2] and float32");
  const auto fewer_draws = [&](const Tensor& h) {
    return calls++ % 2 == 0 ? h * Tensor(random_normal({2})) : h * 2.0;
  };
  CHECK_THROWS_WITH_TEXT(sum(checkpoint(fewer_draws, x)).backward(), ArgumentError,
                         "the same random numbers");
  const auto more_draws = [&](const Tensor& h) {
    return calls++ % 2 == 1 ? h * Tensor(random_normal({2})) : h * 2.0;
  };
  CHECK_THROWS_WITH_TEXT(sum(checkpoint(more_draws, x)).backward(), ArgumentError,
                         "the same random numbers");
  const Tensor once = sum(checkpoint([](const Tensor& h) { return exp(h); }, x));
  CHECK_THROWS_WITH_TEXT(once.backward({.retain_graph = true, .create_graph = true}), ArgumentError,
                         "the gradient of checkpoint cannot be differentiated");
  CHECK_FALSE(x.has_grad());
  CHECK(checkpoint([](const Tensor& h) { return exp(h); }, x).requires_grad());  // no scope is left
}

}  // namespace
}  // namespace gaia::test
