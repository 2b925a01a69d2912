// SPDX-License-Identifier: MIT
/// \file
/// Functions of tensors answer what the functions of arrays with the same names do.
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/autograd/ops.h"
#include "../../src/autograd/tensor.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

struct Pair {
  std::string name;
  std::function<Tensor(const Tensor&)> of_tensor;
  std::function<Array(const Array&)> of_array;
};

/// One text for both, so that nothing but the type can differ.
template <class F>
Pair both(const char* name, F f) {
  return {name, [f](const Tensor& x) { return f(x); }, [f](const Array& x) { return f(x); }};
}

/// Functions of a matrix [3, 4].
std::vector<Pair> pairs() {
  const auto vector = [](const auto& x) { return x[1]; };
  return {
      both("cumprod", [](const auto& x) { return cumprod(x); }),
      both("cumprod along 0", [](const auto& x) { return cumprod(x, 0); }),
      both("einsum", [](const auto& x) { return einsum("ij,kj->ki", x, x); }),
      both("einsum of one", [](const auto& x) { return einsum("ij->j", x); }),
      both("trace", [](const auto& x) { return trace(x, 1); }),
      both("diagonal", [](const auto& x) { return x.diagonal(-1, 1, 0); }),
      both("diag", [](const auto& x) { return diag(x, 2); }),
      both("diag of a row", [=](const auto& x) { return diag(vector(x), -1); }),
      both("tril", [](const auto& x) { return tril(x, -1); }),
      both("triu", [](const auto& x) { return triu(x, 1); }),
      both("roll", [](const auto& x) { return roll(x, 5); }),
      both("roll along 1", [](const auto& x) { return roll(x, -6, 1); }),
      both("repeat", [](const auto& x) { return repeat(x, 2); }),
      both("repeat along 1", [](const auto& x) { return repeat(x, 3, 1); }),
      both("tile", [](const auto& x) { return tile(x, {2, 1, 3}); }),
      both("convolve1d", [=](const auto& x) { return convolve1d(vector(x), vector(x)); }),
      both("convolve1d, same",
           [=](const auto& x) { return convolve1d(vector(x), x[0], ConvolutionMode::same); }),
      both("temporal_convolution", [](const auto& x) { return temporal_convolution(x, x); }),
      both("sort", [](const auto& x) { return sort(x, 0, SortOrder::descending); }),
      both("top_k", [](const auto& x) { return top_k(x, 2, 0, false).values; }),
      both("remainder", [](const auto& x) { return remainder(x, 0.7) + remainder(2, x) + x % x; }),
      both("fmod", [](const auto& x) { return fmod(x, 0.7) + fmod(2, x) + fmod(x, x); }),
      both("floor_divide",
           [](const auto& x) { return floor_divide(x, 2) + floor_divide(2, x) * x; }),
      both("covariance", [](const auto& x) { return covariance(x, {.rowvar = false}); }),
      both("corrcoef", [](const auto& x) { return corrcoef(x); }),
      both("normalize", [](const auto& x) { return normalize(x, 0); }),
      both("median", [](const auto& x) { return median(x, {0}); }),
      both("quantile", [](const auto& x) { return quantile(x, 0.4, {}, true); }),
      both("quantiles", [](const auto& x) { return quantile(x, {0.1, 0.9}, {1}); })};
}

/// Padding, windows, interpolation and distances of [3, 4].
std::vector<Pair> shaping_pairs() {
  std::vector<Pair> pairs = {
      both("diff", [](const auto& x) { return diff(x, 2, 0, std::optional(x), {}); }),
      both("meshgrid", [](const auto& x) { return meshgrid({x[0], x[1]})[1]; }),
      both("unfold",
           [](const auto& x) {
             return unfold(x.reshape({1, 3, 4}), {.kernel = {2, 2}, .padding = {0, 1}});
           }),
      both("fold",
           [](const auto& x) { return fold(x.reshape({1, 4, 3}), {2, 4}, {.kernel = {2, 2}}); }),
      both("interp",
           [](const auto& x) {
             return interp(x, array({2, 3, 7}), x.select(1, 0), {.left = -1.0});
           }),
      both("interpolate",
           [](const auto& x) { return interpolate(x.expand_dims(0), {.size = {7}}); }),
      both("interpolate, linear",
           [](const auto& x) {
             return interpolate(x.expand_dims(0), {.scale = {1.7}, .mode = Interpolation::linear});
           }),
      both("convolve1d, wrapped",
           [](const auto& x) {
             return convolve1d(x[0], x[1], ConvolutionMode::same, ConvolutionBoundary::wrap);
           }),
      both("temporal_convolution of a batch",
           [](const auto& x) { return temporal_convolution(x.reshape({2, 3, 2}), x[0]); }),
      both("cdist", [](const auto& x) { return cdist(x, x); }),
      both("cdist of order 1", [](const auto& x) { return cdist(x, x, 1.0); })};
  for (const PadMode mode :
       {PadMode::constant, PadMode::edge, PadMode::linear_ramp, PadMode::maximum, PadMode::mean,
        PadMode::median, PadMode::minimum, PadMode::reflect, PadMode::symmetric, PadMode::wrap}) {
    pairs.push_back(
        both("pad", [mode](const auto& x) { return pad(x, {{2, 5}, {0, 6}}, {.mode = mode}); }));
  }
  return pairs;
}

DEVICE_TEST_CASE("Tensors are answered as their arrays, recorded or not") {
  std::mt19937_64 engine(11);
  std::vector<Pair> all = pairs();
  for (Pair& pair : shaping_pairs()) all.push_back(std::move(pair));
  for (const Pair& pair : all) {
    for (const DType dtype :
         {DType::bfloat16, DType::float32, DType::float64, DType::int32, DType::int64}) {
      for (const Layout layout : all_layouts()) {
        const Array x = random_operand(engine, {3, 4}, dtype, layout, 1, 9).array;
        INFO(pair.name << " of " << to_string(dtype) << " " << to_string(layout));
        const Array expected = pair.of_array(x);
        const bool can_record = dtype == DType::float32 || dtype == DType::float64;
        const Tensor y = pair.of_tensor(Tensor(x, can_record));
        CHECK(y.requires_grad() == can_record);
        check_equal(y.value(), expected.dtype(), expected.shape(), expected.to_vector<double>());
      }
    }
  }
}

TEST_CASE("What arrays refuse, tensors refuse by the same name") {
  const Tensor x(ones({2, 3}), true);
  CHECK_THROWS_WITH(sort(x, 2), "[sort] axis 2 does not exist in 2 dimensions");
  CHECK_THROWS_WITH_TEXT(top_k(x, 4), ArgumentError, "[top_k]");
  CHECK_THROWS_WITH_TEXT(einsum("ij,jk", x, x), ShapeError, "[einsum]");
  CHECK_THROWS_WITH_TEXT(temporal_convolution(x, Tensor(zeros({}))), ShapeError,
                         "[temporal_convolution]");
  CHECK_THROWS_WITH_TEXT(quantile(x, 1.5), ArgumentError, "[quantile]");
  CHECK_THROWS_WITH_TEXT(pad(x, -1), ArgumentError, "[pad]");
  CHECK_THROWS_WITH_TEXT(diff(x, -1), ArgumentError, "[diff]");
  CHECK_THROWS_WITH_TEXT(unfold(x, {}), ShapeError, "[unfold]");
  CHECK_THROWS_WITH_TEXT(fold(x, {9, 9}, {}), ShapeError, "[fold]");
  CHECK_THROWS_WITH_TEXT(interp(x, ones({2}), x), ShapeError, "[interp]");
  CHECK_THROWS_WITH_TEXT(interpolate(x, {.size = {2}}), ShapeError, "[interpolate]");
  CHECK_THROWS_WITH_TEXT(cdist(x, Tensor(zeros({2, 2}))), ShapeError, "[cdist]");
  CHECK_THROWS_WITH_TEXT(convolve1d(x, x), ShapeError, "[convolve1d]");
  CHECK_THROWS_WITH_TEXT(meshgrid({x}), ShapeError, "[meshgrid]");
  CHECK_THROWS_WITH_TEXT(repeat(x, -1), ArgumentError, "[repeat]");
  CHECK_THROWS_WITH_TEXT(covariance(Tensor(zeros({}))), ShapeError, "[covariance]");
}

}  // namespace
}  // namespace gaia::test
