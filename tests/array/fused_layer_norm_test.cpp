// SPDX-License-Identifier: MIT
/// \file
/// layer_norm and its gradients against plain loops, central differences and the unfused
/// composition.
#include <algorithm>
#include <cmath>
#include <random>

#include "../../src/array/fused.h"
#include "../../src/array/ops.h"
#include "../../src/array/unfused.h"
#include "../reference/fused.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/log_capture.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

struct LayerNormCase {
  Operand x;
  std::optional<Operand> weight;
  std::optional<Operand> bias;
  Operand dy;
  LayerNormOptions options;

  LayerNormCase(std::mt19937_64& engine, const Shape& shape, int axes, bool affine, DType dtype,
       Layout layout = Layout::contiguous, double low = -3, double high = 5)
      : x(random_operand(engine, shape, dtype, layout, low, high)), options{.axes = axes} {
    Shape width;
    for (int axis = shape.rank() - axes; axis < shape.rank(); ++axis) width.push_back(shape[axis]);
    if (affine) {
      weight = random_operand(engine, width, dtype, layout, -2, 2);
      bias = random_operand(engine, width, dtype, layout, -2, 2);
    }
    dy = random_operand(engine, shape, dtype, layout, -1, 1);
  }
  std::optional<Array> weight_array() const {
    return weight ? std::optional<Array>(weight->array) : std::nullopt;
  }
  std::optional<Array> bias_array() const {
    return bias ? std::optional<Array>(bias->array) : std::nullopt;
  }
  Normalized reference() const {
    return layer_norm(x.values, weight ? std::optional<Values>(weight->values) : std::nullopt,
                      bias ? std::optional<Values>(bias->values) : std::nullopt, options.axes,
                      options.epsilon);
  }
  LayerNormResult run() const {
    return layer_norm_forward(x.array, weight_array(), bias_array(), options);
  }
  LayerNormGradients gradients(const LayerNormResult& result) const {
    return layer_norm_backward(dy.array, x.array, weight_array(), result.mean, result.rstd,
                               options);
  }
};

void check_layer_norm(const LayerNormCase& c) {
  const Normalized expected = c.reference();
  const LayerNormResult got = c.run();
  const bool is_single = c.x.array.dtype() == DType::float32;
  const double units = is_single ? 64 : 1024;
  check_near(got.y, expected.y, units, 1);
  check_near(got.mean, expected.mean, units, 1);
  check_near(got.rstd, expected.rstd, units, 1);
  check_near(layer_norm(c.x.array, c.weight_array(), c.bias_array(), c.options), expected.y, units,
             1);
  const LayerNormGradients fused = c.gradients(got);
  const LayerNormGradients plain = unfused::layer_norm_backward(
      c.dy.array, c.x.array, c.weight_array(), got.mean, got.rstd, c.options);
  // One number alone in its row has no spread: its rstd is large, and so is what rounding leaves.
  const double scale = got.rstd.size() > 0 ? std::max(1.0, max(got.rstd).item()) : 1.0;
  const double tolerance = is_single ? 1e-5 : 1e-12;
  const auto same = [&](const Array& a, const Array& b) {
    CHECK(a.shape() == b.shape());
    CHECK(all_close(a, b, tolerance, tolerance * scale));
  };
  same(fused.x, plain.x);
  same(fused.weight, plain.weight);
  same(fused.bias, plain.bias);
}

DEVICE_TEST_CASE("layer_norm agrees with plain loops at any width") {
  std::mt19937_64 engine(1);
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const std::int64_t width : {2, 3, 7, 16, 17, 31, 33, 96, 768, 1000, 5000}) {
      INFO(width);
      check_layer_norm(LayerNormCase(engine, {3, width}, 1, width % 2 == 0, dtype));
    }
    check_layer_norm(LayerNormCase(engine, {1, 40000}, 1, true, dtype));
    check_layer_norm(LayerNormCase(engine, {3000, 5}, 1, true, dtype));
  }
}

DEVICE_TEST_CASE("layer_norm agrees with plain loops in every layout and over several axes") {
  std::mt19937_64 engine(2);
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Layout layout : all_layouts()) {
      INFO(to_string(layout));
      check_layer_norm(LayerNormCase(engine, {4, 6}, 1, true, dtype, layout));
      check_layer_norm(LayerNormCase(engine, {2, 3, 4, 5}, 2, true, dtype, layout));
      check_layer_norm(LayerNormCase(engine, {2, 3, 4}, 3, false, dtype, layout));
      check_layer_norm(LayerNormCase(engine, {9}, 1, false, dtype, layout));
    }
  }
}

DEVICE_TEST_CASE("layer_norm of single numbers, of none, and of no rows") {
  const Array x = array({{3}, {-7}});
  const LayerNormResult one = layer_norm_forward(x, array({2}), array({5}));
  check_equal(one.y, DType::float32, {2, 1}, {5, 5});
  check_equal(one.mean, DType::float32, {2, 1}, {3, -7});
  CHECK(one.rstd.item({0, 0}) == Approx(1 / std::sqrt(1e-5)));
  const auto gradients = layer_norm_backward(ones({2, 1}), x, array({2}), one.mean, one.rstd);
  check_equal(gradients.x, DType::float32, {2, 1}, {0, 0});
  check_equal(gradients.weight, DType::float32, {1}, {0});
  check_equal(gradients.bias, DType::float32, {1}, {2});

  const Array none = zeros({0, 3});
  const LayerNormResult empty = layer_norm_forward(none);
  CHECK(empty.y.shape() == Shape{0, 3});
  CHECK(empty.mean.shape() == Shape{0, 1});
  const auto of_none = layer_norm_backward(none, none, {}, empty.mean, empty.rstd);
  check_equal(of_none.weight, DType::float32, {3}, {0, 0, 0});
  check_equal(of_none.bias, DType::float32, {3}, {0, 0, 0});
  const LayerNormResult narrow = layer_norm_forward(zeros({2, 0}));
  CHECK(narrow.y.shape() == Shape{2, 0});
  CHECK(std::isnan(narrow.mean.item({1, 0})));
}

DEVICE_TEST_CASE("layer_norm keeps its digits far from zero") {
  std::mt19937_64 engine(3);
  // What float32 stores there has steps of 1/512; these are what must come out.
  const LayerNormCase far(engine, {4, 500}, 1, false, DType::float32, Layout::contiguous, 30000, 30001);
  check_near(far.run().y, far.reference().y, 16, 1);
  const Array same = full({2, 1000}, 0.1);
  CHECK(all_close(layer_norm(same), zeros({2, 1000}), 0, 0));
}

DEVICE_TEST_CASE("layer_norm hands NaN on within its row alone") {
  const Array y = layer_norm(array({{1, std::nan("")}, {1, 3}}));
  CHECK(std::isnan(y.item({0, 0})));
  CHECK(y.item({1, 0}) == Approx(-1).epsilon(1e-4));
}

DEVICE_TEST_CASE("Gradients of layer_norm agree with central differences") {
  std::mt19937_64 engine(4);
  struct Kind {
    Shape shape;
    int axes;
    bool affine;
  };
  for (const Kind& kind :
       {Kind{{5}, 1, true}, Kind{{3, 4}, 1, true}, Kind{{3, 4}, 1, false}, Kind{{2, 3, 4}, 2, true},
        Kind{{2, 3, 2}, 3, true}, Kind{{70, 2}, 1, true}, Kind{{2, 19}, 1, true}}) {
    INFO(to_string(kind.shape));
    LayerNormCase c(engine, kind.shape, kind.axes, kind.affine, DType::float64);
    const auto loss = [&] { return inner_product(c.dy.values, c.reference().y); };
    const LayerNormGradients got = c.gradients(c.run());
    constexpr double units = 1e-6 / 0x1p-52;
    check_near(got.x, central_differences(c.x.values, loss), units, 1);
    if (!kind.affine) continue;
    check_near(got.weight, central_differences(c.weight->values, loss), units, 1);
    check_near(got.bias, central_differences(c.bias->values, loss), units, 1);
  }
}

TEST_CASE("The gradient of the bias of layer_norm is a sum in double") {
  const Array dy = full({300000, 1}, 0.1);
  const Array statistic = zeros({300000, 1});
  const auto gradients = layer_norm_backward(dy, dy, {}, statistic, statistic);
  CHECK(gradients.bias.item() == Approx(300000 * static_cast<double>(0.1f)).epsilon(1e-7));
}

TEST_CASE("layer_norm promotes, and answers bfloat16 and integers by its composition") {
  const LogCapture log;
  on_each_device([] {
    const Array x = array({{1, -2, 4}, {3, 0, 8}});
    const Array expected = layer_norm(x);
    CHECK(layer_norm(x, ones({3}, DType::float64)).dtype() == DType::float64);
    for (const DType dtype : {DType::int32, DType::int64, DType::bfloat16}) {
      const LayerNormResult got = layer_norm_forward(x.astype(dtype));
      CHECK(got.y.dtype() == (dtype == DType::bfloat16 ? DType::float32 : DType::float64));
      CHECK(all_close(got.y, expected, 1e-6, 1e-6));
      CHECK(got.rstd.shape() == Shape{2, 1});
    }
  });
  CHECK(log.count(LogLevel::warning, "[layer_norm]") == 1);
}

TEST_CASE("layer_norm refuses shapes and options that do not fit") {
  const Array x = zeros({4, 3});
  CHECK_THROWS_WITH_TEXT(layer_norm(x, zeros({4})), ShapeError,
                         "[layer_norm] expected a weight of shape [3], got [4]");
  CHECK_THROWS_AS(layer_norm(x, zeros({3}), zeros({3}), {.axes = 2}), ShapeError);
  CHECK_THROWS_WITH_TEXT(layer_norm(x, {}, {}, {.axes = 3}), ShapeError,
                         "expected 1 to 2 axes of shape [4, 3], got 3");
  CHECK_THROWS_AS(layer_norm(x, {}, {}, {.axes = 0}), ShapeError);
  CHECK_THROWS_AS(layer_norm(zeros({})), ShapeError);
  CHECK_THROWS_AS(layer_norm(x, {}, {}, {.epsilon = -1.0}), ArgumentError);
  CHECK_THROWS_AS(layer_norm(x, {}, {}, {.epsilon = std::nan("")}), ArgumentError);
  CHECK_THROWS_WITH_TEXT(layer_norm_backward(x, x, {}, zeros({4}), zeros({4, 1})), ShapeError,
                         "mean of shape [4, 1], got [4]");
  CHECK_THROWS_AS(layer_norm_backward(zeros({3}), x, {}, zeros({4, 1}), zeros({4, 1})), ShapeError);
}

}  // namespace
}  // namespace gaia::test
