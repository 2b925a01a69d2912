// SPDX-License-Identifier: MIT
/// \file
/// Convolution and pooling of signals and images, of arrays and of tensors.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <cstdint>
#include <optional>
#include <variant>

#include "../../src/array/convolution.h"
#include "../../src/array/pool2d.h"
#include "../../src/autograd/ops.h"
#include "bindings.h"
#include "casters.h"
#include "exchange.h"

namespace gaia::python {
namespace {

using nb::arg;

/// One number for rows and columns, or one for each.
using OneOrTwo = std::variant<std::int64_t, Pair>;

Pair pair_of(const OneOrTwo& given) {
  if (const auto* const both = std::get_if<std::int64_t>(&given)) return {*both, *both};
  return std::get<Pair>(given);
}

std::optional<Pair> pair_of(const std::optional<OneOrTwo>& given) {
  return given ? std::optional(pair_of(*given)) : std::nullopt;
}

// The values of a maximum's window; of arrays they come with where they were.
const Array& values_of(const MaxPool& found) { return found.values; }
const Tensor& values_of(const Tensor& found) { return found; }

template <class T>
void bind_sliding_of(nb::module_& module) {
  module.def(
      "conv1d",
      [](const T& x, const T& weights, const std::optional<T>& bias, std::int64_t stride,
         std::int64_t padding, std::int64_t dilation, std::int64_t groups) {
        return conv1d(
            x, weights, bias,
            {.stride = stride, .padding = padding, .dilation = dilation, .groups = groups});
      },
      arg("x"), arg("weights"), arg("bias") = nb::none(), arg("stride") = 1, arg("padding") = 0,
      arg("dilation") = 1, arg("groups") = 1,
      "x [n, channels, length], weights [out, channels / groups, k], bias [out]: [n, out, "
      "length'], the kernel not mirrored, as PyTorch's conv1d.\n\n"
      "Raises ShapeError for shapes that do not fit, ArgumentError for numbers out of range.");
  module.def(
      "conv2d",
      [](const T& x, const T& weights, const std::optional<T>& bias, const OneOrTwo& stride,
         const OneOrTwo& padding, const OneOrTwo& dilation, std::int64_t groups) {
        return conv2d(x, weights, bias,
                      {.stride = pair_of(stride),
                       .padding = pair_of(padding),
                       .dilation = pair_of(dilation),
                       .groups = groups});
      },
      arg("x"), arg("weights"), arg("bias") = nb::none(), arg("stride") = 1, arg("padding") = 0,
      arg("dilation") = 1, arg("groups") = 1,
      "x [n, channels, height, width], weights [out, channels / groups, k, k'], bias [out]: [n, "
      "out, height', width'], as PyTorch's conv2d.\n\n"
      "Raises ShapeError for shapes that do not fit, ArgumentError for numbers out of range.");
  module.def(
      "max_pool1d",
      [](const T& x, std::int64_t kernel, std::optional<std::int64_t> stride, std::int64_t padding,
         std::int64_t dilation, bool ceil_mode) {
        return values_of(max_pool1d(x, {.kernel = kernel,
                                        .stride = stride,
                                        .padding = padding,
                                        .dilation = dilation,
                                        .ceil_mode = ceil_mode}));
      },
      arg("x"), arg("kernel") = 2, arg("stride") = nb::none(), arg("padding") = 0,
      arg("dilation") = 1, arg("ceil_mode") = false,
      "The largest element of each window of x [n, channels, length]; NaN if any is. The stride is "
      "the kernel where it is left out.\n\nRaises ArgumentError for numbers out of range.");
  module.def(
      "max_pool2d",
      [](const T& x, const OneOrTwo& kernel, const std::optional<OneOrTwo>& stride,
         const OneOrTwo& padding, const OneOrTwo& dilation, bool ceil_mode) {
        return values_of(max_pool2d(x, {.kernel = pair_of(kernel),
                                        .stride = pair_of(stride),
                                        .padding = pair_of(padding),
                                        .dilation = pair_of(dilation),
                                        .ceil_mode = ceil_mode}));
      },
      arg("x"), arg("kernel") = 2, arg("stride") = nb::none(), arg("padding") = 0,
      arg("dilation") = 1, arg("ceil_mode") = false,
      "The largest element of each window of x [n, channels, height, width]; NaN if any is. The "
      "stride is the kernel where it is left out.\n\nRaises ArgumentError for numbers out of "
      "range.");
  module.def(
      "avg_pool1d",
      [](const T& x, std::int64_t kernel, std::optional<std::int64_t> stride, std::int64_t padding,
         bool ceil_mode, bool count_include_pad) {
        return avg_pool1d(x, {.kernel = kernel,
                              .stride = stride,
                              .padding = padding,
                              .ceil_mode = ceil_mode,
                              .count_include_pad = count_include_pad});
      },
      arg("x"), arg("kernel") = 2, arg("stride") = nb::none(), arg("padding") = 0,
      arg("ceil_mode") = false, arg("count_include_pad") = true,
      "The mean of each window of x [n, channels, length]. The stride is the kernel where it is "
      "left out.\n\nRaises ArgumentError for numbers out of range.");
  module.def(
      "avg_pool2d",
      [](const T& x, const OneOrTwo& kernel, const std::optional<OneOrTwo>& stride,
         const OneOrTwo& padding, bool ceil_mode, bool count_include_pad) {
        return avg_pool2d(x, {.kernel = pair_of(kernel),
                              .stride = pair_of(stride),
                              .padding = pair_of(padding),
                              .ceil_mode = ceil_mode,
                              .count_include_pad = count_include_pad});
      },
      arg("x"), arg("kernel") = 2, arg("stride") = nb::none(), arg("padding") = 0,
      arg("ceil_mode") = false, arg("count_include_pad") = true,
      "The mean of each window of x [n, channels, height, width]. The stride is the kernel where "
      "it is left out.\n\nRaises ArgumentError for numbers out of range.");
}

}  // namespace

void bind_sliding(nb::module_& module) {
  bind_sliding_of<Array>(module);
  bind_sliding_of<Tensor>(module);
}

}  // namespace gaia::python
