// SPDX-License-Identifier: MIT
/// \file
/// gaia.Tensor: an Array that knows how it was made, and its gradient.
#include "../../src/autograd/tensor.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "../../src/array/print.h"
#include "../../src/autograd/grad_mode.h"
#include "bindings.h"
#include "values.h"

namespace gaia::python {
namespace {

using nb::arg;

/// `with no_grad():`
class NoGradScope {
 public:
  NoGradScope() = default;
  NoGradScope(const NoGradScope&) = delete;
  NoGradScope& operator=(const NoGradScope&) = delete;

  void enter() { guards_.push_back(std::make_unique<NoGrad>()); }
  void exit() { guards_.pop_back(); }

 private:
  std::vector<std::unique_ptr<NoGrad>> guards_;
};

}  // namespace

void bind_tensor(nb::module_& module) {
  nb::class_<Tensor> type(
      module, "Tensor",
      "An Array that remembers how it was made, so that gradients can be found.\n\n"
      "    w = gaia.Tensor(numpy.ones((3, 1)), requires_grad=True)\n"
      "    loss = ((gaia.Tensor(x) @ w) ** 2).mean()\n"
      "    loss.backward()\n"
      "    w.grad                              # d loss / d w\n\n"
      "It has the operators, views and functions of an Array.  What is made of tensors is a\n"
      "tensor; numbers and arrays beside one are constants.");
  type.def(nb::init<Array, bool>(), arg("value"), arg("requires_grad") = false);
  type.def(
      "__init__",
      [](Tensor* made, const nb::object& numbers, bool requires_grad) {
        new (made) Tensor(from_python(numbers), requires_grad);
      },
      arg("numbers"), arg("requires_grad") = false);
  nb::implicitly_convertible<Array, Tensor>();
  nb::implicitly_convertible<Handed, Tensor>();
  bind_operators<Tensor>(type);
  bind_views<Tensor>(type);
  bind_reductions<Tensor>(type);
  type.def("__getitem__",
           [](const Tensor& x, nb::handle index) {
             if (nb::isinstance<Array>(index)) {
               const auto& by = nb::cast<const Array&>(index);
               return by.dtype() == DType::boolean ? masked_select(x, by) : take(x, by, 0);
             }
             return index_basic(x, index);
           })
      .def_prop_ro("value", &Tensor::value, "The numbers, an Array.")
      .def_prop_ro("data", &Tensor::value, "The same, as the guides call it.")
      .def_prop_rw("requires_grad", &Tensor::requires_grad, &Tensor::set_requires_grad,
                   "Whether gradients are found for it.")
      .def_prop_ro("is_leaf", &Tensor::is_leaf, "Whether it was not made of other tensors.")
      .def_prop_rw(
          "grad",
          [](const Tensor& x) -> nb::object {
            return x.has_grad() ? nb::cast(x.grad()) : nb::none();
          },
          [](Tensor& x, nb::object gradient) {
            if (gradient.is_none()) {
              x.zero_grad();
            } else {
              x.set_grad(nb::cast<Array>(gradient));
            }
          },
          arg("gradient").none(), "The sum of what the sweeps have found; None if there is none.")
      .def("zero_grad", &Tensor::zero_grad, "Forgets the gradient.")
      .def(
          "backward",
          [](const Tensor& x, std::optional<Array> gradient, bool retain_graph) {
            const nb::gil_scoped_release release;
            x.backward({.gradient = std::move(gradient), .retain_graph = retain_graph});
          },
          arg("gradient") = nb::none(), arg("retain_graph") = false,
          "Adds d this / d leaf to the gradient of every leaf that this was made from.\n\n"
          "gradient   d loss / d this, broadcast to its shape; 1 if left out and this has one "
          "element\n\n"
          "Raises ArgumentError without a gradient where one is needed, or where history was "
          "dropped.")
      .def("detach", &Tensor::detach, "A tensor of the same numbers that remembers nothing.")
      .def(
          "numpy", [](const Tensor& x) { return to_numpy(x.value()); },
          "A NumPy array that shares the numbers.")
      .def(
          "__array__",
          [](const Tensor& x, nb::object dtype, nb::object /*copy*/) {
            nb::object made = nb::cast(to_numpy(x.value()));
            return dtype.is_none() ? made : nb::object(made.attr("astype")(dtype));
          },
          arg("dtype") = nb::none(), arg("copy") = nb::none())
      .def("__repr__",
           [](const Tensor& x) {
             return "Tensor(" + gaia::to_string(x.value()) +
                    (x.requires_grad() ? ", requires_grad=True)" : ")");
           })
      .def(
          "relu", [](const Tensor& x) { return relu(x); }, "max(x, 0).")
      .def(
          "sigmoid", [](const Tensor& x) { return sigmoid(x); }, "1 / (1 + exp(-x)).")
      .def(
          "tanh", [](const Tensor& x) { return gaia::tanh(x); }, "The hyperbolic tangent.")
      .def(
          "exp", [](const Tensor& x) { return gaia::exp(x); }, "e to the power of x.")
      .def(
          "log", [](const Tensor& x) { return gaia::log(x); }, "The natural logarithm.")
      .def(
          "sqrt", [](const Tensor& x) { return gaia::sqrt(x); }, "The square root.")
      .def(
          "abs", [](const Tensor& x) { return gaia::abs(x); }, "|x|.")
      .def(
          "softmax", [](const Tensor& x, std::int64_t axis) { return softmax(x, axis); },
          arg("axis") = -1, "exp(x) divided by its sum over an axis.");
  type.attr("__array_priority__") = 2000;
  bind_functions<Tensor>(module);

  nb::class_<NoGradScope>(
      module, "no_grad",
      "Within `with no_grad():` nothing is remembered of operations on tensors, "
      "so that they cost no memory.")
      .def(nb::init<>())
      .def("__enter__", &NoGradScope::enter)
      .def("__exit__", [](NoGradScope& scope, const nb::args&) { scope.exit(); });
  module.def("grad_enabled", &grad_enabled,
             "Whether this thread remembers operations on tensors: it does outside `no_grad`.");
}

}  // namespace gaia::python
