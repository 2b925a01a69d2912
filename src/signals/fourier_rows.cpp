// SPDX-License-Identifier: MIT
#include "fourier_rows.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "../core/parallel.h"
#include "fourier_plan.hpp"
#include "fourier_real_lanes.hpp"
#include "fourier_roots.hpp"

namespace gaia {
namespace fourier {

/// Calls task(first row, rows) for groups of up to kCount rows, of which threads work side by side.
template <class T, class Task>
void for_groups(std::int64_t rows, std::int64_t length, const Task& task) {
  constexpr std::int64_t lanes = Lanes<T>::kCount;
  const std::int64_t groups = (rows + lanes - 1) / lanes;
  // Enough work for a thread to be worth waking.
  const std::int64_t chunk =
      std::max<std::int64_t>(1, 8192 / (lanes * std::max<std::int64_t>(length, 1)));
  const auto run = [&](std::int64_t number) {
    for (std::int64_t g = number * chunk; g < std::min(groups, (number + 1) * chunk); ++g) {
      task(g * lanes, std::min(lanes, rows - g * lanes));
    }
  };
  const std::int64_t tasks = (groups + chunk - 1) / chunk;
  if (tasks == 1) return run(0);
  parallel_for(tasks, run);
}

/// Roots of unity by which transforms of half the length become those of real numbers: exp(-2 pi i
/// k / length), k <= length / 4.
template <class T>
std::shared_ptr<const ComplexNumbers<T>> half_roots(std::int64_t length) {
  static std::mutex mutex;
  static Recent<std::shared_ptr<const ComplexNumbers<T>>> recent;
  const std::lock_guard lock(mutex);
  return recent.of(length, [](std::int64_t n) {
    const RootsOfUnity roots(n);
    auto made = std::make_shared<ComplexNumbers<T>>();
    for (std::int64_t k = 0; k <= n / 4; ++k) made->push_back(roots(k));
    return made;
  });
}

}  // namespace fourier

std::int64_t fast_length(std::int64_t length) {
  if (length <= 6) return std::max<std::int64_t>(length, 1);
  // Times of factors 2, 3 and 5, in nanoseconds a number, as measured: 3 is slow for its size.
  constexpr double two = 0.51;
  constexpr double three = 1.31;
  constexpr double five = 1.39;
  std::int64_t fastest = 0;
  double least = 0.0;
  double of_fives = 0.0;
  for (std::int64_t fives = 1; fives < 2 * length; fives *= 5, of_fives += five) {
    double of_odd = of_fives;
    for (std::int64_t odd = fives; odd < 2 * length; odd *= 3, of_odd += three) {
      std::int64_t n = odd;
      double cost = of_odd;
      for (; n < length; n *= 2) cost += two;
      cost *= static_cast<double>(n);
      if (fastest != 0 && cost >= least) continue;
      fastest = n;
      least = cost;
    }
  }
  return fastest;
}

template <class T>
void transform_rows(std::int64_t rows, std::int64_t length, bool inverse, T scale,
                    ComplexPointers<const T> x, ComplexPointers<T> y) {
  using namespace fourier;
  if (inverse) {  // with parts that change places
    std::swap(x.real, x.imag);
    std::swap(y.real, y.imag);
  }
  const auto plan = plan_of<T>(length);
  const ComplexRows<const T> from{x, length};
  const ComplexRows<T> to{y, length};
  for_groups<T>(rows, length, [&](std::int64_t row, std::int64_t count) {
    transform_by(*plan, count, scale, from.from(row), to.from(row));
  });
}

template <class T>
void transform_real_rows(std::int64_t rows, std::int64_t length, T scale, const T* x,
                         ComplexPointers<T> y) {
  using namespace fourier;
  const std::int64_t bins = length / 2 + 1;
  if (length % 2 != 0) {
    const auto plan = plan_of<T>(length);
    for_groups<T>(rows, length, [&](std::int64_t first, std::int64_t count) {
      const std::int64_t all = count * length;
      Workspace<T> space(3 * all);
      T* const zeros = space.data();
      std::fill(zeros, zeros + length, T(0));
      const ComplexRows<T> whole{{zeros + all, zeros + 2 * all}, length};
      for (std::int64_t row = 1; row < count; ++row)
        std::fill_n(zeros + row * length, length, T(0));
      transform_by<T>(*plan, count, scale, {{x + first * length, zeros}, length}, whole);
      for (std::int64_t row = 0; row < count; ++row) {
        const ComplexRows<T> from = whole.from(row);
        T* const real = y.real + (first + row) * bins;
        T* const imag = y.imag + (first + row) * bins;
        std::copy(from.at.real, from.at.real + bins, real);
        std::copy(from.at.imag, from.at.imag + bins, imag);
        imag[0] = T(0);
      }
    });
    return;
  }
  const std::int64_t half = length / 2;
  const auto plan = plan_of<T>(half);
  const auto roots = half_roots<T>(length);
  for_groups<T>(rows, half, [&](std::int64_t first, std::int64_t count) {
    if (plan->is_direct()) {
      transform_real_direct(half, count, scale, x + first * length, *roots,
                            {y.real + first * bins, y.imag + first * bins});
      return;
    }
    const std::int64_t all = count * half;
    Workspace<T> space(4 * all);
    T* const even = space.data();
    T* const odd = even + all;
    const ComplexRows<T> z{{odd + all, odd + 2 * all}, half};
    const T* const from = x + first * length;
    for (std::int64_t j = 0; j < all; ++j) {
      even[j] = from[2 * j];
      odd[j] = from[2 * j + 1];
    }
    transform_by<T>(*plan, count, T(1), {{even, odd}, half}, z);
    const T part = scale / T(2);
    for (std::int64_t row = 0; row < count; ++row) {
      const T* const re = z.from(row).at.real;
      const T* const im = z.from(row).at.imag;
      T* const real = y.real + (first + row) * bins;
      T* const imag = y.imag + (first + row) * bins;
      real[0] = scale * (re[0] + im[0]);
      real[half] = scale * (re[0] - im[0]);
      imag[0] = imag[half] = T(0);
      const T* const cosine = roots->real.data();
      const T* const sine = roots->imag.data();
      // X[k] = E + w^k O and X[half - k] = conj(E - w^k O), where E and O are the transforms of the
      // numbers of even and of odd places.
      for (std::int64_t k = 1; k <= half / 2; ++k) {
        const T er = re[k] + re[half - k];
        const T ei = im[k] - im[half - k];
        const T o_r = im[k] + im[half - k];
        const T oi = re[half - k] - re[k];
        const T tr = o_r * cosine[k] - oi * sine[k];
        const T ti = o_r * sine[k] + oi * cosine[k];
        real[k] = part * (er + tr);
        imag[k] = part * (ei + ti);
        real[half - k] = part * (er - tr);
        imag[half - k] = part * (ti - ei);
      }
    }
  });
}

template <class T>
void transform_to_real_rows(std::int64_t rows, std::int64_t length, T scale,
                            ComplexPointers<const T> x, T* y) {
  using namespace fourier;
  const std::int64_t bins = length / 2 + 1;
  if (length % 2 != 0) {
    const auto plan = plan_of<T>(length);
    for_groups<T>(rows, length, [&](std::int64_t first, std::int64_t count) {
      const std::int64_t all = count * length;
      Workspace<T> space(3 * all);
      const ComplexRows<T> whole{{space.data(), space.data() + all}, length};
      for (std::int64_t row = 0; row < count; ++row) {
        const ComplexRows<T> to = whole.from(row);
        const T* const real = x.real + (first + row) * bins;
        const T* const imag = x.imag + (first + row) * bins;
        to.at.real[0] = real[0];
        to.at.imag[0] = T(0);
        for (std::int64_t k = 1; k < bins; ++k) {
          to.at.real[k] = to.at.real[length - k] = real[k];
          to.at.imag[k] = imag[k];
          to.at.imag[length - k] = -imag[k];
        }
      }
      transform_by<T>(*plan, count, scale, {{whole.at.imag, whole.at.real}, length},
                      {{space.data() + 2 * all, y + first * length}, length});
    });
    return;
  }
  const std::int64_t half = length / 2;
  const auto plan = plan_of<T>(half);
  const auto roots = half_roots<T>(length);
  for_groups<T>(rows, half, [&](std::int64_t first, std::int64_t count) {
    if (plan->is_direct()) {
      transform_to_real_direct<T>(half, count, scale,
                                  {x.real + first * bins, x.imag + first * bins}, *roots,
                                  y + first * length);
      return;
    }
    const std::int64_t all = count * half;
    Workspace<T> space(4 * all);
    const ComplexRows<T> z{{space.data(), space.data() + all}, half};
    for (std::int64_t row = 0; row < count; ++row) {
      const T* const real = x.real + (first + row) * bins;
      const T* const imag = x.imag + (first + row) * bins;
      T* const re = z.from(row).at.real;
      T* const im = z.from(row).at.imag;
      re[0] = real[0] + real[half];
      im[0] = real[0] - real[half];
      const T* const cosine = roots->real.data();
      const T* const sine = roots->imag.data();
      for (std::int64_t k = 1; k <= half / 2; ++k) {
        const T er = real[k] + real[half - k];
        const T ei = imag[k] - imag[half - k];
        const T dr = real[k] - real[half - k];
        const T di = imag[k] + imag[half - k];
        // O = conj(w^k) (X[k] - conj(X[half - k])), and Z = E + i O.
        const T o_r = dr * cosine[k] + di * sine[k];
        const T oi = di * cosine[k] - dr * sine[k];
        re[k] = er - oi;
        im[k] = ei + o_r;
        re[half - k] = er + oi;
        im[half - k] = o_r - ei;
      }
    }
    T* const even = space.data() + 2 * all;
    T* const odd = even + all;
    transform_by<T>(*plan, count, scale, {{z.at.imag, z.at.real}, half}, {{odd, even}, half});
    T* const to = y + first * length;
    for (std::int64_t j = 0; j < all; ++j) {
      to[2 * j] = even[j];
      to[2 * j + 1] = odd[j];
    }
  });
}

template <class T>
void convolve_rows(const RowConvolution<T>& run, const T* a, const T* b, T* y) {
  using namespace fourier;
  const std::int64_t length = run.length;
  const std::int64_t bins = length / 2 + 1;
  // The spectra of `count` rows filled up with zeros, which lie in `filled` meanwhile.
  const auto spectra = [&](const T* x, std::int64_t n, std::int64_t count, T* filled,
                           ComplexPointers<T> z) {
    for (std::int64_t row = 0; row < count; ++row) {
      T* const to = filled + row * length;
      std::copy(x + row * n, x + (row + 1) * n, to);
      std::fill(to + n, to + length, T(0));
    }
    transform_real_rows<T>(count, length, T(1), filled, z);
  };
  Workspace<T> only(run.has_one_b ? 2 * bins + length : 0);
  if (run.has_one_b)
    spectra(b, run.m, 1, only.data() + 2 * bins, {only.data(), only.data() + bins});
  for_groups<T>(run.rows, length, [&](std::int64_t first, std::int64_t count) {
    Workspace<T> space(count * (length + 4 * bins));
    T* const filled = space.data();
    const ComplexPointers<T> z{filled + count * length, filled + count * (length + bins)};
    const ComplexPointers<T> w{z.imag + count * bins, z.imag + 2 * count * bins};
    spectra(a + first * run.n, run.n, count, filled, z);
    if (!run.has_one_b) spectra(b + first * run.m, run.m, count, filled, w);
    for (std::int64_t row = 0; row < count; ++row) {
      const T* const real = run.has_one_b ? only.data() : w.real + row * bins;
      const T* const imag = run.has_one_b ? only.data() + bins : w.imag + row * bins;
      T* const re = z.real + row * bins;
      T* const im = z.imag + row * bins;
      for (std::int64_t k = 0; k < bins; ++k) {
        const T product = re[k] * real[k] - im[k] * imag[k];
        im[k] = re[k] * imag[k] + im[k] * real[k];
        re[k] = product;
      }
    }
    transform_to_real_rows<T>(count, length, static_cast<T>(1.0 / static_cast<double>(length)),
                              {z.real, z.imag}, filled);
    for (std::int64_t row = 0; row < count; ++row) {
      const T* const from = filled + row * length + run.start;
      std::copy(from, from + run.kept, y + (first + row) * run.kept);
    }
  });
}

template void convolve_rows(const RowConvolution<float>&, const float*, const float*, float*);
template void convolve_rows(const RowConvolution<double>&, const double*, const double*, double*);
template void transform_rows(std::int64_t, std::int64_t, bool, float, ComplexPointers<const float>,
                             ComplexPointers<float>);
template void transform_rows(std::int64_t, std::int64_t, bool, double,
                             ComplexPointers<const double>, ComplexPointers<double>);
template void transform_real_rows(std::int64_t, std::int64_t, float, const float*,
                                  ComplexPointers<float>);
template void transform_real_rows(std::int64_t, std::int64_t, double, const double*,
                                  ComplexPointers<double>);
template void transform_to_real_rows(std::int64_t, std::int64_t, float,
                                     ComplexPointers<const float>, float*);
template void transform_to_real_rows(std::int64_t, std::int64_t, double,
                                     ComplexPointers<const double>, double*);

}  // namespace gaia
