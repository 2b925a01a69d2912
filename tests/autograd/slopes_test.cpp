// SPDX-License-Identifier: MIT
/// \file
/// Gradients where functions have kinks, ties and poles: PyTorch's.
#include <cmath>
#include <functional>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/autograd/ops.h"
#include "../../src/autograd/tensor.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

/// The gradient of sum(f(x)).
Array slope(const std::function<Tensor(const Tensor&)>& f, const std::vector<double>& x,
            const Shape& shape) {
  const Tensor at(from_values(x, shape), true);
  return grad({sum(f(at))}, {at})[0];
}

Array slope(const std::function<Tensor(const Tensor&)>& f, const std::vector<double>& x) {
  return slope(f, x, {static_cast<std::int64_t>(x.size())});
}

DEVICE_TEST_CASE("Kinks have the slope of PyTorch") {
  using T = const Tensor&;
  const auto at = [](const std::function<Tensor(T)>& f, const std::vector<double>& x,
                     const std::vector<double>& expected) {
    check_equal(slope(f, x), DType::float64, {static_cast<std::int64_t>(x.size())}, expected);
  };
  at([](T x) { return abs(x); }, {-2, 0, 3}, {-1, 0, 1});
  at([](T x) { return relu(x); }, {-2, 0, 3}, {0, 0, 1});
  at([](T x) { return leaky_relu(x, 0.25); }, {-2, 0, 3}, {0.25, 0.25, 1});
  at([](T x) { return hardswish(x); }, {-4, -3, 0, 3, 30}, {0, 0, 0.5, 1, 1});
  at([](T x) { return clip(x, -1, 1); }, {-2, -1, 0, 1, 2}, {0, 1, 1, 1, 0});
  at([](T x) { return sign(x); }, {-2, 0, 3}, {0, 0, 0});
  at([](T x) { return sqrt(x); }, {0, 4}, {kInfinity, 0.25});
  at([](T x) { return power(x, 0); }, {-2, 0, 3}, {0, 0, 0});
  at([](T x) { return power(x, 1); }, {-2, 0, 3}, {1, 1, 1});
  at([](T x) { return power(x, 2); }, {-2, 0, 3}, {-4, 0, 6});
  at([](T x) { return power(0, x); }, {0, 2}, {0, 0});
}

DEVICE_TEST_CASE("Of two equals each gets half") {
  const auto check = [](Tensor (*f)(const Tensor&, const Tensor&), const std::vector<double>& of_a,
                        const std::vector<double>& of_b) {
    const Tensor a(array({1, 2, 3}), true);
    const Tensor b(array({2, 2, 2}), true);
    sum(f(a, b)).backward();
    check_equal(a.grad(), DType::float32, {3}, of_a);
    check_equal(b.grad(), DType::float32, {3}, of_b);
  };
  check(maximum, {0, 0.5, 1}, {1, 0.5, 0});
  check(minimum, {1, 0.5, 0}, {0, 0.5, 1});
  const Tensor a(array({1, 3}), true);
  sum(maximum(a, a)).backward();
  check_equal(a.grad(), DType::float32, {2}, {1, 1});
}

DEVICE_TEST_CASE("Elements that share an extremum share its gradient") {
  const std::vector<double> x = {1, 3, 3, 2, 2, 2};
  check_equal(slope([](const Tensor& t) { return max(t, {1}); }, x, {2, 3}), DType::float64, {2, 3},
              {0, 0.5, 0.5, 1.0 / 3, 1.0 / 3, 1.0 / 3});
  check_equal(slope([](const Tensor& t) { return max(t); }, x, {2, 3}), DType::float64, {2, 3},
              {0, 0.5, 0.5, 0, 0, 0});
  check_equal(slope([](const Tensor& t) { return min(t, {0}, true); }, x, {2, 3}), DType::float64,
              {2, 3}, {1, 0, 0, 0, 1, 1});
}

DEVICE_TEST_CASE("Lengths and deviations have slope 0 at 0") {
  check_equal(slope([](const Tensor& t) { return norm(t, {1}); }, {0, 0, 0, 4}, {2, 2}),
              DType::float64, {2, 2}, {0, 0, 0, 1});
  check_equal(slope([](const Tensor& t) { return gaia::std(t, {1}); }, {2, 2, 1, 3}, {2, 2}),
              DType::float64, {2, 2}, {0, 0, -0.5, 0.5});
}

DEVICE_TEST_CASE("A product with zeros has its gradient where one of them is") {
  const auto product = [](const Tensor& t) { return prod(t, {1}); };
  check_equal(slope(product, {2, 3, 4, 0, 3, 4, 0, 0, 4, 0, 0, 0}, {4, 3}), DType::float64, {4, 3},
              {12, 8, 6, 12, 0, 0, 0, 0, 0, 0, 0, 0});
  check_equal(slope([](const Tensor& t) { return prod(t); }, {5}, {}), DType::float64, {}, {1});
}

DEVICE_TEST_CASE("Running products with zeros have their gradient up to the second zero") {
  const auto product = [](const Tensor& t) { return cumprod(t, 1); };
  // PyTorch's numbers.
  check_equal(slope(product, {2, 3, 4, 2, 0, 4, 0, 3, 4, 0, 3, 0, 0, 0, 5}, {5, 3}), DType::float64,
              {5, 3}, {16, 10, 6, 1, 10, 0, 16, 0, 0, 4, 0, 0, 1, 0, 0});
  check_equal(slope([](const Tensor& t) { return cumprod(t); }, {5}, {}), DType::float64, {}, {1});
}

DEVICE_TEST_CASE("Sorting hands each gradient back to where its element was") {
  Tensor x(array({3, 1, 3, 2}), true);
  sum(sort(x) * array({1, 10, 100, 1000})).backward();
  check_equal(x.grad(), DType::float32, {4}, {100, 1, 1000, 10});
  x.zero_grad();
  sum(top_k(x, 2).values * array({1, 10})).backward();
  check_equal(x.grad(), DType::float32, {4}, {1, 0, 10, 0});
  x.zero_grad();
  median(x).backward();
  check_equal(x.grad(), DType::float32, {4}, {0.5, 0, 0, 0.5});
}

DEVICE_TEST_CASE("Of a quantile between two elements each has its share, equal ones too") {
  using T = const Tensor&;
  const auto middle = [](T x) { return median(x); };
  const auto at = [](double q) { return [q](T x) { return quantile(x, q); }; };
  CHECK(all_close(slope(middle, {2, 2}), array({0.5, 0.5}, DType::float64), 0.0, 1e-12));
  CHECK(
      all_close(slope(middle, {1, 2, 3, 4}), array({0, 0.5, 0.5, 0}, DType::float64), 0.0, 1e-12));
  CHECK(
      all_close(slope(at(0.4), {1, 2, 2, 3}), array({0, 0.8, 0.2, 0}, DType::float64), 0.0, 1e-12));
  CHECK(
      all_close(slope(at(0.4), {1, 2, 3, 4}), array({0, 0.8, 0.2, 0}, DType::float64), 0.0, 1e-12));
  // Lanes beside infinite equals keep their numbers and their gradients.
  const Tensor x(array({{kInfinity, kInfinity}, {0.1, 0.1}}, DType::float64), true);
  const Tensor y = quantile(x, 0.35, {1});
  check_equal(y.value(), DType::float64, {2}, {kInfinity, 0.1});
  sum(y).backward();
  CHECK(all_close(x.grad().slice(0, 1), array({0.65, 0.35}, DType::float64), 0.0, 1e-12));
  CHECK(all(isfinite(x.grad())).item() == 1.0);
}

DEVICE_TEST_CASE("A median of nothing has a gradient of nothing") {
  const Tensor x(zeros({0, 2}), true);
  sum(median(x, {0})).backward();
  CHECK(x.grad().shape() == Shape{0, 2});
}

DEVICE_TEST_CASE("Far out the slopes are limits, not NaN") {
  check_equal(slope([](const Tensor& t) { return logsumexp(t, {1}); },
                    {-kInfinity, -kInfinity, -kInfinity, 0}, {2, 2}),
              DType::float64, {2, 2}, {0, 0, 0, 1});
  check_equal(slope([](const Tensor& t) { return logsumexp(t); }, {1000, -1000}), DType::float64,
              {2}, {1, 0});
  check_equal(slope([](const Tensor& t) { return select(log_softmax(t), 0, 1); }, {1000, -1000}),
              DType::float64, {2}, {-1, 1});
  check_equal(slope([](const Tensor& t) { return sigmoid(t); }, {-1000, 1000}), DType::float64, {2},
              {0, 0});
  check_equal(slope([](const Tensor& t) { return softplus(t); }, {-1000, 1000}), DType::float64,
              {2}, {0, 1});
}

/// The gradients of sum(f(a, b)).
std::vector<Array> slopes(Tensor (*f)(const Tensor&, const Tensor&), const std::vector<double>& a,
                          const std::vector<double>& b, DType dtype = DType::float64) {
  const Shape shape = {static_cast<std::int64_t>(a.size())};
  const Tensor left(from_values(a, shape).astype(dtype), true);
  const Tensor right(from_values(b, shape).astype(dtype), true);
  return grad({sum(f(left, right))}, {left, right});
}

DEVICE_TEST_CASE("Where a direction is lost the slopes are 0, not NaN") {
  const auto check = [](Tensor (*f)(const Tensor&, const Tensor&), const std::vector<double>& a,
                        const std::vector<double>& b, const std::vector<double>& of_a,
                        const std::vector<double>& of_b) {
    const std::vector<Array> got = slopes(f, a, b);
    check_equal(got[0], DType::float64, {static_cast<std::int64_t>(a.size())}, of_a);
    check_equal(got[1], DType::float64, {static_cast<std::int64_t>(a.size())}, of_b);
  };
  check(arctan2, {0, -0.0, 0, 2}, {0, 0, 4, 0}, {0, 0, 0.25, 0}, {0, 0, 0, -0.5});
  check(hypot, {0, -0.0, 3, 0}, {0, 0, 4, -2}, {0, 0, 0.6, 0}, {0, 0, 0.8, -1});
  check(logaddexp, {-kInfinity, -kInfinity, 1, 1}, {-kInfinity, 0, 1, -kInfinity}, {0, 0, 0.5, 1},
        {0, 1, 0.5, 0});
  check_equal(slope([](const Tensor& t) { return norm(t); }, {0, 0}), DType::float64, {2}, {0, 0});
  check_equal(slope([](const Tensor& t) { return norm(t, {}, false, 3.0); }, {0, 0}),
              DType::float64, {2}, {0, 0});
  check_equal(slope([](const Tensor& t) { return gaia::std(t); }, {2, 2}), DType::float64, {2},
              {0, 0});
  check_equal(slope([](const Tensor& t) { return normalize(t, -1, 0.5); }, {0, 0}), DType::float64,
              {2}, {2, 2});
}

DEVICE_TEST_CASE(
    "Slopes of lengths and angles do not pass through squares, which overflow or vanish") {
  for (const double size : {1e-30, 1e-22, 1e20, 1e30}) {
    INFO(size);
    const auto near = [](const Array& got, const std::vector<double>& expected) {
      const std::vector<double> numbers = got.to_vector<double>();
      REQUIRE(numbers.size() == expected.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        CHECK(numbers[i] == Approx(expected[i]).epsilon(1e-5));
      }
    };
    const std::vector<Array> angle = slopes(arctan2, {3 * size}, {4 * size}, DType::float32);
    near(angle[0], {4.0 / 25.0 / size});
    near(angle[1], {-3.0 / 25.0 / size});
    const std::vector<Array> length = slopes(hypot, {3 * size}, {4 * size}, DType::float32);
    near(length[0], {0.6});
    near(length[1], {0.8});
    for (const double order : {2.0, 3.0, 1.5}) {
      INFO("order " << order);
      const Tensor x(array({3 * size, -4 * size}, DType::float32), true);
      const Tensor y = norm(x, {}, false, order);
      const double whole = std::pow(std::pow(3.0, order) + std::pow(4.0, order), 1.0 / order);
      CHECK(y.item() == Approx(whole * size).epsilon(1e-5));
      y.backward();
      near(x.grad(), {std::pow(3.0 / whole, order - 1.0), -std::pow(4.0 / whole, order - 1.0)});
    }
  }
}

DEVICE_TEST_CASE("What is not chosen gets 0, even beside a NaN") {
  const Tensor x(array({-1, 4}), true);
  const Tensor y = where(less(x.value(), zeros({})), x, sqrt(maximum(x, zeros({}))));
  sum(y).backward();
  check_equal(x.grad(), DType::float32, {2}, {1, 0.25});
  const Array mask = slope([](const Tensor& t) { return clip(t, 0, 1); }, {kNaN, 0.5});
  check_equal(mask, DType::float64, {2}, {0, 1});
}

DEVICE_TEST_CASE("Powers have both their gradients") {
  const Tensor a(array({2, 0, 0, -2}, DType::float64), true);
  const Tensor b(array({3, 2, 0, 2}, DType::float64), true);
  const std::vector<Array> gradients = grad({sum(power(a, b))}, {a, b});
  check_equal(gradients[0], DType::float64, {4}, {12, 0, 0, -4});
  CHECK(gradients[1].item({0}) == Approx(8 * std::log(2.0)));
  CHECK(gradients[1].item({1}) == 0.0);
  CHECK(gradients[1].item({2}) == 0.0);
  CHECK(std::isnan(gradients[1].item({3})));
}

DEVICE_TEST_CASE("A maximum of a window goes to the first of its equals") {
  const Tensor x(array({{1, 1}, {1, 1}}).reshape({1, 1, 2, 2}), true);
  sum(max_pool2d(x)).backward();
  check_equal(x.grad(), DType::float32, {1, 1, 2, 2}, {1, 0, 0, 0});
}

DEVICE_TEST_CASE("Elements read twice get both gradients") {
  const Tensor x(array({1, 2, 3}), true);
  const Array at = from_values<std::int64_t>(std::vector<std::int64_t>{0, 2, -1, 0}, {4});
  sum(take(x, at, 0) * array({1, 10, 100, 1000})).backward();
  check_equal(x.grad(), DType::float32, {3}, {1001, 0, 110});
}

DEVICE_TEST_CASE("float32 gradients are close to those of float64") {
  const Array start = random_normal({8, 5}, 0.0, 1.0, DType::float64);
  const auto gradient = [&start](DType dtype) {
    const Tensor x(start.astype(dtype), true);
    const Tensor y = softmax(matmul(gelu(x), x.transpose()));
    return grad({sum(square(y)) + sum(log_softmax(x) * x)}, {x})[0];
  };
  const Array single = gradient(DType::float32);
  CHECK(single.dtype() == DType::float32);
  CHECK(all_close(single.astype(DType::float64), gradient(DType::float64), 1e-3, 1e-4));
}

}  // namespace
}  // namespace gaia::test
