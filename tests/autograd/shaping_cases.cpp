// SPDX-License-Identifier: MIT
/// \file
/// Gradients of padding, differences, grids, windows, interpolation, convolution with boundaries
/// and distances.
#include <limits>
#include <string>
#include <vector>

#include "gradient_check.h"

namespace gaia::test {
namespace {

void add_padding(std::vector<GradientCase>& cases, Draw& draw) {
  using Mode = PadMode;
  const std::vector<PadOptions> all = {{.mode = Mode::constant, .values = {{1.0, 2.0}}},
                                       {.mode = Mode::edge},
                                       {.mode = Mode::linear_ramp, .values = {{1.0, -1.0}}},
                                       {.mode = Mode::maximum},
                                       {.mode = Mode::maximum, .stat_lengths = {{1, 2}}},
                                       {.mode = Mode::mean},
                                       {.mode = Mode::mean, .stat_lengths = {{2, 1}}},
                                       {.mode = Mode::median},
                                       {.mode = Mode::minimum, .stat_lengths = {{2, 2}}},
                                       {.mode = Mode::reflect},
                                       {.mode = Mode::reflect, .reflect_type = ReflectType::odd},
                                       {.mode = Mode::symmetric},
                                       {.mode = Mode::symmetric, .reflect_type = ReflectType::odd},
                                       {.mode = Mode::wrap}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto add = [&](Operand x, const std::vector<PadWidth>& widths) {
      cases.push_back(
          {"pad " + std::to_string(i) + " of " + to_string(x.array.shape()),
           {std::move(x)},
           [widths, options = all[i]](const Inputs& in) { return pad(in[0], widths, options); }});
    };
    for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::reversed}) {
      add(draw({3, 4}, layout), {{1, 2}, {2, 1}});
    }
    add(draw({2, 3}), {{5, 7}, {9, 4}});  // again and again
    add(draw({1, 3}), {{2, 1}, {0, 0}});
    add(draw({2, 2, 3}), {{0, 1}, {2, 0}, {1, 1}});
  }
  cases.push_back({"pad of nothing", {draw({0, 2})}, [](const Inputs& in) {
                     return pad(in[0], {{0, 0}, {1, 2}}, {.mode = Mode::edge});
                   }});
}

void add_differences_and_grids(std::vector<GradientCase>& cases, Draw& draw) {
  for (const Layout layout : all_layouts()) {
    for (const std::int64_t n : {0, 1, 2, 5}) {
      for (const std::int64_t axis : {0, 1}) {
        cases.push_back({"diff", {draw({4, 3}, layout)}, [n, axis](const Inputs& in) {
                           return diff(in[0], n, axis);
                         }});
      }
    }
    cases.push_back({"diff with ends",
                     {draw({2, 3}, layout), draw({}), draw({2, 2}, layout)},
                     [](const Inputs& in) { return diff(in[0], 2, 1, in[1], in[2]); }});
  }
  for (const bool sparse : {false, true}) {
    for (const GridIndexing indexing : {GridIndexing::xy, GridIndexing::ij}) {
      for (std::size_t which = 0; which < 3; ++which) {
        cases.push_back(
            {"meshgrid", {draw({3}, Layout::reversed), draw({2}), draw({})}, [=](const Inputs& in) {
               const std::vector<Tensor> grid =
                   meshgrid(in, {.indexing = indexing, .sparse = sparse});
               Tensor rest = sum(grid[0]) + sum(grid[1]) + sum(grid[2]);
               return grid[which] + rest;
             }});
      }
    }
  }
}

void add_windows(std::vector<GradientCase>& cases, Draw& draw) {
  const std::vector<SlidingWindow> windows = {
      {.kernel = {1, 1}},
      {.kernel = {2, 3}, .stride = {1, 2}, .padding = {1, 0}},
      {.kernel = {2, 2}, .stride = {2, 1}, .padding = {0, 1}, .dilation = {1, 2}}};
  for (const SlidingWindow& window : windows) {
    const std::int64_t places =
        count_windows(4, window, 0, false, "test") * count_windows(5, window, 1, false, "test");
    const std::int64_t rows = 2 * window.kernel[0] * window.kernel[1];
    for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::sliced}) {
      cases.push_back({"unfold", {draw({2, 2, 4, 5}, layout)}, [window](const Inputs& in) {
                         return unfold(in[0], window);
                       }});
      cases.push_back({"fold", {draw({2, rows, places}, layout)}, [window](const Inputs& in) {
                         return fold(in[0], {4, 5}, window);
                       }});
    }
    cases.push_back({"unfold of one image", {draw({2, 4, 5})}, [window](const Inputs& in) {
                       return unfold(in[0], window);
                     }});
  }
  using Boundary = ConvolutionBoundary;
  for (const Boundary boundary :
       {Boundary::zero, Boundary::edge, Boundary::reflect, Boundary::symmetric, Boundary::wrap}) {
    for (const ConvolutionMode mode : {ConvolutionMode::full, ConvolutionMode::same,
                                       ConvolutionMode::valid, ConvolutionMode::causal}) {
      for (const auto& [n, m] :
           {std::pair<std::int64_t, std::int64_t>{6, 3}, {5, 4}, {3, 5}, {1, 2}}) {
        cases.push_back({"convolve1d with a boundary",
                         {draw({n}), draw({m}, Layout::reversed)},
                         [mode, boundary](const Inputs& in) {
                           return convolve1d(in[0], in[1], mode, boundary);
                         }});
        for (const Shape& kernel : {Shape{m}, Shape{m, 2}}) {
          cases.push_back({"temporal_convolution of a batch",
                           {draw({3, n, 2}, Layout::transposed), draw(kernel)},
                           [mode, boundary](const Inputs& in) {
                             return temporal_convolution(in[0], in[1], mode, boundary);
                           }});
        }
      }
    }
  }
  cases.push_back({"temporal_convolution of no batch",
                   {draw({0, 4, 2}), draw({2, 2})},
                   [](const Inputs& in) { return temporal_convolution(in[0], in[1]); }});
}

void add_interpolation(std::vector<GradientCase>& cases, Draw& draw) {
  const Array xp = array({-1.5, -0.4, 0.3, 1.2}, DType::float64);
  const std::vector<InterpOptions> all = {
      {}, {.left = 3.0}, {.left = 1.0, .right = -2.0}, {.period = 2.9}};
  for (const InterpOptions& options : all) {
    for (const Layout layout : all_layouts()) {
      cases.push_back(
          {"interp",
           {draw({3, 4}, layout), draw({4}, Layout::reversed)},
           [xp, options](const Inputs& in) { return interp(in[0], xp, in[1], options); }});
    }
  }
  using Mode = Interpolation;
  for (const Mode mode : {Mode::nearest, Mode::nearest_exact, Mode::linear}) {
    for (const bool corners : {false, true}) {
      if (corners && mode != Mode::linear) continue;
      const auto add = [&](const Shape& shape, Layout layout, InterpolateOptions options) {
        options.mode = mode;
        options.align_corners = corners;
        cases.push_back({"interpolate " + to_string(shape),
                         {draw(shape, layout)},
                         [options](const Inputs& in) { return interpolate(in[0], options); }});
      };
      for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::sliced}) {
        add({2, 2, 4}, layout, {.size = {7}});
        add({2, 1, 3, 4}, layout, {.size = {5, 2}});
      }
      add({1, 2, 5}, Layout::contiguous, {.scale = {0.6}});
      add({1, 1, 2, 3, 2}, Layout::contiguous, {.scale = {1.5, 1.0, 2.0}});
      add({1, 1, 3}, Layout::contiguous, {.size = {3}});
    }
  }
}

void add_distances(std::vector<GradientCase>& cases, Draw& draw) {
  for (const double p : {1.0, 1.5, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
    for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::sliced}) {
      for (const std::int64_t m : {1, 3, 6}) {
        cases.push_back({"cdist " + std::to_string(p),
                         {draw({3, m}, layout), draw({4, m}, layout)},
                         [p](const Inputs& in) { return cdist(in[0], in[1], p); }});
      }
    }
    cases.push_back({"cdist of batches " + std::to_string(p),
                     {draw({2, 1, 3, 2}), draw({2, 2, 2})},
                     [p](const Inputs& in) { return cdist(in[0], in[1], p); }});
    cases.push_back({"cdist of nothing", {draw({0, 2}), draw({3, 2})}, [p](const Inputs& in) {
                       return cdist(in[0], in[1], p);
                     }});
  }
  cases.push_back({"cdist 0", {draw({3, 2}), draw({4, 2})}, [](const Inputs& in) {
                     return cdist(in[0], in[1], 0.0);
                   }});
}

}  // namespace

std::vector<GradientCase> shaping_cases() {
  Draw draw(11);
  std::vector<GradientCase> cases;
  add_padding(cases, draw);
  add_differences_and_grids(cases, draw);
  add_windows(cases, draw);
  add_interpolation(cases, draw);
  add_distances(cases, draw);
  return cases;
}

}  // namespace gaia::test
