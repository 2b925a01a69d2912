// SPDX-License-Identifier: MIT
/// \file
/// Gradients of transforms, spectra, convolutions and filters against central differences.
#include "../../src/autograd/function.h"
#include "../../src/signals/fourier.h"
#include "../../src/signals/fourier_convolution.h"
#include "../../src/signals/sos_filter.h"
#include "../../src/signals/spectra.h"
#include "../autograd/gradient_check.h"

namespace gaia::test {
namespace {

/// Both parts as one tensor, so that gradients come through both.
Tensor parts(const ComplexTensor& z) { return stack({z.real, z.imag}, 0); }

std::vector<GradientCase> fourier_gradient_cases() {
  Draw draw(11);
  std::vector<GradientCase> cases;
  for (const std::int64_t n : {1, 4, 5, 6, 9}) {
    for (const FourierNorm norm :
         {FourierNorm::backward, FourierNorm::ortho, FourierNorm::forward}) {
      for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::broadcast}) {
        const FourierOptions along{.n = n, .axis = 0, .norm = norm};
        const std::string name = " of length " + std::to_string(n) + ", " + to_string(layout);
        const Shape shape{5, 3};
        cases.push_back(
            {"fft" + name, {draw(shape, layout), draw(shape, layout)}, [along](const Inputs& in) {
               return parts(fft(ComplexTensor{in[0], in[1]}, along));
             }});
        cases.push_back(
            {"ifft" + name, {draw(shape, layout), draw(shape, layout)}, [along](const Inputs& in) {
               return parts(ifft(ComplexTensor{in[0], in[1]}, along));
             }});
        cases.push_back({"rfft" + name, {draw(shape, layout)}, [along](const Inputs& in) {
                           return parts(rfft(in[0], along));
                         }});
        cases.push_back(
            {"irfft" + name, {draw(shape, layout), draw(shape, layout)}, [along](const Inputs& in) {
               return irfft(ComplexTensor{in[0], in[1]}, along);
             }});
      }
    }
  }
  cases.push_back({"fft2", {draw({3, 4})}, [](const Inputs& in) { return parts(fft2(in[0])); }});
  cases.push_back({"fftshift", {draw({3, 4})}, [](const Inputs& in) { return fftshift(in[0]); }});
  return cases;
}

std::vector<GradientCase> spectrum_gradient_cases() {
  Draw draw(12);
  std::vector<GradientCase> cases;
  for (const bool onesided : {true, false}) {
    for (const Detrend detrend : {Detrend::none, Detrend::constant, Detrend::linear}) {
      cases.push_back({"welch", {draw({23})}, [=](const Inputs& in) {
                         return welch(in[0], {.nperseg = 6,
                                              .noverlap = 2,
                                              .nfft = 8,
                                              .detrend = detrend,
                                              .onesided = onesided})
                             .power;
                       }});
      cases.push_back(
          {"spectrogram", {draw({20, 2}, Layout::sliced)}, [=](const Inputs& in) {
             return spectrogram(in[0],
                                {.nperseg = 7, .detrend = detrend, .onesided = onesided, .axis = 0})
                 .values;
           }});
    }
    for (const StftBoundary boundary :
         {StftBoundary::none, StftBoundary::zeros, StftBoundary::constant, StftBoundary::even,
          StftBoundary::odd}) {
      cases.push_back(
          {"stft", {draw({2, 13})}, [=](const Inputs& in) {
             return parts(
                 stft(in[0],
                      {.nperseg = 6, .noverlap = 4, .onesided = onesided, .boundary = boundary})
                     .values);
           }});
    }
    const Shape shape{onesided ? 4 : 6, 5};
    cases.push_back({"istft", {draw(shape), draw(shape)}, [=](const Inputs& in) {
                       return istft(ComplexTensor{in[0], in[1]}, {.onesided = onesided}).values;
                     }});
  }
  cases.push_back({"median welch", {draw({23})}, [](const Inputs& in) {
                     return welch(in[0], {.nperseg = 6, .average = SpectrumAverage::median}).power;
                   }});
  return cases;
}

std::vector<GradientCase> filter_gradient_cases() {
  Draw draw(13);
  std::vector<GradientCase> cases;
  for (const ConvolutionMode mode :
       {ConvolutionMode::full, ConvolutionMode::same, ConvolutionMode::valid}) {
    cases.push_back({"fftconvolve", {draw({7, 5}), draw({3, 4})}, [mode](const Inputs& in) {
                       return fftconvolve(in[0], in[1], mode);
                     }});
    cases.push_back({"fftconvolve of rows", {draw({3, 9}), draw({1, 4})}, [mode](const Inputs& in) {
                       return fftconvolve(in[0], in[1], mode, {1});
                     }});
  }
  // Coefficients beside a0, which stays 1.
  const auto whole = [](const Tensor& free) {
    return concatenate(
        {free.slice(1, 0, 3), Tensor(ones({free.shape(0), 1}, DType::float64)), free.slice(1, 3)},
        1);
  };
  for (const int axis : {0, 1}) {
    const Shape state = axis == 0 ? Shape{2, 2, 3} : Shape{2, 6, 2};
    for (const bool of_state : {false, true}) {
      cases.push_back({"sosfilt",
                       {draw({2, 5}, Layout::contiguous, -0.5, 0.5), draw({6, 3}), draw(state)},
                       [=](const Inputs& in) {
                         const auto y = sosfilt(whole(in[0]), in[1], in[2], axis);
                         return of_state ? y.state : y.values;
                       }});
    }
  }
  cases.push_back({"sosfilt of one state",
                   {draw({2, 5}, Layout::contiguous, -0.5, 0.5), draw({2, 4}), draw({2, 2})},
                   [=](const Inputs& in) { return sosfilt(whole(in[0]), in[1], in[2]).values; }});
  return cases;
}

void check_gradients(const std::vector<GradientCase>& cases, std::size_t least) {
  CHECK(cases.size() >= least);
  for (const GradientCase& c : cases) {
    INFO(c.name);
    CHECK(gradient_complaint(c) == "");
  }
}

TEST_CASE("Gradients of Fourier transforms agree with central differences") {
  check_gradients(fourier_gradient_cases(), 180);
}

TEST_CASE("Gradients of spectra agree with central differences") {
  check_gradients(spectrum_gradient_cases(), 25);
}

TEST_CASE("Gradients of convolutions and filters agree with central differences") {
  check_gradients(filter_gradient_cases(), 11);
}

}  // namespace
}  // namespace gaia::test
