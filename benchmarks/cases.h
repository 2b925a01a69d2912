// SPDX-License-Identifier: MIT
/// \file
/// What bench_operations measures.  A name says all: `peers_cpu.py` reads operation, sizes and
/// dtype from it and does the same work.
///
///     plasticity/RULE/INPUTSxOUTPUTSxTICKS/DTYPE[/l2|/max_norm]
///         one layer that learns
///     equations/RULE/INPUTSxOUTPUTSxTICKS/float32
///         one layer that learns by a rule written as its equations; no peers
///     growth/STREAMSxINPUTSxOUTPUTSxTICKS/DTYPE
///         the same for sizes of all orders; no peers
///     hierarchy/RULE/SIZES/STEPS/DTYPE
///         levels at resolutions 1, 2, 4 ..., the first fixed
///     hierarchy_layers/...
///         its layers alone, on inputs that are ready
///     hierarchy/forward/..., hierarchy/forward_products/...
///         without learning; peers step by step, or by one product per level
///     plastic_levels/RULE/SIZES/STEPS/DTYPE
///         all levels learn
///     matmul/MxKxN/DTYPE, gemv/MxK/DTYPE, outer/MxN/DTYPE
///     random_normal/ELEMENTS/DTYPE, random_uniform/ELEMENTS/DTYPE
///     FUNCTION/ELEMENTS, softmax/ROWSxCOLUMNS, layer_norm/..., transpose/...
///         float32
///     OPERATION/ELEMENTS/DTYPE, OPERATION/ROWSxCOLUMNS/DTYPE
///         functions, order, reductions, copies: a row of a table, here and in peers_cpu_arrays.py;
///         LANES_rows and LANES_columns run along every row or column of a matrix
///     bmm/BATCHxMxM/DTYPE, einsum/MxM/DTYPE, convolve/ELEMENTSxKERNEL/DTYPE,
///     conv1d, conv2d /BATCHxINPUTSxOUTPUTSxSIDExKERNEL/DTYPE,
///     max_pool2d, avg_pool2d /BATCHxCHANNELSxROWSxCOLUMNS/DTYPE
///         products and images
///     attention/HEADSxSTEPSxD, attention_backward/HEADSxSTEPSxD
///         float32, as training_step
///     training_step/SIZES/BATCH
///         answer, cross entropy, gradients and Adam
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../src/array/array.h"

namespace gaia::bench {

/// A case with its operands.
struct Task {
  std::function<void()> run;      ///< What is timed.
  std::function<double()> error;  ///< Largest difference from a reference, relative.
  double tolerance = 1e-5;        ///< Of `error`.
  std::function<void()> reset =
      {};  ///< Before every timed call, not timed; {} where none is needed.
};

struct Case {
  std::string name;
  std::function<Task()> prepare;
  double flops = 0.0;  ///< Multiplications and additions; 0 where memory alone counts.
  double bytes = 0.0;  ///< That have to be read and written at least; 0 where flops count.
  double items = 0.0;  ///< Steps or ticks, where there are any.
  DType dtype = DType::float32;
};

// `quick` makes sizes small: whether it works, not how fast.

std::vector<Case> learning_cases(bool quick);   ///< Plastic layers.
std::vector<Case> equation_cases(bool quick);   ///< The same by rules that are text.
std::vector<Case> growth_cases(bool quick);     ///< Plastic layers of all sizes.
std::vector<Case> hierarchy_cases(bool quick);  ///< Levels in time.
std::vector<Case> product_cases(bool quick);    ///< matmul, gemv, outer.
/// Functions of elements, reductions, rows, copies.
std::vector<Case> elementwise_cases(bool quick);
std::vector<Case> function_cases(bool quick);   ///< More of them, and of two elements.
std::vector<Case> order_cases(bool quick);      ///< Sorting, searching, the largest.
std::vector<Case> reduction_cases(bool quick);  ///< Of all, of rows, of columns.
std::vector<Case> copy_cases(bool quick);       ///< What moves numbers about.
std::vector<Case> image_cases(bool quick);      ///< Batches of products, convolutions, pooling.
std::vector<Case> random_cases(bool quick);     ///< Arrays of random numbers.
std::vector<Case> network_cases(bool quick);    ///< Attention and training.

/// Standard normal, times `deviation`; number `which` of the arrays of a case.
Array normal_input(const Shape& shape, DType dtype, std::uint64_t which, double deviation = 1.0);

/// max |a - b| / max |b|; infinite if either holds a number that is not finite, or is longer.
double relative_error(const std::vector<double>& a, const std::vector<double>& b);
double relative_error(const Array& a, const Array& b);

/// "100x200x400"
std::string joined_sizes(const std::vector<std::int64_t>& sizes);

}  // namespace gaia::bench
