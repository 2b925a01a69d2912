// SPDX-License-Identifier: MIT
#include "../../src/autograd/nan_functions.h"

#include <limits>
#include <string>

#include "../../src/autograd/statistics.h"
#include "../support/near.h"
#include "gradient_check.h"

namespace gaia::test {
namespace {

constexpr DType kDouble = DType::float64;

TEST_CASE("Functions without NaN give it no gradient, and numbers theirs") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto slope = [&](auto f) {
    Tensor x(array({{1, nan, 3, 5}, {2, 4, nan, nan}}, kDouble), true);
    return grad({sum(f(x))}, {x}).front();
  };
  const auto check = [](const Array& got, const std::vector<double>& numbers) {
    Values expected({2, 4});
    expected.numbers = numbers;
    check_near(got, expected, 8, 1);
  };
  const double h = 1.0 / 3;
  check(slope([](const Tensor& x) { return nansum(x, {1}); }), {1, 0, 1, 1, 1, 1, 0, 0});
  check(slope([](const Tensor& x) { return nanmean(x, {1}); }), {h, 0, h, h, 0.5, 0.5, 0, 0});
  // 2 (x - mean) / n
  check(slope([](const Tensor& x) { return nanvar(x, {1}); }), {-4 * h, 0, 0, 4 * h, -1, 1, 0, 0});
  check(slope([](const Tensor& x) { return nanmedian(x, {1}); }), {0, 0, 1, 0, 0.5, 0.5, 0, 0});
}

TEST_CASE("Gradients of statistics are central differences") {
  std::mt19937_64 engine(5);
  const auto check = [&](const std::string& name, const std::function<Tensor(const Inputs&)>& f) {
    const GradientCase c{name, {random_operand(engine, {4, 5}, kDouble)}, f};
    CHECK(gradient_complaint(c) == "");
  };
  const Array trust = array({1, 2, 0.5, 3, 1}, kDouble);
  check("nanmean", [](const Inputs& x) { return nanmean(x[0], {1}); });
  check("nanvar", [](const Inputs& x) { return nanvar(x[0], {0}, 1); });
  check("nanstd", [](const Inputs& x) { return nanstd(x[0]); });
  check("weighted covariance",
        [trust](const Inputs& x) { return covariance(x[0], {}, {.reliabilities = trust}); });
  for (int i = 0; i < 13; ++i) {
    const auto method = static_cast<QuantileMethod>(i);
    check("quantile " + std::to_string(i),
          [method](const Inputs& x) { return quantile(x[0], 0.37, {1}, false, method); });
    check("nanquantile " + std::to_string(i),
          [method](const Inputs& x) { return nanquantile(x[0], 0.37, {1}, false, method); });
  }
}

}  // namespace
}  // namespace gaia::test
