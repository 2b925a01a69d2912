// SPDX-License-Identifier: MIT
/// \file
/// A run of numbers, vector by vector.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simd.h"
#include "simd_lanes.h"
#include "stores.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// Behind the parameters of a lambda that takes one vector: where a function has many formulas GCC
/// stops to inline, and calls it for each.
#define GAIA_INLINE_LAMBDA __attribute__((always_inline))

/// Says that a vector is whole.
template <class T>
using Whole = std::integral_constant<std::int64_t, Vec<T>::lanes>;

/// Calls f(first, count) for vectors of n elements: count is Whole<T>, or how many there are left.
template <class T, class F>
GAIA_INLINE void for_each_vector(std::int64_t n, const F& f) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < 4; ++v) f(i + v * lanes, Whole<T>{});
  }
  for (; i + lanes <= n; i += lanes) f(i, Whole<T>{});
  if (i < n) f(i, n - i);
}

template <class T>
GAIA_INLINE Vec<T> load(const T* p, Whole<T>) {
  return Vec<T>::load(p);
}
template <class T>
GAIA_INLINE Vec<T> load(const T* p, std::int64_t count) {
  return Vec<T>::load(p, count);
}
template <class T>
GAIA_INLINE void store(Vec<T> x, T* p, Whole<T>) {
  x.store(p);
}
template <class T>
GAIA_INLINE void store(Vec<T> x, T* p, std::int64_t count) {
  x.store(p, count);
}

/// y = value(first, count), vector by vector.
template <class T, class F>
GAIA_INLINE void write_vectors(T* y, std::int64_t n, Stores stores, const F& value) {
  if (stores == Stores::through_caches) {
    for_each_vector<T>(n, [&](std::int64_t i, auto count)
                              GAIA_INLINE_LAMBDA { store(value(i, count), y + i, count); });
    return;
  }
  constexpr std::uintptr_t border = sizeof(Vec<T>);
  const auto past = reinterpret_cast<std::uintptr_t>(y) % border;
  std::int64_t head = past == 0 ? 0 : static_cast<std::int64_t>((border - past) / sizeof(T));
  if (head > n) head = n;
  if (head > 0) store(value(0, head), y, head);
  for_each_vector<T>(n - head, [&](std::int64_t i, auto count) GAIA_INLINE_LAMBDA {
    const Vec<T> next = value(head + i, count);
    if constexpr (std::is_same_v<decltype(count), Whole<T>>) {
      next.stream(y + head + i);
    } else {
      store(next, y + head + i, count);
    }
  });
  finish_streams();
}

/// The same as for_each_vector for long formulas, which hide their latency themselves: written out
/// once for whole vectors and once for the rest.  The first call may be for fewer, `head`.
template <class T, class F>
GAIA_INLINE void for_each_vector_in_turn(std::int64_t n, std::int64_t head, const F& f) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  std::int64_t i = 0;
  for (std::int64_t part = head;; part = n - i) {
    if (part > 0) f(i, part);
    i += part;
    for (; i + lanes <= n; i += lanes) f(i, Whole<T>{});
    if (i >= n) return;
  }
}

/// The same as write_vectors, in turn.
template <class T, class F>
GAIA_INLINE void write_vectors_in_turn(T* y, std::int64_t n, Stores stores, const F& value) {
  constexpr std::uintptr_t border = sizeof(Vec<T>);
  const bool stream = stores == Stores::past_caches;
  const auto past = stream ? reinterpret_cast<std::uintptr_t>(y) % border : 0;
  std::int64_t head = past == 0 ? 0 : static_cast<std::int64_t>((border - past) / sizeof(T));
  if (head > n) head = n;
  for_each_vector_in_turn<T>(n, head, [&](std::int64_t i, auto count) GAIA_INLINE_LAMBDA {
    const Vec<T> next = value(i, count);
    if constexpr (std::is_same_v<decltype(count), Whole<T>>) {
      if (stream) {
        next.stream(y + i);
        return;
      }
    }
    store(next, y + i, count);
  });
  if (stream) finish_streams();
}

/// x in the first `count` lanes, 0 in the others.
template <class T>
GAIA_INLINE Vec<T> first_lanes(Vec<T> x, std::int64_t count) {
  T lane[Vec<T>::lanes];
  x.store(lane);
  return Vec<T>::load(lane, count);
}

/// What f(i) gives for i = first, first + Lanes, ... up to n, joined side by side so that the
/// latency is hidden, as long as whole vectors are left; says in `first` where they end.  `join`
/// takes what has been joined and what f gives, `merge` joins the sides.
template <int Lanes, class V, class F, class Join, class Merge>
GAIA_INLINE V joined_vectors(std::int64_t& first, std::int64_t n, V start, const F& f,
                             const Join& join, const Merge& merge) {
  // Eight, since four steps of two units are under way.  No array, which GCC keeps in memory.
  V a = start, b = start, c = start, d = start, e = start, g = start, h = start, k = start;
  std::int64_t i = first;
  for (; i + 8 * Lanes <= n; i += 8 * Lanes) {
    a = join(a, f(i));
    b = join(b, f(i + Lanes));
    c = join(c, f(i + 2 * Lanes));
    d = join(d, f(i + 3 * Lanes));
    e = join(e, f(i + 4 * Lanes));
    g = join(g, f(i + 5 * Lanes));
    h = join(h, f(i + 6 * Lanes));
    k = join(k, f(i + 7 * Lanes));
  }
  if (i + 4 * Lanes <= n) {
    a = join(a, f(i));
    b = join(b, f(i + Lanes));
    c = join(c, f(i + 2 * Lanes));
    d = join(d, f(i + 3 * Lanes));
    i += 4 * Lanes;
  }
  if (i + 2 * Lanes <= n) {
    e = join(e, f(i));
    g = join(g, f(i + Lanes));
    i += 2 * Lanes;
  }
  if (i + Lanes <= n) {
    h = join(h, f(i));
    i += Lanes;
  }
  first = i;
  return merge(merge(merge(a, e), merge(c, h)), merge(merge(b, g), merge(d, k)));
}

/// How many terms are added before they are joined pairwise: of float32 there are digits to spare.
template <class T>
constexpr std::int64_t kSumBlock = sizeof(T) == 4 ? 1 << 16 : 1024;

/// Adds squares, in one rounding where the processor has that.
struct SquareAdder {
  GAIA_INLINE Vec<double> operator()(Vec<double> sum, Vec<double> x) const {
    return fma(x, x, sum);
  }
};

/// Sum over i of f(vector of float64 at i), where f reads whole vectors, and of g(i) at the end,
/// where single numbers are left.  `add` adds what f gives, or a function of it.  Blocks are added
/// pairwise, lane by lane: the error grows with the logarithm of n.
template <std::int64_t Block, class F, class G, class Adder = WideAdder>
GAIA_INLINE double sum_in_double(std::int64_t n, const F& f, const G& g, const Adder& add = {}) {
  const auto merge = [](Vec<double> a, Vec<double> b) GAIA_INLINE_LAMBDA { return a + b; };
  const Vec<double> zero(0.0);
  constexpr int lanes = Vec<double>::lanes;
  std::int64_t i = 0;
  Vec<double> sums = zero;
  if (n < 2 * Block) {
    sums = joined_vectors<lanes>(i, n, zero, f, add, merge);
  } else {
    Vec<double> partial[64];  // sums of ever fewer blocks, whose counts are powers of two
    int depth = 0;
    for (std::int64_t blocks = 0; i + Block <= n; ++blocks) {
      Vec<double> next = joined_vectors<lanes>(i, i + Block, zero, f, add, merge);
      for (std::int64_t bits = blocks; (bits & 1) != 0; bits >>= 1) next = partial[--depth] + next;
      partial[depth++] = next;
    }
    sums = joined_vectors<lanes>(i, n, zero, f, add, merge);
    while (depth > 0) sums = partial[--depth] + sums;
  }
  double total = sum(sums);
  for (; i < n; ++i) total += g(i);
  return total;
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
