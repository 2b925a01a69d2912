// SPDX-License-Identifier: MIT
/// \file
/// gaia.checkpoint: parts of a computation that the backward sweep computes again.
#include "../../src/autograd/checkpoint.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../src/core/error.h"
#include "bindings.h"
#include "exchange.h"

namespace gaia::python {
namespace {

/// A function of Python's and all that it is called with.
struct Call {
  nb::object function;
  nb::list arguments;               ///< In the places of tensors None.
  std::vector<std::size_t> places;  ///< Positions of the tensors.
};

Tensor as_result(nb::handle result) {
  if (nb::isinstance<Tensor>(result)) return nb::cast<Tensor>(result);
  throw ArgumentError(
      "[checkpoint] f: expected a function that returns a gaia.Tensor, or a tuple or list of "
      "them, got " +
      nb::cast<std::string>(result.type().attr("__name__")));
}

/// What the function makes of `tensors`, and whether it came as one tensor.
std::vector<Tensor> results_of(const Call& call, const std::vector<Tensor>& tensors,
                               bool& is_single) {
  const nb::gil_scoped_acquire gil;
  nb::list arguments(call.arguments);
  for (std::size_t i = 0; i < tensors.size(); ++i) arguments[call.places[i]] = nb::cast(tensors[i]);
  const nb::object made = call.function(*nb::tuple(arguments));
  is_single = !PyTuple_Check(made.ptr()) && !PyList_Check(made.ptr());
  std::vector<Tensor> results;
  if (is_single) {
    results.push_back(as_result(made));
  } else {
    for (const nb::handle one : nb::borrow<nb::object>(made)) results.push_back(as_result(one));
  }
  return results;
}

}  // namespace

void bind_checkpoint(nb::module_& module) {
  module.def(
      "checkpoint",
      [](nb::object f, const nb::args& inputs) -> nb::object {
        if (PyCallable_Check(f.ptr()) == 0) {
          throw ArgumentError("[checkpoint] f: expected a function, got " +
                              nb::cast<std::string>(f.type().attr("__name__")));
        }
        Call call{std::move(f), nb::list(), {}};
        std::vector<Tensor> tensors;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          const bool is_tensor = nb::isinstance<Tensor>(inputs[i]);
          call.arguments.append(is_tensor ? nb::none() : nb::object(inputs[i]));
          if (!is_tensor) continue;
          tensors.push_back(nb::cast<Tensor>(inputs[i]));
          call.places.push_back(i);
        }
        const std::shared_ptr<const void> held = with_gil(std::move(call));
        const auto is_single = std::make_shared<bool>(true);
        const auto compute = [held, is_single](const std::vector<Tensor>& given) {
          return results_of(*static_cast<const Call*>(held.get()), given, *is_single);
        };
        const std::vector<Tensor> results = [&] {
          const nb::gil_scoped_release release;
          return checkpoint(compute, tensors);
        }();
        if (*is_single) return nb::cast(results.front());
        nb::list made;
        for (const Tensor& result : results) made.append(nb::cast(result));
        return nb::tuple(made);
      },
      nb::arg("f"), nb::arg("inputs"),
      nb::sig("def checkpoint(f: collections.abc.Callable[..., Tensor | "
              "collections.abc.Sequence[Tensor]], *inputs: object) -> typing.Any"),
      "f(*inputs), of which only the inputs are kept until `backward`, which computes f again.\n\n"
      "    y = gaia.checkpoint(block, x)       # block: a module, or a function of tensors\n\n"
      "It saves the memory of intermediate results for one more forward pass (Chen et al. 2016,\n"
      "arXiv:1604.06174).  Values, gradients, random numbers and what layers learn are those of\n"
      "f(*inputs).\n\n"
      "f        returns a Tensor, or a tuple or list of them, which comes back as a tuple\n"
      "inputs   arguments that it is called with; what is no Tensor is passed as it is\n\n"
      "Raises ArgumentError where f reads a tensor that was computed before and is no input, and "
      "in\n"
      "`backward` where inputs or parameters have changed since, or f does something else.");
}

}  // namespace gaia::python
