// SPDX-License-Identifier: MIT
/// \file
/// gaia.Tensor: an Array that knows how it was computed, and its gradient.
#include "../../src/autograd/tensor.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "../../src/array/print.h"
#include "../../src/autograd/grad_mode.h"
#include "bindings.h"
#include "guard_scope.h"
#include "values.h"

namespace gaia::python {

/// What a function of tensors takes in place of one: an Array, and what NumPy or DLPack passes.
struct Constant {};

/// Whether the tensor that this thread makes next is such an argument.  Anyone who makes it asks
/// first, and nothing is created between.
thread_local bool next_is_constant = false;

}  // namespace gaia::python

template <>
struct nanobind::detail::type_caster<gaia::python::Constant> {
  NB_TYPE_CASTER(gaia::python::Constant, const_name("Array | numpy.ndarray"))

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    if (!isinstance<gaia::Array>(source) && !ndarray_check(source)) return false;
    gaia::python::next_is_constant = true;
    return true;
  }
};

namespace gaia::python {
namespace {

using nb::arg;

bool can_collect(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }

/// Where it is not said whether a tensor collects gradients, one that is written out does if it
/// can, and one that stands for a constant does not.
Tensor made_tensor(Array value, std::optional<bool> requires_grad, bool is_constant) {
  const bool collects = requires_grad.value_or(!is_constant && can_collect(value.dtype()));
  return {std::move(value), collects};
}

Tensor made_of_numbers(nb::handle numbers, std::optional<bool> requires_grad, bool is_constant) {
  Array value = from_python(numbers);
  // Gradients are of floating numbers, so whole numbers that are written out are meant as such.
  if (!nb::hasattr(numbers, "dtype") && !can_collect(value.dtype())) {
    value = value.astype(DType::float32);
  }
  return made_tensor(std::move(value), requires_grad, is_constant);
}

}  // namespace

void bind_tensor(nb::module_& module) {
  nb::class_<Tensor> type(
      module, "Tensor",
      "An Array that remembers how it was computed, so that gradients can be found.\n\n"
      "    w = gaia.Tensor(numpy.ones((3, 1)))\n"
      "    loss = ((gaia.Array(x) @ w) ** 2).mean()\n"
      "    loss.backward()\n"
      "    w.grad                              # d loss / d w\n\n"
      "It has the operators, views and functions of an Array.  What is computed from tensors is a\n"
      "tensor; numbers and arrays in an operation with one are constants.\n\n"
      "requires_grad   whether it collects gradients; left out, floating numbers do.  What shall\n"
      "                not is an Array, which goes wherever a Tensor does.\n\n"
      "Lists are float32, arrays keep their dtype.  Raises DTypeError where whole numbers shall\n"
      "collect gradients.");
  type.def(
      "__init__",
      [](Tensor* made, const Array& value, std::optional<bool> requires_grad) {
        const bool is_constant = std::exchange(next_is_constant, false);
        new (made) Tensor(made_tensor(value, requires_grad, is_constant));
      },
      arg("value"), arg("requires_grad") = nb::none());
  type.def(
      "__init__",
      [](Tensor* made, const nb::object& numbers, std::optional<bool> requires_grad) {
        const bool is_constant = std::exchange(next_is_constant, false);
        new (made) Tensor(made_of_numbers(numbers, requires_grad, is_constant));
      },
      arg("numbers"), arg("requires_grad") = nb::none());
  nb::implicitly_convertible<Constant, Tensor>();
  bind_operators<Tensor>(type);
  bind_views<Tensor>(type);
  bind_methods<Tensor>(type, module);
  bind_reductions<Tensor>(type);
  type.def("__getitem__", &index_any<Tensor>, arg("index").none())
      .def_prop_ro("value", &Tensor::value, "The numbers, an Array.")
      .def_prop_ro("data", &Tensor::value, "The same, as the guides call it.")
      .def_prop_rw("requires_grad", &Tensor::requires_grad, &Tensor::set_requires_grad,
                   "Whether gradients are found for it.")
      .def_prop_ro("is_leaf", &Tensor::is_leaf, "Whether it was not computed from other tensors.")
      .def_prop_rw(
          "grad",
          [](const Tensor& x) -> nb::object {
            if (x.has_grad_tensor()) return nb::cast(x.grad_tensor());
            return x.has_grad() ? nb::cast(x.grad()) : nb::none();
          },
          [](Tensor& x, nb::object gradient) {
            if (gradient.is_none()) {
              x.zero_grad();
            } else {
              x.set_grad(array_of(gradient).copy());  // theirs may change
            }
          },
          arg("gradient").none(),
          "The sum of what the sweeps have found, an Array, or a Tensor after `backward` with "
          "create_graph; None if there is none.")
      .def("zero_grad", &Tensor::zero_grad, "Forgets the gradient.")
      .def(
          "backward",
          [](const Tensor& x, std::optional<Array> gradient, bool retain_graph, bool create_graph) {
            const nb::gil_scoped_release release;
            x.backward({.gradient = std::move(gradient),
                        .retain_graph = retain_graph,
                        .create_graph = create_graph});
          },
          arg("gradient") = nb::none(), arg("retain_graph") = false, arg("create_graph") = false,
          "Adds d this / d leaf to the gradient of every leaf that this was computed from.\n\n"
          "gradient   d loss / d this, broadcast to its shape; 1 if left out and this has one "
          "element\n"
          "create_graph   whether gradients are Tensors that can be differentiated again\n\n"
          "Raises ArgumentError without a gradient where one is needed, where history was "
          "dropped, and for a function whose gradient cannot be differentiated.")
      .def("detach", &Tensor::detach, "A tensor of the same numbers that remembers nothing.")
      .def(
          "numpy", [](const Tensor& x) { return to_numpy(x.value()); },
          "A NumPy array that shares the numbers.")
      .def(
          "__array__",
          [](const Tensor& x, nb::object dtype, nb::object copy) {
            nb::object made = nb::cast(to_numpy(x.value()));
            if (!dtype.is_none()) made = made.attr("astype")(dtype, nb::arg("copy") = false);
            if (!copy.is_none() && nb::cast<bool>(copy)) made = made.attr("copy")();
            return made;
          },
          arg("dtype") = nb::none(), arg("copy") = nb::none())
      .def("__repr__",
           [](const Tensor& x) {
             return "Tensor(" + gaia::to_string(x.value()) +
                    (x.requires_grad() ? ", requires_grad=True)" : ")");
           })
      .def("relu", taking<const Tensor&>(GAIA_FUNCTION(relu)), "max(x, 0).")
      .def("sigmoid", taking<const Tensor&>(GAIA_FUNCTION(sigmoid)), "1 / (1 + exp(-x)).")
      .def("tanh", taking<const Tensor&>(GAIA_FUNCTION(tanh)), "The hyperbolic tangent.")
      .def("exp", taking<const Tensor&>(GAIA_FUNCTION(exp)), "e to the power of x.")
      .def("log", taking<const Tensor&>(GAIA_FUNCTION(log)), "The natural logarithm.")
      .def("sqrt", taking<const Tensor&>(GAIA_FUNCTION(sqrt)), "The square root.")
      .def("abs", taking<const Tensor&>(GAIA_FUNCTION(abs)), "|x|.")
      .def("softmax", taking<const Tensor&, std::int64_t>(GAIA_FUNCTION(softmax)), arg("axis") = -1,
           "exp(x) divided by its sum over an axis.");
  const auto compare = [&](const char* name, auto function) {
    type.def(
        name, [function](const Tensor& a, Scalar b) { return function(a.value(), b); },
        nb::is_operator());
    type.def(
        name,
        [function](const Tensor& a, const Tensor& b) { return function(a.value(), b.value()); },
        nb::is_operator());
  };
  compare("__lt__", GAIA_FUNCTION(less));
  compare("__le__", GAIA_FUNCTION(less_equal));
  compare("__gt__", GAIA_FUNCTION(greater));
  compare("__ge__", GAIA_FUNCTION(greater_equal));
  type.def(
          "tolist",
          [](const Tensor& x) {
            return nb::object(nb::cast(to_numpy(x.value())).attr("tolist")());
          },
          "The numbers in nested lists.")
      .def("__bool__", [](const Tensor& x) { return x.item() != 0.0; })
      .def("__reduce__", [](const Tensor& x) {
        return nb::make_tuple(nb::type<Tensor>(),
                              nb::make_tuple(x.value().copy(), x.requires_grad()));
      });
  type.attr("__array_priority__") = 2000;
  bind_functions<Tensor>(module);

  nb::class_<GuardScope<NoGrad>>(
      module, "no_grad",
      "Within `with no_grad():` nothing is remembered of operations on tensors, "
      "so that they cost no memory.")
      .def(nb::init<>())
      .def("__enter__", &GuardScope<NoGrad>::enter)
      .def("__exit__", [](GuardScope<NoGrad>& scope, const nb::args&) { scope.exit(); });
  nb::class_<GuardScope<SecondOrder>>(
      module, "second_order",
      "Within `with second_order():` recurrent layers record every step, so that their gradients "
      "can be differentiated again; that takes longer and more memory.")
      .def(nb::init<>())
      .def("__enter__", &GuardScope<SecondOrder>::enter)
      .def("__exit__", [](GuardScope<SecondOrder>& scope, const nb::args&) { scope.exit(); });
  module.def(
      "grad",
      [](const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
         const std::optional<std::vector<Tensor>>& seeds, bool retain_graph, bool create_graph,
         bool allow_unused) -> nb::object {
        if (create_graph) {
          return nb::cast([&] {
            const nb::gil_scoped_release release;
            return gaia::grad(outputs, inputs,
                              CreateGraph(seeds.value_or(std::vector<Tensor>{}), allow_unused));
          }());
        }
        GradOptions options = {.retain_graph = retain_graph, .allow_unused = allow_unused};
        for (const Tensor& seed : seeds.value_or(std::vector<Tensor>{})) {
          options.seeds.push_back(seed.value());
        }
        return nb::cast([&] {
          const nb::gil_scoped_release release;
          return gaia::grad(outputs, inputs, options);
        }());
      },
      arg("outputs"), arg("inputs"), arg("seeds") = nb::none(), arg("retain_graph") = false,
      arg("create_graph") = false, arg("allow_unused") = false,
      "sum over outputs of seed * d output / d input, a list with one for each input, leaf or not; "
      "gradients of leaves stay as they are.\n\n"
      "outputs, inputs   lists of Tensors\n"
      "seeds             d loss / d output for each output; 1 where all have one element\n"
      "create_graph      whether the answers are Tensors that can be differentiated again\n"
      "allow_unused      whether an input that the outputs do not depend on gets zeros\n\n"
      "    slope, = gaia.grad([y], [x], create_graph=True)\n"
      "    slope.sum().backward()               # x.grad: second derivatives\n\n"
      "Raises ArgumentError for an input that requires no gradient or is not used, and for a "
      "function whose gradient cannot be differentiated.");
  module.def("grad_enabled", &grad_enabled,
             "Whether this thread remembers operations on tensors: it does outside `no_grad`.");
  module.def(
      "to_numpy", [](const Tensor& x) { return to_numpy(x.value()); }, arg("x"),
      "The numbers of a tensor as a NumPy array, which shares them on the CPU.");
}

}  // namespace gaia::python
