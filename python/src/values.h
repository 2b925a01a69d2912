// SPDX-License-Identifier: MIT
/// \file
/// What arrays and tensors have in common in Python: operators, views, functions under NumPy's
/// names.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "../../src/array/functions.h"
#include "../../src/array/indexing.h"
#include "../../src/array/joining.h"
#include "../../src/array/linear.h"
#include "../../src/array/ops.h"
#include "../../src/autograd/ops.h"
#include "casters.h"
#include "exchange.h"

/// All overloads of a function of gaia's as one object, which can be passed to templates.
#define GAIA_FUNCTION(name) [](const auto&... x) { return gaia::name(x...); }

namespace gaia::python {

/// The overload of such an object that takes these parameters.
template <class... Parameters, class Function>
auto taking(Function function) {
  return [function](Parameters... x) { return function(x...); };
}

/// Raises gaia.PositionError, which is an IndexError too: Python's loops end by it.
[[noreturn]] inline void raise_position_error(const std::string& what) {
  PyErr_SetString(nb::module_::import_("gaia.errors").attr("PositionError").ptr(), what.c_str());
  nb::raise_python_error();
}

/// The dtype as Python sees it, a text that is equal to NumPy's dtypes too.
inline nb::str dtype_name(DType dtype) {
  static PyObject* kind = nullptr;  // kept for good; created and asked for with the GIL held
  if (kind == nullptr) {
    nb::object made = nb::module_::import_("gaia._text").attr("DTypeName");
    kind = made.release().ptr();
  }
  return nb::borrow<nb::str>(nb::handle(kind)(nb::cast(dtype)));
}

/// x[index], of whole numbers, slices, None and ...; the axes that it does not name stay.
/// \throws nb::type_error for anything else, PositionError as Python's sequences do IndexError.
template <class T>
T index_basic(const T& x, nb::handle index) {
  const nb::tuple parts = PyTuple_Check(index.ptr()) != 0 ? nb::borrow<nb::tuple>(index)
                                                          : nb::make_tuple(nb::borrow(index));
  int named = 0;
  for (const nb::handle part : parts) {
    if (!part.is_none() && !nb::isinstance<nb::ellipsis>(part)) ++named;
  }
  if (named > x.rank()) {
    raise_position_error("[index] expected at most " + std::to_string(x.rank()) +
                         " position(s), one for each axis, got " + std::to_string(named));
  }
  T result = x;
  std::int64_t axis = 0;
  std::int64_t of_x = 0;  // the same axis as x counts it
  for (const nb::handle part : parts) {
    if (part.is_none()) {
      result = result.expand_dims(axis++);
    } else if (nb::isinstance<nb::ellipsis>(part)) {
      axis += x.rank() - named;
      of_x += x.rank() - named;
    } else if (PySlice_Check(part.ptr()) != 0) {
      const auto bound = [&](const char* name) -> std::optional<std::int64_t> {
        const nb::object value = part.attr(name);
        if (value.is_none()) return std::nullopt;
        return nb::cast<std::int64_t>(value);
      };
      result = result.slice(axis, bound("start"), bound("stop"), bound("step").value_or(1));
      ++axis;
      ++of_x;
    } else if (PyIndex_Check(part.ptr()) != 0) {
      const Py_ssize_t at = PyNumber_AsSsize_t(part.ptr(), PyExc_IndexError);
      if (at == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
      const std::int64_t length = result.shape(static_cast<int>(axis));
      if (at < -length || at >= length) {
        if (length == 0) {
          raise_position_error("[index] axis " + std::to_string(of_x) +
                               " has no positions, since its length is 0; got " +
                               std::to_string(at));
        }
        raise_position_error("[index] expected a position from " + std::to_string(-length) +
                             " to " + std::to_string(length - 1) + " along axis " +
                             std::to_string(of_x) + ", whose length is " + std::to_string(length) +
                             ", got " + std::to_string(at));
      }
      result = result.select(axis, at);
      ++of_x;
    } else {
      throw nb::type_error("[index] expected whole numbers, slices, None and ...");
    }
  }
  return result;
}

/// Lengths or numbers of axes.  \throws DTypeError for anything else, which names the function.
inline Dims dims_of(nb::handle given, const char* function) {
  Dims made;
  if (nb::try_cast(given, made)) return made;
  throw DTypeError("[" + std::string(function) +
                   "] expected whole numbers, or a tuple of them, got " +
                   nb::cast<std::string>(nb::repr(given)));
}

/// Whether whole numbers, slices, None and ... are all that an index has.
inline bool is_basic(nb::handle index) {
  const auto one = [](nb::handle part) {
    return part.is_none() || nb::isinstance<nb::ellipsis>(part) || PySlice_Check(part.ptr()) != 0 ||
           (PyIndex_Check(part.ptr()) != 0 && PyBool_Check(part.ptr()) == 0 &&
            !nb::isinstance<Array>(part) && !nb::isinstance<Tensor>(part) &&
            (PyLong_Check(part.ptr()) != 0 ||
             nb::cast<int>(nb::getattr(part, "ndim", nb::int_(0))) == 0));
  };
  if (PyTuple_Check(index.ptr()) == 0) return one(index);
  for (const nb::handle part : nb::borrow<nb::tuple>(index)) {
    if (!one(part)) return false;
  }
  return true;
}

/// x[index], by lists, arrays and masks too (gaia/_indexing.py).
template <class T>
T index_any(const T& x, nb::handle index) {
  if (is_basic(index)) return index_basic(x, index);
  if (nb::isinstance<Array>(index)) {
    const auto& by = nb::cast<const Array&>(index);
    if (by.rank() > 0) return by.dtype() == DType::boolean ? masked_select(x, by) : take(x, by, 0);
  }
  return nb::cast<T>(nb::module_::import_("gaia._indexing").attr("get")(x, index));
}

/// Under `name` in a class: self op other, `other` being a value of this kind or a number.
template <class T, class Function>
void def_operator(nb::class_<T>& type, const char* name, Function function) {
  type.def(name, [function](const T& a, Scalar b) { return function(a, b); }, nb::is_operator());
  type.def(name, [function](const T& a, const T& b) { return function(a, b); }, nb::is_operator());
}

/// An operator and its reflected form, which Python calls for number op self.
template <class T, class Function>
void def_operators(nb::class_<T>& type, const char* name, const char* reflected,
                   Function function) {
  def_operator(type, name, function);
  type.def(
      reflected, [function](const T& b, Scalar a) { return function(a, b); }, nb::is_operator());
  type.def(
      reflected, [function](const T& b, const T& a) { return function(a, b); }, nb::is_operator());
}

/// The same of a function that takes its operands in any order, and a number only as the second.
template <class T, class Function>
void def_commutative_operators(nb::class_<T>& type, const char* name, const char* reflected,
                               Function function) {
  def_operator(type, name, function);
  def_operator(type, reflected, function);
}

/// Operators, with numbers and with arrays on either side.
template <class T>
void bind_operators(nb::class_<T>& type) {
  def_commutative_operators(type, "__add__", "__radd__", GAIA_FUNCTION(add));
  def_commutative_operators(type, "__mul__", "__rmul__", GAIA_FUNCTION(multiply));
  def_operators(type, "__sub__", "__rsub__", GAIA_FUNCTION(subtract));
  def_operators(type, "__truediv__", "__rtruediv__", GAIA_FUNCTION(divide));
  def_operators(type, "__pow__", "__rpow__", GAIA_FUNCTION(power));
  def_operators(type, "__floordiv__", "__rfloordiv__", GAIA_FUNCTION(floor_divide));
  def_operators(type, "__mod__", "__rmod__", GAIA_FUNCTION(remainder));
  type.def("__matmul__", taking<const T&, const T&>(GAIA_FUNCTION(matmul)), nb::is_operator());
  type.def("__rmatmul__", [](const T& b, const T& a) { return matmul(a, b); }, nb::is_operator());
  type.def("__neg__", taking<const T&>(GAIA_FUNCTION(negative)));
  type.def("__pos__", [](const T& x) { return x; });
  type.def("__abs__", taking<const T&>(GAIA_FUNCTION(abs)));
}

/// Elements of its own, of a tensor with its history.
inline Array copied(const Array& x) { return x.copy(); }
inline Tensor copied(const Tensor& x) { return add(x, Scalar(std::int64_t{0})); }

/// The only element as Python's number, of integers exactly.  \throws ShapeError for more or none.
template <class T>
nb::object only_element(const T& x) {
  const double number = x.item();
  if (x.dtype() != DType::int32 && x.dtype() != DType::int64) return nb::float_(number);
  if constexpr (std::is_same_v<T, Array>) {
    return nb::int_(x.template to_vector<std::int64_t>().front());
  } else {
    return nb::int_(x.value().template to_vector<std::int64_t>().front());
  }
}

/// A function of x as a method of T and as a function of the module.
template <class T, class Function, class... Extra>
void def_both(nb::class_<T>& type, nb::module_& module, const char* name, Function function,
              const Extra&... extra) {
  type.def(name, function, extra...);
  module.def(name, function, nb::arg("x"), extra...);
}

/// Functions that are methods too.
template <class T>
void bind_methods(nb::class_<T>& type, nb::module_& module) {
  using nb::arg;
  using Axis = std::optional<std::int64_t>;
  def_both(type, module, "round", taking<const T&, int>(GAIA_FUNCTION(round)), arg("decimals") = 0,
           "To a multiple of 10^-decimals, halves to the even one.");
  def_both(
      type, module, "cumsum", taking<const T&, Axis>(GAIA_FUNCTION(cumsum)),
      arg("axis") = nb::none(),
      "The sums of all elements up to each along an axis; without one, of all in their order.");
  def_both(type, module, "cumprod", taking<const T&, Axis>(GAIA_FUNCTION(cumprod)),
           arg("axis") = nb::none(),
           "Running products along an axis; without one, of all elements in order.");
  def_both(
      type, module, "take",
      [](const T& x, const Array& indices, Axis axis) {
        return axis ? take(x, indices, *axis) : take(x, indices);
      },
      arg("indices"), arg("axis") = nb::none(),
      "The elements at indices along an axis; without one, of all elements in order.");
  def_both(type, module, "trace",
           taking<const T&, std::int64_t, std::int64_t, std::int64_t>(GAIA_FUNCTION(trace)),
           arg("offset") = 0, arg("axis1") = 0, arg("axis2") = 1,
           "The sum along a diagonal of two axes.");
  def_both(
      type, module, "diagonal",
      [](const T& x, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
        return x.diagonal(offset, axis1, axis2);
      },
      arg("offset") = 0, arg("axis1") = 0, arg("axis2") = 1,
      "A view of the elements (i, i + offset) of two axes, which the diagonal replaces as the last "
      "one.");
  def_both(
      type, module, "expand_dims",
      [](const T& x, std::int64_t axis) { return x.expand_dims(axis); }, arg("axis"),
      "A view with an axis of length 1 more.");
  def_both(
      type, module, "broadcast_to",
      [](const T& x, const Shape& shape) { return x.broadcast_to(shape); }, arg("shape"),
      "A view of that shape, in which elements appear more than once.");
  const auto def_repeat = [](auto& owner, const char* repeats, const auto&... first) {
    owner.def(
        "repeat",
        [](const T& x, std::int64_t count, Axis axis) {
          return axis ? repeat(x, count, *axis) : repeat(x, count);
        },
        first..., arg(repeats), arg("axis") = nb::none(),
        "Each element so many times, along an axis; without one, in order of all.");
  };
  def_repeat(type, "repeats");
  def_repeat(module, "count", arg("x"));
}

/// Views and what tells of them.
template <class T>
void bind_views(nb::class_<T>& type) {
  type.def_prop_ro(
          "shape", [](const T& x) { return x.shape(); }, "The lengths of the axes, a tuple.")
      .def_prop_ro(
          "ndim", [](const T& x) { return x.rank(); }, "The number of axes.")
      .def_prop_ro(
          "size", [](const T& x) { return x.size(); }, "The number of elements.")
      .def_prop_ro(
          "dtype", [](const T& x) { return dtype_name(x.dtype()); },
          "The type of the elements, by NumPy's name: \"float32\".  It is equal to NumPy's own "
          "dtypes too: x.dtype == numpy.float32.")
      .def_prop_ro(
          "device", [](const T& x) { return gaia::to_string(x.device()); },
          "Where the elements lie: \"cpu\", \"cuda:0\".")
      .def_prop_ro(
          "T", [](const T& x) { return x.transpose(); }, "A view whose axes are reversed.")
      .def_prop_ro(
          "nbytes", [](const T& x) { return x.size() * size_of(x.dtype()); },
          "How many bytes the elements take.")
      .def_prop_ro(
          "itemsize", [](const T& x) { return size_of(x.dtype()); },
          "How many bytes one element takes.")
      .def(
          "item", [](const T& x) { return only_element(x); },
          "The only element, as a number: of whole numbers an int, exactly.\n\n"
          "Raises ShapeError if there are more or none.")
      .def(
          "astype", [](const T& x, DType dtype) { return x.astype(dtype); }, nb::arg("dtype"),
          "The elements in another dtype.")
      .def(
          "to", [](const T& x, const std::string& name) { return x.to(Device::from_name(name)); },
          nb::arg("device"),
          "The elements on another device.\n\nRaises DeviceError if it cannot be used.")
      .def(
          "reshape",
          [](const T& x, const nb::args& shape) {
            const nb::object given =
                shape.size() == 1 ? nb::object(shape[0]) : nb::object(nb::borrow(shape));
            return x.reshape(dims_of(given, "reshape"));
          },
          "The same elements in another shape; one length may be -1.\n\n"
          "Raises ShapeError if the elements do not fit.")
      .def(
          "transpose",
          [](const T& x, const nb::args& axes) {
            if (axes.size() == 0) return x.transpose();
            const nb::object given =
                axes.size() == 1 ? nb::object(axes[0]) : nb::object(nb::borrow(axes));
            return x.transpose(dims_of(given, "transpose"));
          },
          "A view with the axes in the order given; without one, reversed.")
      .def("swapaxes", &T::swapaxes, nb::arg("a"), nb::arg("b"),
           "A view in which axes a and b have changed places.")
      .def("squeeze", &T::squeeze, nb::arg("axis") = nb::none(),
           "A view without the axes of length one.")
      .def(
          "select",
          [](const T& x, std::int64_t axis, std::int64_t index) { return x.select(axis, index); },
          nb::arg("axis"), nb::arg("index"),
          "A view of one position along an axis, which disappears.")
      .def(
          "slice",
          [](const T& x, std::int64_t axis, std::optional<std::int64_t> start,
             std::optional<std::int64_t> stop,
             std::int64_t step) { return x.slice(axis, start, stop, step); },
          nb::arg("axis"), nb::arg("start") = nb::none(), nb::arg("stop") = nb::none(),
          nb::arg("step") = 1, "A view of start:stop:step along an axis.")
      .def(
          "ravel", [](const T& x) { return x.reshape({-1}); },
          "The elements in row-major order along one axis, a view where strides allow.")
      .def(
          "flatten", [](const T& x) { return gaia::python::copied(x.reshape({-1})); },
          "A copy of the elements in row-major order along one axis.")
      .def("clip",
           taking<const T&, std::optional<Scalar>, std::optional<Scalar>>(GAIA_FUNCTION(clip)),
           nb::arg("min") = nb::none(), nb::arg("max") = nb::none(),
           "x, but at least `min` and at most `max`.")
      .def("dot", taking<const T&, const T&>(GAIA_FUNCTION(dot)), nb::arg("b"),
           "The sum of the products over the last axis of this and the last but one of b.")
      .def("__len__",
           [](const T& x) {
             if (x.rank() == 0) throw nb::type_error("len() of an array without axes");
             return x.shape(0);
           })
      .def("__float__", [](const T& x) { return x.item(); })
      .def("__int__", [](const T& x) { return nb::int_(only_element(x)); });
}

/// A reduction, as a method of T or as a function of the module.
template <class T, class Owner, class Function>
void def_reduction(Owner& owner, const char* name, Function function, const char* about) {
  auto call = [function](const T& x, const Axes& axis, bool keep) {
    return function(x, axis, keep);
  };
  if constexpr (std::is_same_v<Owner, nb::module_>) {
    owner.def(name, std::move(call), nb::arg("x"), nb::arg("axis") = nb::none(),
              nb::arg("keepdims") = false, about);
  } else {
    owner.def(name, std::move(call), nb::arg("axis") = nb::none(), nb::arg("keepdims") = false,
              about);
  }
}

/// The same of variance and standard deviation, which take `ddof`.
template <class T, class Owner, class Function>
void def_spread(Owner& owner, const char* name, Function function, const char* about) {
  auto call = [function](const T& x, const Axes& axis, std::int64_t ddof, bool keep) {
    return function(x, axis, ddof, keep);
  };
  if constexpr (std::is_same_v<Owner, nb::module_>) {
    owner.def(name, std::move(call), nb::arg("x"), nb::arg("axis") = nb::none(),
              nb::arg("ddof") = 0, nb::arg("keepdims") = false, about);
  } else {
    owner.def(name, std::move(call), nb::arg("axis") = nb::none(), nb::arg("ddof") = 0,
              nb::arg("keepdims") = false, about);
  }
}

/// Reductions over axes, as methods of T or as functions of the module.
template <class T, class Owner>
void bind_reductions(Owner& owner) {
  def_reduction<T>(owner, "sum", GAIA_FUNCTION(sum),
                   "The sum over an axis, over several, or over all.");
  def_reduction<T>(owner, "mean", GAIA_FUNCTION(mean), "The mean over axes.");
  def_reduction<T>(owner, "prod", GAIA_FUNCTION(prod), "The product over axes.");
  def_reduction<T>(owner, "max", GAIA_FUNCTION(max), "The largest element over axes; NaN wins.");
  def_reduction<T>(owner, "min", GAIA_FUNCTION(min), "The smallest element over axes; NaN wins.");
  def_spread<T>(owner, "var", GAIA_FUNCTION(var),
                "The variance over axes, of n elements divided by n - ddof.");
  def_spread<T>(owner, "std", GAIA_FUNCTION(std),
                "The standard deviation over axes, of n elements divided by n - ddof.");
}

/// Functions of every element of one array, with the parameters that they have by themselves.
template <class T>
void bind_unary_functions(nb::module_& module) {
  UnaryFunctions::for_each([&](const auto& f) {
    if (f.facts.about == nullptr) return;
    module.def(
        f.facts.name, [f](const T& x) { return elementwise(f, x); }, nb::arg("x"), f.facts.about);
  });
}

/// Functions of two arrays, whose shapes are broadcast as NumPy's.
template <class T>
void bind_binary_functions(nb::module_& module) {
  using nb::arg;
  // Functions of two arrays alone.
  const auto def = [&](const char* name, auto function, const char* about) {
    module.def(
        name, [function](const T& a, const T& b) { return function(a, b); }, arg("a"), arg("b"),
        about);
  };
  // With a number on either side.
  const auto def_with_numbers = [&](const char* name, auto function, const char* about) {
    module.def(
        name, [function](const T& a, Scalar b) { return function(a, b); }, arg("a"), arg("b"),
        about);
    module.def(
        name, [function](Scalar a, const T& b) { return function(a, b); }, arg("a"), arg("b"));
    module.def(
        name, [function](const T& a, const T& b) { return function(a, b); }, arg("a"), arg("b"));
  };
  // The same of functions that take their operands in any order.
  const auto def_commutative = [&](const char* name, auto function, const char* about) {
    module.def(
        name, [function](const T& a, Scalar b) { return function(a, b); }, arg("a"), arg("b"),
        about);
    module.def(
        name, [function](Scalar a, const T& b) { return function(b, a); }, arg("a"), arg("b"));
    module.def(
        name, [function](const T& a, const T& b) { return function(a, b); }, arg("a"), arg("b"));
  };
  def_commutative("add", GAIA_FUNCTION(add), "a + b.");
  def_commutative("multiply", GAIA_FUNCTION(multiply), "a b, element by element.");
  def_commutative("maximum", GAIA_FUNCTION(maximum), "The larger of a and b; NaN if either is.");
  def_commutative("minimum", GAIA_FUNCTION(minimum), "The smaller of a and b; NaN if either is.");
  def_with_numbers("subtract", GAIA_FUNCTION(subtract), "a - b.");
  def_with_numbers("divide", GAIA_FUNCTION(divide), "a / b; of integers float64.");
  def_with_numbers("power", GAIA_FUNCTION(power), "a to the power of b.");
  def_with_numbers("floor_divide", GAIA_FUNCTION(floor_divide),
                   "The next whole number at or below a / b.");
  def_with_numbers("remainder", GAIA_FUNCTION(remainder),
                   "What is left of a after floor_divide(a, b) times b; it has the sign of b.");
  def_with_numbers("fmod", GAIA_FUNCTION(fmod),
                   "What is left of a after whole times b; it has the sign of a.");
  def("arctan2", GAIA_FUNCTION(arctan2), "The angle of the point (b, a), in radians.");
  def("hypot", GAIA_FUNCTION(hypot), "sqrt(a^2 + b^2).");
  def("logaddexp", GAIA_FUNCTION(logaddexp), "log(exp(a) + exp(b)).");
  def("matmul", GAIA_FUNCTION(matmul),
      "The matrix product of a [..., m, k] and b [..., k, n]: [..., m, n].\n\n"
      "Raises ShapeError if they do not fit.");
  def("dot", GAIA_FUNCTION(dot),
      "The sum of the products over the last axis of a and the last but one of b.");
  def("outer", GAIA_FUNCTION(outer), "All products of an element of a and one of b: [m, n].");
}

/// Functions of the module, of arrays or of tensors.
template <class T>
void bind_functions(nb::module_& module) {
  using nb::arg;
  bind_unary_functions<T>(module);
  bind_binary_functions<T>(module);
  bind_reductions<T>(module);
  def_reduction<T>(module, "logsumexp", GAIA_FUNCTION(logsumexp),
                   "log(sum(exp(x))) over axes, without overflow.");
  module.def("softmax", taking<const T&, std::int64_t>(GAIA_FUNCTION(softmax)), arg("x"),
             arg("axis") = -1, "exp(x) divided by its sum over an axis.");
  module.def("log_softmax", taking<const T&, std::int64_t>(GAIA_FUNCTION(log_softmax)), arg("x"),
             arg("axis") = -1, "log(softmax(x)), without overflow.");
  module.def("clip",
             taking<const T&, std::optional<Scalar>, std::optional<Scalar>>(GAIA_FUNCTION(clip)),
             arg("x"), arg("low") = nb::none(), arg("high") = nb::none(),
             "x, but at least `low` and at most `high`.");
  module.def("where", taking<const Array&, const T&, const T&>(GAIA_FUNCTION(where)),
             arg("condition"), arg("a"), arg("b"), "a where the condition is true, else b.");
  module.def("sort", taking<const T&, std::int64_t>(GAIA_FUNCTION(sort)), arg("x"),
             arg("axis") = -1, "The elements in ascending order along an axis; NaN comes last.");
}

}  // namespace gaia::python
