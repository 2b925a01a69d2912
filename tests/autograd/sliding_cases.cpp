// SPDX-License-Identifier: MIT
#include "gradient_check.h"

namespace gaia::test {
namespace {

struct Convolution {
  Shape x;
  Shape weights;
  Conv2dOptions options;
};

}  // namespace

std::vector<GradientCase> sliding_cases() {
  Draw draw(7);
  std::vector<GradientCase> cases;
  const std::vector<Convolution> convolutions = {
      {{1, 1, 3, 3}, {1, 1, 1, 1}, {}},
      {{2, 2, 4, 5}, {3, 2, 2, 3}, {}},
      {{2, 2, 4, 5}, {3, 2, 3, 3}, {.padding = {1, 1}}},
      {{1, 2, 5, 5}, {2, 2, 3, 2}, {.stride = {2, 1}, .padding = {1, 0}}},
      {{1, 2, 6, 5}, {2, 2, 2, 2}, {.stride = {1, 2}, .dilation = {2, 1}}},
      {{2, 4, 4, 4}, {4, 2, 3, 3}, {.padding = {1, 1}, .groups = 2}},
      {{1, 3, 4, 4}, {3, 1, 2, 2}, {.stride = {2, 2}, .groups = 3}}};
  for (const Convolution& c : convolutions) {
    for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::sliced}) {
      cases.push_back({"conv2d " + to_string(c.x) + " " + to_string(layout),
                       {draw(c.x, layout), draw(c.weights), draw({c.weights[0]})},
                       [options = c.options](const Inputs& in) {
                         return conv2d(in[0], in[1], in[2], options);
                       }});
      cases.push_back(
          {"conv2d without bias " + to_string(c.x) + " " + to_string(layout),
           {draw(c.x), draw(c.weights, layout)},
           [options = c.options](const Inputs& in) { return conv2d(in[0], in[1], {}, options); }});
    }
  }
  for (const ConvolutionMode mode : {ConvolutionMode::full, ConvolutionMode::same,
                                     ConvolutionMode::valid, ConvolutionMode::causal}) {
    for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{7, 3},
                               {7, 4},
                               {3, 7},
                               {4, 7},
                               {5, 5},
                               {1, 4},
                               {4, 1},
                               {1, 1}}) {
      for (const Layout layout : all_layouts()) {
        const std::string name =
            std::to_string(n) + ", " + std::to_string(m) + " " + to_string(layout);
        cases.push_back({"convolve1d " + name,
                         {draw({n}, layout), draw({m}, layout)},
                         [mode](const Inputs& in) { return convolve1d(in[0], in[1], mode); }});
        for (const Shape& kernel : {Shape{m}, Shape{m, 3}}) {
          cases.push_back(
              {"temporal_convolution " + name,
               {draw({n, 3}, layout), draw(kernel, layout)},
               [mode](const Inputs& in) { return temporal_convolution(in[0], in[1], mode); }});
        }
      }
    }
    cases.push_back(
        {"temporal_convolution of no columns", {draw({4, 0}), draw({2})}, [mode](const Inputs& in) {
           return temporal_convolution(in[0], in[1], mode);
         }});
  }
  for (const Conv1dOptions& options :
       {Conv1dOptions{}, Conv1dOptions{.stride = 2, .padding = 1}, Conv1dOptions{.dilation = 2},
        Conv1dOptions{.padding = 2, .groups = 2}}) {
    cases.push_back({"conv1d",
                     {draw({2, 4, 7}), draw({2, 4 / options.groups, 3}), draw({2})},
                     [options](const Inputs& in) { return conv1d(in[0], in[1], in[2], options); }});
  }
  for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::reversed}) {
    for (const MaxPool2dOptions& options :
         {MaxPool2dOptions{}, MaxPool2dOptions{.kernel = {3, 2}, .stride = Pair{1, 2}},
          MaxPool2dOptions{.kernel = {3, 3}, .stride = Pair{2, 2}, .padding = {1, 1}},
          MaxPool2dOptions{.kernel = {2, 2}, .dilation = {2, 1}},
          MaxPool2dOptions{.kernel = {2, 2}, .ceil_mode = true}}) {
      cases.push_back({"max_pool2d " + to_string(layout),
                       {draw({2, 2, 5, 5}, layout)},
                       [options](const Inputs& in) { return max_pool2d(in[0], options); }});
    }
    for (const AvgPool2dOptions& options :
         {AvgPool2dOptions{}, AvgPool2dOptions{.kernel = {3, 2}, .stride = Pair{1, 2}},
          AvgPool2dOptions{.kernel = {3, 3}, .stride = Pair{2, 2}, .padding = {1, 1}},
          AvgPool2dOptions{.kernel = {3, 3}, .padding = {1, 1}, .count_include_pad = false},
          AvgPool2dOptions{.kernel = {2, 2}, .ceil_mode = true}}) {
      cases.push_back({"avg_pool2d " + to_string(layout),
                       {draw({2, 2, 5, 5}, layout)},
                       [options](const Inputs& in) { return avg_pool2d(in[0], options); }});
    }
    cases.push_back(
        {"max_pool1d " + to_string(layout), {draw({2, 3, 7}, layout)}, [](const Inputs& in) {
           return max_pool1d(in[0], {.kernel = 3, .stride = 2, .padding = 1});
         }});
    cases.push_back(
        {"avg_pool1d " + to_string(layout), {draw({2, 3, 7}, layout)}, [](const Inputs& in) {
           return avg_pool1d(in[0], {.kernel = 3, .stride = 2, .padding = 1});
         }});
  }
  return cases;
}

}  // namespace gaia::test
