// SPDX-License-Identifier: MIT
#include "vector_products.h"

#include <algorithm>
#include <type_traits>

#include "rows.h"
#include "simd.h"
#include "simd_lanes.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// What a product is made of, for the compiler.
template <int Vectors, bool HasRow, bool HasLeft>
struct Factors {
  static constexpr int vectors = Vectors;
  static constexpr bool has_row = HasRow, has_left = HasLeft;
};

/// Rows of which the numbers [first, last) are added to.
template <class T>
struct Stretch {
  const T* row;   ///< The weights before.
  const T* from;  ///< The sum so far.
  T* to;
  std::int64_t first, last;
  const T* along = nullptr;
};

/// Returns dot(to, along) of the stretch, in the order in which dot() takes its sums.
template <class F, bool HasAlong, class T>
T add_product(const VectorProduct<T>& all, const Stretch<T>& rows) {
  using V = Vec<T>;
  // Copies, which no store to a row can change.
  const VectorProduct<T> product = all;
  const Stretch<T> stretch = rows;
  const V share(product.share);
  const V centre(F::has_left ? product.centre : T(0));
  V sums[4] = {V(T(0)), V(T(0)), V(T(0)), V(T(0))};
  const auto add = [&](std::int64_t i, auto size, V& sum) {
    const V row = V::load(stretch.row + i, size);
    V x = share;
#pragma GCC unroll 2
    for (int k = 0; k < F::vectors; ++k) x = x * V::load(product.vector[k] + i, size);
    if constexpr (F::has_row) x = x * row;
    if constexpr (F::has_left) x = x * (centre - row);
    x = V::load(stretch.from + i, size) + x;
    x.store(stretch.to + i, size);
    if constexpr (HasAlong) sum = fma(x, V::load(stretch.along + i, size), sum);
  };
  constexpr std::int64_t lanes = V::lanes;
  constexpr std::integral_constant<std::int64_t, lanes> whole;
  std::int64_t i = stretch.first;
  for (; i + 4 * lanes <= stretch.last; i += 4 * lanes) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) add(i + v * lanes, whole, sums[v]);
  }
  for (; i + lanes <= stretch.last; i += lanes) add(i, whole, sums[0]);
  T total = HasAlong ? sum((sums[0] + sums[1]) + (sums[2] + sums[3])) : T(0);
  if (i == stretch.last) return total;
  V unused(T(0));
  add(i, stretch.last - i, unused);
  for (; HasAlong && i < stretch.last; ++i) total += stretch.to[i] * stretch.along[i];
  return total;
}

/// Calls f(true or false as a constant of the compiler).
template <class F>
GAIA_INLINE auto with_constant(bool is, const F& f) {
  return is ? f(std::true_type{}) : f(std::false_type{});
}

template <class T>
T add_any_product(const VectorProduct<T>& product, const Stretch<T>& rows) {
  return with_constant(rows.along != nullptr, [&](auto along) {
    return with_constant(product.has_row, [&](auto row) {
      return with_constant(product.has_left, [&](auto left) {
        const auto go = [&](auto vectors) {
          return add_product<Factors<vectors(), row(), left()>, along()>(product, rows);
        };
        if (product.vectors == 0) return go(std::integral_constant<int, 0>{});
        if (product.vectors == 1) return go(std::integral_constant<int, 1>{});
        return go(std::integral_constant<int, 2>{});
      });
    });
  });
}

}  // namespace

template <class T>
T add_vector_products(const VectorProduct<T>* products, std::int64_t count, const T* row, T* to,
                      std::int64_t n, const T* along) {
  if (count == 1) return add_any_product(products[0], {row, to, to, 0, n, along});
  // All of them read the row as it was before.
  constexpr std::int64_t kBlock = 1024 / sizeof(T);
  T sums[kBlock];
  for (std::int64_t first = 0; first < n; first += kBlock) {
    const std::int64_t last = std::min(n, first + kBlock);
    T* const sum = sums - first;
    for (std::int64_t k = 0; k < count; ++k) {
      add_any_product(products[k], {.row = row,
                                    .from = k == 0 ? to : sum,
                                    .to = k + 1 < count ? sum : to,
                                    .first = first,
                                    .last = last});
    }
  }
  return along == nullptr ? T(0) : dot(to, along, n);
}

template float add_vector_products(const VectorProduct<float>*, std::int64_t, const float*, float*,
                                   std::int64_t, const float*);
template double add_vector_products(const VectorProduct<double>*, std::int64_t, const double*,
                                    double*, std::int64_t, const double*);

}  // namespace gaia::cpu::GAIA_VECTOR_SET
