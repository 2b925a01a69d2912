// SPDX-License-Identifier: MIT
/// \file
/// Convolution and pooling of planes: what is gathered from windows that overlap, leave gaps, or
/// reach beyond the plane.
#include "../../src/array/backend.h"
#include "as_on_cpu.h"

namespace gaia::test {
namespace {

struct Plane {
  SlidingWindow window;
  std::int64_t height, width;
  std::int64_t outputs(int side) const {
    return count_windows(side == 0 ? height : width, window, side, false, "test");
  }
};

const std::vector<Plane>& planes() {
  static const std::vector<Plane> all = {
      {{}, 5, 7},
      {{.kernel = {3, 3}, .padding = {1, 1}}, 9, 11},
      {{.kernel = {2, 3}, .stride = {2, 2}}, 8, 9},
      {{.kernel = {2, 2}, .stride = {3, 4}}, 10, 13},
      {{.kernel = {3, 2}, .stride = {2, 1}, .padding = {1, 0}, .dilation = {2, 3}}, 12, 10},
      {{.kernel = {1, 1}, .stride = {2, 2}}, 6, 6},
      {{.kernel = {1, 1}, .padding = {1, 1}}, 4, 4}};
  return all;
}

}  // namespace

TEST_CASE("Convolutions and their gradients agree with the CPU") {
  for (const Plane& plane : planes()) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const std::int64_t groups : {1, 2, 6}) {
        const SlidingWindow& w = plane.window;
        INFO(w.kernel[0] << "x" << w.kernel[1] << " groups " << groups);
        check_as_on_cpu(
            [&](std::mt19937_64& engine) -> std::vector<Array> {
              const Shape x_shape = {3, 6, plane.height, plane.width};
              const Shape w_shape = {12, 6 / groups, w.kernel[0], w.kernel[1]};
              const Shape y_shape = {3, 12, plane.outputs(0), plane.outputs(1)};
              const Array x = some(engine, x_shape, dtype);
              const Array weights = some(engine, w_shape, dtype);
              const Array bias = some(engine, {12}, dtype);
              const Array dy = some(engine, y_shape, dtype);
              const auto room = [&](const Shape& shape) {
                return Array::uninitialized(shape, dtype);
              };
              const std::vector<Array> made = {room(y_shape), room(y_shape), room(x_shape),
                                               room(w_shape)};
              const auto run = [&](ConvolutionPass pass, const Array& of_x, const Array& of_w,
                                   const Array& of_y, bool with_bias) {
                ConvolutionRun one{.pass = pass,
                                   .window = w,
                                   .groups = groups,
                                   .x = of_x.view(),
                                   .weights = of_w.view(),
                                   .y = of_y.view(),
                                   .bias = {}};
                if (with_bias) one.bias = bias.view();
                backend(current_device()).convolve(one);
              };
              run(ConvolutionPass::forward, x, weights, made[0], false);
              run(ConvolutionPass::forward, x, weights, made[1], true);
              run(ConvolutionPass::input_gradient, made[2], weights, dy, false);
              run(ConvolutionPass::weight_gradient, x, made[3], dy, false);
              return made;
            },
            64, 64);
      }
    }
  }
}

TEST_CASE("Pooling and its gradient agree with the CPU") {
  for (const Plane& plane : planes()) {
    const SlidingWindow& w = plane.window;
    for (const DType dtype : {DType::float32, DType::float64}) {
      INFO(w.kernel[0] << "x" << w.kernel[1] << " " << to_string(dtype));
      check_as_on_cpu(
          [&](std::mt19937_64& engine) -> std::vector<Array> {
            const Shape x_shape = {5, plane.height, plane.width};
            const Shape y_shape = {5, plane.outputs(0), plane.outputs(1)};
            const Array x = some(engine, x_shape, dtype);
            const Array dy = some(engine, y_shape, dtype);
            x.slice(1, 2, 3).slice(2, 1, 2).fill(std::nan(""));
            const std::vector<Array> made = {
                Array::uninitialized(y_shape, dtype), Array::uninitialized(y_shape, DType::int64),
                Array::uninitialized(y_shape, dtype), Array::uninitialized(x_shape, dtype)};
            Backend& here = backend(current_device());
            // A window that is all padding has no largest element.
            if (w.kernel[0] > 1 || w.padding[0] == 0) {
              here.pool_planes(
                  {PlanePooling::max, w, true, x.view(), made[0].view(), made[1].view()});
            } else {
              made[0].fill(0);
              made[1].fill(0);
            }
            SlidingWindow dense = w;
            dense.dilation = {1, 1};
            if (w.dilation != dense.dilation) return {made[0], made[1]};
            const bool counts = w.stride[0] != 2;
            if (counts || w.kernel[0] > 1 || w.padding[0] == 0) {
              here.pool_planes(
                  {PlanePooling::average, dense, counts, x.view(), made[2].view(), {}});
              here.pool_planes(
                  {PlanePooling::average_gradient, dense, counts, made[3].view(), dy.view(), {}});
              return made;
            }
            return {made[0], made[1]};
          },
          8, 4);
    }
  }
}

}  // namespace gaia::test
