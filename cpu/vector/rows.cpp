// SPDX-License-Identifier: MIT
#include "rows.h"

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "../../src/formulas/activation.h"
#include "loop.h"
#include "simd.h"
#include "simd_lanes.h"
#include "simd_math.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// The largest of sign x, n >= 1, as if there were no NaN; `odd` is 0 if there is none, and NaN
/// otherwise (as it is for an infinity too).
template <class T, bool Negated>
GAIA_INLINE T largest_number(const T* x, std::int64_t n, T& odd) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  const auto read = [](const T* p) {
    const Vec<T> value = Vec<T>::load(p);
    return Negated ? -value : value;
  };
  if (n < lanes) {
    T best = -std::numeric_limits<T>::infinity();
    odd = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const T value = Negated ? -x[i] : x[i];
      best = value > best ? value : best;
      odd += value * T(0);
    }
    return best;
  }
  constexpr int chains = 4;
  Vec<T> best[chains];
  Vec<T> zeros[chains];
  for (int v = 0; v < chains; ++v) {
    best[v] = Vec<T>(-std::numeric_limits<T>::infinity());
    zeros[v] = Vec<T>(T(0));
  }
  const auto add = [&](const T* p, int v) {
    const Vec<T> value = read(p);
    best[v] = max(value, best[v]);
    zeros[v] = fma(value, Vec<T>(T(0)), zeros[v]);
  };
  std::int64_t i = 0;
  for (; i + chains * lanes <= n; i += chains * lanes) {
#pragma GCC unroll 4
    for (int v = 0; v < chains; ++v) add(x + i + v * lanes, v);
  }
  for (; i + lanes <= n; i += lanes) add(x + i, 0);
  add(x + n - lanes, 1);  // the rest, and some again
  odd = sum((zeros[0] + zeros[1]) + (zeros[2] + zeros[3]));
  const auto larger = [](Vec<T> a, Vec<T> b) { return max(a, b); };
  return join_lanes(larger(larger(best[0], best[1]), larger(best[2], best[3])), larger);
}

template <class T, bool Negated>
GAIA_INLINE T extreme(const T* x, std::int64_t n) {
  constexpr std::int64_t block = 4096;  // so that one infinity has no more read twice
  T best = -std::numeric_limits<T>::infinity();
  for (std::int64_t first = 0; first < n; first += block) {
    const std::int64_t count = n - first < block ? n - first : block;
    T odd = 0;
    const T next = largest_number<T, Negated>(x + first, count, odd);
    for (std::int64_t i = first; i < first + count && odd != T(0); ++i) {
      if (x[i] != x[i]) return x[i];
    }
    best = next > best ? next : best;
  }
  return Negated ? -best : best;
}

}  // namespace

template <class T>
double sum_row(const T* x, std::int64_t n) {
  return sum_in_double<kSumBlock<T>>(
      n, [x](std::int64_t i) { return widen(x + i); },
      [x](std::int64_t i) { return static_cast<double>(x[i]); });
}

template <class T>
double square_distances(const T* x, std::int64_t n, double center) {
  const Vec<double> middle(center);
  return sum_in_double<kSumBlock<T>>(
      n, [=](std::int64_t i) { return widen(x + i) - middle; },
      [=](std::int64_t i) {
        const double away = static_cast<double>(x[i]) - center;
        return away * away;
      },
      SquareAdder{});
}

template <class T>
bool all_finite(const T* x, std::int64_t n) {
  // 0 x is 0 for finite x and NaN otherwise.
  constexpr std::int64_t lanes = Vec<T>::lanes;
  constexpr int chains = 4;
  const Vec<T> zero(T(0));
  Vec<T> zeros[chains] = {zero, zero, zero, zero};
  std::int64_t i = 0;
  for (; i + chains * lanes <= n; i += chains * lanes) {
#pragma GCC unroll 4
    for (int v = 0; v < chains; ++v) {
      zeros[v] = fma(Vec<T>::load(x + i + v * lanes), zero, zeros[v]);
    }
  }
  T total = sum((zeros[0] + zeros[1]) + (zeros[2] + zeros[3]));
  for (; i < n; ++i) total += x[i] * T(0);
  return total == T(0);
}

namespace {

struct Factors {
  Vec<double> left;
  Vec<double> right;
};

}  // namespace

template <class T>
double inner_product(const T* a, std::int64_t a_stride, const T* b, std::int64_t b_stride,
                     std::int64_t n) {
  const auto single = [=](std::int64_t i) {
    return static_cast<double>(a[i * a_stride]) * static_cast<double>(b[i * b_stride]);
  };
  if (a_stride == 1 && b_stride == 1) {
    return sum_in_double<kSumBlock<T>>(
        n, [=](std::int64_t i) { return Factors{widen(a + i), widen(b + i)}; }, single,
        [](Vec<double> sum, const Factors& x)
            GAIA_INLINE_LAMBDA { return fma(x.left, x.right, sum); });
  }
  double sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < 4; ++v) sums[v] += single(i + v);
  }
  for (; i < n; ++i) sums[0] += single(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T>
T dot(const T* a, const T* b, std::int64_t n) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  Vec<T> sums[4] = {Vec<T>(T(0)), Vec<T>(T(0)), Vec<T>(T(0)), Vec<T>(T(0))};
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      sums[v] = fma(Vec<T>::load(a + i + v * lanes), Vec<T>::load(b + i + v * lanes), sums[v]);
    }
  }
  for (; i + lanes <= n; i += lanes) {
    sums[0] = fma(Vec<T>::load(a + i), Vec<T>::load(b + i), sums[0]);
  }
  T total = sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

template <class T>
void add_scaled(T* y, T factor, const T* x, std::int64_t n) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  const Vec<T> many(factor);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    fma(many, Vec<T>::load(x + i), Vec<T>::load(y + i)).store(y + i);
  }
  for (; i < n; ++i) y[i] += factor * x[i];  // most numbers of short rows, which are many
}

template <class T>
T largest_of_row(const T* x, std::int64_t n) {
  return extreme<T, false>(x, n);
}

template <class T>
T smallest_of_row(const T* x, std::int64_t n) {
  return extreme<T, true>(x, n);
}

template <class T>
T exponentials_of_row(T* x, std::int64_t n, T scale, T largest) {
  // Below, exp is no normal number, which costs time and adds nothing.
  const Vec<T> least(std::numeric_limits<T>::min_exponent * T(0.6));
  const Vec<T> factor(scale);
  const Vec<T> top(largest);
  const Vec<T> zero(T(0));
  Vec<T> total(T(0));
  for_each_vector<T>(n, [&](std::int64_t i, auto count) {
    const Vec<T> z = min(zero, (load(x + i, count) - top) * factor);
    const Vec<T> e = choose(z < least, zero, exp_of_normal(z));
    store(e, x + i, count);
    if constexpr (std::is_same_v<decltype(count), Whole<T>>) {
      total += e;
    } else {
      total += first_lanes(e, count);
    }
  });
  return sum(total);
}

namespace {

/// Sum of exp(x - shift), which is written to y if there is one.  Carried in T for a while, then in
/// double.
template <class T>
double sum_of_exponentials(const T* x, T* y, std::int64_t n, T shift) {
  constexpr std::int64_t block = 64 * Vec<T>::lanes;
  const Vec<T> away(shift);
  double total = 0.0;
  for (std::int64_t first = 0; first < n; first += block) {
    Vec<T> sums[2] = {Vec<T>(T(0)), Vec<T>(T(0))};
    int which = 0;
    const std::int64_t length = n - first < block ? n - first : block;
    for_each_vector<T>(length, [&](std::int64_t i, auto count) {
      Vec<T> e = exp(load(x + first + i, count) - away);
      if (y != nullptr) store(e, y + first + i, count);
      if constexpr (!std::is_same_v<decltype(count), Whole<T>>) e = first_lanes(e, count);
      sums[which] += e;
      which = 1 - which;
    });
    total += static_cast<double>(sum(sums[0] + sums[1]));
  }
  return total;
}

}  // namespace

template <class T>
void softmax_row(const T* x, T* y, std::int64_t n) {
  const T largest = largest_of_row(x, n);
  const Vec<T> factor(static_cast<T>(1.0 / sum_of_exponentials(x, y, n, largest)));
  for_each_vector<T>(
      n, [&](std::int64_t i, auto count) { store(load(y + i, count) * factor, y + i, count); });
}

template <class T>
void coates_row(const T* x, T* y, std::int64_t n) {
  std::array<double, 4> sums{};  // side by side, since each addition waits for the one before
  for (std::int64_t i = 0; i < n; ++i)
    sums[static_cast<std::size_t>(i % 4)] += static_cast<double>(x[i]);
  const double total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  const Vec<T> mean(static_cast<T>(total / static_cast<double>(n)));
  for_each_vector<T>(n, [&](std::int64_t i, auto count) {
    store(Relu{}.value(load(x + i, count) - mean), y + i, count);
  });
}

template <class T>
void log_softmax_row(const T* x, T* y, std::int64_t n) {
  const T largest = largest_of_row(x, n);
  // The largest term of the sum is 1, and the others are carried apart from it, so that results
  // near 0 keep their digits.
  std::int64_t at = 0;
  while (at + Vec<T>::lanes < n && !any(Vec<T>::load(x + at) == Vec<T>(largest))) {
    at += Vec<T>::lanes;
  }
  while (at < n - 1 && !(x[at] == largest)) ++at;
  T* const none = nullptr;
  const double others = sum_of_exponentials(x, none, at, largest) +
                        sum_of_exponentials(x + at + 1, none, n - at - 1, largest);
  // NaN where the largest is: of NaN, of infinity, and of -infinity throughout.
  const double total = std::log1p(others) + static_cast<double>(largest - largest);
  const T high = static_cast<T>(total);
  const T low = static_cast<T>(total - static_cast<double>(high));
  const Vec<T> shift(largest);
  for_each_vector<T>(n, [&](std::int64_t i, auto count) {
    store(((load(x + i, count) - shift) - Vec<T>(high)) - Vec<T>(low), y + i, count);
  });
}

namespace {

struct MeanAndVariance {
  double mean;
  double variance;
};

/// In one pass, from a number of the row on: the squares of float32 are exact in double.
MeanAndVariance moments(const float* x, std::int64_t n) {
  constexpr std::int64_t lanes = Vec<double>::lanes;
  const double start = static_cast<double>(x[0]);
  Vec<double> sums[2] = {Vec<double>(0.0), Vec<double>(0.0)};
  Vec<double> squares[2] = {Vec<double>(0.0), Vec<double>(0.0)};
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      const Vec<double> away = widen(x + i + v * lanes) - Vec<double>(start);
      sums[v] += away;
      squares[v] = fma(away, away, squares[v]);
    }
  }
  double total = sum(sums[0] + sums[1]);
  double square = sum(squares[0] + squares[1]);
  for (; i < n; ++i) {
    const double away = static_cast<double>(x[i]) - start;
    total += away;
    square += away * away;
  }
  const double away = total / static_cast<double>(n);
  const double variance = square / static_cast<double>(n) - away * away;
  return {start + away, variance > 0.0 || variance != variance ? variance : 0.0};
}

/// In three passes, the second of which takes back what rounding left of the mean.
MeanAndVariance moments(const double* x, std::int64_t n) {
  const auto count = static_cast<double>(n);
  double mean = sum_row(x, n) / count;
  mean += sum_in_double<kSumBlock<double>>(
              n, [=](std::int64_t i) { return Vec<double>::load(x + i) - Vec<double>(mean); },
              [=](std::int64_t i) { return x[i] - mean; }) /
          count;
  const double squares = sum_in_double<kSumBlock<double>>(
      n, [=](std::int64_t i) { return Vec<double>::load(x + i) - Vec<double>(mean); },
      [=](std::int64_t i) { return (x[i] - mean) * (x[i] - mean); }, SquareAdder{});
  return {mean, squares / count};
}

}  // namespace

template <class T>
RowMoments layer_norm_row(const RowNorm<T>& norm, const T* x, T* y, std::int64_t n) {
  const MeanAndVariance row = moments(x, n);
  const double rstd = 1.0 / std::sqrt(row.variance + norm.epsilon);
  // The mean in two numbers: what is left of x near a large mean keeps its digits.
  const Vec<T> high(static_cast<T>(row.mean));
  const Vec<T> low(static_cast<T>(row.mean - static_cast<double>(high[0])));
  const Vec<T> factor(static_cast<T>(rstd));
  const auto write = [&](const auto& finish) {
    write_vectors(y, n, norm.stores, [&](std::int64_t i, auto count) {
      return finish(((load(x + i, count) - high) - low) * factor, i, count);
    });
  };
  const T* const weight = norm.weight;
  const T* const bias = norm.bias;
  if (weight != nullptr && bias != nullptr) {
    write([=](Vec<T> h, std::int64_t i, auto c) {
      return fma(h, load(weight + i, c), load(bias + i, c));
    });
  } else if (weight != nullptr) {
    write([=](Vec<T> h, std::int64_t i, auto c) { return h * load(weight + i, c); });
  } else if (bias != nullptr) {
    write([=](Vec<T> h, std::int64_t i, auto c) { return h + load(bias + i, c); });
  } else {
    write([](Vec<T> h, std::int64_t, auto) { return h; });
  }
  return {row.mean, rstd};
}

template <class T>
void layer_norm_slope_row(const RowNormSlope<T>& norm, const T* x, const T* dy, T* dx,
                          std::int64_t n) {
  constexpr std::int64_t lanes = Vec<double>::lanes;
  // g = dy weight, h = (x - mean) rstd: in T, as the forward pass computed them.
  const auto h_at = [&](std::int64_t i) { return (x[i] - norm.mean) * norm.rstd; };
  const auto g_at = [&](std::int64_t i) { return norm.weight ? dy[i] * norm.weight[i] : dy[i]; };
  const Vec<T> mean(norm.mean);
  const Vec<T> rstd(norm.rstd);
  Vec<double> levels[2] = {Vec<double>(0.0), Vec<double>(0.0)};
  Vec<double> tilts[2] = {Vec<double>(0.0), Vec<double>(0.0)};
  T h[Vec<T>::lanes];
  T g[Vec<T>::lanes];
  std::int64_t i = 0;
  for (; i + Vec<T>::lanes <= n; i += Vec<T>::lanes) {
    const Vec<T> slope = Vec<T>::load(dy + i);
    ((Vec<T>::load(x + i) - mean) * rstd).store(h);
    (norm.weight ? slope * Vec<T>::load(norm.weight + i) : slope).store(g);
#pragma GCC unroll 2
    for (int v = 0; v < Vec<T>::lanes / lanes; ++v) {
      const std::int64_t at = i + v * lanes;
      const Vec<double> wide = widen(dy + at);
      const Vec<double> wide_h = widen(h + v * lanes);
      const Vec<double> wide_g = widen(g + v * lanes);
      fma(wide, wide_h, Vec<double>::load(norm.dweight + at)).store(norm.dweight + at);
      (wide + Vec<double>::load(norm.dbias + at)).store(norm.dbias + at);
      levels[v] += wide_g;
      tilts[v] = fma(wide_g, wide_h, tilts[v]);
    }
  }
  double level = sum(levels[0] + levels[1]);
  double tilt = sum(tilts[0] + tilts[1]);
  for (; i < n; ++i) {
    norm.dweight[i] += static_cast<double>(dy[i]) * static_cast<double>(h_at(i));
    norm.dbias[i] += static_cast<double>(dy[i]);
    level += static_cast<double>(g_at(i));
    tilt += static_cast<double>(g_at(i)) * static_cast<double>(h_at(i));
  }
  const auto count = static_cast<double>(n);
  const Vec<T> levelled(static_cast<T>(level / count));
  const Vec<T> tilted(static_cast<T>(tilt / count));
  for_each_vector<T>(n, [&](std::int64_t k, auto c) {
    const Vec<T> slope = load(dy + k, c);
    const Vec<T> weighted = norm.weight ? slope * load(norm.weight + k, c) : slope;
    const Vec<T> away = (load(x + k, c) - mean) * rstd;
    store(rstd * (weighted - levelled - away * tilted), dx + k, c);
  });
}

#define GAIA_ROWS(T)                                                                           \
  template double sum_row(const T*, std::int64_t);                                             \
  template double square_distances(const T*, std::int64_t, double);                            \
  template bool all_finite(const T*, std::int64_t);                                            \
  template double inner_product(const T*, std::int64_t, const T*, std::int64_t, std::int64_t); \
  template T dot(const T*, const T*, std::int64_t);                                            \
  template void add_scaled(T*, T, const T*, std::int64_t);                                     \
  template T largest_of_row(const T*, std::int64_t);                                           \
  template T smallest_of_row(const T*, std::int64_t);                                          \
  template T exponentials_of_row(T*, std::int64_t, T, T);                                      \
  template void softmax_row(const T*, T*, std::int64_t);                                       \
  template void coates_row(const T*, T*, std::int64_t);                                        \
  template void log_softmax_row(const T*, T*, std::int64_t);                                   \
  template RowMoments layer_norm_row(const RowNorm<T>&, const T*, T*, std::int64_t);           \
  template void layer_norm_slope_row(const RowNormSlope<T>&, const T*, const T*, T*, std::int64_t);
GAIA_ROWS(float)
GAIA_ROWS(double)
#undef GAIA_ROWS

}  // namespace gaia::cpu::GAIA_VECTOR_SET
