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

/// A register of bytes, at any address and of any type.
constexpr std::int64_t kBytes = GAIA_VECTOR_BYTES;
typedef unsigned char Bytes __attribute__((vector_size(kBytes), aligned(1), may_alias));

GAIA_INLINE Bytes load_bytes(const unsigned char* p) { return *reinterpret_cast<const Bytes*>(p); }
GAIA_INLINE void store_bytes(Bytes x, unsigned char* p) { *reinterpret_cast<Bytes*>(p) = x; }

/// To a vector's border.
template <Stores S>
GAIA_INLINE void store_whole(Bytes x, unsigned char* p) {
  if constexpr (S == Stores::past_caches) {
    Vec<float>((Vec<float>::Raw)x).stream(reinterpret_cast<float*>(p));
  } else {
    store_bytes(x, p);
  }
}

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

/// At least kBytes bytes, of which value(i) are those from the i-th on.
template <Stores S, class F>
GAIA_INLINE void write_bytes(unsigned char* to, std::int64_t bytes, const F& value) {
  store_bytes(value(0), to);
  const std::int64_t last = bytes - kBytes;
  std::int64_t i = kBytes - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) %
                                                      static_cast<std::uintptr_t>(kBytes));
  for (; i + 4 * kBytes <= bytes; i += 4 * kBytes) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < 4; ++v) store_whole<S>(value(i + v * kBytes), to + i + v * kBytes);
  }
  for (; i < last; i += kBytes) store_whole<S>(value(i), to + i);
  store_bytes(value(last), to + last);
  if constexpr (S == Stores::past_caches) finish_streams();
}

template <class F>
GAIA_INLINE void write_bytes(unsigned char* to, std::int64_t bytes, Stores stores, const F& value) {
  // Of short runs too many lines are written in parts, each of which would go to memory alone.
  constexpr std::int64_t long_run = 4096;
  if (stores == Stores::past_caches && bytes >= long_run) {
    write_bytes<Stores::past_caches>(to, bytes, value);
  } else {
    write_bytes<Stores::through_caches>(to, bytes, value);
  }
}

}  // namespace

GAIA_FLATTEN void copy_bytes(const void* from, void* to, std::int64_t bytes, Stores stores) {
  const auto* const source = static_cast<const unsigned char*>(from);
  auto* const target = static_cast<unsigned char*>(to);
  if (bytes >= kBytes) {
    write_bytes(target, bytes, stores,
                [=](std::int64_t i) GAIA_INLINE_LAMBDA { return load_bytes(source + i); });
  } else if (bytes > 0) {
    copy_few<kBytes / 2>(source, target, bytes);
  }
}

template <class T>
GAIA_FLATTEN void fill_row(T value, T* y, std::int64_t n, Stores stores) {
  constexpr std::int64_t lanes = kBytes / static_cast<std::int64_t>(sizeof(T));
  if (n < lanes) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = value;
    return;
  }
  T many[lanes];
  for (T& one : many) one = value;
  Bytes all;
  std::memcpy(&all, many, sizeof all);
  // All numbers are alike, so it does not matter with which of them a vector starts.
  write_bytes(reinterpret_cast<unsigned char*>(y), n * static_cast<std::int64_t>(sizeof(T)), stores,
              [all](std::int64_t) GAIA_INLINE_LAMBDA { return all; });
}

// Plain loops, which the compiler turns into vectors where that pays.

template <class T>
GAIA_FLATTEN void copy_from_every_second(const T* __restrict x, T* __restrict y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[2 * i];
}

template <class T>
GAIA_FLATTEN void copy_to_every_second(const T* __restrict x, T* __restrict y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[2 * i] = x[i];
}

#define GAIA_COPY(T)                                                \
  template void fill_row(T, T*, std::int64_t, Stores);              \
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
