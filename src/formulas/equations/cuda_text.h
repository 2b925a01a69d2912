// SPDX-License-Identifier: MIT
/// \file
/// A rule as CUDA C++: its program as a struct that the kernels of cuda/equation_*.cuh take, and
/// the kernel of a layer's shape.
#pragma once

#include <optional>
#include <string>

#include "../activation.h"
#include "../dtype.h"
#include "program.h"

namespace gaia {

/// Registers of a layer whose neurons do not see each other (cuda/equation_owners.cuh).
struct OwnersLayout {
  int streams = 1;
  int team = 32;    ///< Threads of a neuron, a power of two.
  int weights = 1;  ///< Weights of a thread.
};

struct CudaTextOptions {
  DType dtype = DType::float32;
  Activation activation = Activation::linear;
  bool learns = true;
  /// Nothing: weights lie in memory, and a launch goes through some stages (cuda/equations.cuh).
  std::optional<OwnersLayout> owners = {};
  std::string suffix = "";  ///< Text behind the names of the rule and its kernel.
};

/// Name of the kernel in the text, without the suffix.
inline const std::string kCudaKernelName = "rule_kernel";

/// The source.  It includes headers of gaia by their paths, as NVRTC gets them.
std::string cuda_text(const EquationProgram& program, const CudaTextOptions& options);

}  // namespace gaia
