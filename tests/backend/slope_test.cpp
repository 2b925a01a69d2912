// SPDX-License-Identifier: MIT
/// \file
/// Slopes of functions of one number against central differences of their formulas.
#include <cmath>
#include <random>

#include "../../src/array/apply.h"
#include "../../src/array/backend.h"
#include "../reference/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

/// dy f'(x) by plain loops; at steps and kinks, which random numbers do not meet, it is wrong.
Values slopes(const UnaryOp& c, const Values& x, const Values& dy) {
  const double step = 1e-6;
  return map(x, dy, x.shape, [&](double at, double above) {
    return above * (c(at + step) - c(at - step)) / (2 * step);
  });
}

/// The only element of dy f'(x) at dy = 1.
double slope_at(const Unary& f, double x) {
  const Array at = full({1}, x, DType::float64);
  return unary_gradient(f, at, apply(f, at, "test"), full({}, 1.0)).item();
}

TEST_CASE("Every function of one number has its slope") {
  REQUIRE(unary_ops().size() == std::variant_size_v<Unary>);
  on_each_device([] {
    std::mt19937_64 engine(1);
    for (const UnaryOp& c : unary_ops()) {
      INFO(c.name);
      for (const Layout layout : all_layouts()) {
        for (const Shape& shape : {Shape{}, Shape{3, 4}, Shape{0}, Shape{0, 3}, Shape{301}}) {
          for (const DType dtype : {DType::float64, DType::float32}) {
            INFO(to_string(layout)
                 << " " << gaia::to_string(shape) << " " << gaia::to_string(dtype));
            const Operand x = random_operand(engine, shape, dtype, layout, c.low, c.high);
            const Array y = apply(c.function, x.array, "test");
            // What comes from above lies as x does, or otherwise.
            for (const Layout above : {layout, Layout::sliced}) {
              const Operand dy = random_operand(engine, shape, dtype, above);
              const bool fine = dtype == DType::float64;
              check_near(unary_gradient(c.function, x.array, y, dy.array),
                         slopes(c, x.values, dy.values), (fine ? 1e-7 : 1e-5) / epsilon(dtype),
                         1.0);
            }
          }
        }
      }
      const Operand x = random_operand(engine, {50}, DType::float32, {}, c.low, c.high);
      const Operand one = {ones({}), Values({}, 1.0)};
      const Array y = apply(c.function, x.array, "test");
      check_near(unary_gradient(c.function, x.array, y, one.array), slopes(c, x.values, one.values),
                 1e-5 / epsilon(DType::float32), 0.01);
    }
  });
}

TEST_CASE("Slopes at kinks are those of PyTorch") {
  CHECK(slope_at(Abs{}, 0.0) == 0.0);
  CHECK(slope_at(Abs{}, -0.0) == 0.0);
  CHECK(slope_at(Relu{}, 0.0) == 0.0);
  CHECK(slope_at(LeakyRelu{0.25}, 0.0) == 0.25);
  CHECK(slope_at(Elu{0.5}, 0.0) == 0.5);
  CHECK(slope_at(Selu{}, 0.0) == Approx(1.7580993408473766));
  CHECK(slope_at(Clip{-1.0, 2.0}, -1.0) == 1.0);
  CHECK(slope_at(Clip{-1.0, 2.0}, 2.0) == 1.0);
  CHECK(slope_at(Clip{-1.0, 2.0}, 2.5) == 0.0);
  CHECK(slope_at(Softplus{}, 20.5) == 1.0);
  CHECK(std::isinf(slope_at(Sqrt{}, 0.0)));
}

TEST_CASE("Slopes keep their digits where functions saturate, and do not overflow") {
  CHECK(slope_at(Sigmoid{}, 30.0) == Approx(std::exp(-30.0)).epsilon(1e-12));
  CHECK(slope_at(Sigmoid{}, -30.0) == Approx(std::exp(-30.0)).epsilon(1e-12));
  CHECK(slope_at(Tanh{}, 20.0) == Approx(4 * std::exp(-40.0)).epsilon(1e-12));
  CHECK(slope_at(Tanh{}, -20.0) == Approx(4 * std::exp(-40.0)).epsilon(1e-12));
  for (const Unary& f : {Unary(GeluTanh{}), Unary(GeluExact{}), Unary(Silu{}), Unary(Sigmoid{}),
                         Unary(LogSigmoid{}), Unary(Softplus{}), Unary(Relu{})}) {
    for (const double x : {1e200, -1e200}) {
      const double slope = slope_at(f, x);
      CHECK((slope == 0.0 || slope == 1.0));
    }
  }
}

DEVICE_TEST_CASE("unary_gradient writes over dy where asked, and checks what it is given") {
  const Array x = array({1, 2, 3}, DType::float64);
  const Array y = apply(Square{}, x, "test");
  const Array dy = array({1, 10, 100}, DType::float64);
  backend(current_device()).unary_slope(Square{}, x.view(), y.view(), dy.view(), dy.view());
  check_equal(dy, DType::float64, {3}, {2, 40, 600});
  const Array two = ones({2});
  CHECK_THROWS_AS(unary_gradient(Exp{}, two, ones({3}), two), ShapeError);
  CHECK_THROWS_AS(unary_gradient(Exp{}, two, two, ones({3})), ShapeError);
  CHECK_THROWS_AS(unary_gradient(Exp{}, two, ones({2}, DType::float64), two), DTypeError);
  CHECK_THROWS_AS(unary_gradient(Exp{}, two.astype(DType::int32), two, two), DTypeError);
}

}  // namespace
}  // namespace gaia::test
