// SPDX-License-Identifier: MIT
#include "exchange.h"

#include <nanobind/stl/string.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "../../src/core/error.h"
#include "casters.h"

namespace gaia::python {
namespace {

/// The dtype of DLPack's; \throws DTypeError for one that gaia has not.
DType dtype_from(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const auto is = [&](Code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits && type.lanes == 1;
  };
  if (is(Code::Float, 32)) return DType::float32;
  if (is(Code::Float, 64)) return DType::float64;
  if (is(Code::Int, 32)) return DType::int32;
  if (is(Code::Int, 64)) return DType::int64;
  if (is(Code::Bool, 8)) return DType::boolean;
  if (is(Code::Bfloat, 16)) return DType::bfloat16;
  throw DTypeError(
      "[array] expected float32, float64, int32, int64, bool or bfloat16; cast the array by "
      "astype first");
}

nb::dlpack::dtype dlpack_from(DType type) {
  using Code = nb::dlpack::dtype_code;
  const auto make = [](Code code, int bits) {
    return nb::dlpack::dtype{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
  };
  switch (type) {
    case DType::boolean:
      return make(Code::Bool, 8);
    case DType::int32:
      return make(Code::Int, 32);
    case DType::int64:
      return make(Code::Int, 64);
    case DType::bfloat16:
      return make(Code::Bfloat, 16);
    case DType::float32:
      return make(Code::Float, 32);
    case DType::float64:
      break;
  }
  return make(Code::Float, 64);
}

}  // namespace

Array borrow(const Handed& numbers) {
  const auto rank = static_cast<int>(numbers.ndim());
  constexpr int most = kMaxRank;
  if (rank > most) {
    throw ShapeError("[array] expected at most eight axes, got " + std::to_string(rank));
  }
  Shape shape = Shape::filled(rank, 0);
  Strides strides = Strides::filled(rank, 0);
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    shape[axis] = static_cast<std::int64_t>(numbers.shape(i));
    strides[axis] = numbers.stride(i);
  }
  // It is only read where it is read-only: what changes elements asks first.
  void* const elements = const_cast<void*>(static_cast<const void*>(numbers.data()));
  return Array::borrowed(elements, shape, strides, dtype_from(numbers.dtype()), Device::cpu(),
                         with_gil(numbers));
}

Array from_python(nb::handle numbers) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::object made = numpy.attr("asarray")(numbers);
  const bool has_dtype = nb::hasattr(numbers, "dtype");
  if (!has_dtype && nb::cast<std::string>(made.attr("dtype").attr("name")) == "float64") {
    made = made.attr("astype")("float32");
  }
  // A copy, so that nobody else changes it.
  return borrow(nb::cast<Handed>(made)).copy();
}

namespace {

/// A description of the elements, which it keeps alive.
template <class Kind>
Kind described(const Array& array) {
  const auto rank = static_cast<std::size_t>(array.rank());
  std::array<std::size_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> strides{};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    shape[axis] = static_cast<std::size_t>(array.shape()[static_cast<int>(axis)]);
    strides[axis] = array.strides()[static_cast<int>(axis)];
  }
  auto owner = std::make_unique<Array>(array);
  const nb::capsule keeper(owner.release(),
                           [](void* held) noexcept { delete static_cast<Array*>(held); });
  const Device device = array.device();
  return {array.view().data,
          rank,
          shape.data(),
          keeper,
          strides.data(),
          dlpack_from(array.dtype()),
          device.is_cpu() ? nb::device::cpu::value : nb::device::cuda::value,
          device.index()};
}

}  // namespace

nb::ndarray<nb::numpy> to_numpy(const Array& array) {
  const bool is_known = array.dtype() != DType::bfloat16;
  return described<nb::ndarray<nb::numpy>>(
      (is_known ? array : array.astype(DType::float32)).to(Device::cpu()));
}

nb::object copy_to_numpy(const Array& array) {
  const bool is_double = array.dtype() == DType::float64;
  const bool is_plain = array.device().is_cpu() && array.is_contiguous() &&
                        (is_double || array.dtype() == DType::float32);
  if (!is_plain) return nb::cast(to_numpy(array.copy()));
  // numpy.empty with its dtypes, kept for good; made and asked for with the GIL held.
  static PyObject* empty = nullptr;
  static PyObject* types[2] = {};
  if (empty == nullptr) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    types[0] = numpy.attr("dtype")("float32").release().ptr();
    types[1] = numpy.attr("dtype")("float64").release().ptr();
    empty = nb::object(numpy.attr("empty")).release().ptr();
  }
  const nb::object shape = nb::cast(array.shape());
  PyObject* const arguments[] = {shape.ptr(), types[is_double ? 1 : 0]};
  nb::object made = nb::steal(PyObject_Vectorcall(empty, arguments, 2, nullptr));
  Py_buffer room;
  if (!made.is_valid() || PyObject_GetBuffer(made.ptr(), &room, PyBUF_CONTIG) != 0) {
    nb::raise_python_error();
  }
  std::memcpy(room.buf, array.view().data, static_cast<std::size_t>(room.len));
  PyBuffer_Release(&room);
  return made;
}

nb::ndarray<> to_dlpack(const Array& array) { return described<nb::ndarray<>>(array); }

}  // namespace gaia::python
