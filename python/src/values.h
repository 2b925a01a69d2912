// SPDX-License-Identifier: MIT
/// \file
/// What arrays and tensors have in common in Python: operators, views, functions under NumPy's
/// names.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "../../src/array/functions.h"
#include "../../src/array/ops.h"
#include "../../src/autograd/ops.h"
#include "casters.h"
#include "exchange.h"

namespace gaia::python {

/// x[index], of whole numbers, slices, None and ...; the axes that it does not name stay.
/// \throws nb::type_error for anything else, IndexError as Python's sequences.
template <class T>
T index_basic(const T& x, nb::handle index) {
  const nb::tuple parts = PyTuple_Check(index.ptr()) != 0 ? nb::borrow<nb::tuple>(index)
                                                          : nb::make_tuple(nb::borrow(index));
  int named = 0;
  for (const nb::handle part : parts) {
    if (!part.is_none() && !nb::isinstance<nb::ellipsis>(part)) ++named;
  }
  if (named > x.rank()) {
    throw nb::index_error("[index] more indices than the array has axes");
  }
  T result = x;
  std::int64_t axis = 0;
  for (const nb::handle part : parts) {
    if (part.is_none()) {
      result = result.expand_dims(axis++);
    } else if (nb::isinstance<nb::ellipsis>(part)) {
      axis += x.rank() - named;
    } else if (PySlice_Check(part.ptr()) != 0) {
      const auto bound = [&](const char* name) -> std::optional<std::int64_t> {
        const nb::object value = part.attr(name);
        if (value.is_none()) return std::nullopt;
        return nb::cast<std::int64_t>(value);
      };
      result = result.slice(axis, bound("start"), bound("stop"), bound("step").value_or(1));
      ++axis;
    } else if (PyIndex_Check(part.ptr()) != 0) {
      const Py_ssize_t at = PyNumber_AsSsize_t(part.ptr(), PyExc_IndexError);
      if (at == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
      const std::int64_t length = result.shape(static_cast<int>(axis));
      if (at < -length || at >= length) {
        throw nb::index_error("[index] expected a position within the axis");
      }
      result = result.select(axis, at);
    } else {
      throw nb::type_error("[index] expected whole numbers, slices, None and ...");
    }
  }
  return result;
}

/// Operators, with numbers and with arrays on either side.
template <class T, class Class>
void bind_operators(Class& type) {
#define GAIA_OPERATOR(name, reversed, function)                                                \
  type.def(                                                                                    \
      name, [](const T& a, Scalar b) { return gaia::function(a, b); }, nb::is_operator());     \
  type.def(                                                                                    \
      name, [](const T& a, const T& b) { return gaia::function(a, b); }, nb::is_operator());   \
  type.def(                                                                                    \
      reversed, [](const T& b, Scalar a) { return gaia::function(a, b); }, nb::is_operator()); \
  type.def(                                                                                    \
      reversed, [](const T& b, const T& a) { return gaia::function(a, b); }, nb::is_operator());
  GAIA_OPERATOR("__sub__", "__rsub__", subtract)
  GAIA_OPERATOR("__truediv__", "__rtruediv__", divide)
  GAIA_OPERATOR("__pow__", "__rpow__", power)
  GAIA_OPERATOR("__floordiv__", "__rfloordiv__", floor_divide)
  GAIA_OPERATOR("__mod__", "__rmod__", remainder)
#undef GAIA_OPERATOR
#define GAIA_OPERATOR(name, reversed, function)                                                \
  type.def(                                                                                    \
      name, [](const T& a, Scalar b) { return gaia::function(a, b); }, nb::is_operator());     \
  type.def(                                                                                    \
      name, [](const T& a, const T& b) { return gaia::function(a, b); }, nb::is_operator());   \
  type.def(                                                                                    \
      reversed, [](const T& b, Scalar a) { return gaia::function(b, a); }, nb::is_operator()); \
  type.def(                                                                                    \
      reversed, [](const T& b, const T& a) { return gaia::function(a, b); }, nb::is_operator());
  GAIA_OPERATOR("__add__", "__radd__", add)
  GAIA_OPERATOR("__mul__", "__rmul__", multiply)
#undef GAIA_OPERATOR
  type.def(
      "__matmul__", [](const T& a, const T& b) { return matmul(a, b); }, nb::is_operator());
  type.def(
      "__rmatmul__", [](const T& b, const T& a) { return matmul(a, b); }, nb::is_operator());
  type.def("__neg__", [](const T& x) { return negative(x); });
  type.def("__pos__", [](const T& x) { return x; });
  type.def("__abs__", [](const T& x) { return gaia::abs(x); });
}

/// Views and what tells of them.
template <class T, class Class>
void bind_views(Class& type) {
  type.def_prop_ro("shape", [](const T& x) { return x.shape(); })
      .def_prop_ro("ndim", [](const T& x) { return x.rank(); })
      .def_prop_ro("size", [](const T& x) { return x.size(); })
      .def_prop_ro("dtype", [](const T& x) { return x.dtype(); })
      .def_prop_ro("device", [](const T& x) { return gaia::to_string(x.device()); })
      .def_prop_ro("T", [](const T& x) { return x.transpose(); })
      .def(
          "item", [](const T& x) { return x.item(); }, "The only element.")
      .def(
          "astype", [](const T& x, DType dtype) { return x.astype(dtype); }, nb::arg("dtype"))
      .def(
          "to", [](const T& x, const std::string& name) { return x.to(Device::from_name(name)); },
          nb::arg("device"))
      .def(
          "reshape",
          [](const T& x, const nb::args& shape) {
            const nb::object given =
                shape.size() == 1 ? nb::object(shape[0]) : nb::object(nb::borrow(shape));
            return x.reshape(nb::cast<Dims>(given));
          },
          "The same elements in another shape; one length may be -1.")
      .def(
          "transpose",
          [](const T& x, const nb::args& axes) {
            if (axes.size() == 0) return x.transpose();
            const nb::object given =
                axes.size() == 1 ? nb::object(axes[0]) : nb::object(nb::borrow(axes));
            return x.transpose(nb::cast<Dims>(given));
          },
          "Axes in the order given; without one, reversed.")
      .def("swapaxes", &T::swapaxes, nb::arg("a"), nb::arg("b"))
      .def("squeeze", &T::squeeze, nb::arg("axis") = nb::none())
      .def("__len__",
           [](const T& x) {
             if (x.rank() == 0) throw nb::type_error("len() of an array without axes");
             return x.shape(0);
           })
      .def("__float__", [](const T& x) { return x.item(); })
      .def("__int__", [](const T& x) { return static_cast<std::int64_t>(x.item()); });
}

/// Reductions as methods.
template <class T, class Class>
void bind_reductions(Class& type) {
#define GAIA_REDUCTION(name)                                                                    \
  type.def(                                                                                     \
      #name, [](const T& x, const Axes& axis, bool keep) { return gaia::name(x, axis, keep); }, \
      nb::arg("axis") = nb::none(), nb::arg("keepdims") = false);
  GAIA_REDUCTION(sum)
  GAIA_REDUCTION(mean)
  GAIA_REDUCTION(prod)
  GAIA_REDUCTION(max)
  GAIA_REDUCTION(min)
#undef GAIA_REDUCTION
  type.def(
      "var",
      [](const T& x, const Axes& axis, std::int64_t ddof, bool keep) {
        return gaia::var(x, axis, ddof, keep);
      },
      nb::arg("axis") = nb::none(), nb::arg("ddof") = 0, nb::arg("keepdims") = false);
  type.def(
      "std",
      [](const T& x, const Axes& axis, std::int64_t ddof, bool keep) {
        return gaia::std(x, axis, ddof, keep);
      },
      nb::arg("axis") = nb::none(), nb::arg("ddof") = 0, nb::arg("keepdims") = false);
}

/// Functions of the module, of arrays or of tensors.
template <class T>
void bind_functions(nb::module_& module) {
  using nb::arg;
#define GAIA_UNARY(name) \
  module.def(            \
      #name, [](const T& x) { return gaia::name(x); }, arg("x"));
  GAIA_UNARY(negative)
  GAIA_UNARY(abs) GAIA_UNARY(sign) GAIA_UNARY(square) GAIA_UNARY(sqrt) GAIA_UNARY(rsqrt) GAIA_UNARY(
      reciprocal) GAIA_UNARY(exp) GAIA_UNARY(exp2) GAIA_UNARY(expm1) GAIA_UNARY(log)
      GAIA_UNARY(log2) GAIA_UNARY(log10) GAIA_UNARY(log1p) GAIA_UNARY(sin) GAIA_UNARY(cos)
          GAIA_UNARY(tan) GAIA_UNARY(arcsin) GAIA_UNARY(arccos) GAIA_UNARY(arctan) GAIA_UNARY(
              sinh) GAIA_UNARY(cosh) GAIA_UNARY(tanh) GAIA_UNARY(arcsinh) GAIA_UNARY(arccosh)
              GAIA_UNARY(arctanh) GAIA_UNARY(erf) GAIA_UNARY(erfc) GAIA_UNARY(floor) GAIA_UNARY(
                  ceil) GAIA_UNARY(trunc) GAIA_UNARY(sigmoid) GAIA_UNARY(log_sigmoid)
                  GAIA_UNARY(relu) GAIA_UNARY(selu) GAIA_UNARY(silu) GAIA_UNARY(gelu) GAIA_UNARY(
                      softplus) GAIA_UNARY(elu) GAIA_UNARY(leaky_relu)
#undef GAIA_UNARY
#define GAIA_BINARY(name) \
  module.def(             \
      #name, [](const T& a, const T& b) { return gaia::name(a, b); }, arg("a"), arg("b"));
#define GAIA_WITH_NUMBERS(name)                                                          \
  module.def(                                                                            \
      #name, [](const T& a, Scalar b) { return gaia::name(a, b); }, arg("a"), arg("b")); \
  module.def(                                                                            \
      #name, [](Scalar a, const T& b) { return gaia::name(a, b); }, arg("a"), arg("b")); \
  GAIA_BINARY(name)
#define GAIA_EITHER_WAY(name)                                                            \
  module.def(                                                                            \
      #name, [](const T& a, Scalar b) { return gaia::name(a, b); }, arg("a"), arg("b")); \
  module.def(                                                                            \
      #name, [](Scalar a, const T& b) { return gaia::name(b, a); }, arg("a"), arg("b")); \
  GAIA_BINARY(name)
                      GAIA_WITH_NUMBERS(subtract) GAIA_WITH_NUMBERS(divide) GAIA_WITH_NUMBERS(
                          power) GAIA_WITH_NUMBERS(floor_divide) GAIA_WITH_NUMBERS(remainder)
                          GAIA_WITH_NUMBERS(fmod) GAIA_EITHER_WAY(add) GAIA_EITHER_WAY(multiply)
                              GAIA_EITHER_WAY(maximum) GAIA_EITHER_WAY(minimum) GAIA_BINARY(arctan2)
                                  GAIA_BINARY(hypot) GAIA_BINARY(logaddexp) GAIA_BINARY(matmul)
                                      GAIA_BINARY(dot) GAIA_BINARY(outer)
#undef GAIA_BINARY
#undef GAIA_WITH_NUMBERS
#undef GAIA_EITHER_WAY
#define GAIA_REDUCTION(name)                                                                    \
  module.def(                                                                                   \
      #name, [](const T& x, const Axes& axis, bool keep) { return gaia::name(x, axis, keep); }, \
      arg("x"), arg("axis") = nb::none(), arg("keepdims") = false);
                                          GAIA_REDUCTION(sum) GAIA_REDUCTION(mean)
                                              GAIA_REDUCTION(prod) GAIA_REDUCTION(max)
                                                  GAIA_REDUCTION(min) GAIA_REDUCTION(logsumexp)
#undef GAIA_REDUCTION
#define GAIA_SPREAD(name)                                              \
  module.def(                                                          \
      #name,                                                           \
      [](const T& x, const Axes& axis, std::int64_t ddof, bool keep) { \
        return gaia::name(x, axis, ddof, keep);                        \
      },                                                               \
      arg("x"), arg("axis") = nb::none(), arg("ddof") = 0, arg("keepdims") = false);
                                                      GAIA_SPREAD(var) GAIA_SPREAD(std)
#undef GAIA_SPREAD
                                                          module.def(
                                                              "softmax",
                                                              [](const T& x, std::int64_t axis) {
                                                                return softmax(x, axis);
                                                              },
                                                              arg("x"), arg("axis") = -1);
  module.def(
      "log_softmax", [](const T& x, std::int64_t axis) { return log_softmax(x, axis); }, arg("x"),
      arg("axis") = -1);
  module.def(
      "clip",
      [](const T& x, std::optional<Scalar> low, std::optional<Scalar> high) {
        return clip(x, low, high);
      },
      arg("x"), arg("low") = nb::none(), arg("high") = nb::none());
  module.def(
      "cumsum", [](const T& x, std::optional<std::int64_t> axis) { return cumsum(x, axis); },
      arg("x"), arg("axis") = nb::none());
  module.def(
      "where",
      [](const Array& condition, const T& a, const T& b) { return where(condition, a, b); },
      arg("condition"), arg("a"), arg("b"));
  module.def(
      "sort", [](const T& x, std::int64_t axis) { return sort(x, axis); }, arg("x"),
      arg("axis") = -1);
}

}  // namespace gaia::python
