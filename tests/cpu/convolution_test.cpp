// SPDX-License-Identifier: MIT
/// \file
/// Convolutions whose windows are one position apart, which read planes where they lie, compared
/// with plain loops.  Whole numbers, of which every sum is exact.
#include "../../src/array/convolution.h"

#include <random>
#include <vector>

#include "../../src/array/create.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

struct Case {
  std::int64_t images;
  std::int64_t channels;
  std::int64_t outputs;
  std::int64_t height;
  std::int64_t width;
  Pair kernel;
  Conv2dOptions options;
};

std::vector<double> whole_numbers(std::int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<double> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(static_cast<double>(random() % 9) - 4.0);
  return x;
}

std::vector<double> plainly(const Case& c, const std::vector<double>& x,
                            const std::vector<double>& weights, const Shape& y_shape) {
  const Conv2dOptions& o = c.options;
  const std::int64_t inputs = c.channels / o.groups;
  std::vector<double> y;
  const auto at = [](const std::vector<double>& of, std::int64_t i) {
    return of[static_cast<std::size_t>(i)];
  };
  for (std::int64_t plane = 0; plane < c.images * c.outputs; ++plane) {
    const std::int64_t out = plane % c.outputs;
    const std::int64_t first =
        plane / c.outputs * c.channels + out / (c.outputs / o.groups) * inputs;
    for (std::int64_t p = 0; p < y_shape[2] * y_shape[3]; ++p) {
      double sum = 0;
      for (std::int64_t k = 0; k < inputs * c.kernel[0] * c.kernel[1]; ++k) {
        const std::int64_t channel = k / (c.kernel[0] * c.kernel[1]);
        const std::int64_t row = p / y_shape[3] * o.stride[0] - o.padding[0] +
                                 k / c.kernel[1] % c.kernel[0] * o.dilation[0];
        const std::int64_t column =
            p % y_shape[3] * o.stride[1] - o.padding[1] + k % c.kernel[1] * o.dilation[1];
        if (row < 0 || row >= c.height || column < 0 || column >= c.width) continue;
        sum += at(weights, out * inputs * c.kernel[0] * c.kernel[1] + k) *
               at(x, ((first + channel) * c.height + row) * c.width + column);
      }
      y.push_back(sum);
    }
  }
  return y;
}

}  // namespace

TEST_CASE("Convolutions of planes are those of plain loops") {
  const std::vector<Case> cases = {
      {2, 3, 5, 14, 14, {3, 3}, {.padding = {1, 1}}},
      {9, 2, 8, 5, 16, {3, 3}, {.padding = {1, 1}}},
      {1, 2, 9, 6, 32, {3, 3}, {}},
      {1, 3, 17, 33, 45, {5, 2}, {.padding = {2, 3}}},
      {2,
       4,
       6,
       9,
       28,
       {3, 3},
       {.stride = {2, 1}, .padding = {1, 2}, .dilation = {2, 3}, .groups = 2}},
      {3, 6, 6, 8, 15, {1, 4}, {.stride = {3, 1}, .padding = {2, 0}, .groups = 6}},
      {1, 100, 10, 4, 13, {3, 3}, {.padding = {1, 1}}},  // sums of several blocks
      {1, 2, 3, 40, 16, {1, 1}, {.stride = {2, 1}}},
      {1, 2, 3, 3, 20, {3, 3}, {.padding = {7, 9}}},  // a border wider than the plane
      {2, 2, 3, 3, 6, {3, 9}, {.padding = {1, 30}}},
      {2, 3, 4, 12, 30, {3, 3}, {.stride = {1, 2}, .padding = {1, 1}}},
      {1, 300, 2, 70, 24, {3, 3}, {.padding = {1, 1}}},  // planes cut into several blocks of rows
      {8, 300, 2, 41, 24, {3, 3}, {.padding = {1, 1}}},
  };
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Case& c : cases) {
      const Shape x_shape = {c.images, c.channels, c.height, c.width};
      const Shape w_shape = {c.outputs, c.channels / c.options.groups, c.kernel[0], c.kernel[1]};
      const std::vector<double> x = whole_numbers(count_elements(x_shape));
      const std::vector<double> weights = whole_numbers(count_elements(w_shape));
      const std::vector<double> bias = whole_numbers(c.outputs);
      INFO(to_string(x_shape) << " " << to_string(w_shape) << " " << to_string(dtype));
      const Array image = from_values(x, x_shape).astype(dtype);
      const Array kernel = from_values(weights, w_shape).astype(dtype);
      const Array y = conv2d(image, kernel, {}, c.options);
      std::vector<double> expected = plainly(c, x, weights, y.shape());
      CHECK(y.to_vector<double>() == expected);
      const Array shifted =
          conv2d(image, kernel, from_values(bias, {c.outputs}).astype(dtype), c.options);
      const std::int64_t plane = y.shape(2) * y.shape(3);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] += bias[i / static_cast<std::size_t>(plane) % bias.size()];
      }
      CHECK(shifted.to_vector<double>() == expected);
    }
  }
}
