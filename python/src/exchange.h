// SPDX-License-Identifier: MIT
/// \file
/// Numbers of Python's as arrays, and arrays as NumPy's: the same memory seen from both sides.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "../../src/array/array.h"

namespace gaia::python {

namespace nb = nanobind;

/// What NumPy, or anything that speaks DLPack, hands over; it may be read-only.
using Handed = nb::ndarray<nb::ro, nb::device::cpu>;

/// The elements of `numbers`, not copied: the array keeps their owner alive.
/// \throws DTypeError for a dtype that gaia has not, ShapeError for more than eight axes.
Array borrow(const Handed& numbers);

/// Numbers, lists and whatever NumPy takes: of lists floating numbers are float32, gaia's default.
Array from_python(nb::handle numbers);

/// The elements of an array as a NumPy array that shares them and keeps them alive.  Those of a GPU
/// are copied to the CPU, those of bfloat16 cast to float32, which NumPy has.
nb::ndarray<nb::numpy> to_numpy(const Array& array);

/// The elements of an array in a NumPy array of their own: for small ones it takes less time than
/// sharing.
nb::object copy_to_numpy(const Array& array);

/// The elements, shared with whoever speaks DLPack, on the device where they are.
nb::ndarray<> to_dlpack(const Array& array);

/// Something to be let go of with the GIL held, from whatever thread.
template <class T>
std::shared_ptr<const void> with_gil(T value) {
  return {new T(std::move(value)), [](const void* held) {
            // When the interpreter has gone its objects have too.
            if (!nb::is_alive()) return;
            const nb::gil_scoped_acquire gil;
            delete static_cast<const T*>(held);
          }};
}

}  // namespace gaia::python
