// SPDX-License-Identifier: MIT
/// \file
/// Batches of products, convolutions and pooling.
#include <algorithm>

#include "../src/array/convolution.h"
#include "../src/array/linear.h"
#include "../src/array/ops.h"
#include "../src/array/pool2d.h"
#include "case_rows.h"

namespace gaia::bench {
namespace {

using Inputs = std::vector<Doubles>;

constexpr double kTolerance = 1e-5;

double flops_of(std::int64_t products) { return 2.0 * static_cast<double>(products); }

CaseRow bmm_row(std::int64_t batch, std::int64_t n) {
  return {.operation = "bmm",
          .sizes = {batch, n, n},
          .dtype = DType::float32,
          .inputs = {{{batch, n, n}}, {{batch, n, n}}},
          .function = [](const Arrays& x) { return matmul(x[0], x[1]); },
          .reference =
              [=](const Inputs& x) {
                Doubles y;
                for (std::int64_t i = 0; i < batch * n; ++i) {
                  const double* right = x[1].data() + i / n * n * n;
                  for (std::int64_t j = 0; j < n; ++j) {
                    y.push_back(dot(x[0].data() + i * n, 1, right + j, n, n));
                  }
                }
                return y;
              },
          .written = 0.0,
          .tolerance = kTolerance,
          .flops = flops_of(batch * n * n * n)};
}

/// "ij,kj->ik"
CaseRow einsum_row(std::int64_t n) {
  return {.operation = "einsum",
          .sizes = {n, n},
          .dtype = DType::float32,
          .inputs = {{{n, n}}, {{n, n}}},
          .function = [](const Arrays& x) { return einsum("ij,kj->ik", x[0], x[1]); },
          .reference =
              [=](const Inputs& x) {
                Doubles y;
                for (std::int64_t i = 0; i < n * n; ++i) {
                  y.push_back(dot(x[0].data() + i / n * n, 1, x[1].data() + i % n * n, 1, n));
                }
                return y;
              },
          .written = 0.0,
          .tolerance = kTolerance,
          .flops = flops_of(n * n * n)};
}

/// A signal is an image of one row.
struct Image {
  std::int64_t batch;
  std::int64_t inputs;
  std::int64_t outputs;
  std::int64_t height;
  std::int64_t width;
  std::int64_t kernel_height;
  std::int64_t kernel_width;
};

/// Convolution of planes with zeros around them, so that the answer has their size.
Doubles convolution(const Image& a, const Doubles& x, const Doubles& weights) {
  Doubles y(static_cast<std::size_t>(a.batch * a.outputs * a.height * a.width));
  std::size_t at = 0;
  for (std::int64_t plane = 0; plane < a.batch * a.outputs; ++plane) {
    const double* from = x.data() + plane / a.outputs * a.inputs * a.height * a.width;
    const double* kernel =
        weights.data() + plane % a.outputs * a.inputs * a.kernel_height * a.kernel_width;
    for (std::int64_t i = 0; i < a.height; ++i) {
      for (std::int64_t j = 0; j < a.width; ++j, ++at) {
        for (std::int64_t k = 0; k < a.inputs * a.kernel_height * a.kernel_width; ++k) {
          const std::int64_t channel = k / (a.kernel_height * a.kernel_width);
          const std::int64_t row = i + k / a.kernel_width % a.kernel_height - a.kernel_height / 2;
          const std::int64_t column = j + k % a.kernel_width - a.kernel_width / 2;
          if (row < 0 || row >= a.height || column < 0 || column >= a.width) continue;
          y[at] += kernel[k] * from[(channel * a.height + row) * a.width + column];
        }
      }
    }
  }
  return y;
}

CaseRow conv2d_row(std::int64_t batch, std::int64_t inputs, std::int64_t outputs, std::int64_t side,
                   std::int64_t kernel) {
  const Image image = {batch, inputs, outputs, side, side, kernel, kernel};
  return {.operation = "conv2d",
          .sizes = {batch, inputs, outputs, side, kernel},
          .dtype = DType::float32,
          .inputs = {{{batch, inputs, side, side}}, {{outputs, inputs, kernel, kernel}}},
          .function =
              [=](const Arrays& x) {
                return conv2d(x[0], x[1], {}, {.padding = {kernel / 2, kernel / 2}});
              },
          .reference = [=](const Inputs& x) { return convolution(image, x[0], x[1]); },
          .written = 0.0,
          .tolerance = kTolerance,
          .flops = flops_of(batch * inputs * outputs * side * side * kernel * kernel)};
}

CaseRow conv1d_row(std::int64_t batch, std::int64_t inputs, std::int64_t outputs,
                   std::int64_t length, std::int64_t kernel) {
  const Image image = {batch, inputs, outputs, 1, length, 1, kernel};
  return {
      .operation = "conv1d",
      .sizes = {batch, inputs, outputs, length, kernel},
      .dtype = DType::float32,
      .inputs = {{{batch, inputs, length}}, {{outputs, inputs, kernel}}},
      .function = [=](const Arrays& x) { return conv1d(x[0], x[1], {}, {.padding = kernel / 2}); },
      .reference = [=](const Inputs& x) { return convolution(image, x[0], x[1]); },
      .written = 0.0,
      .tolerance = kTolerance,
      .flops = flops_of(batch * inputs * outputs * length * kernel)};
}

/// Windows of 2 x 2 that do not overlap.
CaseRow pool_row(bool largest, std::int64_t batch, std::int64_t channels, std::int64_t side) {
  const std::int64_t half = side / 2;
  return {.operation = largest ? "max_pool2d" : "avg_pool2d",
          .sizes = {batch, channels, side, side},
          .dtype = DType::float32,
          .inputs = {{{batch, channels, side, side}}},
          .function =
              [=](const Arrays& x) { return largest ? max_pool2d(x[0]).values : avg_pool2d(x[0]); },
          .reference =
              [=](const Inputs& x) {
                Doubles y;
                for (std::int64_t i = 0; i < batch * channels * half; ++i) {
                  const double* up = x[0].data() + 2 * i * side;
                  const double* down = up + side;
                  for (std::int64_t j = 0; j < side; j += 2) {
                    y.push_back(largest ? std::max({up[j], up[j + 1], down[j], down[j + 1]})
                                        : (up[j] + up[j + 1] + down[j] + down[j + 1]) / 4.0);
                  }
                }
                return y;
              },
          .written = bytes_of(batch * channels * half * half, DType::float32),
          .tolerance = rounding(DType::float32)};
}

/// numpy.convolve of a long signal with a short kernel.
CaseRow convolve_row(std::int64_t n, std::int64_t kernel) {
  return {
      .operation = "convolve",
      .sizes = {n, kernel},
      .dtype = DType::float32,
      .inputs = {{{n}}, {{kernel}}},
      .function = [](const Arrays& x) { return convolve1d(x[0], x[1], ConvolutionMode::valid); },
      .reference =
          [=](const Inputs& x) {
            const Doubles mirrored(x[1].rbegin(), x[1].rend());
            Doubles y;
            for (std::int64_t i = 0; i + kernel <= n; ++i) {
              y.push_back(dot(x[0].data() + i, 1, mirrored.data(), 1, kernel));
            }
            return y;
          },
      .written = 0.0,
      .tolerance = kTolerance,
      .flops = flops_of((n - kernel + 1) * kernel)};
}

}  // namespace

std::vector<Case> image_cases(bool quick) {
  const std::int64_t batch = quick ? 2 : 8;
  std::vector<Case> cases;
  for (const CaseRow& row :
       {bmm_row(quick ? 4 : 32, 64), bmm_row(quick ? 4 : 1000, 8), einsum_row(quick ? 100 : 400),
        conv1d_row(batch, 16, 32, quick ? 100 : 1000, 5), conv2d_row(batch, 16, 32, 32, 3),
        conv2d_row(batch, 64, 64, quick ? 4 : 14, 3), pool_row(true, batch, 16, 64),
        pool_row(false, batch, 16, 64), convolve_row(quick ? 1000 : 100000, 32)}) {
    cases.push_back(make_case(row));
  }
  return cases;
}

}  // namespace gaia::bench
