// SPDX-License-Identifier: MIT
/// \file
/// Every case that is measured: by bench_operations, which compares a case on the CPU with its
/// reference, or by gpu_benchmark, which compares it on a GPU with the CPU.
///
/// A name says all: `peers_cpu.py` reads operation, sizes and dtype from those of bench_operations
/// and does the same work.
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
#include <optional>
#include <string>
#include <vector>

#include "../src/array/array.h"

namespace gaia::bench {

using Arrays = std::vector<Array>;

/// What is timed, with operands that are ready.
struct Task {
  std::function<Array()> run;
  /// The largest difference from a reference, relative; none where the CPU is the reference.
  std::function<double()> error = {};
  std::function<void()> reset = {};  ///< Before every timed call, not timed.
};

/// Times that a guide of an earlier system named, in seconds: from, to.
struct Claim {
  double cpu_from;
  double cpu_to;
  double gpu_from;
  double gpu_to;
};

struct Case {
  std::string name;
  std::string what = {};                ///< In words, for gpu_benchmark.
  std::function<Arrays()> inputs = {};  ///< The operands, on the CPU.
  /// The work on operands that lie on the current device.
  std::function<Task(const Arrays&)> prepare;
  double flops = 0.0;  ///< Multiplications and additions; 0 where memory alone counts.
  double bytes = 0.0;  ///< Bytes that have to be read and written at least.
  double items = 0.0;  ///< Steps or ticks, where there are any.
  DType dtype = DType::float32;
  /// The largest error, relative to the largest element.
  double tolerance = 1e-5;
  /// The part of the answer that is compared with the CPU's; all of it where there is none.
  std::function<Array(const Array&)> compared = {};
  std::optional<Claim> claim = {};
  std::string sweep = {};  ///< Cases of one sweep differ in size alone.
  std::int64_t size = 0;   ///< The size within the sweep.
};

// In each list, `quick` makes sizes small: whether it works, not how fast.

std::vector<Case> learning_cases(bool quick);   ///< Plastic layers.
std::vector<Case> equation_cases(bool quick);   ///< The same by rules that are text.
std::vector<Case> growth_cases(bool quick);     ///< Plastic layers of all sizes.
std::vector<Case> hierarchy_cases(bool quick);  ///< Levels in time.
std::vector<Case> product_cases(bool quick);    ///< matmul, gemv, outer.
/// Functions of elements, reductions, rows, copies.
std::vector<Case> elementwise_cases(bool quick);
std::vector<Case> function_cases(bool quick);   ///< More of them, and of two elements.
std::vector<Case> order_cases(bool quick);      ///< Sorting, searching, the largest.
std::vector<Case> reduction_cases(bool quick);  ///< Reductions of all numbers, of rows, of columns.
std::vector<Case> copy_cases(bool quick);       ///< What moves numbers about.
std::vector<Case> image_cases(bool quick);      ///< Batches of products, convolutions, pooling.
std::vector<Case> random_cases(bool quick);     ///< Arrays of random numbers.
std::vector<Case> network_cases(bool quick);    ///< Attention and training.

std::vector<Case> device_array_cases(bool quick);      ///< The first table of GAIA's guide.
std::vector<Case> device_fused_cases(bool quick);      ///< The operations of neural_arch's guide.
std::vector<Case> device_hierarchy_cases(bool quick);  ///< GAIA's hierarchies.
std::vector<Case> device_equation_cases(bool quick);   ///< Rules that are written as equations.
std::vector<Case> device_scaling_cases(bool quick);    ///< From sizes at which a CPU wins.

/// Adds those whose name holds `filter`.
void add_named(std::vector<Case>& to, std::vector<Case> cases, const std::string& filter);

/// The cases of gpu_benchmark whose name holds `filter`, of one group or (empty) of all.
std::vector<Case> device_cases(bool quick, const std::string& filter = "",
                               const std::string& group = "");
/// The names of the groups of gpu_benchmark: "arrays", "fused", ...
std::vector<std::string> device_groups();

/// The sum of two arrays of n numbers on a device: for lists, and for what limits it.
Case device_add_case(const std::string& name, std::int64_t n);
/// A matrix product of n x n.
Case device_matmul_case(const std::string& name, std::int64_t n);
/// Two reactive and plastic levels, inputs -> 2 inputs -> 4 inputs.
Case device_hierarchy_case(const std::string& name, std::int64_t inputs, std::int64_t steps);

/// Standard normal, times `deviation`; number `which` of the arrays of a case.
Array normal_input(const Shape& shape, std::uint64_t which, DType dtype = DType::float32,
                   double deviation = 1.0);

/// max |a - b| / max |b|; infinite if either holds a number that is not finite, or they differ in
/// shape.
double relative_error(const std::vector<double>& a, const std::vector<double>& b);
double relative_error(const Array& a, const Array& b);

constexpr double kFloatBytes = 4.0;

inline double number(std::int64_t n) { return static_cast<double>(n); }

/// "100x200x400"
std::string joined_sizes(const std::vector<std::int64_t>& sizes);

}  // namespace gaia::bench
