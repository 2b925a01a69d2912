// SPDX-License-Identifier: MIT
/// \file
/// What gpu_benchmark measures: operations, sizes, and what the guides of earlier systems promised
/// for them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../../src/array/array.h"

namespace gaia::bench {

/// Times that a guide named, in seconds: from, to.
struct Claim {
  double cpu_from;
  double cpu_to;
  double gpu_from;
  double gpu_to;
};

/// Something that returns an array.
using Operation = std::function<Array()>;

/// An operation at one size.
struct Case {
  std::string name;  ///< "matmul/1000x1000": what is filtered by, and compared across programs.
  std::string what;  ///< In words.
  /// The operands, on the CPU.
  std::function<std::vector<Array>()> inputs;
  /// The operation on operands that lie on the current device.  Its first result is verified.
  std::function<Operation(const std::vector<Array>&)> prepare;
  double bytes = 0.0;  ///< That have to be read and written at least.
  double flops = 0.0;  ///< Multiplications and additions; 0 where memory alone counts.
  /// Largest difference from the CPU's result, relative to its largest element.
  double tolerance = 1e-5;
  /// The part of the result that is compared; all of it where there is none.
  std::function<Array(const Array&)> compared = {};
  std::optional<Claim> claim = {};
  std::string sweep = {};  ///< Cases of one sweep differ in size alone.
  std::int64_t size = 0;   ///< Within the sweep.
};

// In each list, `quick` leaves out what takes long on a CPU.

std::vector<Case> array_cases(bool quick);      ///< The first table of GAIA's guide.
std::vector<Case> fused_cases(bool quick);      ///< The operations of neural_arch's guide.
std::vector<Case> hierarchy_cases(bool quick);  ///< GAIA's hierarchies.
std::vector<Case> equation_cases(bool quick);   ///< Rules that are written as equations.
std::vector<Case> scaling_cases(bool quick);    ///< From sizes at which a CPU wins.

/// What the lists are called: "arrays", "fused", ...
std::vector<std::string> case_groups();

/// All of these whose name holds `filter`, of one group or (empty) of all.
std::vector<Case> all_cases(bool quick, const std::string& filter = "",
                            const std::string& group = "");

/// A matrix product of n x n: for lists, and for what limits a device.
Case matmul_case(const std::string& name, std::int64_t n);
/// A hierarchy n -> 2n -> 4n ... of `levels` levels at resolutions 1, 2, 4 ... over `steps` steps
/// of `streams` series.
struct HierarchySize {
  std::int64_t inputs = 10;
  int levels = 2;
  std::int64_t steps = 1000;
  std::int64_t streams = 1;
  bool learn = false;
  /// More than one: hierarchies with weights of their own that read the same series side by side.
  std::int64_t replicas = 1;
  /// Steps that levels work on at a time, side by side; 0: as many as suit the device.
  std::int64_t block_steps = 0;
};
Case hierarchy_case(const std::string& name, const HierarchySize& size);
/// The sum of two arrays of n numbers.
Case add_case(const std::string& name, std::int64_t n);

constexpr double kFloatBytes = 4.0;

/// Standard normal, number `which` of the arrays of a case.
Array normal_input(const Shape& shape, std::uint64_t which);
/// Uniform in [0, 1).
Array uniform_input(const Shape& shape, std::uint64_t which);

}  // namespace gaia::bench
