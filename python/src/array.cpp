// SPDX-License-Identifier: MIT
/// \file
/// gaia.Array: NumPy's operators and functions on gaia's devices, its elements shared with anyone
/// who asks.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>

#include "../../src/array/create.h"
#include "../../src/array/indexing.h"
#include "../../src/array/joining.h"
#include "../../src/array/linear.h"
#include "../../src/array/print.h"
#include "../../src/array/reductions.h"
#include "../../src/array/sorting.h"
#include "../../src/autograd/linear.h"
#include "bindings.h"
#include "values.h"

namespace gaia::python {

/// What is taken in by gaia/_intake.py, since NumPy or DLPack would hand over what a mask hides.
struct Foreign {
  nb::object numbers;
};

}  // namespace gaia::python

template <>
struct nanobind::detail::type_caster<gaia::python::Foreign> {
  NB_TYPE_CASTER(gaia::python::Foreign, const_name("object"))

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    try {
      value.numbers = gaia::python::plain(source);
      return !value.numbers.is(source);
    } catch (...) {
      return false;
    }
  }
};

namespace gaia::python {
namespace {

using nb::arg;

void bind_comparisons(nb::class_<Array>& type, nb::module_& module) {
  const auto def = [&](const char* method, const char* name, auto function, const char* about) {
    def_operator(type, method, function);
    module.def(
        name, [function](const Array& a, Scalar b) { return function(a, b); }, arg("a"), arg("b"),
        about);
    module.def(
        name, [function](const Array& a, const Array& b) { return function(a, b); }, arg("a"),
        arg("b"));
  };
  def("__eq__", "equal", GAIA_FUNCTION(equal), "Whether a is b, element by element: bool.");
  def("__ne__", "not_equal", GAIA_FUNCTION(not_equal), "Whether a is not b: bool.");
  def("__lt__", "less", GAIA_FUNCTION(less), "Whether a is less than b: bool.");
  def("__le__", "less_equal", GAIA_FUNCTION(less_equal), "Whether a is at most b: bool.");
  def("__gt__", "greater", GAIA_FUNCTION(greater), "Whether a is greater than b: bool.");
  def("__ge__", "greater_equal", GAIA_FUNCTION(greater_equal), "Whether a is at least b: bool.");
  type.def("__and__", [](const Array& a, const Array& b) { return a & b; }, nb::is_operator());
  type.def("__or__", [](const Array& a, const Array& b) { return a | b; }, nb::is_operator());
  type.def("__xor__", [](const Array& a, const Array& b) { return a ^ b; }, nb::is_operator());
  type.def("__invert__", [](const Array& x) { return ~x; });
}

/// Questions over axes.
void bind_questions_of_arrays(nb::class_<Array>& type, nb::module_& module) {
  const auto def = [&](const char* name, auto function, const char* about) {
    def_reduction<Array>(type, name, function, about);
    def_reduction<Array>(module, name, function, about);
  };
  def("any", GAIA_FUNCTION(any), "Whether any element over axes is not 0; of nothing False.");
  def("all", GAIA_FUNCTION(all), "Whether all elements over axes are not 0; of nothing True.");
  const auto def_place = [&](const char* name, auto function, const char* about) {
    def_both(
        type, module, name,
        [function](const Array& x, std::optional<std::int64_t> axis) { return function(x, axis); },
        arg("axis") = nb::none(), about);
  };
  def_place("argmax", GAIA_FUNCTION(argmax),
            "Where the largest element is along an axis, or among all in their order; NaN wins.");
  def_place("argmin", GAIA_FUNCTION(argmin),
            "Where the smallest element is along an axis, or among all in their order; NaN wins.");
  type.def("argsort", taking<const Array&, std::int64_t>(GAIA_FUNCTION(argsort)), arg("axis") = -1,
           "Where the elements in ascending order along an axis are: int64.");
  def_both(
      type, module, "nonzero",
      [](const Array& x) {
        nb::list found;
        for (const Array& axis : nonzero(x)) found.append(axis);
        return nb::tuple(found);
      },
      "Positions of what is not 0: an array of them for each axis.");
}

/// Operators that change the elements, which every view of them sees.
void bind_in_place(nb::class_<Array>& type) {
  const auto def = [&](const char* name, auto change) {
    type.def(
        name,
        [change](nb::handle self, Scalar value) {
          change(nb::cast<Array&>(self), value);
          return nb::borrow(self);
        },
        nb::is_operator(),
        nb::sig(("def " + std::string(name) + "(self, value: float | int | bool, /) -> Array")
                    .c_str()));
    type.def(
        name,
        [change](nb::handle self, const Array& values) {
          change(nb::cast<Array&>(self), values);
          return nb::borrow(self);
        },
        nb::is_operator(),
        nb::sig(("def " + std::string(name) + "(self, values: Array, /) -> Array").c_str()));
  };
  def("__iadd__", [](Array& x, const auto& y) { x += y; });
  def("__isub__", [](Array& x, const auto& y) { x -= y; });
  def("__imul__", [](Array& x, const auto& y) { x *= y; });
  def("__itruediv__", [](Array& x, const auto& y) { x /= y; });
}

void bind_exchange(nb::class_<Array>& type) {
  type.def(
          "__array__",
          [](const Array& x, nb::object dtype, nb::object copy) {
            nb::object made = nb::cast(to_numpy(x));
            if (!dtype.is_none()) made = made.attr("astype")(dtype, nb::arg("copy") = false);
            if (!copy.is_none() && nb::cast<bool>(copy)) made = made.attr("copy")();
            return made;
          },
          arg("dtype") = nb::none(), arg("copy") = nb::none(), "For numpy.asarray.")
      .def_prop_ro("__array_interface__",
                   [](const Array& x) {
                     if (!x.device().is_cpu()) {
                       PyErr_SetString(PyExc_AttributeError, "__array_interface__");
                       nb::raise_python_error();
                     }
                     return nb::object(nb::cast(to_numpy(x)).attr("__array_interface__"));
                   })
      .def(
          "__dlpack__",
          [](const Array& x, const nb::object& /*stream*/, const nb::object& max_version,
             const std::optional<std::pair<int, int>>& device,
             std::optional<bool> copy) { return to_dlpack(x, device, copy, max_version); },
          nb::kw_only(), arg("stream") = nb::none(), arg("max_version") = nb::none(),
          arg("dl_device") = nb::none(), arg("copy") = nb::none(),
          "The elements, shared with anyone who speaks DLPack, on the CPU and on CUDA devices.\n\n"
          "Raises BufferError for a device that is neither theirs nor the CPU, or that they would "
          "have to be copied to with copy=False.")
      .def(
          "__dlpack_device__", [](const Array& x) { return dlpack_device(x.device()); },
          "DLPack's kind and number of the device: (1, 0) on the CPU, (2, i) on CUDA devices.")
      .def(
          "numpy", [](const Array& x) { return to_numpy(x); },
          "A NumPy array that shares the elements (of a GPU: a copy).")
      .def(
          "tolist",
          [](const Array& x) { return nb::object(nb::cast(to_numpy(x)).attr("tolist")()); },
          "The elements as numbers in nested lists.");
}

}  // namespace

void bind_array(nb::module_& module) {
  nb::class_<Array> type(
      module, "Array",
      "Numbers of one type in up to eight dimensions, on a device.\n\n"
      "    a = gaia.Array(numpy_array)     # shares its elements\n"
      "    b = gaia.array([[1, 2], [3, 4]])\n"
      "    numpy.from_dlpack(gaia.tanh(a) @ b)\n\n"
      "Names, broadcasting and promotion are NumPy's.  Views (slices, transposes, reshapes) share\n"
      "their elements.  What NumPy or DLPack passes is shared too, unless it is read-only, "
      "which\n"
      "is copied.  dtypes: float32, float64, int32, int64, bool, bfloat16.\n\n"
      "Raises DTypeError for other dtypes, ShapeError for more than eight axes and for shapes "
      "that\n"
      "do not fit each other.");
  type.def(
      "__init__",
      [](Array* made, const Foreign& given) { new (made) Array(from_python(given.numbers)); },
      arg("numbers"));
  type.def(
      "__init__",
      [](Array* made, const nb::ndarray<>& numbers) { new (made) Array(borrow(Handed(numbers))); },
      arg("numbers"));
  // What is read-only is not written to through an array.
  type.def(
      "__init__",
      [](Array* made, const Handed& numbers) { new (made) Array(borrow(numbers).copy()); },
      arg("numbers"));
  type.def(
      "__init__",
      [](Array* made, const nb::object& numbers) { new (made) Array(from_python(numbers)); },
      arg("numbers"));
  nb::implicitly_convertible<nb::ndarray<>, Array>();
  nb::implicitly_convertible<Handed, Array>();

  bind_operators<Array>(type);
  bind_views<Array>(type);
  bind_methods<Array>(type, module);
  bind_reductions<Array>(type);
  bind_comparisons(type, module);
  bind_exchange(type);
  type.def("__getitem__", &index_any<Array>, arg("index").none())
      .def(
          "__setitem__",
          [](nb::handle self, nb::handle index, double value) {
            if (is_basic(index)) {
              index_basic(nb::cast<const Array&>(self), index).fill(value);
            } else {
              nb::module_::import_("gaia._indexing").attr("put")(self, index, value);
            }
          },
          arg("index").none(), arg("value"))
      .def(
          "__setitem__",
          [](nb::handle self, nb::handle index, const Array& values) {
            if (is_basic(index)) {
              index_basic(nb::cast<const Array&>(self), index).assign(values);
            } else {
              nb::module_::import_("gaia._indexing").attr("put")(self, index, values);
            }
          },
          arg("index").none(), arg("values"))
      .def(
          "__setitem__",
          [](nb::handle self, nb::handle index, const nb::sequence& values) {
            nb::cast<nb::object>(self).attr("__setitem__")(index, array_of(values));
          },
          arg("index").none(), arg("values"))
      .def("__repr__", taking<const Array&>(GAIA_FUNCTION(to_string)))
      .def("__bool__", [](const Array& x) { return x.item() != 0.0; })
      .def("copy", &Array::copy, "An array with elements of its own.")
      .def("contiguous", &Array::contiguous,
           "This array if its elements follow each other in memory, else such a copy.")
      .def(
          "assign", [](const Array& x, const Array& values) { x.assign(values); }, arg("values"),
          "Sets the elements, to values that broadcast and are cast.")
      .def(
          "windows",
          [](const Array& x, std::int64_t rows, std::int64_t columns, std::int64_t row_stride) {
            return x.windows(rows, columns, row_stride);
          },
          arg("rows"), arg("columns"), arg("row_stride"),
          "A view [rows, columns] of a contiguous array with one axis, in which a row starts "
          "row_stride elements after the one before it.")
      .def_prop_ro("is_contiguous", &Array::is_contiguous,
                   "Whether its elements follow each other in memory.")
      .def_prop_ro("version", &Array::version,
                   "How often the elements, which views share, were changed through an Array.")
      .def(
          "fill", [](const Array& x, double value) { x.fill(value); }, arg("value"),
          "Gives every element a value.")
      .def("__copy__", &Array::copy)
      .def(
          "__deepcopy__", [](const Array& x, nb::handle) { return x.copy(); }, arg("memo"))
      .def("__reduce__",
           [](const Array& x) {
             return nb::make_tuple(nb::type<Array>(), nb::make_tuple(to_numpy(x)));
           })
      .def_prop_ro(
          "strides", [](const Array& x) { return Dims(x.strides()); },
          "How many elements lie between neighbours along each axis.");
  bind_questions_of_arrays(type, module);
  bind_in_place(type);
  type.attr("__array_priority__") = 1000;

  bind_functions<Array>(module);
  module.def(
      "array",
      [](nb::handle numbers, std::optional<DType> dtype) {
        const Array made =
            nb::isinstance<Array>(numbers) ? nb::cast<Array>(numbers).copy() : from_python(numbers);
        return dtype ? made.astype(*dtype) : made;
      },
      arg("numbers"), arg("dtype") = nb::none(),
      "An array with elements of its own, of a number, lists of numbers, or an array; floating "
      "numbers of lists are float32.\n\nRaises DTypeError for a dtype that gaia does not have.");
  module.def(
      "asarray", [](const Array& numbers) { return numbers; }, arg("numbers"),
      "The array itself, or what NumPy or DLPack passes, shared.");
  const auto def_question = [&](const char* name, auto function, const char* about) {
    module.def(name, [function](const Array& x) { return function(x); }, arg("x"), about);
  };
  def_question("isnan", GAIA_FUNCTION(isnan), "Whether an element is NaN: bool.");
  def_question("isinf", GAIA_FUNCTION(isinf), "Whether an element is infinite: bool.");
  def_question("isfinite", GAIA_FUNCTION(isfinite),
               "Whether an element is neither NaN nor infinite: bool.");
  module.def("zeros", &zeros, arg("shape"), arg("dtype") = DType::float32, "An array of zeros.");
  module.def("ones", &ones, arg("shape"), arg("dtype") = DType::float32, "An array of ones.");
  module.def("full", &full, arg("shape"), arg("value"), arg("dtype") = DType::float32,
             "An array of one value.");
  module.def("empty", &empty, arg("shape"), arg("dtype") = DType::float32,
             "An array whose elements are not set.");
  module.def("zeros_like", &zeros_like, arg("x"), "Zeros in the shape and dtype of x.");
  module.def("ones_like", &ones_like, arg("x"), "Ones in the shape and dtype of x.");
  module.def("eye", &eye, arg("rows"), arg("columns") = 0, arg("dtype") = DType::float32,
             "Ones on the diagonal, zeros elsewhere: [rows, columns], or [rows, rows].");
  module.def("arange", taking<Scalar>(GAIA_FUNCTION(arange)), arg("stop"),
             "0, 1, 2, ... below `stop`; or from `start` on in steps of `step`.");
  module.def("arange", taking<Scalar, Scalar, Scalar>(GAIA_FUNCTION(arange)), arg("start"),
             arg("stop"), arg("step") = Scalar(1));
  module.def("linspace", &linspace, arg("start"), arg("stop"), arg("count"),
             arg("dtype") = DType::float32, arg("endpoint") = true,
             "`count` numbers at equal distances from `start` to `stop`.");
  module.def("random_normal",
             taking<const Shape&, double, double, DType>(GAIA_FUNCTION(random_normal)),
             arg("shape"), arg("mean") = 0.0, arg("deviation") = 1.0, arg("dtype") = DType::float32,
             "Normally distributed random numbers; `set_seed` says which.");
  module.def("random_uniform",
             taking<const Shape&, double, double, DType>(GAIA_FUNCTION(random_uniform)),
             arg("shape"), arg("low") = 0.0, arg("high") = 1.0, arg("dtype") = DType::float32,
             "Random numbers spread evenly from `low` to below `high`; `set_seed` says which.");
  module.def("argsort", taking<const Array&, std::int64_t>(GAIA_FUNCTION(argsort)), arg("x"),
             arg("axis") = -1, "Where the elements of `sort(x, axis)` were: int64.");
  module.def(
      "einsum",
      [](const std::string& equation, const nb::args& operands) {
        std::vector<Array> arrays;
        std::vector<Tensor> tensors;
        for (const nb::handle one : operands) {
          Tensor tensor;
          if (nb::isinstance<Tensor>(one)) {
            tensor = nb::cast<Tensor>(one);
          } else {
            arrays.push_back(array_of(one));
            tensor = Tensor(arrays.back(), false);
          }
          tensors.push_back(tensor);
        }
        const bool has_tensors = arrays.size() < tensors.size();
        return has_tensors ? nb::cast(einsum(equation, std::span<const Tensor>(tensors)))
                           : nb::cast(einsum(equation, arrays));
      },
      arg("equation"), arg("operands"),
      "Sums of products by Einstein's convention: einsum(\"ij,jk->ik\", a, b), of arrays, tensors, "
      "numbers and lists; a Tensor if one of them is.\n\n"
      "Raises ArgumentError for an equation that cannot be read, ShapeError if lengths differ, "
      "DTypeError for operands that are no numbers.");
}

}  // namespace gaia::python
