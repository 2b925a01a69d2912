// SPDX-License-Identifier: MIT
/// \file
/// Fourier transforms; gaia/fft.py is what people see of them.  Complex numbers are pairs here.
#include "../../src/signals/fourier.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "casters.h"
#include "gil.h"
#include "signals.h"

namespace gaia::python {
namespace {

FourierNorm norm_of(const std::optional<std::string>& name, const char* function) {
  if (!name || *name == "backward") return FourierNorm::backward;
  if (*name == "ortho") return FourierNorm::ortho;
  if (*name == "forward") return FourierNorm::forward;
  throw ArgumentError(std::string("[") + function +
                      "] expected norm backward, ortho or forward, got " + *name);
}

template <class T>
using FourierOf = ComplexOf<T> (*)(const ComplexOf<T>&, const FourierOptions&);
template <class T>
using Fourier2Of = ComplexOf<T> (*)(const ComplexOf<T>&, const Fourier2Options&);

using Norm = std::optional<std::string>;
using Length = std::optional<std::int64_t>;

template <class T>
void bind_transform(nb::module_& module, const char* name, FourierOf<T> function) {
  module.def(
      name,
      [function, name](const T& real, const T& imag, Length n, std::int64_t axis,
                       const Norm& norm) {
        const FourierOptions options{.n = n, .axis = axis, .norm = norm_of(norm, name + 1)};
        return pair_of(without_gil([&] { return function({real, imag}, options); }));
      },
      nb::arg("real"), nb::arg("imag"), nb::arg("n").none(), nb::arg("axis"),
      nb::arg("norm").none());
}

template <class T>
void bind_transform2(nb::module_& module, const char* name, Fourier2Of<T> function) {
  module.def(
      name,
      [function, name](const T& real, const T& imag, const Dims& s, const Dims& axes,
                       const Norm& norm) {
        const Fourier2Options options{.s = s, .axes = axes, .norm = norm_of(norm, name + 1)};
        return pair_of(without_gil([&] { return function({real, imag}, options); }));
      },
      nb::arg("real"), nb::arg("imag"), nb::arg("s").none(), nb::arg("axes"),
      nb::arg("norm").none());
}

template <class T>
void bind_fourier(nb::module_& module) {
  bind_transform<T>(module, "_fft", &gaia::fft);
  bind_transform<T>(module, "_ifft", &gaia::ifft);
  bind_transform2<T>(module, "_fft2", &gaia::fft2);
  bind_transform2<T>(module, "_ifft2", &gaia::ifft2);
  module.def(
      "_rfft",
      [](const T& x, Length n, std::int64_t axis, const Norm& norm) {
        const FourierOptions options{.n = n, .axis = axis, .norm = norm_of(norm, "rfft")};
        return pair_of(without_gil([&] { return rfft(x, options); }));
      },
      nb::arg("x"), nb::arg("n").none(), nb::arg("axis"), nb::arg("norm").none());
  module.def(
      "_irfft",
      [](const T& real, const T& imag, Length n, std::int64_t axis, const Norm& norm) {
        const FourierOptions options{.n = n, .axis = axis, .norm = norm_of(norm, "irfft")};
        return without_gil([&] { return irfft(ComplexOf<T>{real, imag}, options); });
      },
      nb::arg("real"), nb::arg("imag"), nb::arg("n").none(), nb::arg("axis"),
      nb::arg("norm").none());
  module.def(
      "_fftshift", [](const T& x, const Dims& axes) { return fftshift(x, axes); }, nb::arg("x"),
      nb::arg("axes").none());
  module.def(
      "_ifftshift", [](const T& x, const Dims& axes) { return ifftshift(x, axes); }, nb::arg("x"),
      nb::arg("axes").none());
}

}  // namespace

void bind_signals(nb::module_& module) {
  bind_fourier<Array>(module);
  bind_fourier<Tensor>(module);
  module.def("_fftfreq", &fftfreq, nb::arg("n"), nb::arg("d"), nb::arg("dtype"));
  module.def("_rfftfreq", &rfftfreq, nb::arg("n"), nb::arg("d"), nb::arg("dtype"));
}

}  // namespace gaia::python
