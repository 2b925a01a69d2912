// SPDX-License-Identifier: MIT
/// \file
/// gaia.RawKernel: kernels in CUDA C++ that a program brings, called as CuPy's are.
#include "../../src/array/cuda_kernel.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../src/core/message.h"
#include "bindings.h"
#include "exchange.h"

namespace gaia::python {
namespace {

using nb::arg;
using Kind = KernelParameter::Kind;

/// One to three lengths.
KernelExtent extent_of(const nb::object& given, const char* what) {
  std::vector<std::int64_t> lengths;
  if (!nb::try_cast(given, lengths) || lengths.empty() || lengths.size() > 3) {
    fail<ArgumentError>("[RawKernel] {}: expected a tuple of 1 to 3 whole numbers, got {}", what,
                        nb::cast<std::string>(nb::repr(given)));
  }
  lengths.resize(3, 1);
  return {lengths[0], lengths[1], lengths[2]};
}

/// A whole number as the bits of an integer of so many bytes, signed or not.
KernelArgument whole_argument(const nb::object& number, std::size_t bytes, std::size_t index) {
  const nb::int_ whole(number);
  const nb::int_ limit = nb::int_(nb::int_(1).attr("__lshift__")(8 * bytes));
  const nb::object half = limit.attr("__rshift__")(1);
  const bool fits = nb::cast<bool>(whole.attr("__lt__")(limit)) &&
                    nb::cast<bool>(whole.attr("__ge__")(half.attr("__neg__")()));
  if (!fits) {
    fail<ArgumentError>("[RawKernel] argument {}: {} does not fit a whole number of {} bytes",
                        index, nb::cast<std::string>(nb::repr(number)), bytes);
  }
  const auto bits = nb::cast<std::uint64_t>(
      nb::object(whole.attr("__and__")(nb::int_(limit.attr("__sub__")(1)))));
  if (bytes == 1) return static_cast<std::uint8_t>(bits);
  if (bytes == 2) return static_cast<std::uint16_t>(bits);
  if (bytes == 4) return static_cast<std::uint32_t>(bits);
  return bits;
}

/// A number as its parameter has it; where that is not known, Python's as the largest of its kind
/// and NumPy's as it is.
KernelArgument number_argument(nb::object number, const KernelParameter& parameter,
                               std::size_t index) {
  std::size_t bytes = 8;
  if (nb::hasattr(number, "dtype")) {
    bytes = nb::cast<std::size_t>(number.attr("dtype").attr("itemsize"));
    number = number.attr("item")();
  }
  const bool is_known = parameter.kind != Kind::unknown && !parameter.is_pointer;
  if (is_known) bytes = parameter.bytes;
  const bool is_bool = PyBool_Check(number.ptr()) != 0;
  const bool is_whole = is_bool || PyLong_Check(number.ptr()) != 0;
  if (is_known ? parameter.kind == Kind::boolean : is_bool) {
    if (is_bool) return nb::cast<bool>(number);
  } else if (is_whole && (!is_known || parameter.kind == Kind::integer)) {
    return whole_argument(number, bytes, index);
  } else if (!is_known || parameter.kind == Kind::floating) {
    const auto value = nb::cast<double>(nb::float_(number));
    if (bytes == 4) return static_cast<float>(value);
    if (bytes == 8) return value;
  }
  fail<ArgumentError>("[RawKernel] argument {}: {} does not fit '{}'", index,
                      nb::cast<std::string>(nb::repr(number)), parameter.text);
}

bool is_number(nb::handle value) {
  if (PyBool_Check(value.ptr()) != 0 || PyLong_Check(value.ptr()) != 0 ||
      PyFloat_Check(value.ptr()) != 0) {
    return true;
  }
  const nb::module_ numpy = nb::module_::import_("numpy");
  return nb::isinstance(value, numpy.attr("generic"));
}

KernelArgument argument_of(nb::handle value, const KernelParameter& parameter, std::size_t index) {
  if (is_number(value)) return number_argument(nb::borrow(value), parameter, index);
  if (nb::isinstance<Array>(value) || nb::hasattr(value, "__dlpack__")) return array_of(value);
  fail<ArgumentError>(
      "[RawKernel] argument {}: expected an array on a CUDA device or a number, "
      "got {}",
      index, nb::cast<std::string>(nb::repr(nb::handle(value.type()))));
}

void call(const CudaKernel& kernel, const nb::object& grid, const nb::object& block,
          const nb::sequence& args, std::int64_t shared_mem) {
  const KernelLaunch shape{extent_of(grid, "grid"), extent_of(block, "block"), shared_mem};
  const std::vector<KernelParameter>& declared = kernel.parameters();
  const std::size_t count = nb::len(args);
  std::vector<KernelArgument> arguments;
  for (std::size_t i = 0; i < count; ++i) {
    const KernelParameter unknown;
    const bool is_known = declared.size() == count;
    arguments.push_back(argument_of(args[i], is_known ? declared[i] : unknown, i));
  }
  const nb::gil_scoped_release released;
  kernel.launch(shape, arguments);
}

/// Whether a kernel may write to each of its arguments; true where its text does not tell.
std::vector<bool> writes(const CudaKernel& kernel) {
  std::vector<bool> all;
  for (const KernelParameter& parameter : kernel.parameters()) {
    all.push_back(!parameter.is_read_only);
  }
  return all;
}

}  // namespace

void bind_kernels(nb::module_& module) {
  nb::class_<CudaKernel>(
      module, "RawKernel",
      "A kernel in CUDA C++, compiled by NVRTC when it is built and called as CuPy's RawKernel: "
      "kernel((blocks,), (threads,), args).  What is compiled is kept for the next process.\n\n"
      "    scale = gaia.RawKernel(r'''\n"
      "    extern \"C\" __global__ void scale(const float* x, float* y, float factor, int n) {\n"
      "        int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "        if (i < n) y[i] = factor * x[i];\n"
      "    }''', \"scale\")\n"
      "    scale((4,), (256,), (x, y, 2.0, 1000))")
      .def(
          "__init__",
          [](CudaKernel* made, std::string code, std::string name,
             std::vector<std::string> options) {
            const nb::gil_scoped_release released;
            new (made) CudaKernel(std::move(code), std::move(name), std::move(options));
          },
          arg("code"), arg("name"), arg("options") = std::vector<std::string>(),
          "The kernel `name` of the text `code`, C++20: the name of an extern \"C\" function, or "
          "an expression such as \"scale<float>\".  `options` are NVRTC's: (\"-DN=3\",).\n\n"
          "Raises CompileError with the compiler's words, line and caret; DeviceError where there "
          "is no CUDA device or no NVRTC.")
      .def("__call__", &call, arg("grid"), arg("block"), arg("args"), arg("shared_mem") = 0,
           "Starts the kernel in `grid` blocks of `block` threads, tuples of one to three numbers, "
           "with `shared_mem` bytes of dynamic shared memory.  Arrays among `args` are on one "
           "CUDA device and contiguous, gaia's or of anyone who speaks DLPack; the kernel gets the "
           "address of their first elements, and runs there in order with what else is done with "
           "them.  Numbers become what the parameter is.\n\n"
           "Raises ArgumentError for a launch that no device takes and for arguments that do not "
           "fit the parameters, DTypeError, ShapeError and DeviceError for arrays that do not.")
      .def_prop_ro("name", &CudaKernel::name, "Name of the kernel.")
      .def_prop_ro("code", &CudaKernel::source, "The text that it was compiled from.")
      .def_prop_ro("_writes", &writes);
}

}  // namespace gaia::python
