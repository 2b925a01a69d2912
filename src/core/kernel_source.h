// SPDX-License-Identifier: MIT
/// \file
/// Source text of kernels that are compiled while a program runs.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace gaia {

/// A header, by the name under which it is included.
struct SourceText {
  std::string name;
  std::string text;
};

/// A text in CUDA C++ and what a compiler has to know to make kernels of it.
struct KernelSource {
  std::string name;    ///< File name in messages of the compiler.
  std::string source;  ///< The text.
  std::vector<SourceText> headers;
  std::vector<std::string> options;  ///< Such as "-DN=3"; architecture and language are added.
  /// Names, as of `extern "C"` functions, or expressions: "gaia::cuda::step_kernel<float>".
  std::vector<std::string> kernels;
};

/// Headers of gaia itself by their paths, such as "cuda/equation_numbers.cuh" or
/// "src/formulas/elementwise.h", and all that these include, as texts that the library carries.
/// Each is included by its path, in texts and among each other.
/// \throws InternalError for a header that the library does not carry (cmake/KernelHeaders.cmake).
std::vector<SourceText> carried_headers(std::initializer_list<const char*> paths);

}  // namespace gaia
