// SPDX-License-Identifier: MIT
/// \file
/// Elements by their positions, arrays that are joined and taken apart, order: of arrays and of
/// tensors.  Those that write change an Array in place and give a new Tensor.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/functions.h"
#include "../../src/array/indexing.h"
#include "../../src/array/joining.h"
#include "../../src/array/random_arrays.h"
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
void bind_reading(nb::module_& module) {
  module.def(
      "take_along_axis",
      taking<const T&, const Array&, std::int64_t>(GAIA_FUNCTION(take_along_axis)), arg("x"),
      arg("indices"), arg("axis"),
      "x[..., indices[..., i, ...], ...] along an axis; x and indices have the same rank and "
      "broadcast along the other axes.\n\n"
      "Raises ArgumentError for an index out of range, ShapeError for shapes that do not fit.");
  module.def(
      "gather", taking<const T&, const Array&, std::int64_t>(GAIA_FUNCTION(gather)), arg("x"),
      arg("indices"), arg("axis"),
      "As take_along_axis, but indices may be shorter than x along the other axes, where it then "
      "reads the first positions: the shape is that of indices, as PyTorch's gather.");
  module.def(
      "masked_select", taking<const T&, const Array&>(GAIA_FUNCTION(masked_select)), arg("x"),
      arg("mask"),
      "The elements, or sub-arrays, where a bool mask of x's shape, or of its first axes, holds: "
      "[count, remaining axes of x].\n\n"
      "Raises DTypeError for a mask that is not bool, ShapeError for one of another shape.");
  module.def(
      "top_k",
      [](const T& x, std::int64_t k, std::int64_t axis, bool largest) {
        auto found = top_k(x, k, axis, largest);
        return std::pair(std::move(found.values), std::move(found.indices));
      },
      arg("x"), arg("k"), arg("axis") = -1, arg("largest") = true,
      "The k largest elements along an axis, from the largest on (or the k smallest, from the "
      "smallest on), and where they are, int64: a pair.\n\n"
      "Raises ArgumentError if k is negative or above the length of the axis.");
  module.def("normalize", taking<const T&, std::int64_t, double>(GAIA_FUNCTION(normalize)),
             arg("x"), arg("axis") = -1, arg("epsilon") = 1e-8,
             "x / (|x| + epsilon) along an axis, |x| being the Euclidean norm.");
  module.def(
      "activate",
      [](const std::string& name, const T& x) { return activate(activation_from_name(name), x); },
      arg("name"), arg("x"),
      "The activation of that name of x, softmax along the last axis.\n\n"
      "Raises ArgumentError for a name that is none.");
  module.def("weighted_sum",
             taking<Scalar, const T&, Scalar, const T&>(GAIA_FUNCTION(weighted_sum)), arg("p"),
             arg("a"), arg("q"), arg("b"), "p a + q b in one pass over memory.");
}

void bind_writing_of_arrays(nb::module_& module) {
  module.def(
      "index_add",
      [](const Array& x, const Array& indices, const Array& values, std::int64_t axis) {
        index_add(x, indices, values, axis);
      },
      arg("x"), arg("indices"), arg("values"), arg("axis") = 0,
      "Adds values[..., i, ...] to x[..., indices[i], ...]: an index that comes twice adds twice. "
      "An Array is changed in place; of a Tensor a new one comes back.");
  module.def(
      "index_assign",
      [](const Array& x, const Array& indices, const Array& values, std::int64_t axis) {
        index_assign(x, indices, values, axis);
      },
      arg("x"), arg("indices"), arg("values"), arg("axis") = 0,
      "Sets x[..., indices[i], ...] to values[..., i, ...], in place; of an index that comes twice "
      "the last counts.");
  module.def(
      "scatter_add",
      [](const Array& x, const Array& indices, const Array& values, std::int64_t axis) {
        scatter_add(x, indices, values, axis);
      },
      arg("x"), arg("indices"), arg("values"), arg("axis"),
      "Adds values[..., i, ...] to x[..., indices[..., i, ...], ...] along an axis; repeated "
      "indices add up. An Array is changed in place; of a Tensor a new one comes back.");
  module.def(
      "put_along_axis",
      [](const Array& x, const Array& indices, const Array& values, std::int64_t axis) {
        put_along_axis(x, indices, values, axis);
      },
      arg("x"), arg("indices"), arg("values"), arg("axis"),
      "Sets x[..., indices[..., i, ...], ...] to values[..., i, ...] along an axis, in place; of "
      "repeated indices the last counts.");
  module.def(
      "masked_assign",
      [](const Array& x, const Array& mask, const Array& values) {
        masked_assign(x, mask, values);
      },
      arg("x"), arg("mask"), arg("values"),
      "Sets x where a bool mask holds, in place; values broadcast to masked_select(x, mask).");
  module.def(
      "masked_fill",
      [](const Array& x, const Array& mask, double value) { masked_fill(x, mask, value); },
      arg("x"), arg("mask"), arg("value"),
      "Sets x where a bool mask holds to one value. An Array is changed in place; of a Tensor a "
      "new one comes back.");
  module.def(
      "update_weighted",
      [](Scalar p, const Array& a, Scalar q, const Array& b) { update_weighted(p, a, q, b); },
      arg("p"), arg("a"), arg("q"), arg("b"), "a becomes p a + q b, in place.");
}

void bind_writing_of_tensors(nb::module_& module) {
  module.def(
      "index_add",
      taking<const Tensor&, const Array&, const Tensor&, std::int64_t>(GAIA_FUNCTION(index_add)),
      arg("x"), arg("indices"), arg("values"), arg("axis") = 0);
  module.def(
      "scatter_add",
      taking<const Tensor&, const Array&, const Tensor&, std::int64_t>(GAIA_FUNCTION(scatter_add)),
      arg("x"), arg("indices"), arg("values"), arg("axis"));
  module.def("masked_fill", taking<const Tensor&, const Array&, double>(GAIA_FUNCTION(masked_fill)),
             arg("x"), arg("mask"), arg("value"));
}

/// Lists, numbers and arrays among each other; tensors if one of them is.
struct Parts {
  std::vector<Array> arrays;
  std::vector<Tensor> tensors;  ///< Empty where none of them is one.
};

Parts parts_of(const nb::sequence& given) {
  Parts made;
  bool has_tensors = false;
  for (const nb::handle one : given) has_tensors = has_tensors || nb::isinstance<Tensor>(one);
  for (const nb::handle one : given) {
    if (!has_tensors) {
      made.arrays.push_back(array_of(one));
    } else if (nb::isinstance<Tensor>(one)) {
      made.tensors.push_back(nb::cast<Tensor>(one));
    } else {
      made.tensors.emplace_back(array_of(one));
    }
  }
  return made;
}

void bind_joining(nb::module_& module) {
#define GAIA_JOINING(name, doc)                                                           \
  module.def(#name, taking<const std::vector<Array>&, std::int64_t>(GAIA_FUNCTION(name)), \
             arg("arrays"), arg("axis") = 0, doc);                                        \
  module.def(                                                                             \
      #name,                                                                              \
      [](const std::vector<Tensor>& x, std::int64_t axis) {                               \
        return name(std::span<const Tensor>(x), axis);                                    \
      },                                                                                  \
      arg("arrays"), arg("axis") = 0, doc);                                               \
  module.def(                                                                             \
      #name,                                                                              \
      [](const nb::sequence& x, std::int64_t axis) {                                      \
        const Parts parts = parts_of(x);                                                  \
        return parts.tensors.empty()                                                      \
                   ? nb::cast(name(parts.arrays, axis))                                   \
                   : nb::cast(name(std::span<const Tensor>(parts.tensors), axis));        \
      },                                                                                  \
      arg("arrays"), arg("axis") = 0, doc);
  GAIA_JOINING(concatenate,
               "Arrays joined along an axis, lists among them too; a Tensor if one of them is.\n\n"
               "Raises ShapeError if their other axes differ, ArgumentError for none.")
  GAIA_JOINING(stack,
               "Arrays of one shape joined along a new axis, lists among them too; a Tensor if one "
               "of them is.\n\nRaises ShapeError if their shapes differ, ArgumentError for none.")
#undef GAIA_JOINING
}

template <class T>
void bind_taking_apart(nb::module_& module) {
  module.def("split", taking<const T&, std::int64_t, std::int64_t>(GAIA_FUNCTION(split)), arg("x"),
             arg("sections"), arg("axis") = 0,
             "Views of equal length along an axis.\n\n"
             "Raises ShapeError unless their number divides its length.");
  module.def(
      "split",
      taking<const T&, const std::vector<std::int64_t>&, std::int64_t>(GAIA_FUNCTION(split_at)),
      arg("x"), arg("positions"), arg("axis") = 0, "Views that begin at 0 and at each position.");
  module.def(
      "split_at",
      taking<const T&, const std::vector<std::int64_t>&, std::int64_t>(GAIA_FUNCTION(split_at)),
      arg("x"), arg("positions"), arg("axis") = 0, "Views that begin at 0 and at each position.");
}

void bind_questions(nb::module_& module) {
  module.def("argwhere", taking<const Array&>(GAIA_FUNCTION(argwhere)), arg("x"),
             "Positions of what is not 0, in row-major order: int64 [count, axes].");
  module.def("flatnonzero", taking<const Array&>(GAIA_FUNCTION(flatnonzero)), arg("x"),
             "The same as positions among all elements: int64 [count].");
  module.def(
      "first_not_finite", taking<const Array&>(GAIA_FUNCTION(first_not_finite)), arg("x"),
      "Where, among all elements in their order, the first is that is NaN or infinite; -1 if none "
      "is.");
}

void bind_random(nb::module_& module) {
  module.def("randint",
             taking<std::int64_t, std::int64_t, const Shape&, DType>(GAIA_FUNCTION(randint)),
             arg("low"), arg("high"), arg("shape"), arg("dtype") = DType::int64,
             "Whole numbers in [low, high), each equally likely.\n\n"
             "Raises ArgumentError unless low < high, DTypeError for a dtype that is not whole.");
  module.def("bernoulli", taking<const Shape&, double, DType>(GAIA_FUNCTION(bernoulli)),
             arg("shape"), arg("p"), arg("dtype") = DType::boolean,
             "1 (true) with probability p, else 0.\n\nRaises ArgumentError unless p is in [0, 1].");
  module.def("permutation", taking<std::int64_t>(GAIA_FUNCTION(permutation)), arg("n"),
             "0 ... n - 1 in random order, int64.");
  module.def("shuffle", taking<const Array&, std::int64_t>(GAIA_FUNCTION(shuffle)), arg("x"),
             arg("axis") = 0, "Copies of the sub-arrays along an axis in random order.");
}

}  // namespace

void bind_positions(nb::module_& module) {
  bind_reading<Array>(module);
  bind_reading<Tensor>(module);
  bind_writing_of_arrays(module);
  bind_writing_of_tensors(module);
  bind_joining(module);
  bind_taking_apart<Array>(module);
  bind_taking_apart<Tensor>(module);
  bind_questions(module);
  bind_random(module);
}

}  // namespace gaia::python
