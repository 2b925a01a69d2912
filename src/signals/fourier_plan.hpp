// SPDX-License-Identifier: MIT
/// \file
/// How rows of one length are transformed.
///
/// A transform of a length that is a product m1 m2 is one of m2 columns of length m1, a rotation of
/// each number, and one of m1 rows of length m2 (Bailey 1990, J. Supercomput. 4, 23): of each as
/// many as a register has lanes go side by side.  Short rows go side by side with other rows.  A
/// length with a large prime factor becomes a convolution of a length without one (Bluestein 1970,
/// IEEE Trans. Audio Electroacoust. 18, 451).
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../core/parallel.h"
#include "fourier_lanes.hpp"
#include "fourier_roots.hpp"
#include "fourier_rows.h"

namespace gaia::fourier {

// From this length on a row is cut, if its length is a product.
template <class T>
constexpr std::int64_t kLeastSplit = sizeof(T) == sizeof(float) ? 1100 : 10000;
// From this length on the columns of a single row are shared among threads.
constexpr std::int64_t kLeastShared = 32768;
// Bytes of a line of the cache: so wide are the blocks of columns.
constexpr std::int64_t kLine = 64;

inline std::int64_t largest_prime_factor(std::int64_t n) {
  std::int64_t largest = 1;
  for (std::int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) largest = p;
  }
  return std::max(n, largest);
}

/// Operations of a transform by factors, about, as pocketfft weighs them.
inline double cost_by_factors(std::int64_t length) {
  double cost = 0.0;
  std::int64_t n = length;
  for (std::int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p)
      cost += p <= 5 ? static_cast<double>(p) : 1.1 * static_cast<double>(p);
  }
  if (n > 1) cost += n <= 5 ? static_cast<double>(n) : 1.1 * static_cast<double>(n);
  return cost * static_cast<double>(length);
}

inline bool needs_chirp(std::int64_t length) {
  if (length < 50 || largest_prime_factor(length) <= 7) return false;
  return 3.0 * cost_by_factors(fast_length(2 * length - 1)) < cost_by_factors(length);
}

/// The factor of `length` nearest to its square root from below.
inline std::int64_t first_factor(std::int64_t length) {
  auto m = static_cast<std::int64_t>(std::sqrt(static_cast<double>(length)));
  while (length % m != 0) --m;
  return m;
}
/// The calling thread's transform of a short length.
template <class T>
std::shared_ptr<LanesTransform<T>> lanes_transform(std::int64_t length) {
  thread_local Recent<std::shared_ptr<LanesTransform<T>>> recent;
  return recent.of(length, [](std::int64_t n) { return std::make_shared<LanesTransform<T>>(n); });
}
/// How rows of one length are transformed.
template <class T>
struct FourierPlan {
  explicit FourierPlan(std::int64_t n);

  /// Whether rows go side by side as they are.
  bool is_direct() const { return first == 1 && convolution == nullptr; }

  std::int64_t length;
  /// Factors of a length that is cut, and the rotations [first, second].
  std::int64_t first = 1;
  std::int64_t second = 1;
  ComplexNumbers<T> rotations;
  /// Chirp of a length with a large prime factor, and the transform of its conjugate, already
  /// divided by the length of the convolution.
  std::shared_ptr<const FourierPlan> convolution;
  ComplexNumbers<T> chirp;
  ComplexNumbers<T> kernel;
};

template <class T>
std::shared_ptr<const FourierPlan<T>> plan_of(std::int64_t length) {
  static std::mutex mutex;
  static Recent<std::shared_ptr<const FourierPlan<T>>> recent;
  {
    const std::lock_guard lock(mutex);
    std::shared_ptr<const FourierPlan<T>>& kept =
        recent.of(length, [](std::int64_t) { return nullptr; });
    if (kept != nullptr) return kept;
  }
  auto made = std::make_shared<const FourierPlan<T>>(length);  // others may make it meanwhile
  const std::lock_guard lock(mutex);
  return recent.of(length, [](std::int64_t) { return nullptr; }) = std::move(made);
}
/// Up to kCount rows, one every `step` numbers from `first` on, into lanes and out of them.
template <class T>
class RowLanes {
 public:
  static constexpr std::int64_t kCount = Lanes<T>::kCount;

  /// Lanes behind `count` show the last row again.
  template <class Put>
  static void read(const T* first, std::int64_t step, std::int64_t count, std::int64_t length,
                   const Put& put) {
    const T* rows[kCount];
    for (std::int64_t i = 0; i < kCount; ++i) rows[i] = first + std::min(i, count - 1) * step;
    std::int64_t j = 0;
    LanesSquare<T> square;
    for (; j + kCount <= length; j += kCount) {
      for (std::int64_t i = 0; i < kCount; ++i) square.load(i, rows[i] + j);
      square.exchange();
      for (std::int64_t i = 0; i < kCount; ++i) put(j + i, Lanes<T>(square.block.packet[i]));
    }
    for (; j < length; ++j) {
      T column[kCount];
      for (std::int64_t i = 0; i < kCount; ++i) column[i] = rows[i][j];
      put(j, Lanes<T>::load(column));
    }
  }

  /// Lanes behind `count` are left out.
  template <class Get>
  static void write(T* first, std::int64_t step, std::int64_t count, std::int64_t length,
                    const Get& get) {
    std::int64_t j = 0;
    LanesSquare<T> square;
    for (; j + kCount <= length; j += kCount) {
      for (std::int64_t i = 0; i < kCount; ++i) square.block.packet[i] = get(j + i).packet;
      square.exchange();
      for (std::int64_t i = 0; i < count; ++i) square.store(i, first + i * step + j);
    }
    for (; j < length; ++j) {
      T column[kCount];
      get(j).store(column);
      for (std::int64_t i = 0; i < count; ++i) first[i * step + j] = column[i];
    }
  }
};

/// Complex rows, one every `step` numbers.
template <class T>
struct ComplexRows {
  ComplexPointers<T> at;
  std::int64_t step;
  ComplexRows from(std::int64_t row) const {
    return {{at.real + row * step, at.imag + row * step}, step};
  }
};

/// Up to kCount short rows side by side.
template <class T>
void transform_direct(std::int64_t length, std::int64_t count, T scale,
                      const ComplexRows<const T>& x, const ComplexRows<T>& y) {
  using L = RowLanes<T>;
  const auto transform = lanes_transform<T>(length);
  Workspace<ComplexLanes<T>> space(2 * length);
  ComplexLanes<T>* const in = space.data();
  ComplexLanes<T>* const out = in + length;
  L::read(x.at.real, x.step, count, length, [&](std::int64_t j, Lanes<T> z) { in[j].real(z); });
  L::read(x.at.imag, x.step, count, length, [&](std::int64_t j, Lanes<T> z) { in[j].imag(z); });
  transform->run(in, out);
  const Lanes<T> factor(scale);
  L::write(y.at.real, y.step, count, length,
           [&](std::int64_t j) { return out[j].real() * factor; });
  L::write(y.at.imag, y.step, count, length,
           [&](std::int64_t j) { return out[j].imag() * factor; });
}

/// Columns [begin, end) of x [length, columns], `width` side by side: each is transformed and
/// handed to store(column, count, numbers), `count` of which are columns and no others.
template <class T, class Store>
void transform_columns(std::int64_t length, std::int64_t columns, std::int64_t begin,
                       std::int64_t end, ComplexPointers<const T> x, const Store& store) {
  constexpr std::int64_t lanes = Lanes<T>::kCount;
  constexpr std::int64_t groups = std::max<std::int64_t>(1, kLine / (lanes * sizeof(T)));
  const auto transform = lanes_transform<T>(length);
  Workspace<ComplexLanes<T>> space((groups + 1) * length);
  ComplexLanes<T>* const out = space.data() + groups * length;
  for (std::int64_t column = begin; column < end; column += groups * lanes) {
    const std::int64_t width = std::min(groups * lanes, end - column);
    for (std::int64_t j = 0; j < length; ++j) {
      const T* real = x.real + j * columns + column;
      const T* imag = x.imag + j * columns + column;
      std::int64_t done = 0;
      for (std::int64_t g = 0; done < width; ++g, done += lanes) {
        ComplexLanes<T>& to = space.data()[g * length + j];
        if (done + lanes <= width) {
          to = {Lanes<T>::load(real + done), Lanes<T>::load(imag + done)};
          continue;
        }
        T some_real[lanes] = {};
        T some_imag[lanes] = {};
        std::copy(real + done, real + width, some_real);
        std::copy(imag + done, imag + width, some_imag);
        to = {Lanes<T>::load(some_real), Lanes<T>::load(some_imag)};
      }
    }
    for (std::int64_t g = 0; g * lanes < width; ++g) {
      transform->run(space.data() + g * length, out);
      store(column + g * lanes, std::min(lanes, width - g * lanes), out);
    }
  }
}

/// Calls task(begin, end) for parts of [0, count), of which threads work side by side.
template <class Task>
void in_parts(std::int64_t count, bool is_shared, const Task& task) {
  if (!is_shared) return task(std::int64_t{0}, count);
  constexpr std::int64_t part = 64;  // columns
  parallel_for((count + part - 1) / part, [&](std::int64_t number) {
    task(number * part, std::min(count, (number + 1) * part));
  });
}

/// One row of a length that is first x second.
template <class T>
void transform_split(const FourierPlan<T>& plan, T scale, ComplexPointers<const T> x,
                     ComplexPointers<T> y) {
  using L = RowLanes<T>;
  constexpr std::int64_t lanes = Lanes<T>::kCount;
  const std::int64_t m1 = plan.first;
  const std::int64_t m2 = plan.second;
  const bool is_shared = plan.length >= kLeastShared;
  Workspace<T> space(2 * plan.length);
  T* const real = space.data();
  T* const imag = real + plan.length;
  in_parts(m2, is_shared, [&](std::int64_t begin, std::int64_t end) {
    transform_columns<T>(m1, m2, begin, end, x,
                         [&](std::int64_t column, std::int64_t count, ComplexLanes<T>* numbers) {
                           // Rotations of columns beyond the last are not read: what they give is
                           // not kept.
                           T last_real[lanes] = {};
                           T last_imag[lanes] = {};
                           for (std::int64_t k = 0; k < m1; ++k) {
                             ComplexPointers<const T> turn = plan.rotations.at(k * m2 + column);
                             if (count < lanes) {
                               std::copy(turn.real, turn.real + count, last_real);
                               std::copy(turn.imag, turn.imag + count, last_imag);
                               turn = {last_real, last_imag};
                             }
                             numbers[k] *= ComplexLanes<T>(Lanes<T>::load(turn.real),
                                                           Lanes<T>::load(turn.imag));
                           }
                           L::write(real + column * m1, m1, count, m1,
                                    [&](std::int64_t k) { return numbers[k].real(); });
                           L::write(imag + column * m1, m1, count, m1,
                                    [&](std::int64_t k) { return numbers[k].imag(); });
                         });
  });
  const Lanes<T> factor(scale);
  in_parts(m1, is_shared, [&](std::int64_t begin, std::int64_t end) {
    transform_columns<T>(
        m2, m1, begin, end, {real, imag},
        [&](std::int64_t column, std::int64_t count, const ComplexLanes<T>* numbers) {
          for (std::int64_t k = 0; k < m2; ++k) {
            const Lanes<T> re = numbers[k].real() * factor;
            const Lanes<T> im = numbers[k].imag() * factor;
            T* const to_real = y.real + k * m1 + column;
            T* const to_imag = y.imag + k * m1 + column;
            if (count == lanes) {
              re.store(to_real);
              im.store(to_imag);
              continue;
            }
            T some[lanes];
            re.store(some);
            std::copy(some, some + count, to_real);
            im.store(some);
            std::copy(some, some + count, to_imag);
          }
        });
  });
}

template <class T>
void transform_by(const FourierPlan<T>& plan, std::int64_t count, T scale,
                  const ComplexRows<const T>& x, const ComplexRows<T>& y);

/// Up to kCount rows as convolutions with a chirp: with j k = (j² + k² - (k - j)²) / 2.
template <class T>
void transform_by_chirp(const FourierPlan<T>& plan, std::int64_t count, T scale,
                        const ComplexRows<const T>& x, const ComplexRows<T>& y) {
  const std::int64_t n = plan.length;
  const std::int64_t m = plan.convolution->length;
  const std::int64_t all = count * m;
  Workspace<T> space(4 * all);
  const ComplexRows<T> a{{space.data(), space.data() + all}, m};
  const ComplexRows<T> b{{a.at.imag + all, a.at.imag + 2 * all}, m};
  const auto constant = [](const ComplexRows<T>& rows) {
    return ComplexRows<const T>{{rows.at.real, rows.at.imag}, rows.step};
  };
  const T* const chirp_real = plan.chirp.real.data();
  const T* const chirp_imag = plan.chirp.imag.data();
  for (std::int64_t row = 0; row < count; ++row) {
    const ComplexRows<const T> from = x.from(row);
    const ComplexRows<T> to = a.from(row);
    for (std::int64_t j = 0; j < n; ++j) {
      to.at.real[j] = from.at.real[j] * chirp_real[j] - from.at.imag[j] * chirp_imag[j];
      to.at.imag[j] = from.at.real[j] * chirp_imag[j] + from.at.imag[j] * chirp_real[j];
    }
    std::fill(to.at.real + n, to.at.real + m, T(0));
    std::fill(to.at.imag + n, to.at.imag + m, T(0));
  }
  transform_by(*plan.convolution, count, T(1), constant(a), b);
  for (std::int64_t row = 0; row < count; ++row) {
    const ComplexRows<T> at = b.from(row);
    const T* const kernel_real = plan.kernel.real.data();
    const T* const kernel_imag = plan.kernel.imag.data();
    for (std::int64_t j = 0; j < m; ++j) {
      const T real = at.at.real[j] * kernel_real[j] - at.at.imag[j] * kernel_imag[j];
      at.at.imag[j] = at.at.real[j] * kernel_imag[j] + at.at.imag[j] * kernel_real[j];
      at.at.real[j] = real;
    }
  }
  // Backwards by parts that have changed places.
  const ComplexRows<T> swapped{{b.at.imag, b.at.real}, m};
  transform_by(*plan.convolution, count, T(1), constant(swapped),
               ComplexRows<T>{{a.at.imag, a.at.real}, m});
  for (std::int64_t row = 0; row < count; ++row) {
    const ComplexRows<T> from = a.from(row);
    const ComplexRows<T> to = y.from(row);
    for (std::int64_t k = 0; k < n; ++k) {
      to.at.real[k] = scale * (from.at.real[k] * chirp_real[k] - from.at.imag[k] * chirp_imag[k]);
      to.at.imag[k] = scale * (from.at.real[k] * chirp_imag[k] + from.at.imag[k] * chirp_real[k]);
    }
  }
}

template <class T>
void transform_by(const FourierPlan<T>& plan, std::int64_t count, T scale,
                  const ComplexRows<const T>& x, const ComplexRows<T>& y) {
  if (plan.convolution != nullptr) return transform_by_chirp(plan, count, scale, x, y);
  if (plan.first == 1) return transform_direct(plan.length, count, scale, x, y);
  for (std::int64_t row = 0; row < count; ++row) {
    transform_split(plan, scale, x.from(row).at, y.from(row).at);
  }
}

template <class T>
FourierPlan<T>::FourierPlan(std::int64_t n) : length(n) {
  if (needs_chirp(n)) {
    // exp(-pi i j² / n); j² mod 2 n grows by 2 j + 1.
    const RootsOfUnity roots(2 * n);
    std::vector<std::complex<double>> values;
    std::int64_t square = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      values.push_back(roots(square));
      chirp.push_back(values.back());
      square = (square + 2 * j + 1) % (2 * n);
    }
    const std::int64_t m = fast_length(2 * n - 1);
    convolution = plan_of<T>(m);
    // In double whatever T is, so that the kernel is as exact as T allows.
    const auto exact = plan_of<double>(m);
    std::vector<double> numbers(static_cast<std::size_t>(4 * m));
    double* const real = numbers.data();
    double* const imag = real + m;
    for (std::int64_t j = 0; j < n; ++j) {
      const std::complex<double> z = std::conj(values[static_cast<std::size_t>(j)]);
      for (const std::int64_t place : {j, (m - j) % m}) {
        real[place] = z.real();
        imag[place] = z.imag();
      }
    }
    transform_by<double>(*exact, 1, 1.0 / static_cast<double>(m), {{real, imag}, m},
                         {{real + 2 * m, imag + 2 * m}, m});
    for (std::int64_t j = 0; j < m; ++j) kernel.push_back({real[2 * m + j], imag[2 * m + j]});
    return;
  }
  if (n < kLeastSplit<T>) return;
  first = first_factor(n);
  second = n / first;
  if (first == 1) return;
  const RootsOfUnity roots(n);
  for (std::int64_t k = 0; k < first; ++k) {
    for (std::int64_t j = 0; j < second; ++j) rotations.push_back(roots(k * j));
  }
}
}  // namespace gaia::fourier
