// SPDX-License-Identifier: MIT
/// \file
/// Spectra of series, as a whole and over time, under SciPy's names, of arrays and of tensors.
///
///     const Stft s = stft(x, {.fs = 250.0, .nperseg = 128});     // s.values: [..., 65, segments]
///     const Array back = istft(s.values, {.fs = 250.0, .nperseg = 128}).values;
///     const PowerSpectrum p = welch(x, {.fs = 250.0});
///
/// A series is cut into segments of `nperseg` numbers that share `noverlap` with the one before;
/// each is multiplied by the window and transformed.  Frequencies and times are float64, in units
/// of fs and 1 / fs; values have the floating dtype of x.
///
/// Errors: ArgumentError for sizes that do not fit each other, ShapeError for axes that are not
/// there or a series without numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "../autograd/complex.h"
#include "windows.h"

namespace gaia {

/// What is taken off each segment.
enum class Detrend : std::uint8_t {
  none,
  constant,  ///< Its mean.
  linear,    ///< The straight line through it, by least squares.
};

/// What stands before and behind a series, half a segment on either side.
enum class StftBoundary : std::uint8_t {
  none,  ///< Nothing: segments begin with the series.
  zeros,
  constant,  ///< The first and the last number.
  even,      ///< The series mirrored.
  odd,       ///< The series turned by half a turn about its ends.
};

/// In what unit a spectrum is.
enum class SpectrumScaling : std::uint8_t {
  density,   ///< Unit² / fs: power over frequency.
  spectrum,  ///< Unit²: power of a wave at its frequency.
};

enum class SpectrumAverage : std::uint8_t {
  mean,
  median,  ///< Over its bias, by which it is a mean for Gaussian noise (Allen et al. 2012).
};

/// What a spectrogram shows of each number.
enum class SpectrogramMode : std::uint8_t {
  psd,        ///< Its power, as `scaling` says.
  magnitude,  ///< |z|
  angle,      ///< Its angle within (-pi, pi].
  phase,      ///< The same without leaps along frequencies.
};

struct StftOptions {
  double fs = 1.0;  ///< Numbers in a unit of time.
  SpectralWindow window = "hann";
  /// Length of a segment: the window's if that is given by its numbers, else 256; the length of the
  /// series if that is shorter.
  std::optional<std::int64_t> nperseg = {};
  std::optional<std::int64_t> noverlap = {};  ///< nperseg / 2 if left out.
  std::optional<std::int64_t> nfft = {};      ///< Length of the transform: nperseg if left out.
  Detrend detrend = Detrend::none;
  bool onesided = true;  ///< Frequencies from 0 to fs / 2, else all nfft.
  StftBoundary boundary = StftBoundary::zeros;
  bool padded = true;  ///< Zeros behind the series, so that segments take in all of it.
  std::int64_t axis = -1;
  /// Values of a wave are half its amplitude (spectrum), or their squares are a density.
  SpectrumScaling scaling = SpectrumScaling::spectrum;
};

template <class T>
struct StftOf {
  Array frequencies;
  Array times;  ///< Times of the middles of segments.
  /// Frequencies stand where `axis` was, times last.
  ComplexOf<T> values;
};
using Stft = StftOf<Array>;
using StftTensor = StftOf<Tensor>;

/// The short-time Fourier transform of a real series.
Stft stft(const Array& x, const StftOptions& options = {});
StftTensor stft(const Tensor& x, const StftOptions& options = {});

struct IstftOptions {
  double fs = 1.0;
  SpectralWindow window = "hann";
  std::optional<std::int64_t> nperseg = {};   ///< 2 (frequencies - 1), or all, if left out.
  std::optional<std::int64_t> noverlap = {};  ///< nperseg / 2 if left out.
  std::optional<std::int64_t> nfft = {};      ///< Length of a transform; nperseg, if left out.
  bool onesided = true;
  bool boundary = true;  ///< Whether half a segment was put around the series.
  std::int64_t time_axis = -1;
  std::int64_t freq_axis = -2;
  SpectrumScaling scaling = SpectrumScaling::spectrum;
};

template <class T>
struct IstftOf {
  Array times;
  T values;  ///< Time stands where it was among the axes that are left.
};

/// The series whose stft is nearest to z: segments add up by their windows, over the sum of the
/// windows' squares.  Griffin and Lim (1984), IEEE Trans. Acoust. 32, 236.  A warning is logged
/// where that sum is 0.  z that is not one-sided is taken for that of a real series.
IstftOf<Array> istft(const Complex& z, const IstftOptions& options = {});
IstftOf<Tensor> istft(const ComplexTensor& z, const IstftOptions& options = {});

struct SpectrogramOptions {
  double fs = 1.0;
  SpectralWindow window = {"tukey", {0.25}};
  std::optional<std::int64_t> nperseg = {};
  std::optional<std::int64_t> noverlap = {};  ///< nperseg / 8 if left out.
  std::optional<std::int64_t> nfft = {};
  Detrend detrend = Detrend::constant;
  bool onesided = true;  ///< Powers count both halves.
  SpectrumScaling scaling = SpectrumScaling::density;
  std::int64_t axis = -1;
  SpectrogramMode mode = SpectrogramMode::psd;
};

template <class T>
struct SpectrogramOf {
  Array frequencies;
  Array times;
  T values;  ///< Values as in StftOf.
};
using Spectrogram = SpectrogramOf<Array>;

/// Spectra of segments, over time.
Spectrogram spectrogram(const Array& x, const SpectrogramOptions& options = {});
SpectrogramOf<Tensor> spectrogram(const Tensor& x, const SpectrogramOptions& options = {});

struct WelchOptions {
  double fs = 1.0;
  SpectralWindow window = "hann";
  std::optional<std::int64_t> nperseg = {};
  std::optional<std::int64_t> noverlap = {};  ///< nperseg / 2 if left out.
  std::optional<std::int64_t> nfft = {};
  Detrend detrend = Detrend::constant;
  bool onesided = true;
  SpectrumScaling scaling = SpectrumScaling::density;
  std::int64_t axis = -1;
  SpectrumAverage average = SpectrumAverage::mean;
};

template <class T>
struct PowerSpectrumOf {
  Array frequencies;
  T power;  ///< Frequencies stand where `axis` was.
};
using PowerSpectrum = PowerSpectrumOf<Array>;

/// The power spectrum of a series, averaged over segments.  Welch (1967), IEEE Trans. Audio
/// Electroacoust. 15, 70.
PowerSpectrum welch(const Array& x, const WelchOptions& options = {});
PowerSpectrumOf<Tensor> welch(const Tensor& x, const WelchOptions& options = {});

}  // namespace gaia
