// SPDX-License-Identifier: MIT
/// \file
/// Source text of kernels that are compiled while a program runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
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

/// A header of gaia itself that the library carries, by its path.
struct CarriedText {
  std::string_view path;
  std::string_view text;
};

/// All of them: those that src/CMakeLists.txt names for it, and what they include.
std::span<const CarriedText> all_carried_headers();

/// Those of these paths ("cuda/equation_numbers.cuh"), and all that they include, for a
/// KernelSource.  They are included by their paths, in its source and among each other.
/// \throws InternalError for a path that the library does not carry.
std::vector<SourceText> carried_headers(const std::vector<std::string>& paths);

}  // namespace gaia
