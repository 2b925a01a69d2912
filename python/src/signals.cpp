// SPDX-License-Identifier: MIT
/// \file
/// Fourier transforms, spectra and filters; gaia/fft.py and gaia/signal.py are what people see of
/// them.  Complex numbers are pairs here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string_view>
#include <utility>

#include "../../src/signals/fourier.h"
#include "../../src/signals/fourier_convolution.h"
#include "../../src/signals/sos_filter.h"
#include "../../src/signals/spectra.h"
#include "../../src/signals/windows.h"
#include "bindings.h"
#include "casters.h"
#include "gil.h"
#include "signals.h"
#include "values.h"

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
  module.def("_fftshift", taking<const T&, const Dims&>(GAIA_FUNCTION(fftshift)), nb::arg("x"),
             nb::arg("axes").none());
  module.def("_ifftshift", taking<const T&, const Dims&>(GAIA_FUNCTION(ifftshift)), nb::arg("x"),
             nb::arg("axes").none());
}

/// The value that has this name.
template <class T, std::size_t count>
T named(const std::array<std::pair<std::string_view, T>, count>& values, std::string_view name,
        const char* what) {
  std::string all;
  for (const auto& [one, value] : values) {
    if (one == name) return value;
    all += (all.empty() ? "" : ", ") + std::string(one);
  }
  throw ArgumentError("[signal] expected " + std::string(what) + " to be one of " + all +
                      ", got '" + std::string(name) + "'");
}

Detrend detrend_of(const std::string& name) {
  return named<Detrend, 3>(
      {{{"none", Detrend::none}, {"constant", Detrend::constant}, {"linear", Detrend::linear}}},
      name, "detrend");
}

SpectrumScaling scaling_of(const std::string& name) {
  return named<SpectrumScaling, 2>(
      {{{"density", SpectrumScaling::density}, {"spectrum", SpectrumScaling::spectrum}}}, name,
      "scaling");
}

/// A window as Python passes it: a name and parameters, or numbers.
SpectralWindow window_of(const std::string& name, const std::vector<double>& parameters,
                         const std::optional<Array>& numbers) {
  return numbers ? SpectralWindow(*numbers) : SpectralWindow(name, parameters);
}

using Parameters = std::vector<double>;
using Numbers = std::optional<Array>;

/// A function of a series whose options are those of spectra, and one more, which is a name.
template <class T, class Options, class Compute>
void bind_spectrum(nb::module_& module, const char* name, const char* last,
                   const Compute& compute) {
  module.def(
      name,
      [compute](const T& x, double fs, const std::string& window, const Parameters& parameters,
                const Numbers& numbers, Length nperseg, Length noverlap, Length nfft,
                const std::string& detrend, bool onesided, const std::string& scaling,
                std::int64_t axis, const std::string& chosen) {
        Options options;
        options.fs = fs;
        options.window = window_of(window, parameters, numbers);
        options.nperseg = nperseg;
        options.noverlap = noverlap;
        options.nfft = nfft;
        options.detrend = detrend_of(detrend);
        options.onesided = onesided;
        options.scaling = scaling_of(scaling);
        options.axis = axis;
        return compute(x, options, chosen);
      },
      nb::arg("x"), nb::arg("fs"), nb::arg("window"), nb::arg("parameters"),
      nb::arg("numbers").none(), nb::arg("nperseg").none(), nb::arg("noverlap").none(),
      nb::arg("nfft").none(), nb::arg("detrend"), nb::arg("onesided"), nb::arg("scaling"),
      nb::arg("axis"), nb::arg(last));
}

template <class T>
void bind_spectra(nb::module_& module) {
  module.def(
      "_stft",
      [](const T& x, double fs, const std::string& window, const Parameters& parameters,
         const Numbers& numbers, Length nperseg, Length noverlap, Length nfft,
         const std::string& detrend, bool onesided, const std::string& boundary, bool padded,
         std::int64_t axis, const std::string& scaling) {
        const StftOptions options{
            .fs = fs,
            .window = window_of(window, parameters, numbers),
            .nperseg = nperseg,
            .noverlap = noverlap,
            .nfft = nfft,
            .detrend = detrend_of(detrend),
            .onesided = onesided,
            .boundary = named<StftBoundary, 5>({{{"none", StftBoundary::none},
                                                 {"zeros", StftBoundary::zeros},
                                                 {"constant", StftBoundary::constant},
                                                 {"even", StftBoundary::even},
                                                 {"odd", StftBoundary::odd}}},
                                               boundary, "boundary"),
            .padded = padded,
            .axis = axis,
            .scaling = scaling_of(scaling)};
        const StftOf<T> s = without_gil([&] { return stft(x, options); });
        return nb::make_tuple(s.frequencies, s.times, s.values.real, s.values.imag);
      },
      nb::arg("x"), nb::arg("fs"), nb::arg("window"), nb::arg("parameters"),
      nb::arg("numbers").none(), nb::arg("nperseg").none(), nb::arg("noverlap").none(),
      nb::arg("nfft").none(), nb::arg("detrend"), nb::arg("onesided"), nb::arg("boundary"),
      nb::arg("padded"), nb::arg("axis"), nb::arg("scaling"));
  module.def(
      "_istft",
      [](const T& real, const T& imag, double fs, const std::string& window,
         const Parameters& parameters, const Numbers& numbers, Length nperseg, Length noverlap,
         Length nfft, bool onesided, bool boundary, std::int64_t time_axis, std::int64_t freq_axis,
         const std::string& scaling) {
        const IstftOptions options{.fs = fs,
                                   .window = window_of(window, parameters, numbers),
                                   .nperseg = nperseg,
                                   .noverlap = noverlap,
                                   .nfft = nfft,
                                   .onesided = onesided,
                                   .boundary = boundary,
                                   .time_axis = time_axis,
                                   .freq_axis = freq_axis,
                                   .scaling = scaling_of(scaling)};
        const IstftOf<T> s = without_gil([&] { return istft(ComplexOf<T>{real, imag}, options); });
        return nb::make_tuple(s.times, s.values);
      },
      nb::arg("real"), nb::arg("imag"), nb::arg("fs"), nb::arg("window"), nb::arg("parameters"),
      nb::arg("numbers").none(), nb::arg("nperseg").none(), nb::arg("noverlap").none(),
      nb::arg("nfft").none(), nb::arg("onesided"), nb::arg("boundary"), nb::arg("time_axis"),
      nb::arg("freq_axis"), nb::arg("scaling"));
  bind_spectrum<T, SpectrogramOptions>(
      module, "_spectrogram", "mode",
      [](const T& x, SpectrogramOptions& options, const std::string& mode) {
        options.mode = named<SpectrogramMode, 4>({{{"psd", SpectrogramMode::psd},
                                                   {"magnitude", SpectrogramMode::magnitude},
                                                   {"angle", SpectrogramMode::angle},
                                                   {"phase", SpectrogramMode::phase}}},
                                                 mode, "mode");
        const SpectrogramOf<T> s = without_gil([&] { return spectrogram(x, options); });
        return nb::make_tuple(s.frequencies, s.times, s.values);
      });
  bind_spectrum<T, WelchOptions>(
      module, "_welch", "average",
      [](const T& x, WelchOptions& options, const std::string& average) {
        options.average = named<SpectrumAverage, 2>(
            {{{"mean", SpectrumAverage::mean}, {"median", SpectrumAverage::median}}}, average,
            "average");
        const PowerSpectrumOf<T> s = without_gil([&] { return welch(x, options); });
        return nb::make_tuple(s.frequencies, s.power);
      });
}

template <class T>
void bind_filters_of(nb::module_& module) {
  module.def(
      "_fftconvolve",
      [](const T& a, const T& b, const std::string& mode, const Dims& axes) {
        const auto part = named<ConvolutionMode, 3>({{{"full", ConvolutionMode::full},
                                                      {"same", ConvolutionMode::same},
                                                      {"valid", ConvolutionMode::valid}}},
                                                    mode, "mode");
        return without_gil([&] { return fftconvolve(a, b, part, axes); });
      },
      nb::arg("a"), nb::arg("b"), nb::arg("mode"), nb::arg("axes").none());
  module.def(
      "_sosfilt",
      [](const T& sos, const T& x, std::int64_t axis) {
        return without_gil([&] { return sosfilt(sos, x, axis); });
      },
      nb::arg("sos"), nb::arg("x"), nb::arg("axis"));
  module.def(
      "_sosfilt_from",
      [](const T& sos, const T& x, const T& state, std::int64_t axis) {
        const SosFilteredOf<T> y = without_gil([&] { return sosfilt(sos, x, state, axis); });
        return nb::make_tuple(y.values, y.state);
      },
      nb::arg("sos"), nb::arg("x"), nb::arg("state"), nb::arg("axis"));
}

PassBand pass_of(const std::string& name) {
  return named<PassBand, 14>({{{"low", PassBand::low},
                               {"lowpass", PassBand::low},
                               {"lp", PassBand::low},
                               {"l", PassBand::low},
                               {"high", PassBand::high},
                               {"highpass", PassBand::high},
                               {"hp", PassBand::high},
                               {"bandpass", PassBand::band},
                               {"band", PassBand::band},
                               {"bp", PassBand::band},
                               {"pass", PassBand::band},
                               {"bandstop", PassBand::stop},
                               {"stop", PassBand::stop},
                               {"bs", PassBand::stop}}},
                             name, "btype");
}

using Edges = std::vector<double>;

ZerosPoles zeros_poles_of(std::int64_t order, const Edges& edges, const std::string& pass,
                          bool analogue, double fs) {
  return analogue ? butter_analogue_zpk(order, edges, pass_of(pass))
                  : butter_zpk(order, edges, pass_of(pass), fs);
}

void bind_butter(nb::module_& module) {
  module.def(
      "_butter_sos",
      [](std::int64_t order, const Edges& edges, const std::string& pass, double fs) {
        return butter_sos(order, edges, pass_of(pass), fs);
      },
      nb::arg("order"), nb::arg("edges"), nb::arg("pass"), nb::arg("fs"));
  module.def(
      "_butter_zpk",
      [](std::int64_t order, const Edges& edges, const std::string& pass, bool analogue,
         double fs) {
        const ZerosPoles filter = zeros_poles_of(order, edges, pass, analogue, fs);
        return nb::make_tuple(filter.zeros, filter.poles, filter.gain);
      },
      nb::arg("order"), nb::arg("edges"), nb::arg("pass"), nb::arg("analogue"), nb::arg("fs"));
  module.def(
      "_butter_ba",
      [](std::int64_t order, const Edges& edges, const std::string& pass, bool analogue,
         double fs) {
        const TransferFunction f =
            transfer_function(zeros_poles_of(order, edges, pass, analogue, fs));
        return nb::make_tuple(f.b, f.a);
      },
      nb::arg("order"), nb::arg("edges"), nb::arg("pass"), nb::arg("analogue"), nb::arg("fs"));
  module.def("_sosfilt_zi", &sosfilt_zi, nb::arg("sos"));
  module.def(
      "_get_window",
      [](const std::string& window, const std::vector<double>& parameters,
         const std::optional<Array>& numbers, std::int64_t n,
         bool fftbins) { return get_window(window_of(window, parameters, numbers), n, fftbins); },
      nb::arg("window"), nb::arg("parameters"), nb::arg("numbers").none(), nb::arg("n"),
      nb::arg("fftbins"));
}

}  // namespace

void bind_signals(nb::module_& module) {
  bind_fourier<Array>(module);
  bind_fourier<Tensor>(module);
  bind_spectra<Array>(module);
  bind_spectra<Tensor>(module);
  bind_filters_of<Array>(module);
  bind_filters_of<Tensor>(module);
  bind_butter(module);
  module.def("_fftfreq", &fftfreq, nb::arg("n"), nb::arg("d"), nb::arg("dtype"));
  module.def("_rfftfreq", &rfftfreq, nb::arg("n"), nb::arg("d"), nb::arg("dtype"));
}

}  // namespace gaia::python
