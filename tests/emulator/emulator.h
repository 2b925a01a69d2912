// SPDX-License-Identifier: MIT
/// \file
/// CUDA's language on the host: what portable.cuh includes where there is no nvcc.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "machine.h"
#ifndef GAIA_EMULATOR_OF_KERNELS_ALONE  // whose texts are compiled while a test waits
#include <memory>                       // which says __noinline__ itself

#include "queues.h"
#endif
#include "runtime.h"

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __grid_constant__
#define __forceinline__ inline
#define __restrict__ __restrict

#define threadIdx (::gaia::emulator::thread_index())
#define blockIdx (::gaia::emulator::block_index())
#define blockDim (::gaia::emulator::block_shape())
#define gridDim (::gaia::emulator::grid_shape())

/// Variables of a block.  `__shared__` itself stays unknown, so that none escapes the poison.
#define GAIA_SHARED(T, name, dims)                                                  \
  using name##_type = T dims;                                                       \
  static const char name##_key = 0;                                                 \
  name##_type& name = *static_cast<name##_type*>(::gaia::emulator::shared_variable( \
      &name##_key, sizeof(name##_type), ::gaia::emulator::CodePlace::here()))
#define GAIA_SHARED_DYNAMIC(T, name) \
  T* const name = static_cast<T*>(::gaia::emulator::dynamic_shared())

#define GAIA_AT const gaia::emulator::CodePlace& at = gaia::emulator::CodePlace::here()

inline void __syncthreads(GAIA_AT) { gaia::emulator::block_barrier(at); }

inline void __syncwarp(unsigned mask = 0xffffffffu, GAIA_AT) {
  const char nothing = 0;
  gaia::emulator::exchange(mask, &nothing, 1, true, at);
}

namespace gaia::emulator {

/// The value that lane `source` brings; its own for a lane outside the segment of `width`.
template <class T>
T shuffle_from(unsigned mask, T value, int source, bool inside, const CodePlace& at) {
  static_assert(sizeof(T) <= kSlotBytes && std::is_trivially_copyable_v<T>);
  const int from = inside ? source : static_cast<int>(lane_index());
  const Slots slots = exchange(mask, &value, sizeof value, false, at);
  if ((mask >> from & 1u) == 0) fail("a shuffle reads a lane outside its mask", at);
  T result;
  std::memcpy(&result, slots[from], sizeof result);
  return result;
}

inline int segment(int width) { return static_cast<int>(lane_index()) & ~(width - 1); }

/// Value that lane `lane` has passed.
template <class T>
T brought(Slots slots, unsigned lane) {
  T result;
  std::memcpy(&result, slots[lane], sizeof result);
  return result;
}

/// Here and not in machine.cpp, so that sanitizers see it.
inline void do_copy(const PendingCopy& copy) {
  if (copy.from != nullptr) {
    std::memcpy(copy.to, copy.from, copy.bytes);
  } else {
    std::memset(copy.to, 0, copy.bytes);
  }
}

/// cp.async, its commit_group and its wait_group.
inline void begin_copy(void* to, const void* from, unsigned bytes, GAIA_AT) {
  const auto is_aligned = [bytes](const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
  };
  if (!is_aligned(to) || !is_aligned(from)) fail("an asynchronous copy is misaligned", at);
  const PendingCopy copy{to, from, bytes, 0};
  const CopyTimes times = copy_times();
  if (times.at_once) do_copy(copy);
  if (times.at_wait) keep_copy(copy, at);
}
inline void wait_for_copies(unsigned groups) {
  PendingCopy copy;
  while (take_copy(groups, copy)) do_copy(copy);
}

}  // namespace gaia::emulator

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, GAIA_AT) {
  const int first = gaia::emulator::segment(width);
  return gaia::emulator::shuffle_from(mask, value, first + (source & (width - 1)), true, at);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, GAIA_AT) {
  const int from = static_cast<int>(gaia::emulator::lane_index()) ^ bits;
  const bool inside = from < gaia::emulator::segment(width) + width;
  return gaia::emulator::shuffle_from(mask, value, from, inside, at);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32, GAIA_AT) {
  const int from = static_cast<int>(gaia::emulator::lane_index() + distance);
  const bool inside = from < gaia::emulator::segment(width) + width;
  return gaia::emulator::shuffle_from(mask, value, from, inside, at);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32, GAIA_AT) {
  const int from = static_cast<int>(gaia::emulator::lane_index()) - static_cast<int>(distance);
  const bool inside = from >= gaia::emulator::segment(width);
  return gaia::emulator::shuffle_from(mask, value, from, inside, at);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, GAIA_AT) {
  const gaia::emulator::Slots slots =
      gaia::emulator::exchange(mask, &predicate, sizeof predicate, false, at);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    int theirs = 0;
    if ((mask >> lane & 1u) != 0) std::memcpy(&theirs, slots[lane], sizeof theirs);
    if (theirs != 0) result |= 1u << lane;
  }
  return result;
}
inline int __any_sync(unsigned mask, int predicate, GAIA_AT) {
  return __ballot_sync(mask, predicate, at) != 0;
}
inline int __all_sync(unsigned mask, int predicate, GAIA_AT) {
  return __ballot_sync(mask, predicate, at) == mask;
}

#undef GAIA_AT

template <class T>
T atomicAdd(T* place, std::type_identity_t<T> value) {
  static_assert(std::is_integral_v<T>, "sums of floating numbers in a fixed order instead");
  return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicMin(T* place, std::type_identity_t<T> value) {
  static_assert(std::is_integral_v<T>);
  T before = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (value < before && !__atomic_compare_exchange_n(place, &before, value, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
