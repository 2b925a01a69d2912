// SPDX-License-Identifier: MIT
#include "rows.h"

#include <limits>

#include "loop.h"
#include "simd.h"
#include "simd_math.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Joins a row by `better`, which keeps a NaN.
template <class T, class F>
GAIA_INLINE T extreme(const T* x, std::int64_t n, const F& better) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  if (n < lanes) {
    T best = x[0];
    for (std::int64_t i = 1; i < n; ++i) {
      best = better(Vec<T>(best), Vec<T>(x[i]))[0];
    }
    return best;
  }
  Vec<T> best[4];
  for (Vec<T>& one : best) one = Vec<T>::load(x);
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) best[v] = better(best[v], Vec<T>::load(x + i + v * lanes));
  }
  for (; i + lanes <= n; i += lanes) best[0] = better(best[0], Vec<T>::load(x + i));
  best[0] = better(best[0], Vec<T>::load(x + n - lanes));  // the rest, and some again
  best[0] = better(better(best[0], best[1]), better(best[2], best[3]));
  T lane[lanes];
  best[0].store(lane);
  Vec<T> last(lane[0]);
  for (std::int64_t j = 1; j < lanes; ++j) last = better(last, Vec<T>(lane[j]));
  return last[0];
}

template <class T>
GAIA_INLINE Vec<T> larger(Vec<T> a, Vec<T> b) {
  return choose(a >= b, a, choose(a != a, a, b));
}
template <class T>
GAIA_INLINE Vec<T> smaller(Vec<T> a, Vec<T> b) {
  return choose(a <= b, a, choose(a != a, a, b));
}

}  // namespace

template <class T>
double sum_row(const T* x, std::int64_t n) {
  return sum_in_double(
      n,
      [x](std::int64_t i) { return widen(x + i); },
      [x](std::int64_t i) { return static_cast<double>(x[i]); });
}

template <class T>
T largest_of_row(const T* x, std::int64_t n) {
  return extreme(x, n, [](Vec<T> a, Vec<T> b) { return larger(a, b); });
}

template <class T>
T smallest_of_row(const T* x, std::int64_t n) {
  return extreme(x, n, [](Vec<T> a, Vec<T> b) { return smaller(a, b); });
}

template <class T>
void add_row(const T* x, double* sums, std::int64_t n) {
  constexpr std::int64_t lanes = Vec<double>::lanes;
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) (Vec<double>::load(sums + i) + widen(x + i)).store(sums + i);
  for (; i < n; ++i) sums[i] += static_cast<double>(x[i]);
}

template <class T>
T exponentials_of_row(T* x, std::int64_t n, T scale, T shift) {
  // Below, exp is no normal number, which costs time and adds nothing.
  const Vec<T> least(std::numeric_limits<T>::min_exponent * T(0.6));
  const Vec<T> factor(scale);
  const Vec<T> away(shift);
  Vec<T> total(T(0));
  T rest = 0;
  for_each_vector<T>(n, [&](std::int64_t i, auto count) {
    const Vec<T> z = fma(load(x + i, count), factor, -away);
    const Vec<T> e = choose(z < least, Vec<T>(T(0)), exp(z));
    store(e, x + i, count);
    if constexpr (std::is_same_v<decltype(count), Whole<T>>) {
      total += e;
    } else {
      for (std::int64_t j = 0; j < count; ++j) rest += x[i + j];
    }
  });
  return sum(total) + rest;
}

template <class T>
void softmax_row(const T* x, T* y, std::int64_t n) {
  const Vec<T> largest(largest_of_row(x, n));
  for_each_vector<T>(n, [&](std::int64_t i, auto count) {
    store(exp(load(x + i, count) - largest), y + i, count);
  });
  const Vec<T> total(static_cast<T>(sum_row(y, n)));
  for_each_vector<T>(n, [&](std::int64_t i, auto count) {
    store(load(y + i, count) / total, y + i, count);
  });
}

template <class T>
void log_softmax_row(const T* x, T* y, std::int64_t n) {
  const T largest = largest_of_row(x, n);
  // The largest term of the sum is 1, and the others are carried apart from it, so that answers
  // near 0 keep their digits.
  std::int64_t at = 0;
  while (at < n - 1 && !(x[at] == largest)) ++at;
  const Vec<T> shift(largest);
  double others = 0;
  T lane[Vec<T>::lanes];
  std::int64_t i = 0;
  for (; i < n; i += Vec<T>::lanes) {
    const std::int64_t count = n - i < Vec<T>::lanes ? n - i : Vec<T>::lanes;
    exp(Vec<T>::load(x + i, count) - shift).store(lane);
    if (at >= i && at < i + count) lane[at - i] = 0;
    for (std::int64_t j = 0; j < count; ++j) others += static_cast<double>(lane[j]);
  }
  // NaN where the largest is: of NaN, of infinity, and of -infinity throughout.
  const double total = std::log1p(others) + static_cast<double>(largest - largest);
  for (i = 0; i < n; ++i) y[i] = static_cast<T>(static_cast<double>(x[i] - largest) - total);
}

template <class T>
RowMoments layer_norm_row(const RowNorm<T>& norm, const T* x, T* y, std::int64_t n) {
  const auto count = static_cast<double>(n);
  double mean = sum_row(x, n) / count;
  if constexpr (std::is_same_v<T, double>) {  // take back what rounding left
    mean += sum_in_double(
                n, [=](std::int64_t i) { return Vec<double>::load(x + i) - Vec<double>(mean); },
                [=](std::int64_t i) { return x[i] - mean; }) /
            count;
  }
  const double squares = sum_in_double(
      n,
      [=](std::int64_t i) {
        const Vec<double> away = widen(x + i) - Vec<double>(mean);
        return away * away;
      },
      [=](std::int64_t i) {
        const double away = static_cast<double>(x[i]) - mean;
        return away * away;
      });
  const double rstd = 1.0 / std::sqrt(squares / count + norm.epsilon);
  constexpr std::int64_t lanes = Vec<double>::lanes;
  std::int64_t i = 0;
  const Vec<double> center(mean);
  const Vec<double> factor(rstd);
  for (; i + lanes <= n; i += lanes) narrow((widen(x + i) - center) * factor, y + i);
  for (; i < n; ++i) y[i] = static_cast<T>((static_cast<double>(x[i]) - mean) * rstd);
  if (norm.weight != nullptr && norm.bias != nullptr) {
    for_each_vector<T>(n, [&](std::int64_t k, auto c) {
      store(load(y + k, c) * load(norm.weight + k, c) + load(norm.bias + k, c), y + k, c);
    });
  } else if (norm.weight != nullptr) {
    for_each_vector<T>(n, [&](std::int64_t k, auto c) {
      store(load(y + k, c) * load(norm.weight + k, c), y + k, c);
    });
  } else if (norm.bias != nullptr) {
    for_each_vector<T>(n, [&](std::int64_t k, auto c) {
      store(load(y + k, c) + load(norm.bias + k, c), y + k, c);
    });
  }
  return {mean, rstd};
}

#define GAIA_ROWS(T)                                                    \
  template double sum_row(const T*, std::int64_t);                      \
  template T largest_of_row(const T*, std::int64_t);                    \
  template T smallest_of_row(const T*, std::int64_t);                   \
  template void add_row(const T*, double*, std::int64_t);               \
  template T exponentials_of_row(T*, std::int64_t, T, T);               \
  template void softmax_row(const T*, T*, std::int64_t);                \
  template void log_softmax_row(const T*, T*, std::int64_t);            \
  template RowMoments layer_norm_row(const RowNorm<T>&, const T*, T*, std::int64_t);
GAIA_ROWS(float)
GAIA_ROWS(double)
#undef GAIA_ROWS

}  // namespace gaia::cpu::GAIA_VECTOR_SET
