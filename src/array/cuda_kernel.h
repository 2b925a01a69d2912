// SPDX-License-Identifier: MIT
/// \file
/// Kernels of a program's own, in CUDA C++, compiled while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "array.h"
#include "backend_kernels.h"

namespace gaia {

/// What a kernel is called with: an array, of which it gets the address of the first element, or a
/// number, which it gets as it is.
class KernelArgument {
 public:
  KernelArgument(const Array& array);
  template <class T>
    requires std::is_arithmetic_v<T>
  KernelArgument(T number)
      : kind_(std::is_same_v<T, bool>       ? Kind::boolean
              : std::is_floating_point_v<T> ? Kind::floating
                                            : Kind::integer) {
    keep(&number, sizeof number);
  }

 private:
  friend class CudaKernel;
  enum class Kind : std::uint8_t { array, boolean, integer, floating };

  void keep(const void* value, std::size_t bytes);

  Kind kind_;
  std::size_t bytes_ = 0;
  alignas(16) unsigned char value_[16] = {};
  Array array_;
};

/// A parameter of a kernel, as its text declares it.
struct KernelParameter {
  enum class Kind : std::uint8_t { unknown, boolean, integer, floating };

  std::string text;  ///< "const float* x".
  bool is_pointer = false;
  bool is_read_only = false;  ///< A pointer to const.
  Kind kind = Kind::unknown;  ///< Kind of the number, or of those that it points to.
  std::size_t bytes = 0;      ///< The same; 0 where the kind is unknown.
};

/// A kernel whose text is given, compiled by NVRTC, which is looked up at run time, and kept in the
/// user's cache for the next process:
///
///     const CudaKernel scale(R"(
///       extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
///         const int i = blockIdx.x * blockDim.x + threadIdx.x;
///         if (i < n) y[i] = factor * x[i];
///       })", "scale");
///     scale({.grid = {4}, .block = {256}}, x, y, 2.0f, 1000);
///
/// It runs on the device of the arrays among its arguments, on the calling thread's stream there,
/// in order with all other operations on these arrays.  What it writes outside them nobody checks.
class CudaKernel {
 public:
  /// \param source   CUDA C++ of C++20; headers of the standard library that kernels need are
  /// there. \param name     As of an `extern "C"` function, or an expression such as
  /// "ns::scale<float>". \param options  Of NVRTC, such as "-DN=3", "--use_fast_math" or
  /// "-I/usr/local/cuda/include". \throws CompileError with the compiler's log, line and caret;
  /// DeviceError where there is no
  ///         CUDA device or no NVRTC.
  CudaKernel(std::string source, std::string name, std::vector<std::string> options = {});

  template <class... Arguments>
  void operator()(const KernelLaunch& shape, const Arguments&... arguments) const {
    const std::vector<KernelArgument> all = {KernelArgument(arguments)...};
    launch(shape, all);
  }

  /// \throws ArgumentError for a launch that no device takes, another number of arguments than the
  ///         kernel has parameters, or a number of another type than its parameter; DTypeError for
  ///         an array of another one; ShapeError for an array that is not contiguous; DeviceError
  ///         for arrays that are not all on one CUDA device.
  void launch(const KernelLaunch& shape, std::span<const KernelArgument> arguments) const;

  const std::string& name() const;
  const std::string& source() const;
  /// What the text declares; empty where it could not be read, as of a template.
  const std::vector<KernelParameter>& parameters() const;

 private:
  struct State;
  DeviceKernel& on(Device device) const;
  void check(const KernelLaunch& shape, std::span<const KernelArgument> arguments,
             const DeviceKernel& kernel) const;

  std::shared_ptr<State> state_;
};

/// The parameters of the kernel `name` in a text: empty where it does not stand there as
/// `void name(...)`, or has none.
std::vector<KernelParameter> kernel_parameters(const std::string& source, const std::string& name);

}  // namespace gaia
