// SPDX-License-Identifier: MIT
/// \file
/// Windows by SciPy's names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../array/array.h"

namespace gaia {

/// A window by its name, with parameters where it has some, or by its numbers.
class SpectralWindow {
 public:
  /// Not explicit: where a window is expected, its name is enough.
  SpectralWindow(std::string name, std::vector<double> parameters = {})
      : name_(std::move(name)), parameters_(std::move(parameters)) {}
  SpectralWindow(const char* name) : name_(name) {}
  /// Numbers [n].
  SpectralWindow(Array numbers) : numbers_(std::move(numbers)) {}

  const std::string& name() const { return name_; }  ///< Empty if it is given by its numbers.
  const std::vector<double>& parameters() const { return parameters_; }
  const std::optional<Array>& numbers() const { return numbers_; }

 private:
  std::string name_;
  std::vector<double> parameters_;
  std::optional<Array> numbers_;
};

/// n numbers of a window, float64 unless another dtype is asked for, on the current device.  With
/// `fftbins` the window is periodic, one of n + 1 numbers without its last, as transforms want it;
/// else it is symmetric.  A name that ends in _periodic or _symmetric says so itself.
///
/// Names, also in SciPy's other spellings: boxcar, triang, bartlett, parzen, bohman, barthann,
/// cosine, lanczos, hann, hamming, blackman, nuttall, blackmanharris, flattop; with parameters
/// tukey (alpha = 0.5), kaiser (beta), gaussian (std), exponential (tau = 1, and where its centre
/// is, if not in the middle), general_gaussian (p, sig), general_hamming (alpha), general_cosine
/// (as many as there are).  Harris (1978), Proc. IEEE 66, 51. \throws ArgumentError for another
/// name, parameters that it does not take, or n < 1; ShapeError
///         unless numbers are 1-d and n.
Array get_window(const SpectralWindow& window, std::int64_t n, bool fftbins = true,
                 DType dtype = DType::float64);

/// The same numbers in the host's memory.
std::vector<double> window_values(const SpectralWindow& window, std::int64_t n,
                                  bool fftbins = true);

}  // namespace gaia
