// SPDX-License-Identifier: MIT
#include "spectra.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "../array/create.h"
#include "../array/indexing.h"
#include "../array/ops.h"
#include "../array/reductions.h"
#include "../array/statistics.h"
#include "../autograd/ops.h"
#include "../core/log.h"
#include "../core/message.h"
#include "fourier.h"
#include "lengths.h"

namespace gaia {
namespace {

const Array& numbers_of(const Array& x) { return x; }
const Array& numbers_of(const Tensor& x) { return x.value(); }

Array overlapping(const Array& x, std::int64_t rows, std::int64_t columns, std::int64_t step) {
  return x.windows(rows, columns, step);
}
Tensor overlapping(const Tensor& x, std::int64_t rows, std::int64_t columns, std::int64_t step) {
  return windows(x, rows, columns, step);
}

/// x with axis `from` where `to` is.
template <class T>
T move_axis(const T& x, std::int64_t from, std::int64_t to) {
  if (from == to) return x;
  Axes axes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis != from) axes.push_back(axis);
  }
  axes.insert(static_cast<int>(to), from);
  return x.transpose(axes);
}

template <class T>
ComplexOf<T> move_axis(const ComplexOf<T>& x, std::int64_t from, std::int64_t to) {
  return {move_axis(x.real, from, to), move_axis(x.imag, from, to)};
}

/// How a series is cut, and by what each segment is multiplied.
struct Segments {
  std::int64_t length;
  std::int64_t step;
  std::int64_t nfft;
  std::vector<double> window;

  double sum() const { return std::accumulate(window.begin(), window.end(), 0.0); }
  double sum_of_squares() const {
    return std::inner_product(window.begin(), window.end(), window.begin(), 0.0);
  }
};

std::int64_t overlap_of(std::optional<std::int64_t> given, std::int64_t standard,
                        std::int64_t length, const char* function) {
  const std::int64_t overlap = given.value_or(standard);
  if (overlap < 0 || overlap >= length) {
    fail<ArgumentError>("[{}] expected noverlap from 0 to below nperseg = {}, got {}", function,
                        length, overlap);
  }
  return overlap;
}

std::int64_t nfft_of(std::optional<std::int64_t> given, std::int64_t standard, std::int64_t length,
                     const char* function) {
  const std::int64_t nfft = given.value_or(standard);
  if (nfft < length) {
    fail<ArgumentError>("[{}] expected nfft of nperseg = {} or more, got {}", function, length,
                        nfft);
  }
  return nfft;
}

void check_rate(double fs, const char* function) {
  if (!(fs > 0.0)) fail<ArgumentError>("[{}] expected fs above 0, got {}", function, fs);
}

/// `shares`: noverlap is nperseg over this by default.
template <class Options>
Segments segments_of(const Options& options, std::int64_t series, std::int64_t shares,
                     const char* function) {
  check_rate(options.fs, function);
  if (series < 1) fail<ShapeError>("[{}] expected a series with numbers, got none", function);
  std::int64_t length = options.nperseg.value_or(256);
  const std::optional<Array>& numbers = options.window.numbers();
  if (numbers) {
    length = options.nperseg.value_or(numbers->size());
    if (length > series) {
      fail<ArgumentError>("[{}] expected a window no longer than the series of {}, got {}",
                          function, series, length);
    }
  }
  if (length < 1)
    fail<ArgumentError>("[{}] expected nperseg of 1 or more, got {}", function, length);
  length = std::min(length, series);
  const std::int64_t overlap = overlap_of(options.noverlap, length / shares, length, function);
  return {.length = length,
          .step = length - overlap,
          .nfft = nfft_of(options.nfft, length, length, function),
          .window = window_values(options.window, length)};
}

/// What stands around a series [..., n]: `count` numbers on either side.
template <class T>
T extended(const T& x, std::int64_t count, StftBoundary boundary) {
  if (boundary == StftBoundary::none || count == 0) return x;
  if (boundary == StftBoundary::zeros) return with_zeros(x, count, count);
  const T first = x.slice(-1, 0, 1);
  const T last = x.slice(-1, -1);
  Shape shape = x.shape();
  shape.back() = count;
  if (boundary == StftBoundary::constant) {
    return concatenate({first.broadcast_to(shape), x, last.broadcast_to(shape)}, -1);
  }
  const std::int64_t n = x.shape(-1);
  if (count >= n) {
    fail<ArgumentError>(
        "[stft] expected a series longer than half a segment, {}, for the boundaries even and odd, "
        "got {}",
        count, n);
  }
  T before = flip(x.slice(-1, 1, count + 1), {-1});
  T after = flip(x.slice(-1, n - 1 - count, n - 1), {-1});
  if (boundary == StftBoundary::odd) {
    before = subtract(multiply(first, 2.0), before);
    after = subtract(multiply(last, 2.0), after);
  }
  return concatenate({before, x, after}, -1);
}

/// Segments of x [..., n]: [..., segments, length].
template <class T>
T cut(const T& x, const Segments& s) {
  const std::int64_t n = x.shape(-1);
  const std::int64_t count = (n - s.length) / s.step + 1;
  if (count == 1) return x.slice(-1, 0, s.length).expand_dims(-2);
  if (x.rank() == 1 && numbers_of(x).is_contiguous()) {
    return overlapping(x, count, s.length, s.step);
  }
  std::vector<std::int64_t> places;
  for (std::int64_t segment = 0; segment < count; ++segment) {
    for (std::int64_t i = 0; i < s.length; ++i) places.push_back(segment * s.step + i);
  }
  return take(x, from_values(places, {count, s.length}), -1);
}

template <class T>
T without_trend(const T& segments, Detrend detrend) {
  if (detrend == Detrend::none) return segments;
  const T level = subtract(segments, mean(segments, {-1}, true));
  const std::int64_t n = segments.shape(-1);
  if (detrend == Detrend::constant || n == 1) return level;
  std::vector<double> line;
  double square = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    line.push_back(static_cast<double>(i) - 0.5 * static_cast<double>(n - 1));
    square += line.back() * line.back();
  }
  for (double& x : line) x /= std::sqrt(square);
  const T direction = T(from_values(line, {n}).astype(segments.dtype()));
  return subtract(level, multiply(sum(multiply(level, direction), {-1}, true), direction));
}

/// Transforms of segments, [..., segments, frequencies].
template <class T>
ComplexOf<T> transformed(const T& segments, const Segments& s, Detrend detrend, bool onesided,
                         double scale) {
  std::vector<double> window = s.window;
  for (double& w : window) w *= scale;
  const T weights = T(from_values(window, {s.length}).astype(segments.dtype()));
  const T weighted = multiply(without_trend(segments, detrend), weights);
  if (onesided) return rfft(weighted, {.n = s.nfft});
  return fft(weighted, {.n = s.nfft});
}

Array frequencies_of(const Segments& s, bool onesided, double fs) {
  return onesided ? rfftfreq(s.nfft, 1.0 / fs) : fftfreq(s.nfft, 1.0 / fs);
}

/// Times of the middles of `count` segments, the first of which begins `before` numbers before the
/// series.
Array times_of(const Segments& s, std::int64_t count, double before, double fs) {
  std::vector<double> times;
  for (std::int64_t i = 0; i < count; ++i) {
    times.push_back(
        (0.5 * static_cast<double>(s.length) + static_cast<double>(i * s.step) - before) / fs);
  }
  return from_values(times, {count});
}

/// By what numbers are multiplied before they are squared, or are not.
double amplitude_scale(const Segments& s, SpectrumScaling scaling, double fs) {
  return scaling == SpectrumScaling::density ? std::sqrt(1.0 / (fs * s.sum_of_squares()))
                                             : 1.0 / std::abs(s.sum());
}

template <class T>
T floating(const T& x) {
  return x.astype(floating_result(x.dtype()));
}

template <class T>
StftOf<T> stft_of(const T& given, const StftOptions& options) {
  const int axis = normalize_axis(options.axis, given.rank(), "stft");
  T x = floating(move_axis(given, axis, given.rank() - 1));
  const Segments s = segments_of(options, x.shape(-1), 2, "stft");
  const bool has_ends = options.boundary != StftBoundary::none;
  if (has_ends) x = extended(x, s.length / 2, options.boundary);
  if (options.padded) {
    const std::int64_t beyond = (x.shape(-1) - s.length) % s.step;
    x = with_zeros(x, 0, beyond == 0 ? 0 : (s.step - beyond) % s.length);
  }
  const ComplexOf<T> z = transformed(cut(x, s), s, options.detrend, options.onesided,
                                     amplitude_scale(s, options.scaling, options.fs));
  const double before = has_ends ? 0.5 * static_cast<double>(s.length) : 0.0;
  return {frequencies_of(s, options.onesided, options.fs),
          times_of(s, z.real.shape(-2), before, options.fs), move_axis(z, z.real.rank() - 1, axis)};
}

/// Powers of segments, [..., segments, frequencies].
template <class T, class Options>
T powers(const T& x, const Segments& s, const Options& options) {
  const ComplexOf<T> z = transformed(cut(x, s), s, options.detrend, options.onesided,
                                     amplitude_scale(s, options.scaling, options.fs));
  const T power = add(square(z.real), square(z.imag));
  if (!options.onesided) return power;
  const Array shares = full({s.nfft / 2 + 1}, 2.0, power.dtype());
  shares.slice(0, 0, 1).fill(1.0);
  if (s.nfft % 2 == 0) shares.slice(0, -1).fill(1.0);
  return multiply(power, T(shares));
}

/// Multiples of 2 pi that take leaps of more than pi out of angles, along the last axis.
Array turns(const Array& angles) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const Array steps = subtract(angles.slice(-1, 1), angles.slice(-1, 0, -1));
  Array within = subtract(remainder(add(steps, std::numbers::pi), kTurn), std::numbers::pi);
  within = where(logical_and(equal(within, -std::numbers::pi), greater(steps, 0.0)),
                 std::numbers::pi, within);
  const Array missing = where(less(abs(steps), std::numbers::pi), 0.0, subtract(within, steps));
  return cumsum(with_zeros(missing, 1, 0), -1).astype(angles.dtype());
}

template <class T>
SpectrogramOf<T> spectrogram_of(const T& given, const SpectrogramOptions& options) {
  const int axis = normalize_axis(options.axis, given.rank(), "spectrogram");
  const T x = floating(move_axis(given, axis, given.rank() - 1));
  const Segments s = segments_of(options, x.shape(-1), 8, "spectrogram");
  T values = x;
  if (options.mode == SpectrogramMode::psd) {
    values = powers(x, s, options);
  } else {
    const ComplexOf<T> z = transformed(cut(x, s), s, options.detrend, options.onesided,
                                       amplitude_scale(s, options.scaling, options.fs));
    values = options.mode == SpectrogramMode::magnitude ? abs(z) : angle(z);
    if (options.mode == SpectrogramMode::phase) {
      values = add(values, T(turns(numbers_of(values))));
    }
  }
  const Array times = times_of(s, values.shape(-2), 0.0, options.fs);
  return {frequencies_of(s, options.onesided, options.fs), times,
          move_axis(values, values.rank() - 1, axis)};
}

/// How many times the mean of n exponential numbers their median is, in the mean.
double median_bias(std::int64_t n) {
  double bias = 1.0;
  for (std::int64_t i = 1; i <= (n - 1) / 2; ++i) {
    const auto twice = static_cast<double>(2 * i);
    bias += 1.0 / (twice + 1.0) - 1.0 / twice;
  }
  return bias;
}

template <class T>
PowerSpectrumOf<T> welch_of(const T& given, const WelchOptions& options) {
  const int axis = normalize_axis(options.axis, given.rank(), "welch");
  const T x = floating(move_axis(given, axis, given.rank() - 1));
  const Segments s = segments_of(options, x.shape(-1), 2, "welch");
  const T all = powers(x, s, options);
  const std::int64_t count = all.shape(-2);
  const T power = options.average == SpectrumAverage::mean
                      ? mean(all, {-2})
                      : divide(median(all, {-2}), median_bias(count));
  return {frequencies_of(s, options.onesided, options.fs),
          move_axis(power, power.rank() - 1, axis)};
}

/// Segments [..., count, length] added up, each `step` behind the one before.
template <class T>
T overlapped(const T& segments, std::int64_t step) {
  const std::int64_t count = segments.shape(-2);
  const std::int64_t length = segments.shape(-1);
  const std::int64_t parts = (length + step - 1) / step;
  Shape shape = segments.shape();
  shape.back() = parts;
  shape.push_back(step);
  const T cut_up = with_length(segments, parts * step).reshape(shape);  // [..., count, parts, step]
  Shape blocks = shape;
  blocks.erase(blocks.rank() - 2);
  const auto zeros_of = [&](std::int64_t rows) {
    Shape some = blocks;
    some[some.rank() - 2] = rows;
    return T(zeros(some, segments.dtype()));
  };
  // Part j of a segment belongs j steps behind its beginning.
  T whole = zeros_of(count + parts - 1);
  for (std::int64_t j = 0; j < parts; ++j) {
    const T part = cut_up.select(-2, j);
    whole = add(whole,
                parts == 1 ? part : concatenate({zeros_of(j), part, zeros_of(parts - 1 - j)}, -2));
  }
  Shape flat = segments.shape();
  flat.erase(flat.rank() - 1);
  flat.back() = (count + parts - 1) * step;
  return whole.reshape(flat).slice(-1, 0, length + (count - 1) * step);
}

template <class T>
IstftOf<T> istft_of(const ComplexOf<T>& given, const IstftOptions& options) {
  check_rate(options.fs, "istft");
  const int rank = given.real.rank();
  if (rank < 2) {
    fail<ShapeError>("[istft] expected axes of frequencies and of times, got shape {}",
                     given.real.shape());
  }
  if (!(given.real.shape() == given.imag.shape())) {
    fail<ShapeError>("[istft] expected a real and an imaginary part of one shape, got {} and {}",
                     given.real.shape(), given.imag.shape());
  }
  int time = normalize_axis(options.time_axis, rank, "istft");
  const int freq = normalize_axis(options.freq_axis, rank, "istft");
  require(time != freq, "[istft] expected another axis of times than of frequencies, got {}", time);
  // [..., times, frequencies]
  ComplexOf<T> z = move_axis(given, freq, rank - 1);
  if (freq < time) --time;
  z = move_axis(z, time, rank - 2);
  const std::int64_t count = z.real.shape(-2);
  const std::int64_t bins = z.real.shape(-1);
  if (count < 1 || bins < 1) {
    fail<ShapeError>("[istft] expected frequencies and times, got shape {}", given.real.shape());
  }
  const std::int64_t standard = options.onesided ? 2 * (bins - 1) : bins;
  const std::int64_t length = options.nperseg.value_or(standard);
  require(length >= 1, "[istft] expected nperseg of 1 or more, got {}", length);
  const bool is_odd = options.onesided && length == standard + 1;
  const std::int64_t nfft = nfft_of(options.nfft, is_odd ? length : standard, length, "istft");
  const std::int64_t step = length - overlap_of(options.noverlap, length / 2, length, "istft");
  const Segments s{.length = length,
                   .step = step,
                   .nfft = nfft,
                   .window = window_values(options.window, length)};
  const T segments =
      with_length(options.onesided ? irfft(z, {.n = nfft}) : ifft(z, {.n = nfft}).real, length);
  std::vector<double> window = s.window;
  const double scale = options.scaling == SpectrumScaling::density
                           ? std::sqrt(options.fs * s.sum_of_squares())
                           : s.sum();
  std::vector<double> norm(static_cast<std::size_t>(length + (count - 1) * step), 0.0);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < length; ++j) {
      const double w = window[static_cast<std::size_t>(j)];
      norm[static_cast<std::size_t>(i * step + j)] += w * w;
    }
  }
  for (double& w : window) w *= scale;
  const DType dtype = segments.dtype();
  T x = overlapped(multiply(segments, T(from_values(window, {length}).astype(dtype))), step);
  const std::int64_t half = options.boundary ? length / 2 : 0;
  const std::int64_t left = std::max<std::int64_t>(0, x.shape(-1) - 2 * half);
  x = x.slice(-1, half, half + left);
  norm = std::vector<double>(norm.begin() + half, norm.begin() + half + left);
  bool is_whole = true;
  for (double& n : norm) {
    if (n > 1e-10) {
      n = 1.0 / n;
    } else {
      n = 1.0;
      is_whole = false;
    }
  }
  if (!is_whole) {
    log_warning(std::string("[istft] the windows' squares add up to 0 in places: what was there "
                            "cannot be told") +
                (options.boundary ? "" : "; boundary = true leaves the ends out"));
  }
  x = multiply(x, T(from_values(norm, {left}).astype(dtype)));
  std::vector<double> times;
  for (std::int64_t i = 0; i < left; ++i) times.push_back(static_cast<double>(i) / options.fs);
  return {from_values(times, {left}), move_axis(x, x.rank() - 1, time)};
}

}  // namespace

Stft stft(const Array& x, const StftOptions& options) { return stft_of(x, options); }
StftTensor stft(const Tensor& x, const StftOptions& options) { return stft_of(x, options); }

IstftOf<Array> istft(const Complex& z, const IstftOptions& options) { return istft_of(z, options); }
IstftOf<Tensor> istft(const ComplexTensor& z, const IstftOptions& options) {
  return istft_of(z, options);
}

Spectrogram spectrogram(const Array& x, const SpectrogramOptions& options) {
  return spectrogram_of(x, options);
}
SpectrogramOf<Tensor> spectrogram(const Tensor& x, const SpectrogramOptions& options) {
  return spectrogram_of(x, options);
}

PowerSpectrum welch(const Array& x, const WelchOptions& options) { return welch_of(x, options); }
PowerSpectrumOf<Tensor> welch(const Tensor& x, const WelchOptions& options) {
  return welch_of(x, options);
}

}  // namespace gaia
