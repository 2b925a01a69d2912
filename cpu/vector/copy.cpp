// SPDX-License-Identifier: MIT
/// \file
/// Stores lie on vectors' borders but for the first and the last, which overlap their neighbours:
/// one that reaches into a second cache line takes longer than a load that does.
#include "copy.h"

#include <cstdint>
#include <cstring>

#include "loop.h"
#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Registers of bytes, at any address and of any type, and how they are written to a border of
/// their own.
///
/// Through the caches at most 32 bytes: of wider ones that are read from anywhere each reaches into
/// a second line, and where runs are short their ends count.
struct ThroughCaches {
  static constexpr std::int64_t bytes = GAIA_VECTOR_BYTES < 32 ? GAIA_VECTOR_BYTES : 32;
  typedef unsigned char Raw __attribute__((vector_size(bytes), aligned(1), may_alias));

  GAIA_INLINE static Raw load(const unsigned char* p) { return *reinterpret_cast<const Raw*>(p); }
  GAIA_INLINE static void store(Raw x, unsigned char* p) { *reinterpret_cast<Raw*>(p) = x; }
  GAIA_INLINE static void store_whole(Raw x, unsigned char* p) { store(x, p); }
  GAIA_INLINE static void finish() {}
};
/// Past them as many as there are.
struct PastCaches {
  static constexpr std::int64_t bytes = GAIA_VECTOR_BYTES;
  typedef unsigned char Raw __attribute__((vector_size(bytes), aligned(1), may_alias));

  GAIA_INLINE static Raw load(const unsigned char* p) { return *reinterpret_cast<const Raw*>(p); }
  GAIA_INLINE static void store(Raw x, unsigned char* p) { *reinterpret_cast<Raw*>(p) = x; }
  GAIA_INLINE static void store_whole(Raw x, unsigned char* p) {
    Vec<float>((Vec<float>::Raw)x).stream(reinterpret_cast<float*>(p));
  }
  GAIA_INLINE static void finish() { finish_streams(); }
};

/// Fewer bytes than two times Size, and no fewer than 1: by two copies that may overlap.
template <int Size>
GAIA_INLINE void copy_few(const unsigned char* from, unsigned char* to, std::int64_t bytes) {
  if (Size == 1 || bytes >= Size) {
    unsigned char first[Size];
    unsigned char last[Size];
    std::memcpy(first, from, Size);
    std::memcpy(last, from + bytes - Size, Size);
    std::memcpy(to, first, Size);
    std::memcpy(to + bytes - Size, last, Size);
  } else if constexpr (Size > 1) {
    copy_few<Size / 2>(from, to, bytes);
  }
}

/// At least Way::bytes bytes, of which value(i, way) are those from the i-th on.
template <class Way, class F>
GAIA_INLINE void write_bytes(unsigned char* to, std::int64_t bytes, const F& value) {
  constexpr Way way;
  constexpr std::int64_t step = Way::bytes;
  way.store(value(0, way), to);
  const std::int64_t last = bytes - step;
  std::int64_t i = step - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) %
                                                    static_cast<std::uintptr_t>(step));
  for (; i + 4 * step <= bytes; i += 4 * step) {
#pragma GCC unroll 4
    for (std::int64_t v = i; v < i + 4 * step; v += step) way.store_whole(value(v, way), to + v);
  }
  for (; i < last; i += step) way.store_whole(value(i, way), to + i);
  way.store(value(last, way), to + last);
  way.finish();
}

}  // namespace

GAIA_FLATTEN void copy_bytes(const void* from, void* to, std::int64_t bytes, Stores stores) {
  const auto* const source = static_cast<const unsigned char*>(from);
  auto* const target = static_cast<unsigned char*>(to);
  const auto read = [=](std::int64_t i, auto way)
                        GAIA_INLINE_LAMBDA { return way.load(source + i); };
  // Too many lines of short runs are written in parts, each of which would go to memory alone.
  constexpr std::int64_t long_run = 4096;
  if (stores == Stores::past_caches && bytes >= long_run) {
    write_bytes<PastCaches>(target, bytes, read);
  } else if (bytes >= ThroughCaches::bytes) {
    write_bytes<ThroughCaches>(target, bytes, read);
  } else if (bytes > 0) {
    copy_few<ThroughCaches::bytes / 2>(source, target, bytes);
  }
}

template <class T>
GAIA_FLATTEN void fill_row(T value, T* y, std::int64_t n) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  if (n * size < ThroughCaches::bytes) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = value;
    return;
  }
  T many[ThroughCaches::bytes / size];
  for (T& one : many) one = value;
  unsigned char all[ThroughCaches::bytes];
  std::memcpy(all, many, sizeof all);
  // All numbers are alike, so it does not matter with which of them a vector starts.
  write_bytes<ThroughCaches>(reinterpret_cast<unsigned char*>(y), n * size,
                             [&](std::int64_t, auto way)
                                 GAIA_INLINE_LAMBDA { return way.load(all); });
}

// Plain loops, which the compiler turns into vectors where that pays.

template <class T>
GAIA_FLATTEN void copy_reversed(const T* __restrict x, T* __restrict y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[-i];
}

template <class T>
GAIA_FLATTEN void copy_from_every_second(const T* __restrict x, T* __restrict y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[2 * i];
}

template <class T>
GAIA_FLATTEN void copy_to_every_second(const T* __restrict x, T* __restrict y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[2 * i] = x[i];
}

#define GAIA_COPY(T)                                                \
  template void fill_row(T, T*, std::int64_t);                      \
  template void copy_reversed(const T*, T*, std::int64_t);          \
  template void copy_from_every_second(const T*, T*, std::int64_t); \
  template void copy_to_every_second(const T*, T*, std::int64_t);
GAIA_COPY(bool)
GAIA_COPY(std::uint16_t)
GAIA_COPY(std::int32_t)
GAIA_COPY(std::int64_t)
GAIA_COPY(float)
GAIA_COPY(double)
#undef GAIA_COPY

}  // namespace gaia::cpu::GAIA_VECTOR_SET
