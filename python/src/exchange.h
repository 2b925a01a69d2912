// SPDX-License-Identifier: MIT
/// \file
/// Numbers of Python's as arrays, and arrays as NumPy's: the same memory seen from both sides.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <optional>
#include <utility>

#include "../../src/array/array.h"

namespace gaia::python {

namespace nb = nanobind;

/// What NumPy, or anything that speaks DLPack, passes, of the CPU or of a GPU; it may be
/// read-only.
using Handed = nb::ndarray<nb::ro>;

/// What may be read as it stands: masked arrays, and columns and tables of other libraries, are
/// taken in by gaia/_intake.py, by which what is missing is NaN; all else comes back as it is.
nb::object plain(nb::handle numbers);

/// The elements of `numbers`, not copied, on the device where they are: the array keeps their owner
/// alive.  Of a GPU the device is waited for.
/// \throws DTypeError for a dtype that gaia has not, ShapeError for more than eight axes,
///         DeviceError for memory of a device that gaia cannot use.
Array borrow(const Handed& numbers);

/// A copy of numbers, lists and whatever plain() and NumPy take, strides and byte order of any
/// kind, on the current device: of lists floating numbers are float32, gaia's default.
Array from_python(nb::handle numbers);

/// An Array as it is, what NumPy or DLPack passes shared, lists and numbers as from_python.
Array array_of(nb::handle numbers);

/// The elements of an array as a NumPy array that shares them and keeps them alive.  Those of a GPU
/// are copied to the CPU, those of bfloat16 cast to float32, which NumPy has.
nb::ndarray<nb::numpy> to_numpy(const Array& array);

/// The elements of an array in a NumPy array of their own: for small ones it takes less time than
/// sharing.
nb::object copy_to_numpy(const Array& array);

/// DLPack's (kind, index) of a device: (1, 0) the CPU, (2, i) a CUDA device.
std::pair<int, int> dlpack_device(Device device);

/// The elements as a capsule of DLPack's, shared on the device where they are, all work on them
/// being done; copied to `device` where that is the CPU and they are elsewhere, and where `copy`
/// says so. \throws BufferError, Python's, for a device that is neither theirs nor the CPU, or that
/// they would
///         have to be copied to although `copy` is false.
nb::object to_dlpack(const Array& array, const std::optional<std::pair<int, int>>& device,
                     std::optional<bool> copy, const nb::object& max_version);

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
