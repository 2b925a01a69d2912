// SPDX-License-Identifier: MIT
/// \file
/// A call with arguments that no form of a function takes, as a gaia.ArgumentTypeError that names
/// the argument (gaia/_call_errors.py finds it), in place of nanobind's list of all forms.
#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "bindings.h"

namespace gaia::python {
namespace {

namespace nb = nanobind;

using Call = PyObject* (*)(PyObject*, PyObject* const*, std::size_t, PyObject*);

/// nanobind calls each of its functions by one of a few of its own.
constexpr std::size_t kCalls = 12;
std::array<Call, kCalls> nanobinds{};

/// Whether the error that is set is nanobind's own of a call that nothing takes.
bool is_of_a_call(PyObject* raised) {
  if (Py_TYPE(raised) != reinterpret_cast<PyTypeObject*>(PyExc_TypeError)) return false;
  const nb::object text = nb::steal(PyObject_Str(raised));
  if (!text.is_valid()) {
    PyErr_Clear();
    return false;
  }
  const char* const told = PyUnicode_AsUTF8(text.ptr());
  return told != nullptr && std::strstr(told, "(): incompatible function arguments.") != nullptr;
}

/// Puts an error that names the argument in place of the one that is set, if it is of a call.
void explain(PyObject* function, PyObject* const* given, std::size_t positional, PyObject* names) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value != nullptr && is_of_a_call(value)) {
    try {
      nb::list positions;
      for (std::size_t i = 0; i < positional; ++i) positions.append(nb::handle(given[i]));
      nb::dict named;
      if (names != nullptr) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
          named[nb::handle(PyTuple_GET_ITEM(names, i))] =
              nb::handle(given[positional + static_cast<std::size_t>(i)]);
        }
      }
      const nb::object made = nb::module_::import_("gaia._call_errors")
                                  .attr("error_of")(nb::handle(function), positions, named);
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(traceback);
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
      return;
    } catch (nb::python_error&) {  // whatever it has against it: nanobind's own stays
    }
  }
  PyErr_Restore(type, value, traceback);
}

template <std::size_t at>
PyObject* called(PyObject* self, PyObject* const* given, std::size_t flagged, PyObject* names) {
  PyObject* const made = nanobinds[at](self, given, flagged, names);
  // Beside the number of arguments stand flags of Python's and of nanobind's.
  if (made == nullptr) explain(self, given, flagged & 0xffffffff, names);
  return made;
}

/// The same of the constructor of a Module, which keeps what it was built from: copies and pickles
/// of it are built anew from that (gaia/_modules.py).
template <std::size_t at>
PyObject* constructed(PyObject* self, PyObject* const* given, std::size_t flagged,
                      PyObject* names) {
  PyObject* const made = called<at>(self, given, flagged, names);
  const std::size_t positional = flagged & 0xffffffff;
  if (made == nullptr || positional == 0) return made;
  try {
    nb::list positions;
    for (std::size_t i = 1; i < positional; ++i) positions.append(nb::handle(given[i]));
    nb::dict named;
    for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
      named[nb::handle(PyTuple_GET_ITEM(names, i))] =
          nb::handle(given[positional + static_cast<std::size_t>(i)]);
    }
    nb::dict attributes = nb::borrow<nb::dict>(nb::handle(given[0]).attr("__dict__"));
    attributes["_arguments"] = nb::make_tuple(nb::tuple(positions), named);
    return made;
  } catch (nb::python_error& error) {
    Py_DECREF(made);
    error.restore();
    return nullptr;
  }
}

template <std::size_t... at>
constexpr std::array<Call, kCalls> calls(std::index_sequence<at...> /*of all*/) {
  return {called<at>...};
}

template <std::size_t... at>
constexpr std::array<Call, kCalls> constructors(std::index_sequence<at...> /*of all*/) {
  return {constructed<at>...};
}

/// A function of nanobind's is called through us from here on; all else stays.
void guard(nb::handle function, bool is_constructor = false) {
  PyTypeObject* const type = Py_TYPE(function.ptr());
  const auto offset = type->tp_vectorcall_offset;
  if (offset <= 0 || PyObject_HasAttrString(function.ptr(), "__nb_signature__") == 0) return;
  auto* const place = reinterpret_cast<Call*>(reinterpret_cast<char*>(function.ptr()) + offset);
  static constexpr std::array<Call, kCalls> plain = calls(std::make_index_sequence<kCalls>());
  static constexpr std::array<Call, kCalls> keeping =
      constructors(std::make_index_sequence<kCalls>());
  const std::array<Call, kCalls>& ours = is_constructor ? keeping : plain;
  for (std::size_t i = 0; i < kCalls; ++i) {
    if (*place == ours[i]) return;
    if (nanobinds[i] == nullptr) nanobinds[i] = *place;
    if (nanobinds[i] == *place) {
      *place = ours[i];
      return;
    }
  }
}

void guard_all(nb::handle scope, nb::handle module_type) {
  const bool is_module =
      PyType_Check(scope.ptr()) != 0 && PyObject_IsSubclass(scope.ptr(), module_type.ptr()) == 1;
  for (const nb::handle item : nb::list(scope.attr("__dict__").attr("items")())) {
    const nb::object name = item[0];
    const nb::object one = item[1];
    if (PyType_Check(one.ptr()) != 0) {
      if (nb::type_check(one)) guard_all(one, module_type);
    } else if (Py_TYPE(one.ptr()) == &PyProperty_Type) {
      guard(one.attr("fget"));
      guard(one.attr("fset"));
    } else {
      guard(one, is_module && nb::cast<nb::str>(name).equal(nb::str("__init__")));
    }
  }
}

}  // namespace

void guard_calls(nb::module_& module) { guard_all(module, module.attr("Module")); }

}  // namespace gaia::python
