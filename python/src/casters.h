// SPDX-License-Identifier: MIT
/// \file
/// Small values of gaia's as Python writes them: shapes and axes as tuples, dtypes by NumPy's
/// names, numbers beside arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "../../src/array/scalar.h"
#include "../../src/formulas/dtype.h"
#include "../../src/formulas/shape.h"

namespace nanobind::detail {

/// An int, or a sequence of them; None is none at all.
template <>
struct type_caster<gaia::Dims> {
  NB_TYPE_CASTER(gaia::Dims, const_name("int | tuple[int, ...] | None"))

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) {
    value = {};
    if (source.is_none()) return true;
    if (PyIndex_Check(source.ptr()) != 0) return push(source);
    if (!PyTuple_Check(source.ptr()) && !PyList_Check(source.ptr())) return false;
    for (const handle item : borrow<object>(source)) {
      if (PyIndex_Check(item.ptr()) == 0 || !push(item)) return false;
    }
    return true;
  }

  static handle from_cpp(const gaia::Dims& dims, rv_policy /*policy*/, cleanup_list* /*cleanup*/) {
    PyObject* const made = PyTuple_New(dims.rank());
    for (int axis = 0; made != nullptr && axis < dims.rank(); ++axis) {
      PyTuple_SetItem(made, axis, PyLong_FromLongLong(dims[axis]));
    }
    return made;
  }

 private:
  bool push(handle item) {
    const Py_ssize_t number = PyNumber_AsSsize_t(item.ptr(), PyExc_OverflowError);
    if (number == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return false;
    }
    value.push_back(number);
    return true;
  }
};

/// A name, or whatever numpy.dtype takes.
template <>
struct type_caster<gaia::DType> {
  NB_TYPE_CASTER(gaia::DType, const_name("str | numpy.dtype"))

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) {
    try {
      std::string name;
      if (PyUnicode_Check(source.ptr()) != 0) {
        name = nanobind::cast<std::string>(source);
      } else if (source.is_none()) {
        return false;
      } else {
        name = nanobind::cast<std::string>(
            module_::import_("numpy").attr("dtype")(source).attr("name"));
      }
      value = gaia::dtype_from_name(name);
      return true;
    } catch (python_error&) {
      return false;
    } catch (const gaia::Error&) {
      return false;
    }
  }

  static handle from_cpp(gaia::DType type, rv_policy /*policy*/, cleanup_list* /*cleanup*/) {
    return str(gaia::to_string(type).c_str()).release();
  }
};

/// A number of Python's.
template <>
struct type_caster<gaia::Scalar> {
  static constexpr auto Name = const_name("float | int | bool");
  template <class T>
  using Cast = gaia::Scalar;
  template <class T>
  static constexpr bool can_cast() {
    return true;
  }
  gaia::Scalar value = 0.0;
  explicit operator gaia::Scalar() { return value; }

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) {
    PyObject* const number = source.ptr();
    if (PyBool_Check(number) != 0) {
      value = number == Py_True;
    } else if (PyFloat_Check(number) != 0) {
      value = PyFloat_AsDouble(number);
    } else if (PyLong_Check(number) != 0) {
      int overflow = 0;
      const long long integer = PyLong_AsLongLongAndOverflow(number, &overflow);
      if (overflow == 0) {
        value = static_cast<std::int64_t>(integer);
      } else {
        value = PyLong_AsDouble(number);
        if (PyErr_Occurred() != nullptr) {
          PyErr_Clear();
          return false;
        }
      }
    } else {
      return false;
    }
    return true;
  }

  static handle from_cpp(const gaia::Scalar& scalar, rv_policy /*policy*/,
                         cleanup_list* /*cleanup*/) {
    return scalar.floating ? PyFloat_FromDouble(scalar.value) : PyLong_FromLongLong(scalar.integer);
  }
};

}  // namespace nanobind::detail
