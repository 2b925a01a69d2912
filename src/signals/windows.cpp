// SPDX-License-Identifier: MIT
#include "windows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string_view>

#include "../array/create.h"
#include "../core/message.h"

namespace gaia {
namespace {

constexpr double kPi = std::numbers::pi;

using Parameters = std::vector<double>;

/// Number i of a symmetric window of m > 1 numbers.
using WindowFormula = double (*)(double i, double m, const Parameters& p);

struct WindowKind {
  WindowFormula formula;
  std::size_t least = 0;  ///< Number of parameters.
  std::size_t most = 0;
  Parameters standard = {};  ///< Parameters where none are given.
};

/// sum_k (-1)^k a_k cos(2 pi k i / (m - 1))
double cosine_sum(double i, double m, const Parameters& a) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double angle = -kPi + 2.0 * kPi * i / (m - 1.0);
    sum += a[k] * std::cos(static_cast<double>(k) * angle);
  }
  return sum;
}

/// Place of number i between -1 and 1.
double around_middle(double i, double m) { return 2.0 * i / (m - 1.0) - 1.0; }

/// The modified Bessel function I0, by its series: all terms are positive.
double bessel_i0(double x) {
  const double quarter = 0.25 * x * x;
  double term = 1.0;
  double sum = 1.0;
  for (double k = 1.0; term > 1e-17 * sum; ++k) {
    term *= quarter / (k * k);
    sum += term;
  }
  return sum;
}

double parzen(double i, double m, const Parameters&) {
  const double n = std::abs(i - (m - 1.0) / 2.0);
  const double x = n / (m / 2.0);
  return n <= (m - 1.0) / 4.0 ? 1.0 - 6.0 * x * x + 6.0 * x * x * x : 2.0 * std::pow(1.0 - x, 3.0);
}

double bohman(double i, double m, const Parameters&) {
  if (i == 0.0 || i == m - 1.0) return 0.0;
  const double x = std::abs(around_middle(i, m));
  return (1.0 - x) * std::cos(kPi * x) + std::sin(kPi * x) / kPi;
}

double triang(double i, double m, const Parameters&) {
  const double n = std::min(i, m - 1.0 - i) + 1.0;
  return std::fmod(m, 2.0) == 0.0 ? (2.0 * n - 1.0) / m : 2.0 * n / (m + 1.0);
}

double tukey(double i, double m, const Parameters& p) {
  const double alpha = std::min(p[0], 1.0);
  if (alpha <= 0.0) return 1.0;
  const double width = std::floor(alpha * (m - 1.0) / 2.0);
  const double n = std::min(i, m - 1.0 - i);
  return n > width ? 1.0 : 0.5 * (1.0 + std::cos(kPi * (-1.0 + 2.0 * n / alpha / (m - 1.0))));
}

double lanczos(double i, double m, const Parameters&) {
  const double x = kPi * around_middle(std::max(i, m - 1.0 - i), m);
  return x == 0.0 ? 1.0 : std::sin(x) / x;
}

template <std::size_t count>
WindowKind of_cosines(const double (&a)[count]) {
  return {.formula = &cosine_sum, .standard = Parameters(a, a + count)};
}

const std::map<std::string, WindowKind, std::less<>>& window_kinds() {
  static const std::map<std::string, WindowKind, std::less<>> kinds = {
      {"boxcar", {.formula = [](double, double, const Parameters&) { return 1.0; }}},
      {"triang", {.formula = &triang}},
      {"bartlett",
       {.formula = [](double i, double m,
                      const Parameters&) { return 2.0 * std::min(i, m - 1.0 - i) / (m - 1.0); }}},
      {"parzen", {.formula = &parzen}},
      {"bohman", {.formula = &bohman}},
      {"barthann",
       {.formula =
            [](double i, double m, const Parameters&) {
              const double x = std::abs(i / (m - 1.0) - 0.5);
              return 0.62 - 0.48 * x + 0.38 * std::cos(2.0 * kPi * x);
            }}},
      {"cosine",
       {.formula = [](double i, double m,
                      const Parameters&) { return std::sin(kPi / m * (i + 0.5)); }}},
      {"lanczos", {.formula = &lanczos}},
      {"hann", of_cosines({0.5, 0.5})},
      {"hamming", of_cosines({0.54, 0.46})},
      {"blackman", of_cosines({0.42, 0.50, 0.08})},
      {"nuttall", of_cosines({0.3635819, 0.4891775, 0.1365995, 0.0106411})},
      {"blackmanharris", of_cosines({0.35875, 0.48829, 0.14128, 0.01168})},
      {"flattop", of_cosines({0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368})},
      {"tukey", {.formula = &tukey, .most = 1, .standard = {0.5}}},
      {"kaiser",
       {.formula =
            [](double i, double m, const Parameters& p) {
              const double x = around_middle(i, m);
              return bessel_i0(p[0] * std::sqrt(1.0 - x * x)) / bessel_i0(p[0]);
            },
        .least = 1,
        .most = 1}},
      {"gaussian",
       {.formula =
            [](double i, double m, const Parameters& p) {
              const double n = i - (m - 1.0) / 2.0;
              return std::exp(-n * n / (2.0 * p[0] * p[0]));
            },
        .least = 1,
        .most = 1}},
      {"exponential",
       {.formula =
            [](double i, double m, const Parameters& p) {
              const double centre = p.size() == 2 ? p[1] : (m - 1.0) / 2.0;
              return std::exp(-std::abs(i - centre) / p[0]);
            },
        .most = 2,
        .standard = {1.0}}},
      {"general_gaussian",
       {.formula =
            [](double i, double m, const Parameters& p) {
              return std::exp(-0.5 * std::pow(std::abs((i - (m - 1.0) / 2.0) / p[1]), 2.0 * p[0]));
            },
        .least = 2,
        .most = 2}},
      {"general_hamming",
       {.formula = [](double i, double m,
                      const Parameters& p) { return cosine_sum(i, m, {p[0], 1.0 - p[0]}); },
        .least = 1,
        .most = 1}},
      {"general_cosine", {.formula = &cosine_sum, .least = 1, .most = 64}},
  };
  return kinds;
}

/// SciPy's other spellings.
std::string_view window_name(std::string_view name) {
  static const std::map<std::string_view, std::string_view> names = {
      {"box", "boxcar"},
      {"ones", "boxcar"},
      {"rect", "boxcar"},
      {"rectangular", "boxcar"},
      {"tri", "triang"},
      {"triangle", "triang"},
      {"bart", "bartlett"},
      {"brt", "bartlett"},
      {"par", "parzen"},
      {"parz", "parzen"},
      {"bman", "bohman"},
      {"bmn", "bohman"},
      {"brthan", "barthann"},
      {"bth", "barthann"},
      {"halfcosine", "cosine"},
      {"sinc", "lanczos"},
      {"han", "hann"},
      {"ham", "hamming"},
      {"hamm", "hamming"},
      {"black", "blackman"},
      {"blk", "blackman"},
      {"nut", "nuttall"},
      {"nutl", "nuttall"},
      {"blackharr", "blackmanharris"},
      {"bkh", "blackmanharris"},
      {"flat", "flattop"},
      {"flt", "flattop"},
      {"tuk", "tukey"},
      {"ksr", "kaiser"},
      {"gauss", "gaussian"},
      {"gss", "gaussian"},
      {"poisson", "exponential"},
      {"general gaussian", "general_gaussian"},
      {"general gauss", "general_gaussian"},
      {"general_gauss", "general_gaussian"},
      {"ggs", "general_gaussian"},
      {"general hamming", "general_hamming"},
      {"general cosine", "general_cosine"},
  };
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

/// `name` without `ending`, if it has it.
bool take_ending(std::string_view& name, std::string_view ending) {
  if (!name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  return true;
}

const WindowKind& window_kind(std::string_view name) {
  const auto& kinds = window_kinds();
  const auto found = kinds.find(window_name(name));
  if (found != kinds.end()) return found->second;
  std::string all;
  for (const auto& [one, kind] : kinds) all += (all.empty() ? "" : ", ") + one;
  fail<ArgumentError>("[get_window] expected one of {}, got '{}'", all, name);
}

}  // namespace

std::vector<double> window_values(const SpectralWindow& window, std::int64_t n, bool fftbins) {
  require(n >= 1, "[get_window] expected a length of 1 or more, got {}", n);
  if (window.numbers()) {
    const Array& numbers = *window.numbers();
    if (numbers.rank() != 1 || numbers.size() != n) {
      fail<ShapeError>("[get_window] expected {} numbers of a window, got shape {}", n,
                       numbers.shape());
    }
    return numbers.to_vector<double>();
  }
  std::string_view name = window.name();
  bool periodic = fftbins;
  if (take_ending(name, "_symmetric")) {
    periodic = false;
  } else if (take_ending(name, "_periodic")) {
    periodic = true;
  }
  const WindowKind& kind = window_kind(name);
  const Parameters& given = window.parameters();
  if (given.size() < kind.least || given.size() > kind.most) {
    fail<ArgumentError>("[get_window] expected {} to {} parameters of the window '{}', got {}",
                        kind.least, kind.most, name, given.size());
  }
  const Parameters& parameters = given.empty() ? kind.standard : given;
  std::vector<double> values(static_cast<std::size_t>(n), 1.0);
  if (n > 1) {
    const auto m = static_cast<double>(periodic ? n + 1 : n);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = kind.formula(static_cast<double>(i), m, parameters);
    }
  }
  return values;
}

Array get_window(const SpectralWindow& window, std::int64_t n, bool fftbins, DType dtype) {
  return from_values(window_values(window, n, fftbins), {n}).astype(dtype);
}

}  // namespace gaia
