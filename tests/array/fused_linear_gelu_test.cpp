// SPDX-License-Identifier: MIT
/// \file
/// linear_gelu and its gradients against plain loops, central differences and the unfused
/// composition.
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

constexpr double kTolerance = 1e-5;

double units_of(DType dtype) {
  return kTolerance / epsilon(DType::float32) * (dtype == DType::float32 ? 1 : 16);
}

struct GeluCase {
  Operand x;
  Operand weights;
  std::optional<Operand> bias;
  Operand dy;
  GeluForm form;

  GeluCase(std::mt19937_64& engine, const Shape& shape, std::int64_t out, bool has_bias,
           DType dtype, Layout layout, GeluForm of_form)
      : x(random_operand(engine, shape, dtype, layout, -2, 2)),
        weights(random_operand(engine, {out, shape.back()}, dtype, layout, -1, 1)),
        form(of_form) {
    if (has_bias) bias = random_operand(engine, {out}, dtype, layout, -1, 1);
    Shape answer = shape;
    answer.back() = out;
    dy = random_operand(engine, answer, dtype, layout, -1, 1);
  }
  std::optional<Array> bias_array() const {
    if (!bias) return std::nullopt;
    return bias->array;
  }
  Values reference_z() const {
    return linear(x.values, weights.values,
                  bias ? std::optional<Values>(bias->values) : std::nullopt);
  }
  Values reference() const {
    return map(reference_z(), form == GeluForm::exact ? gelu_exact : gelu_tanh);
  }
};

void check_gelu(const GeluCase& c) {
  const DType dtype = c.x.array.dtype();
  const double units = units_of(dtype);
  const LinearGeluResult fused =
      linear_gelu_forward(c.x.array, c.weights.array, c.bias_array(), c.form);
  REQUIRE(fused.y.dtype() == dtype);
  const double width = 1.0 + 0.1 * static_cast<double>(c.x.values.shape.back());
  check_near(fused.z, c.reference_z(), units, width);
  check_near(fused.y, c.reference(), units, width);
  check_near(linear_gelu(c.x.array, c.weights.array, c.bias_array(), c.form), c.reference(), units,
             width);
  const LinearGeluGradients got =
      linear_gelu_backward(c.dy.array, c.x.array, c.weights.array, fused.z, c.form);
  const LinearGeluGradients plain =
      unfused::linear_gelu_backward(c.dy.array, c.x.array, c.weights.array, fused.z, c.form);
  const auto same = [&](const Array& a, const Array& b) {
    CHECK(a.shape() == b.shape());
    CHECK(all_close(a, b, 1e-5, 1e-5 * width));
  };
  same(got.x, plain.x);
  same(got.weights, plain.weights);
  same(got.bias, plain.bias);
}

DEVICE_TEST_CASE("linear_gelu agrees with plain loops in every layout") {
  std::mt19937_64 engine(1);
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Layout layout : all_layouts()) {
      for (const GeluForm form : {GeluForm::tanh, GeluForm::exact}) {
        INFO(to_string(dtype) << " " << to_string(layout));
        check_gelu(GeluCase(engine, {3, 5}, 4, true, dtype, layout, form));
        check_gelu(GeluCase(engine, {2, 3, 7}, 1, false, dtype, layout, form));
      }
    }
  }
}

DEVICE_TEST_CASE("linear_gelu agrees with plain loops at any width and where panels meet") {
  std::mt19937_64 engine(2);
  for (const Shape& shape : {Shape{1}, Shape{5}, Shape{1, 1}, Shape{0, 3}, Shape{3, 0},
                             Shape{2, 0, 3}, Shape{129, 6}, Shape{2, 65, 3}}) {
    for (const std::int64_t out : {std::int64_t(1), std::int64_t(0), std::int64_t(257)}) {
      INFO(to_string(shape) << " to " << out);
      check_gelu(
          GeluCase(engine, shape, out, true, DType::float32, Layout::contiguous, GeluForm::tanh));
      check_gelu(
          GeluCase(engine, shape, out, false, DType::float64, Layout::contiguous, GeluForm::exact));
    }
  }
  check_gelu(
      GeluCase(engine, {3, 300}, 5, true, DType::float32, Layout::contiguous, GeluForm::tanh));
}

DEVICE_TEST_CASE("Gradients of linear_gelu agree with central differences") {
  std::mt19937_64 engine(3);
  for (const GeluForm form : {GeluForm::tanh, GeluForm::exact}) {
    for (const Shape& shape : {Shape{1}, Shape{4, 3}, Shape{2, 2, 5}, Shape{130, 2}}) {
      GeluCase c(engine, shape, 3, true, DType::float64, Layout::contiguous, form);
      const auto loss = [&] { return inner_product(c.dy.values, c.reference()); };
      const Array z = linear_gelu_forward(c.x.array, c.weights.array, c.bias_array(), form).z;
      const LinearGeluGradients got =
          linear_gelu_backward(c.dy.array, c.x.array, c.weights.array, z, form);
      constexpr double units = 1e-7 / 0x1p-52;
      check_near(got.x, central_differences(c.x.values, loss), units, 1);
      check_near(got.weights, central_differences(c.weights.values, loss), units, 1);
      check_near(got.bias, central_differences(c.bias->values, loss), units, 1);
    }
  }
}

DEVICE_TEST_CASE("Only the gradients of linear_gelu that are asked for are made") {
  std::mt19937_64 engine(4);
  const GeluCase c(engine, {4, 3}, 2, false, DType::float32, Layout::contiguous, GeluForm::tanh);
  const Array z = linear_gelu_forward(c.x.array, c.weights.array).z;
  const auto all = linear_gelu_backward(c.dy.array, c.x.array, c.weights.array, z);
  const auto one = linear_gelu_backward(c.dy.array, c.x.array, c.weights.array, z, GeluForm::tanh,
                                        {.x = false, .weights = true, .bias = false});
  CHECK(one.x.size() == 0);
  CHECK(one.bias.size() == 0);
  CHECK(all_close(one.weights, all.weights, 0, 0));
  const auto plain =
      unfused::linear_gelu_backward(c.dy.array, c.x.array, c.weights.array, z, GeluForm::tanh,
                                    {.x = true, .weights = false, .bias = false});
  CHECK(plain.weights.size() == 0);
  CHECK(all_close(plain.x, all.x, 1e-5, 1e-6));
}

TEST_CASE("linear_gelu promotes, and answers bfloat16 and integers by its composition") {
  const LogCapture log;
  on_each_device([] {
    const Array x = array({{1, -2}, {3, 0}});
    const Array weights = array({{1, 2}, {-1, 1}, {0, 1}});
    const Array expected = linear_gelu(x, weights);
    CHECK(linear_gelu(x, weights.astype(DType::float64)).dtype() == DType::float64);
    for (const DType dtype : {DType::int32, DType::int64, DType::bfloat16}) {
      const Array y = linear_gelu(x.astype(dtype), weights.astype(dtype));
      CHECK(y.dtype() == (dtype == DType::bfloat16 ? DType::float32 : DType::float64));
      CHECK(all_close(y, expected, 1e-6, 1e-6));
    }
  });
  CHECK(log.count(LogLevel::warning, "[linear_gelu]") == 1);
}

TEST_CASE("linear_gelu refuses shapes that do not fit") {
  const Array x = zeros({4, 3});
  CHECK_THROWS_WITH_TEXT(linear_gelu(x, zeros({2, 4})), ShapeError,
                         "[linear_gelu] expected x [..., in] and weights [out, in], got [4, 3] and "
                         "[2, 4]");
  CHECK_THROWS_AS(linear_gelu(zeros({}), zeros({2, 1})), ShapeError);
  CHECK_THROWS_AS(linear_gelu(x, zeros({3})), ShapeError);
  CHECK_THROWS_WITH_TEXT(linear_gelu(x, zeros({2, 3}), zeros({3})), ShapeError,
                         "a bias [out] of shape [2], got [3]");
  CHECK_THROWS_WITH_TEXT(linear_gelu_backward(zeros({4, 3}), x, zeros({2, 3}), zeros({4, 2})),
                         ShapeError, "dy of shape [4, 2], got [4, 3]");
  CHECK_THROWS_WITH_TEXT(linear_gelu_backward(zeros({4, 2}), x, zeros({2, 3}), zeros({2})),
                         ShapeError, "z of shape [4, 2], got [2]");
}

}  // namespace
}  // namespace gaia::test
