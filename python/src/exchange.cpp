// SPDX-License-Identifier: MIT
#include "exchange.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/device.h"
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
  const auto is_of = [&](Code code) { return type.code == static_cast<std::uint8_t>(code); };
  if (is(Code::Float, 32)) return DType::float32;
  if (is(Code::Float, 64)) return DType::float64;
  if (is(Code::Int, 32)) return DType::int32;
  if (is(Code::Int, 64)) return DType::int64;
  if (is(Code::Bool, 8)) return DType::boolean;
  if (is(Code::Bfloat, 16)) return DType::bfloat16;
  const char* const kind = is_of(Code::Float)     ? "float"
                           : is_of(Code::Int)     ? "int"
                           : is_of(Code::UInt)    ? "uint"
                           : is_of(Code::Complex) ? "complex"
                                                  : "numbers of ";
  throw DTypeError("[array] expected float32, float64, int32, int64, bool or bfloat16, got " +
                   std::string(kind) + std::to_string(type.bits) +
                   "; cast it first, as by x.astype(\"float32\")");
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

/// \throws DeviceError for one that gaia cannot use.
Device device_of(const Handed& numbers) {
  const int kind = numbers.device_type();
  if (kind == nb::device::cpu::value || kind == nb::device::cuda_host::value) return Device::cpu();
  if (kind != nb::device::cuda::value && kind != nb::device::cuda_managed::value) {
    throw DeviceError(
        "[array] expected memory of the CPU or of a CUDA device, got that of DLPack's device " +
        std::to_string(kind) + "; copy it to the CPU first");
  }
  const Device device = Device::cuda(numbers.device_id());
  if (!is_available(device)) {
    const std::string why = why_no_cuda();
    throw DeviceError("[array] " + gaia::to_string(device) +
                      ", where these numbers are, cannot be "
                      "used here" +
                      (why.empty() ? "" : ": " + why) + "; copy them to the CPU first");
  }
  return device;
}

/// Keeps `numbers` alive, in memory of a GPU until this thread's work with them is done.
std::shared_ptr<const void> owner_of(const Handed& numbers, Device device) {
  std::shared_ptr<const void> held = with_gil(numbers);
  if (device.is_cpu()) return held;
  const void* const elements = held.get();
  return {elements, [held = std::move(held), device](const void* /*unused*/) {
            try {
              const GPUContext scope(device);
              synchronize();
            } catch (const Error&) {  // the device is gone, and what used it
            }
          }};
}

/// Comes back when the work that any thread has given to the device on these elements is done.
void wait_for_elements(const Array& array) {
  if (array.device().is_cpu() || array.size() == 0) return;
  const nb::gil_scoped_release release;
  Array first = array;
  while (first.rank() > 0) first = first.select(0, 0);
  first.item();  // reads it after whatever writes it
}

/// Bytes, as pictures have them, in the smallest whole numbers that gaia has: a copy, int32.
Array widened(const Handed& numbers, const Shape& shape, const Strides& strides) {
  if (!device_of(numbers).is_cpu()) {
    throw DTypeError(
        "[array] expected float32, float64, int32, int64, bool or bfloat16 on a GPU, "
        "got uint8; cast it first, as by x.astype(\"int32\")");
  }
  std::vector<std::int32_t> out(numbers.size());
  const auto* const from = static_cast<const std::uint8_t*>(numbers.data());
  Dims at = Dims::filled(shape.rank(), 0);
  std::int64_t offset = 0;
  for (std::int32_t& one : out) {
    one = from[offset];
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      offset += strides[axis];
      if (++at[axis] < shape[axis]) break;
      offset -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
  const GPUContext on_the_cpu(Device::cpu());
  return from_values(out, shape);
}

}  // namespace

nb::object plain(nb::handle numbers) {
  // The type numpy.ndarray and the function, kept for good; asked for with the GIL held.
  static PyObject* ndarray = nullptr;
  static PyObject* take_in = nullptr;
  if (ndarray == nullptr) {
    nb::object type = nb::module_::import_("numpy").attr("ndarray");
    nb::object function = nb::module_::import_("gaia._intake").attr("plain");
    take_in = function.release().ptr();
    ndarray = type.release().ptr();
  }
  const auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(numbers.ptr()));
  if (type == ndarray || nb::isinstance<Array>(numbers)) return nb::borrow(numbers);
  return nb::handle(take_in)(numbers);
}

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
  using Code = nb::dlpack::dtype_code;
  const nb::dlpack::dtype type = numbers.dtype();
  if (type.code == static_cast<std::uint8_t>(Code::UInt) && type.bits == 8 && type.lanes == 1) {
    return widened(numbers, shape, strides);
  }
  // It is only read where it is read-only: what changes elements asks first.
  void* const elements = const_cast<void*>(static_cast<const void*>(numbers.data()));
  const DType dtype = dtype_from(numbers.dtype());
  const Device device = device_of(numbers);
  // Anyone who passes memory of a GPU may be writing it still, on a stream of theirs; this waits
  // for the whole device.
  if (!device.is_cpu()) trim_memory(device);
  return Array::borrowed(elements, shape, strides, dtype, device, owner_of(numbers, device));
}

Array from_python(nb::handle given) {
  const nb::object numbers = plain(given);
  Handed handed;
  if (nb::ndarray_check(numbers) && nb::try_cast(numbers, handed)) {
    const Array made = borrow(handed).copy();
    return made.device().is_cpu() ? made.to(current_device()) : made;
  }
  const nb::module_ numpy = nb::module_::import_("numpy");
  // In the order and the bytes of this machine, and nobody else's.
  nb::object made = numpy.attr("array")(numbers, nb::arg("order") = "C");
  made = made.attr("astype")(made.attr("dtype").attr("newbyteorder")("="), nb::arg("copy") = false);
  const bool has_dtype = nb::hasattr(given, "dtype");
  const auto name = nb::cast<std::string>(made.attr("dtype").attr("name"));
  if (!has_dtype && name == "float64") made = made.attr("astype")("float32");
  if (!nb::try_cast(made, handed)) {
    throw DTypeError("[array] expected numbers, got " +
                     nb::cast<std::string>(given.type().attr("__name__")) + " of dtype " + name);
  }
  return borrow(handed).to(current_device());
}

Array array_of(nb::handle given) {
  const nb::object numbers = plain(given);
  Array made;
  return nb::try_cast(numbers, made) ? made : from_python(given);
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
  // numpy.empty with its dtypes, kept for good; created and asked for with the GIL held.
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

std::pair<int, int> dlpack_device(Device device) {
  if (device.is_cpu()) return {nb::device::cpu::value, 0};
  return {nb::device::cuda::value, device.index()};
}

nb::object to_dlpack(const Array& array, const std::optional<std::pair<int, int>>& device,
                     std::optional<bool> copy, const nb::object& max_version) {
  Array given = array;
  if (device && *device != dlpack_device(array.device())) {
    if (!copy.value_or(true) || device->first != nb::device::cpu::value) {
      PyErr_Format(PyExc_BufferError,
                   "[__dlpack__] the elements lie on %s: expected that device, or the CPU with a "
                   "copy allowed, got (%d, %d); x.to(DEVICE) copies",
                   gaia::to_string(array.device()).c_str(), device->first, device->second);
      nb::raise_python_error();
    }
    given = given.to(Device::cpu());
  } else if (copy.value_or(false)) {
    given = given.copy();
  }
  wait_for_elements(given);
  // From version 1 of the protocol on a capsule says that its elements may be written to.
  return nb::cast(described<nb::ndarray<nb::array_api>>(given))
      .attr("__dlpack__")(nb::arg("max_version") = max_version);
}

}  // namespace gaia::python
