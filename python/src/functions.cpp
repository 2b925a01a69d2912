// SPDX-License-Identifier: MIT
/// \file
/// Functions under NumPy's names that only arrays have here, or that arrays and tensors share and
/// values.h leaves out; the fused operations, and what is known of their kernels.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "../../src/array/benchmark.h"
#include "../../src/array/create.h"
#include "../../src/array/functions.h"
#include "../../src/array/fused.h"
#include "../../src/array/indexing.h"
#include "../../src/array/joining.h"
#include "../../src/array/kernels.h"
#include "../../src/array/linear.h"
#include "../../src/array/ops.h"
#include "../../src/array/random_arrays.h"
#include "../../src/array/reductions.h"
#include "../../src/array/sorting.h"
#include "../../src/array/statistics.h"
#include "../../src/autograd/ops.h"
#include "bindings.h"
#include "casters.h"
#include "exchange.h"
#include "values.h"

namespace gaia::python {
namespace {

using nb::arg;

/// Arrays and tensors alike.
template <class T>
void bind_of_both(nb::module_& module) {
  module.def("norm", taking<const T&, const Axes&, bool, double>(GAIA_FUNCTION(norm)), arg("x"),
             arg("axis") = nb::none(), arg("keepdims") = false, arg("order") = 2.0,
             "The norm of order 2, 1, 0, inf or any other, over the axes together.");
  def_reduction<T>(
      module, "median", GAIA_FUNCTION(median),
      "The middle of the sorted elements over axes, or the mean of the two that are; NaN wins.");
  module.def("flip", taking<const T&, const Axes&>(GAIA_FUNCTION(flip)), arg("x"),
             arg("axis") = nb::none(),
             "A view with the elements along axes, without one along all, in reverse.");
  module.def(
      "roll",
      [](const T& x, std::int64_t shift, std::optional<std::int64_t> axis) {
        return axis ? roll(x, shift, *axis) : roll(x, shift);
      },
      arg("x"), arg("shift"), arg("axis") = nb::none(),
      "Elements moved along an axis, the last ones to the front; without one, in order of all.");
  module.def("tile", taking<const T&, const Dims&>(GAIA_FUNCTION(tile)), arg("x"), arg("counts"),
             "x repeated as a whole, so many times along each axis.");
  module.def("tril", taking<const T&, std::int64_t>(GAIA_FUNCTION(tril)), arg("x"), arg("k") = 0,
             "x with zeros above diagonal k.");
  module.def("triu", taking<const T&, std::int64_t>(GAIA_FUNCTION(triu)), arg("x"), arg("k") = 0,
             "x with zeros below diagonal k.");
  module.def("diag", taking<const T&, std::int64_t>(GAIA_FUNCTION(diag)), arg("x"), arg("k") = 0,
             "Diagonal k of a matrix, or a matrix with such a diagonal.");
  module.def(
      "reshape", [](const T& x, const Shape& shape) { return x.reshape(shape); }, arg("x"),
      arg("shape"), "The same elements in another shape; one length may be -1.");
  module.def(
      "transpose", [](const T& x, const Axes& axes) { return x.transpose(axes); }, arg("x"),
      arg("axes") = nb::none(), "A view with the axes in the order given; without one, reversed.");
  module.def(
      "swapaxes", [](const T& x, std::int64_t a, std::int64_t b) { return x.swapaxes(a, b); },
      arg("x"), arg("a"), arg("b"), "A view with two axes exchanged.");
  module.def(
      "squeeze", [](const T& x, const Axes& axis) { return x.squeeze(axis); }, arg("x"),
      arg("axis") = nb::none(), "A view without axes of length 1, all or those given.");
  module.def("corrcoef", taking<const T&, bool>(GAIA_FUNCTION(corrcoef)), arg("x"),
             arg("rowvar") = true,
             "Correlations of variables, which are rows (or columns: rowvar=False).");
  module.def("where", taking<const Array&, const T&, Scalar>(GAIA_FUNCTION(where)),
             arg("condition"), arg("a"), arg("b"),
             "a where the condition is not 0, b elsewhere; all broadcast.");
  module.def("where", taking<const Array&, Scalar, const T&>(GAIA_FUNCTION(where)),
             arg("condition"), arg("a"), arg("b"),
             "a where the condition is not 0, b elsewhere; all broadcast.");
  module.def("linear_gelu",
             taking<const T&, const T&, std::optional<T>>(GAIA_FUNCTION(linear_gelu)), arg("x"),
             arg("weights"), arg("bias") = nb::none(),
             "gelu(x W^T + b) in one pass: x [..., in], W [out, in], b [out].");
  module.def(
      "layer_norm",
      [](const T& x, std::optional<T> weight, std::optional<T> bias, int axes, double epsilon) {
        return layer_norm(x, weight, bias, {.axes = axes, .epsilon = epsilon});
      },
      arg("x"), arg("weight") = nb::none(), arg("bias") = nb::none(), arg("axes") = 1,
      arg("epsilon") = 1e-5,
      "Mean 0 and variance 1 over the last `axes` axes, then times weight plus bias.");
  module.def(
      "attention",
      [](const T& q, const T& k, const T& v, std::optional<double> scale, bool causal) {
        return attention(q, k, v, {.scale = scale, .causal = causal});
      },
      arg("q"), arg("k"), arg("v"), arg("scale") = nb::none(), arg("causal") = false,
      "softmax(scale q k^T) v without ever holding the scores: q [..., T, d], k [..., S, d], "
      "v [..., S, dv]; scale is 1 / sqrt(d) where it is left out.");
}

void bind_questions(nb::module_& module) {
  def_reduction<Array>(module, "count_nonzero", GAIA_FUNCTION(count_nonzero),
                       "How many elements over axes are not 0, int64.");
  module.def("logical_not", taking<const Array&>(GAIA_FUNCTION(logical_not)), arg("x"),
             "Whether an element is 0; NaN is not.");
#define GAIA_LOGIC(name, doc)                                                                    \
  module.def(#name, taking<const Array&, const Array&>(GAIA_FUNCTION(name)), arg("a"), arg("b"), \
             doc);
  GAIA_LOGIC(logical_and, "Whether both elements are not 0.")
  GAIA_LOGIC(logical_or, "Whether one of both elements is not 0.")
  GAIA_LOGIC(logical_xor, "Whether just one of both elements is not 0.")
#undef GAIA_LOGIC
  module.def("where", taking<const Array&, Scalar, Scalar>(GAIA_FUNCTION(where)), arg("condition"),
             arg("a"), arg("b"), "a where the condition is not 0, b elsewhere; all broadcast.");
}

void bind_order(nb::module_& module) {
  module.def(
      "searchsorted",
      [](const Array& sorted, const Array& values, const std::string& side) {
        if (side != "left" && side != "right") {
          throw ArgumentError("[searchsorted] expected the side left or right, got '" + side + "'");
        }
        return searchsorted(sorted, values, side == "left" ? Side::left : Side::right);
      },
      arg("sorted"), arg("values"), arg("side") = "left",
      "Where values would be inserted so that it stays sorted, int64: before equal ones, or "
      "after.");
  module.def("one_hot", taking<const Array&, std::int64_t, DType>(GAIA_FUNCTION(one_hot)),
             arg("indices"), arg("classes"), arg("dtype") = DType::float32,
             "[..., classes] with a 1 at each index.");
}

void bind_creation(nb::module_& module) {
  module.def("full_like", &full_like, arg("x"), arg("value"),
             "That value in the shape and dtype of x.");
  module.def("empty_like", &empty_like, arg("x"), "Numbers that are not set, like x.");
  module.def("logspace", &logspace, arg("start"), arg("stop"), arg("count"), arg("base") = 10.0,
             arg("dtype") = DType::float32, "The base to the powers that linspace gives.");
  module.def("random_integers",
             taking<std::int64_t, std::int64_t, const Shape&, DType>(GAIA_FUNCTION(randint)),
             arg("low"), arg("high"), arg("shape"), arg("dtype") = DType::int64, "In [low, high).");
  module.def("random_permutation", taking<std::int64_t>(GAIA_FUNCTION(permutation)), arg("n"),
             "0 ... n - 1 in random order, int64.");
}

/// Functions of a Python number that return a number, as NumPy's do.
void bind_of_numbers(nb::module_& module) {
#define GAIA_OF_NUMBER(name)                                                                    \
  module.def(                                                                                   \
      #name, [](double x) { return gaia::name(full({}, x, DType::float64)).item(); }, arg("x"), \
      "Of a number: a number.");
  GAIA_OF_NUMBER(abs)
  GAIA_OF_NUMBER(square)
  GAIA_OF_NUMBER(sqrt)
  GAIA_OF_NUMBER(exp)
  GAIA_OF_NUMBER(log)
  GAIA_OF_NUMBER(sin)
  GAIA_OF_NUMBER(cos)
  GAIA_OF_NUMBER(tanh)
  GAIA_OF_NUMBER(sigmoid)
#undef GAIA_OF_NUMBER
}

void bind_kernel_families(nb::module_& module) {
  module.def(
      "kernel_registry",
      [] {
        nb::dict made;
        for (const KernelInfo& kernel : kernel_registry()) {
          nb::dict one;
          one["is_fused"] = kernel.is_fused;
          one["launches"] = kernel.launches;
          one["fallbacks"] = kernel.fallbacks;
          one["last_fallback"] = kernel.last_fallback;
          made[kernel.name.c_str()] = one;
        }
        return made;
      },
      "Every fused kernel and every family of kernels by name: whether it is a fused one "
      "(is_fused), how often it ran (launches), how often plain operations did instead "
      "(fallbacks), and why the last time.");
  module.def("benchmark_names", &benchmark_names, "The kernels that benchmark_kernel takes.");
  module.def(
      "benchmark_kernel",
      [](const std::string& name, const nb::args& tensors, std::int64_t warmup,
         std::int64_t repeats, double max_seconds) {
        std::vector<Array> arrays;
        for (const nb::handle one : tensors) arrays.push_back(array_of(one));
        const nb::gil_scoped_release release;
        return benchmark(name, arrays,
                         {.warmup = warmup, .repeats = repeats, .max_seconds = max_seconds});
      },
      arg("name"), arg("arguments"), arg("warmup") = 10, arg("repeats") = 100,
      arg("max_seconds") = 0.0,
      "Times a fused kernel of `benchmark_names` on the current device: a BenchmarkResult, in "
      "seconds.");
}

}  // namespace

void bind_functions_of_arrays(nb::module_& module) {
  bind_of_both<Array>(module);
  bind_of_both<Tensor>(module);
  bind_questions(module);
  bind_order(module);
  bind_creation(module);
  bind_of_numbers(module);
  bind_kernel_families(module);
}

}  // namespace gaia::python
